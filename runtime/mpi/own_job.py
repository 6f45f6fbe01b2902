"""Join the MPI job of this process, if a launcher has started several processes of this program."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from ctypes import CDLL
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from ...cache_place import cache_name
from ...errors import InputError
from .compiler import mpi_compilers
from .long_wait import said_if_long

__all__ = ["Started", "begin_mpi", "check_together", "mpich_environment", "started_processes", "use_mpich"]

# Variable with the number of processes → variable with this process's rank.
_VARIABLES: Final = {
    "OMPI_COMM_WORLD_SIZE": "OMPI_COMM_WORLD_RANK",
    "PMI_SIZE": "PMI_RANK",
    "SLURM_STEP_NUM_TASKS": "SLURM_PROCID",
}
_OF_MPICH: Final = "PMI_SIZE"
_NAME: Final = "libmpi.so.12"  # the name of MPICH's library that mpi4py loads; Debian's library has a different name
_CHOICE: Final = "MPI4PY_MPIABI"
_PATIENCE: Final = 20.0  # seconds until the first process reports that it is waiting
_PATIENCE_OF_OTHERS: Final = 60.0  # seconds until other processes report that they wait, in case rank 0 is missing


@dataclass(frozen=True, slots=True)
class Started:
    """This process's position among the processes that a launcher has started together.

    Attributes:
        rank: The process's rank.
        size: The number of processes.
        by_mpich: Whether the launcher belongs to an MPI library that is compatible with MPICH.
    """

    rank: int
    size: int
    by_mpich: bool


def started_processes() -> Started | None:
    """Return this process's position among the processes started together; None if it is alone."""
    for of_size, of_rank in _VARIABLES.items():
        size, rank = os.environ.get(of_size, ""), os.environ.get(of_rank, "")
        if size.isdigit() and rank.isdigit():
            return Started(int(rank), int(size), of_size == _OF_MPICH) if int(size) > 1 else None
    return None


def begin_mpi(started: Started, otherwise: str) -> Any:
    """Initialise MPI; return the communicator of all processes started together, which must all call this function.

    Args:
        started: This process's position among the processes started together.
        otherwise: What to do if only one process was meant to be started, for the message.

    Raises:
        InputError: The launcher does not belong to the MPI library of mpi4py, so each process is alone.
    """
    if started.by_mpich:
        use_mpich()
    others = "other process" if started.size == 2 else f"other {started.size - 1} processes"
    said = (
        f"autoanalyzer: process {started.rank} of a job waits for the {others} to start the same command; {otherwise}"
    )
    with said_if_long(said, _PATIENCE_OF_OTHERS if started.rank else _PATIENCE):
        from mpi4py import MPI  # noqa: PLC0415 - starts MPI

    check_together(MPI.COMM_WORLD)
    return MPI.COMM_WORLD


def check_together(communicator: Any) -> None:
    """Check that this process is not alone in MPI although a launcher has started several processes.

    Raises:
        InputError: The launcher belongs to a different MPI, so each process is alone.
    """
    from mpi4py import MPI  # noqa: PLC0415 - starts MPI

    started = started_processes()
    if started and communicator.Get_size() < started.size:
        raise InputError(
            f"expected {started.size} processes in one MPI_COMM_WORLD, found each in its own MPI_COMM_WORLD; the "
            f"launcher does not belong to {MPI.get_vendor()[0]}, which mpi4py uses; srun may need --mpi=pmix"
        )


def use_mpich(library: Path | None = None) -> None:
    """Make mpi4py use a library compatible with MPICH; if the loader does not find the library, restart this program.

    mpi4py loads the library by the name in MPICH's ABI, but Debian's library has a different name.

    Args:
        library: The library; None for the library of the first such MPI on this machine.

    Raises:
        InputError: There is no such library, or no folder for a link with the expected name can be written.
    """
    if _CHOICE in os.environ:
        return
    with suppress(OSError):
        CDLL(_NAME)
        os.environ[_CHOICE] = "mpich"
        return
    if library is None:
        library = next((each.library.path for each in mpi_compilers(os.environ) if not each.library.is_open_mpi), None)
    if library is None:
        raise InputError(
            f"this process was started by MPICH's launcher, but neither the library of MPICH ({_NAME}) "
            "nor its mpicc was found"
        )
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], mpich_environment(library, os.environ))


def mpich_environment(library: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which mpi4py loads a library compatible with MPICH under the expected name.

    Args:
        library: The library.
        environment: The environment to extend.

    Raises:
        InputError: The cache cannot be written.
    """
    links = Path(cache_name(environment), "mpi4py", sha256(bytes(library)).hexdigest()[:16])
    try:
        links.mkdir(parents=True, exist_ok=True)
        if os.path.realpath(links / _NAME) != str(library.resolve()):
            link = links / f"{_NAME}.{os.getpid()}"
            link.symlink_to(library)
            link.replace(links / _NAME)
    except OSError as error:
        raise InputError(f"{links}: cannot be written: {error.strerror}; set AUTOANALYZER_CACHE") from None
    paths = [str(links), *filter(None, [environment.get("LD_LIBRARY_PATH")])]
    return {**environment, "LD_LIBRARY_PATH": ":".join(paths), _CHOICE: "mpich"}
