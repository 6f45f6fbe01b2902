"""The metric space: locations, or samples of them, as points with metrics as coordinates (Ahn and Vetter, 3.1, 3.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ..analyze.run.arrays import Flags, Indices, Values
from ..analyze.run.code_regions import startup_paths
from ..analyze.run.oversubscription import waiting_for_turns
from ..errors import InputError, LocationsError, UsageError
from ..experiment import Experiment
from ..experiment.grouping import grouped, over_locations
from ..experiment.metric import MPI_PARTS, MPI_WAIT
from ..experiment.selection import check_ranks, named_paths
from .derivations import cache_line
from .formula import Formula, measured, parts
from .wanted_metrics import WantedMetrics

__all__ = ["ROUNDING", "SCALES", "MetricSpace", "Point", "Scale", "scaled"]

Scale = Literal["standard", "mean", "none"]

SCALES: Final[tuple[Scale, ...]] = ("standard", "mean", "none")

# A range smaller than this share of the largest value counts as zero.
ROUNDING: Final = 64 * float(np.finfo(np.float64).eps)
_SQUARED: Final = 1e100  # values between this number and its inverse can be squared and summed
_LISTED: Final = 5
_WALL: Final = "wall_time"


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """A thread of a process, in one of several samples."""

    process: int
    thread: int = 0
    sample: int = 0


@dataclass(frozen=True)
class MetricSpace:
    """Points of a metric space, cleaned: every coordinate is finite, and no metric is constant.

    Attributes:
        metrics: Names, one per column.
        points: The points, one per row.
        values: ``float64[point, metric]``, in the metrics' units.
        units: Metric → unit; empty for most derived metrics.
        dropped: Metric → why it is not a dimension.
        left_out: Label of an omitted point → the reason.
        formulas: Derived metric → its formula.
        parts: Derived metric → the measured metrics in its formula.
        sources: Measured metric → how it was measured.
        place: Where the values were measured: ``the program`` or a region's name.
        time: The longest measured time of any point in ``place``, in seconds; 0 if no time was measured.
        wholes: Measured metric → the largest total of any point over the whole program; for bytes, all kinds of bytes
            together.
        waiting: Metrics that include waiting for a core.
        threaded: Whether labels include threads.
        sampled: Whether labels include samples.
    """

    metrics: tuple[str, ...]
    points: tuple[Point, ...]
    values: Values
    units: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[int | str, str] = field(default_factory=dict)
    formulas: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    place: str = "the program"
    time: float = 0.0
    wholes: Mapping[str, float] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    threaded: bool = False
    sampled: bool = False

    @classmethod
    def of(
        cls,
        *experiments: Experiment,
        region: str | None = None,
        exclusive: bool = False,
        metrics: Sequence[str] | None = None,
        besides: Sequence[str] = (),
        derived: Sequence[Formula] = (),
        by: Literal["thread", "process"] = "thread",
        exclude_ranks: Collection[int] = (),
    ) -> MetricSpace:
        """Make one point per location of an experiment; several experiments are several samples.

        Args:
            experiments: Runs of one program.
            region: A region's name, path or ``file:line``: all its call paths and everything below them. Default: the
                program without MPI_Init and MPI_Finalize.
            exclusive: Whether to leave out everything below the region.
            metrics: Names of metrics, including those of built-in formulas; if None, all measured metrics except the
                parts of ``mpi_time``.
            besides: Names of additional built-in formulas, if ``metrics`` is None.
            derived: Formulas of further metrics.
            by: Whether a point is a thread or a process with all its threads.
            exclude_ranks: Ranks to leave out.

        Raises:
            UsageError: A region, a metric or a rank does not exist.
            LocationsError: Fewer than two points are left.
            InputError: No metric is left.
        """
        if exclusive and region is None:
            raise UsageError("expected a region for the exclusive values, found none")
        common = [each.name for each in experiments[0].metrics if all(each.name in other for other in experiments)]
        names = [*_without_parts(common), *besides] if metrics is None else metrics
        wanted = WantedMetrics.among(common, names, derived, line=cache_line(experiments[0]))
        whole_of = {name: _whole_of(name, experiments) for name in wanted.measured}
        of_program = dict.fromkeys(whole_of.values())
        read = dict.fromkeys([*wanted.measured, *({_WALL} & {*common}), *(of_program if region is None else ())])
        tables = [
            _table(each, sample, _rows(each, region, exclusive=exclusive), [*read], by)
            for sample, each in enumerate(experiments)
        ]
        points = [point for table in tables for point in table.points]
        check_ranks(exclude_ranks, [point.process for point in points])
        taken = np.array([point.process not in exclude_ranks for point in points])
        columns = _columns(tables, read, taken)
        space = cls.of_columns(
            columns,
            [point for point, kept in zip(points, taken, strict=True) if kept],
            entered=np.concatenate([table.entered for table in tables])[taken],
            metrics=wanted.names,
            derived=wanted.formulas,
            units={name: experiments[0].metric(name).unit for name in read},
            place=region or "the program",
            among=points,
        )
        if region is not None:
            rows = [_rows(each, None, exclusive=False) for each in experiments]
            tables = [_table(each, 0, own, [*of_program], by) for each, own in zip(experiments, rows, strict=True)]
            columns = _columns(tables, of_program, taken)
        return replace(
            space,
            sources={name: experiments[0].metric(name).source for name in wanted.measured},
            wholes={name: _longest([columns[whole]]) for name, whole in whole_of.items()},
            waiting=frozenset(name for each in experiments for name in waiting_for_turns(each)),
        )

    @classmethod
    def of_columns(
        cls,
        columns: Mapping[str, Values],
        points: Sequence[Point],
        *,
        entered: Flags | None = None,
        metrics: Sequence[str] | None = None,
        derived: Iterable[Formula] = (),
        units: Mapping[str, str] | None = None,
        place: str = "the program",
        among: Sequence[Point] | None = None,
    ) -> MetricSpace:
        """Make a space from columns, ``float64[point]`` each, and clean it.

        Points that never entered the region or have no value are left out. Then metrics with a missing value, or with
        only equal values, are dropped. Labels include threads or samples if ``among`` (default: these points) contains
        several points of one process, so a part of a space labels its points like the whole.

        Raises:
            LocationsError: Fewer than two points are left.
            InputError: No metric is left.
        """
        table = dict(columns)
        formulas = list(derived)
        known = dict(units or {})
        for formula in formulas:
            table[formula.name] = formula.evaluate(table)
            known[formula.name] = formula.unit(known)
        names = tuple(table if metrics is None else metrics)
        values = np.array([table[name] for name in names], dtype=np.float64).reshape(len(names), len(points)).T
        values[~np.isfinite(values)] = np.nan
        everywhere = points if among is None else among
        threaded, sampled = any(each.thread for each in everywhere), any(each.sample for each in everywhere)
        labels = [_label(each, threaded=threaded, sampled=sampled) for each in points]
        missing = np.isnan(values).all(axis=1)
        outside = np.zeros(len(points), dtype=bool) if entered is None else ~entered & ~missing
        why = {labels[row]: "no values" for row in np.flatnonzero(missing).tolist()}
        why |= {labels[row]: f"never in {place}" for row in np.flatnonzero(outside).tolist()}
        kept = np.flatnonzero(~missing & ~outside)
        if len(kept) < 2:
            raise LocationsError(f"need at least two locations with values in {place}, found {len(kept)}")
        space = cls(
            names,
            tuple(points[row] for row in kept.tolist()),
            values[kept],
            {name: known.get(name, "") for name in names},
            left_out=why,
            formulas={formula.name: formula.text for formula in formulas if formula.name in names},
            parts=parts(formulas),
            place=place,
            time=_longest([column[kept] for name, column in table.items() if known.get(name) == "sec"]),
            threaded=threaded,
            sampled=sampled,
        )
        return space._cleaned()

    @cached_property
    def labels(self) -> tuple[int | str, ...]:
        """Labels of points: ranks, ``rank.thread`` for several threads per process, ``#sample`` for several samples."""
        return tuple(_label(each, threaded=self.threaded, sampled=self.sampled) for each in self.points)

    def measured(self, metrics: Iterable[str]) -> tuple[str, ...]:
        """Return the metrics that must be measured to compute the given metrics, each once."""
        return measured(metrics, self.parts)

    def scaled(self, scale: Scale = "standard") -> Values:
        """Return the values scaled so that metrics can be compared; ``float64[point, metric]``.

        ``standard``: minus the mean, divided by the standard deviation of all points. ``mean``: minus the mean, divided
        by the mean absolute value, so that relative differences count. ``none``: unchanged.

        Raises:
            UsageError: The values cannot be used unscaled, because their squares would overflow.
        """
        if scale == "none":
            self._check_squares()
        return scaled(self.values, scale)

    def _check_squares(self) -> None:
        sizes = np.abs(self.values).max(axis=0)
        largest = int(sizes.argmax())
        if not 1 / _SQUARED <= sizes[largest] <= _SQUARED:
            raise UsageError(
                f"unscaled values must lie between {1 / _SQUARED:g} and {_SQUARED:g}, so that their squares can be "
                f"summed; found {sizes[largest]:.3g} in {self.metrics[largest]}; scale the metrics, or omit this "
                "metric"
            )

    def part(self, rows: npt.ArrayLike) -> MetricSpace:
        """Return the space of the selected points, without metrics that are constant among them.

        Raises:
            LocationsError: Fewer than two points are left.
            InputError: No metric is left.
        """
        taken = np.asarray(rows, dtype=np.intp)
        if len(taken) < 2:
            raise LocationsError(f"need at least two locations, found {len(taken)}")
        return replace(
            self, points=tuple(self.points[row] for row in taken.tolist()), values=self.values[taken]
        )._cleaned()

    def moved(self, values: Values) -> MetricSpace:
        """Return a space of the same points with other values, ``float64[point, metric]``, without constant metrics.

        Raises:
            InputError: No metric differs.
        """
        return replace(self, values=values)._cleaned()

    def along(self, metrics: Sequence[str]) -> MetricSpace:
        """Return a space with only the given metrics, in this order."""
        columns = [self.metrics.index(name) for name in metrics]
        return replace(self, metrics=tuple(metrics), values=self.values[:, columns])

    def _cleaned(self) -> MetricSpace:
        why = dict(self.dropped)
        for name, column in zip(self.metrics, self.values.T, strict=True):
            if reason := self._unusable(column):
                why[name] = reason
        kept = [name for name in self.metrics if name not in why]
        if not kept:
            said = "; ".join(f"{name}: {reason}" for name, reason in list(why.items())[:_LISTED])
            raise InputError(
                f"need a metric that differs between the {len(self.points)} locations, found none ({said})"
            )
        return replace(self.along(kept), dropped=why)

    def _unusable(self, column: Values) -> str | None:
        """Return why a column cannot be a dimension; None if it can."""
        missing = np.flatnonzero(np.isnan(column))
        if len(missing) == len(column):
            return "no value"
        if len(missing):
            listed = ", ".join(str(self.labels[row]) for row in missing[:_LISTED])
            more = ", …" if len(missing) > _LISTED else ""
            return f"missing on {len(missing)} of {len(column)} locations: {listed}{more}"
        low, high = float(column.min()), float(column.max())
        equal = high / 2 - low / 2 <= ROUNDING / 2 * max(abs(low), abs(high))
        return f"constant: {low:g}" if equal else None


def _without_parts(metrics: Sequence[str]) -> list[str]:
    """Leave out the parts of ``mpi_time``, because one kind of call is often nearly all of it and would count twice."""
    parts = {part.name for part in (*MPI_PARTS, MPI_WAIT) if "mpi_time" in metrics}
    return [name for name in metrics if name not in parts]


def scaled(values: Values, scale: Scale) -> Values:
    """Scale values, ``float64[point, metric]``, as ``MetricSpace.scaled`` does, without checking their squares."""
    if scale == "none":
        return values
    _, exponents = np.frexp(np.abs(values).max(axis=0))
    relative = np.ldexp(values, -exponents)  # exact; now squares of huge values do not overflow
    centred = relative - relative.mean(axis=0)
    spread = centred.std(axis=0) if scale == "standard" else np.abs(relative).mean(axis=0)
    return np.asarray(centred / spread)


def _rows(experiment: Experiment, region: str | None, *, exclusive: bool) -> Indices:
    """Return the indices of the call paths whose values add up to those of a region or the program: ``int[row]``."""
    if region is None:
        hidden = startup_paths(experiment)
        return np.array([path for path in range(len(experiment.call_paths)) if path not in hidden], dtype=np.intp)
    paths = named_paths(experiment, region)
    if not exclusive:
        paths = sorted({each for path in paths for each in experiment.walk(path)})
    return np.array(paths, dtype=np.intp)


def _longest(times: Sequence[Values]) -> float:
    """Return the largest value of all columns; 0 if there is none."""
    return max((float(each[np.isfinite(each)].max(initial=0.0)) for each in times), default=0.0)


def _whole_of(name: str, experiments: Sequence[Experiment]) -> str:
    """Return the metric that holds the total: all bytes for any kind of bytes, the metric itself for all others."""
    metric = experiments[0].metric(name)
    while metric.unit == "bytes" and metric.parent is not None and all(metric.parent in each for each in experiments):
        metric = experiments[0].metric(metric.parent)
    return metric.name


def _columns(tables: Sequence[_Table], names: Iterable[str], taken: Flags) -> dict[str, Values]:
    """Concatenate the columns of several tables, for the selected points."""
    return {name: np.concatenate([table.columns[name] for table in tables])[taken] for name in names}


@dataclass(frozen=True, slots=True)
class _Table:
    points: list[Point]
    columns: dict[str, Values]
    entered: Flags


def _table(
    experiment: Experiment,
    sample: int,
    rows: Indices,
    metrics: Sequence[str],
    by: Literal["thread", "process"],
) -> _Table:
    """Read the metrics of one experiment: for each metric, one value per point, summed over the call paths."""
    groups: dict[Point, list[int]] = {}
    for column, place in enumerate(experiment.locations):
        point = Point(place.process, place.thread if by == "thread" else 0, sample)
        groups.setdefault(point, []).append(column)
    alone = len(groups) == len(experiment.locations)

    def of_points(name: str) -> Values:
        metric = experiment.metric(name)
        together = np.zeros(len(rows), dtype=np.intp)
        values = grouped(metric.aggregation, experiment.exclusive(name)[rows], together, 1)
        if alone:
            return np.asarray(values[0])
        return np.array([over_locations(metric, values[:, columns])[0] for columns in groups.values()])

    columns = {name: of_points(name) for name in metrics}
    visits = of_points("visits") if "visits" in experiment else np.ones(len(groups))
    return _Table(list(groups), columns, ~(visits == 0))


def _label(point: Point, *, threaded: bool, sampled: bool) -> int | str:
    if not threaded and not sampled:
        return point.process
    return f"{point.process}{f'.{point.thread}' if threaded else ''}{f'#{point.sample}' if sampled else ''}"
