"""Call forests of several experiments become one (paper 002, section 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..experiment import CallPath
from ..region import Region
from .regions import Alike, correspond

__all__ = ["CallForest", "merge_call_paths"]

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class CallForest:
    """The merged call forest.

    Attributes:
        call_paths: Those of the first operand, then what each other one adds; parents before children.
        rows: For each operand, where its call paths stand among these.
        alike: For each operand, its regions that were matched by likeness.
    """

    call_paths: tuple[CallPath, ...]
    rows: tuple[Rows, ...]
    alike: tuple[tuple[Alike, ...], ...]


def merge_call_paths(forests: Sequence[Sequence[CallPath]], *, exact: bool = False) -> CallForest:
    """Match call paths top-down: the same region below the same call path.

    Below one that matches nothing, nothing is matched. Where a parent has the same region below it several times,
    those of the same call site are matched, and the rest in order: lines change from one version to the next.

    Args:
        forests: The call paths of each operand, parents before children.
        exact: Match regions of the same identity and call sites of the same line only.
    """
    first, *others = forests
    union = list(first)
    rows = [np.arange(len(first))]
    alike: list[tuple[Alike, ...]] = [()]
    for forest in others:
        if tuple(forest) == tuple(union):
            rows.append(np.arange(len(union)))
            alike.append(())
            continue
        found = correspond(union, forest, exact=exact)
        union = [_named(path, found.left) for path in union]
        rows.append(_merge(union, [_named(path, found.right) for path in forest], exact=exact))
        alike.append(tuple(found.alike))
    return CallForest(tuple(union), tuple(rows), tuple(alike))


def _named(path: CallPath, names: Mapping[Region, Region]) -> CallPath:
    region = names.get(path.region, path.region)
    return path if region == path.region else replace(path, region=region)


def _merge(union: list[CallPath], forest: Sequence[CallPath], *, exact: bool) -> Rows:
    """Add to the union what it lacks of a forest, and tell where each call path of that stands in it."""
    known = _siblings(union)
    rows = np.full(len(forest), -1)
    for (above, region), twins in _siblings(forest).items():  # parents before children
        parent = None if above is None else int(rows[above])
        there = known.setdefault((parent, region), [])
        matched = _matched(union, there, forest, twins, exact=exact)
        for twin in twins:
            if twin not in matched:
                matched[twin] = len(union)
                there.append(len(union))
                union.append(replace(forest[twin], parent=parent))
            rows[twin] = matched[twin]
    return rows


def _siblings(paths: Sequence[CallPath]) -> dict[tuple[int | None, Region], list[int]]:
    """Collect the call paths of each region below each call path."""
    found: dict[tuple[int | None, Region], list[int]] = {}
    for index, path in enumerate(paths):
        found.setdefault((path.parent, path.region), []).append(index)
    return found


def _matched(
    left: Sequence[CallPath], mine: Sequence[int], right: Sequence[CallPath], theirs: Sequence[int], *, exact: bool
) -> dict[int, int]:
    """Match siblings of one region: first those of one call site, then, unless exact, the rest in order."""
    sites: dict[int | None, list[int]] = {}
    for index in mine:
        sites.setdefault(left[index].site, []).append(index)
    matched: dict[int, int] = {}
    for index in theirs:
        if same := sites.get(right[index].site):
            matched[index] = same.pop(0)
    if exact:
        return matched
    rest = sorted(index for each in sites.values() for index in each)
    return matched | dict(zip((index for index in theirs if index not in matched), rest, strict=False))
