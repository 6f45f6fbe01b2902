"""Time the search for warp paths against three libraries, and measure the memory that a long path takes.

    python benchmarks/alignment/run.py [--rounds 5] [--samples 10000] [--long 100000]

Each installed library is timed in turn with our implementation, round by round: dtaidistance for the path, and
dtaidistance, dtw-python and tslearn for the distance alone. To find a path, libraries need memory for the whole table.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import numpy as np
import numpy.typing as npt

from autoanalyzer.timelines.warping import warp, warp_error

Values = npt.NDArray[np.float64]
Subject = Callable[[Values, Values], object]


def sequences(count: int) -> tuple[Values, Values]:
    """Return a random walk, and a warped copy of it, each with its own noise, ``float64[count]``."""
    chance = np.random.default_rng(0)
    at = np.linspace(0, 1, count)
    walk = np.cumsum(chance.normal(size=count))
    later = np.interp(at + 0.03 * np.sin(2 * np.pi * at), at, walk)
    return walk + 0.1 * chance.normal(size=count), later + 0.1 * chance.normal(size=count)


def subjects() -> Mapping[str, Subject]:
    """Map the name of each implementation, ours and those of installed libraries, to a function of two sequences."""
    found: dict[str, Subject] = {
        "path, ours": lambda x, y: warp(x, y).error,
        "distance, ours": warp_error,
    }
    if find_spec("dtaidistance"):
        from dtaidistance import dtw  # noqa: PLC0415

        found["distance, dtaidistance"] = lambda x, y: dtw.distance_fast(x, y, inner_dist="euclidean")
        found["path, dtaidistance"] = lambda x, y: dtw.warping_path_fast(x, y, inner_dist="euclidean")
    if find_spec("dtw"):
        from dtw import dtw as dtw_python  # noqa: PLC0415

        found["distance, dtw-python"] = lambda x, y: (
            dtw_python(x, y, step_pattern="symmetric1", distance_only=True).distance
        )
    if find_spec("tslearn"):
        from tslearn.metrics import dtw as tslearn_dtw  # noqa: PLC0415

        found["distance, tslearn (squares)"] = tslearn_dtw
    return found


def compared(rounds: int, samples: int) -> None:
    """Time each implementation in turn, round by round, and print the medians."""
    x, y = sequences(samples)
    given = subjects()
    for subject in given.values():
        subject(x[:200], y[:200])  # some libraries compile at the first call
    seconds: dict[str, list[float]] = {name: [] for name in given}
    for _ in range(rounds):
        for name, subject in given.items():
            started = time.perf_counter()
            subject(x, y)
            seconds[name].append(time.perf_counter() - started)
    ours = median(seconds["path, ours"])
    print(f"{samples} x {samples}, medians of {rounds}")
    for name, times in seconds.items():
        print(f"  {name:<28} {median(times):7.3f} s   {median(times) / ours:5.2f} times our path")


def peak() -> float:
    """Return the peak memory of this process, in GiB."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 2**20


def long(samples: int) -> None:
    """Find the path of two long sequences in this process, and print how much time and memory it took."""
    x, y = sequences(samples)
    before = peak()
    started = time.perf_counter()
    path = warp(x, y)
    seconds = time.perf_counter() - started
    most = peak()
    print(
        f"{samples} x {samples}, exact path of {len(path.x)} pairs: {seconds:.0f} s, {most:.2f} GiB in total, "
        f"{most - before:.2f} GiB for the path"
    )


def main() -> None:
    """Print the times, and the memory of a long path, which is found in a separate process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--long", type=int, default=100_000)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.alone:
        long(arguments.long)
        return
    compared(arguments.rounds, arguments.samples)
    if arguments.long:
        subprocess.run([sys.executable, __file__, "--alone", "--long", str(arguments.long)], check=True)


if __name__ == "__main__":
    main()
