"""Recorded time lines with known relations between metrics: several runs of the sample ``phases``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from kinds import Case

from autoanalyzer.experiment.run_folder import COUNTING_TRACE_FILE, TRACE_FILE
from autoanalyzer.experiment.trace import Trace, every_series, load_trace
from autoanalyzer.multivariate.derivations import built_in
from autoanalyzer.timelines.warping import brought, with_derived

__all__ = ["PLANTED", "recorded_cases"]

_STEPS: Final = 200
_NO, _MAYBE, _YES = range(3)
# metrics that have the same value in each step
_EACH_STEP: Final = ("mpi_calls", "mpi_bytes", "mpi_bytes_sent", "mpi_bytes_received")
_IO: Final = ("io_bytes", "io_bytes_written", "io_calls", "io_cpu_time")
_MISSES: Final = ("l1_misses", "l2_misses", "l2_accesses", "l1_miss_rate", "l2_miss_rate")
_WORK: Final = ("instructions", "l1_accesses")
_WAITING: Final = ("mpi_time", "mpi_collective_time", "mpi_all_to_all_time")


@dataclass(frozen=True)
class Planted:
    """The anomaly that is planted in a phase of the sample.

    Attributes:
        name: The anomaly's name.
        function: The function that executes a step of the phase.
        target: The metric for which the correlators rank the others.
        yes: Other metrics that must show the anomaly, because the program makes them its cause or its effect.
        maybe: Metrics that the anomaly influences, among other things.
        steps: The drawn pattern: pairs of a share of the phase's steps and a value of the target, connected by lines.
    """

    name: str
    function: str
    target: str
    yes: Collection[str]
    maybe: Collection[str]
    steps: Sequence[tuple[float, float]]


def _pulses(every: int, first: int) -> list[tuple[float, float]]:
    """Return a pattern with a pulse in every group of ``every`` steps, from step ``first`` to the end of the group."""
    points = [(0.0, 0.0)]
    for end in range(every, _STEPS + 1, every):
        begin = end - every + first
        points += [(begin / _STEPS, 0.0), (begin / _STEPS, 1.0), (end / _STEPS, 1.0), (end / _STEPS, 0.0)]
    return points


PLANTED: Final = (
    Planted(
        "growth",
        "grow",
        "visits",
        {*_EACH_STEP, *_MISSES, *_WORK},
        {*_WAITING, "mpi_instructions"},
        [(0, 1), (0.3, 1), (0.7, 0), (1, 0)],
    ),
    Planted("sudden", "solve", "visits", {*_EACH_STEP}, {*_WORK, *_WAITING}, [(0, 1), (0.5, 1), (0.5, 0), (1, 0)]),
    Planted("period", "advance", "io_time", {*_IO}, {*_EACH_STEP, *_WORK, "visits", "compute_time"}, _pulses(20, 19)),
    Planted("dip", "pack", "visits", {*_EACH_STEP, "page_faults"}, {*_WORK}, _pulses(25, 20)),
    Planted(
        "rank",
        "track",
        "mpi_time",
        {*_EACH_STEP, *_WAITING, "mpi_instructions", "mpi_cpu_time", "compute_time", "visits"},
        {*_WORK},
        [(0, 0), (0.5, 0), (0.5, 1), (1, 1)],
    ),
)


def recorded_cases(folder: Path) -> Iterator[tuple[Planted, Case, tuple[float, float]]]:
    """Yield each planted anomaly, its case, and the start and end of its phase, in seconds on the first run's clock.

    Args:
        folder: The output folder of ``record --counters simulated`` for the sample.
    """
    files = [*sorted(folder.glob(f"run-*/{TRACE_FILE}")), *folder.glob(f"run-*/{COUNTING_TRACE_FILE}")]
    traces = [load_trace(file) for file in files]
    every = [
        with_derived(every_series(trace, str(file)), built_in()) for trace, file in zip(traces, files, strict=True)
    ]
    for planted in PLANTED:
        (target,) = (each for each in every[0] if each.name == planted.target)
        moments = _moments(traces[0], planted.function)
        span = (float(moments[0]), float(moments[-1]))
        others = [
            brought(target, (traces[0], every[0]), (trace, series), by="anchors")
            for trace, series in zip(traces[1:], every[1:], strict=True)
        ]
        metrics = [
            each
            for each in (*every[0], *(series for other in others for series in other.series))
            if each.name != target.name
        ]
        labels = [_label(planted, each.name) for each in metrics]
        at = np.array([share for share, _ in planted.steps]) * _STEPS
        drawn = np.interp(at, np.arange(_STEPS + 1), moments)
        points = [*zip(drawn.tolist(), [float(value) for _, value in planted.steps], strict=True)]
        yield planted, Case(target, points, metrics, labels), span


def _label(planted: Planted, metric: str) -> int:
    return _YES if metric in planted.yes else _MAYBE if metric in planted.maybe else _NO


def _moments(trace: Trace, function: str) -> npt.NDArray[np.float64]:
    """Return when each step of a phase begins, and the last one ends: ``float64[step + 1]``, seconds, rank means."""
    (path,) = (number for number, each in enumerate(trace.call_paths) if each.region.name == function)
    found = []
    for line in trace.lines():
        mine = line.paths == path
        entered = np.cumsum(np.bincount(line.samples[mine], line.visits[mine], len(line)))
        place = np.searchsorted(entered, np.arange(1, _STEPS + 1))
        found.append(np.append(line.begin[place], line.end[place[-1]]))
    moments: npt.NDArray[np.float64] = np.maximum.accumulate(np.mean(found, axis=0))
    return moments
