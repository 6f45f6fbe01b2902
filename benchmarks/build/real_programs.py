"""Build and run programs of yours, plain and with probes, and write what came of it as the table of docs/real-programs.md.

    python benchmarks/build/real_programs.py LIST.toml [--modes MODES]... [--rounds 1] [NAME...]

``programs.py`` says what a list holds. Each program is built by its own commands, with nothing but the compilers' names
changed, and with each choice of modes. Builds (cold: nothing kept from before; warm: once more) and the run are compared
by the time of all processors. Any build or run that fails is a row that says so.
"""

from __future__ import annotations

import argparse
import re
import shlex
import tempfile
from pathlib import Path

from autoanalyzer.experiment import load
from autoanalyzer.experiment.mode import MODES
from programs import Copy, Done, Program, copies_of, read_programs

EVERYTHING = ",".join(MODES)
HEAD = """| program | modes | verified | output | regions | closed by repair | passed through | build cold | warm | run |
|---|---|---|---|---|---|---|---|---|---|"""
_PASSED = re.compile(r"^autoanalyzer: (.*); compiled as it is$", re.M)
_OUT = "autoanalyzer-out"


def rows(program: Program, modes: list[str], cache: Path, rounds: int) -> list[str]:
    """Build and run one program; a row for each choice of modes, below them what was passed through."""
    found: list[str] = []
    named: set[str] = set()
    for choice in modes:
        variables = {"AUTOANALYZER_MODES": choice} if choice else {}
        label = "default" if not choice else "everything" if choice == EVERYTHING else choice
        with copies_of(program, cache, variables) as (plain, probed):
            row, passed = _row(program, plain, probed, rounds)
        found.append(f"| {program.name} | {label} | {row} |")
        named |= passed
    return [*found, *(f"\n{program.name}: {each}" for each in sorted(named))]


def _row(program: Program, plain: Copy, probed: Copy, rounds: int) -> tuple[str, set[str]]:
    builds = {"plain": plain.build(), "first": probed.build(cold=True)}  # the first also builds the probe library
    if failed := next((kind for kind, done in builds.items() if done.status), ""):
        return f"the {failed} build failed: {_last_line(builds[failed])}" + " |" * 7, set()
    cold, warm = probed.build(cold=True), probed.build()
    passed = set(_PASSED.findall(warm.messages))
    times = [f"{done.cpu / builds['plain'].cpu:.2f}" for done in (cold, warm)]
    if not program.run:
        return " | ".join(["", "", "", "", str(len(passed)), *times, ""]), passed
    runs = [(plain.call(program.run), probed.call(_measured(program, probed.folder / _OUT))) for _ in range(rounds)]
    untouched, measured = runs[-1]
    if untouched.status or measured.status:
        done, kind = (untouched, "plain") if untouched.status else (measured, "measured")
        return f"the {kind} run ended with {done.status}: {_last_line(done)}" + " |" * 7, passed
    experiment = load(probed.folder / _OUT)
    verified = [bool(re.search(program.verify, done.output, re.M)) for done in runs[-1]]
    equal = _kept(program, untouched) == _kept(program, measured)
    ratio = min(done.cpu for _, done in runs) / min(done.cpu for done, _ in runs)
    regions = len({path.region for path in experiment.call_paths})
    return " | ".join(
        [
            "yes" if all(verified) else "no" if verified[0] else "plain: no",
            "equal" if equal else "differs",
            str(regions),
            str(experiment.notes.repairs),
            str(len(passed)),
            *times,
            f"{ratio:.2f}",
        ]
    ), passed


def _measured(program: Program, out: Path) -> str:
    """Put the launcher under ``autoanalyzer run``, whatever the command does before and after it."""
    run = f"autoanalyzer run -o {shlex.quote(str(out))} -- "
    return re.sub(r"\bmpi(?:run|exec)\b", lambda match: run + match.group(), program.run, count=1)


def _kept(program: Program, done: Done) -> str:
    """Give what two runs must share of their output."""
    return re.sub(program.ignore, "", done.output, flags=re.M) if program.ignore else done.output


def _last_line(done: Done) -> str:
    lines = [line for line in done.messages.splitlines() if line.strip()]
    return lines[-1].replace("|", "/")[:100] if lines else f"status {done.status}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path, metavar="LIST.toml", help="programs: folders and commands")
    parser.add_argument(
        "--modes", action="append", help="as AUTOANALYZER_MODES; can be repeated (default: what is default, and all)"
    )
    parser.add_argument("--rounds", type=int, default=1, help="runs of each kind; the least time counts (default 1)")
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs of the list (default: all)")
    arguments = parser.parse_intermixed_args()
    print(HEAD)
    modes = arguments.modes or ["", EVERYTHING]
    with tempfile.TemporaryDirectory() as cache:
        for program in read_programs(arguments.list):
            if not arguments.names or program.name in arguments.names:
                print(*rows(program, modes, Path(cache), arguments.rounds), sep="\n", flush=True)


if __name__ == "__main__":
    main()
