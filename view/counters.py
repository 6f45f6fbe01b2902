"""Write metrics as command-line options for the next run or analysis."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from ..runtime.papi.sources import counted

__all__ = ["as_typed"]


def as_typed(measured: Iterable[str], sources: Mapping[str, str]) -> str:
    """Return metrics as command-line options, quoted for a shell.

    If PAPI counted any of the metrics, these are options of ``run``, otherwise options of analysis commands.

    Args:
        measured: Names of the metrics.
        sources: Name of a metric → its source.
    """
    events = {name: sources.get(name, "") for name in measured}
    papi = {name: told for name, source in events.items() if (told := counted(source))}
    if papi:
        named = [name for name, told in papi.items() if told.name == name]
        counters = f"papi:{','.join(papi[name].plain for name in named)}" if named else "papi"
        chosen = ",".join(f"{name}={told.event}" for name, told in papi.items() if name not in named and not told.calls)
        calls = ",".join(dict.fromkeys(call for told in papi.values() for call in told.calls))
        return (
            f"--counters {shlex.quote(counters)}"
            + (f" --events {shlex.quote(chosen)}" if chosen else "")
            + (f" --count-in {calls}" if calls else "")
            + (" --multiplex" if any(told.estimate for told in papi.values()) else "")
        )
    return f"--metrics {shlex.quote(','.join(events))}"
