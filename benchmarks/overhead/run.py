"""Measure what whole programs take in the default mode, against the same programs without us, in interleaved pairs.

    python benchmarks/overhead/run.py [--pairs 15] [--ranks 2] ['NAME=PLAIN::INSTRUMENTED' ...]

PLAIN and INSTRUMENTED are commands without a launcher: the program as its own compiler made it, and as aa-mpicc or
aa-mpifort did; where only MPI and I/O are to be measured they are the same. Without any, samples/heat is taken.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SAMPLE = HERE.parents[1] / "samples" / "heat"
SAMPLE_ARGUMENTS = ("2000", "2000", "100")
COVERAGE = 0.9


@dataclass(frozen=True)
class Case:
    """A program in both forms."""

    name: str
    plain: list[str]
    instrumented: list[str]


@dataclass(frozen=True)
class Run:
    """The wall time of the slowest rank, and the CPU time of all."""

    wall: float
    cpu: float


def parse_case(text: str) -> Case:
    """Read ``NAME=PLAIN::INSTRUMENTED``."""
    name, equals, commands = text.partition("=")
    plain, colons, instrumented = commands.partition("::")
    if not (equals and colons):
        raise argparse.ArgumentTypeError(f"expected NAME=PLAIN::INSTRUMENTED, found {text}")
    return Case(name, shlex.split(plain), shlex.split(instrumented))


def run_once(folder: Path, ranks: int, prefix: list[str], program: list[str]) -> Run:
    """Run a program on the ranks, each pinned."""
    times = folder / "times"
    times.mkdir(exist_ok=True)
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    pinned = [sys.executable, str(HERE / "rank.py"), str(times), cpus, *program]
    command = [*prefix, "mpirun", "-n", str(ranks), *pinned]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    taken = [[float(word) for word in (times / str(rank)).read_text().split()] for rank in range(ranks)]
    return Run(max(wall for wall, _ in taken), sum(cpu for _, cpu in taken))


def run_plain(folder: Path, case: Case, ranks: int) -> Run:
    """Run the program as it is."""
    return run_once(folder, ranks, [], case.plain)


def run_measured(folder: Path, case: Case, ranks: int) -> Run:
    """Run the instrumented program as a user does; what the gathering and the analysis take is not its time."""
    prefix = ["autoanalyzer", "run", "-o", "experiment", "--json", "findings.json", "--"]
    return run_once(folder, ranks, prefix, case.instrumented)


def interval(values: list[float]) -> tuple[float, float]:
    """Give the narrowest interval of order statistics that covers the median with 90 % or more."""
    ordered, below = sorted(values), 0.0
    for outside in range(len(ordered) // 2 + 1):
        below += math.comb(len(ordered), outside) / 2 ** len(ordered)
        if 1 - 2 * below < COVERAGE:
            break
    outside = max(outside - 1, 0)
    return ordered[outside], ordered[-1 - outside]


def show_ratio(name: str, plain: list[float], measured: list[float]) -> str:
    """Say the median of the pairs' ratios and its interval."""
    ratios = [100 * (after / before - 1) for before, after in zip(plain, measured, strict=True)]
    low, high = interval(ratios)
    return f"{name} {statistics.median(plain):6.2f} s {statistics.median(ratios):+6.1f} % [{low:+5.1f}, {high:+5.1f}]"


def show_printed(overhead: dict[str, Any]) -> str:
    """Say what the tool itself has printed of its cost, in the last of the runs."""
    of_wall, of_computing = overhead["percent"] or 0.0, overhead["of_computing"] or 0.0
    passed = f"{overhead['visits']} at {overhead['probe_ns']:.0f} ns"
    return f"printed {of_wall:.1f} %, of computing {of_computing:.1f} % ({passed})"


def compare(case: Case, ranks: int, pairs: int) -> None:
    """Take pairs in turn, every other one the other way round, and print the line of a program."""
    plain, measured = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_plain(folder, case, ranks)
        run_measured(folder, case, ranks)
        for pair in range(pairs):
            if pair % 2:
                measured.append(run_measured(folder, case, ranks))
            plain.append(run_plain(folder, case, ranks))
            if not pair % 2:
                measured.append(run_measured(folder, case, ranks))
        overhead = json.loads((folder / "findings.json").read_text())["overhead"]
    wall = show_ratio("wall", [run.wall for run in plain], [run.wall for run in measured])
    cpu = show_ratio("CPU", [run.cpu for run in plain], [run.cpu for run in measured])
    print(f"{case.name:12} {wall}   {cpu}   {show_printed(overhead)}", flush=True)


def build_sample(folder: Path) -> Case:
    """Compile samples/heat in both forms."""
    commands = []
    for compiler in ("mpicc", "aa-mpicc"):
        built = folder / compiler
        shutil.copytree(SAMPLE, built)
        subprocess.run(["make", "-s", f"CC={compiler}", "heat"], cwd=built, check=True)
        commands.append([str(built / "heat"), *SAMPLE_ARGUMENTS])
    return Case("samples/heat", *commands)


def main() -> None:
    """Print a line a program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("cases", nargs="*", type=parse_case, metavar="NAME=PLAIN::INSTRUMENTED")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for case in options.cases or [build_sample(Path(name))]:
            compare(case, options.ranks, options.pairs)


if __name__ == "__main__":
    main()
