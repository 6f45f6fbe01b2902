"""Find this machine's MPI compilers, and the library that each links."""

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
_PATIENCE = 300  # seconds, enough for a busy disk
_PROGRAM = "#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n"


@dataclass(frozen=True, slots=True)
class MpiCompiler:
    """A C compiler that finds ``mpi.h``, and the MPI library that it links."""

    command: tuple[str, ...]
    library: MpiLibrary


def mpi_compilers(
    environment: Mapping[str, str], *, launcher: str = "", library: MpiLibrary | None = None
) -> Iterator[MpiCompiler]:
    """Yield the working MPI compilers, the most likely ones first.

    Args:
        environment: Provides ``AUTOANALYZER_CC`` and ``PATH``. If the variable names a C++ or Fortran compiler, the C
            compiler in the same folder comes first. A Fortran compiler comes last, because it may also accept C.
        launcher: A program such as ``mpirun.mpich``; the compiler in the same folder comes early.
        library: The library that the compiler should link; the compilers installed with it come early, too.
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
    """Return the command of the compiler that links an MPI library.

    Args:
        library: The library.
        environment: As for ``mpi_compilers``.
        launcher: As for ``mpi_compilers``.
        purpose: The purpose of the build, for the error.

    Raises:
        BuildError: No available compiler links the library.
    """
    found = []
    for compiler in mpi_compilers(environment, launcher=launcher, library=library):
        if compiler.library.path == library.path:
            return compiler.command
        found.append(compiler.command[0])
    raise BuildError(
        f"{purpose} needs the MPI compiler that links {library.path}, found {', '.join(found) or 'none'}; set "
        "AUTOANALYZER_CC to the compiler that links this library"
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
    """Return the C compiler that belongs to a C++ or Fortran compiler: ``mpifort.mpich`` → ``mpicc.mpich``."""
    path = Path(shutil.which(command[0], path=environment.get("PATH")) or command[0])
    name = path.name
    for other, c in _C_OF_OTHERS:
        name = re.sub(other, c, name)
    return [str(path.with_name(name)), *command[1:]] if name != path.name else []


def examine(command: Sequence[str], environment: Mapping[str, str]) -> MpiCompiler | None:
    """Return a compiler with the MPI library that it links, determined by linking a program; None if it links none."""
    with tempfile.TemporaryDirectory(prefix=owned_prefix("mpi")) as folder:
        source = Path(folder, "mpi.c")
        source.write_text(_PROGRAM)
        program = Path(folder, "mpi")
        if answer([*command, source, "-o", program], environment, patience=_PATIENCE) is None:
            return None
        library = linked_mpi(program, environment)
    return MpiCompiler(tuple(command), library) if library else None
