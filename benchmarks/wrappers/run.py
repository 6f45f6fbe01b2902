"""Measure how much time the wrappers of MPI and I/O functions add to a call, without and with the critical path.

The same calls run without the probe library, with it, and with the critical path recorded, in turn, on one core.

    python benchmarks/wrappers/run.py [--rounds 9]

The minimum CPU time of all rounds is printed, because other load and a lower clock frequency can only add time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.mpi.detection import find_mpi

SOURCE = Path(__file__).parent / "calls.c"


def run_once(program: Path, folder: Path, variables: dict[str, str]) -> dict[str, float]:
    """Run the program once with additional environment variables; return CPU nanoseconds per call, by call."""
    output = subprocess.run(
        [program], cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=True
    ).stdout
    return {name: float(ns) for name, ns in (line.split("\t") for line in output.splitlines())}


def compare(compiler: str, rounds: int) -> None:
    """Run the program's variants in turn, and print each call's minimum time, for the MPI library of a compiler."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "calls"
        subprocess.run([compiler, "-O2", "-w", str(SOURCE), "-o", str(program), "-ldl"], check=True)
        preload = {"LD_PRELOAD": str(probe_library(find_mpi([str(program)]))), "AUTOANALYZER_SHARDS": name}
        variants: list[dict[str, str]] = [{}, preload, {**preload, "AUTOANALYZER_PATH": "always"}]
        found: list[list[dict[str, float]]] = [[], [], []]
        for _ in range(rounds):
            for variant, of_variant in zip(variants, found, strict=True):
                of_variant.append(run_once(program, folder, variant))
    print(f"\n{compiler}, minimum of {rounds} rounds, ns")
    print(f"{'':38}{'plain':>9}{'measured':>10}{'cost':>9}{'with path':>11}{'cost':>9}")
    for call in found[0][0]:
        plain, measured, path = (min(round_[call] for round_ in of_variant) for of_variant in found)
        print(f"{call:38}{plain:9.1f}{measured:10.1f}{measured - plain:9.1f}{path:11.1f}{path - plain:9.1f}")


def main() -> None:
    """Measure with Open MPI and with MPICH, if they are installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for compiler in ("mpicc.openmpi", "mpicc.mpich"):
        if shutil.which(compiler):
            compare(compiler, arguments.rounds)


if __name__ == "__main__":
    main()
