"""One anomaly."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..arrays import Values

__all__ = ["Anomaly", "Companion", "Course"]


@dataclass(frozen=True, slots=True)
class Companion:
    """A metric that goes with an anomaly.

    Attributes:
        metric: Its name.
        sign: ``+`` if it rises where the anomaly's does.
        score: From 0 to 1: Pearson's coefficient with the anomaly's shape, without its sign.
        source: The trace that has it.
    """

    metric: str
    sign: str
    score: float
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """What the entries of a region took over time, in parts of several entries.

    Attributes:
        source: The run.
        begin: ``float64[location, part]``, seconds.
        end: Likewise.
        seconds: ``float64[location, part]``: computing, for each entry.
    """

    source: str
    begin: Values
    end: Values
    seconds: Values


@dataclass(frozen=True, slots=True)
class Anomaly:
    """Something that changes over time.

    Attributes:
        kind: ``gradual change``, ``sudden change``, ``level shift``, ``rank leaves the others``, ``period`` or ``dip
            before an event``.
        metric: What changes: ``compute_time`` of each entry of a region, ``io_time``, ``resident_memory``.
        start: Seconds, in the first run.
        end: Likewise.
        ranks: Those on which it does.
        path: The call path, by its place in the first run's trace; None for the whole program.
        factor: What the metric becomes times what it is otherwise; of a period its share of the time.
        strength: The change over the deviation of what remains.
        runs: How many runs show it.
        period: Seconds from one time to the next, or None.
        before: The call path of the event, or None.
        threads: Process and thread, where it does on some threads of a rank and not on others; empty otherwise.
        goes_with: Best first.
        courses: What the entries of its region took, in each run that was compared.
    """

    kind: str
    metric: str
    start: float
    end: float
    ranks: tuple[int, ...]
    path: int | None
    factor: float
    strength: float
    runs: int
    period: float | None = None
    before: int | None = None
    threads: tuple[tuple[int, int], ...] = ()
    goes_with: tuple[Companion, ...] = ()
    courses: tuple[Course, ...] = field(default=(), repr=False, compare=False)
