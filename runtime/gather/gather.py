"""Gathering what the processes of a run recorded: by MPI from all nodes, or from this disk.

Started by the program's own launcher, on the program's own nodes, as::

    mpirun -n 8 python -m autoanalyzer.runtime.gather FOLDER

it copies each shard that rank 0 cannot see into rank 0's folder, and rank 0 merges them all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from ...atomic_file import replacing
from ...errors import InputError
from ...experiment import Experiment, load, save
from ..command import launcher_words
from ..facts import RunFacts
from ..folder import RunFolder
from ..mpi.detection import find_mpi
from .merge import merge_shards
from .node_store import NodeStore
from .processes import count_alone
from .shard import Shard, read_shard, used_part
from .survivors import surviving_processes

__all__ = ["Told", "gather", "gather_here", "main"]

Told = Callable[[int, int], object]
"""Takes how much is done, and of how much."""

_TIMEOUT: Final = 600  # seconds without which a launcher that waits for nodes would hold the user up for ever
_PATIENCE: Final = 10.0  # seconds in which ranks may notice that their launcher was killed
_GOING_ON: Final = ("running", "finalizing")
_LAUNCHED: Final = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")  # in which launchers say how many processes they start


def gather(folder: RunFolder, facts: RunFacts, how: str = "auto", *, told: Told | None = None) -> Experiment | None:
    """Gather a run's shards into its folder's experiment.

    Args:
        folder: The run's folder.
        facts: What the launcher knows.
        how: ``mpi``; ``plain``: from this disk; ``auto``: by MPI if the shards of some ranks are not on this disk.
        told: Takes how many shards were read, and how many there are; None if nobody wants to know.

    Returns:
        The experiment; None if no process recorded anything.
    """
    if how != "mpi":
        read = _read_all(folder, told)
        if how == "plain" or not _lacks_ranks(read.shards):
            return _merge(folder, facts, read)
    experiment, failure = _gather_by_mpi(folder, facts.command)
    if experiment is not None:
        return experiment
    remark = f"the gather by MPI failed ({failure}): read from this machine's disk alone"
    return _merge(folder, facts, _read_all(folder, told), [remark])


def gather_here(folder: RunFolder, *, ended: bool = True, told: Told | None = None) -> Experiment | None:
    """Merge the shards on this disk into the folder's experiment, and remove them.

    A shard that cannot be read is named in the notes and kept, and the rest merged. All are kept where a process may
    still write one.

    Args:
        folder: The run's folder.
        ended: Whether the run is known to have ended; otherwise processes that still write are looked for on this
            machine, and taken for alive on others if their shards do not say that they have ended.
        told: Takes how many shards were read, and how many there are; None if nobody wants to know.

    Returns:
        The experiment; None if there is no shard at all.

    Raises:
        InputError: There are shards, but none can be read, or a process still writes one; or the experiment cannot be
            written, and then all shards stay.
    """
    return _merge(folder, RunFacts.read(folder.shards), _read_all(folder, told), ended=ended)


def _merge(
    folder: RunFolder, facts: RunFacts, read: _Read, remarks: Sequence[str] = (), *, ended: bool = True
) -> Experiment | None:
    running = _survivors(folder, read.shards)
    if running and not ended:
        raise InputError(
            f"{folder.path}: a run that has ended wanted, but {next(iter(running.values()))} still runs; wait for it"
        )
    if facts.status and any(shard.state in _GOING_ON for shard in read.shards):  # they may have ended while being read
        running = _survivors(folder, read.shards, wait=_PATIENCE)
        read = _read_all(folder)
    if not read.shards:
        if read.broken:
            raise InputError(read.broken[0])
        return None
    latest = _latest_run(read.shards)
    said = [*remarks, *read.broken]
    if len(latest) < len(read.shards):
        said.append(f"{len(read.shards) - len(latest)} shards of an earlier run in this folder were left out")
    said += [
        f"{who} still runs: its data so far; once it has ended, autoanalyzer analyze {folder.path}"
        for who in running.values()
    ]
    elsewhere = [] if ended else _open_elsewhere(latest)
    if elsewhere:
        said.append(
            f"{len(elsewhere)} of {len(latest)} processes may still run, on {elsewhere[0]}: their data so far, which"
            f" stay in {folder.shards}"
        )
    experiment = merge_shards(latest, facts, remarks=said)
    try:
        save(experiment, folder.experiment)
    except InputError as error:
        raise InputError(
            f"{error}; the data stay in {folder.shards}: make room, and autoanalyzer analyze {folder.path}"
        ) from None
    if running:
        with suppress(InputError):
            replace(facts, node=facts.node or os.uname().nodename, running=list(running)).write(folder.shards)
    elif not (read.broken or elsewhere or set(folder.shard_files()) - set(read.files)):
        folder.remove_shards()
    return experiment


@dataclass(frozen=True)
class _Read:
    """The shards of a folder, and what is wrong with those that cannot be read."""

    files: list[Path]
    shards: list[Shard]
    broken: list[str]


def _read_all(folder: RunFolder, told: Told | None = None) -> _Read:
    files = folder.shard_files()
    store = NodeStore()
    broken: list[str] = []
    for number, file in enumerate(files):
        if told:
            told(number, len(files))
        try:
            shard = read_shard(file)
        except InputError as error:
            broken.append(f"{error}; left out")
        else:
            store.take(shard)
    return _Read(files, store.shards(), broken)


def _survivors(folder: RunFolder, shards: Sequence[Shard], *, wait: float = 0.0) -> dict[int, str]:
    """Name the processes of this node that go on, as what turns itself into a daemon does, and for a while orphans do.

    Args:
        folder: The run's folder.
        shards: What is known of it.
        wait: Seconds in which they may end.
    """
    ranks = {shard.pid: shard.rank for shard in shards if shard.host == os.uname().nodename}
    programs = {shard.executable for shard in shards}
    end = time.monotonic() + wait
    while (found := surviving_processes(folder.shards, programs)) and time.monotonic() < end:
        time.sleep(0.1)
    return {pid: f"process {pid}" if ranks.get(pid) is None else f"rank {ranks[pid]}, process {pid}," for pid in found}


def _open_elsewhere(shards: Sequence[Shard]) -> list[str]:
    """Name the machine of each process that is not of this one, and whose shard does not say that it has ended."""
    here = os.uname().nodename
    return sorted(shard.host for shard in shards if shard.host != here and shard.state in _GOING_ON)


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


def _lacks_ranks(shards: Sequence[Shard]) -> bool:
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
    """Copy the shards that rank 0 does not see into its folder; collective.

    Any number of ranks will do. Of those that see the same folder the first alone looks into it.
    """
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


def main(path: str) -> int:
    """Gather the run in the folder ``path``, as one of the processes of an MPI job."""
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
