"""The job on the program's own nodes that brings shards together, started by the program's own launcher.

``mpirun -n 8 python -m autoanalyzer.runtime.gather FOLDER`` copies each shard that rank 0 cannot see into rank 0's
folder, and rank 0 merges them all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from ...atomic_file import replacing
from ...errors import InputError
from ..command import launcher_words
from ..failure_reason import failure_reason
from ..folder import RunFolder
from ..mpi.detection import find_mpi
from .shard_reader import used_part

__all__ = ["collect", "run_mpi_job"]

_TIMEOUT: Final = 600  # seconds without which a launcher that waits for nodes would hold the user up for ever
_LAUNCHED: Final = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")  # in which launchers say how many processes they start


def run_mpi_job(folder: RunFolder, command: Sequence[str]) -> str:
    """Gather by a job on the nodes of the program's.

    Returns:
        Empty if the folder has its experiment now; else what went wrong.
    """
    mpi = find_mpi(command)
    words = launcher_words(command, mpi.launcher)
    if words is None:
        return "the program's place in the command was not found"
    with TemporaryDirectory() as links:
        environment = dict(os.environ)
        if mpi.library is not None and not mpi.library.is_open_mpi:
            # mpi4py asks for MPICH's ABI name, which Debian's library does not bear.
            Path(links, "libmpi.so.12").symlink_to(mpi.library.path)
            paths = [links, *filter(None, [environment.get("LD_LIBRARY_PATH")])]
            environment |= {"LD_LIBRARY_PATH": ":".join(paths), "MPI4PY_MPIABI": "mpich"}
        job = [*words, sys.executable, "-W", "ignore", "-m", str(__package__), str(folder.path.resolve())]
        try:
            done = subprocess.run(
                job,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=_TIMEOUT,
            )
        except OSError as error:
            return f"{words[0]} cannot be started: {error.strerror}"
        except subprocess.TimeoutExpired:
            return f"it did not end within {_TIMEOUT} s"
    if done.returncode or not folder.experiment.exists():
        return failure_reason(done.stderr) or f"exit status {done.returncode}"
    return ""


def collect(communicator: Any, shards: Path) -> None:
    """Copy the shards that rank 0 does not see into its folder; collective.

    Any number of ranks will do. Of those that see the same folder the first alone looks into it.

    Raises:
        InputError: A launcher has started ranks of another MPI: each would merge all shards, and remove them.
    """
    started = max(int(os.environ.get(name) or 1) for name in _LAUNCHED)
    if communicator.Get_size() == 1 and started > 1:
        raise InputError(f"expected {started} processes in one MPI_COMM_WORLD, found each alone")
    places = communicator.allgather(_place(shards))
    rank = communicator.Get_rank()
    is_first = places.index(places[rank]) == rank
    names = sorted(file.name for file in shards.glob("*.shard")) if is_first else []
    seen: list[list[str]] | None = communicator.gather(names, root=0)
    senders: dict[str, int] = {}
    if seen is not None:
        here = set(seen[0])
        for sender, listed in enumerate(seen):
            for name in listed:
                if name not in here:
                    senders.setdefault(name, sender)
    senders = communicator.bcast(senders, root=0)
    for name, sender in sorted(senders.items()):
        if rank == sender:
            communicator.send(used_part(shards / name), dest=0)
        elif rank == 0:
            shards.mkdir(parents=True, exist_ok=True)
            with replacing(shards / name) as stream:
                stream.write(communicator.recv(source=sender))


def _place(folder: Path) -> tuple[str, int, int]:
    """Tell folders of different disks apart, whatever they are called; a shared one looks the same on no two nodes."""
    try:
        found = folder.stat()
    except OSError:
        return os.uname().nodename, 0, 0
    return os.uname().nodename, found.st_dev, found.st_ino
