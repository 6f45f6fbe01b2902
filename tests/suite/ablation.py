"""Show how the results of the suite change with each number by which the analysis decides.

Kept runs are judged again with each number halved, doubled, and 0. If nothing changes, the number is not needed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from .judge import judged
from .kept import Kept, kept_in
from .sums import Sums

_ROOM = "autoanalyzer.analyze."
_RECORD = "CRITERIA"
_FACTORS = {"halved": 0.5, "doubled": 2.0, "0": 0.0}


@dataclass(frozen=True)
class Number:
    """A number by which the analysis decides.

    Attributes:
        owner: The name that modules have for the number, or for the record of which it is a field.
        field: The name of the field; empty if it is no field.
        home: The module in which the number was found first.
        whole: The record, or the number itself.
        value: The number.
    """

    owner: str
    field: str
    home: str
    whole: Any
    value: float

    @property
    def name(self) -> str:
        """The number's name in the table."""
        return self.field or f"{self.home}.{self.owner}"

    @contextmanager
    def set_to(self, value: float) -> Iterator[None]:
        """Set the number to another value in all modules during the block."""
        other = replace(self.whole, **{self.field: value}) if self.field else value
        homes = [each for each in _modules() if vars(each).get(self.owner) is self.whole]
        for each in homes:
            setattr(each, self.owner, other)
        try:
            yield
        finally:
            for each in homes:
                setattr(each, self.owner, self.whole)


def criteria() -> list[Number]:
    """Return the fields of the record ``CRITERIA``; none if no module has such a record."""
    for module in _modules():
        record = vars(module).get(_RECORD)
        if is_dataclass(record):
            home = module.__name__.removeprefix(_ROOM)
            return [Number(_RECORD, each.name, home, record, getattr(record, each.name)) for each in fields(record)]
    return []


def beyond_criteria() -> list[Number]:
    """Return the numeric constants in the imported modules of the analysis, each in the first module that has it."""
    found: dict[tuple[str, int], Number] = {}
    for module in _modules():
        home = module.__name__.removeprefix(_ROOM)
        for name, value in vars(module).items():
            if name.isupper() and isinstance(value, int | float) and not isinstance(value, bool):
                found.setdefault((name, id(value)), Number(name, "", home, value, value))
    return [*found.values()]


def _modules() -> list[Any]:
    return [module for name, module in sorted(sys.modules.items()) if name.startswith(_ROOM)]


def changes(runs: Sequence[Kept], numbers: Sequence[Number]) -> Iterator[tuple[Number, str, Sums | Exception]]:
    """Judge the runs with each number changed; yield the number, how it was changed, and the results or the error."""
    for number in numbers:
        for how, factor in _FACTORS.items():
            value = type(number.value)(number.value * factor)
            if value == number.value:
                continue
            with number.set_to(value):
                try:
                    yield number, how, Sums.of([judged(each) for each in runs])
                except Exception as error:  # some numbers must not be 0; then the error is shown
                    yield number, how, error


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.suite.ablation", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="where runs of the suite were kept")
    parser.add_argument("--no-counts", action="store_true", help="judge as if they had been measured without counts")
    parser.add_argument("--beyond", action="store_true", help="the numbers that modules have beside the criteria, too")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these numbers alone")
    arguments = parser.parse_args()
    runs = [
        Kept.opened(each, counts=not arguments.no_counts) for folder in arguments.folders for each in kept_in(folder)
    ]
    present = Sums.of([judged(each) for each in runs])
    numbers = criteria() + (beyond_criteria() if arguments.beyond else [])
    if arguments.only:
        numbers = [each for each in numbers if each.name in arguments.only]
    print(f"{len(runs)} runs\n{'number':44} {'':>10}  {Sums.TITLE}\n{'present':44} {'':>10}  {present}", flush=True)
    needed = set()
    for number, how, sums in changes(runs, numbers):
        if isinstance(sums, Sums) and sums == present:
            continue
        needed.add(number)
        shown = f"{sums}" if isinstance(sums, Sums) else f"{type(sums).__name__}: {sums}"
        print(f"{number.name:44} {how:>10}  {shown}", flush=True)
    print("\nno difference: " + (", ".join(each.name for each in numbers if each not in needed) or "none"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
