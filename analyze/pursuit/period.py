"""Projection pursuit over time: one result a window, whatever is in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...errors import InputError, LocationsError
from ...experiment.trace import Samples
from ..formula import Formula, measured, parts
from ..metric_choice import WantedMetrics
from ..metric_space import MetricSpace, Point
from .pursuit import Outcome, Pursuit, Status, pursue
from .selection import Reduction, next_selection
from .trimming import Trimming
from .window import Window, smoothed

__all__ = ["Options", "Period", "PursuitOverTime", "Telling"]


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
        found: The result, without its points; None if there is none.
        selected: What to record from now on; empty before the first selection.
    """

    start: float
    end: float
    status: Status
    reason: str
    found: Outcome | None
    selected: tuple[str, ...]


@dataclass(frozen=True)
class Telling:
    """A period with its points.

    Attributes:
        period: When it was.
        found: Its result.
    """

    period: Period
    found: Pursuit


@dataclass
class PursuitOverTime:
    """Periods, one after another, and what their selections save.

    Attributes:
        options: How they are pursued.
        metrics: Names of all metrics.
        selected: What to record from now on; empty before the first selection.
        reduction: What the selections have saved.
        parts: Derived metric → the measured ones of which it is made.
        sources: Measured metric → how it was measured, where that is known.
        telling: The period that tells most so far: of those with structure the one farthest from chance, or else the
            last with a result. Points of no other one are kept, however long a run is.
    """

    options: Options
    metrics: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    reduction: Reduction = field(default_factory=lambda: Reduction(0))
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    telling: Telling | None = None

    def measured(self, metrics: Iterable[str]) -> tuple[str, ...]:
        """Give the metrics that must be recorded for some metrics, each once."""
        return measured(metrics, self.parts)

    def of_windows(self, windows: Iterable[Window]) -> Iterator[Period]:
        """Pursue the metrics of each window in turn."""
        for window in windows:
            yield self._period(window.start, window.end, window.samples, window.fresh)

    def of_space(self, space: MetricSpace, end: float, records: int) -> Period:
        """Pursue the metrics of points that are there at once: a run as one period."""
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
            return self._recorded(Period(start, end, _status(error), str(error), None, ()), None, fresh)
        return self._judged(start, end, space, fresh)

    def _judged(self, start: float, end: float, space: MetricSpace, fresh: int) -> Period:
        options = self.options
        try:
            found = pursue(space, dimensions=options.dimensions, trimming=options.trimming, seed=options.seed)
        except InputError as error:
            reason = f"after trimming: {error}"
            return self._recorded(Period(start, end, _status(error), reason, None, ()), None, fresh)
        period = Period(start, end, found.status, found.reason, found.outcome(), ())
        return self._recorded(period, found, fresh)

    def _recorded(self, period: Period, found: Pursuit | None, fresh: int) -> Period:
        before = replace(self.reduction, metrics=len(self.measured(self.metrics)))
        self.reduction = before.after(period.end, fresh, self.measured(self.selected))
        self.selected = next_selection(self.selected, found, jitter=self.options.jitter)
        period = replace(period, selected=self.selected)
        if found and (self.telling is None or _tells(found) >= _tells(self.telling.found)):
            self.telling = Telling(period, found)
        return period


def _tells(found: Pursuit) -> float:
    """Give how far beyond chance a result is; 0 without structure."""
    return found.index / found.critical if found.worth else 0.0


def _space(samples: Samples, wanted: WantedMetrics, exclude_ranks: Collection[int]) -> MetricSpace:
    """Smooth the samples of a window to a point a location.

    Raises:
        LocationsError: Fewer than two locations have values.
        InputError: No metric differs among them.
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


def _status(error: InputError) -> Status:
    """Say what is lacking where there are no points of a metric space."""
    return "too-few" if isinstance(error, LocationsError) else "no-structure"
