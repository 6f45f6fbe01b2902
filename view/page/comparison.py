"""Collect the contents of the page that compares two sets of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...analyze.comparison import Comparison, Judgement
from ..comparison import TITLES, base_first, basis, comparison_rows, headline, one_sided, outcome, remarks, signed
from ..marks import Html
from ..marks.mark import element, text, wide
from ..picture import Picture, picture_html
from ..place import visible
from ..title import title_of
from .document import Page

__all__ = ["comparison_page"]

_WIDE: Final = 240  # width of the picture of a change in pixels
_HIGH: Final = 12
_MOST: Final = 1.0  # the scale ends at the largest change, but not beyond this relative change
_LEAST: Final = 0.01
_COLOURS: Final = {"slower": "c1", "faster": "c0"}  # classes in marks.css
_BADGES: Final = {"slower": "loss", "faster": "gain"}  # classes in page.css


def comparison_page(comparisons: Sequence[Comparison]) -> Page:
    """Return the contents of a page on comparisons of the same runs by several metrics."""
    first, *others = ordered = base_first(comparisons)
    labels, count = first.joined.labels, first.runs[0]
    said = element("ul", *(element("li", text(each)) for each in remarks(comparisons)), class_="caveats")
    return Page(
        f"{title_of(first.joined.operands[-1], None)}: comparison",
        f"{outcome(first).upper()}: {headline(first)}",
        [f"{side} runs: {', '.join(of)}" for side, of in (("base", labels[:count]), ("new", labels[count:]))],
        verdict=[f"{outcome(each).upper()} by {visible(each.metric)}: {headline(each)}" for each in others],
        counters="".join([*(picture_html(_picture(each), level=2) for each in ordered), said]),
    )


def _picture(comparison: Comparison) -> Picture:
    """Return a table of the program and the judged regions, with a picture of each change."""
    rows = comparison_rows(comparison)
    reach = _reach([each for each, _ in rows])
    ends = f"{signed(-reach, 0)} to {signed(reach, 0)}"
    titles = [element("th", text(each), scope="col") for each in ("region", *TITLES[1:], ends)]
    body = [
        element(
            "tr",
            element("th", text(title), scope="row"),
            *(element("td", text(each), class_="number") for each in numbers),
            element("td", element("span", text(verdict.upper()), class_=f"kind {_BADGES.get(verdict, '')}".strip())),
            element("td", _interval(each, reach)),
        )
        for each, (title, *numbers, verdict) in rows
    ]
    made = wide(element("table", element("thead", element("tr", *titles)), element("tbody", *body), class_="bars"))
    return Picture(comparison.metric, [Html(made)], [basis(comparison)], one_sided(comparison))


def _reach(judgements: Sequence[Judgement]) -> float:
    """Return the relative change at the ends of the scale."""
    shifts = [each.shift for each in judgements]
    known = (abs(each) for found in shifts for each in (found.change, found.low, found.high) if each is not None)
    return min(_MOST, max(_LEAST, *known))


def _interval(judgement: Judgement, reach: float) -> str:
    """Return a picture of a change: a bar for its confidence interval, and lines at the change and at 0."""
    found = judgement.shift

    def place(change: float) -> float:
        return _WIDE * (1 + max(-1.0, min(1.0, change / reach))) / 2

    colour = _COLOURS.get(judgement.verdict, "grey")
    parts = [element("rect", class_="part grey less", x=_WIDE / 2 - 0.5, width=1, height=_HIGH)]
    if found.low is not None and found.high is not None:
        left, right = place(found.low), place(found.high)
        parts.append(
            element("rect", class_=f"part less {colour}", x=left, y=3, width=max(1.0, right - left), height=_HIGH - 6)
        )
    parts.append(element("rect", class_=f"part {colour}", x=place(found.change) - 1.5, width=3, height=_HIGH))
    return element("svg", *parts, width=_WIDE, height=_HIGH, aria_hidden="true")
