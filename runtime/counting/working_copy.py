"""Copy a working directory, so that a program may overwrite the copy."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...errors import InputError
from ...temporary_folder import owned_prefix
from ..launch import ended_in_order

__all__ = ["working_copy"]

_LARGEST: Final = 4 << 30  # bytes; larger folders are not copied


@contextmanager
def working_copy(
    folder: Path,
    leave_out: Path,
    command: Sequence[str] = (),
    *,
    scratch: Path | None = None,
    told: Callable[[int], object] | None = None,
) -> Iterator[Path]:
    """Yield a copy of a folder, and remove it afterwards, even if a signal ends the block.

    Files outside the folder that the command names by relative paths are available at the same relative paths::

        case/run  $ mpirun -n 4 ../app ../in.txt          COPY/case/run    copied
                                                          COPY/case/app    a link
                                                          COPY/case/in.txt copied

    Files behind links are copied, because a program would write through the link. Links to folders stay links: to the
    copy if they lead into the folder, otherwise to the original. Sockets and pipes are omitted. The command's own
    programs become links, because they may search for libraries relative to their location (``$ORIGIN``).

    Args:
        folder: The folder to copy.
        leave_out: A file or folder in ``folder`` that is not copied.
        command: The command to run in the copy.
        scratch: The folder in which the copy is made; None for the folder of temporary files.
        told: Progress callback; receives the number of bytes before they are copied.

    Raises:
        InputError: The folder is too large or cannot be copied, or the command names a folder that contains it.
    """
    folder = Path(os.path.realpath(folder))
    programs = frozenset(path for _, path in _named(folder, command) if _is_binary(path))
    beside = _beside(folder, command)
    anchor = os.path.commonpath([folder.parent, *(path.parent for path in beside)])
    with ended_in_order(), _temporary_folder(scratch) as root:
        left_out = (Path(os.path.realpath(leave_out)), root)
        tree = _Tree(folder, root / folder.relative_to(anchor), left_out, programs)
        try:
            size = tree.size(folder, *beside)
            if told:
                told(size)
            tree.copy(folder, tree.target)
            for path in beside:
                tree.place(path, root / path.relative_to(anchor))
        except OSError as error:
            raise InputError(
                f"{folder}: cannot be copied: {error}; choose another folder with --counting-dir"
            ) from None
        yield tree.target


def _named(folder: Path, command: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the relative paths in a command, in words such as ``../in`` or ``--in=../in``, and their files."""
    for text in (part for word in command for part in (word, word.partition("=")[2])):
        path = Path(os.path.normpath(folder / text))
        if text and not Path(text).is_absolute() and os.access(path, os.F_OK):
            yield text, path


def _beside(folder: Path, command: Sequence[str]) -> list[Path]:
    """Return the files outside a folder that a command names.

    Raises:
        InputError: The command names a folder that contains ``folder``.
    """
    found: dict[Path, None] = {}
    for text, path in _named(folder, command):
        if folder != path and folder.is_relative_to(path):
            raise InputError(
                f"{text}: contains the working directory, which the counting run copies; choose a prepared folder with "
                "--counting-dir"
            )
        if not path.is_relative_to(folder):
            found[path] = None
    return list(found)


def _is_binary(path: Path) -> bool:
    """Return whether a file is a program or a library, by its content."""
    return _start(path) == b"\x7fELF"


def _is_script(path: Path) -> bool:
    return os.access(path, os.X_OK) and _start(path).startswith(b"#!")


def _start(path: Path) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as stream:
        return stream.read(4)


@contextmanager
def _temporary_folder(scratch: Path | None) -> Iterator[Path]:
    try:
        if scratch:
            scratch.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix=owned_prefix("counting"), dir=scratch, ignore_cleanup_errors=True)
    except OSError as error:
        raise InputError(f"cannot create a folder for the counting run: {error}; choose one with --scratch") from None
    with folder as name:
        yield Path(os.path.realpath(name))


@dataclass(frozen=True, slots=True)
class _Tree:
    """A folder and its copy.

    Attributes:
        source: The folder.
        target: The copy of the folder.
        left_out: Paths that are not copied, including the copy itself, which may be inside the folder.
        programs: Files that become links to the originals.
    """

    source: Path
    target: Path
    left_out: tuple[Path, ...]
    programs: frozenset[Path]

    def size(self, *paths: Path) -> int:
        """Return the size of a copy in bytes.

        Raises:
            InputError: The copy is too large.
        """
        size = 0
        for path in paths:
            for file in self._files(path):
                size += file.stat().st_size
                if size > _LARGEST:
                    raise InputError(
                        f"{self.source}: more than {_LARGEST >> 30} GiB, too much to copy; choose a prepared folder "
                        "with --counting-dir, or count in place with --no-copy"
                    )
        return size

    def copy(self, folder: Path, target: Path) -> None:
        target.mkdir(parents=True, exist_ok=True)
        for path in self._entries(folder):
            place = target / path.name
            if path in self.programs:
                place.symlink_to(path)
            elif path.is_file():
                shutil.copy2(path, place)
            elif path.is_symlink():
                place.symlink_to(self._destination(path))
            elif path.is_dir():
                self.copy(path, place)

    def place(self, path: Path, target: Path) -> None:
        """Put a file beside the copy; programs and scripts become links, so that they find their files."""
        if path.is_dir():
            self.copy(path, target)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if _is_binary(path) or _is_script(path):
            target.symlink_to(path)
        elif path.is_file():
            shutil.copy2(path, target)

    def _entries(self, folder: Path) -> Iterator[Path]:
        return (path for path in sorted(folder.iterdir()) if path not in self.left_out)

    def _files(self, path: Path) -> Iterator[Path]:
        """Yield the files to copy."""
        if path.is_file():
            yield path
        elif path.is_dir() and not path.is_symlink():
            for entry in self._entries(path):
                yield from self._files(entry)

    def _destination(self, link: Path) -> Path:
        destination = Path(os.path.realpath(link))
        inside = destination.is_relative_to(self.source)
        return self.target / destination.relative_to(self.source) if inside else destination
