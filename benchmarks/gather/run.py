"""Time how long it takes to gather many synthetic shards, by one process and by several, and measure the memory.

    python benchmarks/gather/run.py [--shards 10000] [--paths 200] [--processes 4]

All shards have the same call paths, but every tenth rank has them in another order; values differ. The lines are for an
eighth, a quarter, half and all of the shards. Each line also contains the time to read the files alone, and the
exponent with which the time has grown since the line for half as many shards.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from autoanalyzer.experiment import Region
from autoanalyzer.runtime.gather import shard_layout as layout

RATE = 2.6e9  # ticks per second
LENGTH = 1 << 18  # size of a file in bytes, only a part of which is used

GATHER = """
import json, resource, sys, time
from pathlib import Path
from autoanalyzer.cli.progress import counted
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.folder import RunFolder
from autoanalyzer.runtime.gather.gather import gather
start = time.perf_counter()
folder, processes = RunFolder(Path(sys.argv[1])), int(sys.argv[2])
with counted("gather") as told:
    job = {"how": "mpi", "launched_by": ["mpirun", "-n", str(processes), "sh"]} if processes > 1 else {"how": "plain"}
    experiment = gather(folder, RunFacts(), told=told, **job)
seconds = time.perf_counter() - start
used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
processor = sum(each.ru_utime + each.ru_stime for each in used)
memory = max(each.ru_maxrss for each in used) >> 10
print(json.dumps([seconds, processor, memory, len(experiment.locations), len(experiment.call_paths),
                  folder.experiment.stat().st_size >> 20]))
"""


def record(kind: int, body: bytes) -> bytes:
    """Return a shard's record: kind, size, body, and zeros up to a multiple of ``ALIGNMENT`` bytes."""
    lines = -(-(4 + len(body)) // layout.ALIGNMENT)
    return (np.array([kind, lines], "u2").tobytes() + body).ljust(lines * layout.ALIGNMENT, b"\0")


def shard(rank: int, ranks: int, paths: int) -> bytes:
    """Return a shard's content: ``main``, and functions and loops below it; every tenth rank stores siblings reversed.

    Args:
        rank: The rank, which is also the seed of the random values.
        ranks: The number of ranks.
        paths: The number of call paths.
    """
    chance = np.random.default_rng(rank)
    regions = [Region("function", "main", "m.c", "main", 0, 1, 9)]
    for number in range(1, paths):
        kind = "loop" if number % 2 else "function"
        regions.append(
            Region(kind, f"{kind}{number}", f"f{number % 17}.c", f"f{number // 2}", number % 2, number, number + 5)
        )
    above = [None, *((number - 1) // 3 for number in range(1, paths))]
    depth = [0]
    for parent in above[1:]:
        depth.append(depth[parent or 0] + 1)
    backwards = -1 if rank % 10 == 0 else 1
    order = sorted(range(paths), key=lambda number: (depth[number], backwards * number))
    place_of = {number: place for place, number in enumerate(order)}
    at = layout.HEADER_LAYOUT.itemsize
    body = []
    for number, place in enumerate(order):
        text = regions[place].descriptor.encode()
        body.append(record(layout.REGION_RECORD, np.array([number, len(text)], "u4").tobytes() + text + b"\0"))
    thread = np.zeros(1, layout.THREAD_LAYOUT)
    thread["taken"], thread["last"], thread["tid"] = 1, RATE, rank
    body.append(record(layout.THREAD_RECORD, thread.tobytes()[4:]))
    base = at + sum(map(len, body))
    nodes = np.zeros(paths + 1, layout.NODE_LAYOUT)
    size = layout.NODE_LAYOUT.itemsize
    nodes["region"] = [layout.NO_REGION, *range(paths)]
    parents = [None, 0, *(1 + place_of[above[number] or 0] for number in order[1:])]
    nodes["parent"] = [0 if each is None else (base + each * size) // layout.ALIGNMENT for each in parents]
    nodes["visits"] = chance.integers(1, 1000, paths + 1)
    nodes["wall"] = (chance.random((paths + 1, nodes["wall"].shape[1])) * RATE / paths).astype("i8")
    nodes["mpi_calls"] = chance.integers(0, 9, paths + 1)
    nodes["mpi_sent"] = chance.integers(0, 1 << 30, paths + 1)
    body += [record(layout.NODE_RECORD, each.tobytes()[4:]) for each in nodes]
    header = np.zeros(1, layout.HEADER_LAYOUT)
    header["magic"], header["version"], header["byte_order"] = layout.MAGIC, layout.VERSION, layout.BYTE_ORDER
    header["header_size"], header["region_size"] = at, layout.REGION_LAYOUT.size
    header["thread_size"], header["node_size"] = layout.THREAD_LAYOUT.itemsize, size
    header["used"] = at + sum(map(len, body))
    header["pid"], header["rank"], header["size"], header["thread_level"] = 1000 + rank, rank, ranks, -1
    header["state"], header["cpus"], header["ticks_per_second"], header["pair_cost"] = 3, 2, RATE, 20
    header["start_realtime"] = 10**18 + rank
    header["mpi_initialised"], header["mpi_finalising"], header["mpi_finalised"] = 1, int(RATE), int(RATE) + 1
    header["end"] = int(RATE) + 2
    header["host"], header["executable"] = f"node{rank // 64}".encode(), b"/home/user/app"
    header["wall_clock"], header["cpu_clock"] = b"tsc", b"rseq"
    return (header.tobytes() + b"".join(body)).ljust(LENGTH, b"\0")


def written(files: Path, shards: int, paths: int) -> None:
    """Create a folder, and write this many shards with ``paths`` call paths to it."""
    files.mkdir()
    for rank in range(shards):
        with (files / f"node{rank // 64}.{rank}.{rank:x}.shard").open("wb") as stream:
            stream.write(shard(rank, shards, paths).rstrip(b"\0"))
            os.truncate(stream.fileno(), LENGTH)


def gathered(files: Path, folder: Path, processes: int, progress: bool) -> list[float]:
    """Gather a copy of the shards.

    Args:
        files: The folder of the shards.
        folder: A new folder for the copy and the experiment.
        processes: The number of processes that gather.
        progress: Whether progress messages are shown.

    Returns:
        Wall seconds, CPU seconds, MiB of the largest process, locations, call paths, MiB of the experiment's file.
    """
    shards = folder / "shards"
    shards.mkdir(parents=True)
    for file in files.iterdir():
        (shards / file.name).hardlink_to(file)
    done = subprocess.run(
        [sys.executable, "-c", GATHER, folder, str(processes)],
        env={**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1"},
        stdout=subprocess.PIPE,
        stderr=None if progress else subprocess.DEVNULL,
        check=True,
    )
    found: list[float] = json.loads(done.stdout)
    return found


def measure(shards: int, options: argparse.Namespace, before: dict[int, float]) -> None:
    """Print the cost of gathering this many shards.

    Args:
        shards: The number of shards.
        options: The command line: number of call paths, number of processes, whether progress is shown.
        before: Number of processes → seconds for half as many shards; updated.
    """
    with tempfile.TemporaryDirectory() as place:
        files = Path(place) / "files"
        written(files, shards, options.paths)
        start = time.perf_counter()
        total = sum(len(file.read_bytes()) for file in files.iterdir())
        read = time.perf_counter() - start
        for processes in (1, options.processes):
            seconds, processor, memory, locations, found, size = gathered(
                files, Path(place) / f"by{processes}", processes, options.progress
            )
            growth = f"{math.log2(seconds / before[processes]):>8.2f}" if processes in before else " " * 8
            before[processes] = seconds
            print(
                f"{locations:>9,.0f} {found:>6,.0f} {total >> 20:>9,} {read:>9.2f} {processes:>10} {seconds:>9.2f} "
                f"{growth} {processor:>9.2f} {memory:>9,.0f} {size:>9,.0f}",
                flush=True,
            )


def main() -> None:
    """Print two lines for each number of shards: for one process, and for several."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shards", type=int, default=10_000)
    parser.add_argument("--paths", type=int, default=200)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--progress", action="store_true", help="show the progress of gathering")
    options = parser.parse_args()
    print("   shards  paths  MiB read  s to read  processes  s gather exponent    s CPU  MiB each  MiB written")
    before: dict[int, float] = {}
    for part in (8, 4, 2, 1):
        measure(options.shards // part, options, before)


if __name__ == "__main__":
    main()
