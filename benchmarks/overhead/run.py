"""Time whole programs: plain, with idle probes, recorded, and recorded with only the probes that a run's plan keeps.

    python benchmarks/overhead/run.py [--rounds 15] [--ranks 2] [--beside 'TOOL=COMMAND' ...]
        ['NAME=PLAIN::INSTRUMENTED[::PLANNED]' ...]

PLAIN, INSTRUMENTED and PLANNED are commands without a launcher: the program as built by its own compiler, by a wrapper
such as aa-mpicc, and by the wrapper with the plan that `autoanalyzer run` wrote. Without arguments, samples/heat and
the two C++ programs in this folder are built and measured. ``--beside`` adds a column for the program under another
tool. The output is a Markdown table: the plain program's CPU seconds on all ranks, and how many percent more CPU time
the others take, with confidence intervals.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
HEAT = HERE.parents[1] / "samples" / "heat"
OWN = {
    "samples/heat": (["-std=c11", *map(str, HEAT.glob("*.c")), "-lm"], "cc", ["2000", "2000", "100"]),
    "particles (C++)": ([str(HERE / "particles.cpp")], "cxx", []),
    "lattice (C++)": ([str(HERE / "lattice.cpp")], "cxx", []),
}
COVERAGE = 0.9
PLAIN, IDLE, RECORDED, PLANNED = ROLES = ("plain", "idle", "recorded", "by the plan")


@dataclass(frozen=True)
class Case:
    """The commands of a program's builds; the one with a plan is None if a run throttles no region."""

    name: str
    plain: list[str]
    instrumented: list[str]
    planned: list[str] | None = None

    def roles(self) -> dict[str, list[str]]:
        """Return role → command; a missing build has no role."""
        commands = (self.plain, self.instrumented, self.instrumented, self.planned)
        return {role: command for role, command in zip(ROLES, commands, strict=True) if command}


@dataclass(frozen=True)
class Run:
    """The wall time of the slowest rank, and the CPU time of all ranks, in seconds."""

    wall: float
    cpu: float


def parse_case(text: str) -> Case:
    """Parse ``NAME=PLAIN::INSTRUMENTED[::PLANNED]``; raise an ArgumentTypeError if the text has another form."""
    name, equals, commands = text.partition("=")
    forms = [shlex.split(each) for each in commands.split("::")]
    if not equals or len(forms) not in (2, 3):
        raise argparse.ArgumentTypeError(f"expected NAME=PLAIN::INSTRUMENTED[::PLANNED], found {text}")
    return Case(name, *forms)


def parse_tool(text: str) -> tuple[str, list[str]]:
    """Parse ``TOOL=COMMAND``; raise an ArgumentTypeError if the text has another form, or the tool a role's name."""
    tool, equals, command = text.partition("=")
    if not equals or tool in ROLES:
        raise argparse.ArgumentTypeError(f"expected TOOL=COMMAND, found {text}")
    return tool, shlex.split(command)


def run_once(folder: Path, ranks: int, prefix: list[str], program: list[str]) -> Run:
    """Run a program, with each rank pinned to a core; exit if it fails.

    Args:
        folder: The working folder.
        ranks: The number of ranks.
        prefix: The words before the launcher; may be empty.
        program: The program's command.
    """
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


def run_as(role: str, folder: Path, command: list[str], ranks: int) -> Run:
    """Run the program in a role; gathering and analysis are not timed."""
    recorded = ["autoanalyzer", "run", "-o", "experiment", "--json", f"{role}.json", "--"]
    return run_once(folder, ranks, recorded if role in (RECORDED, PLANNED) else [], command)


def interval(values: list[float]) -> tuple[float, float]:
    """Return the narrowest interval between two values that contains the median with a probability of at least 90 %."""
    ordered, below = sorted(values), 0.0
    for outside in range(len(ordered) // 2 + 1):
        below += math.comb(len(ordered), outside) / 2 ** len(ordered)
        if 1 - 2 * below < COVERAGE:
            break
    outside = max(outside - 1, 0)
    return ordered[outside], ordered[-1 - outside]


def show_ratio(plain: list[float], other: list[float]) -> str:
    """Return how many percent ``other`` is above ``plain``, as text: the median over the rounds, and its interval."""
    ratios = [100 * (after / before - 1) for before, after in zip(plain, other, strict=True)]
    low, high = interval(ratios)
    return f"{statistics.median(ratios):+.1f} % [{low:+.1f}, {high:+.1f}]"


def show_printed(findings: Path) -> str:
    """Return the overhead that the tool itself reported in the last round, as a share of busy time, and the visits."""
    overhead = json.loads(findings.read_text())["overhead"]
    return f"{overhead['of_computing'] or 0.0:.1f} % ({overhead['visits']} visits)"


def compare(case: Case, ranks: int, rounds: int, tools: dict[str, list[str]]) -> None:
    """Run all roles in each round, each time starting with another role, and print the program's row."""
    roles = case.roles() | tools
    runs: dict[str, list[Run]] = {role: [] for role in roles}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for role, command in roles.items():
            run_as(role, folder, command, ranks)
        for turn in range(rounds):
            order = [*roles][turn % len(roles) :] + [*roles][: turn % len(roles)]
            for role in order:
                runs[role].append(run_as(role, folder, roles[role], ranks))
        cpu = {role: [run.cpu for run in taken] for role, taken in runs.items()}
        cells = [show_ratio(cpu[PLAIN], cpu[role]) if role in cpu else "" for role in (*ROLES[1:], *tools)]
        printed = show_printed(folder / f"{RECORDED}.json")
    print("|", " | ".join([case.name, f"{statistics.median(cpu[PLAIN]):.1f} s", *cells, printed]), "|", flush=True)


def build_own(name: str, folder: Path, ranks: int) -> Case:
    """Compile one of the programs in ``OWN``: plain, with probes and, if a run throttles regions, with its plan."""
    words, language, arguments = OWN[name]
    folder.mkdir()

    def build(form: str, compiler: str, plan: str = "") -> list[str]:
        command = [compiler, "-O2", "-w", *words, "-o", form]
        subprocess.run(command, cwd=folder, env={**os.environ, "AUTOANALYZER_PLAN": plan}, check=True)
        return [str(folder / form), *arguments]

    instrumented = build("instrumented", f"aa-mpi{language}")
    run_as(RECORDED, folder, instrumented, ranks)
    plan = folder / "experiment" / "plan.toml"
    planned = build("planned", f"aa-mpi{language}", str(plan)) if plan.exists() else None
    return Case(name, build("plain", f"mpi{language}"), instrumented, planned)


def main() -> None:
    """Print a row per program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--beside", action="append", default=[], type=parse_tool, metavar="TOOL=COMMAND")
    parser.add_argument("cases", nargs="*", type=parse_case, metavar="NAME=PLAIN::INSTRUMENTED[::PLANNED]")
    options = parser.parse_args()
    tools = dict(options.beside)
    print("| program | plain, CPU |", " | ".join((*ROLES[1:], *tools)), "| reported, of busy time |")
    print("|---" * (len(ROLES) + len(tools) + 2) + "|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        own = (build_own(each, Path(name, str(at)), options.ranks) for at, each in enumerate(OWN))
        for case in options.cases or own:
            compare(case, options.ranks, options.rounds, tools)


if __name__ == "__main__":
    main()
