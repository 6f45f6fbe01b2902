"""The work of each process of a gathering job: merge the shards of a large run, or collect them."""

from __future__ import annotations

import json
import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

from ...atomic_file import fsync
from ...errors import InputError
from ...experiment.cube.cubex_writer import Part, write_parts
from ...experiment.run_folder import LARGE_EXPERIMENT_FILE
from ...experiment.storage import LARGE
from ..facts import RunFacts
from ..mpi.own_job import check_together
from .bring_home import GATHERED, READ, bring_home, say_at_work
from .folder_shards import FolderShards
from .job_shards import SeenShards
from .merge import Run, merge
from .mpi_communicator import MpiCommunicator
from .own_shards import OwnShards

__all__ = ["work"]

_STEPS: Final = 100  # progress is reported this many times


def work(communicator: Any, shards: Path, home: str, temporary: str = "", called: str = "") -> None:
    """Gather a run's shards together with all other processes of the job; collective.

    Args:
        communicator: A communicator of mpi4py, of any size.
        shards: The run's folder of shards, by its name on the launcher's node.
        home: The content of the file that identifies that folder.
        temporary: The experiment's file name beside ``shards`` until it is complete; empty to collect without merging.
        called: The user's path to ``shards``, for messages.

    Raises:
        InputError: The launcher belongs to a different MPI, or the experiment cannot be written.
    """
    check_together(communicator)
    if not temporary or not _is_merged(communicator, shards, home, temporary, called):
        bring_home(communicator, shards, home)


def _is_merged(communicator: Any, shards: Path, home: str, temporary: str, called: str) -> bool:
    """Merge a large run's shards if there are no time lines and a process sees the folder; return whether it did."""
    seen = SeenShards.of(communicator, shards, home)
    # process 0 of the new communicator sees the run's folder
    together = MpiCommunicator(communicator.Split(0, 0 if seen.at_home else 1))
    own = _read(together, seen, Path(called))
    everything = together.reduce(own.told, FolderShards.joined)
    if not together.broadcast(everything and seen.at_home and _is_for_us(everything)):
        return False
    merged = merge(together, own, _run_of(everything, shards) if everything else None)
    path, written = shards.parent / LARGE_EXPERIMENT_FILE, shards.parent / temporary
    if together.rank == 0:
        written.touch(exist_ok=False)
    together.allgather(None)
    try:
        with written.open("r+b") if seen.at_home else nullcontext() as stream:
            part = Part(merged.experiment, merged.columns, writes=seen.at_home)
            write_parts(together, part, merged.whole, stream, path, told=None if together.rank else say_at_work)
        if seen.at_home:
            fsync([written])  # each node writes its part of the file to disk
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    together.allgather(None)
    if everything:
        written.replace(path)
        fsync([path])
        _tell(shards, everything)
    together.allgather(None)
    broken = {name for name, _ in own.told.broken}
    for file in seen.files:  # otherwise a later run would treat these shards as its own
        if file.name not in broken:
            file.unlink(missing_ok=True)
    bring_home(communicator, shards, home)
    if everything:
        before = path.stat().st_mtime - 1.0
        for name, _ in everything.broken:
            os.utime(shards / name, (before, before))
    return True


def _tell(shards: Path, merged: FolderShards) -> None:
    """Report that the experiment is written, before any shard is removed; later errors do not affect the report."""
    left = {file.name for file in shards.glob("*.shard")} - {file.name for file in merged.files}
    said = {"keep": bool(merged.broken or left)}
    sys.stdout.buffer.write(GATHERED + json.dumps(said).encode() + b"\n")
    sys.stdout.buffer.flush()


def _read(together: MpiCommunicator, seen: SeenShards, called: Path) -> OwnShards:
    own = OwnShards()
    count = len(seen.files)
    for number, file in enumerate(seen.files):
        if together.rank == 0 and number % max(1, count // _STEPS) == 0:
            sys.stdout.buffer.write(READ + b"%d %d\n" % (number, count))
            sys.stdout.buffer.flush()
        own.read(file, called / file.name)
    return own


def _is_for_us(shards: FolderShards) -> bool:
    traced = any(head.shard.tracing for head in shards.heads)
    nodes = (sum(len(parents) for parents, _ in shape.trees) for shape in shards.shapes)
    values = [*nodes]
    return not traced and sum(values[shape] for shape in shards.shape_of) > LARGE


def _run_of(shards: FolderShards, folder: Path) -> Run:
    remarks = [said for _, said in sorted(shards.broken)]
    return Run(shards, shards.latest, RunFacts.read(folder), remarks)
