"""If any operand throttled a call path, fold it in all operands, so that its callers stay comparable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..call_path import CallPath, name_below_root
from ..experiment import Experiment
from ..folding import apply_folding, fold
from ..region import Region
from ..throttling import folded_paths, untimed_paths
from .call_paths import CallForest, Rows
from .history import listed

__all__ = ["Folding", "fold_throttled"]


@dataclass(frozen=True)
class Folding:
    """The call paths that are folded in all operands.

    Attributes:
        throttled: Descriptor of a throttled region in the domain → the reason, as in ``Notes.throttled``.
        remark: A warning about call paths that only some operands measured separately; empty if there are none.
        rows: For each operand before folding, the domain's row of each of its call paths.
    """

    throttled: Mapping[str, str] = field(default_factory=dict)
    remark: str = ""
    rows: tuple[Rows, ...] = ()


def fold_throttled(
    operands: Sequence[Experiment],
    labels: Sequence[str],
    merge: Callable[[Sequence[Sequence[CallPath]]], CallForest],
) -> tuple[tuple[Experiment, ...], CallForest, Folding]:
    """If any operand has folded a call path, fold it in all operands, as gathering does for the ranks of a run.

    Args:
        operands: The experiments.
        labels: The operands' names in messages.
        merge: Merges the operands' call forests.

    Returns:
        The operands, all with the same call paths folded; the merged forest; and the folding.
    """
    unlike: dict[str, list[str]] = {}
    places = [np.arange(len(each.call_paths)) for each in operands]  # current index of each original call path
    while True:
        forest = merge([each.call_paths for each in operands])
        there, own = (np.zeros((len(operands), len(forest.call_paths)), dtype=bool) for _ in range(2))
        for index, (each, rows) in enumerate(zip(operands, forest.rows, strict=True)):
            there[index, rows] = True
            own[index, rows] = untimed_paths(each)
        own[:, [path.parent is None for path in forest.call_paths]] = False
        chosen = np.asarray(own.any(axis=0))
        for place in np.flatnonzero(chosen & (own != there).any(axis=0)).tolist():
            by = [label for label, found in zip(labels, own[:, place], strict=True) if found]
            unlike.setdefault(name_below_root(forest.call_paths, place), by)
        before = operands
        made = [_folded(each, chosen[rows]) for each, rows in zip(operands, forest.rows, strict=True)]
        operands = [each for each, _ in made]
        places = [moved[place] for place, (_, moved) in zip(places, made, strict=True)]
        if all(each.call_paths == one.call_paths for each, one in zip(operands, before, strict=True)):
            break  # otherwise repeat, because a moved call path may now coincide with one that another operand folded
    remark = ""
    if unlike:
        some = dict.fromkeys(label for by in unlike.values() for label in by)
        where = f"some regions are too small to measure separately in {listed(some)}"
        remark = f"{where}, so their time is attributed to their callers in all experiments: {listed(unlike)}"
    at_first = tuple(rows[place] for rows, place in zip(forest.rows, places, strict=True))
    return tuple(operands), forest, Folding(_throttled(operands, forest), remark, at_first)


def _folded(experiment: Experiment, chosen: npt.NDArray[np.bool_]) -> tuple[Experiment, Rows]:
    """Fold an operand's call paths; if they are folded already, keep the operand itself, whose values are cached.

    Args:
        experiment: The operand.
        chosen: ``bool[call path]``: the call paths to fold.

    Returns:
        The folded operand, and the new index of each call path.
    """
    lifts = any(path.parent is not None and chosen[path.parent] for path in experiment.call_paths)
    if not lifts and not (chosen & ~folded_paths(experiment)).any():
        return experiment, np.arange(len(experiment.call_paths))
    forest = fold(experiment.call_paths, chosen)
    return apply_folding(experiment, forest), forest.places


def _throttled(operands: Sequence[Experiment], forest: CallForest) -> dict[str, str]:
    """Map each region that any operand has throttled, by its descriptor in the domain, to the reason."""
    throttled: dict[str, str] = {}
    for each, rows in zip(operands, forest.rows, strict=True):
        if each.notes.throttled:
            places = zip(each.call_paths, rows.tolist(), strict=True)
            known = {path.region: forest.call_paths[row].region for path, row in places}
            for descriptor, reason in each.notes.throttled.items():
                own = Region.from_descriptor(descriptor)
                throttled.setdefault(known.get(own, own).descriptor, reason)
    return throttled
