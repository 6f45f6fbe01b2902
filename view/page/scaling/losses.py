"""Show losses as a list, with place, source lines and advice."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ....analyze.scaling import Scaling, ScalingLoss
from ....analyze.scaling.losses import GROWS, IDLE_THREADS, REPLICATED
from ....analyze.verdict import Kind
from ...advice import tries
from ...marks import Html
from ...marks.mark import element, folded, table, text
from ...picture import Picture
from ...place import Place
from ...scaling import advice_on, evidence_of, messages_lines, place_and_title, signed, title_of_loss
from ...source_file import SourceFile
from ...units import seconds
from .efficiency import COLOURS, share

if TYPE_CHECKING:
    from ....advise import Advised
    from ....experiment import Region

__all__ = ["Find", "bar_html", "cause_of", "losses_picture", "place_html"]

Find = Callable[[str], SourceFile]

_ABOVE: Final = 1  # lines of source above a loss's first line
_LINES: Final = 9  # maximum number of lines of source
_REST: Final = "losses that are within the noise, are below 1 % of the run, or cancel each other out"
_BAR: Final = 96  # width in pixels of the bar of the largest loss
_MEANINGS: Final = {  # explanations of words in the evidence
    r"\bon the path\b": "“On the path” is time on the critical path; “mean” is the mean busy time of the ranks.",
    r"\bP\b": "P is the number of ranks.",
}
_CAUSES: Final = {
    REPLICATED: "every rank repeats the same work",
    GROWS: "the total work grows with the number of ranks",
    Kind.ONE_AFTER_ANOTHER: "ranks work one after another",
    Kind.IMBALANCE: "ranks have unequal work",
    Kind.LATE: "other ranks wait for this region",
    Kind.MESSAGES: "small messages take time",
    Kind.TRANSFER: "messages take time",
    Kind.FILE_IO: "file I/O takes time",
    IDLE_THREADS: "threads share the work less evenly than with the fewest ranks",
}


def losses_picture(scaling: Scaling, advised: Advised | None, find: Find | None) -> Picture:
    """Return the list of losses, with place, source lines and advice."""
    ledger, last = scaling.ledger, scaling.series.ranks[-1]
    of = "the critical path" if scaling.is_of_path else "the run"
    *found, rest = ledger.losses
    title = f"Lost at {last} ranks: {seconds(max(ledger.lost, 0.0))} of {seconds(ledger.whole)} ({last} × {of})"
    largest = max((abs(each.rank_seconds) for each in found), default=1.0)
    items = [
        _loss(scaling, each, advised, find, abs(each.rank_seconds) / largest, is_first=not number)
        for number, each in enumerate(found)
    ]
    parts = [element("ol", *items, class_="findings losses")] if items else []
    parts.append(element("p", text(f"not explained: {signed(rest.rank_seconds)} ({_REST})"), class_="remark"))
    parts += [element("p", text(each)) for each in messages_lines(scaling)]
    header = ("kind", "place", "region", "rank-seconds", "share of the loss", "evidence", "advice")
    rows = [
        (
            title_of_loss(each),
            *(place_and_title(each.region) if each is not rest else ("", "")),
            f"{each.rank_seconds:.6g}",
            _share(scaling, each),
            evidence_of(scaling, each) if each is not rest else "",
            advice_on(scaling, each, advised) if each is not rest else "",
        )
        for each in ledger.losses
    ]
    evidence = " ".join(evidence_of(scaling, each) for each in found)
    said = [meaning for word, meaning in _MEANINGS.items() if re.search(word, evidence)]
    made = "".join(parts) + folded("losses as a table", table(header, rows))
    return Picture(title, [Html(made)], [" ".join(said)] if said else [])


def _share(scaling: Scaling, loss: ScalingLoss) -> str:
    """Return a loss as a share of the whole loss; empty if gains offset a part of the losses."""
    lost = scaling.ledger.lost
    return share(loss.rank_seconds / lost) if lost > 0 and lost >= loss.rank_seconds > 0 else ""


def _loss(
    scaling: Scaling, loss: ScalingLoss, advised: Advised | None, find: Find | None, length: float, *, is_first: bool
) -> str:
    kind = title_of_loss(loss)
    colour = COLOURS.get(loss.kind, "grey")
    swatch, bar = bar_html(colour, 12.0, 12), bar_html(colour, length * _BAR, 10, room=_BAR)
    of = _share(scaling, loss)
    amount = element(
        "span", text(f"{signed(loss.rank_seconds)}{f' ({of} of the loss)' if of else ''}"), class_="saving"
    )
    size = element("span", amount, " ", bar, class_="size")
    badge = element("span", text(kind), class_="kind")
    head = element("div", " ".join((swatch, badge, place_html(loss.region), size)))
    evidence = evidence_of(scaling, loss)
    cause = cause_of(scaling, loss)
    lines = [element("p", text(f"{cause}: {evidence}" if evidence and evidence != cause else cause))]
    if said := _try(scaling, loss, advised):
        lines.append(element("p", text(said), class_="try"))
    return element("li", head, *lines, _source(loss, find, is_open=is_first))


def _try(scaling: Scaling, loss: ScalingLoss, advised: Advised | None) -> str:
    found = advised.on(scaling.last.verdict.findings[loss.finding])[:1] if advised and loss.finding is not None else ()
    general = advice_on(scaling, loss, None)
    return tries(found, whole=True)[0] if found else f"try: {general}" if general else ""


def _source(loss: ScalingLoss, find: Find | None, *, is_open: bool) -> str:
    """Return a loss's source lines as HTML that the reader can fold; empty if there is no source."""
    if find is None or loss.region is None or not loss.region.file or loss.region.first_line < 1:
        return ""
    source, region = find(loss.region.file), loss.region
    start = max(region.first_line - _ABOVE, 1)
    end = min(max(region.last_line + _ABOVE, start), start + _LINES - 1, len(source.lines))
    rows = [
        element(
            "span",
            element("span", str(line), class_="number"),
            text(source.lines[line - 1].expandtabs(8)) or " ",
            class_="line marked" if region.first_line <= line <= region.last_line else "line",
        )
        for line in range(start, end + 1)
    ]
    if not rows:
        return element("p", text(source.warning), class_="remark") if source.warning and is_open else ""
    name = Place.of_region(region).source
    body = element("pre", *rows, class_="excerpt", tabindex=0, role="group", aria_label=f"source of {name}")
    warning = element("p", text(source.warning), class_="warning") if source.warning else ""
    return element(
        "details", element("summary", text(f"source: {name}")), warning, body, **({"open": ""} if is_open else {})
    )


def place_html(region: Region | None) -> str:
    """Return a region's place and title as HTML."""
    place, title = place_and_title(region)
    first = element("span", text(place or title), class_="place")
    return element("span", f"{first} {text(title)}" if place else first)


def bar_html(colour: str, width: float, height: int, room: float | None = None) -> str:
    """Return a bar as SVG, at least a pixel wide.

    Args:
        colour: Class in ``marks.css``.
        width: Width in pixels.
        height: Height in pixels.
        room: Width of the picture in pixels; by default the width of the bar.
    """
    width = max(width, 1.0)
    box = element("rect", class_=f"part {colour}", width=width, height=height)
    return element("svg", box, width=room or width, height=height, aria_hidden="true")


def cause_of(scaling: Scaling, loss: ScalingLoss) -> str:
    """Return why a region loses time, as a clause."""
    if loss.kind == GROWS and not loss.by_counts:
        busy = "each rank is" if scaling.mode == "weak" else "all ranks together are"
        return f"{busy} busy longer with more ranks, because work grows or cores are slower"
    if loss.kind == GROWS and scaling.mode == "weak":
        return "the work per rank grows with the number of ranks"
    return _CAUSES.get(loss.kind) or evidence_of(scaling, loss)
