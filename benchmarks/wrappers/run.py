"""What the MPI and I/O wrappers cost: the same calls with and without the probe library, in turn, on one core.

    python benchmarks/wrappers/run.py [--rounds 9]

The least CPU time of all rounds is given: neighbours and frequency only ever add.
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
    """Nanoseconds a call, by the call's name."""
    output = subprocess.run(
        [program], cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=True
    ).stdout
    return {name: float(ns) for name, ns in (line.split("\t") for line in output.splitlines())}


def compare(compiler: str, rounds: int) -> None:
    """Print the least of interleaved rounds, for one MPI library."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "calls"
        subprocess.run([compiler, "-O2", "-w", str(SOURCE), "-o", str(program), "-ldl"], check=True)
        preload = {"LD_PRELOAD": str(probe_library(find_mpi([str(program)]))), "AUTOANALYZER_SHARDS": name}
        plain, measured = [], []
        for _ in range(rounds):
            plain.append(run_once(program, folder, {}))
            measured.append(run_once(program, folder, preload))
    print(f"\n{compiler}, least of {rounds} rounds\n{'':38}{'plain':>9}{'measured':>10}{'cost':>9}  ns")
    for call in plain[0]:
        before = min(round_[call] for round_ in plain)
        after = min(round_[call] for round_ in measured)
        print(f"{call:38}{before:9.1f}{after:10.1f}{after - before:9.1f}")


def main() -> None:
    """Compare under each MPI library that is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for compiler in ("mpicc.openmpi", "mpicc.mpich"):
        if shutil.which(compiler):
            compare(compiler, arguments.rounds)


if __name__ == "__main__":
    main()
