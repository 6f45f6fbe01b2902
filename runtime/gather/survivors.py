"""Processes of a run that go on after it: programs that turn themselves into daemons, and for a while orphans."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from ..launch import SHARDS_VARIABLE
from .shard import Shard

__all__ = ["may_run_elsewhere", "survivors"]


def survivors(folder: Path, shards: Sequence[Shard], *, wait: float = 0.0) -> dict[int, str]:
    """Name the processes on this machine that record into a folder, or may still begin to.

    Args:
        folder: That of the shards.
        shards: What is known of the run: what other programs it has left running records nothing.
        wait: Seconds in which they may end.
    """
    ranks = {shard.pid: shard.rank for shard in shards if shard.host == os.uname().nodename}
    programs = {shard.executable for shard in shards}
    variable = os.fsencode(f"{SHARDS_VARIABLE}={folder.resolve()}")
    end = time.monotonic() + wait
    while True:
        found = [
            int(process.name)
            for process in sorted(Path("/proc").glob("[0-9]*"))
            if _executable(process) in programs and variable in _environment(process)
        ]
        if not found or time.monotonic() >= end:
            break
        time.sleep(0.1)
    return {pid: f"process {pid}" if ranks.get(pid) is None else f"rank {ranks[pid]}, process {pid}," for pid in found}


def may_run_elsewhere(shards: Sequence[Shard]) -> list[str]:
    """Name the machine of each process that is not of this one, and whose shard does not say that it has ended."""
    return sorted(shard.host for shard in shards if shard.host != os.uname().nodename and shard.goes_on)


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
