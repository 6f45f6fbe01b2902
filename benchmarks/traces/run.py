"""Measure the time and memory needed to write, open and read a large trace, and to run commands on it.

    python benchmarks/traces/run.py [--ranks 1000] [--samples 10000] [--commands view,timeline,correlate,align]

The trace is synthetic: regions are entered in turn, 20 metrics have values in all samples, and one region becomes
slower half-way.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from autoanalyzer.experiment import CallPath, Experiment, Location, Region, save
from autoanalyzer.experiment.metric import STORED_METRICS, SYSTEM_METRICS
from autoanalyzer.experiment.trace import TimeLine, Trace, load_trace, save_trace

SAMPLE = 0.01  # seconds per sample
REGIONS = 6
METRICS = (*STORED_METRICS, *SYSTEM_METRICS)[:20]
PATHS = [
    CallPath(Region("program", "main", "a.c", "main", 0, 1, 99)),
    *(CallPath(Region("function", f"f{n}", "a.c", f"f{n}", 0, 10 * n + 10, 10 * n + 19), 0) for n in range(REGIONS)),
]
WORDS = {
    "view": ("view", "{}", "-o", "page.html"),
    "timeline": ("timeline", "{}"),
    "correlate": ("correlate", "--target", "mpi_time", "--by", "pearson", "{}"),
    "align": ("align", "--metric", "mpi_time", "--interval", "10:20", "{}", "{}/../again"),
}


def time_line(rank: int, samples: int) -> TimeLine:
    """Return a rank's line; each sample is in one region, and the third region is slower in the second half.

    While the region is slow, it is entered once per sample; otherwise, regions are entered twice per sample.
    """
    chance = np.random.default_rng(rank)
    end = np.cumsum(SAMPLE * chance.uniform(0.95, 1.1, samples))
    begin = np.append(0.0, end[:-1])
    where = 1 + np.arange(samples) % REGIONS
    length = end - begin
    values = chance.integers(0, 1000, (samples, len(METRICS))).astype(float)
    for number, metric in enumerate(METRICS):
        if metric.unit == "sec":
            values[:, number] = length * (
                1.0 if metric.name in ("wall_time", "cpu_time") else 0.01 * values[:, number] / 1000
            )
    entered = np.where((where == 3) & (np.arange(samples) > samples / 2), 1, 2)
    return TimeLine(begin, end, values, np.arange(samples + 1), where, entered.astype(np.int64), length, length)


def measured(what: str, *words: str, folder: Path) -> None:
    """Run a command of autoanalyzer, and print its wall time in seconds and its peak memory in GiB.

    Args:
        what: The line's title.
        words: The command's words.
        folder: The working folder.
    """
    started = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "autoanalyzer", *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    took = time.perf_counter() - started
    outcome = "" if status == 0 else f", exit status {os.waitstatus_to_exitcode(status)}"
    print(f"{what:24} {took:8.1f} s {usage.ru_maxrss / 2**20:8.2f} GiB{outcome}", flush=True)


def main() -> None:
    """Write the trace, and run the commands on it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--commands", default="view,timeline,correlate")
    options = parser.parse_args()
    places = [Location("machine", f"node{rank // 64}", rank) for rank in range(options.ranks)]
    lines = (time_line(rank, options.samples) for rank in range(options.ranks))
    trace = Trace(
        METRICS, PATHS, places, [options.samples] * options.ranks, lambda _: next(lines), {"interval": SAMPLE}
    )
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "out"
        out.mkdir()
        started = time.perf_counter()
        save_trace(trace, out / "trace.npz")
        written = time.perf_counter() - started
        size = (out / "trace.npz").stat().st_size
        own = {metric.name: np.ones((len(PATHS), options.ranks)) for metric in METRICS if metric.additive}
        save(
            Experiment(metrics=[m for m in METRICS if m.additive], call_paths=PATHS, locations=places, severities=own),
            out / "experiment.cube",
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{'made and written':24} {written:8.1f} s {peak:8.2f} GiB, {size / 2**30:.2f} GiB in the file", flush=True
        )
        started = time.perf_counter()
        again = load_trace(out / "trace.npz")
        opened = time.perf_counter() - started
        started = time.perf_counter()
        again.line(options.ranks // 2)
        print(f"{'opened':24} {opened:8.3f} s; one line {time.perf_counter() - started:.3f} s", flush=True)
        started = time.perf_counter()
        for _ in again.lines():
            pass
        print(f"{'all lines':24} {time.perf_counter() - started:8.1f} s", flush=True)
        for command in options.commands.split(","):
            measured(command, *(word.format(out) for word in WORDS[command]), folder=Path(name))


if __name__ == "__main__":
    main()
