"""Gathering what the processes of a run recorded: by MPI from all nodes, or from this disk.

Started by the program's own launcher, on the program's own nodes, as::

    mpirun -n 8 python -m autoanalyzer.runtime.gather FOLDER

it copies each shard that rank 0 cannot see into rank 0's folder, and rank 0 merges them all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from ..errors import InputError
from ..experiment import Experiment, load, save
from ..files import replacing
from .command import launcher_words
from .facts import RunFacts
from .folder import RunFolder
from .merge import count_alone, merge_shards
from .mpi import find_mpi
from .shard import Shard, read_shard
from .survivors import surviving_processes

__all__ = ["gather", "gather_here"]

_TIMEOUT: Final = 600  # seconds without which a launcher that waits for nodes would hold the user up for ever
_LAUNCHED: Final = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")  # in which launchers say how many processes they start


def gather(folder: RunFolder, facts: RunFacts, how: str = "auto") -> Experiment | None:
    """Gather a run's shards into its folder's experiment.

    Args:
        folder: The run's folder.
        facts: What the launcher knows.
        how: ``mpi``; ``plain``: from this disk; ``auto``: by MPI if the shards of some ranks are not on this disk.

    Returns:
        The experiment; None if no process recorded anything.
    """
    remarks: list[str] = []
    if how == "mpi" or (how == "auto" and _lacks_ranks(folder)):
        experiment, failure = _gather_by_mpi(folder, facts.command)
        if experiment is not None:
            return experiment
        remarks.append(f"the gather by MPI failed ({failure}): read from this machine's disk alone")
    return gather_here(folder, facts, remarks=remarks)


def gather_here(
    folder: RunFolder, facts: RunFacts | None = None, *, remarks: Sequence[str] = (), ended: bool = True
) -> Experiment | None:
    """Merge the shards on this disk into the folder's experiment, and remove them.

    A shard that cannot be read is named in the notes and kept, and the rest merged.

    Args:
        folder: The run's folder.
        facts: What the launcher knows; None for what it has left in the folder.
        remarks: What is to be said beside the data.
        ended: Whether the run is known to have ended; otherwise processes that still write are looked for.

    Returns:
        The experiment; None if there is no shard at all.

    Raises:
        InputError: There are shards, but none can be read, or a process still writes one; or the experiment cannot be
            written, and then all shards stay.
    """
    shards, broken = _read_all(folder)
    running = _still_running(folder, shards)
    if running and not ended:
        raise InputError(f"{folder.path}: a run that has ended wanted, but {running[0]} still runs; wait for it")
    if not shards:
        if broken:
            raise InputError(broken[0])
        return None
    latest = _latest_run(shards)
    if len(latest) < len(shards):
        remarks = [*remarks, f"{len(shards) - len(latest)} shards of an earlier run in this folder were left out"]
    remarks = [
        *remarks,
        *broken,
        *(
            f"{who} still runs: its data so far; once it has ended, autoanalyzer analyze {folder.path}"
            for who in running
        ),
    ]
    experiment = merge_shards(latest, facts or RunFacts.read(folder.shards), remarks=remarks)
    try:
        save(experiment, folder.experiment)
    except InputError as error:
        raise InputError(
            f"{error}; the data stay in {folder.shards}: make room, and autoanalyzer analyze {folder.path}"
        ) from None
    if not broken and not running:
        folder.remove_shards()
    return experiment


def _read_all(folder: RunFolder) -> tuple[list[Shard], list[str]]:
    shards: list[Shard] = []
    broken: list[str] = []
    for file in folder.shard_files():
        try:
            shards.append(read_shard(file))
        except InputError as error:
            broken.append(f"{error}; left out")
    return shards, broken


def _still_running(folder: RunFolder, shards: Sequence[Shard]) -> list[str]:
    """Name the processes of this node that go on, as what turns itself into a daemon does."""
    ranks = {shard.pid: shard.rank for shard in shards if shard.host == os.uname().nodename}
    return [
        f"process {pid}" if ranks.get(pid) is None else f"rank {ranks[pid]}, process {pid},"
        for pid in surviving_processes(folder.shards, {shard.executable for shard in shards})
    ]


def _latest_run(shards: list[Shard]) -> list[Shard]:
    """Leave out the ranks that had ended before another process of the same rank began: they are of an earlier run.

    That happens where ``autoanalyzer exec`` is used twice and nothing was gathered in between. Of processes that were
    spawned one may well begin after another has ended.
    """
    starts: dict[int | None, float] = {}
    for shard in shards:
        if shard.mpi_initialised is not None and not shard.spawned:
            starts[shard.rank] = max(starts.get(shard.rank, 0.0), shard.start_realtime)
    return [
        shard
        for shard in shards
        if shard.mpi_initialised is None
        or shard.spawned
        or shard.start_realtime + shard.last >= starts.get(shard.rank, 0.0)
    ]


def _lacks_ranks(folder: RunFolder) -> bool:
    shards, _ = _read_all(folder)
    if count_alone(shards) > 1:
        return False
    launched = [shard for shard in shards if not shard.spawned]
    ranks = {shard.rank for shard in launched if not shard.forked_from}
    return any(rank not in ranks for rank in range(max((shard.size or 0 for shard in launched), default=0)))


def _gather_by_mpi(folder: RunFolder, command: Sequence[str]) -> tuple[Experiment | None, str]:
    """Gather by a job on the nodes of the program's.

    Returns:
        The experiment, or None and what went wrong.
    """
    mpi = find_mpi(command)
    words = launcher_words(command, mpi.launcher)
    if words is None:
        return None, "the program's place in the command was not found"
    with TemporaryDirectory() as links:
        environment = dict(os.environ)
        if mpi.library is not None and not mpi.library.is_open_mpi:
            # mpi4py asks for MPICH's ABI name, which Debian's library does not bear.
            Path(links, "libmpi.so.12").symlink_to(mpi.library.path)
            paths = [links, *filter(None, [environment.get("LD_LIBRARY_PATH")])]
            environment |= {"LD_LIBRARY_PATH": ":".join(paths), "MPI4PY_MPIABI": "mpich"}
        job = [*words, sys.executable, "-W", "ignore", "-m", f"{__package__}.gather", str(folder.path.resolve())]
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
        except (OSError, subprocess.TimeoutExpired) as error:
            return None, str(error).splitlines()[0]
    if done.returncode or not folder.experiment.exists():
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return None, lines[0].strip() if lines else f"status {done.returncode}"
    return load(folder.experiment), ""


def _check_started_together(communicator: Any) -> None:
    """Stop where a launcher has started ranks of another MPI, each of which would merge all shards, and remove them."""
    started = max(int(os.environ.get(name) or 1) for name in _LAUNCHED)
    if communicator.Get_size() == 1 and started > 1:
        raise InputError(f"{started} processes in one MPI_COMM_WORLD wanted, found each alone")


def _collect(communicator: Any, shards: Path) -> None:
    """Copy the shards that rank 0 does not see into its folder; collective."""
    names = sorted(file.name for file in shards.glob("*.shard"))
    seen: list[list[str]] | None = communicator.gather(names, root=0)
    senders: dict[str, int] = {}
    if seen is not None:
        for rank, listed in enumerate(seen):
            for name in set(listed) - set(seen[0]):
                senders.setdefault(name, rank)
    senders = communicator.bcast(senders, root=0)
    rank = communicator.Get_rank()
    for name, sender in sorted(senders.items()):
        if rank == sender:
            communicator.send((shards / name).read_bytes(), dest=0)
        elif rank == 0:
            shards.mkdir(parents=True, exist_ok=True)
            with replacing(shards / name) as stream:
                stream.write(communicator.recv(source=sender))


def _main(path: str) -> int:
    from mpi4py import MPI  # noqa: PLC0415 - starts MPI

    folder = RunFolder(Path(path))
    try:
        _check_started_together(MPI.COMM_WORLD)
        _collect(MPI.COMM_WORLD, folder.shards)
        if MPI.COMM_WORLD.Get_rank() == 0:
            gather_here(folder)
    except Exception as error:  # whatever it is, the other ranks must not wait for this one
        sys.stderr.write(f"{error}\n")
        MPI.COMM_WORLD.Abort(2)
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1]))
