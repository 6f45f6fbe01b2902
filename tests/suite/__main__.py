"""Measure how good verdicts are: programs with planted faults, and the same programs without, are run and judged.

Prints a table, and each wrong verdict with the seed that repeats it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

from .case import PRINTERS, Case, case_of, kind_of, language_of
from .faults import KINDS
from .job import Job, JobError, busy
from .judge import judged
from .kept import Kept, kept_in
from .key import NAME, Key
from .table import Outcome, table, wrong


def chosen(seed: int, kinds: list[str], languages: list[str]) -> Iterator[int]:
    """Yield the seeds from ``seed`` on whose first fault and language are among these."""
    return (each for each in count(seed) if kind_of(each) in kinds and language_of(each) in languages)


def run_case(case: Case, folder: Path, *, counters: str, path: str, cure: bool, load: int) -> Iterator[Outcome]:
    """Build, run and judge the programs of a case: with its faults and, if it has any, cured.

    Args:
        case: The case.
        folder: The folder for both programs.
        counters: The tool's option ``--counters``.
        path: The tool's option ``--path``.
        cure: Whether the cured program runs, too.
        load: The number of processes that keep cores busy during a run.
    """
    for cured in (False, True)[: 1 + (cure and bool(case.truths))]:
        place = folder / f"{case.seed}-{'cured' if cured else 'faulty'}"
        place.mkdir(parents=True, exist_ok=True)
        printed = case.printed(cured)
        job = Job(place, case.cured if cured else case.faulty, case.language)
        job.write(printed)
        job.build(printed)
        with busy(load):
            job.record(counters=counters, path=path)
        Key.of(case, printed, cured=cured, counted=counters != "none").save(place)
        yield judged(Kept.opened(place))


def measured(arguments: argparse.Namespace) -> Iterator[Outcome]:
    """Build, run and judge all cases."""
    counters = "simulated" if arguments.counters else "none"
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep.resolve() if arguments.keep else Path(temporary)
        for seed in islice(chosen(arguments.seed, arguments.kinds, arguments.languages), arguments.cases):
            case = case_of(seed, seconds=arguments.seconds)
            try:
                options = {"counters": counters, "path": arguments.path, "load": arguments.load}
                yield from run_case(case, folder, cure=not arguments.no_cure, **options)
            except JobError as error:
                print(f"BROKEN seed {seed} {case.kind} {case.language}: {error}", flush=True)


def judged_again(arguments: argparse.Namespace) -> Iterator[Outcome]:
    """Judge the runs that earlier calls kept."""
    for folder in arguments.judge:
        if lacking := sum(not (each.parents[1] / NAME).exists() for each in folder.glob("*/out/experiment.cube")):
            print(f"BROKEN {folder}: {lacking} runs without {NAME}", flush=True)
        for place in kept_in(folder):
            yield judged(Kept.opened(place, counts=not arguments.no_counts))


def main() -> int:
    """Run the suite."""
    parser = argparse.ArgumentParser(prog="python -m tests.suite", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=21 * 4, help="default: each kind in each language once")
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the next ones follow")
    parser.add_argument("--counters", action="store_true", help="with simulated counts")
    parser.add_argument("--path", choices=("never", "auto", "always"), default="always", help="default: always")
    parser.add_argument("--seconds", type=float, default=0.8, help="that a rank computes")
    parser.add_argument("--load", type=int, default=0, metavar="N", help="processes that use the processors meanwhile")
    parser.add_argument("--kinds", nargs="+", choices=(*KINDS, "control"), default=[*KINDS, "control"])
    parser.add_argument("--languages", nargs="+", choices=(*PRINTERS,), default=[*PRINTERS])
    parser.add_argument("--no-cure", action="store_true", help="do not run the cured programs")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep programs and experiments there")
    parser.add_argument(
        "--judge",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="run nothing: judge what was kept there, by the present code",
    )
    parser.add_argument("--no-counts", action="store_true", help="judge as if it had been measured without counts")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what each verdict was worth, a line a verdict")
    arguments = parser.parse_args()
    outcomes: list[Outcome] = []
    for each in judged_again(arguments) if arguments.judge else measured(arguments):
        outcomes.append(each)
        print(*wrong(each) or [f"right  {each.name}"], sep="\n", flush=True)
        if arguments.json:
            with arguments.json.open("a") as stream:
                stream.write(json.dumps(each.record()) + "\n")
    print(table(outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
