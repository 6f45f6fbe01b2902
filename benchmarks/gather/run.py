"""Time the gather of many synthetic shards, and what memory it takes.

    python benchmarks/gather/run.py [--shards 10000] [--paths 200]

Each shard has the same call paths, in another order from rank to rank, and values of its own; the first line is of a
tenth of the shards. Beside the time stands that of reading the files alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from autoanalyzer.experiment import Region
from autoanalyzer.runtime.gather import shard_layout as layout

RATE = 2.6e9  # ticks a second
LENGTH = 1 << 18  # of the file, of which only a part is in use

GATHER = """
import json, resource, sys, time
from pathlib import Path
from autoanalyzer.cli.progress import counted
from autoanalyzer.runtime.folder import RunFolder
from autoanalyzer.runtime.gather.gather import gather_here
start = time.perf_counter()
folder = RunFolder(Path(sys.argv[1]))
with counted("gather") as told:
    experiment = gather_here(folder, told=told)
print(json.dumps([time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
                  len(experiment.locations), len(experiment.call_paths), folder.experiment.stat().st_size >> 20]))
"""


def record(kind: int, body: bytes) -> bytes:
    """Give a record, padded."""
    lines = -(-(4 + len(body)) // layout.ALIGNMENT)
    return (np.array([kind, lines], "u2").tobytes() + body).ljust(lines * layout.ALIGNMENT, b"\0")


def shard(rank: int, ranks: int, paths: int) -> bytes:
    """Make a shard: main, and below it functions with loops, of which every tenth rank enters siblings backwards."""
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


def measure(shards: int, paths: int, progress: bool) -> None:
    """Print what the gather of so many shards takes."""
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "shards"
        files.mkdir()
        for rank in range(shards):
            content = shard(rank, shards, paths)
            with (files / f"node.{rank}.{rank:x}.shard").open("wb") as stream:
                stream.write(content.rstrip(b"\0"))
                os.truncate(stream.fileno(), LENGTH)
        start = time.perf_counter()
        total = sum(len(file.read_bytes()) for file in files.iterdir())
        read = time.perf_counter() - start
        done = subprocess.run(
            [sys.executable, "-c", GATHER, folder],
            stdout=subprocess.PIPE,
            stderr=None if progress else subprocess.DEVNULL,
            check=True,
        )
    seconds, memory, locations, found, size = json.loads(done.stdout)
    print(
        f"{locations:>9,} {found:>6,} {total >> 20:>9,} {read:>9.2f} {seconds:>9.2f} {memory:>9,} {size:>9,}",
        flush=True,
    )


def main() -> None:
    """Print a line a size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shards", type=int, default=10_000)
    parser.add_argument("--paths", type=int, default=200)
    parser.add_argument("--progress", action="store_true", help="show how far the gather is")
    options = parser.parse_args()
    print("   shards  paths  MiB read  s to read  s gather  MiB used  MiB written")
    for shards in (options.shards // 10, options.shards):
        measure(shards, options.paths, options.progress)


if __name__ == "__main__":
    main()
