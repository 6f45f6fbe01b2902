"""Measure how good verdicts on scaling are: programs with and without planted faults run with 1, 2, 4 and 8 ranks.

Prints the score of each verdict, and a table, worst first. Programs and runs that are kept are not made again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..job import Job, JobError
from .case import CLEAN, FAULTS, RANKS, ScaledCase, scaled_case
from .score import ScaledScore, planted_in, scored


@dataclass(frozen=True)
class Outcome:
    """A case, and the score of its verdict."""

    case: ScaledCase
    score: ScaledScore

    @property
    def name(self) -> str:
        """The seed, language and faults of the case as text."""
        faults = " + ".join(f"{each.kind} {each.strength:.0%}" for each in self.case.truths) or CLEAN
        return f"seed {self.case.seed:3} {self.case.language:3} {faults}"

    def __str__(self) -> str:
        score = self.score
        lacking = [each.truth.kind for each, found in zip(score.planted, score.found, strict=True) if not found]
        parts = ["right " if score.right else "WRONG ", self.name]
        parts += [f"measured {', '.join(f'{each:.0%}' for each in score.measured)}"] if score.measured else []
        parts += [] if score.first else ["another cause is first"]
        parts += [f"not named: {', '.join(lacking)}"] if lacking else []
        parts += [f"invented: {', '.join(f'{what} {share:.0%}' for what, share in score.invented)}"] * bool(
            score.invented
        )
        parts += [] if score.sums else ["losses do not add up"]
        held = ", ".join(f"{name} {'none' if off is None else f'{off:+.1%}'}" for name, off in score.held.items())
        return "; ".join([*parts, f"predicted: {held}"])


def judged(case: ScaledCase, folder: Path, counters: str) -> Outcome:
    """Build and run a case, and judge the verdict; a program and runs that are in the folder are used again."""
    folder.mkdir(parents=True, exist_ok=True)
    printed = case.printed()
    job = Job(folder, case.program, case.language)
    if not (folder / "app").exists():
        job.write(printed)
        job.build(printed)
    numbers = ",".join(map(str, RANKS))
    options = ("-o", "study", "--ranks", numbers, "--counters", counters, "--mode", "strong", "--no-advice")
    job.do(["autoanalyzer", "scale", *options, "--json", "scale.json", "--", "mpirun", "-n", "{ranks}", "./app"])
    document = json.loads((folder / "scale.json").read_text())
    return Outcome(case, scored(planted_in(case.truths, printed), document))


def table(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield the rows of a table in Markdown, worst first."""
    every = [*outcomes]
    yield "| strongest fault | programs | first cause right | all named | something invented |"
    yield "|---|---:|---:|---:|---:|"
    rows = []
    for kind in (*FAULTS, CLEAN):
        mine = [each for each in every if (each.case.truths[0].kind if each.case.truths else CLEAN) == kind]
        if mine:
            first = sum(each.score.first for each in mine)
            named = sum(all(each.score.found) for each in mine)
            invented = sum(bool(each.score.invented) for each in mine)
            said = f"| {first} | {named} |" if kind != CLEAN else "|  |  |"
            worst = min(first, len(mine) - invented) / len(mine), named / len(mine)
            rows.append((worst, f"| {kind} | {len(mine)} {said} {invented} |"))
    yield from (row for _, row in sorted(rows))


def main() -> int:
    """Run the suite."""
    parser = argparse.ArgumentParser(prog="python -m tests.suite.scaled", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=14, help="default: each kind alone, and with another")
    parser.add_argument("--seed", type=int, default=0, help="of the first case; the next ones follow")
    parser.add_argument("--seconds", type=float, default=0.15, help="that one rank computes, without faults")
    parser.add_argument("--clean", action="store_true", help="only programs without a fault")
    parser.add_argument("--counters", choices=("simulated", "none"), default="simulated")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep programs and runs there")
    arguments = parser.parse_args()
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep.resolve() if arguments.keep else Path(temporary)
        for seed in range(arguments.seed, arguments.seed + arguments.cases):
            case = scaled_case(seed, seconds=arguments.seconds, clean=arguments.clean)
            try:
                outcomes.append(judged(case, folder / f"{seed}{'-clean' * arguments.clean}", arguments.counters))
            except (JobError, subprocess.SubprocessError) as error:
                print(f"BROKEN seed {seed} {case.language}: {error}", flush=True)
                continue
            print(outcomes[-1], flush=True)
    print(*table(outcomes), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
