"""Show the history of a program, and a comparison of new runs with it, as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from ..analyze.history import Changed, History, Judged
from ..experiment import Region
from .comparison import BASES, signed, than
from .place import Place, visible
from .units import amount, many

__all__ = [
    "commit_of",
    "history_document",
    "history_lines",
    "incomparable_lines",
    "judged_lines",
    "name_of_value",
    "title_of_history",
]

_SCHEMA: Final = "autoanalyzer.history/1"
_REGIONS: Final = 3  # maximum number of regions named for a change in the whole program


def history_lines(histories: Sequence[History]) -> list[str]:
    """Return lines about each program: its runs, then each commit that changed a value, with the changes."""
    if not histories:
        return ["no runs"]
    lines: list[str] = []
    for history in histories:
        lines += [*([""] if lines else []), *_lines(history)]
    return lines


def _lines(history: History) -> list[str]:
    first, last = history.runs[0], history.runs[-1]
    spanned = f", commits {first.commit} to {last.commit}" if first.commit and len(history.runs) > 1 else ""
    lines = [visible(f"{title_of_history(history)}: {many(len(history.runs), 'run')}{spanned}")]
    for run, changes in groupby(history.changes, key=lambda each: each.change.run):
        lines.append(visible(f"since {commit_of(history, run)}"))
        lines += _of_commit([*changes])
    if len(lines) == 1:
        lines.append(f"no lasting change in {many(history.series, 'value')}")
    return lines


def _of_commit(changes: Sequence[Changed]) -> list[str]:
    """Return the lines about the changes since a commit.

    If a metric changed in the whole program, there is a line for the program, and one for the regions that changed
    most. For all other metrics, each region has a line.
    """
    lines = []
    for _, alike in groupby(changes, key=lambda each: (each.metric, each.host)):
        whole, *parts = [*alike]
        if whole.region is not None:
            parts, shown = [], [whole, *parts]
        else:
            shown = [whole]
        lines += [f"  {_word(each):8} {_sentence(each)}" for each in shown]
        if parts:
            names = "; ".join(f"{_place(each.region)} {signed(each.change.relative)}" for each in parts[:_REGIONS])
            lines.append(
                f"           in {names}{f'; and {len(parts) - _REGIONS} more' if len(parts) > _REGIONS else ''}"
            )
    return lines


def judged_lines(judged: Sequence[Judged], runs: int) -> list[str]:
    """Return a line for each value that changed in new runs, and a line with the number of unchanged values.

    Args:
        judged: The values in the new runs, compared with the history.
        runs: The number of runs in the history.
    """
    changed = [each for each in judged if each.verdict != "same"]
    lines = []
    for each in changed:
        what = name_of_value(each.metric, each.region)
        now, before = (amount(value, each.unit) for value in (each.now, each.before))
        if each.verdict in ("new", "gone"):
            word, said = each.verdict.upper(), now if each.verdict == "new" else before
        else:
            word = "UNCLEAR" if each.verdict == "unclear" else _change_word(each.unit, each.verdict == "more")
            said = f"{now}, {_compared(each.now / each.before - 1)} {before}"
        more = ": repeat the run" if each.verdict == "unclear" else ""
        lines.append(visible(f"{word:8} {what}: {said}{more}"))
    if rest := len(judged) - len(changed):
        lines.append(f"SAME     {many(rest, 'value')}, compared with {many(runs, 'run')} in the history")
    return lines


def incomparable_lines(earlier: History, later: History) -> list[str]:
    """Return a line with the number of values in new runs that cannot be compared with the history; may be empty."""
    if not (number := earlier.not_comparable(later)):
        return []
    hosts = "" if {*later.hosts} <= {*earlier.hosts} else f", which contains only times from {', '.join(earlier.hosts)}"
    return [visible(f"{many(number, 'value')} without a counterpart in the history{hosts}")]


def history_document(histories: Sequence[History]) -> dict[str, Any]:
    """Return the histories of some programs as JSON data."""
    return {
        "schema": _SCHEMA,
        "programs": [
            {
                "program": visible(each.runs[0].program),
                "command": visible(each.runs[0].command),
                "ranks": each.runs[0].ranks,
                "threads": each.runs[0].threads,
                "runs": [{"commit": visible(run.commit), "added": run.added, "host": run.host} for run in each.runs],
                "changes": [_change(each, changed) for changed in each.changes],
            }
            for each in histories
        ],
        "verdict": history_lines(histories),
    }


def _change(history: History, changed: Changed) -> dict[str, Any]:
    region, change = changed.region, changed.change
    return {
        "run": change.run,
        "commit": visible(history.runs[change.run].commit),
        "metric": changed.metric,
        "unit": changed.unit,
        "host": changed.host,
        "region": "" if region is None else visible(Place.of_region(region).title),
        "file": "" if region is None else visible(region.file),
        "line": 0 if region is None else region.first_line,
        "before": change.before,
        "after": change.after,
        "change": change.relative,
    }


def title_of_history(history: History) -> str:
    """Return the program of a history, with its numbers of ranks and threads."""
    run = history.runs[0]
    threads = f", {many(run.threads, 'thread')}" if run.threads > run.ranks else ""
    return f"{run.program or 'unnamed program'}, {many(run.ranks, 'rank')}{threads}"


def commit_of(history: History, run: int) -> str:
    """Return the commit and the number of a run, from 1; if the commit is unknown, the time when the run was added."""
    commit, number = history.runs[run].commit, f"run {run + 1}"
    return f"commit {commit} ({number})" if commit else f"{number}, added {history.runs[run].added}"


def _word(changed: Changed) -> str:
    return _change_word(changed.unit, changed.change.relative > 0)


def _change_word(unit: str, more: bool) -> str:
    slower, faster = ("SLOWER", "FASTER") if unit == "sec" else ("MORE", "LESS")
    return slower if more else faster


def _sentence(changed: Changed) -> str:
    before, after = (amount(each, changed.unit) for each in (changed.change.before, changed.change.after))
    host = f" on {changed.host}" if changed.host else ""
    compared = _compared(changed.change.relative)
    return visible(f"{name_of_value(changed.metric, changed.region)}: {after}, {compared} {before}{host}")


def _compared(change: float) -> str:
    return than(change) or "the same as"


def name_of_value(metric: str, region: Region | None) -> str:
    """Return a name for a value: ``instructions of the program``, ``the critical path``, ``wall_time of solve``.

    Args:
        metric: The metric.
        region: The region; None for the whole program.
    """
    if region is None and metric in BASES:
        return BASES[metric]
    return f"{metric} of {_place(region)}"


def _place(region: Region | None) -> str:
    return Place.of_region(region).in_words if region else "the program"
