"""Find the MPI libraries on ``PATH``, with their compilers and launchers."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..runtime.mpi.compiler import examine
from ..runtime.mpi.library import MpiLibrary

__all__ = ["Family", "Launcher", "find_families", "find_launchers"]

# The compilers that aa-mpicc, aa-mpicxx and aa-mpifort call by default, and other names of MPI compilers.
_USUAL: Final = {"AUTOANALYZER_CC": "mpicc", "AUTOANALYZER_CXX": "mpicxx", "AUTOANALYZER_FC": "mpifort"}
_OTHERS: Final = (
    ("mpicc.openmpi", "mpicxx.openmpi", "mpifort.openmpi"),
    ("mpicc.mpich", "mpicxx.mpich", "mpifort.mpich"),
    ("mpiicx", "mpiicpx", "mpiifx"),
    ("mpiicc", "mpiicpc", "mpiifort"),
)
_CRAY: Final = ("CRAYPE_VERSION", ("cc", "CC", "ftn"))  # if this variable is not set, cc is a compiler without MPI
_C: Final = re.compile(r"mpi(cc|icc|icx)$|mpi(cc)(?=\.)")
_JOB: Final = "SLURM_JOB_ID"
_LAUNCHERS: Final = ("mpirun", "mpiexec")
_MORE_LAUNCHERS: Final = ("mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra", "orterun", "prterun")


@dataclass(frozen=True, slots=True)
class Family:
    """The compilers of one MPI library, and the launcher for its programs.

    Attributes:
        c: The command line of the C compiler, as words.
        cxx: The command line of the C++ compiler.
        fortran: The command line of the Fortran compiler.
        library: The MPI library that the C compiler links; None if the compiler does not work.
        launcher: Name of the launcher, or its path if ``PATH`` finds another file; empty if there is none.
        is_usual: Whether ``aa-mpicc`` calls the C compiler.
    """

    c: tuple[str, ...]
    cxx: tuple[str, ...]
    fortran: tuple[str, ...]
    library: MpiLibrary | None
    launcher: str
    is_usual: bool

    @property
    def name(self) -> str:
        """The family's name, which is its C compiler."""
        return shlex.join(self.c)


@dataclass(frozen=True, slots=True)
class Launcher:
    """A launcher of MPI programs.

    Attributes:
        words: The command line that starts two processes.
        name: Name of the launcher.
        others: Other names of the same file.
    """

    words: tuple[str, ...]
    name: str
    others: tuple[str, ...] = ()


def find_families(environment: Mapping[str, str]) -> list[Family]:
    """Return the MPI libraries whose C compilers are on ``PATH``, beginning with the one that ``aa-mpicc`` uses.

    Args:
        environment: The user's environment.
    """
    usual = tuple(_words(environment, variable, name) for variable, name in _USUAL.items())
    others = [*_OTHERS, *([_CRAY[1]] if _CRAY[0] in environment else [])]
    sets = [usual, *(tuple((name,) for name in names) for names in others)]
    present = [each for each in sets if each[0] and shutil.which(each[0][0], path=environment.get("PATH"))]
    with ThreadPoolExecutor() as pool:
        examined = list(pool.map(lambda each: examine(each[0], environment), present))
    families: list[Family] = []
    for (c, cxx, fortran), compiler in zip(present, examined, strict=True):
        library = compiler.library if compiler else None
        if not any(_is_same(each, c, library) for each in families):
            launcher = _launcher(c, environment)
            families.append(Family(c, cxx, fortran, library, launcher, is_usual=c == usual[0]))
    return families


def find_launchers(environment: Mapping[str, str], families: Sequence[Family]) -> list[Launcher]:
    """Return the MPI launchers on ``PATH``. A file with several names is returned once, under its most common name."""
    names = dict.fromkeys([*_LAUNCHERS, *(each.launcher for each in families if each.launcher), *_MORE_LAUNCHERS])
    files: dict[str, list[str]] = {}
    for name in names:
        if path := shutil.which(name, path=environment.get("PATH")):
            files.setdefault(os.path.realpath(path), []).append(name)
    return [Launcher((name, "-n", "2"), name, tuple(others)) for name, *others in files.values()]


def _words(environment: Mapping[str, str], variable: str, usual: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(environment.get(variable, usual)))
    except ValueError:
        return ()


def _is_same(family: Family, c: tuple[str, ...], library: MpiLibrary | None) -> bool:
    if family.library and library:
        return family.library.path == library.path
    return os.path.realpath(shutil.which(family.c[0]) or "") == os.path.realpath(shutil.which(c[0]) or "")


def _launcher(c: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """Return the launcher in a compiler's folder, such as ``mpirun.mpich`` for ``mpicc.mpich``.

    If there is none, return the first of the usual launchers on ``PATH``; empty if there is none either.
    """
    search = environment.get("PATH")
    for word in c:
        if _C.search(Path(word).name):
            for name in _siblings(Path(word).name):
                plain = shutil.which(name, path=search)
                if os.sep not in word and plain:
                    return name
                beside = Path(shutil.which(word, path=search) or word).with_name(name)
                if os.access(beside, os.X_OK):
                    return str(beside)
    in_job = ["srun"] if _JOB in environment else []  # outside a job, srun would wait for nodes
    return next((name for name in (*_LAUNCHERS, *in_job) if shutil.which(name, path=search)), "")


def _siblings(name: str) -> Iterator[str]:
    for launcher in _LAUNCHERS:
        yield _C.sub(launcher, name)
