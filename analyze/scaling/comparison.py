"""Compare how two versions of a program scale, each judged from runs with the same numbers of ranks."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final, Literal

from ...errors import InputError, UsageError
from ...experiment import Region
from ...experiment.algebra import integrate, strangers
from ..run.criteria import CRITERIA, THRESHOLD
from ..verdict import Kind
from .factors import COMPUTATION, FACTORS
from .losses import NOT_EXPLAINED
from .scaling import Scaling
from .series import check_machine

__all__ = ["LossChange", "ScalingComparison", "Word", "compare_scaling"]

Word = Literal["better", "worse", "same", "unclear"]
_FEWEST: Final = 3  # repeated runs; two do not show how much times vary


@dataclass(frozen=True, slots=True)
class LossChange:
    """How a loss differs between two versions, in seconds over all ranks of the largest run.

    If only one version has this loss, it is 0 in the other version, or too small to be reported there.

    Attributes:
        kind: As in ``ScalingLoss``.
        region: The region of the loss, with the second version's lines if both versions have the loss. None if the loss
            is in no single region.
        base: Loss of the first version.
        other: Loss of the second version.
    """

    kind: str
    region: Region | None
    base: float
    other: float


@dataclass(frozen=True)
class ScalingComparison:
    """How the second version scales, compared with the first.

    Attributes:
        base: The first version.
        other: The second version.
        word: How efficiency at the largest number of ranks changed; ``unclear`` if noise may explain the change.
        by: What shows the change of efficiency: ``instructions`` or ``times``.
        noise: The relative change of efficiency that noise may explain.
        changed_most: The factor with the largest relative change at the largest number of ranks; None if no factor
            changed.
        changes: The changes of losses, the largest change first.
    """

    base: Scaling
    other: Scaling
    word: Word
    by: Literal["instructions", "times"]
    noise: float
    changed_most: str | None
    changes: tuple[LossChange, ...]


def compare_scaling(base: Scaling, other: Scaling) -> ScalingComparison:
    """Compare how two versions of a program scale.

    Raises:
        UsageError: Numbers of ranks differ, or strong scaling is compared with weak scaling.
        InputError: Only one version's ranks waited for cores, the versions have no region in common, or they ran on
            different kinds of machine.
    """
    if base.series.ranks != other.series.ranks:
        numbers = [", ".join(map(str, each.series.ranks)) for each in (base, other)]
        raise UsageError(
            f"expected both series to have runs with {numbers[0]} ranks, found {numbers[1]} ranks in the series after "
            "--with"
        )
    if base.mode != other.mode:
        raise UsageError(
            f"expected {base.mode} scaling in both series, found {other.mode} scaling in the series after --with, so "
            "their work differs; if this is wrong, add --mode"
        )
    if base.is_of_path != other.is_of_path:
        late = (base if base.is_of_path else other).series.labels[-1]
        raise InputError(
            f"{late}: ranks waited for cores, but not in the other series; record both series in the same way"
        )
    found, counted = [each.factors["efficiency"][-1] or 0.0 for each in (base, other)], _instructions(base, other)
    change, noise = found[1] / found[0] - 1, _noise(base, other)
    by: Literal["instructions", "times"] = "times"
    word: Word = "better" if change > 0 else "worse"
    if abs(change) <= CRITERIA.same_work:
        word = "same"
    elif abs(change) <= noise:
        if abs(counted) > CRITERIA.same_work and counted * change > 0:
            by = "instructions"
        else:
            word = "same" if noise <= THRESHOLD else "unclear"
    changes = sorted(_changes(base, other), key=lambda each: -abs(each.other - each.base))
    return ScalingComparison(base, other, word, by, noise, _changed_most(base, other), tuple(changes))


def _instructions(base: Scaling, other: Scaling) -> float:
    """Return the relative change of the factor ``instructions``; 0 if it is unknown."""
    before, now = (each.factors["instructions"][-1] for each in (base, other))
    return now / before - 1 if before and now else 0.0


def _noise(base: Scaling, other: Scaling) -> float:
    """Return the relative change of efficiency that noise explains.

    With at least three repeated runs, it is computed from their range; otherwise it is the noise of a shared machine.
    """
    total = 0.0
    for series in (base.series, other.series):
        for run in (0, -1):
            if len(series.repeats[run].times) < _FEWEST:
                return CRITERIA.unknown_noise
            shortest, longest = series.intervals[run]
            total += (longest - shortest) / (longest + shortest)
    return total


def _changed_most(base: Scaling, other: Scaling) -> str | None:
    """Return the factor, known for both versions, with the largest relative change; None if no factor changed."""
    changes = {}
    for name in (*FACTORS[:-1], COMPUTATION):
        before, now = (each.factors[name][-1] for each in (base, other))
        if before and now and not (name == COMPUTATION and "instructions" in changes):
            changes[name] = abs(now / before - 1)
    name = max(changes, key=changes.__getitem__)
    return name if changes[name] > CRITERIA.same_work else None


def _changes(base: Scaling, other: Scaling) -> list[LossChange]:
    """Return how losses differ between the versions; regions are matched as in the algebra of experiments."""
    experiments, labels = zip(*((each.last.experiment, each.series.labels[-1]) for each in (base, other)), strict=True)
    check_machine(labels[0], experiments[0], labels[1], experiments[1])
    joined = integrate(experiments, system="collapse", labels=labels)
    if strangers(joined, [0], [1]):
        raise InputError(f"{labels[1]}: no region in common with {labels[0]}; are they runs of the same program?")
    sums: dict[tuple[str, Region | None], list[float]] = defaultdict(lambda: [0.0, 0.0])
    shown: dict[Region | None, Region | None] = {}
    lost = set[tuple[str, Region | None]]()
    for side, (scaling, experiment) in enumerate(zip((base, other), experiments, strict=True)):
        common = {
            path.region: joined.call_paths[row].region
            for path, row in zip(experiment.call_paths, joined.folding.rows[side].tolist(), strict=True)
        }
        found = {(loss.kind, loss.region) for loss in scaling.ledger.losses if loss.kind != NOT_EXPLAINED}
        for (kind, own), seconds in scaling.ledger.parts.items():
            region = common.get(own, own) if own else None
            sums[kind, region][side] += max(seconds, 0.0) if region or kind != Kind.SLOW_CORE else seconds
            shown[region] = own
            if (kind, own) in found:
                lost.add((kind, region))
    return [LossChange(kind, shown[region], *sums[kind, region]) for kind, region in sums if (kind, region) in lost]
