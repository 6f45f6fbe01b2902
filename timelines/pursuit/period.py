"""Projection pursuit over time, with one result per window of a trace."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Final

import numpy as np

from ...errors import InputError, LocationsError
from ...experiment.trace import Samples
from ...multivariate.formula import Formula, measured, parts
from ...multivariate.metric_space import MetricSpace, Point
from ...multivariate.wanted_metrics import WantedMetrics
from .index import LEAST_POINTS
from .points import Trimming
from .pursuit import FEWEST, Outcome, Pursuit, Status, pursue
from .search import STARTS
from .selection import PROBED, Reduction, Turns, next_selection
from .window import Window, smoothed

__all__ = ["Options", "Period", "PursuitOverTime", "Telling"]

_POINTS_A_METRIC: Final = 8  # points per metric to aim at when few locations are divided into parts


@dataclass(frozen=True)
class Options:
    """The settings of a pursuit.

    Attributes:
        dimensions: Dimensions of projections: 1, 2 or 3.
        trimming: The treatment of outliers.
        seed: Seed of the search.
        starts: Number of starts of the search.
        probed: The share of unselected metrics that is also recorded, as probes, in each period.
        jitter: The fraction by which the index of a new selection must exceed the index of the last selection.
        metrics: Names of metrics; all if None.
        derived: Formulas of further metrics, computed from each location's averages.
        exclude_ranks: Ranks to leave out.
    """

    dimensions: int = 3
    trimming: Trimming = "none"
    seed: int = 0
    starts: int = STARTS
    probed: float = PROBED
    jitter: float = 0.1
    metrics: Sequence[str] | None = None
    derived: Sequence[Formula] = ()
    exclude_ranks: Collection[int] = ()


@dataclass(frozen=True)
class Period:
    """The result for one window.

    Attributes:
        start: Start of the window in seconds.
        end: End of the window in seconds.
        status: As in ``Outcome``. Without a result, ``too-few`` if there are too few locations, or ``no-structure`` if
            no metric differs.
        reason: The reason for the status.
        found: The result, or None.
        selected: The metrics to record from now on; empty before the first selection.
        probed: Further metrics to record in the next period, as probes.
    """

    start: float
    end: float
    status: Status
    reason: str
    found: Outcome | None
    selected: tuple[str, ...] = ()
    probed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Telling:
    """A period whose points are kept for plotting.

    Attributes:
        period: The period.
        found: The period's result, with its points.
    """

    period: Period
    found: Pursuit


@dataclass
class PursuitOverTime:
    """The state of projection pursuit from period to period.

    Attributes:
        options: The settings.
        metrics: Names of all metrics.
        selected: The metrics to record from now on; empty before the first selection.
        turns: The order in which unselected metrics are probed.
        reduction: The data volume saved by the selections.
        parts: For each derived metric, the measured metrics in its formula.
        sources: For each measured metric, how it was measured, if known.
        telling: The period with the most significant structure so far; if no period has structure, the last one
            with a result. To limit memory, only the points of this period are kept.
    """

    options: Options
    metrics: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    turns: Turns = field(default_factory=lambda: Turns(()))
    reduction: Reduction = field(default_factory=lambda: Reduction(0))
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    telling: Telling | None = None

    def measured(self, metrics: Iterable[str]) -> tuple[str, ...]:
        """Return the measured metrics that are needed to compute the given metrics, each once."""
        return measured(metrics, self.parts)

    @property
    def recorded(self) -> tuple[str, ...]:
        """The measured metrics to record from now on, including probes; all metrics before the first selection."""
        return self.measured((*self.selected, *self.turns.probed) if self.selected else self.metrics)

    @property
    def probed(self) -> tuple[str, ...]:
        """The measured metrics that are recorded only as probes."""
        selected = self.measured(self.selected)
        return tuple(name for name in self.measured(self.turns.probed) if name not in selected)

    def of_windows(self, windows: Iterable[Window]) -> Iterator[Period]:
        """Yield the result for each window in turn."""
        for window in windows:
            yield self._period(window.start, window.end, window.samples, window.fresh)

    def of_space(self, space: MetricSpace, end: float, records: int) -> Period:
        """Return the result for given points, as a single period.

        Args:
            space: The points.
            end: End of the period in seconds.
            records: Number of recorded samples.
        """
        self.parts, self.sources = space.parts, space.sources
        self.metrics = (*space.metrics, *space.dropped)
        return self._judged(0.0, end, space, records)

    def _period(self, start: float, end: float, samples: Samples, fresh: int) -> Period:
        wanted = WantedMetrics.among(samples.metrics, self.options.metrics, self.options.derived)
        self.parts = parts(wanted.formulas)
        self.metrics = wanted.names
        try:
            space = _space(samples, wanted, self.options.exclude_ranks)
        except InputError as error:
            return self._recorded(Period(start, end, _status(error), str(error), None), None, fresh)
        return self._judged(start, end, space, fresh, lambda: _parts(samples, wanted, self.options, space))

    def _judged(
        self,
        start: float,
        end: float,
        space: MetricSpace,
        fresh: int,
        divided: Callable[[], MetricSpace | None] = lambda: None,
    ) -> Period:
        options = self.options
        try:
            found = pursue(
                space,
                parts=divided(),
                dimensions=options.dimensions,
                trimming=options.trimming,
                seed=options.seed,
                starts=options.starts,
            )
        except InputError as error:
            return self._recorded(Period(start, end, _status(error), f"after trimming: {error}", None), None, fresh)
        return self._recorded(Period(start, end, found.status, found.reason, found.outcome()), found, fresh)

    def _recorded(self, period: Period, found: Pursuit | None, fresh: int) -> Period:
        before = replace(self.reduction, metrics=len(self.measured(self.metrics)))
        self.reduction = before.after(period.end, fresh, self.recorded)
        self.selected = next_selection(self.selected, found, jitter=self.options.jitter)
        if self.selected:
            self.turns = self._turns()
        period = replace(period, selected=self.selected, probed=self.turns.probed)
        if found and (self.telling is None or _tells(found) >= _tells(self.telling.found)):
            self.telling = Telling(period, found)
        return period

    def _turns(self) -> Turns:
        known = set(self.measured(self.selected))
        anyway = frozenset(name for name in self.metrics if known.issuperset(self.measured([name])))
        return (self.turns if self.turns.waiting else Turns(self.metrics)).after(anyway, self.options.probed)


def _tells(found: Pursuit) -> float:
    """Return the factor by which a result exceeds chance; 0 without structure."""
    return found.beyond if found.worth else 0.0


def _space(samples: Samples, wanted: WantedMetrics, exclude_ranks: Collection[int], parts: int = 1) -> MetricSpace:
    """Return the averages of a window's samples as points, one per location or per part of a location's samples.

    Raises:
        LocationsError: Fewer than two locations have values.
        InputError: No metric differs among the locations.
    """
    points, columns = smoothed(samples, parts)
    kept = [row for row, point in enumerate(points) if point.process not in exclude_ranks]
    return MetricSpace.of_columns(
        {name: columns[name][kept] for name in wanted.measured},
        [points[row] for row in kept],
        metrics=wanted.names,
        derived=wanted.formulas,
        units=dict(zip(samples.metrics, samples.units, strict=True)),
        place="this period",
        among=[Point(process, thread, part) for process, thread in samples.locations for part in range(parts)],
    )


def _parts(samples: Samples, wanted: WantedMetrics, options: Options, space: MetricSpace) -> MetricSpace | None:
    """Return several points per location if there are few locations; each point averages a part of its samples.

    The mean of all locations is subtracted from each part, so that only differences between locations are left.

    Returns:
        None if more points are not necessary, or if there are too few samples.
    """
    locations, metrics = space.values.shape
    most = int(np.bincount(samples.places).max())
    parts = min(most, ceil(_POINTS_A_METRIC * metrics / locations))
    if locations < LEAST_POINTS or locations >= FEWEST * metrics or locations * parts < FEWEST * metrics:
        return None
    divided = _space(samples, wanted, options.exclude_ranks, parts)
    largest = np.abs(divided.values).max(axis=0)
    relative = divided.values / largest
    part = np.array([point.sample for point in divided.points])
    common = np.stack([relative[part == each].mean(axis=0) for each in range(parts)])
    return divided.moved((relative - common[part] + relative.mean(axis=0)) * largest)


def _status(error: InputError) -> Status:
    """Return the status that corresponds to an error in the construction of a metric space."""
    return "too-few" if isinstance(error, LocationsError) else "no-structure"
