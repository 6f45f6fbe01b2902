"""Collect the contents of the page that shows how the scaling of two versions of a program differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ....analyze.scaling import LossChange, ScalingComparison
from ....analyze.scaling.factors import COMPUTATION, FACTORS
from ...marks import Html
from ...marks.mark import element, folded, table, text, wide
from ...picture import Picture, picture_html
from ...scaling import mode_in_words, place_and_title, signed
from ...scaling_comparison import changed_losses, kind_of_change, lost, summary_of_change
from ...title import title_of
from ...units import many
from ..document import Page
from .efficiency import COLOURS, efficiency_picture
from .factors import number_cells
from .losses import bar_html, place_html
from .page import beside

__all__ = ["scaling_comparison_page"]

_BAR: Final = 220  # width in pixels of the bar of the largest loss


def scaling_comparison_page(found: ScalingComparison) -> Page:
    """Return the contents of a page on how the second version scales, compared with the first."""
    first, second = summary_of_change(found)
    sides = ("before", found.base), ("now", found.other)
    body = (
        beside(*(efficiency_picture(each, f"Efficiency and losses {side}") for side, each in sides)),
        picture_html(_losses(found), level=2),
        picture_html(_factors(found), level=2),
    )
    return Page(
        f"{title_of(found.other.series.runs[0].experiment, None)}: change in scaling",
        f"{found.word.upper()}: {first}",
        [f"runs {side}: {', '.join(each.series.labels)}" for side, each in sides],
        verdict=[second, mode_in_words(found.other)],
        counters="".join(body),
    )


def _losses(found: ScalingComparison) -> Picture:
    """Return the changes of losses, each with a bar per version."""
    changed = changed_losses(found)
    longest = max((abs(amount) for _, each in changed for amount in (each.base, each.other)), default=1.0) or 1.0
    items = [_change(word, each, longest) for word, each in changed]
    same = len(found.changes) - len(changed)
    rows = [
        (
            kind_of_change(each),
            *place_and_title(each.region),
            f"{each.base:.6g}",
            f"{each.other:.6g}",
        )
        for each in found.changes
    ]
    header = ("kind", "place", "region", "rank-seconds before", "rank-seconds now")
    made = "".join(
        (
            element("ol", *items, class_="findings losses") if items else "",
            element("p", text(f"unchanged: {many(same, 'loss')}"), class_="remark") if same else "",
            folded("losses as a table", table(header, rows)) if rows else "",
        )
    )
    title = lost(found)
    return Picture(f"{title[0].upper()}{title[1:]}", [Html(made)])


def _change(word: str, change: LossChange, longest: float) -> str:
    badge = "gain" if change.other < change.base else "loss"
    kind = element("span", text(kind_of_change(change)), class_="kind")
    head = element(
        "div", " ".join((element("span", text(word), class_=f"kind {badge}"), kind, place_html(change.region)))
    )
    bars = " ".join(
        element("div", f"{element('span', side, class_='side')} {_bar(change.kind, amount / longest)} {signed(amount)}")
        for side, amount in (("before", change.base), ("now", change.other))
    )
    return element("li", f"{head} {bars}")


def _bar(kind: str, share: float) -> str:
    return bar_html(COLOURS.get(kind, "grey"), abs(share) * _BAR, 12)


def _factors(found: ScalingComparison) -> Picture:
    """Return a table of all factors, with a row per version; the factor that changed most is marked."""
    ranks = found.base.series.ranks
    titles = element("th", "ranks", scope="col", colspan=2)
    head = element("tr", titles, *number_cells("th", map(str, ranks), scope="col"))
    body = []
    is_counted = all(each.factors["instructions"][0] is not None for each in (found.base, found.other))
    for name in (*FACTORS[:-1], *(() if is_counted else (COMPUTATION,)), FACTORS[-1]):
        before, now = found.base.factors[name], found.other.factors[name]
        if before[0] is None and now[0] is None:
            continue
        badge = f" {element('span', 'changed most', class_='kind')}" if name == found.changed_most else ""
        title = element("th", text(name.replace("_", " ")) + badge, scope="row", rowspan=2)
        class_ = "product" if name == FACTORS[-1] else None
        body.append(element("tr", title, element("td", "before"), *_written(before), class_=class_))
        body.append(element("tr", element("td", "now"), *_written(now), class_=class_))
    made = element("table", element("thead", head), element("tbody", *body), class_="factors")
    return Picture("Factors", [Html(wide(made))], ["If a factor is 1, nothing is lost."])


def _written(values: Sequence[float | None]) -> Iterator[str]:
    return number_cells("td", ("" if each is None else f"{each:.2f}" for each in values))
