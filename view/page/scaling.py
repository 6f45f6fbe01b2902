"""Collect the contents of the page that shows how a program scales."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ...analyze.run.criteria import THRESHOLD
from ...analyze.scaling import NOT_EXPLAINED, Prediction, Scaling, ScalingLoss, curves, ledgers
from ...analyze.scaling.losses import GROWS, REPLICATED, Ledger
from ...analyze.verdict import Kind
from ..advice import tries
from ..marks import Column, Columns, Curve, Curves, Part
from ..marks.mark import element, folded, table, text, wide
from ..picture import Picture, picture_html
from ..place import Place, visible
from ..scaling import (
    EXACT,
    advice_on,
    evidence_of,
    kind_of_loss,
    messages_lines,
    mode_in_words,
    model_documents,
    prediction_lines,
    signed,
    summary,
    table_rows,
    where,
)
from ..source_file import SourceFile
from ..title import title_of
from ..units import count, percent, seconds, volume
from .document import Page

if TYPE_CHECKING:
    from ...advise import Advised
    from ...experiment import Region

__all__ = ["answer", "scaling_page"]

Find = Callable[[str], SourceFile]

_ABOVE: Final = 1  # lines of source above a loss's first line
_LINES: Final = 7  # maximum number of lines of source
_BAR: Final = 96  # width in pixels of the bar of the largest loss
_COLOURS: Final = {
    REPLICATED: "c0",
    GROWS: "c1",
    Kind.ONE_AFTER_ANOTHER: "c2",
    Kind.IMBALANCE: "c3",
    Kind.LATE: "c4",
    Kind.MESSAGES: "c5",
    Kind.TRANSFER: "c5 less",
    Kind.FILE_IO: "c6",
    Kind.SLOW_CORE: "c7",
    NOT_EXPLAINED: "grey less",
}
_CAUSES: Final = {
    REPLICATED: "every rank repeats the same work",
    GROWS: "the work grows with the number of ranks",
    Kind.ONE_AFTER_ANOTHER: "ranks work one after another",
    Kind.IMBALANCE: "ranks have unequal work",
    Kind.LATE: "other ranks wait for this region",
    Kind.MESSAGES: "small messages take time",
    Kind.TRANSFER: "messages take time",
    Kind.FILE_IO: "file I/O takes time",
}
_FACTORS: Final = {  # what a factor means
    "speedup": "work per second, relative to the first run",
    "load balance": "mean busy time of the ranks / busy time of the busiest rank",
    "serialisation": "busy time of the busiest rank / length of the critical path",
    "transfer": "length of the critical path / time of the run",
    "instructions": "instructions of the first run / instructions of this run",
    "time per instruction": "busy time per instruction in the first run / in this run",
    "computation": "busy time of the first run / busy time of this run",
    "efficiency": "the product of the factors above",
}
_METRICS: Final = {"instructions": "instructions", "mpi_bytes_sent": "bytes sent", "visits": "visits of regions"}


def scaling_page(scaling: Scaling, advised: Advised | None = None, find: Find | None = None) -> Page:
    """Return the contents of a page on how a program scales.

    Args:
        scaling: The result of the analysis.
        advised: What to try in the sources; None if they were not read.
        find: Returns a source file by its name; None to leave sources out.
    """
    experiment = scaling.last.experiment
    labels = ", ".join(scaling.series.labels)
    command = " ".join(experiment.notes.command)
    body = "".join(
        (
            element("div", _factors(scaling), _over_ranks(scaling), class_="lists"),
            picture_html(_losses(scaling, advised, find), level=2),
            element("div", _regions(scaling), _predictions(scaling), class_="lists"),
        )
    )
    return Page(
        f"{title_of(experiment, None)}: scaling",
        answer(scaling),
        [*([command] if command else []), f"runs: {labels}"],
        verdict=[*summary(scaling), mode_in_words(scaling)],
        counters=body,
    )


def answer(scaling: Scaling) -> str:
    """Return a sentence on what limits scaling: the factor that falls first, and the largest loss."""
    last, efficiency = scaling.series.ranks[-1], scaling.factors["efficiency"][-1]
    program = title_of(scaling.series.runs[0].experiment, None)
    fall = ""
    if scaling.falls_first:
        value = scaling.factors[scaling.falls_first][scaling.series.ranks.index(scaling.falls_at or 0)]
        fall = f"the factor {scaling.falls_first.replace('_', ' ')} falls to {value:.2f}"
    if scaling.scales_well:
        although = f", although {fall} at {scaling.falls_at} ranks" if fall else ""
        said = f"{program} scales well up to {last} ranks: efficiency {efficiency:.2f}{although}"
    elif fall:
        said = f"{program} stops scaling well at {scaling.falls_at} ranks, where {fall}"
    else:
        said = f"{program} has an efficiency of {efficiency:.2f} at {last} ranks, but no single factor is below 0.9"
    loss = scaling.largest_loss
    if loss is None:
        return said
    there = f"in {Place.of_region(loss.region).in_words}" if loss.region else "in all regions"
    amounts = seconds(loss.rank_seconds)
    if scaling.ledger.lost >= loss.rank_seconds:
        amounts += f" of {seconds(scaling.ledger.lost)}"
    return f"{said}; the largest loss at {last} ranks, {amounts}, is {there}: {_cause(scaling, loss)}"


@dataclass(frozen=True, slots=True)
class _Html:
    """A mark that is already HTML."""

    made: str

    def html(self) -> str:
        return self.made


def _factors(scaling: Scaling) -> str:
    (_, ranks, _), *rows = table_rows(scaling)
    is_weak = scaling.mode == "weak"
    head = element("tr", element("th", "ranks", scope="col"), *_numbers("th", ranks, scope="col"))
    body = []
    for name, cells, falls in rows:
        badge = f" {element('span', 'falls first', class_='kind loss')}" if falls else ""
        is_factor = name in _FACTORS and name != "speedup"
        values = [
            element("td", text(cell), class_="number low" if is_factor and _is_low(cell) else "number")
            for cell in cells
        ]
        body.append(element("tr", element("th", text(name) + badge, scope="row"), *values, class_=_class(name)))
    made = element("table", element("thead", head), element("tbody", *body), class_="factors")
    named = [name for name, _, _ in rows if name in _FACTORS]
    per_rank = " (both per rank)" if is_weak else ""
    meanings = "".join(
        element("dt", text(name))
        + element("dd", text(f"{_FACTORS[name]}{per_rank if name in ('instructions', 'computation') else ''}"))
        for name in named
    )
    more = folded("what the factors mean", element("dl", meanings))
    said = ["If a factor is 1, nothing is lost. Values below 0.9 are marked."]
    return picture_html(Picture("Factors", [_Html(wide(made) + more)], said), level=2)


def _numbers(name: str, cells: Sequence[str], **attributes: object) -> Iterator[str]:
    for each in cells:
        yield element(name, text(each), class_="number", **attributes)


def _is_low(cell: str) -> bool:
    return bool(cell) and float(cell) < 1 - THRESHOLD


def _class(name: str) -> str | None:
    return "product" if name == "efficiency" else None


def _over_ranks(scaling: Scaling) -> str:
    """Return the picture of efficiency over numbers of ranks, in which losses are stacked above it."""
    found = ledgers(scaling)
    sums = [*map(_by_kind, found)]
    kinds = sorted(
        {kind for each in sums for kind in each} - {NOT_EXPLAINED}, key=lambda kind: -sums[-1].get(kind, 0.0)
    )
    kinds.append(NOT_EXPLAINED)
    parts = [
        Part("efficiency", "useful"),
        *(Part(kind_of_loss(kind, 1.0), _COLOURS.get(kind, "grey")) for kind in kinds),
    ]
    columns = []
    for ranks, ledger, by_kind in zip(scaling.series.ranks, found, sums, strict=True):
        amounts = [ledger.ideal, *(by_kind.get(kind, 0.0) for kind in kinds)]
        shares = [each / ledger.whole for each in amounts]
        columns.append(Column(str(ranks), shares, [*map(_percent, shares)], [signed(each) for each in amounts]))
    of = "its critical path" if scaling.is_of_path else "its run time"
    title = f"share of ranks × {of.removeprefix('its ')}"
    gain = "made up for by faster cores, or not explained"
    picture = Columns(parts, columns, title, "ranks", "rank-seconds", gain)
    said = (
        f"Each column is a run: 100 % is the number of ranks × {of}. Perfect scaling would take only the "
        "efficiency; the rest is lost."
    )
    return picture_html(Picture("Efficiency and losses", [picture], [said]), level=2)


def _percent(share: float) -> str:
    return f"-{percent(-100 * share)}" if share < 0 else percent(100 * share)


def _by_kind(ledger: Ledger) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in ledger.losses:
        found[each.kind] = found.get(each.kind, 0.0) + each.rank_seconds
    return found


def _cause(scaling: Scaling, loss: ScalingLoss) -> str:
    return _CAUSES.get(loss.kind) or evidence_of(scaling, loss)


def _losses(scaling: Scaling, advised: Advised | None, find: Find | None) -> Picture:
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
    parts.append(element("p", text(f"not explained: {signed(rest.rank_seconds)}"), class_="remark"))
    parts += [element("p", text(each)) for each in messages_lines(scaling)]
    header = ("kind", "place", "region", "rank-seconds", "share of the loss", "evidence", "advice")
    rows = [
        (
            kind_of_loss(each.kind, each.rank_seconds),
            Place.of_region(each.region).source if each.region and each.region.file else "",
            Place.of_region(each.region).title if each.region else "",
            f"{each.rank_seconds:.6g}",
            _share(scaling, each),
            evidence_of(scaling, each) if each is not rest else "",
            advice_on(scaling, each, advised) if each is not rest else "",
        )
        for each in ledger.losses
    ]
    said = "“On the path” is a region's time on the critical path; “mean” is the ranks' mean busy time in the region."
    has_path = any("on the path" in evidence_of(scaling, each) for each in found)
    made = "".join(parts) + folded("losses as a table", table(header, rows))
    return Picture(title, [_Html(made)], [said] if has_path else [])


def _share(scaling: Scaling, loss: ScalingLoss) -> str:
    """Return a loss as a share of the whole loss; empty if gains make up for a part of it."""
    lost = scaling.ledger.lost
    return _percent(loss.rank_seconds / lost) if lost > 0 and lost >= loss.rank_seconds > 0 else ""


def _loss(
    scaling: Scaling, loss: ScalingLoss, advised: Advised | None, find: Find | None, share: float, *, is_first: bool
) -> str:
    kind = kind_of_loss(loss.kind, loss.rank_seconds)
    colour = _COLOURS.get(loss.kind, "grey")
    swatch = element(
        "svg", element("rect", class_=f"part {colour}", width=12, height=12), width=12, height=12, aria_hidden="true"
    )
    bar = element(
        "svg",
        element("rect", class_=f"part {colour}", width=max(share * _BAR, 1.0), height=10),
        width=_BAR,
        height=10,
        aria_hidden="true",
    )
    place = where(loss.region).partition("  ")
    name = element("span", text(place[0]), class_="place") + (f" {text(place[2])}" if place[2] else "")
    of = _share(scaling, loss)
    amount = element("span", text(f"{signed(loss.rank_seconds)}{f' ({of})' if of else ''}"), class_="saving")
    size = element("span", amount, " ", bar, class_="size")
    badge = element("span", text(kind), class_="kind")
    head = element("div", " ".join((swatch, badge, element("span", name), size)))
    evidence = evidence_of(scaling, loss)
    cause = _cause(scaling, loss)
    lines = [element("p", text(f"{cause}: {evidence}" if evidence and evidence != cause else cause))]
    if said := _try(scaling, loss, advised):
        lines.append(element("p", text(said), class_="try"))
    return element("li", head, *lines, _source(loss, find, is_open=is_first))


def _try(scaling: Scaling, loss: ScalingLoss, advised: Advised | None) -> str:
    found = advised.on(scaling.last.verdict.findings[loss.finding])[:1] if advised and loss.finding is not None else ()
    general = advice_on(scaling, loss, None)
    return tries(found, whole=True)[0] if found else f"try: {general}" if general else ""


def _source(loss: ScalingLoss, find: Find | None, *, is_open: bool) -> str:
    """Return the source lines of a loss, which the reader can fold; empty if there is no source."""
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
    warning = element("p", text(source.warning), class_="remark warning") if source.warning else ""
    return element(
        "details", element("summary", text(f"source: {name}")), warning, body, **({"open": ""} if is_open else {})
    )


def _regions(scaling: Scaling) -> str:
    """Return the picture of regions' times over numbers of ranks."""
    series = scaling.series
    times = (series.lengths if scaling.is_of_path else series.times).tolist()
    ideal = [
        times[0] * growth * series.ranks[0] / ranks
        for growth, ranks in zip(scaling.growth.tolist(), series.ranks, strict=True)
    ]
    whole = "critical path" if scaling.is_of_path else "run"
    numbers: dict[Region | None, tuple[str, ...]] = {None: (_COLOURS[Kind.TRANSFER],)}
    for number, each in enumerate(scaling.ledger.losses, start=1):
        if each.region:
            numbers.setdefault(each.region, (_COLOURS.get(each.kind, "grey"), str(number)))
    shown = [
        Curve("perfect scaling", ideal, "ideal"),
        Curve(whole, times, "total"),
        *(Curve(_name(each.region), each.seconds, *numbers.get(each.region, ("grey",))) for each in curves(scaling)),
    ]
    said = (
        "Time of regions on the critical path, without nested regions; both axes are logarithmic. If a region scales "
        "perfectly, its line is parallel to the dashed line. Numbers and colours are those of the losses above."
    )
    return picture_html(
        Picture("Regions over ranks", [Curves(series.ranks, shown, "time", "ranks", seconds)], [said]), level=2
    )


def _name(region: Region | None) -> str:
    return where(region).replace("  ", " ") if region else "outside the critical path (messages)"


def _predictions(scaling: Scaling) -> str:
    """Return the predictions of counts: for the largest run, which is held out, and for twice as many ranks."""
    rows = [_prediction(each) for each in scaling.predictions]
    header = ("count", "ranks", "predicted", "measured", "error")
    marks = []
    if rows:
        marks.append(_Html(table(header, rows)))
    models = [
        (_METRICS.get(each["metric"], each["metric"]), visible(each["path"]), each["formula"] or "none that fits")
        for each in model_documents(scaling)
    ]
    if models:
        head = ("count", "call path", "per rank, for P ranks")
        marks.append(_Html(folded("models of each call path, fitted to all runs", table(head, models))))
    said = [] if rows else [*prediction_lines(scaling)]
    if rows:
        said.append(
            "Models without the largest run predict its counts. If they agree to within 3 %, models of all runs "
            "predict the counts of twice as many ranks. Times are not predicted."
        )
    return picture_html(Picture("Predictions", marks, said or ["No count was measured in all runs."]), level=2)


def _prediction(each: Prediction) -> tuple[str, ...]:
    write = volume if each.metric == "mpi_bytes_sent" else count
    error = ""
    if each.predicted is not None and each.measured:
        percentage = 100 * (each.predicted / each.measured - 1)
        error = f"{percentage:+.1f} %" if abs(percentage) >= EXACT else "exact"
    unknown = "several models fit" if each.is_unclear else "no model fits"
    return (
        _METRICS.get(each.metric, each.metric),
        str(each.ranks),
        unknown if each.predicted is None else write(each.predicted),
        "not run" if each.measured is None else write(each.measured),
        error,
    )
