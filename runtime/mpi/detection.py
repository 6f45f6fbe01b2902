"""Find the MPI library that a launch command will use."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..answer import answer
from .compiler import mpi_compilers
from .library import MpiLibrary, linked_mpi

__all__ = ["Mpi", "find_mpi"]

_OPENMPI_LAUNCHER: Final = re.compile(r"(mpirun|mpiexec|orterun|prterun)\b")
_LAUNCHER: Final = re.compile(r"(mpirun|mpiexec|orterun|prterun|prun|srun|aprun|jsrun|ibrun)\b")
_PYTHON: Final = re.compile(r"python[\d.]*$")
# Only the package is imported, which chooses one of its modules; MPI is not initialised.
_QUESTION: Final = "import importlib.util as u; print(u.find_spec('mpi4py.MPI').origin)"
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")  # a variable's assignment, as after env or -x


@dataclass(frozen=True, slots=True)
class Mpi:
    """The MPI under which a command runs.

    Attributes:
        library: The MPI library of the command's programs; None if they use none.
        launcher: The word of the command that starts ranks; empty if there is none.
    """

    library: MpiLibrary | None
    launcher: str = ""

    @property
    def openmpi_launcher(self) -> str:
        """The launcher if it is Open MPI's own, which takes ``-x``; empty for others (``srun`` starts any MPI)."""
        own = _OPENMPI_LAUNCHER.match(Path(self.launcher).name)
        return self.launcher if own and _is_open_mpi(self.launcher, os.environ) else ""


def find_mpi(command: Sequence[str], environment: Mapping[str, str] = os.environ) -> Mpi:
    """Find the MPI library of a command such as ``mpirun -n 4 env A=1 ./app : -n 1 ./other``.

    The first file in the command that is linked to an MPI library determines the result; wrappers such as ``env``,
    scripts and ``sh -c`` are skipped. Python loads MPI late, so the interpreter is asked where its mpi4py is. If no
    file is linked to an MPI library, the kind of launcher determines the result.
    """
    launcher, library = _launcher(command, environment)
    if library:
        return Mpi(library)
    told = {**environment, **dict(word.split("=", 1) for word in command if _ASSIGNMENT.match(word))}
    for program in _programs(command, environment):
        if library := linked_mpi(program, environment) or _mpi_of_python(program, told):
            return Mpi(library, launcher)
    return Mpi(_library_of_launcher(launcher, environment), launcher)


def _launcher(command: Sequence[str], environment: Mapping[str, str]) -> tuple[str, MpiLibrary | None]:
    """Return a command's launcher, or the MPI library of a program that is started without a launcher."""
    for word in command:
        if _LAUNCHER.match(Path(word).name):
            return word, None
        found = shutil.which(word, path=environment.get("PATH"))
        if found and (library := linked_mpi(Path(found), environment)):
            return "", library
    return "", None


def _programs(words: Sequence[str], environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield the executable files that a command names, including those in the text after ``sh -c``."""
    for place, word in enumerate(words):
        if place and words[place - 1] == "-c" and " " in word:
            yield from _programs(_split(word), environment)
        elif not word.startswith("-") and (path := shutil.which(word, path=environment.get("PATH"))):
            yield Path(path)
        elif os.access(word, os.X_OK) and Path(word).is_file():  # mpirun searches the current folder, too
            yield Path(word)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


def _library_of_launcher(launcher: str, environment: Mapping[str, str]) -> MpiLibrary | None:
    """Return the library of the first available compiler that fits the launcher, or of any compiler if none fits."""
    wants_open_mpi = _is_open_mpi(launcher, environment) if launcher else None
    for compiler in mpi_compilers(environment, launcher=launcher):
        if wants_open_mpi is None or compiler.library.is_open_mpi == wants_open_mpi:
            return compiler.library
    return None


def _is_open_mpi(launcher: str, environment: Mapping[str, str]) -> bool | None:
    """Return whether a launcher is Open MPI's, according to its output; None if unknown (srun starts any MPI)."""
    said = answer([launcher, "--version"], environment) or ""
    if re.search(r"open ?mpi|open-mpi|prte", said, re.IGNORECASE):
        return True
    return False if re.search(r"hydra|mpich|intel", said, re.IGNORECASE) else None


def _mpi_of_python(program: Path, environment: Mapping[str, str]) -> MpiLibrary | None:
    """Return the MPI library of an interpreter's mpi4py; None if there is no interpreter or mpi4py."""
    said = answer([program, "-c", _QUESTION], environment) if _PYTHON.match(program.name) else None
    module = Path((said or "").strip())
    return linked_mpi(module, environment) if module.is_file() else None
