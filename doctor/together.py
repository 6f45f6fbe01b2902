"""Whether the processes of a launcher are one MPI program: each starts ``python -m autoanalyzer.doctor.together``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Any, Final

from ..runtime.failure_reason import failure_reason
from ..runtime.gather.mpi_job import loading
from .families import Family

__all__ = ["together"]

_PATIENCE: Final = 60.0  # seconds for all nodes to come to MPI_Init


def together(family: Family) -> dict[str, Any]:
    """Start MPI in a process of its own, which the launcher takes for this one.

    Returns:
        ``size`` and ``nodes`` of MPI_COMM_WORLD; or ``failure``, a line that says why there is none.
    """
    module = [sys.executable, "-W", "ignore", "-m", __name__]
    with TemporaryDirectory() as links:
        try:
            # What the launcher has opened for MPI must be open there, too.
            done = subprocess.run(
                module,
                env=loading(family.library, links),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                close_fds=False,
                timeout=_PATIENCE,
            )
        except (OSError, subprocess.TimeoutExpired):
            return {"failure": f"MPI_Init did not return within {_PATIENCE:.0f} s"}
    try:
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        return {"failure": failure_reason(done.stderr) or f"exit status {done.returncode}"}
    return found


def _tell() -> None:
    from mpi4py import MPI  # noqa: PLC0415 - starts MPI

    world = MPI.COMM_WORLD
    nodes = sorted(set(world.allgather(os.uname().nodename)))
    library = " ".join(MPI.Get_library_version().split())[:40]
    sys.stdout.write(f"{json.dumps({'size': world.Get_size(), 'nodes': nodes, 'library': library})}\n")


if __name__ == "__main__":
    _tell()
