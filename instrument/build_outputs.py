"""What compilers write in a build, noted by the wrappers, so that the next build makes it anew."""

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
_HEAD: Final = 200  # bytes of a file of libtool's that say what it is

_Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Built:
    """What is known of a build.

    Attributes:
        compiled: How many sources wrappers have compiled.
        stale: Objects and libraries in the working folder that were linked, but are older than the build.
        configured: Whether it, or one whose products are still there, has asked what the compilers can do: what is
            configured remembers them.
    """

    compiled: int
    stale: tuple[str, ...]
    configured: bool


class BuildOutputs:
    """The files that wrappers have written in builds of one program, those of earlier builds included.

    Args:
        folder: Where notes are kept, and what is put aside.
    """

    def __init__(self, folder: Path) -> None:
        self.notes = folder.resolve() / "built.jsonl"
        self._began = 0

    @contextmanager
    def made_anew(self) -> Iterator[None]:
        """Put what earlier builds have written aside while another goes on, and back what that does not make.

        A file that was changed since a compiler has written it stays where it is.

        Raises:
            OSError: A file cannot be put aside.
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
        """Tell what the last build has done."""
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
        """Read the notes; a line that a killed process has left is none, and a copy of another folder's has none."""
        found = []
        with suppress(FileNotFoundError):
            for line in self.notes.read_text(errors="replace").splitlines():
                with suppress(ValueError):
                    found.append(json.loads(line))
        return found if found and found[0].get("at") == str(self.notes) else []


def _put_back(aside: Path) -> None:
    """Move what was put aside to where it was, unless there is something again; what cannot go there stays."""
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
    """Note what a command that has succeeded has compiled, linked and written."""
    program = command.program
    files = [*([program] if program else command.objects), *_modules(command)]
    _note(
        notes,
        compiled=len(command.sources),
        written={os.path.realpath(path): stamp for path in files if (stamp := _stamp(path))},
        linked=[os.path.realpath(path) for path in _linked(command)] if program else [],
    )


def note_asked(notes: Path) -> None:
    """Note that a build system has asked what the compiler can do."""
    _note(notes, asked=True)


def _note(notes: Path, **facts: Any) -> None:
    """Add a line, as other processes do at the same time; the build goes on if that fails."""
    with suppress(OSError), notes.open("ab", buffering=0) as stream:
        with suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_EX)
        stream.write(_line(**facts).encode())


def _line(**facts: Any) -> str:
    return json.dumps(facts) + "\n"


def _stamp(path: Path) -> _Stamp | None:
    """Give time and size of a file; None if there is none."""
    with suppress(OSError):
        if path.is_file():
            status = path.stat()
            return status.st_mtime_ns, status.st_size
    return None


def _modules(command: CompilerCommand) -> Iterator[Path]:
    for source in command.sources:
        if source.is_fortran:
            with suppress(OSError):  # standard input can be read but once
                for name in modules_written(Path(source.words[0]).read_bytes()) or []:
                    yield command.module_folder / f"{name}.mod"


def _linked(command: CompilerCommand) -> Iterator[Path]:
    """Give the objects and libraries that a command links and that are not the system's."""
    yield from map(Path, command.of(Role.INPUT))
    options = ["".join(each.words) for each in command.arguments if each.role is Role.COMPILE]
    folders = [Path(word[2:]) for word in options if word.startswith("-L")]
    for name in (word[2:] for word in options if word.startswith("-l")):
        places = (folder / f"lib{name}{suffix}" for folder in folders for suffix in (".so", ".a"))
        yield from list(filter(Path.is_file, places))[:1]


def _with_libtool(path: Path) -> Iterator[Path]:
    """Give an object and the file that libtool has written beside it, by which it tells that the object is there."""
    yield path
    folder = path.parent.parent if path.parent.name == ".libs" else path.parent
    beside = folder / f"{path.stem}.lo"
    with suppress(OSError), beside.open("rb") as stream:
        if _LIBTOOL in stream.read(_HEAD):
            yield beside
