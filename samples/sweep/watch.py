"""Print a trace of the running ranks of a program, from /proc: what each did in each interval, until they end.

mpirun -n 16 ./sweep & python watch.py sweep 0.5 > trace.csv
"""

import os
import sys
import time
from pathlib import Path

RANK = "OMPI_COMM_WORLD_RANK", "PMI_RANK"
COLUMNS = "user[sec]", "kernel[sec]", "waits", "preemptions", "faults", "read[bytes]", "written[bytes]"
TICK = os.sysconf("SC_CLK_TCK")


def counted(process: Path) -> list[float]:
    """Return the sums since the start of a process."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    lines = [*(process / "status").open(), *(process / "io").open()]
    named = {name: words.split()[0] for name, _, words in (line.partition(":") for line in lines) if words.split()}
    sums = [named[name] for name in ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")]
    return [
        int(fields[11]) / TICK,
        int(fields[12]) / TICK,
        *map(float, (*sums, fields[7], named["rchar"], named["wchar"])),
    ]


def rank_of(process: Path) -> int | None:
    """Return the rank of a process of the program; None for any other."""
    try:
        if (process / "comm").read_text().strip() != sys.argv[1]:
            return None
        words = (each.partition("=") for each in (process / "environ").read_text(errors="replace").split("\0"))
        return next((int(value) for name, _, value in words if name in RANK), None)
    except OSError:
        return None


def main() -> None:
    """Write a line a rank and interval."""
    begin, every = time.monotonic(), float(sys.argv[2])
    print("time,process,thread", *COLUMNS, sep=",")
    before: dict[int, list[float]] = {}
    while time.monotonic() - begin < 10 or before:
        now: dict[int, list[float]] = {}
        for process in Path("/proc").glob("[0-9]*"):
            if (rank := rank_of(process)) is not None:
                try:
                    now[rank] = counted(process)
                except OSError:
                    continue
        for rank in sorted(now.keys() & before.keys()):
            changes = (f"{after - then:g}" for after, then in zip(now[rank], before[rank], strict=True))
            print(f"{time.monotonic() - begin:.2f}", rank, 0, *changes, sep=",", flush=True)
        if before and not now:
            return
        before = now
        time.sleep(every)


if __name__ == "__main__":
    main()
