"""Show how a program scales, as JSON or as text of at most twenty lines and a hundred columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from ..analyze.run.criteria import THRESHOLD
from ..analyze.scaling import NOT_EXPLAINED, Model, Prediction, Scaling, ScalingLoss
from ..analyze.scaling.factors import COMPUTATION, FACTORS
from ..analyze.scaling.losses import GROWS, IDLE_THREADS, REPLICATED
from ..analyze.scaling.models import fitted
from ..analyze.scaling.predictions import models_of
from ..analyze.verdict import Kind
from ..experiment.algebra.history import listed
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
    "ideal_speedup",
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
    "title_of_loss",
    "where",
]

SCHEMA: Final = "autoanalyzer.scale/1"
_MOST_LINES: Final = 20
_WIDTH: Final = 100
_LABEL: Final = 20  # width in columns of a row's name
_CELL: Final = 9
_MOST_RUNS: Final = 7
_FIRST: Final = "   <- falls first"
_EXACT: Final = 0.05  # percent; predictions with smaller errors, which would round to 0.0 %, are called exact
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
    IDLE_THREADS: "use fewer threads per rank, or divide the work into more parts",
}
_TRY_TO_COUNT: Final = "record with --counters simulated, which shows whether work grows or cores are slower"
_NAMES: Final = {"instructions": "instructions", "mpi_bytes_sent": "bytes sent"}
_UNITS: Final = {"instructions": "instructions", "mpi_bytes_sent": "sent"}


def scaling_lines(scaling: Scaling, advised: Advised | None = None) -> list[str]:
    """Return the lines of the verdict on scaling: factors, then losses (largest first), then predictions.

    Args:
        scaling: The result of the analysis.
        advised: Advice from the sources; None if they were not read.
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
        room = max(room + 1, 1)
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
    for line in (f"{title}   {ranks} ranks   {mode_in_words(scaling)}", *summary(scaling)):
        yield from broken(line, _WIDTH)


def mode_in_words(scaling: Scaling) -> str:
    """Return the mode of scaling, its meaning, and how the mode was determined."""
    by = "as given" if scaling.by == "option" else f"by {scaling.by}"
    same = "total work" if scaling.mode == "strong" else "work per rank"
    return f"{scaling.mode} scaling: ideally the same {same} ({by})"


def summary(scaling: Scaling) -> Iterator[str]:
    """Yield a line with efficiency and speedup, then warnings about missing transfer times and instruction counts."""
    first, last, speedup = scaling.series.ranks[0], scaling.series.ranks[-1], scaling.speedups[-1]
    efficiency = scaling.factors["efficiency"][-1]
    than = f"{speedup:.2f} {speed_in_words(scaling)} {many(first, 'rank')} (ideal {ideal_speedup(scaling)})"
    yield f"{last} ranks: efficiency {efficiency:.2f}, {than}"
    if scaling.is_of_path:
        is_known = any(each.oversubscription or each.wait_for_core for each in scaling.series.runs)
        yield (
            f"transfer was not measured, because ranks {'waited' if is_known else 'may have waited'} for cores; the "
            "speedup is that of the critical path"
        )
    if scaling.series.uncounted:
        yield f"instructions were not counted in {listed(scaling.series.uncounted)}, so causes are less certain"


def ideal_speedup(scaling: Scaling) -> str:
    """Return the speedup of perfect scaling as text."""
    ideal = scaling.series.ranks[-1] / scaling.series.ranks[0]
    return f"{ideal:.0f}" if ideal >= 100 else f"{ideal:.3g}"


def speed_in_words(scaling: Scaling) -> str:
    """Return the words between a speedup and the number of ranks with which the largest run is compared."""
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
    """Return the cells of all runs or, if a line has no room for them, those of the first run and of the last runs."""
    return [*cells] if len(cells) <= _MOST_RUNS else [cells[0], *cells[1 - _MOST_RUNS :]]


def _loss(scaling: Scaling, number: int, loss: ScalingLoss) -> str:
    if loss.kind == NOT_EXPLAINED:
        return beside("   not explained", signed(loss.rank_seconds))
    evidence = evidence_of(scaling, loss)
    text = f"{number:>2} {title_of_loss(loss):<18} {where(loss.region)}{f': {evidence}' if evidence else ''}"
    return beside(text, signed(loss.rank_seconds))


def kind_of_loss(kind: str, rank_seconds: float) -> str:
    """Return the name of a kind of loss, such as ``ONE AFTER ANOTHER``; for a gain, ``rank_seconds`` is negative."""
    if kind == Kind.SLOW_CORE and rank_seconds < 0:
        return "FASTER CORES"
    return _KINDS.get(kind, kind.replace("_", " ").upper())


def title_of_loss(loss: ScalingLoss) -> str:
    """Return the name of a loss's kind, with a question mark if the loss is uncertain: ``GROWS?``."""
    return kind_of_loss(loss.kind, loss.rank_seconds) + "?" * loss.is_uncertain


def where(region: Region | None) -> str:
    """Return a region's source location and title: ``rays.c:41  loop in trace``."""
    return "  ".join(filter(None, place_and_title(region)))


def place_and_title(region: Region | None) -> tuple[str, str]:
    """Return a region's source location, ``rays.c:41`` or empty if it is unknown, and its title, ``loop in trace``."""
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
    """Return the evidence for a loss as text, which may be empty."""
    series, paths = scaling.series, list(loss.paths)
    busy = float(series.busy[-1, paths].sum()) / series.ranks[-1]
    base = many(series.ranks[0], "rank")
    if loss.kind == Kind.SLOW_CORE:
        return f"the same instructions take {'more' if loss.rank_seconds > 0 else 'less'} time"
    if loss.kind in (Kind.ONE_AFTER_ANOTHER, Kind.IMBALANCE, Kind.LATE):
        return f"{seconds(float(series.path[-1, paths].sum()))} on the path, mean {seconds(busy)}"
    if loss.kind == IDLE_THREADS:
        usual = busy - loss.rank_seconds / series.ranks[-1]
        return f"slowest threads {seconds(busy)}, {seconds(usual)} if as balanced as at {base}"
    if loss.kind not in (REPLICATED, GROWS):
        return ""
    amounts = series.busy if series.instructions is None else series.instructions
    first, last = (float(amounts[run, paths].sum()) / series.ranks[run] for run in (0, -1))
    if series.instructions is None:
        return f"busy {seconds(last)} per rank ({seconds(first)} at {base})"
    model = fitted(series.ranks, (amounts[:, paths].sum(axis=1) / series.ranks).tolist())
    grown = formula(model) if model else f"{count(first)} to {count(last)}"
    return f"{f'the same {count(last)}' if loss.kind == REPLICATED else grown} instructions per rank"


def _has_advice(loss: ScalingLoss) -> bool:
    return loss.kind in _TRY and loss.rank_seconds > 0


def advice_on(scaling: Scaling, loss: ScalingLoss, advised: Advised | None) -> str:
    """Return the advice for a loss: from the source or, if there is none, general advice for this kind of loss."""
    if advised and loss.finding is not None:
        found = advised.on(scaling.last.verdict.findings[loss.finding])
        if found:
            return found[0].text
    if loss.kind == GROWS and loss.is_uncertain:
        return _TRY_TO_COUNT
    return _TRY[loss.kind] if _has_advice(loss) else ""


def messages_lines(scaling: Scaling) -> Iterator[str]:
    """Yield a line for the region with the most bytes per rank among those whose bytes per rank do not shrink."""
    for each in scaling.messages[:1]:
        (first, last), amounts = each.ranks, each.per_rank
        yield (
            f"bytes per rank do not shrink in {where(each.region)}: {volume(amounts[0])} at "
            f"{many(first, 'rank')}, {volume(amounts[1])} at {last}"
        )


def prediction_lines(scaling: Scaling) -> Iterator[str]:
    """Yield a line with predictions for the largest run, their errors, and predictions for more ranks."""
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
    """Return the value of a count as text, with a unit if it is a number of bytes."""
    return volume(value) if metric == "mpi_bytes_sent" else count(value)


def scaling_document(scaling: Scaling, advised: Advised | None = None) -> dict[str, Any]:
    """Return the result of a scaling analysis as JSON data; values that were not measured are None."""
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
        "messages": [
            {**_place_document(each.region), "ranks": list(each.ranks), "per_rank": list(each.per_rank)}
            for each in scaling.messages
        ],
        "models": [*model_documents(scaling)],
        "predictions": [asdict(each) for each in scaling.predictions],
        "verdict": scaling_lines(scaling, advised),
    }


def _loss_document(scaling: Scaling, loss: ScalingLoss, advised: Advised | None) -> dict[str, Any]:
    return {
        "kind": str(loss.kind),
        **_place_document(loss.region),
        "rank_seconds": loss.rank_seconds,
        "by_counts": loss.by_counts,
        "uncertain": loss.is_uncertain,
        "evidence": evidence_of(scaling, loss),
        "advice": advice_on(scaling, loss, advised),
    }


def _place_document(region: Region | None) -> dict[str, Any]:
    if region is None:
        return {"file": "", "line": 0, "function": ""}
    place = Place.of_region(region)
    return {"file": place.file, "line": place.line, "function": place.function}


def model_documents(scaling: Scaling) -> Iterator[dict[str, Any]]:
    """Yield, as JSON data, the models of counts per rank for each call path with at least 1 % of a count."""
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
    """Return a model as text, with P for the number of ranks: ``5.6e7 + 1.2e8 / P``."""
    written = ""
    for form, coefficient in model.terms:
        amount = count(abs(coefficient)) if abs(coefficient) >= 1 else f"{abs(coefficient):.2g}"
        sign = "-" if coefficient < 0 else "+" if written else ""
        by = "" if form == "1" else " / P" if form == "1/P" else f" * {form}"
        written += f"{f' {sign} ' if written else sign}{amount}{by}"
    return written or "0"
