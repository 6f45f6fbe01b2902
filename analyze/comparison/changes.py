"""How much a program changed from one experiment to another, where, and on which ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np

from ...experiment import Experiment
from ...experiment.metric import TEAM_TIME, WEIGHING_TIMES
from ...experiment.prices import Prices
from ...experiment.severities import Rows
from ..run.arrays import Values
from ..run.busy import BUSY_PARTS, busy_parts
from ..run.criteria import CRITERIA
from .compared_runs import BUSY_TIME, PATH_TIME

__all__ = ["Change", "Changes"]

_MOST: Final = 5  # maximum number of listed call paths
_SMALL: Final = 0.01  # changes below this share of the largest change are left out
_LEAST: Final = 0.05  # a location is listed if its change is at least this share of the largest change
_ALIKE: Final = 0.9  # locations are alike if the smallest change is at least this share of the largest
_MOVED: Final = 0.8  # work moved if the smaller of decreases and increases is at least this share of the larger
_NOTHING: Final = 5e-10  # smaller changes, in seconds, are rounding errors
_WALL: Final = "wall_time"
_NO_WHOLE: Final = (PATH_TIME, "delay_time", "wait_time", TEAM_TIME.name)  # times that do not cover the whole program


def _most(sizes: Values) -> list[int]:
    """Return the positions of sizes that reach ``_LEAST`` of the largest, in ascending order; empty if all are 0."""
    largest = float(sizes.max(initial=0.0))
    return np.flatnonzero(sizes >= _LEAST * largest).tolist() if largest else []


@dataclass(frozen=True, eq=False)
class Change:
    """The change of a call path, or of the whole program.

    Attributes:
        amount: The decrease, in the metric's unit; negative for an increase.
        by_location: ``float64[location]``: the decrease at each location.
        path: Index of the call path; None for the whole program.
        causes: The decrease of each metric that may explain the change, the best explanation first.
        is_moved: Whether work moved from some locations to others: decreases and increases are about equal, and
            instructions, if counted, moved as well.
        is_of_path_alone: Whether the call path's time changed mainly on the critical path: its busy time, both in total
            and at each location, changed by less than a quarter of that amount.
    """

    amount: float
    by_location: Values
    path: int | None = None
    causes: Mapping[str, float] = field(default_factory=dict)
    is_moved: bool = False
    is_of_path_alone: bool = False

    @property
    def kind(self) -> Literal["gain", "loss", "change"]:
        """``gain`` or ``loss``; ``change`` if locations changed but their sum did not."""
        return "change" if abs(self.amount) < _NOTHING else "gain" if self.amount > 0 else "loss"

    @cached_property
    def locations(self) -> list[int]:
        """The locations that changed most, in ascending order; empty if there is only one location."""
        return _most(np.abs(self.by_location)) if len(self.by_location) > 1 else []

    @property
    def sides(self) -> tuple[list[int], list[int]]:
        """The locations that decreased most, and those that increased most, each in ascending order."""
        decreases, increases = np.maximum(self.by_location, 0.0), np.maximum(-self.by_location, 0.0)
        return _most(decreases), _most(increases)

    @property
    def is_contrary(self) -> bool:
        """Whether the sum over the locations changed in the opposite direction to ``amount``."""
        return self.amount * float(self.by_location.sum()) < 0

    @property
    def is_one_way(self) -> bool:
        """Whether all of ``locations`` became faster, or all became slower."""
        values = self.by_location[self.locations]
        return bool(np.all(values > 0) or np.all(values < 0))

    @property
    def is_alike(self) -> bool:
        """Whether ``locations`` has at least two members, and all changed by about the same amount."""
        sizes = np.abs(self.by_location[self.locations])
        return len(sizes) > 1 and bool(sizes.min() >= _ALIKE * sizes.max())


@dataclass(frozen=True, eq=False)
class Changes:
    """The changes of a program.

    A metric that only one of the experiments has is never listed, because its values would look like a change.

    Attributes:
        metric: The metric by which changes are listed: the length of the critical path, otherwise busy time, otherwise
            wall time; empty if none of them is known. Wall time is the last choice, because ranks may wait less in one
            region and more in another.
        of_ranks: The metric in which changes at locations are reported.
        unit: Unit of these metrics.
        totals: The change of each metric in the whole program, summed over the locations.
        program: The change of ``of_ranks`` in the whole program.
        paths: The call paths that changed most in ``metric``, the largest change first.
        unknown: The metrics whose change is unknown, each with the stored metrics that one of the experiments lacks.
        is_counted: Whether both experiments have counts of instructions.
        is_priced: Whether the time of an instruction is known: both experiments have the same calibration.
    """

    metric: str
    of_ranks: str
    unit: str
    totals: Mapping[str, float]
    program: Change
    paths: Sequence[Change]
    unknown: Mapping[str, Sequence[str]]
    is_counted: bool = False
    is_priced: bool = False

    @classmethod
    def of(cls, difference: Experiment) -> Changes | None:
        """Return the changes; None if no time changed and no change is unknown."""
        metrics = _metrics(difference)
        one_sided = set(difference.notes.one_sided)
        unknown = {name: sorted(one_sided & {*parts}) for name, parts in metrics.items() if one_sided & {*parts}}
        known = {name: parts for name, parts in metrics.items() if name not in unknown}
        changed = {
            name: parts
            for name, parts in known.items()
            if any((np.abs(values) > _NOTHING).any() for _, values in _blocks(difference, parts))
        }
        if not changed and not unknown:
            return None
        if not known:
            return cls("", "", "", {}, Change(0.0, np.zeros(len(difference.locations))), [], unknown)
        metric = next(iter(changed or known))
        unit = _unit(difference, known[metric])
        alike = {name: parts for name, parts in known.items() if _unit(difference, parts) == unit}
        of_ranks = BUSY_TIME if metric == PATH_TIME and BUSY_TIME in alike else metric
        of_all = {
            name: np.sum([values.sum(axis=0) for _, values in _blocks(difference, parts)], axis=0)
            for name, parts in alike.items()
            if name == metric or name != PATH_TIME
        }
        totals = {name: float(values.sum()) for name, values in of_all.items()}
        program = Change(totals[of_ranks], of_all[of_ranks])
        paths = _paths(difference, known[metric], known[of_ranks], is_path=metric == PATH_TIME)
        is_counted, is_priced = _is_counted(difference), "instructions" in _prices(difference)
        return cls(metric, of_ranks, unit, totals, program, paths, unknown, is_counted, is_priced)


def _metrics(difference: Experiment) -> dict[str, dict[str, int]]:
    """Return the metrics by which changes can be listed, the best first, each with its stored parts and their signs."""
    has_path = PATH_TIME in difference and not difference.notes.path_is_partial
    found = {PATH_TIME: {PATH_TIME: 1}} if has_path else {}
    if "cpu_time" in difference:
        found[BUSY_TIME] = busy_parts(difference)
    times = [each.name for each in difference.metrics if each.name == _WALL or each.name in WEIGHING_TIMES]
    times += [each.name for each in difference.metrics if each.unit == "sec" and each.parent is None]
    times = [name for name in times if difference.metric(name).aggregation == "sum"]
    one_sided = difference.notes.one_sided
    others = [name for name in times if name not in (*_NO_WHOLE, *BUSY_PARTS, *one_sided)]
    return {**found, others[0]: {others[0]: 1}} if others else found


def _is_counted(difference: Experiment) -> bool:
    return "instructions" in difference and "instructions" not in difference.notes.one_sided


def _prices(difference: Experiment) -> dict[str, float]:
    """Map each metric that may explain a change, and that both experiments have, to its highest price in seconds.

    The prices are the calibrated ones that both experiments have in common, or otherwise the limits in ``CRITERIA``.
    Instructions have no limit, because the speed of the core is unknown.
    """
    calibrated = Prices.of(difference.notes.prices)
    found = {
        "io_time": 1.0,
        "instructions": calibrated.instruction_dependent,
        "l2_misses": calibrated.l2_miss_chased or CRITERIA.miss,
        "io_bytes": CRITERIA.byte,
        "mpi_bytes": CRITERIA.byte,
    }
    one_sided = difference.notes.one_sided
    known = {name: price for name, price in found.items() if name in difference and name not in one_sided}
    return {name: price for name, price in known.items() if price is not None}


def _is_moved(difference: Experiment, path: int, change: Values) -> bool:
    """Return whether work of a call path moved between locations.

    Args:
        difference: The difference.
        path: Index of the call path.
        change: ``float64[location]``: the decrease of its time at each location, in seconds.
    """
    sides = float(change[change > 0].sum()), -float(change[change < 0].sum())
    if max(sides) <= _NOTHING or min(sides) < _MOVED * max(sides):
        return False
    if not _is_counted(difference) or not difference.notes.counts_by_rank:
        return True
    executed = np.nan_to_num(difference.rows("instructions", np.array([path]))[0])
    moved, price = float(np.dot(executed, np.sign(change))), _prices(difference).get("instructions")
    return moved > 0 if price is None else moved * price >= CRITERIA.part * sum(sides)


def _explaining(difference: Experiment, path: int, change: float) -> dict[str, float]:
    """Return the metrics that changed in the same direction as a call path's time, and may explain its change.

    Args:
        difference: The difference.
        path: Index of the call path.
        change: The decrease of its time, in seconds, summed over the locations.
    """
    if abs(change) < _NOTHING:
        return {}
    prices = _prices(difference)
    sums = {name: float(np.nansum(difference.rows(name, np.array([path])))) for name in prices}
    shares = {name: prices[name] * value / change for name, value in sums.items()}
    return {
        name: sums[name] for name in sorted(shares, key=lambda name: -shares[name]) if shares[name] >= CRITERIA.part
    }


def _unit(difference: Experiment, parts: Mapping[str, int]) -> str:
    return difference.metric(next(iter(parts))).unit


def _blocks(difference: Experiment, parts: Mapping[str, int]) -> Iterator[tuple[Rows, Values]]:
    """Yield rows of call paths, and how the sum of ``parts`` changed: ``float64[row, location]``, 0 if missing."""
    (first, *others) = parts
    for rows, values in difference.blocks(first):
        found = parts[first] * np.nan_to_num(values)
        for name in others:
            found = found + parts[name] * np.nan_to_num(difference.rows(name, rows))
        yield rows, found


def _paths(
    difference: Experiment, parts: Mapping[str, int], of_ranks: Mapping[str, int], *, is_path: bool
) -> list[Change]:
    """Return the call paths that changed most: in total if ``is_path``, otherwise at the location that changed most.

    Args:
        difference: The difference.
        parts: The stored metrics by which changes are listed, with their signs.
        of_ranks: The stored metrics in which changes at locations are reported, with their signs.
        is_path: Whether changes on the critical path are listed.
    """
    sums, sizes = np.zeros(len(difference.call_paths)), np.zeros(len(difference.call_paths))
    for rows, values in _blocks(difference, parts):
        sums[rows] = values.sum(axis=1)
        sizes[rows] = np.abs(sums[rows]) if is_path else np.abs(values).max(axis=1, initial=0.0)
    found = []
    for path in np.argsort(-sizes, kind="stable")[:_MOST].tolist():
        if sizes[path] <= max(_NOTHING, _SMALL * sizes.max()):
            break
        of_each = sum(
            sign * np.nan_to_num(difference.rows(name, np.array([path]))[0]) for name, sign in of_ranks.items()
        )
        change = Change(float(sums[path]), np.asarray(of_each), path)
        explained = max(abs(float(change.by_location.sum())), float(np.abs(change.by_location).max(initial=0.0)))
        if is_path and explained < CRITERIA.part * abs(change.amount):
            change = replace(change, is_of_path_alone=True)
        elif _unit(difference, of_ranks) == "sec":
            whole = float(change.by_location.sum())
            causes = {} if change.is_contrary else _explaining(difference, path, whole)
            change = replace(change, causes=causes, is_moved=_is_moved(difference, path, change.by_location))
        found.append(change)
    return found
