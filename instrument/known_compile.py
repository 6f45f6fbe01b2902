"""A compile that is known by its command and its files: answered without preprocessor, parser and compiler.

What is kept of a compile (``KeptCompile``) has a key that only the preprocessor can tell. A note with the command as
its key says which files were read, and which were looked for in vain; while that holds, so does the outcome.

This happens in the time that Python takes to start, so this module, and what it imports, import little.
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

_MOST: Final = 4  # notes of one command, as of several branches of a project
_PRODUCTS: Final = "AUTOANALYZER_PRODUCTS"
# What makes more than the answer of a compile, or none.
_UNUSUAL: Final = ("AUTOANALYZER_INSIDE", _PRODUCTS)


class Inputs:
    """What a compile has read.

    Attributes:
        programs: The programs that a compiler consists of.
        files: Files that were read.
        present: Files that were asked for.
        absent: Files and folders that are not there, and would be read if they were.
    """

    def __init__(self, programs: list[str], files: list[str], present: list[str], absent: list[str]) -> None:
        self.programs = programs
        self.files = files
        self.present = present
        self.absent = absent

    def state(self, texts: dict[str, str]) -> str:
        """Give a digest that changes with them; empty if something is missing, or is there that should not be.

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
        """Give all as content; ``of`` reads it back."""
        return [_listed(each) for each in (self.programs, self.files, self.present, self.absent)]

    @classmethod
    def of(cls, parts: list[bytes]) -> Inputs:
        """Read what ``parts`` has given."""
        return cls(*map(_list_of, parts))


def command_key(words: list[str]) -> str:
    """Give the key of a command, where it is called: all that its outcome follows from, but what it reads.

    Raises:
        OSError: The plan cannot be read, or the working folder is gone.
    """
    folder = os.environ.get("PWD", "")  # as debug information may call it
    return digest("command", *words, folder, *program_states(words[:2]), *fingerprint(words))


def note_compile(
    store: Store, words: list[str], inputs: Inputs, key: str, *, files: list[str], dependencies: str
) -> None:
    """Note a compile for the next one.

    Args:
        store: Where results are kept.
        words: The command.
        inputs: What it reads.
        key: Of its outcome, as kept.
        files: What the outcome consists of, in order.
        dependencies: The file of dependencies that the preprocessor has written; empty if there is none.

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
    """Write and say what a command would if it is known; tell whether it is.

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
        return False  # whoever compiles says what is wrong


def _notes(store: Store, key: str) -> list[bytes]:
    return parts_of(store.get(key) or b"\n")


def _answer(store: Store, note: list[bytes], texts: dict[str, str]) -> bool:
    """Carry out what a note says, if it holds."""
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
