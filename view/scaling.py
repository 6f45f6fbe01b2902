"""Show how a program scales, as JSON, or on a terminal in at most twenty lines of at most a hundred columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from ..analyze.run.criteria import THRESHOLD
from ..analyze.scaling import NOT_EXPLAINED, KeptMessages, Model, Prediction, Scaling, ScalingLoss
from ..analyze.scaling.factors import COMPUTATION, FACTORS
from ..analyze.scaling.losses import GROWS, REPLICATED
from ..analyze.scaling.models import fitted
from ..analyze.scaling.predictions import models_of
from ..analyze.verdict import Kind
from ..analyze.verdict.share import places_of
from .lines import broken
from .place import Place, clipped
from .title import title_of
from .units import amount, count, many, percent, seconds, volume

if TYPE_CHECKING:
    from ..advise import Advised
    from ..experiment import Region

__all__ = [
    "SCHEMA",
    "advice_on",
    "beside",
    "counted",
    "error_of",
    "evidence_of",
    "kind_of_loss",
    "messages_lines",
    "mode_in_words",
    "model_documents",
    "place_and_title",
    "prediction_lines",
    "row",
    "scaling_document",
    "scaling_lines",
    "signed",
    "speed_in_words",
    "summary",
    "table_rows",
    "where",
]

SCHEMA: Final = "autoanalyzer.scale/1"
_MOST_LINES: Final = 20
_WIDTH: Final = 100
_LABEL: Final = 20  # width in columns of a row's name
_CELL: Final = 9
_MOST_RUNS: Final = 7
_FIRST: Final = "   <- falls first"
_EXACT: Final = 0.05  # percent; smaller errors are rounded to 0.0, and the prediction is called exact
_KINDS: Final = {
    REPLICATED: "REPLICATED",
    GROWS: "GROWS",
    Kind.FILE_IO: "FILE I/O",
    Kind.SLOW_CORE: "SLOW CORES",
    NOT_EXPLAINED: "not explained",
}
_TRY: Final = {
    REPLICATED: "divide the work among the ranks, and gather the result",
    GROWS: "loop over the relevant ranks only, or give each rank a larger part",
    Kind.ONE_AFTER_ANOTHER: "pass on smaller pieces, or remove the dependence between ranks",
    Kind.IMBALANCE: "divide the work into parts of equal cost",
    Kind.LATE: "do the work after sending the messages that others wait for, or share the work",
    Kind.FILE_IO: "let all ranks read and write together, for example with collective MPI-IO",
    Kind.MESSAGES: "send fewer and larger messages",
    Kind.TRANSFER: "send less, or overlap messages with work",
    Kind.SLOW_CORE: "use fewer ranks per node if memory is the limit",
}
_NAMES: Final = {"instructions": "instructions", "mpi_bytes_sent": "bytes sent"}
_UNITS: Final = {"instructions": "instructions", "mpi_bytes_sent": "sent"}


def scaling_lines(scaling: Scaling, advised: Advised | None = None) -> list[str]:
    """Return the lines of the verdict on scaling: factors, then losses (largest first), then predictions.

    Args:
        scaling: The result of the analysis.
        advised: What to try in the sources; None if they were not read.
    """
    head = [*_head(scaling), "", *(row(name, cells) + _FIRST * falls for name, cells, falls in table_rows(scaling))]
    ledger, series = scaling.ledger, scaling.series
    of = "the critical path" if scaling.is_of_path else "the run"
    head.append(
        f"lost at {series.ranks[-1]} ranks: {seconds(max(ledger.lost, 0.0))} of {seconds(ledger.whole)} "
        f"({series.ranks[-1]} x {of})"
    )
    *found, rest = [_loss(scaling, number, each) for number, each in enumerate(ledger.losses, start=1)]
    end = [part for line in (*messages_lines(scaling), *prediction_lines(scaling)) for part in broken(line, _WIDTH)]
    room = _MOST_LINES - len(head) - len(end) - 1
    if len(found) > room:
        head.remove("")
        room += 1
    if len(found) > room:
        left = ledger.losses[room - 1 : -1]
        more = f"   … and {many(len(left), 'smaller loss')}: --json"
        found = [*found[: room - 1], beside(more, seconds(sum(each.rank_seconds for each in left)))]
    room -= len(found)
    body = []
    for line, each in zip(found, ledger.losses, strict=False):
        body.append(line)
        advice = broken(f"     try: {advice_on(scaling, each, advised)}", _WIDTH) if _has_advice(each) else []
        if len(advice) == room + 1 and "" in head:
            head.remove("")
            room += 1
        if len(advice) <= room:
            body += advice
            room -= len(advice)
    return [*head, *body, rest, *end]


def _head(scaling: Scaling) -> Iterator[str]:
    ranks = ", ".join(map(str, _shown(scaling.series.ranks)))
    title = clipped(title_of(scaling.series.runs[0].experiment, None), _LABEL)
    yield from broken(f"{title}   {ranks} ranks   {mode_in_words(scaling)}", _WIDTH)
    yield from summary(scaling)


def mode_in_words(scaling: Scaling) -> str:
    """Return the mode of scaling, what it means, and what shows it."""
    by = "as given" if scaling.by == "option" else f"by {scaling.by}"
    same = "total work" if scaling.mode == "strong" else "work per rank"
    return f"{scaling.mode} scaling: the same {same} ({by})"


def summary(scaling: Scaling) -> Iterator[str]:
    """Yield a line on efficiency and speedup and, if transfer was not measured, a line that says why."""
    first, last, speedup = scaling.series.ranks[0], scaling.series.ranks[-1], scaling.speedups[-1]
    efficiency = scaling.factors["efficiency"][-1]
    than = f"{speedup:.2f} {speed_in_words(scaling)} {many(first, 'rank')} (ideal {last / first:.3g})"
    yield f"{last} ranks: efficiency {efficiency:.2f}, {than}"
    if scaling.is_of_path:
        yield "transfer was not measured, because ranks waited for cores; the speedup is that of the critical path"


def speed_in_words(scaling: Scaling) -> str:
    """Return what a speedup multiplies, for use between two numbers of ranks."""
    return "times as fast as" if scaling.mode == "strong" else "times the work per second of"


def table_rows(scaling: Scaling) -> Iterator[tuple[str, list[str], bool]]:
    """Yield the rows of the table of factors: name, a cell for each run, and whether this factor falls first."""
    series, factors = scaling.series, scaling.factors
    times = series.judged_times
    yield "ranks", [str(each) for each in series.ranks], False
    yield "critical path" if scaling.is_of_path else "run", [seconds(each) for each in times.tolist()], False
    if most := max(len(each.times) for each in series.repeats) - 1:
        each_size = zip(series.repeats, series.intervals, times.tolist(), strict=True)
        shares = [percent(100 * (high - low) / time) * (len(each.times) > 1) for each, (low, high), time in each_size]
        yield f"range of {most + 1} runs", shares, False
    yield "speedup", [f"{each:.2f}" for each in scaling.speedups], False
    counted = factors["instructions"][0] is not None
    for name in (*FACTORS[:-1], *(() if counted else (COMPUTATION,)), FACTORS[-1]):
        if factors[name][0] is not None:
            cells = ["" if each is None else f"{each:.2f}" for each in factors[name]]
            yield name.replace("_", " "), cells, name == scaling.falls_first


def row(name: str, cells: Sequence[str]) -> str:
    """Return a row of the table: its name, and a cell for each number of ranks."""
    return f"{name:<{_LABEL}}" + "".join(f"{each:>{_CELL}}" for each in _shown(cells))


def _shown(cells: Sequence[Any]) -> list[Any]:
    """Return the cells of all runs; if they do not fit into a line, the cells of the first run and of the last runs."""
    return [*cells] if len(cells) <= _MOST_RUNS else [cells[0], *cells[1 - _MOST_RUNS :]]


def _loss(scaling: Scaling, number: int, loss: ScalingLoss) -> str:
    if loss.kind == NOT_EXPLAINED:
        return beside("   not explained", signed(loss.rank_seconds))
    kind = kind_of_loss(loss.kind, loss.rank_seconds)
    evidence = evidence_of(scaling, loss)
    text = f"{number:>2} {kind:<17}  {where(loss.region)}{f': {evidence}' if evidence else ''}"
    return beside(text, signed(loss.rank_seconds))


def kind_of_loss(kind: str, rank_seconds: float) -> str:
    """Return the word for a kind of loss, such as ``ONE AFTER ANOTHER``; for a gain, ``rank_seconds`` is negative."""
    if kind == Kind.SLOW_CORE and rank_seconds < 0:
        return "FASTER CORES"
    return _KINDS.get(kind, kind.replace("_", " ").upper())


def where(region: Region | None) -> str:
    """Return a region's place and title, ``rays.c:41  loop in trace``."""
    return "  ".join(filter(None, place_and_title(region)))


def place_and_title(region: Region | None) -> tuple[str, str]:
    """Return a region's place, ``rays.c:41``, which is empty if it has no file, and its title, ``loop in trace``."""
    if region is None:
        return "", "all regions"
    place = Place.of_region(region)
    return place.source if place.file else "", place.title


def signed(rank_seconds: float) -> str:
    """Return seconds, which may be negative, as text: ``-1.5 s``."""
    return amount(rank_seconds, "sec")


def beside(text: str, end: str) -> str:
    """Return a line of full width that begins with ``text`` and ends with ``end``."""
    room = _WIDTH - len(end) - 2
    return f"{clipped(text, room):<{room}}  {end}"


def evidence_of(scaling: Scaling, loss: ScalingLoss) -> str:
    """Return the numbers that show a loss, as text; may be empty."""
    series = scaling.series
    paths = [index for index, each in enumerate(series.call_paths) if each.region == loss.region]
    if loss.kind == Kind.SLOW_CORE:
        return f"the same instructions take {'more' if loss.rank_seconds > 0 else 'less'} time"
    if loss.kind in (Kind.ONE_AFTER_ANOTHER, Kind.IMBALANCE, Kind.LATE):
        on_path, mean = _on_path(scaling, loss, paths)
        return f"{seconds(on_path)} on the path, mean {seconds(mean)}"
    if loss.kind not in (REPLICATED, GROWS):
        return ""
    amounts = series.busy if series.instructions is None else series.instructions
    first, last = (float(amounts[run, paths].sum()) / series.ranks[run] for run in (0, -1))
    if series.instructions is None:
        return f"busy {seconds(last)} per rank ({seconds(first)} at {many(series.ranks[0], 'rank')})"
    if loss.kind == REPLICATED:
        return f"the same {count(last)} instructions per rank"
    model = fitted(series.ranks, (amounts[:, paths].sum(axis=1) / series.ranks).tolist())
    return f"{formula(model) if model else f'{count(first)} to {count(last)}'} instructions per rank"


def _on_path(scaling: Scaling, loss: ScalingLoss, paths: Sequence[int]) -> tuple[float, float]:
    """Return two times of a loss's region in the last run: on the critical path, and the mean busy time of the ranks.

    Args:
        scaling: The result of the analysis.
        loss: The loss.
        paths: Indices of the region's call paths.
    """
    series, last = scaling.series, scaling.last
    whole = last.explanation.serialisation
    if whole is None or loss.finding is None:
        return float(series.path[-1, paths].sum()), float(series.busy[-1, paths].sum()) / series.ranks[-1]
    places = places_of(last, last.verdict.findings[loss.finding])
    return float(whole.on_path[places].sum()), float(whole.mean[places].sum())


def _has_advice(loss: ScalingLoss) -> bool:
    return loss.kind in _TRY and loss.rank_seconds > 0


def advice_on(scaling: Scaling, loss: ScalingLoss, advised: Advised | None) -> str:
    """Return what to try against a loss: advice from the source or, without it, general advice on this kind of loss."""
    if advised and loss.finding is not None:
        found = advised.on(scaling.last.verdict.findings[loss.finding])
        if found:
            return found[0].text
    return _TRY[loss.kind] if _has_advice(loss) else ""


def messages_lines(scaling: Scaling) -> Iterator[str]:
    """Yield a line on the region with the most bytes per rank, of all whose bytes do not shrink; nothing if none."""
    for each in scaling.messages[:1]:
        (first, last), amounts = each.ranks, each.per_rank
        yield (
            f"bytes per rank do not shrink in {where(each.region)}: {volume(amounts[0])} at "
            f"{many(first, 'rank')}, {volume(amounts[1])} at {last}"
        )


def prediction_lines(scaling: Scaling) -> Iterator[str]:
    """Yield a line with predictions for the largest run, compared with its measurement, and for more ranks."""
    shown = [each for each in scaling.predictions if each.metric in _UNITS]
    held_out = [each for each in shown if each.measured is not None]
    beyond = [each for each in shown if each.measured is None and each.predicted is not None]
    if not held_out:
        if len(scaling.series.ranks) < 3:
            yield "no prediction, because it needs runs with at least three different numbers of ranks"
        return
    fitted_to = ", ".join(map(str, held_out[0].fitted_to))
    line = f"models fitted to {fitted_to} ranks predict for {held_out[0].ranks} ranks: "
    line += ", ".join(map(_held_out, held_out))
    if beyond:
        amounts = ", ".join(f"{counted(each.metric, each.predicted or 0.0)} {_UNITS[each.metric]}" for each in beyond)
        line += f"; for {beyond[0].ranks} ranks, models fitted to all runs predict {amounts}"
    yield line


def _held_out(each: Prediction) -> str:
    if each.predicted is None:
        name = _NAMES[each.metric]
        return f"{name} unknown, because several models fit" if each.is_unclear else f"no model for {name}"
    return f"{counted(each.metric, each.predicted)} {_UNITS[each.metric]} ({error_of(each)})"


def error_of(prediction: Prediction) -> str:
    """Return the relative error of a prediction as text, ``+1.2 %`` or ``exact``; empty if it cannot be computed."""
    if prediction.predicted is None or not prediction.measured:
        return ""
    error = 100 * (prediction.predicted / prediction.measured - 1)
    return f"{error:+.1f} %" if abs(error) >= _EXACT else "exact"


def counted(metric: str, value: float) -> str:
    """Return the value of a count as text; bytes have a unit."""
    return volume(value) if metric == "mpi_bytes_sent" else count(value)


def scaling_document(scaling: Scaling, advised: Advised | None = None) -> dict[str, Any]:
    """Return the result as JSON data; values that were not measured are None."""
    series, ledger = scaling.series, scaling.ledger
    return {
        "schema": SCHEMA,
        "program": title_of(series.runs[0].experiment, None),
        "runs": list(series.labels),
        "ranks": list(series.ranks),
        "mode": scaling.mode,
        "mode_by": scaling.by,
        "run_time": series.times.tolist(),
        "critical_path": series.lengths.tolist(),
        "repeats": [len(each.times) for each in series.repeats],
        "intervals": [list(each) for each in series.intervals],
        "speedup": list(scaling.speedups),
        "base": "critical_path" if scaling.is_of_path else "run_time",
        "factors": {name: list(values) for name, values in scaling.factors.items()},
        "falls_first": scaling.falls_first,
        "lost": {"rank_seconds": ledger.lost, "of": ledger.whole, "ideal": ledger.ideal},
        "losses": [_loss_document(scaling, each, advised) for each in ledger.losses],
        "messages": [_messages_document(each) for each in scaling.messages],
        "models": [*model_documents(scaling)],
        "predictions": [asdict(each) for each in scaling.predictions],
        "verdict": scaling_lines(scaling, advised),
    }


def _loss_document(scaling: Scaling, loss: ScalingLoss, advised: Advised | None) -> dict[str, Any]:
    place = Place.of_region(loss.region) if loss.region else None
    return {
        "kind": str(loss.kind),
        "file": place.file if place else "",
        "line": place.line if place else 0,
        "function": place.function if place else "",
        "rank_seconds": loss.rank_seconds,
        "by_counts": loss.by_counts,
        "evidence": evidence_of(scaling, loss),
        "advice": advice_on(scaling, loss, advised),
    }


def _messages_document(messages: KeptMessages) -> dict[str, Any]:
    place = Place.of_region(messages.region)
    return {
        "file": place.file,
        "line": place.line,
        "function": place.function,
        "ranks": list(messages.ranks),
        "per_rank": list(messages.per_rank),
    }


def model_documents(scaling: Scaling) -> Iterator[dict[str, Any]]:
    """Yield, as JSON data, the models of counts per rank, for call paths that have at least 1 % of a count."""
    series = scaling.series
    for metric, values in series.counts.items():
        least = THRESHOLD**2 * float(values[-1].sum())
        for path, models in enumerate(models_of(series, metric, len(series.ranks))):
            model = models[0] if models else None
            if float(values[-1, path]) >= least > 0:
                place = Place.of_path(series.call_paths, path)
                yield {
                    "metric": metric,
                    "path": place.path,
                    "file": place.file,
                    "line": place.line,
                    "function": place.function,
                    "per_rank": (values[:, path] / series.ranks).tolist(),
                    "model": None if model is None else dict(model.terms),
                    "formula": None if model is None else formula(model),
                    "models_that_fit": len(models),
                }


def formula(model: Model) -> str:
    """Return a model as text, in which P is the number of ranks: ``5.6e7 + 1.2e8 / P``."""
    written = ""
    for form, coefficient in model.terms:
        amount = count(abs(coefficient)) if abs(coefficient) >= 1 else f"{abs(coefficient):.2g}"
        sign = "-" if coefficient < 0 else "+" if written else ""
        by = "" if form == "1" else " / P" if form == "1/P" else f" * {form}"
        written += f"{f' {sign} ' if written else sign}{amount}{by}"
    return written or "0"
