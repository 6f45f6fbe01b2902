"""Identify what affects an object besides the command and files: this package, its settings, and the environment.

Cached compiles need this first and must be fast, so this module imports little.
"""

from __future__ import annotations

import os
import sys

from ..digests import content_of
from .plan_file import find_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Final

__all__ = ["compiler_environment", "fingerprint", "found_program", "processor", "program_states"]

_PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_ROOMS: Final = (
    *("instrument", "instrument/c_family", "instrument/c_family/clang", "instrument/c_family/pycparser"),
    "instrument/fortran",
    *("experiment", "experiment/plan"),
)
_PREFIX: Final = "AUTOANALYZER_"
_NO_SETTING: Final = ("CACHE", "INSIDE", "SHARDS", "PRODUCTS", "MAX_", "COUNTERS", "EVENTS", "CPU_CLOCK")
# Environment variables that compilers and their MPI wrappers read.
_MEANINGFUL: Final = frozenset(["PATH", "CPATH", "SOURCE_DATE_EPOCH"])
_MEANINGFUL_STARTS: Final = ("LANG", "LC_", "I_MPI_")
_VENDORS: Final = frozenset(
    "OMPI OPAL MPICH MPI CRAY PE GCC GFORTRAN CLANG CCC NVHPC SPACK SDKROOT".split()  # noqa: SIM905
)
_CPUINFO: Final = "/proc/cpuinfo"
_CPU_LINES: Final = (b"vendor", b"cpu family", b"model", b"stepping", b"flags", b"CPU ", b"Features")


def fingerprint(words: Iterable[str]) -> Iterator[str | bytes]:
    """Yield texts that change whenever a command would produce a different object from the same files.

    Our own code files are identified by size and time, because different states of a checkout have the same version.

    Args:
        words: The command.

    Raises:
        OSError: The plan cannot be read, or the working folder was removed.
    """
    yield from (os.getcwd(), sys.version, str(os.isatty(2)))
    yield from compiler_environment()
    yield from (f"{name}={value}" for name, value in sorted(os.environ.items()) if _is_setting(name))
    if plan := find_plan():
        yield from (content_of(plan.path), plan.name)
    for room in _ROOMS:
        yield from sorted(_state(entry.name, entry.stat()) for entry in _files(room))
    if any(word.endswith("=native") for word in words):
        yield processor()


def compiler_environment() -> list[str]:
    """Return the variables that compilers read, with their values."""
    return [f"{name}={value}" for name, value in sorted(os.environ.items()) if _is_meaningful(name)]


def program_states(programs: Iterable[str]) -> list[str]:
    """Return the path, size and time of each program among some words of a command; other words are skipped."""
    paths = filter(None, map(found_program, programs))
    return [_state(os.path.realpath(path), os.stat(path)) for path in paths]


def found_program(name: str) -> str | None:
    """Return the path of a program, looked up as in a shell, or None if it is not found."""
    if "/" in name:
        return name if _is_program(name) else None
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return next(filter(_is_program, (os.path.join(folder, name) for folder in folders)), None)


def _is_program(path: str) -> bool:
    return os.access(path, os.X_OK) and os.path.isfile(path)


def _is_setting(name: str) -> bool:
    return name.startswith(_PREFIX) and not name.startswith(_NO_SETTING, len(_PREFIX))


def _is_meaningful(name: str) -> bool:
    named = name in _MEANINGFUL or name.endswith("_PATH") or name.startswith(_MEANINGFUL_STARTS)
    return named or name.partition("_")[0] in _VENDORS


def _files(room: str) -> Iterator[os.DirEntry[str]]:
    return (entry for entry in os.scandir(os.path.join(_PACKAGE, room)) if entry.is_file())


def _state(name: str, status: os.stat_result) -> str:
    return f"{name} {status.st_size} {status.st_mtime_ns}"


def processor() -> bytes:
    """Return a description of the processor, on which ``-march=native`` depends."""
    lines = content_of(_CPUINFO).partition(b"\n\n")[0].splitlines()
    return b"\n".join(line for line in lines if line.startswith(_CPU_LINES))
