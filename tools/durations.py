#!/usr/bin/env python3
"""Print where the time of test runs went, by file, test and fixture, from the reports of ``pytest --junitxml``.

Seconds are wall time, added up over all workers. Wall time that is not CPU time was spent waiting: for a core, for
other processes, or on purpose.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

_FIXTURE = "fixture "  # prefix; keep equal to the one in tests/costs.py
_LONGEST = 200  # number of characters to which the text of a failure is shortened


@dataclass(frozen=True)
class Case:
    """A test that ran.

    Attributes:
        file: The report's name for the test's module, such as ``tests.test_docs``.
        name: The test's name, with its parameters.
        seconds: Wall time, including fixtures.
        cpu: CPU seconds, including processes that the test started.
        fixtures: Name, wall seconds and CPU seconds of each fixture that was set up for the test.
        failure: The first line of the failure; empty if the test passed.
    """

    file: str
    name: str
    seconds: float
    cpu: float
    fixtures: Sequence[tuple[str, float, float]]
    failure: str


@dataclass
class Cost:
    """A number of tests or fixtures, and their total wall and CPU seconds."""

    seconds: float = 0.0
    cpu: float = 0.0
    count: int = 0

    def add(self, seconds: float, cpu: float) -> None:
        """Add the wall and CPU seconds of one test or fixture."""
        self.seconds += seconds
        self.cpu += cpu
        self.count += 1


def cases(report: Path) -> Iterator[Case]:
    """Yield the tests that ran, from a JUnit XML report."""
    for each in etree.parse(str(report)).iter("testcase"):
        known = {one.get("name", ""): one.get("value", "") for one in each.iter("property")}
        fixtures = [
            (name.removeprefix(_FIXTURE), *map(float, value.split()[:2]))
            for name, value in known.items()
            if name.startswith(_FIXTURE)
        ]
        failures = [(one.get("message") or one.text or "") for one in each if one.tag in ("failure", "error")]
        yield Case(
            each.get("classname", ""),
            each.get("name", ""),
            float(each.get("time", "0")),
            float(known.get("cpu", "0")),
            fixtures,  # type: ignore[arg-type]
            next((text.strip().partition("\n")[0][:_LONGEST] or "failed" for text in failures), ""),
        )


def total(found: Iterable[Case], key: Callable[[Case], str]) -> Mapping[str, Cost]:
    """Map each key to the total cost of all tests with this key."""
    costs: defaultdict[str, Cost] = defaultdict(Cost)
    for case in found:
        costs[key(case)].add(case.seconds, case.cpu)
    return costs


def total_of_fixtures(found: Iterable[Case]) -> Mapping[str, Cost]:
    """Map each fixture to the total cost of setting it up."""
    costs: defaultdict[str, Cost] = defaultdict(Cost)
    for case in found:
        for name, seconds, cpu in case.fixtures:
            costs[name].add(seconds, cpu)
    return costs


def print_table(title: str, costs: Mapping[str, Cost], rows: int) -> None:
    """Print a table of the slowest entries, the slowest first, and the sum of all."""
    print(f"{'seconds':>9} {'CPU':>8} {'count':>6}  {title}")
    for name, cost in sorted(costs.items(), key=lambda item: -item[1].seconds)[:rows]:
        print(f"{cost.seconds:9.1f} {cost.cpu:8.1f} {cost.count:6}  {name}")
    seconds, cpu = (sum(getattr(each, name) for each in costs.values()) for name in ("seconds", "cpu"))
    print(f"{seconds:9.1f} {cpu:8.1f} {sum(each.count for each in costs.values()):6}  all\n")


def main() -> None:
    """Print a table of files, a table of tests, and a table of fixtures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("reports", nargs="+", type=Path, metavar="REPORT.xml")
    parser.add_argument("--rows", type=int, default=40, metavar="N", help="rows of each table (default: 40)")
    arguments = parser.parse_args()
    found = [case for report in arguments.reports for case in cases(report)]
    print_table("file", total(found, lambda case: case.file), arguments.rows)
    print_table("test", total(found, lambda case: f"{case.file}::{case.name.partition('[')[0]}"), arguments.rows)
    print_table("fixture", total_of_fixtures(found), arguments.rows)


if __name__ == "__main__":
    main()
