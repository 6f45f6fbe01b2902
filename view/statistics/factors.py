"""Factors, what they are made of, and how many there are (paper 003, section 4.6)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...analyze.statistics import Factors
from ...analyze.statistics.factors import JOINS
from ..html_page import COLOURS, DIVERGING, Picture, axis_of, shown
from ..metric_space import caveats, finite, names
from ..report import Report, Table
from ..units import many, percent
from .space import document

__all__ = ["factors_report"]

_SMALL: Final = 0.1  # a loading that a table leaves out, as the paper's do
_NUMBERED: Final = 12


def factors_report(found: Factors) -> Report:
    """Report factors in every form."""
    space = found.space
    return Report(
        _sentences(found),
        [_table(found)],
        Table(
            "factors",
            ("metric", "factor", *(f"loading_{each + 1}" for each in range(len(found.factors))), "communality"),
            [
                (name, _factor_of(found, name), *loadings, communality)
                for name, loadings, communality in zip(
                    space.metrics, found.loadings.tolist(), found.communalities.tolist(), strict=True
                )
            ],
        ),
        _document(found),
        lambda: _pictures(found),
        caveats(space),
    )


def _factor_of(found: Factors, metric: str) -> int | None:
    return next((number for number, each in enumerate(found.factors, start=1) if metric in each.metrics), None)


def _document(found: Factors) -> dict[str, Any]:
    names_ = found.space.metrics
    return {
        **document("factors", found.space),
        "loadings": dict(zip(names_, found.loadings.tolist(), strict=True)),
        "groups": [list(each) for each in found.groups],
        "communalities": dict(zip(names_, found.communalities.tolist(), strict=True)),
        "factors": [
            {"name": each.name, "metrics": list(each.metrics), "explained": finite(each.explained)}
            for each in found.factors
        ],
        "alone": list(found.alone),
        "correlations": found.correlations.tolist(),
        "heywood": found.heywood,
        "eigenvalues": found.eigenvalues.tolist(),
        "random_eigenvalues": found.random.tolist(),
        "number_by": "given" if found.given else "parallel analysis",
        "rotation": found.rotation,
        "converged": found.converged,
    }


def _sentences(found: Factors) -> list[str]:
    space = found.space
    if not found.factors:
        return [
            f"{len(space.metrics)} metrics of {len(space.points)} locations have no common factor: they correlate no "
            "more than unrelated metrics do by chance, so each of them tells something different."
        ]
    whole = sum(each.explained for each in found.factors)
    how = "as requested" if found.given else "by parallel analysis"
    listed = "; ".join(
        f"{number} is {each.name} ({percent(100 * each.explained)}: {names(each.metrics, 4) or 'no metric'})"
        for number, each in enumerate(found.factors, start=1)
    )
    count = len(found.factors)
    said = [
        f"{many(count, 'factor')} ({how}) explain{'s' if count == 1 else ''} {percent(100 * whole)} of "
        f"the variance of {len(space.metrics)} metrics over {len(space.points)} locations. Factor {listed}."
    ]
    first = [each.metrics[0] for each in found.factors if each.metrics]
    alone = f"; {names(found.alone)} stand{'s' if len(found.alone) == 1 else ''} alone" if found.alone else ""
    said.append(
        f"One metric for each factor is enough: {', '.join(first)}{alone}. To see where ranks differ: map --factor N."
        if first
        else f"No metric has a loading of {JOINS}: all stand alone."
    )
    said += [
        f"{name} is a Heywood case: its factors explain all of it, the other metrics only {percent(100 * borne)}. "
        "Use fewer factors (-k), or leave it out."
        for name, borne in found.heywood.items()
    ]
    if not found.converged:
        said.append("The iterations did not converge: use fewer factors (-k), or leave out redundant metrics.")
    return said


def _table(found: Factors) -> Table:
    columns = range(len(found.factors))
    order = [name for group in found.groups for name in group]
    rows = []
    for name in order:
        row = found.space.metrics.index(name)
        loadings = found.loadings[row]
        cells = [
            (f"{loadings[each]:.3f}{'*' if name in found.factors[each].metrics else ' '}")
            if abs(loadings[each]) >= _SMALL
            else None
            for each in columns
        ]
        rows.append((name, *cells, f"{found.communalities[row]:.3f}"))
    header = ("metric", *(f"{each + 1} {found.factors[each].name}" for each in columns), "communality")
    title = (
        f"Loadings of metrics of {found.space.place} ({found.rotation}; * joins the factor; under {_SMALL} not shown)"
    )
    return Table(title, header, rows)


def _pictures(found: Factors) -> list[Picture]:
    if not found.factors:
        return [_scree(found, _sentences(found))]
    order = [found.space.metrics.index(name) for group in found.groups for name in group]
    titles = [f"{number}: {each.name}" for number, each in enumerate(found.factors, start=1)]
    heatmap = {
        "type": "heatmap",
        "z": found.loadings[order],
        "x": [shown(each) for each in titles],
        "y": list(range(len(order))),
        "zmin": -1,
        "zmax": 1,
        "colorscale": DIVERGING,
        "colorbar": {"title": {"text": "loading"}},
        "texttemplate": "%{z:.2f}" if len(titles) <= _NUMBERED else "",
        "customdata": [[shown(found.space.metrics[row], 200)] * len(titles) for row in order],
        "hovertemplate": "%{customdata}, %{x}: %{z:.3f}<extra></extra>",
    }
    layout = {
        "height": 200 + 24 * len(order),
        "xaxis": {"automargin": True, "type": "category", "side": "top"},
        "yaxis": axis_of([found.space.metrics[row] for row in order]),
        "margin": {"l": 70, "r": 30, "t": 60, "b": 30},
    }
    loadings = Picture("Loadings of the metrics", {"data": [heatmap], "layout": layout}, _sentences(found))
    return [loadings, _scree(found, [])]


def _scree(found: Factors, sentences: list[str]) -> Picture:
    numbers = np.arange(1, len(found.eigenvalues) + 1)
    lines = [
        {"type": "scatter", "mode": "lines+markers", "x": numbers, "y": values, "name": name, "line": line}
        for name, values, line in (
            ("these metrics", found.eigenvalues, {"color": COLOURS[0]}),
            ("unrelated metrics (95th percentile)", found.random, {"color": COLOURS[1], "dash": "dash"}),
        )
    ]
    layout = {
        "height": 350,
        "xaxis": {"title": {"text": "factor"}, "dtick": 1 if len(numbers) < 31 else 5},
        "yaxis": {"title": {"text": "eigenvalue"}},
        "legend": {"orientation": "h", "y": 1.1},
    }
    return Picture("How many factors: those above chance", {"data": lines, "layout": layout}, sentences)
