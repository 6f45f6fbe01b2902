"""Compare two sets of runs of a program: is one set slower, and where?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from ...errors import InputError
from ...experiment import Experiment
from ...experiment.algebra import Integration, integrate
from ..run.arrays import Values
from ..run.criteria import CRITERIA
from ..run.foreign_metrics import with_kinds
from .compared_runs import (
    OfRanks,
    check_runs,
    least_to_judge,
    of_ranks,
    repeats,
    unit_of,
    value_of_program,
    values_by_path,
    waiting_by_path,
)
from .noise import CONFIDENCE, Shift, shift

__all__ = ["MIN_SHARE", "Comparison", "Judgement", "Verdict", "compare"]

MIN_SHARE: Final = 0.05  # a region is judged if it takes at least this share of the program

Verdict = Literal["slower", "faster", "same", "unclear", "waiting"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The difference between the two sides, for the program or for one call path's exclusive value.

    Attributes:
        path: Index of the call path; None for the whole program.
        base: Smallest value of the base runs.
        other: Smallest value of the other runs.
        shift: The relative change, and its confidence.
        verdict: ``slower`` or ``faster`` if the change reaches the threshold and is certain; ``unclear`` if it reaches
            the threshold but is not certain, or if the time is too short to judge; ``waiting`` if only time in MPI
            calls or OpenMP waits grew, and the program is not slower; otherwise ``same``. A change that is negligible
            for the program is ``same``, too.
    """

    path: int | None
    base: float
    other: float
    shift: Shift
    verdict: Verdict


@dataclass(frozen=True)
class Comparison:
    """The result of comparing two sets of runs.

    Attributes:
        metric: The compared metric.
        unit: The metric's unit.
        threshold: The smallest relative change that counts.
        least: The shortest time of the program or a region that is judged; 0 if the metric is not a time.
        of_ranks: Whether values are means over the ranks, sums, or the values of the busiest rank.
        runs: The numbers of base runs and of other runs.
        program: The whole program.
        regions: Call paths that take at least ``MIN_SHARE`` of the program and at least ``least`` on one side, largest
            change first.
        appeared: Call paths that reach these limits on the other side, but take no time in any base run, with their
            values.
        vanished: Call paths that reach these limits on the base side, but take no time in any other run.
        partial: Call paths that reach these limits in one run, but take no time in another run of the same side, with
            the numbers of base runs and of other runs in which they take any time.
        joined: The call paths of all runs.
    """

    metric: str
    unit: str
    threshold: float
    least: float
    of_ranks: OfRanks
    runs: tuple[int, int]
    program: Judgement
    regions: tuple[Judgement, ...]
    appeared: tuple[tuple[int, float], ...]
    vanished: tuple[tuple[int, float], ...]
    partial: tuple[tuple[int, tuple[int, int]], ...]
    joined: Integration

    @property
    def noise_known(self) -> bool:
        """Whether both sides have enough runs to estimate the noise."""
        return self.program.shift.noise is not None

    @property
    def slower(self) -> bool:
        """Whether the program or a region is slower; a region that only waits longer does not count."""
        return any(each.verdict == "slower" for each in (self.program, *self.regions))


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Limits for judging a change.

    Attributes:
        threshold: As in ``Comparison``.
        least: As in ``Comparison``.
        trifle: Limit below which changes are negligible, in the unit of the values.
        repeats: Whether repeated runs of the same program have identical values.
    """

    threshold: float
    least: float
    trifle: float
    repeats: bool


def compare(
    base: Sequence[Experiment],
    other: Sequence[Experiment],
    *,
    metric: str = "wall_time",
    threshold: float = 0.05,
    exact: bool = False,
    labels: Sequence[str] | None = None,
) -> Comparison:
    """Compare repeated runs of a program with repeated runs of another version.

    Wall times are means over the processes' first threads. ``busy_time`` is the time of the busiest rank, in the
    program and in each region. Other values are sums. The whole program excludes ``MPI_Init`` and ``MPI_Finalize``.
    Regions are judged with Holm's correction, so that the number of regions does not raise the number of false alarms.
    If a side has only one run, a change is certain only in simulated counts, or in the whole program if it reaches
    ``UNKNOWN_NOISE``.

    Args:
        base: Runs of one version.
        other: Runs of the other version.
        metric: The metric to compare; higher is worse. ``compute_time`` is CPU time outside MPI, which other programs
            on the machine disturb less than wall time.
        threshold: The smallest relative change that counts.
        exact: Whether only regions with the same identity match.
        labels: Names of the experiments in messages, base runs first.

    Raises:
        InputError: The sides cannot be compared: an experiment is not a run or is unfinished; ranks or parts of the
            program differ; a value is missing, negative or too large; the runs have nothing in common; or the program
            takes no time.
    """
    runs = [with_kinds(each) for each in (*base, *other)]
    joined = integrate(runs, exact=exact, labels=labels)
    check_runs(joined, len(base), metric)
    whole = np.array([_of_program(joined, run, metric) for run in range(len(runs))])
    values = np.array([values_by_path(joined, run, metric) for run in range(len(runs))])
    bounds = _Bounds(threshold, least_to_judge(runs, metric), 0.0, repeats(runs, metric))
    program = _judged(None, whole[: len(base)], whole[len(base) :], bounds)
    bounds = replace(bounds, trifle=min(CRITERIA.least_gain, threshold) * max(program.base, program.other))
    sides = values[: len(base)], values[len(base) :]
    before, after = (side.min(axis=0) for side in sides)
    limits = [max(bounds.least, MIN_SHARE * each) for each in (program.base, program.other)]
    heavy = (before >= limits[0]) | (after >= limits[1])
    judged = np.flatnonzero(heavy & (before > 0) & (after > 0))
    seen = [(side > 0).sum(axis=0) for side in sides]
    in_part = np.any([(count > 0) & (count < len(side)) for count, side in zip(seen, sides, strict=True)], axis=0)
    ever_heavy = np.any([side.max(axis=0) >= limit for side, limit in zip(sides, limits, strict=True)], axis=0)
    regions = [_judged(int(path), values[: len(base), path], values[len(base) :, path], bounds) for path in judged]
    regions = _by_holm(regions, bounds)
    if program.verdict in ("same", "faster") and any(each.verdict == "slower" for each in regions):
        working = values - [waiting_by_path(joined, run, metric) for run in range(len(runs))]
        added = working[len(base) :].min(axis=0) - working[: len(base)].min(axis=0)
        regions = [_unless_waiting(each, added, bounds) for each in regions]
    return Comparison(
        metric=metric,
        unit=unit_of(runs, metric),
        threshold=threshold,
        least=bounds.least,
        of_ranks=of_ranks(metric),
        runs=(len(base), len(other)),
        program=program,
        regions=tuple(sorted(regions, key=lambda each: each.base - each.other)),
        appeared=tuple((int(path), float(after[path])) for path in np.flatnonzero(heavy & (seen[0] == 0) & ~in_part)),
        vanished=tuple((int(path), float(before[path])) for path in np.flatnonzero(heavy & (seen[1] == 0) & ~in_part)),
        partial=tuple(
            (int(path), (int(seen[0][path]), int(seen[1][path]))) for path in np.flatnonzero(ever_heavy & in_part)
        ),
        joined=joined,
    )


def _unless_waiting(region: Judgement, added: Values, bounds: _Bounds) -> Judgement:
    """Change a region's verdict from ``slower`` to ``waiting`` if its time outside MPI and OpenMP waits did not grow.

    Args:
        region: The region.
        added: ``float64[call path]``: the growth of this time.
        bounds: The limits for judging a change.
    """
    assert region.path is not None
    less = added[region.path] < max(bounds.threshold * region.base, bounds.trifle)
    return replace(region, verdict="waiting") if region.verdict == "slower" and less else region


def _of_program(joined: Integration, run: int, metric: str) -> float:
    value = value_of_program(joined.operands[run], metric)
    if not 0 < value < np.inf:
        raise InputError(
            f"{joined.labels[run]}: expected a positive, finite {metric} of the program, found {value:g}, so there is "
            "nothing to compare"
        )
    return value


def _judged(path: int | None, base: Values, other: Values, bounds: _Bounds) -> Judgement:
    found = shift(base.tolist(), other.tolist(), repeats=bounds.repeats)
    judgement = Judgement(path, float(base.min()), float(other.min()), found, "same")
    return replace(judgement, verdict=_verdict(judgement, bounds, 1))


def _by_holm(regions: Sequence[Judgement], bounds: _Bounds) -> list[Judgement]:
    """Judge many regions with Holm's correction, starting with the most certain change."""
    ordered = sorted(regions, key=lambda each: min(each.shift.above, each.shift.below))
    found: list[Judgement] = []
    tests = len(ordered)
    for each in ordered:
        verdict = _verdict(each, bounds, tests)
        found.append(replace(each, verdict=verdict))
        if verdict in ("slower", "faster"):
            tests -= 1
    return found


def _verdict(judgement: Judgement, bounds: _Bounds, tests: int) -> Verdict:
    """Classify a change; its probability is multiplied by ``tests``, as Holm's correction requires.

    If the noise is unknown, because a side has only one run, no region's change is certain.
    """
    found = judgement.shift
    if abs(found.change) < bounds.threshold or abs(judgement.other - judgement.base) < bounds.trifle:
        return "same"
    chance = found.above if found.change > 0 else found.below
    unknown = judgement.path is not None and found.noise is None
    if unknown or max(judgement.base, judgement.other) < bounds.least or chance * tests >= 1 - CONFIDENCE:
        return "unclear"
    return "slower" if found.change > 0 else "faster"
