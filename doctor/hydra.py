"""Identify a job of Hydra, MPICH's launcher, which gives its processes no job identifier."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["hydra_job"]

_PORT = b"--control-port"


def hydra_job() -> str:
    """Return a job identifier that all processes of the job share.

    The identifier is the launcher's control port, which is an argument of the launcher's proxy on each node. Without a
    proxy, it consists of the node and the common parent process.
    """
    process = os.getppid()
    while process > 1:
        with suppress(OSError):
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            if _PORT in words[:-1]:
                return os.fsdecode(words[words.index(_PORT) + 1])
        process = _parent(process)
    return f"{os.uname().nodename}.{os.getppid()}"


def _parent(process: int) -> int:
    with suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    return 0
