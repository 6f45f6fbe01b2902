"""Names of metrics as the next run, or the next analysis, takes them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Final

from ..runtime.papi.choices import KERNEL_PART

__all__ = ["COUNTED_BY_PAPI", "as_typed"]

COUNTED_BY_PAPI: Final = "measured:papi:"


def as_typed(measured: Iterable[str], sources: Mapping[str, str]) -> str:
    """Write metrics as options of ``run``, if any of them are PAPI's, or else of the analyses; quoted for a shell."""
    events = {name: sources.get(name, "") for name in measured}
    counted = {name: source for name, source in events.items() if source.startswith(COUNTED_BY_PAPI)}
    papi = {name: source.removeprefix(COUNTED_BY_PAPI) for name, source in counted.items()}
    named = [name for name, event in papi.items() if event.removesuffix(KERNEL_PART) == name]
    if papi:
        counters = f"papi:{','.join(named)}" if named else "papi"
        chosen = ",".join(f"{name}={event}" for name, event in papi.items() if name not in named)
        return f"--counters {shlex.quote(counters)}" + (f" --events {shlex.quote(chosen)}" if chosen else "")
    return f"--metrics {shlex.quote(','.join(events))}"
