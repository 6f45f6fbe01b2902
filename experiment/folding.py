"""Fold call paths into their callers, as if they had been folded from the start of the run.

The time of a folded call path is attributed to its caller, and its children become children of the caller; it keeps
only its number of entries. The result therefore does not depend on when, or in which processes, a run began to throttle
a region::

    step           folded: f      step
     ├─ f                    →     ├─ f
     │  └─ g                       └─ g  (both merged)
     └─ g
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .call_path import CallPath
from .experiment import Experiment
from .grouping import grouped, to_callers
from .metric import ENTRIES
from .region import Region
from .severities import Severity

__all__ = ["Folding", "apply_folding", "fold", "folded", "in_order"]

_Places = npt.NDArray[np.intp]
_Key = tuple[int | None, Region, int | None]


def fold(call_paths: Sequence[CallPath], paths: npt.NDArray[np.bool_]) -> Folding:
    """Return the forest after folding, with the new index of each call path; merged call paths have the same index.

    Args:
        call_paths: The call paths, parents before children.
        paths: ``bool[call path]``: the call paths to fold; roots are never folded.
    """
    return _lifted(call_paths, set(np.flatnonzero(paths).tolist()))


def folded(experiment: Experiment, paths: npt.NDArray[np.bool_]) -> Experiment:
    """Fold call paths as in ``fold``, and aggregate the values of merged call paths."""
    return apply_folding(experiment, fold(experiment.call_paths, paths))


def apply_folding(experiment: Experiment, forest: Folding) -> Experiment:
    """Fold the call paths of an experiment according to ``forest``."""
    if not forest.folded:
        return experiment

    def read(of: Experiment, name: str) -> Severity:
        kind = of.metric(name).aggregation
        values = grouped(kind, of.exclusive(name), forest.places, len(forest.call_paths))
        if kind == "sum" and name not in ENTRIES:
            to_callers(values, forest.folded)
        return values

    severities = experiment.derived((each.name for each in experiment.metrics), read)
    return experiment.replaced(call_paths=forest.call_paths, severities=severities)


def in_order(call_paths: Sequence[CallPath]) -> tuple[list[CallPath], _Places]:
    """Return the call paths in depth-first order, as in files, and the new index of each call path."""
    children: dict[int | None, list[int]] = {}
    for number, path in enumerate(call_paths):
        children.setdefault(path.parent, []).append(number)
    position = np.zeros(len(call_paths), dtype=np.intp)
    ordered: list[CallPath] = []
    pending = children.get(None, [])[::-1]
    while pending:
        number = pending.pop()
        position[number] = len(ordered)
        ordered.append(_below(call_paths[number], position))
        pending += children.get(number, [])[::-1]
    return ordered, position


def _below(path: CallPath, places: _Places) -> CallPath:
    return path if path.parent is None else replace(path, parent=int(places[path.parent]))


@dataclass(frozen=True)
class Folding:
    """A forest in which folded call paths have no children.

    Attributes:
        call_paths: The forest, depth first.
        places: The new index of each original call path.
        folded: Pairs of a folded call path and its caller, as new indices.
    """

    call_paths: Sequence[CallPath]
    places: _Places
    folded: list[tuple[int, int]]


def _lifted(call_paths: Sequence[CallPath], chosen: Collection[int]) -> Folding:
    """Move the children of chosen call paths to their callers, until no chosen call path has children.

    A moved call path may merge with another one, which may itself be chosen.
    """
    places = np.arange(len(call_paths))
    marked = {path for path in chosen if call_paths[path].parent is not None}
    while not marked.isdisjoint(path.parent for path in call_paths if path.parent is not None):
        first = _groups(call_paths, marked)
        kept, numbers = np.unique([group for group, _ in first], return_inverse=True)
        parents = [None if parent is None else int(numbers[parent]) for _, parent in first]
        calls = _calls(call_paths, [group for group, _ in first])
        call_paths, position = in_order([_moved(call_paths[each], parents[each], marked, calls[each]) for each in kept])
        step = position[numbers]
        marked, places = {int(step[each]) for each in marked}, step[places]
    pairs = ((path, call_paths[path].parent) for path in sorted(marked))
    return Folding(call_paths, places, [(path, parent) for path, parent in pairs if parent is not None])


def _calls(call_paths: Sequence[CallPath], groups: Sequence[int]) -> dict[int, set[tuple[int | None, int | None]]]:
    """Map each group of merged call paths to the callers and call lines of its members."""
    found: dict[int, set[tuple[int | None, int | None]]] = {}
    for path, group in zip(call_paths, groups, strict=True):
        found.setdefault(group, set()).add((path.parent, path.line))
    return found


def _moved(path: CallPath, parent: int | None, marked: Collection[int], calls: Collection[object]) -> CallPath:
    """Return a call path below another parent.

    Its call line becomes unknown if the merged call paths have several call lines, or if its old parent is folded.
    """
    return replace(path, parent=parent, line=None if path.parent in marked or len(calls) > 1 else path.line)


def _groups(call_paths: Sequence[CallPath], marked: Collection[int]) -> list[tuple[int, int | None]]:
    """Return, for each call path, its group and the group of its new parent; the members of a group merge.

    The number of a group is the index of its first call path. Two call paths merge only if one of them was moved,
    because the original forest may contain siblings of the same region.
    """
    found: list[tuple[int, int | None]] = []
    above: list[int | None] = []  # the parent of each call path's children
    lifted: list[bool] = []
    known: dict[_Key, int] = {}
    alone: dict[_Key, int] = {}  # groups that contain only moved call paths so far
    for number, path in enumerate(call_paths):
        parent = None if path.parent is None else above[path.parent]
        lifted.append(path.parent is not None and (path.parent in marked or lifted[path.parent]))
        key = parent, path.region, path.site
        if not lifted[number]:
            group = alone.pop(key, number)
            known.setdefault(key, group)
        elif key in known:
            group = known[key]
        else:
            group = known[key] = alone[key] = number
        found.append((group, parent))
        above.append(parent if number in marked else group)
    return found
