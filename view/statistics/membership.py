"""Report the positions of clusters on the process grid (Ahn and Vetter 2002, section 4.7)."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ...multivariate.factors import Factors
from ...multivariate.materiality import RULE, telling
from ...multivariate.membership import Membership
from ..marks import Grid
from ..metric_space import caveats, drawn, names, part_of
from ..picture import Picture
from ..report import Report, Table
from ..units import many
from . import clusters
from .by_task import called, task_picture
from .hierarchy import cut_sentences, tree_picture, weakness
from .profile import profile_picture
from .space import document

__all__ = ["membership_report"]

_TOLD: Final = 4  # maximum number of clusters to describe in sentences
_PANELS: Final = 16  # maximum number of planes of the grid in a picture
_PLANES: Final = 4  # maximum number of planes of the grid on a terminal
_PRINTED: Final = 64  # maximum number of rows and columns of a plane on a terminal
_SYMBOLS: Final = "123456789abcdefghijklmnopqrstuvwxyz"


def membership_report(found: Membership, factor: tuple[int, Factors] | None = None) -> Report:
    """Return a report on clusters on a grid.

    Args:
        found: The clusters and the grid.
        factor: Number of the factor whose metrics determined the clusters, and the result of the factor analysis; None
            if clusters are based on all metrics.
    """
    tree, grid = found.hierarchy, found.grid
    space, partition = tree.space, tree.partition
    coordinates = found.places.tolist()
    axes = [f"coordinate_{axis + 1}" for axis in range(len(grid.sizes))]
    data = Table(
        "map",
        ("location", *axes, "cluster"),
        [
            (label, *(None if at < 0 else at for at in place), cluster + 1)
            for label, place, cluster in zip(space.labels, coordinates, partition.labels.tolist(), strict=True)
        ],
    )
    said = _sentences(found, factor)
    shown_clusters = not (tree.suggested and weakness(tree))
    printed = _printed(found) if shown_clusters else []
    unseen = [] if printed or not shown_clusters else ["The map is too large to print; to draw it, add --html."]
    return Report(
        [*said, *unseen],
        [*([clusters.table(space, partition)] if shown_clusters else []), *printed],
        data,
        {
            **document("map", space),
            "grid": {"sizes": list(grid.sizes), "source": grid.source, "name": grid.name},
            "factor": None if factor is None else {"number": factor[0], "name": factor[1].factors[factor[0] - 1].name},
            "membership": [
                {"location": label, "place": place if min(place) >= 0 else None, "cluster": cluster}
                for label, place, cluster in zip(space.labels, coordinates, partition.labels.tolist(), strict=True)
            ],
            "called": list(found.words),
            "method": tree.method,
            **clusters.document(space, partition),
        },
        lambda: [
            _map(found, said),
            tree_picture(tree, []),
            task_picture(space, partition),
            profile_picture(space, partition),
        ],
        caveats(space),
    )


def _sentences(found: Membership, factor: tuple[int, Factors] | None) -> list[str]:
    tree, grid = found.hierarchy, found.grid
    space, partition = tree.space, tree.partition
    size = "x".join(map(str, grid.sizes))
    where = {
        "topology": f"The grid is {size}, the program's own topology{f' ({grid.name})' if grid.name else ''}.",
        "given": f"The grid is {size}, as given.",
        "guess": f"No topology of the program covers all ranks: {size} is a guess; set the grid with --grid.",
    }[grid.source]
    if factor is not None:
        number, factors = factor
        chosen = factors.factors[number - 1]
        where += f" Clusters are based on factor {number}, {chosen.name}: {names(chosen.metrics)}."
    said = [where, *cut_sentences(tree)]
    if weak := weakness(tree):
        return [f"{weak}{clusters.across(space)}", *said]
    if partition.count == 1:
        return said
    parts = [_told(found, cluster) for cluster in clusters.by_difference(space, partition) if _matters(found, cluster)]
    said += parts[:_TOLD]
    if not parts:
        said.append(f"No difference between the clusters matters (limits: {RULE}).{clusters.across(space)}")
    if len(parts) > _TOLD:
        said.append(f"The table lists {many(len(parts) - _TOLD, 'more cluster')}.")
    return said


def _matters(found: Membership, cluster: int) -> bool:
    tree = found.hierarchy
    return bool(telling(tree.space, tree.partition, cluster))


def _told(found: Membership, cluster: int) -> str:
    space, partition = found.hierarchy.space, found.hierarchy.partition
    called = found.words[cluster] or clusters.who(space, partition, cluster)
    return clusters.told(space, partition, cluster, f"{called} ({len(partition.members[cluster])})", 2)


def _slices(found: Membership) -> list[tuple[str, Any, list[list[str]]]]:
    """Return the planes of the grid, each with its title, clusters, and locations.

    Clusters are ``float64[row, column]``, with NaN at empty positions.
    """
    space = found.hierarchy.space
    sizes = found.grid.sizes if len(found.grid.sizes) > 1 else (1, *found.grid.sizes)
    planes: dict[tuple[int, ...], tuple[Any, list[list[str]]]] = {}
    threaded = len({point.thread for point in space.points}) > 1 and not any(
        thread for _, thread in found.grid.coordinates
    )
    for point, place, label, cluster in zip(
        space.points, found.places.tolist(), space.labels, found.hierarchy.partition.labels.tolist(), strict=True
    ):
        if min(place) < 0:
            continue
        at = place if len(place) > 1 else [0, *place]
        key = (*at[2:], *((point.thread,) if threaded else ()))
        if key not in planes:
            planes[key] = np.full(sizes[:2], np.nan), [[""] * sizes[1] for _ in range(sizes[0])]
        clusters_, labels = planes[key]
        clusters_[at[0], at[1]] = cluster
        labels[at[0]][at[1]] = str(label)
    extra = [*(f"coordinate {axis + 3}" for axis in range(len(sizes) - 2)), *(["thread"] if threaded else [])]
    return [
        (", ".join(f"{name} {at}" for name, at in zip(extra, key, strict=True)), *planes[key]) for key in sorted(planes)
    ]


def _printed(found: Membership) -> list[Table]:
    """Return the grid as tables with one character per position; empty if it does not fit on a terminal."""
    tables = []
    slices = _slices(found)
    cut = part_of(min(len(slices), _PLANES), len(slices), "plane")
    for title, plane, _ in slices[:_PLANES]:
        if plane.shape[1] > _PRINTED or plane.shape[0] > _PRINTED or found.hierarchy.partition.count > len(_SYMBOLS):
            return []
        rows = [(" ".join("." if math.isnan(each) else _SYMBOLS[int(each)] for each in row),) for row in plane.tolist()]
        named = ", ".join(each for each in ("Clusters on the grid", title, cut) if each)
        tables.append(Table(named, ("",), rows))
    return tables


def _map(found: Membership, sentences: list[str]) -> Picture:
    slices = _slices(found)
    names_ = [_called(found, each) for each in range(found.hierarchy.partition.count)]
    grids = [
        Grid(plane, labels, () if number else names_, title)
        for number, (title, plane, labels) in enumerate(slices[:_PANELS])
    ]
    cut = drawn(part_of(len(grids), len(slices), "plane"))
    return Picture("Clusters on the process grid", grids, [*sentences, *cut])


def _called(found: Membership, cluster: int) -> str:
    part = found.words[cluster]
    return f"{cluster + 1}: {part}" if part else called(found.hierarchy.space, found.hierarchy.partition, cluster)
