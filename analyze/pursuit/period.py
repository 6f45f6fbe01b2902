"""Projection pursuit over time: one result a window, whatever is in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ...errors import InputError
from ...experiment.trace import Samples
from ..formula import Formula
from ..metric_space import MetricSpace, Point
from ..wanted import WantedMetrics
from .pursuit import Pursuit, Status, pursue
from .selection import Reduction, next_selection
from .trimming import Trimming
from .window import Window, smoothed

__all__ = ["Options", "Period", "PursuitOverTime", "space_of"]


@dataclass(frozen=True)
class Options:
    """How metrics are pursued.

    Attributes:
        dimensions: Of projections: 1, 2 or 3.
        trimming: What is done to points that lie far out.
        seed: Of the search.
        jitter: By which share a selection must be better than that before.
        metrics: Which ones; all if None.
        derived: Further metrics, of smoothed values.
        exclude_ranks: Ranks that make no points.
    """

    dimensions: int = 3
    trimming: Trimming = "none"
    seed: int = 0
    jitter: float = 0.1
    metrics: Sequence[str] | None = None
    derived: Sequence[Formula] = ()
    exclude_ranks: Collection[int] = ()


@dataclass(frozen=True)
class Period:
    """What was found in a window.

    Attributes:
        start: Seconds.
        end: Seconds.
        status: As in ``Pursuit``; without a result ``too-few`` locations, or ``no-structure`` as no metric differs.
        reason: Of the status.
        found: The result; None if there is none.
        selected: What to record from now on; empty before the first selection.
    """

    start: float
    end: float
    status: Status
    reason: str
    found: Pursuit | None
    selected: tuple[str, ...]


@dataclass
class PursuitOverTime:
    """Periods, one after another, and what their selections save."""

    options: Options
    metrics: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    reduction: Reduction = field(default_factory=lambda: Reduction(0))

    def of_windows(self, windows: Iterable[Window]) -> Iterator[Period]:
        """Pursue the metrics of each window in turn."""
        for window in windows:
            yield self._period(window.start, window.end, window.samples, window.fresh)

    def of_space(self, space: MetricSpace, end: float, records: int) -> Period:
        """Pursue the metrics of points that are there at once: a run as one period."""
        return self._judged(0.0, end, space, records, (*space.metrics, *space.dropped))

    def _period(self, start: float, end: float, samples: Samples, fresh: int) -> Period:
        wanted = WantedMetrics.among(samples.metrics, self.options.metrics, self.options.derived)
        try:
            space = space_of(samples, wanted, self.options.exclude_ranks)
        except InputError as error:
            return self._recorded(Period(start, end, _status(samples), str(error), None, ()), fresh, wanted.names)
        return self._judged(start, end, space, fresh, wanted.names)

    def _judged(self, start: float, end: float, space: MetricSpace, fresh: int, metrics: tuple[str, ...]) -> Period:
        options = self.options
        try:
            found = pursue(space, dimensions=options.dimensions, trimming=options.trimming, seed=options.seed)
        except InputError as error:
            return self._recorded(Period(start, end, "too-few", f"after trimming: {error}", None, ()), fresh, metrics)
        return self._recorded(Period(start, end, found.status, found.reason, found, ()), fresh, metrics)

    def _recorded(self, period: Period, fresh: int, metrics: tuple[str, ...]) -> Period:
        self.metrics = metrics
        before = replace(self.reduction, metrics=len(metrics))
        self.reduction = before.after(period.end, fresh, self.selected)
        self.selected = next_selection(self.selected, period.found, jitter=self.options.jitter)
        return replace(period, selected=self.selected)


def space_of(samples: Samples, wanted: WantedMetrics, exclude_ranks: Collection[int] = ()) -> MetricSpace:
    """Smooth the samples of a window to a point a location.

    Raises:
        InputError: Fewer than two locations have values, or no metric differs among them.
    """
    points, columns = smoothed(samples)
    kept = [row for row, point in enumerate(points) if point.process not in exclude_ranks]
    return MetricSpace.of_columns(
        {name: columns[name][kept] for name in wanted.measured},
        [points[row] for row in kept],
        metrics=wanted.names,
        derived=wanted.formulas,
        units=dict(zip(samples.metrics, samples.units, strict=True)),
        place="this period",
        among=[Point(*each) for each in samples.locations],
    )


def _status(samples: Samples) -> Status:
    """Say what is lacking where there are no points of a metric space."""
    return "too-few" if len({*samples.places.tolist()}) < 2 else "no-structure"
