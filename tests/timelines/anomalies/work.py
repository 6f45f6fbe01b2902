"""Synthetic runs of a program that works in steps; how long each step takes on each rank is known."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

import numpy as np

from autoanalyzer.experiment import CallPath, Location, Metric, Region
from autoanalyzer.experiment.trace import TimeLine, Trace
from autoanalyzer.timelines.anomalies import Run

STEPS: Final = 400
RANKS: Final = 4
STEP: Final = 0.006  # seconds
SAMPLE: Final = 0.01

METRICS: Final = (
    Metric("wall_time", "sec"),
    Metric("cpu_time", "sec"),
    Metric("io_time", "sec"),
    Metric("io_bytes", "bytes"),
    Metric("l2_misses", "occ"),
    Metric("page_faults", "occ"),
    Metric("resident_memory", "bytes", additive=False),
)
PATHS: Final = (
    CallPath(Region("program", "main", "a.c", "main", 0, 1, 99)),
    CallPath(Region("function", "step", "a.c", "step", 0, 10, 19), 0),
    CallPath(Region("function", "exchange", "a.c", "exchange", 0, 20, 29), 0),
    CallPath(Region("function", "save", "a.c", "save", 0, 30, 39), 0),
)

Cost = Callable[[int, int], float]


def nothing(_rank: int, _step: int) -> float:
    return 0.0


def run(
    seed: int,
    *,
    slower: Cost = nothing,
    misses: Cost = nothing,
    faults: Cost = nothing,
    io: Cost = nothing,
    memory: Callable[[int], float] = lambda _step: 1e8,
    events: Collection[int] = (),
    noise: float = 0.05,
    stolen: float | Callable[[int], float] = 0.05,
    timed: bool = True,
    steps: int = STEPS,
    pace: float = STEP,
) -> Run:
    """Return a synthetic run. Functions have the arguments rank and step, others the step.

    Args:
        seed: The seed of the noise.
        slower: Returns by which share a step takes longer.
        misses: Returns the additional L2 misses in a step.
        faults: Returns the additional page faults in a step.
        io: Returns the seconds of file I/O after a step.
        memory: Returns each rank's resident memory at a step, in bytes.
        events: The steps after which ``exchange`` is called.
        noise: The deviation of a step's time, relative to the time.
        stolen: The share of steps in which the rank loses its core for 20 ms, or a function that returns it.
        timed: Whether the run has normal speed; False for a counting run.
        steps: The number of steps.
        pace: The time of a step in seconds.
    """
    chance = np.random.default_rng(seed)
    lines = []
    for rank in range(RANKS):
        samples, parts = [], []
        values, mine = np.zeros(len(METRICS)), {}
        now = begin = 0.01 * chance.random()
        for step in range(steps):
            cost = pace * (1 + slower(rank, step)) * (1 + noise * abs(chance.normal()))
            away = 0.02 * (chance.random() < (stolen(step) if callable(stolen) else stolen))
            saved = io(rank, step)
            now += cost + away + saved
            values += [cost + away + saved, cost + saved / 10, saved, 1e9 * saved, 0, 0, 0]
            values[4] += 1000 + misses(rank, step) + 20 * chance.normal()
            values[5] += faults(rank, step) + (chance.random() < 0.1)
            _enter(mine, 1, cost + away, cost)
            if saved:
                _enter(mine, 3, saved, 0)
            if step in events:
                _enter(mine, 2, 1e-5, 1e-5)
            if now - begin >= SAMPLE or step == steps - 1:
                values[6] = memory(step)
                samples.append((begin, now, values))
                parts.append(mine)
                begin, values, mine = now, np.zeros(len(METRICS)), {}
        lines.append(_line(samples, parts))
    places = [Location("m", "n", rank) for rank in range(RANKS)]
    trace = Trace(METRICS, PATHS, places, [*map(len, lines)], lines.__getitem__)
    return Run(f"run{seed}", trace, timed, np.array([0.0, 0, 0, float(io is not nothing)]))


def _enter(parts: dict[int, np.ndarray], path: int, seconds: float, computing: float) -> None:
    parts[path] = parts.get(path, np.zeros(3)) + np.array([1, seconds, computing])


def _line(samples: list[tuple[float, float, np.ndarray]], parts: list[dict[int, np.ndarray]]) -> TimeLine:
    return TimeLine(
        np.array([begin for begin, _, _ in samples]),
        np.array([end for _, end, _ in samples]),
        np.array([values for _, _, values in samples]),
        np.concatenate([[0], np.cumsum([len(each) for each in parts])]).astype(np.intp),
        np.array([path for each in parts for path in each], dtype=np.intp),
        np.array([visits for each in parts for visits, _, _ in each.values()], dtype=np.int64),
        np.array([seconds for each in parts for _, seconds, _ in each.values()]),
        np.array([computing for each in parts for _, _, computing in each.values()]),
    )
