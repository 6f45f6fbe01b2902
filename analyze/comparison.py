"""Two sets of runs of a program: is the one slower, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..experiment import CallPath, Experiment
from ..experiment.algebra import Integration, integrate
from .code_regions import startup_paths
from .noise import CONFIDENCE, Shift, shift
from .performance import compute_time
from .program_time import program_times

__all__ = ["MIN_SHARE", "Comparison", "Judgement", "Verdict", "compare", "metrics_to_compare"]

MIN_SHARE: Final = 0.05  # of the program: what a region must take to be judged

Verdict = Literal["slower", "faster", "same", "unclear"]

_COMPUTE_TIME: Final = "compute_time"
_NEEDED: Final = {_COMPUTE_TIME: ("cpu_time", "mpi_cpu_time")}
_WALL: Final = frozenset({"wall_time", "mpi_time", "io_time", "time"})
_NOT_OF_THE_PROGRAM: Final = frozenset({"mpi", "io", "math", "library"})

_Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judgement:
    """How the program, or one call path without what is below it, differs between the two sides.

    Attributes:
        path: Index of the call path; None for the whole program.
        base: Least value of the base's runs.
        other: Least value of the other runs.
        shift: Their relation, and how sure it is.
        verdict: ``slower`` and ``faster`` by the threshold at least, and surely; ``unclear`` by the threshold, but not
            surely; else ``same``.
    """

    path: int | None
    base: float
    other: float
    shift: Shift
    verdict: Verdict


@dataclass(frozen=True)
class Comparison:
    """What two sets of runs show.

    Attributes:
        metric: What was compared.
        unit: Its unit.
        threshold: The least change that counts, relative.
        runs: How many there are of the base, and of the other side.
        program: The whole program.
        regions: Call paths that take ``MIN_SHARE`` of the program on one side at least, the largest change first.
        appeared: Call paths that take as much on the other side, and nothing in any run of the base, with their values.
        vanished: The reverse.
        partial: Call paths that take as much in a run, and nothing in another of the same side: in how many runs of
            the base, and of the other side, they take anything.
        joined: The call paths of all runs.
    """

    metric: str
    unit: str
    threshold: float
    runs: tuple[int, int]
    program: Judgement
    regions: tuple[Judgement, ...]
    appeared: tuple[tuple[int, float], ...]
    vanished: tuple[tuple[int, float], ...]
    partial: tuple[tuple[int, tuple[int, int]], ...]
    joined: Integration

    @property
    def noise_known(self) -> bool:
        """Whether there are enough runs to see how much they differ by themselves."""
        return self.program.shift.noise is not None

    @property
    def slower(self) -> bool:
        """Whether the program or a region is slower."""
        return any(each.verdict == "slower" for each in (self.program, *self.regions))


def metrics_to_compare(runs: Sequence[Experiment]) -> tuple[str, ...]:
    """Choose what to compare of runs: their wall time and, where it was measured, the CPU time outside MPI.

    The one shows waiting, too; the other is little disturbed by other programs. Of other tools' experiments ``time``.
    """
    there = [each for each in ("wall_time", _COMPUTE_TIME) if all(_has(run, each) for run in runs)]
    return tuple(there) or (("time",) if all("time" in run for run in runs) else ("wall_time",))


def _has(experiment: Experiment, metric: str) -> bool:
    return all(name in experiment for name in _NEEDED.get(metric, (metric,)))


def compare(
    base: Sequence[Experiment],
    other: Sequence[Experiment],
    *,
    metric: str = "wall_time",
    threshold: float = 0.05,
    exact: bool = False,
    labels: Sequence[str] | None = None,
) -> Comparison:
    """Compare repeated runs of a program with those of another version of it.

    A time on the wall clock is the mean of the processes' first threads, and of the whole program from the return of
    ``MPI_Init`` to the call of ``MPI_Finalize``; all else is summed up. Regions are judged with Holm's correction, so
    that many of them do not make a false alarm likelier.

    Args:
        base: Runs of the one side.
        other: Runs of the other.
        metric: What is compared; more of it is worse. ``compute_time`` is CPU time outside MPI, of which other
            programs on the machine take less than of wall time.
        threshold: The least change that counts, relative.
        exact: Match regions of the same identity only.
        labels: What to call the experiments in messages, the base's first.

    Raises:
        InputError: The sides cannot be compared: other ranks, a rank or value that is missing, nothing in common, or
            a base that is not above 0.
    """
    runs = [*base, *other]
    joined = integrate(runs, exact=exact, labels=labels)
    _check(joined, len(base), metric)
    values = np.array([_by_path(joined, run, metric) for run in range(len(runs))])
    whole = np.array([_whole(each, metric) for each in runs])
    for label, value in zip(joined.labels, whole, strict=True):
        if not value > 0:
            raise InputError(
                f"{label}: {metric} of the program above 0 wanted, found {value:g}: no base to compare with"
            )
    program = _judged(None, whole[: len(base)], whole[len(base) :], threshold)
    sides = values[: len(base)], values[len(base) :]
    before, after = (side.min(axis=0) for side in sides)
    least = [MIN_SHARE * program.base, MIN_SHARE * program.other]
    heavy = (before >= least[0]) | (after >= least[1])
    judged = np.flatnonzero(heavy & (before > 0) & (after > 0))
    seen = [(side > 0).sum(axis=0) for side in sides]
    in_part = np.any([(count > 0) & (count < len(side)) for count, side in zip(seen, sides, strict=True)], axis=0)
    ever_heavy = np.any([side.max(axis=0) >= limit for side, limit in zip(sides, least, strict=True)], axis=0)
    regions = [_judged(int(path), values[: len(base), path], values[len(base) :, path], threshold) for path in judged]
    return Comparison(
        metric=metric,
        unit=base[0].metric(_NEEDED.get(metric, (metric,))[0]).unit,
        threshold=threshold,
        runs=(len(base), len(other)),
        program=program,
        regions=tuple(sorted(_by_holm(regions, threshold), key=lambda each: each.base - each.other)),
        appeared=tuple((int(path), float(after[path])) for path in np.flatnonzero(heavy & (seen[0] == 0) & ~in_part)),
        vanished=tuple((int(path), float(before[path])) for path in np.flatnonzero(heavy & (seen[1] == 0) & ~in_part)),
        partial=tuple(
            (int(path), (int(seen[0][path]), int(seen[1][path]))) for path in np.flatnonzero(ever_heavy & in_part)
        ),
        joined=joined,
    )


def _check(joined: Integration, count: int, metric: str) -> None:
    """Refuse runs that cannot be compared."""
    first, *_ = ranks = [sorted({place.process for place in each.locations}) for each in joined.operands]
    for label, each, found in zip(joined.labels, joined.operands, ranks, strict=True):
        for name in _NEEDED.get(metric, (metric,)):
            if name not in each:
                known = ", ".join(one.name for one in each.metrics)
                raise InputError(f"{label}: metric {name!r} wanted, found none; it has {known}")
        if found != first:
            raise InputError(
                f"{label}: {len(first)} ranks as in {joined.labels[0]} wanted, found {len(found)}: "
                f"compare runs of one number of ranks"
            )
        if each.notes.missing or np.isnan(_exclusive(each, metric)).any():
            raise InputError(f"{label}: values of all ranks wanted, found some missing; repeat that run")
    sides = [set().union(*(rows.tolist() for rows in side)) for side in (joined.rows[:count], joined.rows[count:])]
    own = [{path for path in side if _of_the_program(joined.call_paths[path])} for side in sides]
    if all(own) and not own[0] & own[1]:
        raise InputError(
            f"{joined.labels[count]}: regions of {joined.labels[0]} wanted, found none in common: are they one program?"
        )


def _of_the_program(path: CallPath) -> bool:
    return path.parent is not None and path.region.kind not in _NOT_OF_THE_PROGRAM


def _by_path(joined: Integration, run: int, metric: str) -> _Values:
    """Give the value of each call path of the union, without what is below it; ``float64[call path]``."""
    experiment = joined.operands[run]
    found = np.zeros(len(joined.call_paths))
    values = _over_locations(experiment, metric)
    values[list(startup_paths(experiment))] = 0.0
    found[joined.rows[run]] = values
    return found


def _whole(experiment: Experiment, metric: str) -> float:
    if metric == "wall_time":
        return float(program_times(experiment).mean())
    values = _over_locations(experiment, metric)
    values[list(startup_paths(experiment))] = 0.0
    return float(values.sum())


def _exclusive(experiment: Experiment, metric: str) -> _Values:
    if metric == _COMPUTE_TIME:
        return compute_time(experiment)
    return experiment.exclusive(metric)


def _over_locations(experiment: Experiment, metric: str) -> _Values:
    values = _exclusive(experiment, metric)
    if metric not in _WALL:
        return np.asarray(values.sum(axis=1))
    first: dict[int, int] = {}
    for column, place in enumerate(experiment.locations):
        known = first.get(place.process)
        if known is None or place.thread < experiment.locations[known].thread:
            first[place.process] = column
    return np.asarray(values[:, [*first.values()]].mean(axis=1))


def _judged(path: int | None, base: _Values, other: _Values, threshold: float) -> Judgement:
    found = shift(base.tolist(), other.tolist())
    return Judgement(path, float(base.min()), float(other.min()), found, _verdict(found, threshold, 1))


def _by_holm(regions: Sequence[Judgement], threshold: float) -> list[Judgement]:
    """Judge many regions: the surest change as one of all, the next as one of the rest, until one is not sure."""
    ordered = sorted(regions, key=lambda each: min(each.shift.above, each.shift.below))
    found: list[Judgement] = []
    tests = len(ordered)
    for each in ordered:
        verdict = _verdict(each.shift, threshold, tests)
        found.append(replace(each, verdict=verdict))
        if verdict in ("slower", "faster"):
            tests -= 1
    return found


def _verdict(found: Shift, threshold: float, tests: int) -> Verdict:
    """Name a change; of several tests the probability is multiplied (Holm)."""
    if abs(found.change) < threshold:
        return "same"
    chance = found.above if found.change > 0 else found.below
    if chance * tests >= 1 - CONFIDENCE:
        return "unclear"
    return "slower" if found.change > 0 else "faster"
