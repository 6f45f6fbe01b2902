"""Options that choose ranks and metrics of an experiment."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from ..errors import UsageError, way_out

if TYPE_CHECKING:
    from ..experiment import Experiment

__all__ = ["add_exclude_rank_argument", "names_of", "ranks_of"]

_RANGE: Final = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def add_exclude_rank_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that leaves ranks out of an analysis."""
    parser.add_argument(
        "--exclude-rank",
        type=int,
        action="append",
        default=[],
        metavar="RANK",
        help="leave out this rank, for example a master; may be repeated",
    )


def names_of(words: str | None, known: Collection[str] | None = None) -> list[str] | None:
    """Return the names in ``--metrics a,b``, or None (all metrics) if the option is not given.

    Args:
        words: The option's value, or None.
        known: The names that may be given; None for any.

    Raises:
        UsageError: There is no name, or a name is unknown.
    """
    if words is None:
        return None
    names = list(dict.fromkeys(word.strip() for word in words.split(",") if word.strip()))
    if not names:
        raise UsageError(f"--metrics {words!r}: expected names of metrics, separated by commas")
    for name in names:
        if known is not None and name not in known:
            raise UsageError(f"--metrics {words}: {_unknown(name, known)}")
    return names


def _unknown(name: str, known: Collection[str]) -> str:
    """Return the error for a metric that the experiment does not store: it is derived, or its name is unknown."""
    from ..multivariate.derivations import DERIVATIONS

    ways = [each for each in DERIVATIONS if each.name == name]
    if ways:
        return (
            f"{name} is computed, not stored ({' or '.join(each.said for each in ways)}); to see its values, use "
            "dump --metrics"
        )
    return f"no metric {name!r}; {way_out(name, known)}"


def ranks_of(experiment: Experiment, words: str | None) -> list[int] | None:
    """Return the ranks in ``--ranks 0-3,8``, sorted, or None (all ranks) if the option is not given.

    Raises:
        UsageError: The text is not a list of ranks and ranges.
        InputError: The experiment does not contain one of the ranks.
    """
    from ..experiment.selection import check_ranks

    if words is None:
        return None
    there = {place.process for place in experiment.locations}
    found: set[int] = set()
    for word in words.split(","):
        match = _RANGE.fullmatch(word.strip())
        named = range(int(match[1]), int(match[2] or match[1]) + 1) if match else ()
        if not named:
            raise UsageError(f"--ranks {words}: expected ranks and ranges, such as 0-3,8")
        check_ranks(named, there, experiment.notes.missing)
        found.update(named)
    return sorted(found)
