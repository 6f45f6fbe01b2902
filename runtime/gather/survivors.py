"""Processes of a run that go on after it: programs that turn themselves into daemons."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from ..launch import SHARDS_VARIABLE

__all__ = ["surviving_processes"]


def surviving_processes(shards: Path, executables: Collection[str]) -> list[int]:
    """List the processes on this machine that record into a folder, or may still begin to.

    Args:
        shards: The folder.
        executables: The programs of the run; what else it has left running records nothing.
    """
    wanted = os.fsencode(f"{SHARDS_VARIABLE}={shards.resolve()}")
    return [
        int(process.name)
        for process in sorted(Path("/proc").glob("[0-9]*"))
        if _executable(process) in executables and wanted in _environment(process)
    ]


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
