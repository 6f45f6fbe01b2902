"""Gather the data of a run's processes: from this disk, or over MPI from all nodes."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from ...atomic_file import fsync
from ...errors import InputError
from ...experiment import Experiment, load
from ...experiment.communicator import Alone
from ...experiment.storage import save_of_run
from ..facts import RunFacts
from ..folder import RunFolder
from ..mpi.detection import find_mpi
from .folder_shards import Told
from .merge import Run, merge
from .mpi_job import nodes_of, processes_on_a_node, run_mpi_job
from .own_shards import OwnShards
from .shard import Shard
from .shard_reader import read_shard
from .survivors import may_run_elsewhere, survivors
from .time_lines import save_time_lines

__all__ = ["NOT_GATHERED", "gather", "gather_here"]

_PATIENCE: Final = 10.0  # seconds for ranks to end after their launcher was killed
_DISK_BLOCK: Final = 512  # bytes: the unit of st_blocks
# Bytes of shards that take one process as long as a job of several processes, which needs 1 s to start.
_WORTH_A_JOB: Final = 768 << 20
NOT_GATHERED: Final = "gathering by MPI failed"
"""The beginning of the warning that gathering by MPI failed."""

_PROCESSES: Final = 4  # with fewer processes, a job that only saves time is not worthwhile


def gather(
    folder: RunFolder,
    facts: RunFacts,
    how: str = "auto",
    *,
    launched_by: Sequence[str] = (),
    told: Told | None = None,
) -> Experiment | None:
    """Gather a run's shards into the experiment in its folder.

    Args:
        folder: The run's folder.
        facts: Facts that the processes cannot record themselves.
        how: ``mpi``: over MPI from all nodes; ``plain``: from this disk, in this process; ``auto``: over MPI if there
            are very many shards, or if the shards of some ranks are not on this disk.
        launched_by: The command that launched the program, if it is not the one in ``facts``.
        told: Progress callback; receives the number of shards read, and their total.

    Returns:
        The experiment; None if no process recorded anything.

    Raises:
        InputError: There are no data on this disk, and the job that should have collected them failed; a later start of
            ``run`` uses the folder; or for the same reasons as in ``gather_here``.
    """
    facts.check_start(folder.shards)
    command = launched_by or facts.command
    lacks_ranks = False
    if how == "plain" or (how == "auto" and not _is_worth_a_job(folder, command)):
        own = _read(folder, told)
        lacks_ranks = own.told.lacks_ranks
        nowhere_else = not own.told.files and not find_mpi(command).launcher
        if how == "plain" or nowhere_else or (own.told.files and not lacks_ranks):
            return _merge(folder, facts, own)
    one = next(_readable(folder), None)
    job = run_mpi_job(
        folder,
        command,
        merge=not survivors(folder.shards, _readable(folder)),
        few=bool(one and one.size and 1 < one.size == len(folder.shard_files())) and not lacks_ranks,
        told=told,
    )
    facts.check_start(folder.shards)
    if job.merged:
        if not job.keep:
            folder.remove_shards([])
        folder.small_experiment.unlink(missing_ok=True)
        return load(folder.experiment)
    own = _read(folder, told)
    if not job.failure or (how == "auto" and own.told.files and not own.told.lacks_ranks):
        return _merge(folder, facts, own)
    remark = f"{NOT_GATHERED} ({job.failure}): only the data on this machine's disk were read"
    launched = f" -- {shlex.join(command)}" if command else ""
    again = f"run autoanalyzer gather {folder.path}{launched} again on the same nodes"
    if not own.told.files:
        if facts.status:
            remark = f"nothing was recorded: the command ended with exit status {facts.status} ({job.failure})"
        else:
            remark += ", but no data were found there"
        raise InputError(f"{remark}; if the program ran on other nodes, {again}")
    if own.told.lacks_ranks:
        remark += f"; {again}"
    return _merge(folder, facts, own, [remark], keep=own.told.lacks_ranks)


def gather_here(folder: RunFolder, *, ended: bool = True, told: Told | None = None) -> Experiment | None:
    """Merge the shards on this disk into the folder's experiment, and remove them.

    Shards that cannot be read are named in the notes and kept; all other shards are merged. All shards are kept if a
    process may still write one.

    Args:
        folder: The run's folder.
        ended: Whether the run is known to have ended. If it is not, this machine is searched for processes that still
            write; processes on other machines count as alive unless their shards show their end.
        told: Progress callback; receives the number of shards read, and their total.

    Returns:
        The experiment; None if there is no shard.

    Raises:
        InputError: No shard can be read, a process still writes one, or the experiment cannot be written. All shards
            are kept.
    """
    return _merge(folder, RunFacts.read(folder.shards), _read(folder, told), ended=ended)


def _read(folder: RunFolder, told: Told | None = None) -> OwnShards:
    files = folder.shard_files()
    own = OwnShards()
    for number, file in enumerate(files):
        if told:
            told(number, len(files))
        own.read(file, file)
    return own


def _is_worth_a_job(folder: RunFolder, command: Sequence[str]) -> bool:
    """Return whether there are so many shards that several processes are faster."""
    files = folder.shard_files()
    if nodes_of(files) * processes_on_a_node() < _PROCESSES:
        return False
    if sum(file.stat().st_blocks for file in files) * _DISK_BLOCK < _WORTH_A_JOB:
        return False
    try:
        return bool(command) and bool(find_mpi(command).launcher)
    except InputError:
        return False


def _readable(folder: RunFolder) -> Iterator[Shard]:
    """Yield the shards on this disk, read one after the other."""
    for file in folder.shard_files():
        with suppress(InputError):
            yield read_shard(file)


def _merge(
    folder: RunFolder,
    facts: RunFacts,
    own: OwnShards,
    remarks: Sequence[str] = (),
    *,
    ended: bool = True,
    keep: bool = False,
) -> Experiment | None:
    running = survivors(folder.shards, own.told.shards)
    if running and not ended:
        raise InputError(f"{folder.path}: {next(iter(running.values()))} is still running; wait until the run ends")
    if facts.status and any(shard.goes_on for shard in own.told.shards):  # they may have ended since
        running = survivors(folder.shards, own.told.shards, wait=_PATIENCE)
        own = _read(folder)
    read = own.told
    broken = [said for _, said in read.broken]
    if not read.heads:
        if broken:
            raise InputError(broken[0])
        return None
    latest = read.latest
    said = [*remarks, *broken]
    if earlier := len(read.heads) - len(read.helpers) - len(latest):
        said.append(f"shards left out, because they belong to an earlier run in this folder: {earlier}")
    said += [
        f"{who} is still running; these are its data so far; once it has ended, run autoanalyzer analyze {folder.path}"
        for who in running.values()
    ]
    elsewhere = [] if ended else may_run_elsewhere([read.heads[place].shard for place in latest])
    if elsewhere:
        said.append(
            f"{len(elsewhere)} of {len(latest)} processes may still be running, on {elsewhere[0]}; these are their "
            f"data so far, which stay in {folder.shards}"
        )
    if (whole := _whole(folder, [read.heads[place].shard for place in latest])) is not None:
        return whole
    experiment = _save(folder, own, Run(read, latest, facts, said))
    if running:
        with suppress(InputError):
            replace(facts, node=facts.node or os.uname().nodename, running=list(running)).write(folder.shards)
    elif not (keep or broken or elsewhere or set(folder.shard_files()) - set(read.files)):
        fsync(file for file in (folder.experiment, folder.trace) if file.exists())
        facts.check_start(folder.shards)
        folder.remove_shards(read.files)
    return experiment


def _whole(folder: RunFolder, shards: Sequence[Shard]) -> Experiment | None:
    """Return the existing experiment if these shards belong to its run, because they came late or were not removed.

    Shards count as belonging to its run if all of them began before the experiment was written, and the experiment has
    more processes.
    """
    if not folder.experiment.exists():
        return None
    written = folder.experiment.stat().st_mtime
    if any(shard.start_realtime >= written for shard in shards):
        return None
    found = load(folder.experiment)
    processes = len({place.process for place in found.locations})
    if processes <= len(shards):
        return None
    warnings.warn(
        f"{folder.experiment} contains the data of {processes} processes, but the shards in {folder.shards}, from the "
        f"same or an earlier run, contain the data of only {len(shards)}; the file and the shards stay unchanged",
        stacklevel=2,
    )
    return found


def _save(folder: RunFolder, own: OwnShards, run: Run) -> Experiment:
    """Write the experiment of a run and its time lines; return a large experiment as read back from the file."""
    merged = merge(Alone(), own, run)
    run.facts.check_start(folder.shards)
    try:
        more = save_time_lines(merged, own, folder.trace)
        experiment = merged.experiment
        if more:
            notes = experiment.notes
            experiment = experiment.replaced(notes=replace(notes, remarks=(*notes.remarks, *more)))
        file = save_of_run(experiment, folder.path)
    except InputError as error:
        raise InputError(
            f"{error}; the data stay in {folder.shards}; once this problem is solved, run autoanalyzer analyze "
            f"{folder.path}"
        ) from None
    return load(file) if file == folder.large_experiment else experiment
