"""Gathering what the processes of a run recorded: by MPI from all nodes, or from this disk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from ...errors import InputError
from ...experiment import Experiment, save
from ..facts import RunFacts
from ..folder import RunFolder
from .folder_shards import FolderShards, Told, read_folder
from .merge import merge
from .mpi_job import run_mpi_job
from .survivors import may_run_elsewhere, survivors
from .time_lines import save_time_lines

__all__ = ["gather", "gather_here"]

_PATIENCE: Final = 10.0  # seconds in which ranks may notice that their launcher was killed


def gather(
    folder: RunFolder,
    facts: RunFacts,
    how: str = "auto",
    *,
    launched_by: Sequence[str] = (),
    told: Told | None = None,
) -> Experiment | None:
    """Gather a run's shards into its folder's experiment.

    Args:
        folder: The run's folder.
        facts: What the launcher knows.
        how: ``mpi``; ``plain``: from this disk; ``auto``: by MPI if the shards of some ranks are not on this disk.
        launched_by: What launched the program, if that is not what the facts say.
        told: Takes how many shards were read, and how many there are; None if nobody wants to know.

    Returns:
        The experiment; None if no process recorded anything.

    Raises:
        InputError: There is nothing here, and the job that was to bring it home failed; or as for ``gather_here``.
    """
    if how != "mpi":
        read = read_folder(folder, told)
        if how == "plain" or (read.files and not read.lacks_ranks):
            return _merge(folder, facts, read)
    failure = run_mpi_job(folder, launched_by or facts.command)
    read = read_folder(folder, told)
    if not failure:
        return _merge(folder, facts, read)
    remark = f"gathering by MPI failed ({failure}): only the data on this machine's disk were read"
    again = f"while the job has its nodes, autoanalyzer gather {folder.path} tries again"
    if not read.files:
        raise InputError(f"{remark}, and there are none; if the program ran on other nodes: {again}")
    if read.lacks_ranks:
        remark += f"; {again}"
    return _merge(folder, facts, read, [remark], keep=read.lacks_ranks)


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
    return _merge(folder, RunFacts.read(folder.shards), read_folder(folder, told), ended=ended)


def _merge(
    folder: RunFolder,
    facts: RunFacts,
    read: FolderShards,
    remarks: Sequence[str] = (),
    *,
    ended: bool = True,
    keep: bool = False,
) -> Experiment | None:
    running = survivors(folder.shards, read.shards)
    if running and not ended:
        raise InputError(f"{folder.path}: {next(iter(running.values()))} is still running; wait until the run ends")
    if facts.status and any(shard.goes_on for shard in read.shards):  # they may have ended while being read
        running = survivors(folder.shards, read.shards, wait=_PATIENCE)
        read = read_folder(folder)
    if not read.shards:
        if read.broken:
            raise InputError(read.broken[0])
        return None
    latest = read.latest
    said = [*remarks, *read.broken]
    if len(latest) < len(read.shards):
        said.append(f"shards of an earlier run in this folder that were left out: {len(read.shards) - len(latest)}")
    said += [
        f"{who} is still running: these are its data so far; once it has ended, run autoanalyzer analyze {folder.path}"
        for who in running.values()
    ]
    elsewhere = [] if ended else may_run_elsewhere(latest)
    if elsewhere:
        said.append(
            f"{len(elsewhere)} of {len(latest)} processes may still be running, on {elsewhere[0]}: these are their data"
            f" so far, which stay in {folder.shards}"
        )
    merged = merge(latest, facts, remarks=said)
    try:
        more = save_time_lines(merged, folder.trace)
        experiment = merged.experiment
        if more:
            notes = experiment.notes
            experiment = experiment.replaced(notes=replace(notes, remarks=(*notes.remarks, *more)))
        save(experiment, folder.experiment)
    except InputError as error:
        raise InputError(
            f"{error}; the data stay in {folder.shards}: make room, then run autoanalyzer analyze {folder.path}"
        ) from None
    if running:
        with suppress(InputError):
            replace(facts, node=facts.node or os.uname().nodename, running=list(running)).write(folder.shards)
    elif not (keep or read.broken or elsewhere or set(folder.shard_files()) - set(read.files)):
        folder.remove_shards()
    return experiment
