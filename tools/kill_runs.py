"""Kill runs at random moments, and check that their recorded data are kept.

A rank, the launcher, autoanalyzer, or all of them are killed at any time. Afterwards, no process may hang; the
experiment must contain all regions that a rank had left, and the time until its last event; and the notes must name
ranks that did not end. Every run has a number, and ``--first`` with that number repeats its plan.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Experiment
from autoanalyzer.runs.open_experiment import open_experiment

SOURCE: Final = Path(__file__).parent / "kills.c"
BIN: Final = Path(sys.executable).parent
RANKS: Final = 3
STEPS: Final = 500_000  # all steps take some seconds, and runs are killed within the first two seconds
HANGS: Final = 1200  # seconds after which a killed run counts as hanging
VICTIMS: Final = ("rank", "every rank", "launcher", "autoanalyzer", "all", "time limit")


class Plan(NamedTuple):
    """A plan: the processes to kill, and when."""

    victim: str
    rank: int
    seconds: float


def plan(number: int) -> Plan:
    """Return the plan with the given number: the processes to kill, and when."""
    chance = random.Random(number)
    return Plan(chance.choice(VICTIMS), chance.randrange(RANKS), chance.uniform(0.0, 2.0))


def build(folder: Path, compiler: str) -> Path:
    """Compile the test program with probes; return the executable."""
    program = folder / "kills"
    environment = {**os.environ, "AUTOANALYZER_CC": compiler}
    subprocess.run([BIN / "aa-mpicc", "-O1", "-g", SOURCE, "-o", program], check=True, env=environment)
    return program


def processes(program: Path) -> list[int]:
    """Return the process IDs of a program's running ranks."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "exe").readlink() == program:
                found.append(int(process.name))
        except OSError:
            continue
    return sorted(found)


def children(pid: int) -> list[int]:
    """Return the IDs of the processes that a process has started."""
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def kill(wanted: list[int], number: int = signal.SIGKILL) -> None:
    """Send a signal to the processes that still exist."""
    for pid in wanted:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def strike(case: Plan, run: subprocess.Popen[bytes], program: Path) -> None:
    """Carry out the plan; time starts with the first rank, because the probe library may have to be built before."""
    while not processes(program) and run.poll() is None:
        time.sleep(0.02)
    time.sleep(case.seconds)
    ranks = processes(program)
    match case.victim:
        case "rank":
            kill(ranks[case.rank : case.rank + 1])
        case "every rank":
            kill(ranks)
        case "launcher":
            kill(children(run.pid))
        case "autoanalyzer":
            kill([run.pid])
        case "all":
            kill([run.pid, *children(run.pid), *ranks])
        case "time limit":
            kill([run.pid], signal.SIGTERM)


def ended(run: subprocess.Popen[bytes], program: Path) -> bool:
    """Wait for the run, and for ranks whose launcher was killed; return whether all have ended."""
    try:
        run.wait(HANGS)
    except subprocess.TimeoutExpired:
        return False
    end = time.monotonic() + HANGS
    while processes(program) and time.monotonic() < end:
        if run.returncode == -signal.SIGKILL:
            kill(processes(program))  # a launcher whose parent has died continues
        time.sleep(0.05)
    return not processes(program)


def defect(experiment: Experiment | None, left: dict[int, int], *, finished: bool) -> str:
    """Return what is missing or wrong in a run's experiment; an empty string if nothing is.

    Args:
        experiment: The experiment; None if nothing was recorded.
        left: Rank → the number of times that the rank had left the region ``step``.
        finished: Whether the run ended before it was killed.
    """
    if experiment is None:
        return f"nothing was kept, but ranks had left regions: {left}" if any(left.values()) else ""
    notes = experiment.notes
    kept = {each.process for each in experiment.locations}
    lost = [rank for rank, count in left.items() if count and rank not in kept]
    if lost:
        return f"ranks {lost} were not kept"
    if not finished and not notes.unfinished and not notes.missing:
        return "the notes do not report that the run was killed"
    names = [path.region.name for path in experiment.call_paths]
    for column, place in enumerate(experiment.locations):
        visits = sum(
            experiment.exclusive("visits")[number, column] for number, name in enumerate(names) if name == "step"
        )
        closed = left.get(place.process, 0)
        if not closed <= visits <= closed + 1:
            return f"rank {place.process} had left step {closed} times, found {visits:.0f} visits"
        times = experiment.exclusive("wall_time")[:, column]
        if not (np.isfinite(times).all() and (times >= 0).all() and times.sum() > 0):
            return f"rank {place.process} has impossible times"
    return ""


def tried(case: Plan, program: Path, launcher: str, folder: Path) -> tuple[str, str]:
    """Start a run and kill it; return the outcome and what went wrong."""
    command = [launcher, "-n", str(RANKS), str(program), str(folder), str(STEPS)]
    words = [BIN / "autoanalyzer", "run", "--no-analyze", "-o", folder / "out", "--", *command]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder) as run:
        strike(case, run, program)
        if not ended(run, program):
            kill([run.pid, *children(run.pid), *processes(program)])
            return "", "the run hangs"
    left = {
        int(each.suffix[1:]): struct.unpack("l", each.read_bytes())[0]
        for each in folder.glob("left.*")
        if each.stat().st_size
    }
    finished = run.returncode == 0
    try:
        experiment, _ = open_experiment(folder / "out")
    except InputError as error:
        return ("nothing recorded yet", "") if not any(left.values()) else ("", str(error))
    wrong = defect(experiment, left, finished=finished)
    return ("", wrong) if wrong else ("finished before" if finished else "kept", "")


def main() -> int:
    """Kill the requested number of runs; return 1 if one lost data or did not end, otherwise 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=100, metavar="N", help="number of runs (default: %(default)s)")
    parser.add_argument("--first", type=int, default=1, metavar="NUMBER", help="number of the first run")
    parser.add_argument("--launcher", default="mpirun", help="MPI launcher (default: %(default)s)")
    parser.add_argument("--compiler", default="mpicc", help="C compiler of the launcher's MPI (default: %(default)s)")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as work:
        program = build(Path(work), options.compiler)
        for number in range(options.first, options.first + options.runs):
            case = plan(number)
            with tempfile.TemporaryDirectory(dir=work) as folder:
                outcome, wrong = tried(case, program, options.launcher, Path(folder))
            outcomes[f"{case.victim}: {outcome or 'failed'}"] += 1
            if wrong:
                sys.stdout.write(f"run {number}, {case.victim} after {case.seconds:.3f} s: {wrong}\n")
                sys.stdout.flush()
    failures = sum(count for outcome, count in outcomes.items() if outcome.endswith(": failed"))
    sys.stdout.writelines(f"{count:6} {outcome}\n" for outcome, count in sorted(outcomes.items()))
    sys.stdout.write(f"{failures:6} failures in {options.runs} runs\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
