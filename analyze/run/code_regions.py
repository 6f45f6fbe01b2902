"""The code-region tree of an experiment (Liu et al. 2011, section 2), and a metric's values over it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...experiment import CallPath, Experiment, Region
from .arrays import Values
from .criteria import CRITERIA, THRESHOLD

__all__ = [
    "STARTUP",
    "CodeRegion",
    "as_compared",
    "call_line_of",
    "caller_of",
    "code_regions",
    "descendants",
    "inclusive_over",
    "of_recursion",
    "outermost",
    "parts_of",
    "recursive",
    "startup_paths",
    "within_shells",
]

_WHOLE: Final = 1 - THRESHOLD  # share of the program's time above which a region counts as the whole program

STARTUP: Final = frozenset({"MPI_Init", "MPI_Init_thread", "MPI_Finalize"})


@dataclass(frozen=True, slots=True)
class CodeRegion:
    """A node of the code-region tree below the whole program.

    Attributes:
        id: Index of the call path; for an entry procedure's own code, the index of the root.
        own_code: Whether the node is only the own code of the entry procedure, or of a region around the whole program.
        depth: 1 for the regions directly below the whole program.
        children: Positions of the node's children among the code regions.
    """

    id: int
    own_code: bool
    depth: int
    children: tuple[int, ...] = ()


def code_regions(experiment: Experiment) -> tuple[CodeRegion, ...]:
    """Return every code region except the start-up and the end of MPI, parents before children.

    Regions of depth 1 are in the order of first entry; the own code of an entry procedure comes after its children.
    """
    hidden = startup_paths(experiment)
    children: dict[int, list[int]] = {}
    position: dict[int, int] = {}
    order: list[tuple[int, bool, int]] = []
    for root in experiment.roots:
        for path in experiment.walk(root):
            if path == root or path in hidden:
                continue
            position[path] = len(order)
            depth = experiment.depths[path]
            order.append((path, False, depth))
            if depth > 1:
                parent = position[next(experiment.ancestors(path))]
                children.setdefault(parent, []).append(position[path])
        order.append((root, True, 1))
    return tuple(
        CodeRegion(path, own_code, depth, tuple(children.get(index, ())))
        for index, (path, own_code, depth) in enumerate(order)
    )


def recursive(experiment: Experiment, regions: Sequence[CodeRegion]) -> dict[int, int]:
    """Map each recursive call path's position to the position of its nearest ancestor with the same region."""
    position = {
        each.id: index for index, each in enumerate(regions) if experiment.call_paths[each.id].parent is not None
    }
    found: dict[int, int] = {}
    open_paths: dict[Region, list[int]] = {}
    way: list[int] = []
    for root in experiment.roots:
        for path in experiment.walk(root):
            while way and way[-1] != experiment.call_paths[path].parent:
                open_paths[experiment.call_paths[way.pop()].region].pop()
            above = open_paths.setdefault(experiment.call_paths[path].region, [])
            if above and path in position and above[-1] in position:
                found[position[path]] = position[above[-1]]
            above.append(path)
            way.append(path)
    return found


def of_recursion(experiment: Experiment, regions: Sequence[CodeRegion], chosen: Sequence[int]) -> list[int]:
    """Replace each chosen call path with the outermost call path of the same region, whose time includes all calls.

    A chosen call path is kept if the outermost one also contains a chosen call path of a different region, or if the
    outermost one counts only with its own code.

    Args:
        experiment: The run.
        regions: The code-region tree.
        chosen: Positions, parents before children.

    Returns:
        Positions in the same order, each once.
    """
    above = recursive(experiment, regions) if chosen else {}
    outer = {}
    for each in chosen:
        last = each
        while last in above:
            last = above[last]
        outer[each] = last
    for each, last in outer.items():
        if last != each:
            inside = {outer[other] for other in {*descendants(regions, last)}.intersection(outer)}
            outer[each] = each if inside != {last} or regions[last].own_code else last
    return [*dict.fromkeys(outer.values())]


def within_shells(
    regions: Sequence[CodeRegion], shares: Sequence[float], recursion: Mapping[int, int] | None = None
) -> tuple[CodeRegion, ...]:
    """Treat regions around the whole program as parts of the entry procedure.

    Like the entry procedure, a time loop that takes 90 % of the program's time is not compared with the large regions
    inside it. The loop's own code, and each region directly below the loop, gets depth 1::

        main ── follow ── loop ┬── a          main ┬── (own code of follow)
                               └── b               ├── (own code of loop)
                                                   ├── a
                                                   └── b

    Args:
        regions: The result of ``code_regions``.
        shares: Each region's wall time as a share of the program's time.
        recursion: The result of ``recursive``. A region that spends most of its time in recursive calls counts as one
            region.

    Returns:
        The changed regions, at the same positions.
    """
    opened = list(regions)
    again = [0.0] * len(regions)
    for inner, outer in (recursion or {}).items():
        again[outer] += shares[inner]
    for index, region in enumerate(regions):  # regions come after their parents
        below = sum(shares[child] for child in region.children)
        if shares[index] < _WHOLE or below < CRITERIA.least_weight or opened[index].depth > 1:
            continue
        if again[index] > shares[index] / 2:
            continue
        opened[index] = replace(opened[index], own_code=True, children=())
        for child in descendants(regions, index):
            opened[child] = replace(opened[child], depth=opened[child].depth - 1)
    return tuple(opened)


def as_compared(values: Values, weighed: Sequence[CodeRegion], compared: Sequence[CodeRegion], region: int) -> float:
    """Return a region's inclusive value in ``compared``, in which a region around the whole program is not split.

    Args:
        values: ``float64[region]``, for ``weighed``, in which such a region has only its own code.
        weighed: The result of ``within_shells``.
        compared: The result of ``code_regions``.
        region: The region's position.
    """
    return float(sum(values[part] for part in parts_of(weighed, compared, region)))


def parts_of(weighed: Sequence[CodeRegion], compared: Sequence[CodeRegion], region: int) -> Iterator[int]:
    """Yield the positions of the regions in ``weighed`` whose values add up to a region's value in ``compared``."""
    yield region
    if weighed[region].own_code and not compared[region].own_code:
        for child in compared[region].children:
            yield from parts_of(weighed, compared, child)


def outermost(regions: Sequence[CodeRegion], chosen: Collection[int]) -> list[int]:
    """Return the positions of chosen regions that are not below other chosen regions."""
    below = {each for region in chosen for each in descendants(regions, region)}
    return [region for region in chosen if region not in below]


def descendants(regions: Sequence[CodeRegion], index: int) -> Iterator[int]:
    """Yield the positions of all regions below a region."""
    pending = list(regions[index].children)
    while pending:
        found = pending.pop()
        yield found
        pending.extend(regions[found].children)


def caller_of(call_paths: Sequence[CallPath], path: int) -> Region | None:
    """Return the region that called a call path's function: a function, or a loop in one; None if there is none."""
    own = call_paths[path].region.function or call_paths[path].region.name
    above = call_paths[path].parent
    while above is not None and call_paths[above].region.function == own:
        above = call_paths[above].parent
    return None if above is None else call_paths[above].region


def call_line_of(call_paths: Sequence[CallPath], path: int) -> int | None:
    """Return the line in ``caller_of``'s file where the call path's function is called; None if unknown."""
    own = call_paths[path].region.function or call_paths[path].region.name
    above = call_paths[path].parent
    while above is not None and call_paths[above].region.function == own:
        path, above = above, call_paths[above].parent
    return call_paths[path].called_at


def startup_paths(experiment: Experiment) -> frozenset[int]:
    """Return the call paths of MPI_Init and MPI_Finalize, and all below them; they do none of the program's work."""
    found: set[int] = set()
    for index, path in enumerate(experiment.call_paths):
        if path.parent in found or (path.region.kind == "mpi" and path.region.name in STARTUP):
            found.add(index)
    return frozenset(found)


def inclusive_over(experiment: Experiment, regions: tuple[CodeRegion, ...], exclusive: Values) -> Values:
    """Sum values of call paths over the code-region tree, without the start-up of MPI.

    Args:
        experiment: The experiment with these call paths.
        regions: The result of ``code_regions``.
        exclusive: ``float64[call path, location]``; not changed.

    Returns:
        ``float64[region, location]``, inclusive; for own code, the exclusive value of its call path.
    """
    work = exclusive.copy()
    work[list(startup_paths(experiment))] = 0.0
    total = experiment.summed_up(work)
    rows = [exclusive[each.id] if each.own_code else total[each.id] for each in regions]
    return np.array(rows).reshape(len(regions), exclusive.shape[1])
