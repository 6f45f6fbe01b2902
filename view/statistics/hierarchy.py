"""Report a tree of locations as a dendrogram, and the clusters at its cut (Ahn and Vetter 2002, section 4.5.1)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ...multivariate.hierarchy import LONE, Hierarchy
from ..marks import Axis, Chart, Series
from ..metric_space import caveats, names
from ..picture import Picture
from ..report import Report
from ..units import many, ranks
from . import clusters
from .by_task import called, task_picture
from .profile import profile_picture
from .space import document

__all__ = ["cut_sentences", "hierarchy_report", "tree_picture", "weakness"]

_LEAVES: Final = 64  # maximum number of leaves that are readable; if there are more, only the last merges are drawn
_MUCH: Final = 1000  # larger factors are not printed as numbers


def hierarchy_report(found: Hierarchy, beside: str = "") -> Report:
    """Return a report on a tree of locations and its clusters.

    Args:
        found: The tree.
        beside: The metric by which the verdict on the same page compares locations; empty if there is no verdict.
    """
    space, partition = found.space, found.partition
    labels = space.labels
    return Report(
        _sentences(found, beside),
        clusters.tables(space, partition, wanted=not (found.suggested and weakness(found))),
        clusters.data(space, partition),
        {
            **document("hierarchy", space),
            "method": found.method,
            "linkage": found.merges.tolist(),
            "sample": [labels[row] for row in found.sample.tolist()] if found.sampled else None,
            "far": [labels[row] for row in found.far.tolist()],
            "height": found.height,
            "drop": found.drop,
            **clusters.document(space, partition),
        },
        lambda: [
            tree_picture(found, _sentences(found, beside)),
            task_picture(space, partition),
            profile_picture(space, partition),
        ],
        caveats(space),
    )


def cut_sentences(found: Hierarchy) -> list[str]:
    """Return sentences about where and why the tree is cut, and about its locations."""
    space, partition = found.space, found.partition
    sizes = [len(rows) for rows in partition.members]
    if partition.count == 1:
        said = [f"{len(space.points)} locations form one cluster, as requested."]
    else:
        into = f"{partition.count} clusters of {names(sizes, 10)}{_next_merge(found)}"
        where = f"at distance {found.height:.3g} ({found.method})"
        whole = f"{len(space.points)} locations"
        said = [
            f"The best cut, {where}, would divide {whole} into {into}."
            if _no_cut(found)
            else f"Cut {where}, {whole} form {into}."
        ]
    if found.sampled:
        who = ranks([space.labels[row] for row in found.far])
        far = f"; {len(found.far)} are far from every location in the sample ({who})"
        said.append(
            f"The tree is built from a sample of {len(found.sample)} locations; every other location joined the "
            f"cluster of the nearest location in the sample{far if len(found.far) else ''}."
        )
    return said


def _no_cut(found: Hierarchy) -> bool:
    """Return whether the tree should not be cut: the cut was chosen automatically, but no gap is wide enough."""
    return found.suggested and found.drop < LONE and len(found.space.points) > 2


def weakness(found: Hierarchy, *, advise: bool = True) -> str | None:
    """Return a warning if the tree should not be cut or its clusters are weak; otherwise None.

    The warning contains advice if ``advise``.
    """
    if _no_cut(found):
        one_group = ": treat the locations as one group, or set the number of clusters with stats -k" if advise else ""
        return f"No cut stands out{one_group}."
    return clusters.strength(found.space, found.partition, advise=advise)


def _next_merge(found: Hierarchy) -> str:
    """Return a phrase that compares the merges above and below the cut; empty if there is none below."""
    if found.partition.count == len(found.merges) + 1 or found.drop < 1:
        return ""
    below = f"{found.drop:.3g}" if found.drop < _MUCH else "more than a thousand"
    return f"; {'this is the largest gap: ' if found.suggested else ''}the next merge is lower by a factor of {below}"


def _sentences(found: Hierarchy, beside: str) -> list[str]:
    space, partition = found.space, found.partition
    by = f"{many(len(space.metrics), 'metric')} of {space.place}"
    of_verdict = f"the verdict's clusters, on {beside} over all regions"
    which = [f"These clusters are based on {by}; {of_verdict}."] if beside else []
    if weak := weakness(found, advise=not beside):
        return [*which, f"{weak}{clusters.across(space)}", *cut_sentences(found)]
    return [*which, *cut_sentences(found), *clusters.advice(space, partition)]


def tree_picture(found: Hierarchy, sentences: list[str]) -> Picture:
    """Return a picture of the tree, in which each cluster below the cut has its own colour."""
    points = len(found.merges) + 1
    shown_leaves = min(points, _LEAVES)
    owners = _owners(found)
    from scipy.cluster.hierarchy import dendrogram  # noqa: PLC0415 - takes half a second

    tree = dendrogram(
        found.merges,
        p=shown_leaves,
        truncate_mode="lastp" if points > _LEAVES else None,
        link_color_func=lambda node: str(owners[node]),
        no_plot=True,
    )
    series = []
    for owner in sorted(set(tree["color_list"]), key=int):
        x: list[float] = []
        y: list[float] = []
        for across, up, own in zip(tree["icoord"], tree["dcoord"], tree["color_list"], strict=True):
            if own == owner:
                x += [*((each - 5) / 10 for each in across), np.nan]
                y += [*up, np.nan]
        cluster = int(owner)
        name = called(found.space, found.partition, cluster) if cluster >= 0 else "between clusters"
        series.append(Series(name, x, y, style="line", colour=cluster))
    members = [_members(found, node) for node in tree["leaves"]]
    ticks = [str(each[0]) if len(each) == 1 else f"({len(each)})" for each in members]
    if found.partition.count > 1:
        series.append(Series("the cut", [-0.5, len(ticks) - 0.5], [found.height] * 2, style="dashed", colour=-1))
    chart = Chart(
        [*series, _leaves(found, tree["leaves"], members)], Axis(names=ticks), Axis("distance", zero=True), height=420
    )
    note = f"The last {shown_leaves} clusters are drawn; numbers in brackets count their locations."
    return Picture("Dendrogram", [chart], [*sentences, *([note] if points > _LEAVES else [])])


def _owners(found: Hierarchy) -> npt.NDArray[np.intp]:
    """Return the cluster of each node in the tree, ``intp[node]``; -1 above the cut."""
    points = len(found.merges) + 1
    owners = np.full(2 * points - 1, -1, dtype=np.intp)
    owners[:points] = found.partition.labels[found.sample]
    for merge, (first, second) in enumerate(found.merges[:, :2].astype(int).tolist()):
        if owners[first] == owners[second]:
            owners[points + merge] = owners[first]
    return owners


def _members(found: Hierarchy, node: int) -> list[int | str]:
    points = len(found.merges) + 1
    labels, pending, rows = found.space.labels, [int(node)], []
    while pending:
        each = pending.pop()
        if each < points:
            rows.append(each)
        else:
            pending += found.merges[each - points, :2].astype(int).tolist()
    return [labels[found.sample[row]] for row in sorted(rows)]


def _leaves(found: Hierarchy, nodes: list[int], members: list[list[int | str]]) -> Series:
    """Return the leaves of the drawn tree as points with tooltips.

    Args:
        found: The tree.
        nodes: The node of each leaf.
        members: Labels of the locations below each leaf.
    """
    points = len(found.merges) + 1
    heights = [0.0 if node < points else float(found.merges[node - points, 2]) for node in nodes]
    said = [
        ranks(each) if len(each) == 1 else f"{ranks(each)} (within a distance of {height:.3g})"
        for each, height in zip(members, heights, strict=True)
    ]
    return Series("", [*range(len(nodes))], [0.0] * len(nodes), said, colour=-1)
