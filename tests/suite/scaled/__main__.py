"""Measure how good verdicts on scaling are: programs with and without planted faults run with 1, 2, 4 and 8 ranks.

Prints the score of each verdict, a table, worst first, and sums. With ``--load``, the same programs, with more work,
are judged by their times alone, too. Programs and runs that are kept are not made again, so an interrupted suite
continues.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import Any

from ..job import Job, JobError, busy
from .case import CLEAN, FAULTS, RANKS, ScaledCase, kinds_of, scaled_case
from .score import ScaledScore, planted_in, scored

COUNTED, TIMED = "counted", "by times alone"
_LONGER = 6  # times the work of a counted program; without a simulation, it takes less time
_TIMEOUT = 7200  # seconds for all runs of a program, on a busy machine


@dataclass(frozen=True)
class Outcome:
    """A case, how it was recorded, and the score of its verdict; None if it could not be run or judged."""

    case: ScaledCase
    how: str
    score: ScaledScore | None
    error: str = ""

    @property
    def kind(self) -> str:
        """The kind of the strongest fault."""
        return self.case.truths[0].kind if self.case.truths else CLEAN

    @property
    def name(self) -> str:
        """The seed, language and faults of the case, and how it was recorded, as text."""
        faults = " + ".join(f"{each.kind} {each.strength:.0%}" for each in self.case.truths) or CLEAN
        return f"seed {self.case.seed:3} {self.case.language:3} {faults}, {self.how}"

    def __str__(self) -> str:
        score = self.score
        if score is None:
            return f"BROKEN {self.name}: {self.error}"
        lacking = [each.truth.kind for each, found in zip(score.planted, score.found, strict=True) if not found]
        parts = ["right " if score.right else "WRONG ", self.name]
        parts += [f"measured {', '.join(f'{each:.0%}' for each in score.measured)}"] if score.measured else []
        parts += [] if score.first else [f"another cause is first{', uncertain' * score.hedged}"]
        parts += [f"not named: {', '.join(lacking)}"] if lacking else []
        parts += [f"larger, not judged: {', '.join(score.ahead)}"] if score.ahead else []
        parts += [f"invented: {', '.join(f'{what} {share:.0%}' for what, share in score.invented)}"] * bool(
            score.invented
        )
        parts += [] if score.mode == "strong" else [f"mode: {score.mode}"]
        parts.append(f"not explained {score.unexplained:.0%}")
        held = ", ".join(f"{name} {'none' if off is None else f'{off:+.1%}'}" for name, off in score.held.items())
        return "; ".join([*parts, f"predicted: {held}"])

    def record(self) -> dict[str, Any]:
        """Return the outcome as JSON data."""
        faults = [[each.kind, each.strength] for each in self.case.truths]
        found = {"seed": self.case.seed, "language": self.case.language, "faults": faults, "how": self.how}
        if self.score is None:
            return {**found, "error": self.error}
        score = {name: value for name, value in asdict(self.score).items() if name != "planted"}
        return {**found, **score, "right": self.score.right}


def judged(case: ScaledCase, folder: Path, how: str, load: int = 0) -> Outcome:
    """Build and run a case, and judge the verdict; a program and runs that are in the folder are used again.

    Counts show the mode; times alone cannot show it, so it is given.
    """
    folder.mkdir(parents=True, exist_ok=True)
    printed = case.printed()
    job = Job(folder, case.program, case.language)
    options = ["-o", "study", "--ranks", ",".join(map(str, RANKS)), "--no-advice", "--json", "scale.json"]
    options += ["--counters", "simulated"] if how == COUNTED else ["--counters", "none", "--mode", "strong"]
    try:
        if not (folder / "app").exists():
            job.write(printed)
            job.build(printed)
        with busy(load) if load else nullcontext():
            job.do(["autoanalyzer", "scale", *options, "--", "mpirun", "-n", "{ranks}", "./app"], _TIMEOUT)
    except (JobError, subprocess.SubprocessError) as error:
        return Outcome(case, how, None, str(error))
    document = json.loads((folder / "scale.json").read_text())
    return Outcome(case, how, scored(planted_in(case.truths, printed), document))


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the rows of a table in Markdown, worst first; cases without a score count as wrong."""
    yield "| strongest fault | programs | first cause right | all named | something invented |"
    yield "|---|---:|---:|---:|---:|"
    rows = []
    for kind in (*FAULTS, CLEAN):
        mine = [each for each in outcomes if each.kind == kind]
        if mine:
            scores = [each.score for each in mine if each.score]
            first = sum(each.first for each in scores)
            named = sum(all(each.found) for each in scores)
            invented = sum(bool(each.invented) for each in scores)
            said = f"| {first} | {named} |" if kind != CLEAN else "|  |  |"
            worst = min(first, len(scores) - invented) / len(mine), named / len(mine)
            rows.append((worst, f"| {kind} | {len(mine)} {said} {invented} |"))
    yield from (row for _, row in sorted(rows))


def sums(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield lines on all programs with faults, and on all without."""
    for is_clean in (False, True):
        mine = [each for each in outcomes if (each.kind == CLEAN) == is_clean]
        scores = [each.score for each in mine if each.score]
        if not scores:
            continue
        wrong = [each for each in scores if not each.first]
        certain = sum(any("?" not in what for what, _ in each.invented) for each in scores)
        rest = [each.unexplained for each in scores]
        parts = [f"{len(mine)} {'clean' if is_clean else 'faulty'} programs, {len(mine) - len(scores)} broken"]
        if not is_clean:
            parts.append(f"first cause right in {len(scores) - len(wrong)}")
            parts.append(f"uncertain in {sum(each.hedged for each in wrong)} of the other {len(wrong)}")
        parts.append(f"invented in {sum(bool(each.invented) for each in scores)}, for certain in {certain}")
        parts.append(f"mode right in {sum(each.mode == 'strong' for each in scores)}")
        parts.append(f"not explained: median {median(rest):.0%}, most {max(rest):.0%} of the run")
        yield "; ".join(parts)


def chosen(arguments: argparse.Namespace) -> Iterator[tuple[ScaledCase, str]]:
    """Yield the cases, each with how it is recorded: first those with faults, then those without."""
    ways = {COUNTED: arguments.seconds} | ({TIMED: _LONGER * arguments.seconds} if arguments.load else {})
    faulty = islice((seed for seed in count(arguments.seed) if kinds_of(seed)), arguments.cases)
    clean = range(arguments.seed, arguments.seed + arguments.clean)
    seeds = [*((seed, False) for seed in faulty), *((seed, True) for seed in clean)]
    for how, seconds in ways.items():
        for seed, is_clean in seeds:
            yield scaled_case(seed, seconds=seconds, clean=is_clean), how


def main() -> int:
    """Run the suite."""
    parser = argparse.ArgumentParser(prog="python -m tests.suite.scaled", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=14, help="with faults; default: each kind alone, and with another")
    parser.add_argument("--clean", type=int, default=0, metavar="N", help="programs without a fault; default: none")
    parser.add_argument("--seed", type=int, default=0, help="of the first case; the next ones follow")
    parser.add_argument("--seconds", type=float, default=0.15, help="that one rank computes, without faults")
    parser.add_argument("--load", type=int, default=0, metavar="N", help="judge times alone, too, beside N processes")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep programs and runs there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what each verdict was worth, a line a verdict")
    arguments = parser.parse_args()
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep.resolve() if arguments.keep else Path(temporary)
        for case, how in chosen(arguments):
            name = f"{case.seed}{'' if case.truths else '-clean'}{'' if how == COUNTED else '-timed'}"
            outcomes.append(judged(case, folder / name, how, arguments.load if how == TIMED else 0))
            print(outcomes[-1], flush=True)
            if arguments.json:
                with arguments.json.open("a") as stream:
                    stream.write(json.dumps(outcomes[-1].record()) + "\n")
    for how in dict.fromkeys(each.how for each in outcomes):
        mine = [each for each in outcomes if each.how == how]
        print("", f"{how}:", *table(mine), *sums(mine), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
