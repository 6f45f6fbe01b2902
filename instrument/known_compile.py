"""Repeat a compile whose command and files are known, without running preprocessor, parser or compiler.

The key of a cached compile (``KeptCompile``) can only be computed after preprocessing. Therefore, the cache also
contains a note per command, which lists the files that were read, and those that were missing. As long as these files
are unchanged, the cached result is valid.

Repeating a compile takes about as long as starting Python, so this module and its imports import little.
"""

from __future__ import annotations

import os
import sys

from ..atomic_file import replacing
from ..compiler_records import recording
from ..digests import content_of, digest
from ..errors import AutoanalyzerError
from .store import joined, open_store, parts_of
from .tool_fingerprint import fingerprint, program_states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from .store import Store

__all__ = ["Inputs", "answered", "command_key", "note_compile"]

_MOST: Final = 4  # maximum number of notes per command, for example for several branches of a project
_PRODUCTS: Final = "AUTOANALYZER_PRODUCTS"
# Variables that make commands write files in addition to the object, or no file at all.
_UNUSUAL: Final = ("AUTOANALYZER_INSIDE", _PRODUCTS)


class Inputs:
    """The inputs of a compile.

    Attributes:
        programs: The compiler's programs.
        files: Files that were read.
        present: Existing files whose existence was tested.
        absent: Missing files and folders that would be read if they existed.
    """

    def __init__(self, programs: list[str], files: list[str], present: list[str], absent: list[str]) -> None:
        self.programs = programs
        self.files = files
        self.present = present
        self.absent = absent

    def state(self, texts: dict[str, str]) -> str:
        """Return a digest of the inputs, or an empty string if a file has appeared or disappeared since.

        Files in ``present`` must exist, and files in ``absent`` must not. ``texts`` caches digests of files by name.

        Raises:
            OSError: A file cannot be read.
        """
        if not all(map(os.path.exists, self.present)) or any(map(os.path.lexists, self.absent)):
            return ""
        for file in self.files:
            if file not in texts:
                texts[file] = digest(content_of(file))
        return digest(*program_states(self.programs), *(texts[file] for file in self.files))

    def parts(self) -> list[bytes]:
        """Return all fields as bytes, in the form that ``of`` reads."""
        return [_listed(each) for each in (self.programs, self.files, self.present, self.absent)]

    @classmethod
    def of(cls, parts: list[bytes]) -> Inputs:
        """Return the inputs from the bytes that ``parts`` has returned."""
        return cls(*map(_list_of, parts))


def command_key(words: list[str]) -> str:
    """Return a digest of all that determines a command's result, except the files that are read.

    Raises:
        OSError: The plan cannot be read, or the working folder was removed.
    """
    folder = os.environ.get("PWD", "")  # the name of the folder in debug information
    return digest("command", *words, folder, *program_states(words[:2]), *fingerprint(words))


def note_compile(
    store: Store, words: list[str], inputs: Inputs, key: str, *, files: list[str], dependencies: str
) -> None:
    """Write a note on a compile, so that an identical command can be answered without preprocessing.

    Args:
        store: The cache.
        words: The command.
        inputs: Inputs of the compile.
        key: Key of the cached result.
        files: The files of the result, in order.
        dependencies: The preprocessor's dependency file; empty if there is none.

    Raises:
        OSError: A file cannot be read.
    """
    state = inputs.state({})
    written = [os.fsencode(dependencies), content_of(dependencies)] if dependencies else [b"", b""]
    note = joined([*inputs.parts(), state.encode(), key.encode(), _listed(files), *written])
    place = command_key(words)
    others = [each for each in _notes(store, place) if each != note]
    if state:
        store.put(place, joined([note, *others[: _MOST - 1]]))


def answered(words: list[str]) -> bool:
    """Write the files and messages of a command if its result is cached, and return whether it is.

    Args:
        words: The command of the real compiler.
    """
    unusual = any(map(os.environ.get, _UNUSUAL)) or recording()
    if "-c" not in words or unusual or any(word.startswith("@") for word in words):
        return False
    try:
        store = open_store()
        texts: dict[str, str] = {}
        return any(_answer(store, parts_of(note), texts) for note in _notes(store, command_key(words)))
    except (AutoanalyzerError, OSError, ValueError):
        return False  # the compile itself reports the error


def _notes(store: Store, key: str) -> list[bytes]:
    return parts_of(store.get(key) or b"\n")


def _answer(store: Store, note: list[bytes], texts: dict[str, str]) -> bool:
    """Write the result that a note describes if the note is still valid; return whether it is.

    ``texts`` caches digests of files by name.
    """
    state, key, files, dependencies, text = note[4:]
    try:
        holds = Inputs.of(note[:4]).state(texts).encode() == state
    except OSError:
        return False
    kept = store.get(key.decode()) if holds else None
    if kept is None:
        return False
    messages, remarks, *contents = parts_of(kept)
    outputs = [*zip(_list_of(files), contents, strict=True)]
    outputs += [(os.fsdecode(dependencies), text)] if dependencies else []
    if any(os.path.exists(path) and not os.path.isfile(path) for path, _ in outputs):
        return False
    for path, content in outputs:
        with replacing(path) as stream:
            stream.write(content)
    sys.stderr.buffer.write(messages)
    sys.stderr.writelines(f"autoanalyzer: {remark}\n" for remark in _list_of(remarks))
    sys.stderr.flush()
    return True


def _listed(names: Iterable[str]) -> bytes:
    return b"\0".join(os.fsencode(name) for name in names)


def _list_of(listed: bytes) -> list[str]:
    return os.fsdecode(listed).split("\0") if listed else []
