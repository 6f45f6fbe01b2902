"""Report correlations of metrics, and the metrics that the next run needs (Ahn and Vetter 2002, section 4.4)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...multivariate.correlation import REDUNDANT, Correlation, MetricGroup
from ...runtime.papi.sources import COUNTED_BY_PAPI
from ..counters import as_typed
from ..marks import Axis, Chart, Matrix, Series
from ..metric_space import caveats, drawn, names, part_of, some_rows
from ..picture import Picture
from ..report import Report, Table
from ..units import many
from .space import document, titled

__all__ = ["correlation_report"]

_UNSURE: Final = 0.01  # expected number of pairs that appear redundant by chance; a warning is shown if it is higher
_PANELS: Final = 5  # maximum number of metrics for which all pairs are drawn
_POINTS: Final = 200  # maximum number of points in a chart
_WIDTH: Final = 280  # width of a chart in pixels
_HEIGHT: Final = 230
_NUMBERED: Final = 14  # maximum number of metrics in a printed matrix


def correlation_report(found: Correlation) -> Report:
    """Return a report on correlations of metrics."""
    space = found.space
    return Report(
        _sentences(found),
        [_groups(found), *([_matrix(found)] if len(space.metrics) <= _NUMBERED else [])],
        Table(
            "correlation",
            ("metric", *space.metrics),
            [(name, *row) for name, row in zip(space.metrics, found.matrix.tolist(), strict=True)],
        ),
        _document(found),
        lambda: _pictures(found),
        caveats(space),
    )


def _document(found: Correlation) -> dict[str, Any]:
    return {
        **document("correlation", found.space),
        "matrix": found.matrix.tolist(),
        "spearman": found.spearman.tolist(),
        "leave_one_out": _extremes(found),
        "threshold": REDUNDANT,
        "groups": [
            {
                "representative": each.representative,
                "members": list(each.members),
                "least": each.least,
                "keep": list(each.keep),
            }
            for each in found.groups
        ],
        "turns": [
            {
                "metrics": list(each.metrics),
                "r": each.with_it,
                "without": each.without,
                "location": found.space.labels[each.point],
                "spearman": each.ranked,
            }
            for each in found.turns
        ],
        "chance": found.chance,
        "chance_pairs": found.chance * found.pairs,
        "next": _next(found),
    }


def _extremes(found: Correlation) -> dict[str, Any] | None:
    """Return, as JSON data, each pair's lowest and highest correlation if any single location is left out.

    The data include the labels of these locations. None if these correlations were not computed.
    """
    if (one_out := found.one_out) is None:
        return None
    labels = np.array(found.space.labels, dtype=object)
    return {
        "lowest": one_out.lowest.tolist(),
        "highest": one_out.highest.tolist(),
        "lowest_without": labels[one_out.lowest_without].tolist(),
        "highest_without": labels[one_out.highest_without].tolist(),
    }


def _kept(found: Correlation) -> tuple[str, ...]:
    """Return the measured metrics that represent all groups of redundant metrics.

    Metrics that include waiting for a core are left out, unless there are no other metrics.
    """
    kept = found.space.measured(name for group in found.groups for name in group.keep)
    return tuple(name for name in kept if name not in found.space.waiting) or kept


def _next(found: Correlation) -> str:
    """Return options for the next run that measure the representatives of all groups."""
    return as_typed(_kept(found), found.space.sources)


def _sentences(found: Correlation) -> list[str]:
    space, groups = found.space, found.groups
    head = f"{many(len(space.metrics), 'metric')} of {many(len(space.points), 'location')}"
    if all(len(each.members) == 1 for each in groups):
        said = [f"Among {head}, no pair is redundant (|r| ≥ {REDUNDANT}), so no metric can be left out."]
    else:
        said = [f"{head} form {many(len(groups), 'group')}{_largest(found)}.", *_advice(found)]
    said += _turning(found)
    if (expected := found.chance * found.pairs) > _UNSURE:
        said.append(
            f"With {len(space.points)} locations, chance alone would make {expected:.2g} of "
            f"{many(found.pairs, 'pair')} of unrelated metrics redundant: "
            "treat the groups as hints, or add runs (stats --sample)."
        )
    return said


def _largest(found: Correlation) -> str:
    """Return a phrase about the group whose representatives replace the most other metrics.

    This must be true even if any single location is left out.
    """

    def stands(group: MetricGroup) -> tuple[str, ...]:
        return group.keep if found.one_out else (group.representative,)

    group = max(found.groups, key=lambda each: len(each.members) - len(stands(each)))
    others = [name for name in group.members if name not in stands(group)]
    if not others:
        return ", but only because of single locations, so no metric can be left out"
    verb = "represents" if len(stands(group)) == 1 else "represent"
    why = f"{names(others)}; |r| ≥ {_floor(group.least)}"
    return f": {names(stands(group))} {verb} {many(len(others), 'other')} ({why})"


def _advice(found: Correlation) -> list[str]:
    """Return a sentence with options that omit redundant metrics from the next run or analysis; may be empty."""
    if found.one_out is None:
        return [f"{len(found.space.points)} locations are too few to leave metrics out: at least four are needed."]
    kept = _kept(found)
    if len(kept) == len(found.space.measured(found.space.metrics)):
        return []
    typed = _next(found)
    if any(found.space.sources.get(name, "").startswith(COUNTED_BY_PAPI) for name in kept):
        return [f"To count fewer metrics next time, keep only the groups' representatives: autoanalyzer run {typed}"]
    return [f"The next analysis needs only the groups' representatives: {typed}"]


def _turning(found: Correlation) -> list[str]:
    """Return sentences about single locations that create or hide a correlation, each with the most affected pair."""
    said = []
    for made in (True, False):
        turns = [each for each in found.turns if each.made == made]
        if turns:
            first, label = turns[0], found.space.labels[turns[0].point]
            noun = "rank" if isinstance(label, int) else "location"
            who = f"{noun} {label}"
            pair = f"{first.metrics[0]} and {first.metrics[1]}"
            numbers = (
                f"r = {first.with_it:.3f}, without this {noun} {first.without:.3f}; Spearman's r {first.ranked:.3f}"
            )
            more = f"; the same applies to {many(len(turns) - 1, 'more pair')}" if len(turns) > 1 else ""
            if made:
                said.append(f"Only {who} makes {pair} redundant ({numbers}): keep both metrics{more}.")
            else:
                leave = f": see stats --exclude-rank {label}" if isinstance(label, int) else ""
                said.append(f"Only {who} hides that {pair} are redundant ({numbers}){leave}{more}.")
    return said


def _floor(correlation: float) -> str:
    return f"{np.floor(correlation * 1000) / 1000:.3f}"


def _groups(found: Correlation) -> Table:
    rows = [
        (
            each.representative,
            str(len(each.members)),
            _floor(each.least) if len(each.members) > 1 else None,
            _without_one(found, each),
            names([name for name in each.members if name != each.representative], 8),
        )
        for each in found.groups
    ]
    return Table(
        f"Groups of redundant metrics in {found.space.place}",
        ("representative", "metrics", "least |r|", "without one location", "other metrics"),
        rows,
    )


def _without_one(found: Correlation, group: MetricGroup) -> str | None:
    """Return a group's lowest absolute correlation if any single location is left out, as text; None if unknown."""
    if found.one_out is None or len(group.members) == 1:
        return None
    rows = np.ix_(*2 * [[found.space.metrics.index(name) for name in group.members]])
    signs = np.sign(found.matrix[rows])
    least = float(np.minimum(found.one_out.lowest[rows] * signs, found.one_out.highest[rows] * signs).min())
    return f"{np.floor(least * 1000) / 1000:.3f}"


def _matrix(found: Correlation) -> Table:
    rows = [
        (name, *(f"{each:.3f}" for each in row))
        for name, row in zip(found.space.metrics, found.matrix.tolist(), strict=True)
    ]
    return Table("Correlations", ("", *found.space.metrics), rows)


def _pictures(found: Correlation) -> list[Picture]:
    return [_heatmap(found), _scatterplots(found)]


def _in_groups(found: Correlation) -> list[int]:
    """Return the columns of all metrics, sorted by group, with the representative first in each group."""
    place = found.space.metrics.index
    return [
        place(name)
        for group in found.groups
        for name in (group.representative, *(each for each in group.members if each != group.representative))
    ]


def _heatmap(found: Correlation) -> Picture:
    order = _in_groups(found)
    ordered = [found.space.metrics[column] for column in order]
    matrix = Matrix(ordered, ordered, found.matrix[np.ix_(order, order)], 1.0)
    return Picture("Correlation matrix; redundant metrics are side by side", [matrix], _sentences(found))


def _scatterplots(found: Correlation) -> Picture:
    """Return a picture with a scatterplot for each pair of metrics.

    If there are too many metrics, only some are shown, representatives of groups first.
    """
    space = found.space
    representatives = [each.representative for each in found.groups]
    others = [name for group in found.groups for name in group.members if name not in representatives]
    chosen = (representatives + others)[:_PANELS]
    rows = some_rows(space)
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, _POINTS).astype(np.intp))]
    cut = drawn(part_of(len(rows), len(space.points), "location"), part_of(len(chosen), len(space.metrics), "metric"))
    choice = ["Choose other metrics with stats --metrics."] if len(chosen) < len(space.metrics) else []
    said = [str(space.labels[row]) for row in rows.tolist()]
    columns = {name: space.values[rows, space.metrics.index(name)].tolist() for name in chosen}
    charts = [
        Chart(
            [Series("", columns[one], columns[other], said)],
            Axis(titled(space, one)),
            Axis(titled(space, other)),
            width=_WIDTH,
            height=_HEIGHT,
            table=False,
        )
        for place, other in enumerate(chosen)
        for one in chosen[:place]
    ]
    return Picture("Scatterplots of pairs", charts, [*cut, *choice])
