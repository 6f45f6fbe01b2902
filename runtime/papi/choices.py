"""Read the PAPI events for our metrics from ``events.toml``, and write them for the probe library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["CHOICES", "KERNEL_PART", "METRICS", "Choices", "Family", "choices_text", "family_of", "read_choices"]

METRICS: Final = ("instructions", "cycles", "l1_accesses", "l1_misses", "l2_accesses", "l2_misses")
KERNEL_PART: Final = ":u=1:k=1"  # makes an event count the kernel's part, too; the same as _KERNEL in trial.py
CHOICES: Final = Path(__file__).with_name("events.toml")

_WHOLES: Final = {"l1_misses": "l1_accesses", "l2_misses": "l2_accesses"}
_CPUINFO: Final = Path("/proc/cpuinfo")

Choice = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Family:
    """Processors with the same events.

    Attributes:
        name: The processors' usual name.
        papi: The processors' names in PAPI's table.
        cpuinfo: How to recognise the family's processors in ``/proc/cpuinfo``.
        choices: Choices of events for metrics, best first.
    """

    name: str
    papi: tuple[str, ...]
    cpuinfo: tuple[str, ...]
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """The contents of ``events.toml``.

    Attributes:
        units: Event of the kernel → the unit of its count.
        general: Choices for any processor, best first.
        families: Processor families with events of their own.
    """

    units: Mapping[str, str]
    general: tuple[Choice, ...]
    families: tuple[Family, ...]

    def candidates(self, metric: str, family: Family | None) -> list[Choice]:
        """Return the choices of events that count a metric, best first."""
        every = [*self.general, *(family.choices if family else ())]
        return [choice for choice in every if metric in choice]


@cache
def read_choices() -> Choices:
    """Read ``events.toml``."""
    import tomllib  # noqa: PLC0415 - most commands need no event

    read = tomllib.loads(CHOICES.read_text())
    families = tuple(
        Family(each["name"], tuple(each["papi"]), tuple(each["cpuinfo"]), tuple(each["choice"]))
        for each in read["family"]
    )
    units = {event: unit for unit, events in read["software"].items() for event in events}
    return Choices(units, tuple(read["choice"]), families)


def choices_text() -> str:
    """Return the choices as rows of the table in ``probe/counter_papi.c``, with the choices of families last."""
    found = read_choices()
    every = [*found.general, *(choice for family in found.families for choice in family.choices)]
    unique = {tuple(sorted(choice.items())): choice for choice in every}
    return "".join(_row(choice) for choice in unique.values())


def _row(choice: Choice) -> str:
    whole = next((whole for part, whole in _WHOLES.items() if part in choice and whole in choice), None)
    (metric,) = (name for name in choice if name != whole)
    more = f'AA_{whole.upper()}, "{choice[whole]}"' if whole else "0, NULL"
    return f'{{AA_{metric.upper()}, "{choice[metric]}", {more}}},\n'


def family_of(families: Iterable[Family], cpuinfo: str | None = None) -> Family | None:
    """Return the family of this machine's processor, or of the one described in the format of ``/proc/cpuinfo``."""
    if cpuinfo is None:
        try:
            cpuinfo = _CPUINFO.read_text(errors="replace")
        except OSError:
            return None
    facts = dict(re.findall(r"^([\w ]+?)\s*: *(.*)$", cpuinfo.partition("\n\n")[0], re.M))
    return next((each for each in families if any(_is(facts, told) for told in each.cpuinfo)), None)


def _is(facts: Mapping[str, str], told: str) -> bool:
    maker, *numbers = told.split(" ")
    if not numbers:
        return facts.get("cpu", "").split(" ")[0].rstrip(",") == maker
    if len(numbers) == 1:
        return (facts.get("CPU implementer"), facts.get("CPU part")) == (maker, numbers[0])
    family, models = numbers
    first, _, last = models.partition("-")
    model = facts.get("model", "")
    known = (facts.get("vendor_id"), facts.get("cpu family")) == (maker, family) and model.isdecimal()
    return known and int(first) <= int(model) <= int(last or first)
