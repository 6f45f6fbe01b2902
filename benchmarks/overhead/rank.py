"""Run one rank of a program, pinned to a core, and write its times to a file.

python rank.py FOLDER CPU,CPU,… PROGRAM [argument …]
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")


def main() -> int:
    """Write to ``FOLDER/RANK`` the wall seconds from start to end, and the CPU seconds."""
    folder, cpus, *command = sys.argv[1:]
    rank = int(next(os.environ[name] for name in RANK_VARIABLES if name in os.environ))
    usable = [int(cpu) for cpu in cpus.split(",")]
    os.sched_setaffinity(0, {usable[rank % len(usable)]})
    start = time.monotonic()
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    wall = time.monotonic() - start
    Path(folder, str(rank)).write_text(f"{wall} {usage.ru_utime + usage.ru_stime}")
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
