"""Report factors, their metrics, and their number (Ahn and Vetter 2002, section 4.6)."""

from __future__ import annotations

from typing import Any, Final

from ...multivariate.factors import JOINS, Factors
from ..marks import Axis, Chart, Matrix, Series
from ..metric_space import caveats, finite, names
from ..picture import Picture
from ..report import Report, Table
from ..units import many, percent
from .space import document

__all__ = ["factors_report"]

_SMALL: Final = 0.1  # minimum loading shown in tables, as in Ahn and Vetter


def factors_report(found: Factors) -> Report:
    """Return a report on factors."""
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
            "more than unrelated metrics do by chance."
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
    alone = f"; {names(found.alone)} belong{'s' if len(found.alone) == 1 else ''} to no factor" if found.alone else ""
    said.append(
        f"One metric per factor is enough: {', '.join(first)}{alone}. To see where ranks differ: stats map --factor N."
        if first
        else f"No metric has a loading of at least {JOINS}, so none belongs to a factor."
    )
    said += [
        f"{name} is a Heywood case: the factors explain all of its variance, but the other metrics explain only "
        f"{percent(100 * borne)}. Use fewer factors (-k), or leave out this metric."
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
    said = f"{found.rotation}; * marks the metrics of a factor; loadings below {_SMALL} are not shown"
    title = f"Loadings of metrics in {found.space.place} ({said})"
    return Table(title, header, rows)


def _pictures(found: Factors) -> list[Picture]:
    if not found.factors:
        return [_scree(found, _sentences(found))]
    order = [found.space.metrics.index(name) for group in found.groups for name in group]
    titles = [f"{number}: {each.name}" for number, each in enumerate(found.factors, start=1)]
    names_ = [found.space.metrics[row] for row in order]
    loadings = Picture(
        "Loadings of the metrics", [Matrix(names_, titles, found.loadings[order], 1.0)], _sentences(found)
    )
    return [loadings, _scree(found, [])]


def _scree(found: Factors, sentences: list[str]) -> Picture:
    numbers = [*range(1, len(found.eigenvalues) + 1)]
    chance = "unrelated metrics (95th percentile)"
    series = [
        Series("these metrics", numbers, found.eigenvalues.tolist(), style="both"),
        Series(chance, numbers, found.random.tolist(), style="dashed", colour=1),
    ]
    chart = Chart(series, Axis("factor", whole=True), Axis("eigenvalue", zero=True), height=320)
    return Picture("Number of factors: factors with an eigenvalue above chance", [chart], sentences)
