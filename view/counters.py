"""Names of metrics as the next run, or the next analysis, takes them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Final

__all__ = ["as_typed"]

_PAPI: Final = "measured:papi:"


def as_typed(measured: Iterable[str], sources: Mapping[str, str]) -> str:
    """Write metrics as PAPI's events, if any of them are that, or else as the analyses' metrics; quoted for a shell."""
    events = {name: sources.get(name, "") for name in measured}
    papi = [f"{name}={source.removeprefix(_PAPI)}" for name, source in events.items() if source.startswith(_PAPI)]
    if papi:
        return f"AUTOANALYZER_EVENTS={shlex.quote(','.join(papi))}"
    return f"--metrics {shlex.quote(','.join(events))}"
