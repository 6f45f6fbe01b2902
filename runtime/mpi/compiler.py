"""The MPI compilers of this machine, and the library that each links to."""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import BuildError
from ...temporary_folder import owned_prefix
from ..answer import answer
from .library import MpiLibrary, linked_mpi

__all__ = ["MpiCompiler", "compiler_of", "examine", "mpi_compilers"]

_FORTRAN = re.compile(r"fort|f(77|90|95|08)|ftn|ifx|xlf|flang")
_CXX = re.compile(r"^(mpi(c\+\+|cxx|CC|icpc|icpx)|CC$)")
_C_OF_OTHERS = (
    *(("mpiifort", "mpiicc"), ("mpiifx", "mpiicx"), (r"mpif(ort|77|90|08)", "mpicc"), ("^ftn$", "cc")),
    *(("mpiicpc", "mpiicc"), ("mpiicpx", "mpiicx"), (r"mpi(c\+\+|cxx|CC)", "mpicc"), ("^CC$", "cc")),
)
_PATIENCE = 300  # seconds, of a busy disk
_PROGRAM = "#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n"


@dataclass(frozen=True, slots=True)
class MpiCompiler:
    """A C compiler that finds ``mpi.h``, and what it links to."""

    command: tuple[str, ...]
    library: MpiLibrary


def mpi_compilers(
    environment: Mapping[str, str], *, launcher: str = "", library: MpiLibrary | None = None
) -> Iterator[MpiCompiler]:
    """The working MPI compilers at hand, the likeliest first.

    Args:
        environment: Where ``AUTOANALYZER_CC`` and ``PATH`` are taken from. If it names a compiler of C++ or
            Fortran, that of C beside it comes first, and a Fortran compiler itself, which may understand C, last.
        launcher: A program such as ``mpirun.mpich``: the compiler beside it comes early.
        library: A library that is looked for: the compilers beside it come early too.
    """
    seen = set()
    for command in _candidates(environment, launcher, library):
        path = shutil.which(command[0], path=environment.get("PATH")) if command else None
        if path is None or (path, *command[1:]) in seen:
            continue
        seen.add((path, *command[1:]))
        if compiler := examine((path, *command[1:]), environment):
            yield compiler


def compiler_of(
    library: MpiLibrary, environment: Mapping[str, str], *, launcher: str = "", purpose: str
) -> tuple[str, ...]:
    """Return the words of the compiler that links an MPI library.

    Args:
        library: Which.
        environment: As for ``mpi_compilers``.
        launcher: The same.
        purpose: What needs it, for the error.

    Raises:
        BuildError: None of those at hand does.
    """
    found = []
    for compiler in mpi_compilers(environment, launcher=launcher, library=library):
        if compiler.library.path == library.path:
            return compiler.command
        found.append(compiler.command[0])
    raise BuildError(
        f"{purpose} needs the MPI compiler that links {library.path}, found {', '.join(found) or 'none'}: "
        "set AUTOANALYZER_CC to it"
    )


def _candidates(environment: Mapping[str, str], launcher: str, library: MpiLibrary | None) -> Iterator[Sequence[str]]:
    named = shlex.split(environment.get("AUTOANALYZER_CC", ""))
    is_fortran = any(_FORTRAN.search(Path(word).name) for word in named[:1])
    is_cxx = any(_CXX.search(Path(word).name) for word in named[:1])
    yield _of_c(named, environment) if is_fortran or is_cxx else named
    if launcher:
        path = Path(shutil.which(launcher, path=environment.get("PATH")) or launcher)
        sibling = re.sub(r"^(mpirun|mpiexec|orterun|prterun)(\.hydra)?", "mpicc", path.name)
        yield [str(path.with_name(sibling))]
    if library:
        for folder in library.path.parents[1:3]:
            yield [str(folder / "bin" / "mpicc")]
    for name in ("mpicc", "mpicc.openmpi", "mpicc.mpich", "mpiicx", "mpiicc", "cc"):  # cc: on Cray systems
        yield [name]
    if is_fortran:
        yield named


def _of_c(command: Sequence[str], environment: Mapping[str, str]) -> Sequence[str]:
    """The C compiler beside one of C++ or Fortran: ``mpifort.mpich`` → ``mpicc.mpich``."""
    path = Path(shutil.which(command[0], path=environment.get("PATH")) or command[0])
    name = path.name
    for other, c in _C_OF_OTHERS:
        name = re.sub(other, c, name)
    return [str(path.with_name(name)), *command[1:]] if name != path.name else []


def examine(command: Sequence[str], environment: Mapping[str, str]) -> MpiCompiler | None:
    """Find out what a compiler links to by letting it link a program; None if it cannot or links no MPI."""
    with tempfile.TemporaryDirectory(prefix=owned_prefix("mpi")) as folder:
        source = Path(folder, "mpi.c")
        source.write_text(_PROGRAM)
        program = Path(folder, "mpi")
        if answer([*command, source, "-o", program], environment, patience=_PATIENCE) is None:
            return None
        library = linked_mpi(program, environment)
    return MpiCompiler(tuple(command), library) if library else None
