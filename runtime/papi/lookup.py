"""Find the events that PAPI counts on this machine, from the results of a separate program that tests them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from .choices import Family, family_of, read_choices
from .library import PACKAGE, papi_place

__all__ = ["PATIENCE", "Component", "Lookup", "Tried", "look_up"]

PATIENCE: Final = 30.0  # seconds for several thousand events, which take a millisecond each

_TRIAL: Final = Path(__file__).with_name("trial.py")
_MOST: Final = 32  # events tested together: more than any processor can count


@dataclass(frozen=True, slots=True)
class Component:
    """A component of PAPI, and why it is unavailable; empty if it is available."""

    name: str
    about: str
    reason: str


@dataclass(frozen=True, slots=True)
class Tried:
    """An event that was tested.

    Attributes:
        event: The event's name.
        component: The event's component; empty if PAPI does not know the event.
        kind: ``preset``, ``native`` or ``software``; empty if it was requested by name.
        outcome: ``counts``: it starts, and counted something; ``starts``: it starts, but counted nothing in the test;
            ``fails``; ``unseen``: only the program itself provides it.
        counted_as: The event's name as it was counted, with a suffix if that includes the kernel's part.
        whole: False for an event of the kernel if the kernel's part may not be counted.
        reason: Why the event fails.
    """

    event: str
    component: str
    kind: str
    outcome: str
    counted_as: str
    whole: bool
    reason: str

    @property
    def starts(self) -> bool:
        """Whether the event can be counted."""
        return self.outcome != "fails"


@dataclass(slots=True)
class Lookup:
    """The results of the tests.

    Attributes:
        library: The libpapi that programs load; empty if there is none.
        whose: ``system``, ``chosen`` by the user, or ``python_papi``; empty if there is none.
        version: The version of the libpapi.
        reason: Why there is no library, or why the results are incomplete.
        binding: The versions of ``python_papi`` and of the PAPI in it, if installed.
        components: The library's components.
        events: The tested events.
        metrics: Our metric → the event that counts it.
        together: Kind → events that were counted at the same time.
        groups: The requested events, in as few groups as possible; each group can be counted together.
        family: The processor's family, if ``events.toml`` contains it.
    """

    library: str = ""
    whose: str = ""
    version: str = ""
    reason: str = ""
    binding: Mapping[str, str] | None = None
    components: list[Component] = field(default_factory=list)
    events: list[Tried] = field(default_factory=list)
    metrics: dict[str, str] = field(default_factory=dict)
    together: dict[str, list[str]] = field(default_factory=dict)
    groups: list[list[str]] = field(default_factory=list)
    family: Family | None = None

    def of_kind(self, kind: str) -> list[Tried]:
        """Return the events of a kind."""
        return [each for each in self.events if each.kind == kind]


def look_up(
    events: Sequence[str] | None = None,
    most: int = _MOST,
    *,
    multiplex: bool = False,
    variables: Mapping[str, str] | None = None,
    patience: float = PATIENCE,
) -> Lookup:
    """Test events in a process like those that will be measured.

    Args:
        events: The events' names; None for all events that PAPI knows.
        most: The maximum number of events per group.
        multiplex: Whether to test the requested events with multiplexing.
        variables: The environment variables that determine the library, as ``papi_variables`` returns them.
        patience: Seconds after which the test ends, with the results so far.
    """
    choices = read_choices()
    found = Lookup(family=family_of(choices.families))
    own = found.family.choices if found.family else ()
    question = {
        "events": events,
        "software": [name for name, unit in choices.units.items() if unit == "occ"],
        "clocks": [name for name, unit in choices.units.items() if unit != "occ"],
        "choices": [*choices.general, *own],
        "most": most,
        "multiplex": multiplex,
    }
    ended = False
    for fact in _facts(json.dumps(question), patience, variables or {}):
        ended |= "end" in fact
        _take(found, fact)
    if found.whose == PACKAGE:
        found.library = str(papi_place())
    if found.version and not ended:
        found.reason = f"PAPI did not answer within {patience:g} s, or ended the process, so the list is incomplete"
    return found


def _facts(question: str, patience: float, variables: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """Run the test program, and yield the facts that it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"} | dict(variables)
    command = [sys.executable, "-I", str(_TRIAL)]
    try:
        printed = subprocess.run(
            command, input=question.encode(), capture_output=True, timeout=patience, env=environment, check=False
        ).stdout
    except subprocess.TimeoutExpired as late:
        printed = late.stdout or b""
    for line in printed.splitlines():
        if line.startswith(b"{") and line.endswith(b"}"):  # other lines are PAPI's, or cut off
            yield json.loads(line)


def _take(found: Lookup, fact: Mapping[str, Any]) -> None:
    if "python_papi" in fact:
        found.binding = fact["python_papi"]
    elif "library" in fact:
        found.library, found.version = fact["library"] or "", fact.get("version", "")
        found.whose = fact.get("whose", "")
        found.reason = fact.get("reason", "")
    elif "event" in fact:
        found.events.append(
            Tried(
                fact["event"],
                fact["component"],
                fact.get("kind", ""),
                fact["outcome"],
                fact.get("as", fact["event"]),
                fact.get("whole", True),
                fact.get("reason", ""),
            )
        )
    elif "component" in fact:
        found.components.append(Component(fact["component"], fact["about"], fact["reason"]))
    elif "metrics" in fact:
        found.metrics.update(fact["metrics"])
    elif "together" in fact:
        found.together[fact["together"]] = fact["events"]
    elif "groups" in fact:
        found.groups += fact["groups"]
