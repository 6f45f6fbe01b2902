"""Build and run your own programs, plain and with probes, and print a table as in docs/evidence/real-programs.md.

    python benchmarks/build/real_programs.py LIST.toml [--modes MODES]... [--rounds 1] [NAME...]

``programs.py`` describes the format of a list. For each choice of modes, each program is built with its own commands,
in which only the names of the compilers change. Builds (cold: without caches; warm: repeated with caches) are compared
by CPU time, runs by the launcher's wall time. If a build or run fails, the program's row reports the failure. The MPI
library is the one whose compilers and launcher come first on PATH.
"""

from __future__ import annotations

import argparse
import re
import shlex
import tempfile
from pathlib import Path

from autoanalyzer.experiment import load
from autoanalyzer.experiment.plan.mode import MODES
from programs import Copy, Done, Program, copies_of, read_programs

EVERYTHING = ",".join(MODES)
COLUMNS = (
    *("program", "modes", "verified", "output", "regions", "call paths", "visits", "closed by repair"),
    *("passed through", "build cold", "warm", "run, s", "measuring cost"),
)
_PASSED = re.compile(r"^autoanalyzer: (.*); compiled unchanged$", re.M)
_COST = re.compile(r"measuring overhead ((?:< )?[\d.]+ %)")
_LAUNCHER = re.compile(r"\bmpi(?:run|exec)\b")
_OUT = "autoanalyzer-out"
_SECONDS = "launcher.seconds"


def rows(program: Program, modes: list[str], cache: Path, rounds: int) -> list[str]:
    """Build and run a program; return a row per choice of modes, then the files compiled unchanged, and why."""
    found: list[str] = []
    named: set[str] = set()
    for choice in modes:
        variables = {"AUTOANALYZER_MODES": choice} if choice else {}
        label = "default" if not choice else "everything" if choice == EVERYTHING else choice
        with copies_of(program, cache, variables) as (plain, probed):
            cells, passed = _cells(program, plain, probed, rounds)
        found.append(_line(program.name, label, *cells))
        named |= passed
    return [*found, *(f"\n{program.name}: {each}" for each in sorted(named))]


def _line(*cells: str) -> str:
    return f"| {' | '.join([*cells, *[''] * (len(COLUMNS) - len(cells))])} |"


def _cells(program: Program, plain: Copy, probed: Copy, rounds: int) -> tuple[list[str], set[str]]:
    builds = {"plain": plain.build(), "first": probed.build(cold=True)}  # this one also builds the probe library
    if failed := next((kind for kind, done in builds.items() if done.status), ""):
        return [f"the {failed} build failed: {_last_line(builds[failed])}"], set()
    cold, warm = probed.build(cold=True), probed.build()
    passed = set(_PASSED.findall(warm.messages))
    built = [str(len(passed)), *(f"{done.cpu / builds['plain'].cpu:.2f}" for done in (cold, warm))]
    if not program.run:
        return ["", "", "", "", "", "", *built], passed
    runs = [(_run(plain), _run(probed, measured=True)) for _ in range(rounds)]
    for kind, (done, _) in zip(("plain", "measured"), runs[-1], strict=True):
        if done.status:
            return [f"the {kind} run ended with {done.status}: {_last_line(done)}"], passed
    (untouched, _), (measured, _) = runs[-1]
    experiment = load(probed.folder / _OUT)
    verified = [bool(re.search(program.verify, done.output, re.M)) for done in (untouched, measured)]
    equal = _kept(program, untouched) == _kept(program, measured)
    least = (min(seconds for _, seconds in kind) for kind in zip(*runs, strict=True))
    cost = _COST.search(measured.messages)
    return [
        "yes" if all(verified) else "no" if verified[0] else "plain: no",
        "equal" if equal else "differs",
        f"{len({path.region for path in experiment.call_paths}):,}",
        f"{len(experiment.call_paths):,}",
        f"{experiment.exclusive('visits').sum():,.0f}",
        str(experiment.notes.repairs),
        *built,
        " → ".join(f"{seconds:.2f}" for seconds in least),
        cost[1] if cost else "",
    ], passed


def _run(copy: Copy, *, measured: bool = False) -> tuple[Done, float]:
    """Run a program, optionally under ``autoanalyzer run``; return the result, and the launcher's wall seconds.

    If the command fails, 0 is returned instead of the seconds.
    """
    place = copy.folder / _SECONDS
    clock = f"bash -c 'TIMEFORMAT=%R; {{ time \"$@\" 2>&3; }} 3>&2 2> \"$0\"' {shlex.quote(str(place))} "
    run = f"autoanalyzer run -o {shlex.quote(str(copy.folder / _OUT))} -- " if measured else ""
    done = copy.call(_LAUNCHER.sub(lambda match: run + clock + match.group(), copy.program.run, count=1))
    return done, float(place.read_text().split()[-1]) if done.status == 0 else 0


def _kept(program: Program, done: Done) -> str:
    """Return the output of a run without the parts that may differ between two runs."""
    return re.sub(program.ignore, "", done.output, flags=re.M) if program.ignore else done.output


def _last_line(done: Done) -> str:
    lines = [line for line in done.messages.splitlines() if line.strip()]
    return lines[-1].replace("|", "/")[:100] if lines else f"status {done.status}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path, metavar="LIST.toml", help="programs: folders and commands")
    parser.add_argument(
        "--modes", action="append", help="value of AUTOANALYZER_MODES; can be repeated (default: the default, and all)"
    )
    parser.add_argument("--rounds", type=int, default=1, help="runs of each kind; the minimum time is used (default 1)")
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs in the list (default: all)")
    arguments = parser.parse_intermixed_args()
    print(_line(*COLUMNS), "|---" * len(COLUMNS) + "|", sep="\n")
    modes = arguments.modes or ["", EVERYTHING]
    with tempfile.TemporaryDirectory() as cache:
        for program in read_programs(arguments.list):
            if not arguments.names or program.name in arguments.names:
                print(*rows(program, modes, Path(cache), arguments.rounds), sep="\n", flush=True)


if __name__ == "__main__":
    main()
