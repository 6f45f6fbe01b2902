"""Time the whole analysis of large experiments, and measure its memory, alone and as an MPI job.

    python benchmarks/analysis/large.py [--ranks 1000000] [--folder DIR] [--processes 4]

The experiments have 200 call paths and 12 metrics; ranks are balanced, or all different in two call paths; files have 9
kB per rank. Each line also contains the time to read the file once, and the exponent with which the time of one process
grows with the number of ranks.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from autoanalyzer.experiment import CallPath, Experiment, Location, Region, save
from autoanalyzer.experiment.metric import COUNT_METRICS, STORED_METRICS
from autoanalyzer.experiment.severities import Kept, LazySeverities, Rows

Values = npt.NDArray[np.float64]

PATHS = 200
SLOW = (100, 102)  # the call paths in which unbalanced ranks differ
METRICS = [
    *["visits", "wall_time", "mpi_time", "mpi_collective_time", "cpu_time", "mpi_cpu_time", "mpi_calls", "mpi_bytes"],
    *["mpi_bytes_sent", "program_time", "instructions", "l1_misses"],
]


class Made:
    """The rows of an experiment, each computed on demand."""

    def __init__(self, ranks: int, kind: str) -> None:
        chance = np.random.default_rng(7)
        self.ranks = ranks
        self.paths = _call_paths()
        self.in_mpi = np.array([path.region.kind == "mpi" for path in self.paths])
        self.factor = chance.lognormal(0.0, 1.0, ranks) if kind == "spread" else np.ones(ranks)
        self.size = chance.random(PATHS) * 100 / PATHS
        computed = sum((self.computed(path) for path in np.flatnonzero(~self.in_mpi).tolist()), np.zeros(ranks))
        self.waits = (computed.max() - computed) / self.in_mpi.sum() + 0.001
        self.total = computed + self.waits * self.in_mpi.sum()

    def computed(self, path: int) -> Values:
        """Return each rank's busy time in a call path, in seconds, ``float64[rank]``."""
        noise = 1 + 0.005 * np.random.default_rng(1000 + path).standard_normal(self.ranks)
        return self.size[path] * noise * (self.factor if path in SLOW else 1.0)

    def row(self, metric: str, path: int) -> Values:
        """Return a metric's exclusive values in a call path, ``float64[rank]``."""
        nothing = np.zeros(self.ranks)
        if metric == "visits":
            return nothing + 10
        if metric == "program_time":
            return nothing if path else self.total
        if self.in_mpi[path]:
            times = {
                "wall_time": 1.0,
                "mpi_time": 1.0,
                "mpi_collective_time": 1.0,
                "cpu_time": 0.9,
                "mpi_cpu_time": 0.9,
            }
            sizes = {"mpi_calls": 10.0, "mpi_bytes": 8000.0, "mpi_bytes_sent": 8000.0}
            return self.waits * times[metric] if metric in times else nothing + sizes.get(metric, 0.0)
        rates = {"wall_time": 1.0, "cpu_time": 1.0, "instructions": 2e9, "l1_misses": 1e7}
        values = self.computed(path) * rates[metric] if metric in rates else nothing
        return np.floor(values) if rates.get(metric, 0) > 1 else values

    def rows(self, metric: str, paths: Rows) -> Values:
        """Return a metric's exclusive values in several call paths, ``float64[path, rank]``."""
        return np.array([self.row(metric, path) for path in paths.tolist()])

    def experiment(self) -> Experiment:
        """Return the experiment; its values are computed each time they are read."""
        known = [metric for metric in (*STORED_METRICS, *COUNT_METRICS) if metric.name in METRICS]
        return Experiment(
            metrics=[each if each.parent in METRICS else replace(each, parent=None) for each in known],
            call_paths=self.paths,
            locations=[Location("machine", f"node{rank // 64}", rank) for rank in range(self.ranks)],
            severities=LazySeverities(
                METRICS, lambda name: self.rows(name, np.arange(PATHS)), rows=self.rows, kept=Kept(0)
            ),
        )


def _call_paths() -> list[CallPath]:
    above = [None, *((number - 1) // 3 for number in range(1, PATHS))]
    paths = [CallPath(Region("function", "main", "m.c", "main", 0, 1, 9))]
    for number in range(1, PATHS):
        is_leaf = number not in above
        kind = "mpi" if is_leaf and number % 5 == 0 else "loop" if number % 2 else "function"
        name = "MPI_Allreduce" if kind == "mpi" else f"{kind}{number}"
        paths.append(CallPath(Region(kind, name, "m.c", f"f{number // 2}", number, number, number), above[number]))
    return paths


def measured(words: Sequence[str | Path]) -> tuple[float, float]:
    """Run a command; return its wall time in seconds, and the peak memory of its largest process in GiB."""
    before = time.perf_counter()
    script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)"
    script += "; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", script, *map(str, words)], capture_output=True, text=True, check=True)
    return time.perf_counter() - before, int(done.stdout) / 2**20


def main() -> None:
    """Print a line per kind of experiment and number of ranks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ranks", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="needs 9 kB per rank")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--kinds", nargs="+", default=["balanced", "spread"])
    options = parser.parse_args()
    tool = Path(sys.executable).parent / "autoanalyzer"
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    os.environ.update(root)
    titles = f"{'ranks':>9}  {'kind':<9} {'MB':>6} {'read':>7} {'alone':>8} {'GiB':>5} {'job':>8} {'GiB':>5}"
    print(f"{titles}  growth  same findings")
    for kind in options.kinds:
        last = 0.0
        for ranks in [options.ranks // 10**power for power in (3, 2, 1, 0)]:
            with tempfile.TemporaryDirectory(dir=options.folder) as folder:
                file, one, other = (Path(folder) / name for name in ("e.cubex", "one.json", "other.json"))
                save(Made(ranks, kind).experiment(), file)
                start = time.perf_counter()
                with file.open("rb", buffering=0) as stream:
                    while stream.read(1 << 24):
                        pass
                read = time.perf_counter() - start
                alone, memory = measured([tool, "analyze", file])
                launch = ["mpirun", "--oversubscribe", "-n", str(options.processes)]
                job, of_job = measured([*launch, tool, "analyze", file])
                measured([tool, "analyze", file, "--json", one])
                measured([*launch, tool, "analyze", file, "--json", other])
                growth = f"{math.log10(alone / last):.2f}" if last else ""
                size = file.stat().st_size / 1e6
                same = one.read_bytes() == other.read_bytes()
            print(
                f"{ranks:>9}  {kind:<9} {size:>6.0f} {read:>6.1f}s {alone:>7.1f}s {memory:>5.1f} {job:>7.1f}s"
                f" {of_job:>5.1f}  {growth:>6}  {'yes' if same else 'NO'}",
                flush=True,
            )
            last = alone


if __name__ == "__main__":
    main()
