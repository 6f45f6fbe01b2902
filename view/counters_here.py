"""Show the events that can be counted on this machine as a table or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from ..runtime.papi.choices import METRICS, read_choices
from ..runtime.papi.kernel import LEVEL, has_pmu, kernel_said, may_count_all, paranoid_level
from ..runtime.papi.library import PACKAGE, WAY_TO_ONE
from ..runtime.papi.lookup import Lookup, Tried
from ..runtime.simulated_events import SIMULATED_EVENTS
from ..runtime.usage.trial import Used
from .table import print_table
from .units import many

__all__ = ["counters_document", "print_counters"]

_ALIAS: Final = "perf::PERF_COUNT_"  # prefix of alternative event names
_NOT_FOR_PAPI: Final = "3"  # value of perf_event_paranoid at which PAPI may not use the kernel's interface
_MOST_NAMES: Final = 40  # maximum number of events in a line
_WHOSE: Final = {
    "chosen": ", chosen by --papi",
    PACKAGE: f", from {PACKAGE}, which may count nothing on processors newer than this PAPI",
}
_KINDS: Final = {
    "preset": "PAPI's presets, with the same names on all processors",
    "native": "the processor's own events",
    "software": "counted by the kernel",
}
_SIMULATED: Final = (
    "in a second run (--counters simulated): instructions, l1_accesses, l1_misses, l2_accesses, l2_misses, "
    f"{', '.join(SIMULATED_EVENTS)}"
)
_COLOURS: Final = {"none": "magenta", "not here": "magenta", "counts": "green", "fails": "bold red"}


def print_counters(found: Lookup, usage: Sequence[Used], not_simulated: str) -> None:
    """Print a table of what was tried, what can be counted, and how to count more.

    Args:
        found: The events that PAPI offers, and whether they can be counted.
        usage: The usage metrics, and whether they can be measured.
        not_simulated: Why counts cannot be simulated; empty if they can.
    """
    rows = _rows(found, usage, not_simulated)
    print_table(("check", "", "result and advice"), rows, (), prose=(2,), colours=_COLOURS)


def _rows(found: Lookup, usage: Sequence[Used], not_simulated: str) -> Iterator[tuple[str, str, str]]:
    yield from _of_libraries(found)
    yield "kernel", "", f"{kernel_said()}; {_who()}"
    if found.version:
        for each in found.components:
            yield f"  {each.name}", "not here" if each.reason else "", each.reason or each.about
        for kind in _KINDS:
            yield from _of_kind(found, kind)
    yield "", "", ""
    yield from _of_usage(usage)
    yield "", "", ""
    yield "simulated", "not here" if not_simulated else "counts", not_simulated or _SIMULATED
    if found.version:
        yield "", "", ""
        yield "metric", "", "counted by"
        yield from _of_metrics(found)
    yield "", "", ""
    yield from (("", "", f"→ {advice}") for advice in _advice(found))


def _of_libraries(found: Lookup) -> Iterator[tuple[str, str, str]]:
    if found.version:
        yield "libpapi", "counts", f"PAPI {found.version} ({found.library}){_WHOSE.get(found.whose, '')}"
        if found.reason:
            yield "", "", found.reason
    else:
        yield "libpapi", "not here", found.reason
    if found.binding is None:
        yield PACKAGE, "not here", "used if the system has no libpapi: pip install 'autoanalyzer[papi]'"
        return
    inside = f"with its own PAPI {found.binding['papi']}" if found.binding["papi"] else found.binding["reason"]
    use = "used" if found.whose == PACKAGE else f"not used (select it with --papi {PACKAGE})"
    yield PACKAGE, "", f"{found.binding['version']}, {inside}: {use}"


def _who() -> str:
    return "tried with the privilege to count everything" if may_count_all() else "tried without privileges"


def _of_kind(found: Lookup, kind: str) -> Iterator[tuple[str, str, str]]:
    """Yield table rows for a kind of event: which can be counted, how many at once, and which only start or fail."""
    events = [each for each in found.of_kind(kind) if not each.event.startswith(_ALIAS)]
    counting = [each for each in events if each.outcome == "counts"]
    idle = [each for each in events if each.outcome == "starts"]
    yield "", "", ""
    yield f"{kind} events", "counts" if counting else "none", f"{_KINDS[kind]}; {len(counting)} of {len(events)} work"
    if counting:
        yield "", "", _names(counting)
        at_once = [each for each in found.together.get(kind, []) if not each.startswith(_ALIAS)]
        if len(at_once) > 1:
            yield "", "", f"can be counted at the same time: {many(len(at_once), 'event')}"
    for said, those in (
        ("only in user mode (no permission to count in the kernel)", [each for each in counting if not each.whole]),
        ("counted nothing (no permission to count in the kernel)", [each for each in idle if not each.whole]),
        ("can be started, but counted nothing", [each for each in idle if each.whole]),
    ):
        if those:
            yield "", "", f"{said}: {_names(those)}"
    reasons: dict[str, int] = {}
    for each in events:
        if each.outcome == "fails":
            reasons[each.reason] = reasons.get(each.reason, 0) + 1
    for reason, number in reasons.items():
        yield "", "fails", f"{many(number, 'event')}: {reason}"


def _of_usage(usage: Sequence[Used]) -> Iterator[tuple[str, str, str]]:
    """Yield table rows for the usage metrics."""
    usable = [each for each in usage if each.outcome != "fails"]
    by = {each.source: [one.name for one in usable if one.source == each.source] for each in usable}
    counted = f"by call path, with --usage: {len(usable)} of {len(usage)} metrics can be counted"
    yield "usage", "counts" if usable else "none", counted
    yield from (("", "", f"by {source}: {', '.join(names)}") for source, names in by.items())
    reasons = {each.reason: [one.name for one in usage if one.reason == each.reason] for each in usage if each.reason}
    yield from (("", "fails", f"{', '.join(names)}: {reason}") for reason, names in reasons.items())


def _names(events: list[Tried]) -> str:
    names = [each.event for each in events]
    more = f" and {len(names) - _MOST_NAMES} more (--json)" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{more}"


def _of_metrics(found: Lookup) -> Iterator[tuple[str, str, str]]:
    for metric in METRICS:
        if metric in found.metrics:
            yield f"  {metric}", "counts", found.metrics[metric]
        else:
            yield f"  {metric}", "none", f"none of these events can be started: {', '.join(_candidates(found, metric))}"


def _candidates(found: Lookup, metric: str) -> list[str]:
    return list(dict.fromkeys(each[metric] for each in read_choices().candidates(metric, found.family)))


def _advice(found: Lookup) -> Iterator[str]:
    """Yield advice on how to make more events available, and how to record the available events."""
    if not found.version:
        yield WAY_TO_ONE
    disabled = next((each.reason for each in found.components if each.name == "perf_event"), "")
    software = found.of_kind("software")
    kept_back = any(not each.whole for each in found.events)
    level = paranoid_level()
    if level is None:
        yield "this kernel or container does not provide performance events: ask the administrator"
    elif software and not any(each.starts for each in software):
        yield f"you are not allowed to count events, although {LEVEL} is {level}: ask for CAP_PERFMON"
    elif disabled and level == _NOT_FOR_PAPI:
        yield f"PAPI counts nothing if {LEVEL} is {level}: as root, set 2, or 1 to count all events (sysctl {LEVEL}=2)"
    elif disabled:
        yield f"libpapi {found.version} counts nothing on this processor ({disabled}): a later version may support it"
    elif kept_back:
        yield f"{LEVEL} is {level}: counting in the kernel needs 1 or less (as root: sysctl {LEVEL}=1)"
    if not found.metrics:
        pmu = "" if has_pmu() else "hardware counters are not available here; "
        yield f"{pmu}to count instructions and cache misses by simulation: autoanalyzer run --counters simulated"
    usable = [each.event for each in found.events if each.outcome == "counts" and not each.event.startswith(_ALIAS)]
    if usable:
        some = ",".join(usable[:2])
        yield f"each event can be recorded as a metric: autoanalyzer run --counters papi:{some} -- mpirun -n 4 ./app"


def counters_document(found: Lookup, usage: Sequence[Used], not_simulated: str) -> dict[str, Any]:
    """Return the data that ``counters --json`` writes; the arguments are those of ``print_counters``."""
    return {
        "schema": "autoanalyzer.counters/1",
        "libpapi": {
            "library": found.library,
            "whose": found.whose,
            "version": found.version,
            "reason": found.reason,
        },
        "python_papi": found.binding,
        "kernel": {"perf_event_paranoid": paranoid_level(), "pmu": has_pmu(), "privileged": may_count_all()},
        "family": found.family.name if found.family else None,
        "components": [asdict(each) for each in found.components],
        "events": [asdict(each) for each in found.events],
        "together": found.together,
        "usage": [asdict(each) for each in usage],
        "simulated": {"events": list(SIMULATED_EVENTS), "reason": not_simulated},
        "metrics": {
            metric: {"event": found.metrics.get(metric), "candidates": _candidates(found, metric)} for metric in METRICS
        },
        "advice": [*_advice(found)],
    }
