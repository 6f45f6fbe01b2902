#!/usr/bin/env python3
"""Print how the stages of a CI run ended: tests, durations, retries, and the ten slowest tests.

Each test that failed, and then passed when it was run alone, is added to ``tests/flaky.toml`` with the date and the
error. The run fails if more than three tests are listed there, or if a test is listed twice. When a test is fixed,
its entry is removed.
"""

from __future__ import annotations

import argparse
import datetime
import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from durations import Case, cases

MOST_SECOND_TRIES: Final = 3
SLOWEST: Final = 10
AGAIN: Final = "-again"  # suffix of a stage's second report, about failed tests that were repeated one at a time
LEDGER: Final = Path(__file__).parents[1] / "tests" / "flaky.toml"


@dataclass(frozen=True)
class SecondTry:
    """A test that passed only in its second try.

    Attributes:
        test: The test's name, as ``name_of`` returns it.
        date: The date of the run.
        reason: The error in the first try.
    """

    test: str
    date: datetime.date
    reason: str


def name_of(case: Case) -> str:
    """Return the name that a test has in all runs: ``file::name[parameters]``."""
    return f"{case.file}::{case.name}"


def recorded(ledger: Path) -> list[SecondTry]:
    """Return the second tries that ``tests/flaky.toml`` lists."""
    return [SecondTry(**entry) for entry in tomllib.loads(ledger.read_text()).get("second_try", [])]


def record(ledger: Path, tries: Sequence[SecondTry]) -> None:
    """Append second tries to ``tests/flaky.toml``."""
    with ledger.open("a") as stream:
        for each in tries:
            # Every JSON string is also a TOML string.
            text = {"test": json.dumps(each.test), "date": each.date, "reason": json.dumps(each.reason)}
            stream.write("\n[[second_try]]\n" + "".join(f"{name} = {value}\n" for name, value in text.items()))


def too_many(tries: Sequence[SecondTry]) -> str:
    """Return why the second tries make CI fail: there are too many, or two of the same test; otherwise empty."""
    twice = [name for name, count in Counter(each.test for each in tries).items() if count > 1]
    if twice:
        return f"needed a second try in two runs: {', '.join(twice)}"
    if len(tries) > MOST_SECOND_TRIES:
        return f"expected at most {MOST_SECOND_TRIES} tests that needed a second try, found {len(tries)}"
    return ""


def print_summary(stages: Mapping[str, Sequence[Case]], tries: Sequence[SecondTry], failed: Sequence[Case]) -> None:
    """Print the number of tests and their seconds by stage, then the slowest tests and the failed ones."""
    for stage, found in stages.items():
        seconds, cpu = sum(case.seconds for case in found), sum(case.cpu for case in found)
        print(f"{stage}: {len(found)} tests, {seconds:.0f} s of all workers, {cpu:.0f} s of CPU time")
    print(f"the {SLOWEST} slowest:")
    every = [case for found in stages.values() for case in found]
    for case in sorted(every, key=lambda case: -case.seconds)[:SLOWEST]:
        print(f"{case.seconds:8.1f} s  {name_of(case)}")
    for each in tries:
        print(f"second try: {each.test}: {each.reason}")
    for case in failed:
        print(f"failed: {name_of(case)}: {case.failure}")
    print(f"{len(every) - len(failed)} passed, {len(failed)} failed")


def main() -> int:
    """Summarise the reports in a folder; return 1 if a test failed twice, or too many tests needed a second try."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="contains STAGE.xml, and STAGE-again.xml of repeated tests")
    parser.add_argument("--ledger", type=Path, default=LEDGER, help="list of second tries (default: tests/flaky.toml)")
    arguments = parser.parse_args()
    reports = {path.stem: [*cases(path)] for path in sorted(arguments.folder.glob("*.xml"))}
    stages = {stage: found for stage, found in reports.items() if not stage.endswith(AGAIN)}
    again = {name_of(case): case for stage, found in reports.items() if stage.endswith(AGAIN) for case in found}
    failed_once = [case for found in stages.values() for case in found if case.failure]
    failed = [case for case in failed_once if (last := again.get(name_of(case))) is None or last.failure]
    today = datetime.datetime.now().astimezone().date()
    tries = [SecondTry(name_of(case), today, case.failure) for case in failed_once if case not in failed]
    record(arguments.ledger, tries)
    print_summary(stages, tries, failed)
    complaint = too_many(recorded(arguments.ledger))
    if complaint:
        print(f"{arguments.ledger}: {complaint}")
    return int(bool(failed or complaint))


if __name__ == "__main__":
    raise SystemExit(main())
