"""Measure how much a counting run slows programs down.

    python benchmarks/counting/run.py [--rounds 5] [--compiler gcc] [-- COMMAND]

Without a command, the loops in ``loops.c`` are run plainly, under Valgrind without counting, under the counting tool,
and under Valgrind's own cache-simulating profilers, in turn. A command, such as ``mpirun -n 4 ./app``, whose program
was built by a compiler wrapper, is run in the first three ways, in the current folder.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from autoanalyzer.experiment import Experiment
from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.counting.cache_geometry import CacheGeometry
from autoanalyzer.runtime.counting.command import counting_command
from autoanalyzer.runtime.counting.short_paths import write_short_paths
from autoanalyzer.runtime.counting.tool import TOOL, counting_tool
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.folder import RunFolder
from autoanalyzer.runtime.gather.gather import gather
from autoanalyzer.runtime.launch import SHORT_PATHS_VARIABLE, launch, measured_environment
from autoanalyzer.runtime.mpi.detection import find_mpi
from autoanalyzer.runtime.simulated_events import SIMULATED_EVENTS, event_options

LOOPS = Path(__file__).parent / "loops.c"
CACHES = CacheGeometry()
# In a profiler with two levels, the last level corresponds to our L2.
PROFILED = ["--cache-sim=yes", f"--D1={CACHES.l1.option}", f"--LL={CACHES.l2.option}", "--I1=32768,8,64"]
PLAIN, NOTHING, COUNTED = "plain", "Valgrind, nothing counted", "rtcount"
SIMULATED = [f"--tool={TOOL}", f"--l1={CACHES.l1.option}", f"--l2={CACHES.l2.option}"]
VARIANTS: dict[str, list[str]] = {
    PLAIN: [],
    NOTHING: ["--tool=none"],
    COUNTED: SIMULATED,
    "rtcount, events": [*SIMULATED, *event_options("simulated")],
    "rtcount, denormals at once": [*SIMULATED, *event_options(f"simulated:{','.join(SIMULATED_EVENTS)}")],
    "cachegrind": ["--tool=cachegrind", "--cachegrind-out-file=/dev/null", *PROFILED],
    "callgrind": ["--tool=callgrind", "--callgrind-out-file=/dev/null", *PROFILED],
}
COMPUTING, WALL = "computing, CPU", "slowest rank, wall"


def measure_loops(program: Path, variant: str, tools: Path) -> dict[str, float]:
    """Run the loops in one way; return CPU seconds by loop.

    Args:
        program: The compiled loops.
        variant: A key of ``VARIANTS``.
        tools: The folder with the counting tool and Valgrind's own tools.
    """
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


def measure_ways(command: list[str], folder: Path) -> dict[str, dict[str, float]]:
    """Run a program with probes in the first three ways; return way → the result of ``seconds``."""
    plain = measure_program(command, PLAIN, folder)
    short = write_short_paths(folder / "short-paths", [plain])
    return {
        PLAIN: seconds(plain),
        NOTHING: seconds(measure_program(command, NOTHING, folder)),
        COUNTED: seconds(measure_program(command, COUNTED, folder, {SHORT_PATHS_VARIABLE: str(short)})),
    }


def measure_program(
    command: list[str], variant: str, folder: Path, variables: Mapping[str, str] | None = None
) -> Experiment:
    """Run a program with probes in one way; return what was recorded.

    Args:
        command: The command line.
        variant: ``PLAIN``, ``NOTHING`` or ``COUNTED``.
        folder: The output folder.
        variables: Additional environment variables.

    Raises:
        SystemExit: The program has no probes, or did not record anything.
    """
    run = RunFolder(folder)
    run.prepare()
    facts = RunFacts(command)
    facts.write(run.shards)
    mpi = find_mpi(command)
    words, environment = command, {**measured_environment(probe_library(mpi), run.shards), **(variables or {})}
    if variant != PLAIN:
        words, environment = counting_command(command, CACHES, environment, launcher=mpi.launcher)
    if variant == NOTHING:
        words = [*(word.replace(f"--tool={TOOL}", "--tool=none") for word in words if not of_tool(word))]
        environment = {**environment, "AUTOANALYZER_COUNTERS": "none"}
    log = folder / "log"
    status = launch(words, environment, launcher=mpi.openmpi_launcher, log=log)
    experiment = gather(run, facts)
    if experiment is None:
        raise SystemExit(f"{variant}: expected a program with probes, found none; status {status}, see {log}")
    return experiment


def of_tool(word: str) -> bool:
    """Return whether an option exists only in the counting tool."""
    return word.startswith(("--l1=", "--l2=", "--leave-out="))


def seconds(experiment: Experiment) -> dict[str, float]:
    """Return the CPU time of all ranks outside MPI, and the slowest rank's wall time, in seconds.

    Both exclude MPI_Init and MPI_Finalize, and functions whose names begin with these.
    """
    paths = experiment.call_paths
    between = [at for at, path in enumerate(paths) if not path.region.name.startswith(("MPI_Init", "MPI_Finalize"))]
    computing = experiment.exclusive("cpu_time") - experiment.exclusive("mpi_cpu_time")
    wall = experiment.exclusive("wall_time")
    return {
        COMPUTING: float(computing[between].sum()),
        WALL: float(wall[between].sum(axis=0).max()),
    }


def print_table(rounds: list[dict[str, dict[str, float]]]) -> None:
    """Print the median seconds, and in brackets the median ratio to the plain run of the same round."""
    names = list(rounds[0][PLAIN])
    width = max(16, *(len(name) + 2 for name in names))
    print(f"{'seconds (ratio)':28}" + "".join(f"{name:>{width}}" for name in names))
    for variant in rounds[0]:
        taken = {name: statistics.median(one[variant][name] for one in rounds) for name in names}
        ratio = {name: statistics.median(one[variant][name] / one[PLAIN][name] for one in rounds) for name in names}
        print(f"{variant:28}" + "".join(f"{f'{taken[name]:.3f} ({ratio[name]:.1f})':>{width}}" for name in names))


def main() -> None:
    """Run all variants in each round, so that changes in the machine's speed affect all of them; print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compiler", default="gcc", help="compiler for the loops")
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="a launcher and a program with probes")
    arguments = parser.parse_args()
    _, tools = counting_tool()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if arguments.command:
            taken = [measure_ways(arguments.command, folder / "run") for _ in range(arguments.rounds)]
        else:
            program = folder / "loops"
            subprocess.run([arguments.compiler, "-O2", str(LOOPS), "-o", str(program)], check=True)
            taken = [{way: measure_loops(program, way, tools) for way in VARIANTS} for _ in range(arguments.rounds)]
        print_table(taken)


if __name__ == "__main__":
    main()
