"""Find and read source files on the reader's machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from .place import visible

__all__ = ["LARGEST", "SourceFile", "candidates", "find_source", "is_source", "places_to_look", "read_source"]

LARGEST: Final = 4 << 20  # maximum size in bytes of a source file to read; larger files are generated code
# File types of sources. A malicious experiment could name other files, which must not get into a page.
_KINDS: Final = re.compile(
    r"\.(c|cc|cp|cxx|cpp|c\+\+|i|ii|h|hh|hpp|hxx|inl|ipp|tpp|inc|f|for|ftn|fpp|f\d\d|cu|cuh|py|pyx)$", re.I
)
_UP: Final = 6  # number of parent folders of an experiment that are searched for sources


@dataclass(frozen=True)
class SourceFile:
    """A source file of a program.

    Attributes:
        name: Name of the file on the compiler's command line.
        path: Path of the file on this machine; None if it was not found.
        lines: The lines of the file, without newlines; empty if it could not be read.
        warning: Why the file could not be read, or another warning; empty if there is none.
    """

    name: str
    path: Path | None
    lines: tuple[str, ...] = ()
    warning: str = ""


def places_to_look(experiment: Path) -> tuple[Path, ...]:
    """Return the folders in which to search for sources: the working directory, and the experiment's parent folders."""
    above = [*experiment.resolve().parents][:_UP]
    return tuple(dict.fromkeys([Path.cwd(), *above]))


def find_source(name: str, folders: Sequence[Path], measured: float | None = None) -> SourceFile:
    """Find and read a source file by its name on the compiler's command line.

    Args:
        name: The name, absolute or relative; its outer folders may have other names on this machine.
        folders: Folders to search, in this order.
        measured: Time of the experiment in seconds since 1970; if the file was changed later, it gets a warning.
    """
    if not is_source(name):
        return SourceFile(name, None, (), f"{visible(name)} does not look like a source file")
    path = next((each for each in candidates(name, folders) if _is_file(each)), None)
    if path is None:
        looked = visible(", ".join(map(str, folders[:2])))
        above = len(folders) - 2
        more = f" and {above} parent folder{'s' * (above > 1)}" if above > 0 else ""
        return SourceFile(name, None, (), f"{visible(name)} was not found below {looked}{more}")
    found = read_source(name, path)
    if measured is not None and not found.warning and path.stat().st_mtime > measured:
        return replace(found, warning=f"{visible(name)} was changed after the run: lines may have moved")
    return found


def read_source(name: str, path: Path) -> SourceFile:
    """Read a source file.

    Args:
        name: Name of the file on the compiler's command line.
        path: Path of the file on this machine.
    """
    try:
        state = path.stat()
        if state.st_size > LARGEST:
            return SourceFile(name, path, (), f"{visible(name)} is {state.st_size >> 20} MiB: too large to show")
        return SourceFile(name, path, tuple(map(_shown, _decoded(path.read_bytes()).splitlines())))
    except OSError as error:
        return SourceFile(name, path, (), f"{visible(name)}: {error.strerror}")


def is_source(name: str) -> bool:
    """Return whether a file has the name of a source file."""
    return bool(_KINDS.search(name))


def candidates(name: str, folders: Sequence[Path]) -> list[Path]:
    """Return the possible paths of a file, the most likely first.

    Args:
        name: The name on the compiler's command line; its outer folders may have other names on this machine.
        folders: Folders to search, in this order.
    """
    path = Path(name)
    parts = path.parts[1:] if path.is_absolute() else path.parts
    parts = tuple(part for part in parts if part != "..")
    below = [folder.joinpath(*parts[start:]) for start in range(len(parts)) for folder in folders]
    return [path, *below] if path.is_absolute() else below


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # not a valid file name
        return False


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _shown(line: str) -> str:
    return "\t".join(map(visible, line.split("\t")))
