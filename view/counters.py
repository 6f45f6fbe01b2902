"""Names of metrics as the next run, or the next analysis, takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["as_typed"]

_PAPI: Final = "measured:papi:"


def as_typed(names: Sequence[str], sources: Mapping[str, str]) -> str:
    """Write metrics as PAPI's events, if any of them are that, or else as the analyses' metrics."""
    events = {name: sources.get(name, "") for name in names}
    papi = [f"{name}={source.removeprefix(_PAPI)}" for name, source in events.items() if source.startswith(_PAPI)]
    return f"AUTOANALYZER_EVENTS={','.join(papi)}" if papi else f"--metrics {','.join(names)}"
