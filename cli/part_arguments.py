"""Naming parts of an experiment on a command line."""

from __future__ import annotations

import re
from typing import Final

from ..errors import UsageError, way_out
from ..experiment import Experiment
from ..view import ranks

__all__ = ["names_of", "ranks_of"]

_RANGE: Final = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def names_of(experiment: Experiment, words: str | None) -> list[str] | None:
    """Read ``--metrics a,b``; None for None.

    Raises:
        UsageError: There is no such metric.
    """
    if words is None:
        return None
    names = [word.strip() for word in words.split(",") if word.strip()]
    for name in names or [""]:
        if name not in experiment:
            known = (each.name for each in experiment.metrics)
            raise UsageError(f"--metrics {words}: no metric {name!r}; {way_out(name, known)}")
    return list(dict.fromkeys(names))


def ranks_of(experiment: Experiment, words: str | None) -> list[int] | None:
    """Read ``--ranks 0-3,8``; None for None.

    Raises:
        UsageError: It is no list of ranks, or there is no such rank.
    """
    if words is None:
        return None
    there = sorted({place.process for place in experiment.locations})
    found: set[int] = set()
    for word in words.split(","):
        match = _RANGE.fullmatch(word.strip())
        if not match:
            raise UsageError(f"--ranks {words}: ranks and ranges as in 0-3,8 wanted")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise UsageError(f"--ranks {words}: the lower rank of {word.strip()} first wanted")
        within = {rank for rank in there if first <= rank <= last}
        if len(within) < last - first + 1:
            raise UsageError(f"--ranks {words}: {_strangers(experiment, first, last)}")
        found |= within
    return sorted(found)


def _strangers(experiment: Experiment, first: int, last: int) -> str:
    """Tell why ranks of a range are not there, and which are."""
    there = {place.process for place in experiment.locations}
    lost = [rank for rank in experiment.notes.missing if first <= rank <= last]
    why = f"rank {lost[0]} is missing: nothing came back from there" if lost else "no such ranks"
    return f"{why}; there are {ranks(sorted(there))}"
