"""Find processes that outlive a run: programs that became daemons, and orphans that live on briefly."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..launch import SHARDS_VARIABLE
from .shard import Shard

__all__ = ["may_run_elsewhere", "survivors"]


def survivors(folder: Path, shards: Iterable[Shard], *, wait: float = 0.0) -> dict[int, str]:
    """Return the processes on this machine that record, or may still record, into a folder: process ID → description.

    Args:
        folder: The folder of the shards.
        shards: The run's shards, which show which of the remaining programs record; only read if programs remain.
        wait: Seconds to wait for these processes to end.
    """
    variable = os.fsencode(f"{SHARDS_VARIABLE}={folder.resolve()}")
    end = time.monotonic() + wait
    left = _with_variable(variable)
    known = [*shards] if left else []
    ranks = {shard.pid: shard.rank for shard in known if shard.host == os.uname().nodename}
    programs = {shard.executable for shard in known}
    while (found := [int(process.name) for process in left if _executable(process) in programs]) and (
        time.monotonic() < end
    ):
        time.sleep(0.1)
        left = _with_variable(variable)
    return {pid: f"process {pid}" if ranks.get(pid) is None else f"rank {ranks[pid]}, process {pid}," for pid in found}


def may_run_elsewhere(shards: Sequence[Shard]) -> list[str]:
    """Return the other machines with processes whose shards do not show that they ended."""
    return sorted(shard.host for shard in shards if shard.host != os.uname().nodename and shard.goes_on)


def _with_variable(variable: bytes) -> list[Path]:
    return [process for process in sorted(Path("/proc").glob("[0-9]*")) if variable in _environment(process)]


def _executable(process: Path) -> str:
    try:
        return str((process / "exe").readlink())
    except OSError:
        return ""


def _environment(process: Path) -> list[bytes]:
    try:
        return (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return []
