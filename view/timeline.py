"""Report anomalies: which times change, when, on which ranks, in which regions, and with which other metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ..analyze.run.code_regions import caller_of
from .counted_events import counted_events
from .place import Place, visible
from .report import Report, Table
from .units import many, percent, ranks

if TYPE_CHECKING:
    from ..experiment import CallPath
    from ..timelines.anomalies import Anomaly, Companion, Run, Search

__all__ = ["SCHEMA", "change_of", "region_of", "timeline_report"]

SCHEMA: Final = "autoanalyzer.timeline/1"

_NAMED: Final = 4  # maximum number of metrics to name that change with a time
_LEAST: Final = 40  # minimum number of entries and samples; equals _FEWEST * _EACH in timelines/anomalies/pace.py
_HEADER: Final = ("kind", "metric", "start", "end", "ranks", "region", "factor", "strength", "runs", "goes_with")


def timeline_report(runs: Sequence[Run], search: Search) -> Report:
    """Return a report on anomalies.

    Args:
        runs: The searched runs; all times are mapped to the first run.
        search: The result of the search.
    """
    paths = runs[0].trace.call_paths
    rows = [
        [
            each.kind,
            each.metric,
            each.start,
            each.end,
            " ".join(map(str, each.ranks)),
            _region(paths, each.path),
            each.factor,
            each.strength,
            each.runs,
            " ".join(f"{one.metric}:{one.sign}{one.score:.2f}" for one in each.goes_with),
        ]
        for each in search.anomalies
    ]
    counted = sum(not run.timed and run.source not in search.unlike for run in runs)
    timed = many(sum(run.timed and run.source not in search.unlike for run in runs), "run")
    document = {
        "schema": SCHEMA,
        "runs": [run.source for run in runs],
        "anomalies": [_entry(paths, each) for each in search.anomalies],
        "uncertain": [_entry(paths, each) for each in search.uncertain],
        "examined": [_region(paths, path) for path in search.examined],
        "seldom": [_region(paths, path) for path in search.seldom],
        "unlike": list(search.unlike),
    }
    lines = [f"{many(len(search.examined), 'region')} examined entry by entry, in {timed}{_counting(counted)}", ""]
    processes = len({place.process for place in runs[0].trace.locations})
    for number, each in enumerate(search.anomalies, 1):
        lines += _lines(number, each, paths, processes)
    if not search.anomalies:
        lines.append("no change over time was found")
    if search.uncertain:
        lines += [
            "",
            "uncertain, because ranks also began to wait for cores (to decide: more runs, or --counters simulated):",
        ]
    for number, each in enumerate(search.uncertain, len(search.anomalies) + 1):
        lines += _lines(number, each, paths, processes)
    if search.anomalies and len(runs) == 1:
        seen, them = ("this change was", "it") if len(search.anomalies) == 1 else ("changes were", "them")
        lines += ["", f"{seen} seen in only one run; to confirm {them}, repeat the run with autoanalyzer record"]
    if any(each.metric == "compute_time" for each in search.anomalies) and not any(run.counts for run in runs):
        events = counted_events(metric for run in runs for metric in run.trace.metrics)
        unsure = "metrics that accompany a change need not be its cause"
        lines += ["", f"{events} (try --counters simulated), so {unsure}"]
    if search.unlike:
        lines += [
            "",
            f"left out {', '.join(map(visible, search.unlike))}, because no region was entered as often as in "
            f"{visible(runs[0].source)}; use the same input and number of ranks",
        ]
    if search.seldom:
        names = ", ".join(region_of(paths, path) for path in search.seldom)
        lines += ["", f"too few entries or samples to see a change (at least {_LEAST} of each are needed): {names}"]
    return Report(lines, [], Table("anomalies", _HEADER, rows), document, list)


def _counting(count: int) -> str:
    return f", and in {many(count, 'counting run')}" if count else ""


def change_of(each: Anomaly, paths: Sequence[CallPath], processes: int) -> str:
    """Return a line about an anomaly: what changes, in which region, and on which ranks.

    Args:
        each: The anomaly.
        paths: The call paths of the first run.
        processes: The number of processes.
    """
    where = "" if each.path is None else f"{region_of(paths, each.path)}: "
    return f"{where}{', '.join(_change(each, paths))}, on {_on(each, processes)}"


def _on(each: Anomaly, processes: int) -> str:
    if each.threads:
        return ranks([f"{process}.{thread}" for process, thread in each.threads])
    return "all ranks" if len(each.ranks) == processes else ranks(each.ranks)


def _lines(number: int, each: Anomaly, paths: Sequence[CallPath], processes: int) -> list[str]:
    place = "the program"
    if each.path is not None:
        place = f"{Place.of_path(paths, each.path).source}   {region_of(paths, each.path)}"
    said = *_change(each, paths), f"from {each.start:.3g} to {each.end:.3g} s", f"on {_on(each, processes)}"
    kind = each.kind.replace("rank", "thread") if each.threads else each.kind
    lines = [f"{number:2}  {kind.upper()}   {place}", f"    {', '.join(said)}"]
    if each.goes_with:
        lines.append(f"    goes with {', '.join(map(_companion, each.goes_with[:_NAMED]))}")
    return lines


def _change(each: Anomaly, paths: Sequence[CallPath]) -> tuple[str, ...]:
    """Return phrases that describe a change and, if it recurs, how often."""
    if each.kind == "period":
        return (f"file I/O recurs every {each.period:.3g} s and takes {percent(100 * each.factor)} of the time",)
    if each.metric == "resident_memory":
        return (f"memory in use grows by a factor of {each.factor:.3g}",)
    slower = f"{each.factor:.3g} times as long" if each.factor > 1 else f"{percent(100 * each.factor)} as long"
    if each.before is not None:
        event = region_of(paths, each.before)
        return f"each entry takes {slower} just before {event}", f"every {each.period:.3g} s"
    how = {"gradual change": "gradually takes", "level shift": "temporarily takes"}.get(each.kind, "takes")
    return (f"each entry {how} {slower} as before",)


def _companion(each: Companion) -> str:
    return f"{each.metric} ({each.sign}{each.score:.2f})"


def _region(paths: Sequence[CallPath], path: int | None) -> str | None:
    return None if path is None else visible(paths[path].region.name)


def region_of(paths: Sequence[CallPath], path: int) -> str:
    """Return the name of a call path's region, with its caller if there is one."""
    caller = caller_of(paths, path)
    called = f"  ‹ {visible(caller.function or caller.name)}" if caller else ""
    return f"{Place.of_path(paths, path).title}{called}"


def _entry(paths: Sequence[CallPath], each: Anomaly) -> dict[str, object]:
    place = None if each.path is None else Place.of_path(paths, each.path)
    return {
        "kind": each.kind,
        "metric": each.metric,
        "start": each.start,
        "end": each.end,
        "ranks": list(each.ranks),
        "threads": [f"{process}.{thread}" for process, thread in each.threads],
        "region": place and place.name,
        "function": place and place.function,
        "source": place and place.source,
        "factor": each.factor,
        "strength": each.strength,
        "runs": each.runs,
        "period": each.period,
        "before": _region(paths, each.before),
        "goes_with": [
            {"metric": one.metric, "sign": one.sign, "score": one.score, "source": one.source} for one in each.goes_with
        ],
    }
