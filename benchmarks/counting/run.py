"""Measure what a counting run costs, beside Valgrind's own profilers that simulate caches."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from autoanalyzer.runtime.counting.cache_geometry import CacheGeometry
from autoanalyzer.runtime.counting.tool import counting_tool

LOOPS = Path(__file__).parent / "loops.c"
CACHES = CacheGeometry()
# To a profiler with two levels the last one is L2, as it is to us.
PROFILED = ["--cache-sim=yes", f"--D1={CACHES.l1.option}", f"--LL={CACHES.l2.option}", "--I1=32768,8,64"]
VARIANTS: dict[str, list[str]] = {
    "plain": [],
    "Valgrind, nothing counted": ["--tool=none"],
    "rtcount": ["--tool=rtcount", f"--l1={CACHES.l1.option}", f"--l2={CACHES.l2.option}"],
    "cachegrind": ["--tool=cachegrind", "--cachegrind-out-file=/dev/null", *PROFILED],
    "callgrind": ["--tool=callgrind", "--callgrind-out-file=/dev/null", *PROFILED],
}


def measure(program: Path, variant: str, tools: Path) -> dict[str, float]:
    """Run one variant; give CPU seconds by loop."""
    command = [*(["valgrind", "-q", *VARIANTS[variant]] if VARIANTS[variant] else []), str(program)]
    cpu = str(max(os.sched_getaffinity(0)))
    run = subprocess.run(
        ["taskset", "-c", cpu, *command],
        env={**os.environ, "VALGRIND_LIB": str(tools)},
        stderr=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return {name: int(value) * 1e-9 for name, value in (line.split() for line in run.stdout.splitlines())}


def print_table(medians: dict[str, dict[str, float]]) -> None:
    """Print CPU seconds, and in brackets the ratio to the plain run."""
    plain = medians["plain"]
    print(f"{'CPU seconds (ratio)':28}" + "".join(f"{loop:>16}" for loop in plain))
    for variant, values in medians.items():
        cells = [f"{values[loop]:.3f} ({values[loop] / plain[loop]:.1f})" for loop in plain]
        print(f"{variant:28}" + "".join(f"{cell:>16}" for cell in cells))


def main() -> None:
    """Take the rounds in turn, so that a change in the machine's speed meets all variants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compiler", default="gcc")
    arguments = parser.parse_args()
    _, tools = counting_tool()
    with tempfile.TemporaryDirectory() as temporary:
        program = Path(temporary) / "loops"
        subprocess.run([arguments.compiler, "-O2", str(LOOPS), "-o", str(program)], check=True)
        rounds = [{variant: measure(program, variant, tools) for variant in VARIANTS} for _ in range(arguments.rounds)]
    print_table(
        {
            variant: {loop: statistics.median(one[variant][loop] for one in rounds) for loop in rounds[0][variant]}
            for variant in VARIANTS
        }
    )


if __name__ == "__main__":
    main()
