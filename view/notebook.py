"""Show an experiment in a notebook: the verdict, and the call paths that take the most time.

The HTML contains no script and no style sheet, loads nothing, and uses the notebook's colours, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

import numpy as np
import numpy.typing as npt

from ..analyze import analyze
from ..errors import AutoanalyzerError
from ..experiment import Experiment, Metric
from ..experiment.export.weights import default_metric
from ..experiment.grouping import over_locations
from .place import at_line, visible
from .units import amount, many, percent
from .verdict import verdict_lines

__all__ = ["notebook_html"]

_LARGEST: Final = 1 << 20  # maximum number of values per metric for an analysis, which takes up to four seconds
_MOST: Final = 12  # maximum number of call paths to show, including ancestors; this many fit without scrolling
_LEFT: Final = "text-align: left; padding: 0.1em 0.6em"
_RIGHT: Final = "text-align: right; padding: 0.1em 0.6em"
_INDENT: Final = 1.2  # indent per level of the tree, in em
_DEEPEST: Final = 40  # level from which the indent no longer grows
_BAR: Final = "#4393c366"  # translucent, so that text on it is readable in dark and light themes


def notebook_html(experiment: Experiment) -> str:
    """Return HTML with an experiment's verdict, or the reason why there is none, and its largest call paths."""
    parts = [
        _element("div", visible(f"{experiment.notes.program or 'experiment'}: {experiment.size}"), "font-weight: 600")
    ]
    if len(experiment.call_paths) * len(experiment.locations) > _LARGEST:
        parts.append(_element("div", "too large to analyse here; to print the verdict: autoanalyzer analyze"))
    else:
        parts.append(_element("pre", "\n".join(map(visible, _verdict(experiment))), "white-space: pre-wrap"))
        parts += _tree(experiment)
    return f"<div>{''.join(parts)}</div>"


def _verdict(experiment: Experiment) -> list[str]:
    try:
        return verdict_lines(analyze(experiment))
    except AutoanalyzerError as error:
        return [f"no verdict: {error}"]


def _tree(experiment: Experiment) -> Iterator[str]:
    metric = _metric(experiment)
    if metric is None or not experiment.call_paths:
        return
    own = np.concatenate([over_locations(metric, values) for _, values in experiment.blocks(metric.name)])
    values = experiment.summed_up(np.nan_to_num(own)[:, None], metric)[:, 0]
    whole = float(values[list(experiment.roots)].sum()) if (values >= 0).all() else 0.0
    kept = _heaviest(experiment, values)
    yield '<table style="border-collapse: collapse">'
    titles = (f"{metric.name}, inclusive", "share", "region", "source")
    yield f"<thead><tr>{''.join(_element('th', visible(each), _aligned(each)) for each in titles)}</tr></thead><tbody>"
    for path in kept:
        region, share = experiment.call_paths[path].region, float(values[path]) / whole if whole else None
        level = min(experiment.depths[path], _DEEPEST)
        indent = f"{_LEFT}; padding-left: {0.6 + _INDENT * level:.1f}em"
        source = at_line(region.file, region.first_line) if region.file else ""
        cells = [
            _element("td", amount(float(values[path]), metric.unit), _RIGHT),
            _element("td", "" if share is None else percent(100 * share), _bar(share)),
            _element("td", visible(region.name), indent),
            _element("td", source, _LEFT),
        ]
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table>"
    left = len(experiment.call_paths) - len(kept)
    count = len(experiment.locations)
    said = f"{'sum over ' if count > 1 else ''}{many(count, 'location')}"
    yield _element("div", f"{said}; {many(left, 'smaller call path')} left out" if left else said, "opacity: 0.7")


def _metric(experiment: Experiment) -> Metric | None:
    """Return the metric to show in the tree: the default time metric or, without one, the first additive metric.

    None if there is neither.
    """
    name = default_metric(experiment)
    named = [experiment.metric(name)] if name else []
    return next((each for each in (*named, *experiment.metrics) if each.aggregation == "sum"), None)


def _heaviest(experiment: Experiment, values: npt.NDArray[np.float64]) -> list[int]:
    """Return the call paths with the largest values, and their ancestors, in the order of the tree."""
    kept: set[int] = set()
    for path in np.argsort(-np.abs(values), kind="stable")[:_MOST].tolist():
        kept.update((path, *experiment.ancestors(path)))
    return [path for root in experiment.roots for path in experiment.walk(root) if path in kept]


def _bar(share: float | None) -> str:
    filled = 0.0 if share is None else 100 * share
    return f"{_RIGHT}; background: linear-gradient(90deg, {_BAR} {filled:.1f}%, transparent 0)"


def _aligned(title: str) -> str:
    return _LEFT if title in ("region", "source") else _RIGHT


def _element(tag: str, text: str, style: str = "") -> str:
    styled = f' style="{style}"' if style else ""
    return f"<{tag}{styled}>{escape(text)}</{tag}>"
