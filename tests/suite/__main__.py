"""Measure verdicts: programs with planted faults, and the same programs without, are built, run and judged.

Prints a table, and each wrong verdict with the seed that repeats it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import Any

from .case import PRINTERS, Case, case_of, kind_of, language_of
from .faults import KINDS
from .job import Job, JobError
from .program import Printed
from .score import at, score
from .table import Outcome, table, wrong


def chosen(seed: int, kinds: list[str], languages: list[str]) -> Iterator[int]:
    """Seeds from ``seed`` on whose first fault and language are among these."""
    return (each for each in count(seed) if kind_of(each) in kinds and language_of(each) in languages)


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep the processors busy with others' work."""
    others = [subprocess.Popen(["sh", "-c", "while kill -0 $PPID; do :; done"]) for _ in range(processes)]
    try:
        yield
    finally:
        for each in others:
            each.kill()
            each.wait()


def run_case(case: Case, folder: Path, *, counters: str, cure: bool) -> list[Outcome]:
    """Build and run a case and, unless it has no fault, its cure."""
    outcomes: list[Outcome] = []
    for cured in (False, True)[: 1 + (cure and bool(case.truths))]:
        place = folder / f"{case.seed}-{'cured' if cured else 'faulty'}"
        place.mkdir(parents=True, exist_ok=True)
        printed = case.printed(cured)
        job = Job(place, case.cured if cured else case.faulty, case.language)
        job.write(printed)
        job.build(printed)
        found = job.measure(counters=counters)
        truths = () if cured else case.truths
        judged = score(found, printed, truths, counted=counters != "none")
        outcomes.append(Outcome(case, cured, judged, found, longest(found, printed)))
    return outcomes


def longest(found: dict[str, Any], printed: Printed) -> float:
    """Seconds that the busiest rank computes in the loop over the steps: where ranks have processors of their own,
    the run's time, but for MPI. It does not depend on how many others want the processors."""
    return max((each["most"] for each in found["costs"] if at(each) == printed.steps), default=0.0)


def main() -> int:
    """Run the suite."""
    parser = argparse.ArgumentParser(prog="python -m tests.suite", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=17 * 4, help="default: each kind in each language once")
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the next ones follow")
    parser.add_argument("--counters", action="store_true", help="with simulated counts")
    parser.add_argument("--seconds", type=float, default=0.8, help="that a rank computes")
    parser.add_argument("--load", type=int, default=0, metavar="N", help="processes that use the processors meanwhile")
    parser.add_argument("--kinds", nargs="+", choices=(*KINDS, "control"), default=[*KINDS, "control"])
    parser.add_argument("--languages", nargs="+", choices=(*PRINTERS,), default=[*PRINTERS])
    parser.add_argument("--no-cure", action="store_true", help="do not run the cured programs")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep programs and experiments there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what each verdict was worth, a line a verdict")
    arguments = parser.parse_args()
    counters = "simulated" if arguments.counters else "none"
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as temporary, busy(arguments.load):
        folder = arguments.keep.resolve() if arguments.keep else Path(temporary)
        for seed in islice(chosen(arguments.seed, arguments.kinds, arguments.languages), arguments.cases):
            case = case_of(seed, seconds=arguments.seconds)
            try:
                new = run_case(case, folder, counters=counters, cure=not arguments.no_cure)
            except JobError as error:
                print(f"BROKEN seed {seed} {case.kind} {case.language}: {error}", flush=True)
                continue
            outcomes += new
            for each in new:
                print(*wrong(each) or [f"right  {each.name}"], sep="\n", flush=True)
                if arguments.json:
                    with arguments.json.open("a") as stream:
                        stream.write(json.dumps(each.record()) + "\n")
    print(table(outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
