"""Record the files that compilers write in a build, and move them aside, so that the next build recreates them."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from .compiler import CompilerCommand, Role
from .fortran_modules import modules_written
from .workspace import undisturbed

__all__ = ["BuildOutputs", "Built", "note_asked", "note_written"]

_LIBTOOL: Final = b" - a libtool object file"
_NAMES: Final = "names.json"
_HEAD: Final = 200  # number of bytes at the start of a file that identify it as libtool's

_Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Built:
    """Facts about a build.

    Attributes:
        compiled: The number of sources that wrappers compiled.
        stale: Objects and libraries in the working folder that were linked, but are older than the build.
        configured: Whether a build system tested the compilers, in this build or in an earlier one whose outputs still
            exist. Its configuration then names these compilers.
    """

    compiled: int
    stale: tuple[str, ...]
    configured: bool


class BuildOutputs:
    """The files that the compiler wrappers wrote in a program's builds, including earlier builds.

    Args:
        folder: The folder for notes and for files that are moved aside.
    """

    def __init__(self, folder: Path) -> None:
        self.notes = folder.resolve() / "built.jsonl"
        self._began = 0

    @contextmanager
    def made_anew(self) -> Iterator[None]:
        """Context manager that moves earlier builds' outputs aside, and restores those that the block does not rebuild.

        A file that was changed after the compiler wrote it is left in place.

        Raises:
            OSError: A file cannot be moved aside.
        """
        for left in self.notes.parent.glob("aside-*"):
            _put_back(left)
        known = dict(self._unchanged())
        self.notes.write_text(_line(at=str(self.notes), written=known, asked=bool(known) and self._has_asked()))
        self._began = self.notes.stat().st_mtime_ns
        files = list(dict.fromkeys(file for each in known for file in _with_libtool(Path(each))))
        aside = Path(mkdtemp(prefix="aside-", dir=self.notes.parent))
        (aside / _NAMES).write_text(json.dumps([str(file) for file in files]))
        try:
            for number, file in enumerate(files):
                shutil.move(file, aside / str(number))
            yield
        finally:
            _put_back(aside)

    def built(self) -> Built:
        """Return the facts about the last build."""
        _, *notes = self._read()
        linked = dict.fromkeys(path for note in notes for path in note.get("linked", ()))
        return Built(
            compiled=sum(note.get("compiled", 0) for note in notes),
            stale=tuple(path for path in linked if self._is_stale(Path(path))),
            configured=self._has_asked(),
        )

    def _has_asked(self) -> bool:
        return any(note.get("asked") for note in self._read())

    def _is_stale(self, path: Path) -> bool:
        stamp = _stamp(path)
        return stamp is not None and stamp[0] < self._began and path.is_relative_to(Path.cwd())

    def _unchanged(self) -> Iterator[tuple[str, _Stamp]]:
        written = {path: stamp for note in self._read() for path, stamp in note.get("written", {}).items()}
        for path, stamp in written.items():
            if _stamp(Path(path)) == tuple(stamp):
                yield path, tuple(stamp)

    def _read(self) -> list[dict[str, Any]]:
        """Return the notes, without the incomplete lines of killed processes and lines copied from another folder."""
        found = []
        with suppress(FileNotFoundError):
            for line in self.notes.read_text(errors="replace").splitlines():
                with suppress(ValueError):
                    found.append(json.loads(line))
        return found if found and found[0].get("at") == str(self.notes) else []


def _put_back(aside: Path) -> None:
    """Move files back to their original places.

    If a new file is at the original place, or the original folder is gone, the old file is removed. If moving fails,
    the file stays aside.
    """
    with undisturbed(), suppress(OSError, ValueError):
        for number, name in enumerate(json.loads((aside / _NAMES).read_text())):
            kept, path = aside / str(number), Path(name)
            with suppress(OSError):
                if path.exists() or not path.parent.is_dir():
                    kept.unlink(missing_ok=True)
                elif kept.exists():
                    shutil.move(kept, path)
        if [each.name for each in aside.iterdir()] == [_NAMES]:
            shutil.rmtree(aside)


def note_written(notes: Path, command: CompilerCommand) -> None:
    """Append the sources, objects and outputs of a successful compiler command to the file ``notes``."""
    program = command.program
    files = [*([program] if program else command.objects), *_modules(command)]
    _note(
        notes,
        compiled=len(command.sources),
        written={os.path.realpath(path): stamp for path in files if (stamp := _stamp(path))},
        linked=[os.path.realpath(path) for path in _linked(command)] if program else [],
    )


def note_asked(notes: Path) -> None:
    """Record in the file ``notes`` that a build system has tested the compiler."""
    _note(notes, asked=True)


def _note(notes: Path, **facts: Any) -> None:
    """Append a line of JSON, even while other processes do; a failure does not stop the build."""
    with suppress(OSError), notes.open("ab", buffering=0) as stream:
        with suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_EX)
        stream.write(_line(**facts).encode())


def _line(**facts: Any) -> str:
    return json.dumps(facts) + "\n"


def _stamp(path: Path) -> _Stamp | None:
    """Return the modification time and size of a file, or None if it does not exist."""
    with suppress(OSError):
        if path.is_file():
            status = path.stat()
            return status.st_mtime_ns, status.st_size
    return None


def _modules(command: CompilerCommand) -> Iterator[Path]:
    for source in command.sources:
        if source.is_fortran:
            with suppress(OSError):  # standard input can be read only once
                for name in modules_written(Path(source.words[0]).read_bytes()) or []:
                    yield command.module_folder / f"{name}.mod"


def _linked(command: CompilerCommand) -> Iterator[Path]:
    """Yield the objects and libraries that a command links, except those of the system."""
    yield from map(Path, command.of(Role.INPUT))
    options = ["".join(each.words) for each in command.arguments if each.role is Role.COMPILE]
    folders = [Path(word[2:]) for word in options if word.startswith("-L")]
    for name in (word[2:] for word in options if word.startswith("-l")):
        places = (folder / f"lib{name}{suffix}" for folder in folders for suffix in (".so", ".a"))
        yield from list(filter(Path.is_file, places))[:1]


def _with_libtool(path: Path) -> Iterator[Path]:
    """Yield an object, and the file that libtool has written beside it, if any."""
    yield path
    folder = path.parent.parent if path.parent.name == ".libs" else path.parent
    beside = folder / f"{path.stem}.lo"
    with suppress(OSError), beside.open("rb") as stream:
        if _LIBTOOL in stream.read(_HEAD):
            yield beside
