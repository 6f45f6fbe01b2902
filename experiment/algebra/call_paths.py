"""Merge the call forests of several experiments (Song et al. 2004, section 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from ..call_path import CallPath
from ..region import Region
from .procedures import Program, Version, is_enclosed
from .regions import Alike, correspond, names_of

__all__ = ["CallForest", "merge_call_paths"]

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class CallForest:
    """The merged call forest.

    Attributes:
        call_paths: The call paths of the first operand, then the call paths that each further operand adds; parents
            before children.
        rows: For each operand, the index of each of its call paths in ``call_paths``.
        alike: For each operand, its regions that were matched by similarity with regions of an earlier operand.
    """

    call_paths: tuple[CallPath, ...]
    rows: tuple[Rows, ...]
    alike: tuple[tuple[Alike, ...], ...]


def merge_call_paths(forests: Sequence[Sequence[CallPath]], *, exact: bool = False) -> CallForest:
    """Match call paths top-down: two call paths match if their regions match and their parents match.

    The descendants of a call path without a match have no match either. If several children of a call path have the
    same region, children with equal call sites are matched first, and the remaining children in order, because lines
    change from one version to the next.

    Each forest is matched with the union of the previous forests. The order of the forests depends only on their
    content, so the order of the operands affects only the order and the names in the union.

    Args:
        forests: The call paths of each operand, parents before children.
        exact: Match only regions of the same identity and call sites on the same line.
    """
    distinct: list[tuple[CallPath, ...]] = []
    for forest in map(tuple, forests):
        if forest not in distinct:
            distinct.append(forest)
        elif any(path.line is not None for path in forest):
            place = distinct.index(forest)
            distinct[place] = tuple(map(_with_line, distinct[place], forest))
    which = [distinct.index(tuple(forest)) for forest in forests]
    found = _Union.of(distinct, exact=exact)
    return CallForest(
        found.paths, tuple(found.rows[each] for each in which), tuple(found.alike[each] for each in which)
    )


@dataclass
class _Union:
    """The union of several forests, with the index in it of each forest's call paths."""

    paths: tuple[CallPath, ...]
    rows: list[Rows]
    alike: list[tuple[Alike, ...]]

    @classmethod
    def of(cls, forests: Sequence[tuple[CallPath, ...]], *, exact: bool) -> _Union:
        if len(forests) == 1:
            return cls(forests[0], [np.arange(len(forests[0]))], [()])
        first, *others = sorted(range(len(forests)), key=lambda index: _rank(forests[index]))
        union = list(forests[first])
        rows = {first: np.arange(len(union))}
        regions = {first: {path.region: path.region for path in union}}
        likened: dict[int, set[Region]] = {first: set()}
        programs = [Program.of(union)]
        for index in others:
            program = Program.of(forests[index])
            versions = [Version(*each) for each in zip(programs, regions.values(), strict=True)]
            found = correspond(union, program, versions, exact=exact)
            programs.append(program)
            union = [_named(path, found.left) for path in union]
            for each in regions.values():
                each.update({own: found.left.get(one, one) for own, one in each.items()})
            regions[index] = {path.region: found.right.get(path.region, path.region) for path in forests[index]}
            rows[index] = _merge(union, [_named(path, regions[index]) for path in forests[index]], exact=exact)
            likened[index] = {pair.right for pair in found.alike}
        order = range(len(forests))
        owners, alike = _owned([regions[index] for index in order], [likened[index] for index in order])
        ordered = _ordered(forests, [rows[index] for index in order])
        names = names_of(owners)
        paths = [
            CallPath(
                names.get(union[row].region, union[row].region),
                None if (parent := union[row].parent) is None else int(ordered.places[parent]),
                *site,
            )
            for row, site in ordered.sites.items()
        ]
        return cls(tuple(paths), [ordered.places[rows[index]] for index in order], alike)


def _with_line(path: CallPath, other: CallPath) -> CallPath:
    """Return a call path, with the line of its match if its own line is unknown."""
    return replace(path, line=other.line) if path.line is None and other.line is not None else path


def _rank(forest: Sequence[CallPath]) -> tuple[int, list[tuple[object, ...]]]:
    """Return a sort key: largest forest first, because it contains most of the source's regions, then by content."""
    parts: list[tuple[object, ...]] = [
        (
            -1 if path.parent is None else path.parent,
            -1 if path.site is None else path.site,
            *path.region.identity,
            path.region.name,
            path.region.function,
            path.region.first_line,
            path.region.last_line,
        )
        for path in forest
    ]
    return -len(forest), parts


def _owned(
    regions: Sequence[Mapping[Region, Region]], likened: Sequence[set[Region]]
) -> tuple[dict[Region, tuple[Region, int]], list[tuple[Alike, ...]]]:
    """Find the first forest that has each region of the union, and each forest's matches by similarity.

    Args:
        regions: For each forest, its regions → regions of the union.
        likened: For each forest, its regions inside procedures that were matched by similarity. Procedures themselves
            count as matched by similarity if their names, or the names of their files, differ.

    Returns:
        Region of the union → the region in the first forest that has it, and this forest's index; and for each forest,
        its matches by similarity.
    """
    owners: dict[Region, tuple[Region, int]] = {}
    alike: list[tuple[Alike, ...]] = []
    for index, each in enumerate(regions):
        pairs: list[Alike] = []
        for own, one in each.items():
            known, owner = owners.setdefault(one, (own, index))
            by_likeness = own in likened[index] or known in likened[owner]
            if own != known and (by_likeness or (not is_enclosed(own) and _title(own) != _title(known))):
                pairs.append(Alike(known, own))
        alike.append(tuple(pairs))
    return owners, alike


def _title(procedure: Region) -> tuple[str, str]:
    return PurePath(procedure.file).name, procedure.name


@dataclass(frozen=True)
class _Order:
    """The order of a union's call paths: those of the first forest, then those that only later forests have.

    Attributes:
        sites: Call path of the union → its call site in the first forest that has the call path, and the line of its
            call in the first forest in which this line is known.
        places: The position of each of the union's call paths in this order.
    """

    sites: dict[int, tuple[int | None, int | None]]
    places: Rows


def _ordered(forests: Sequence[Sequence[CallPath]], rows: Sequence[Rows]) -> _Order:
    sites: dict[int, tuple[int | None, int | None]] = {}
    for forest, each in zip(forests, rows, strict=True):
        for path, row in zip(forest, each.tolist(), strict=True):
            site, line = sites.setdefault(row, (path.site, path.line))
            sites[row] = site, path.line if line is None else line
    places = np.empty(len(sites), dtype=np.intp)
    places[[*sites]] = np.arange(len(sites))
    return _Order(sites, places)


def _named(path: CallPath, names: Mapping[Region, Region]) -> CallPath:
    region = names.get(path.region, path.region)
    return path if region == path.region else replace(path, region=region)


def _merge(union: list[CallPath], forest: Sequence[CallPath], *, exact: bool) -> Rows:
    """Add a forest's unmatched call paths to the union; return the index in the union of each call path."""
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
    """Group sibling call paths by their region: (parent, region) → indices."""
    found: dict[tuple[int | None, Region], list[int]] = {}
    for index, path in enumerate(paths):
        found.setdefault((path.parent, path.region), []).append(index)
    return found


def _matched(
    left: Sequence[CallPath], mine: Sequence[int], right: Sequence[CallPath], theirs: Sequence[int], *, exact: bool
) -> dict[int, int]:
    """Match siblings of one region: first those with equal call sites, then, unless ``exact``, all others in order."""
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
