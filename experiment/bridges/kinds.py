"""Recognise which tool wrote a file by its first bytes; the module that reads it is imported on demand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final, Literal, NamedTuple

from ...errors import InputError
from ..experiment import Experiment
from ..source import Source
from . import folded, perf_lines
from .damage import damaged_parts

__all__ = ["FOLDERS", "HEAD", "KINDS", "FolderKind", "Kind", "is_foreign_folder", "read_foreign", "read_foreign_folder"]

_PLAIN: Final = (
    "darshan",
    "hpctoolkit",
    "hpctoolkit_database",
    "otf2",
)  # modules for files that cannot be gzipped: other libraries open them by name, or they belong to a set of files
HEAD: Final = 4096  # number of bytes from which a file is recognised

_TAU: Final = re.compile(rb"\d+ templated_functions")
_DARSHAN: Final = 6567223  # the magic number that follows the version of a log
_ORDERS: Final[tuple[Literal["little", "big"], ...]] = ("little", "big")


class Kind(NamedTuple):
    """A kind of file.

    Attributes:
        name: The kind's name in messages.
        module: The module whose ``read`` converts a source to an experiment.
        begins: Returns whether a file with these first ``HEAD`` bytes is of this kind.
    """

    name: str
    module: str
    begins: Callable[[bytes], bool]


def _is_darshan(head: bytes) -> bool:
    return any(head[8:16] == _DARSHAN.to_bytes(8, order) for order in _ORDERS)


def _is_perf_script(head: bytes) -> bool:
    found = head.decode("utf-8", "replace").splitlines()
    printed = [line for line in found if line.strip() and not line.startswith("#")]
    if not printed:
        return any(map(perf_lines.is_header, found))  # the header may be longer than ``HEAD`` bytes
    # A line of prose may look like a sample, so the next line must also look like one. The last line may be cut off.
    following = printed[1:-1][:1]
    return perf_lines.head(printed[0]) is not None and all(map(perf_lines.is_sample, following))


def _is_folded(head: bytes) -> bool:
    return folded.begins(head.decode("utf-8", "replace"))


def _any_of(*patterns: str, names: str = ".*") -> Callable[[Path], bool]:
    return lambda folder: any(re.fullmatch(names, file.name) for each in patterns for file in folder.glob(each))


def _has_heading(*headings: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.lstrip().startswith(headings)


# All kinds of files; the first one that matches is used.
KINDS: Final = (
    Kind("an mpiP report", "mpip", _has_heading(b"@ mpiP")),
    Kind("a Darshan log", "darshan", _is_darshan),
    Kind("a gprof text", "gprof", _has_heading(b"Flat profile:", b"Call graph")),
    Kind("a Caliper profile", "caliper", lambda head: head.startswith(b"__rec=")),
    Kind("an HPCToolkit database", "hpctoolkit", lambda head: b"<!DOCTYPE HPCToolkitExperiment" in head),
    Kind("an HPCToolkit database", "hpctoolkit_database", lambda head: head.startswith(b"HPCTOOLKITmeta")),
    Kind("an OTF2 archive", "otf2", lambda head: head[1:].startswith(b"BOTF2")),
    Kind("a TAU profile", "tau", lambda head: bool(_TAU.match(head))),
    Kind("folded stacks", "folded", _is_folded),
    Kind("a perf script text", "perf_script", _is_perf_script),
    Kind(
        "a JSON profile from Caliper or a Chrome trace",
        "json_profile",
        lambda head: head.lstrip()[:1] in (b"{", b"["),
    ),
)


# First bytes of a file that must be converted to text by its tool → its kind, and the command that converts it.
_RECORDINGS: Final = {
    b"gmon": ("gprof data of a program (such as ./app)", "gprof ./app {file} > profile.txt"),
    b"PERFILE2": ("perf data", "perf script -F +pid -i {file} > profile.txt"),
}


class FolderKind(NamedTuple):
    """A kind of folder.

    Attributes:
        name: The kind's name in messages.
        module: The module whose ``read_folder`` converts the folder to an experiment.
        holds: Returns whether a folder is of this kind, judging by the names of its files.
    """

    name: str
    module: str
    holds: Callable[[Path], bool]


FOLDERS: Final = (
    FolderKind(
        "a folder of TAU profiles",
        "tau",
        _any_of("profile.*", "MULTI__*/profile.*", names=r"profile\.\d+\.\d+\.\d+"),
    ),
    FolderKind("an HPCToolkit database", "hpctoolkit", _any_of("*.metric-db", "meta.db")),
    FolderKind("an OTF2 archive", "otf2", _any_of("traces.otf2")),
)


def is_foreign_folder(path: Path) -> bool:
    """Return whether a folder was written by another tool."""
    return path.is_dir() and any(each.holds(path) for each in FOLDERS)


def read_foreign_folder(path: Path) -> Experiment:
    """Read another tool's folder, for which ``is_foreign_folder`` must be true.

    Raises:
        InputError: A file is damaged, or the package that reads the files is not installed.
    """
    kind = next(each for each in FOLDERS if each.holds(path))
    with damaged_parts(path, kind.name):
        return _of_module(kind, "read_folder", path)


def read_foreign(source: Source) -> Experiment | None:
    """Read another tool's profile; return None if the file is of no known kind.

    Raises:
        InputError: The file is damaged, does not distinguish ranks, or must be converted by its tool, or the package
            that reads the file is not installed.
    """
    head = source.read(0, HEAD)
    kind = next((each for each in KINDS if each.begins(head)), None)
    if kind is None:
        _refuse_recording(head, source.path)
        return None
    with damaged_parts(source.path, kind.name):
        if source.packed and kind.module in _PLAIN:
            raise InputError(f"expected {kind.name}, found a file compressed with gzip; run gunzip first")
        return _of_module(kind, "read", source)


def _refuse_recording(head: bytes, path: Path) -> None:
    for start, (name, command) in _RECORDINGS.items():
        if head.startswith(start):
            way = command.format(file=shlex.quote(str(path)))
            raise InputError(f"{path}: expected a profile, found {name}; convert the data to text with: {way}")


def _of_module(kind: Kind | FolderKind, reader: str, what: Source | Path) -> Experiment:
    found: Experiment = getattr(import_module(f".{kind.module}", __package__), reader)(what)
    return found
