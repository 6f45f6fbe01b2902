"""Report the results of projection pursuit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import inf
from typing import Any, Final

from ...multivariate.materiality import RULE, matters
from ...runtime.papi.sources import COUNTED_BY_PAPI
from ...timelines.pursuit import IDENTITY, Outcome, Period, Pursuit, PursuitOverTime, Telling
from ..counters import as_typed
from ..metric_space import caveats, names, part_of
from ..report import Cell, Report, Table
from ..units import many, percent, ranks
from .periods import HEADER, period_document, period_row
from .pictures import pictures
from .standing_out import parted, standing_out

__all__ = ["SCHEMA", "pursuit_report"]

SCHEMA: Final = "autoanalyzer.pursuit/1"

_RANKED: Final = 15
_TOLD: Final = 3  # maximum number of metrics in a sentence
_NAMED: Final = 16  # maximum number of ranks, or ranges of ranks, in a list
_LITTLE: Final = 0.05  # a metric adds little if its importance is less than this share of the largest importance


def pursuit_report(
    periods: Sequence[Period],
    state: PursuitOverTime,
    *,
    late: int = 0,
    empty: int = 0,
    unseen: Sequence[int] = (),
) -> Report:
    """Return a report on all periods.

    Args:
        periods: The periods, at least one.
        state: The state of the pursuit after the last period.
        late: Number of samples that arrived after their window was closed.
        empty: Number of windows without samples.
        unseen: Excluded ranks that are not in the trace.
    """
    said = [*_sentences(periods, state), *_caveats(periods, state, late, empty, unseen)]
    tables = [Table("Metrics that show the most structure", HEADER, [period_row(each) for each in periods])]
    if len(periods) == 1 and state.telling:
        tables = [_ranking(state.telling)]
    return Report(
        said,
        tables,
        Table(
            "pursuit",
            ("start", "end", "status", "index", "first", "second", "third", *state.metrics),
            [_row(each, state.metrics) for each in periods],
        ),
        _document(periods, state, late, empty),
        lambda: pictures(periods, state, said),
    )


def _row(period: Period, metrics: Sequence[str]) -> list[Cell]:
    found = period.found
    best: list[Cell] = [*(found.metrics if found else ()), None, None, None]
    importance = {each.metric: each.importance for each in found.ranking} if found else {}
    return [
        period.start,
        period.end,
        period.status,
        found.index if found else None,
        *best[:3],
        *(importance.get(name) for name in metrics),
    ]


def _ranking(telling: Telling) -> Table:
    found = telling.found
    rows: list[tuple[Cell, ...]] = [
        (
            each.metric,
            f"{each.camps:.3g}",
            f"{each.importance:.3g}",
            f"{each.loading:.2f}",
            f"{each.index:.3g}",
            _who(found, each.metric),
        )
        for each in found.ranking[:_RANKED]
    ]
    cut = part_of(len(rows), len(found.ranking), "metric")
    return Table(
        f"Metrics of {found.space.place}, with the most structure first (status: {found.status}"
        f"{f'; {cut}' if cut else ''})",
        ("metric", "camps", "importance", "loading", "index", "locations that stand out"),
        rows,
    )


def _who(found: Pursuit, metric: str) -> str:
    said = _stands_out(found, metric)
    return said.removeprefix(f"{metric}: ") if said else "-"


def _stands_out(found: Pursuit, metric: str) -> str | None:
    """Return a phrase about the few locations, or the smaller camp, that stand out in a metric; None if none do."""
    camp = parted(found) if found.camps and found.camps.metric == metric else None
    return standing_out(found.space, metric) or camp


def _sentences(periods: Sequence[Period], state: PursuitOverTime) -> list[str]:
    telling = state.telling
    if telling is None or not telling.found.worth:
        every = f"all {len(state.metrics)} metrics" if len(state.metrics) > 1 else "the metric"
        return [_nothing(periods), f"Keep recording {every}: none is known to be dispensable."]
    found = telling.found
    start, end = telling.period.start, telling.period.end
    when = f"From {start:.6g} to {end:.6g} s, " if len(periods) > 1 else ""
    show = "shows" if len(found.metrics) == 1 else "show"
    size = f"{found.locations} locations and {many(len(found.space.metrics), 'metric')}"
    said = [f"{when}{names(found.metrics)} {show} the most structure among {size} ({_beyond(found)}){_little(found)}."]
    who = {name: text for name in found.metrics if (text := _stands_out(found, name)) is not None}
    told = [f"{text}{_since(periods, telling.period, name)}" for name, text in who.items() if _wide(found, name)]
    if found.parted:
        said.append(
            f"Metrics that divide the locations into two camps are listed first ({names(found.parted)}), the others by "
            f"importance, {many(len(found.metrics), 'metric')} per projection."
        )
    if told:
        said.append(f"Look at {'; '.join(told)}.")
    elif who:
        said.append(f"None of these differences matters (limits: {RULE}). {_others(found)}")
    else:
        said.append(
            "No small group of locations stands out, because many locations differ; stats kmeans may separate them."
        )
    if len(periods) > 1:
        worth = [each.found for each in periods if each.found and each.found.worth]
        times = Counter(name for each in worth for name in each.metrics)
        listed = ", ".join(f"{name} ({count})" for name, count in times.most_common(5))
        show = "shows" if len(worth) == 1 else "show"
        said.append(f"{len(worth)} of {len(periods)} periods {show} structure, most often in {listed}.")
    return [*said, _saving(state)]


def _wide(found: Pursuit, metric: str) -> bool:
    """Return whether locations differ materially in a metric; True for rates in a trace, which have no limits."""
    space = found.space.along([metric])
    return not space.sources or bool(matters(space, space.values.min(axis=0), space.values.max(axis=0)))


def _others(found: Pursuit) -> str:
    """Return a sentence about locations that stand out in metrics other than the best, or that locations are alike."""
    said = [
        text
        for each in found.ranking[len(found.metrics) :]
        if _wide(found, each.metric) and (text := _stands_out(found, each.metric))
    ]
    return f"Look at {'; '.join(said[:_TOLD])}." if said else "Treat the locations as one group."


def _since(periods: Sequence[Period], telling: Period, metric: str) -> str:
    """Return a phrase with the time for which a metric stayed among the best without interruption.

    A period counts only if some of the same locations stand out.

    Args:
        periods: All periods.
        telling: The period whose result is reported.
        metric: The metric.
    """
    if len(periods) == 1:
        return ""
    at = next(place for place, each in enumerate(periods) if each.start == telling.start)
    first = last = at
    while first > 0 and _alike(periods[first - 1], telling, metric):
        first -= 1
    while last + 1 < len(periods) and _alike(periods[last + 1], telling, metric):
        last += 1
    only = "only " * (first == last)
    end = "the end" if last + 1 == len(periods) and not only else f"{periods[last].end:.6g} s"
    return f", {only}from {periods[first].start:.6g} s to {end}"


def _alike(period: Period, telling: Period, metric: str) -> bool:
    """Return whether a metric was among the best in a period, and some of the same locations stood out.

    Args:
        period: The period.
        telling: The period whose result is reported; its locations are compared with those of ``period``.
        metric: The metric.
    """
    found = period.found
    return bool(found and found.worth and metric in found.metrics and _apart(period) & _apart(telling))


def _apart(period: Period) -> set[int | str]:
    """Return the labels of the locations that are outliers or belong to the smaller camp."""
    found = period.found
    camps = found.camps.smaller if found and found.camps and found.camps.worth else ()
    return {*(found.outliers if found else ()), *camps}


def _beyond(found: Outcome) -> str:
    said = [f"index {found.index:.3g}, by chance up to {found.critical:.3g}"] if found.departs else []
    if found.camps and found.camps.worth:
        said.append(f"camps {found.camps.index:.3g}, by chance up to {found.camps.critical:.3g}")
    return "; ".join(said)


def _little(found: Outcome) -> str:
    """Return a phrase with those of the best metrics that contribute little to the index; empty if there are none."""
    best = found.ranking[: len(found.metrics)]
    least = _LITTLE * max(each.importance for each in best) if found.departs else inf
    little = [each.metric for each in best if each.importance < least and each.metric not in found.parted]
    return f"; {names(little)} add{'s' if len(little) == 1 else ''} little" if little else ""


def _nothing(periods: Sequence[Period]) -> str:
    counted = Counter(each.status for each in periods)
    status, count = counted.most_common(1)[0]
    reason = next(each.reason for each in reversed(periods) if each.status == status)
    if len(periods) == 1:
        return f"No metric stands out: {status} ({reason})."
    often = f"the most frequent status is {status} ({many(count, 'period')}; last reason: {reason})"
    return f"No metric stands out in any of the {len(periods)} periods; {often}."


def _saving(state: PursuitOverTime) -> str:
    record = state.measured(state.selected)
    every = IDENTITY + len(state.measured(state.metrics))
    now, probing = (1 - (IDENTITY + len(each)) / every for each in (record, state.recorded))
    saved = f"{percent(100 * now)} of the fields of each record" if now else "nothing"
    counted = any(state.sources.get(name, "").startswith(COUNTED_BY_PAPI) for name in record)
    if state.sources and not counted:  # a single run records all of these anyway
        return f"The next analysis needs only {as_typed(record, state.sources)}."
    what = f"use autoanalyzer run {as_typed(record, state.sources)}" if counted else f"record {','.join(record)}"
    text = f"Next, {what}: this leaves out {saved}"
    if state.probed:
        turn = f"{many(len(state.probed), 'other metric')} {'is' if len(state.probed) == 1 else 'are'}"
        text += f" ({percent(100 * probing)} if {turn} recorded in turn)"
    if len(state.reduction.course) > 1:
        text += f"; over this trace, the selections left out {percent(100 * state.reduction.share)} of all fields"
    return f"{text}."


def _caveats(
    periods: Sequence[Period], state: PursuitOverTime, late: int, empty: int, unseen: Sequence[int]
) -> list[str]:
    said = _trimmed(periods, state)
    few = [each for each in periods if each.status == "too-few"]
    if few and len(few) < len(periods):
        said.append(f"Too few locations in {many(len(few), 'period')}; in the last of these periods: {few[-1].reason}.")
    if empty:
        said.append(f"Skipped: {many(empty, 'window')} without any sample.")
    if late:
        said.append(f"Left out: {many(late, 'sample')} that arrived after their window was closed.")
    if unseen:
        said.append(f"Excluded, but not in the trace: {ranks(unseen)}.")
    return [*said, *(caveats(state.telling.found.space) if state.telling else [])]


def _trimmed(periods: Sequence[Period], state: PursuitOverTime) -> list[str]:
    """Return a sentence about the points that trimming removed or moved in any period; empty if there are none."""
    how = {"remove": "left out", "log": "moved closer", "sqrt": "moved closer"}.get(state.options.trimming)
    far = [each.found.outliers for each in periods if each.found and each.found.outliers]
    if how is None or not far:
        return []
    labels = sorted({*chain(*far)}, key=lambda label: [int(number) for number in re.findall("[0-9]+", str(label))])
    who = names(labels) if any("#" in str(each) for each in labels) else ranks(labels, _NAMED)
    when = f" in {len(far)} of {len(periods)} periods" if len(periods) > 1 else ""
    return [f"Trimmed{when}: {who} ({how}), far from all other locations."]


def _document(periods: Sequence[Period], state: PursuitOverTime, late: int, empty: int) -> dict[str, Any]:
    reduction = state.reduction
    return {
        "schema": SCHEMA,
        "metrics": list(state.metrics),
        "periods": [period_document(each) for each in periods],
        "selected": list(state.selected),
        "reduction": {
            "records": reduction.records,
            "fields": reduction.fields,
            "kept": reduction.kept,
            "share": reduction.share,
            "course": [list(each) for each in reduction.course],
        },
        "late": late,
        "empty": empty,
    }
