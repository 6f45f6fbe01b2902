"""Collect the contents of the page that shows an experiment and its findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from ...analyze import Findings
from ...analyze.comparison import compare, metrics_to_compare
from ...errors import InputError
from ...experiment import Experiment
from ...experiment.algebra import Integration, difference, integrate
from ..account import account_picture
from ..advice import find_advice, not_advised
from ..browser import Sums
from ..caveats import TRUST, caveats, how_counted
from ..comparison import comparison_summary
from ..gains import gain_entries, total_gains
from ..picture import picture_html
from ..place import at_line, file_of, visible
from ..source_file import SourceFile
from ..sources import Sources
from ..title import title_of
from ..units import many
from ..verdict import (
    Entry,
    balanced,
    base,
    efficiency,
    entries,
    headline,
    legend,
    master,
    too_short,
    unknown,
)
from .dataset import Dataset, dataset_of
from .document import Page
from .efficiency_strip import efficiency_strip
from .packing import packed
from .rank_bars import change_bars, rank_bars
from .time_lines import Recording, TimeLines, time_lines_of

__all__ = ["Subject", "page_of"]

_SUMS: Final = "Values in the trees are sums over all ranks, for the entire run."
_MEANS: Final = f"{_SUMS} Values in the verdict are means over the ranks, without MPI startup and shutdown."
_MOST_WARNINGS: Final = 20
_SEPARATOR: Final = " · "
_HERE: Final = "this experiment"
_MOST_RANKS: Final = 10_000  # maximum number of locations in an account, which then takes half a second
_MOST_SOURCE: Final = 8 << 20  # maximum number of source characters in a page; a larger page would be hard to send


@dataclass(frozen=True)
class Subject:
    """The experiment that a page shows, with its findings.

    Attributes:
        experiment: A run, or an experiment derived from runs.
        file: The experiment's file.
        findings: The findings; None if the experiment cannot be analysed.
        refusal: Why the experiment cannot be analysed; empty if there are findings.
    """

    experiment: Experiment
    file: Path
    findings: Findings | None
    refusal: str = ""


def page_of(
    subject: Subject,
    *,
    against: tuple[Experiment, str] | None = None,
    folders: Sequence[Path] | None = (),
    counters: str = "",
    tab: str = "",
    recordings: Sequence[Recording] = (),
    advice: bool = True,
    tell: Callable[[str], object] = str,
) -> Page:
    """Return the contents of a page about an experiment.

    Args:
        subject: The experiment with its findings.
        against: Another experiment to compare with, and its name.
        folders: Folders to search first for sources; None to leave sources out.
        counters: HTML of statistics; may be empty.
        tab: The tab that is open at the start; if empty, the tab Compare, or none if nothing is compared.
        recordings: Traces of the run.
        advice: Whether to search the sources for advice, if they are included.
        tell: Progress callback, called with a description of the current activity.
    """
    experiment, file = subject.experiment, subject.file
    clusters = _clusters(subject.findings) if subject.findings else []
    said = _said(subject, folders if advice else None, tell)
    findings = [replace(each, highlight=each.highlight.within(experiment)) for each in said.findings]
    highlights = [each.highlight for each in findings]
    experiments = [dataset_of(experiment, clusters=clusters, highlights=highlights)]
    compared = _compared(experiment, *against) if against else []
    if against:
        experiments.append(_difference(experiment, *against))
    spoken_of = [each.highlight.metric for each in findings if each.highlight.metric is not None]
    times, unread = _times(recordings, experiment, spoken_of)
    measured = file.stat().st_mtime if file.is_file() else None
    sources = [] if folders is None else _sources(experiment, Sources(experiment, file, folders))
    return Page(
        title=f"{title_of(experiment, file)}: autoanalyzer",
        headline=said.headline,
        about=_about(experiment, file, measured),
        findings=findings,
        efficiency=efficiency_strip(subject.findings) if subject.findings else "",
        picture=_picture(subject.findings, experiment, findings),
        verdict=[*compared[:1], *said.lines],
        caveats=[*said.warnings, *unread],
        incomplete=bool(experiment.notes.missing or experiment.notes.unfinished),
        experiments=experiments,
        clusters=clusters,
        sources=sources,
        other=_other(*against, compared[1:]) if against else None,
        basis=_MEANS if subject.findings else _SUMS,
        counters=counters,
        account=_account(subject.findings) if subject.findings else "",
        tab=tab or ("compare" if against else ""),
        times=times,
    )


def _picture(findings: Findings | None, experiment: Experiment, said: Sequence[Entry]) -> str:
    """Return HTML with a bar per rank for the region of the first finding or change; empty if there are no bars."""
    if not said:
        return ""
    found = rank_bars(findings, experiment, said[0]) if findings else change_bars(experiment, said[0])
    return found.html() if found else ""


def _account(findings: Findings) -> str:
    """Return the account as HTML; empty if there are too many locations."""
    if len(findings.experiment.locations) > _MOST_RANKS:
        return ""
    return picture_html(account_picture(findings))


def _times(
    recordings: Sequence[Recording], experiment: Experiment, spoken_of: Sequence[str]
) -> tuple[list[TimeLines], list[str]]:
    """Return the data of traces for the page, and a message for each trace that cannot be read.

    Args:
        recordings: The traces.
        experiment: The profile of the run.
        spoken_of: Metrics that findings name, most important first.
    """
    found, unread = [], []
    for number, each in enumerate(recordings):
        try:
            times = time_lines_of(each, experiment, key=f"time {number}", spoken_of=spoken_of)
        except InputError as error:
            unread.append(f"no time lines of {each.title}: {visible(str(error))}")
        else:
            found += [times] if times else []
    return found, unread


@dataclass(frozen=True)
class _Said:
    """The text of the verdict, which the page shows above the trees."""

    headline: str
    lines: Sequence[str]
    findings: Sequence[Entry]
    warnings: Sequence[str]


def _said(subject: Subject, folders: Sequence[Path] | None, tell: Callable[[str], object]) -> _Said:
    """Return the text of the verdict, or the reason why there is none; for a difference, the largest changes.

    Args:
        subject: The experiment with its findings.
        folders: Folders to search first for sources; None for no advice.
        tell: Progress callback, called with a description of the current activity.
    """
    experiment, findings = subject.experiment, subject.findings
    if findings:
        advised = None if folders is None else find_advice(findings, subject.file, folders=folders, tell=tell)
        besides = not_advised(advised, everything=False) if advised else []
        warnings = caveats(findings, most=_MOST_WARNINGS, besides=besides)
        of_time = [each for each in warnings if each.startswith(TRUST)]  # why wall times are longer than busy times
        lines = [*base(findings), *of_time, *unknown(findings), *efficiency(findings), *master(findings)]
        lines += balanced(findings)
        if findings.verdict.too_short:
            lines = [too_short(), *of_time]
        found = entries(findings, advised, whole=True, highlights=True)
        return _Said(
            _SEPARATOR.join(headline(findings, subject.file)),
            lines,
            found,
            [*(each for each in warnings if each not in of_time), how_counted(findings), *legend(findings)],
        )
    changes = gain_entries(experiment) if experiment.notes.is_difference else []
    what, about = experiment.size, [*experiment.notes.history]
    if changes and about:
        what, *about = about[-1], *about[:-1], experiment.size
    title = _SEPARATOR.join((title_of(experiment, subject.file), what))
    lines = (total_gains(experiment) if experiment.notes.is_difference else []) or [f"No verdict: {subject.refusal}"]
    return _Said(title, lines, changes, [*about, *experiment.notes.remarks])


def _clusters(findings: Findings) -> list[list[int]]:
    """Return the indices of the locations in each cluster of the verdict; empty if there is only one cluster.

    If processes were compared, each cluster contains all threads of its processes.
    """
    labels = findings.vectors.labels
    found: list[list[int]] = [[] for _ in findings.dissimilarity.clusters]
    cluster = {
        str(labels[column]): number for number, each in enumerate(findings.dissimilarity.clusters) for column in each
    }
    for index, place in enumerate(findings.experiment.locations):
        number = cluster.get(f"{place.process}.{place.thread}", cluster.get(str(place.process)))
        if number is not None:
            found[number].append(index)
    return found if len(found) > 1 else []


def _about(experiment: Experiment, file: Path, measured: float | None) -> list[str]:
    """Return lines about the command, the machine, the experiment's file and the time when it was written.

    Args:
        experiment: The experiment.
        file: The experiment's file.
        measured: The time when the file was written, in seconds since 1970; None if it is unknown.
    """
    nodes = dict.fromkeys((place.machine, place.node) for place in experiment.locations)
    where = ", ".join(node if node.startswith(machine) else f"{machine} {node}" for machine, node in [*nodes][:3])
    more = f" and {many(len(nodes) - 3, 'more node')}" if len(nodes) > 3 else ""
    date = f", written {datetime.fromtimestamp(measured, UTC):%Y-%m-%d %H:%M} UTC" if measured is not None else ""
    command = " ".join(experiment.notes.command)
    return [*([command] if command else []), f"on {where}{more}; {file}{date}"]


def _sources(experiment: Experiment, sources: Sources) -> list[SourceFile]:
    """Return the sources of all regions. A source that was not found, or does not fit into the page, has no lines."""
    names = dict.fromkeys(file for path in experiment.call_paths if (file := file_of(path.region)))
    found, room = [], _MOST_SOURCE
    for name in names:
        source = sources.find(name)
        room -= sum(map(len, source.lines))
        if room < 0:
            source = SourceFile(
                name, source.path, (), f"{visible(name)} is left out: the sources are too large for a page"
            )
        found.append(source)
    return found


def _difference(experiment: Experiment, other: Experiment, name: str) -> Dataset:
    """Return the page's data on the difference between another experiment, called ``name``, and this experiment.

    Besides the difference, the data contain the other experiment's sums by call path (``difference before``) and, for
    both experiments, each region's largest exclusive value on any location (``difference most``).
    """
    joined = integrate((other, experiment), labels=(name, _HERE))
    result = _with_lines_of(experiment, joined, difference(other, experiment, joined, of_both=True))
    made = dataset_of(result, key="difference")
    # Values that are unknown in the difference are left out of the other data, too; they would look unchanged.
    regions = {region: number for number, region in enumerate(dict.fromkeys(path.region for path in result.call_paths))}
    before = np.zeros((len(result.metrics), len(result.call_paths)))
    most = np.zeros((len(result.metrics), 2, len(regions)))
    for metric, sums, of_both in zip(result.metrics, before, most, strict=True):
        known = ~np.isnan(result.exclusive(metric.name))
        for side in range(2):
            values = np.nan_to_num(np.where(known, joined.severity(side, metric.name), 0.0))
            by_region = np.zeros((len(regions), len(result.locations)))
            for path, row in zip(result.call_paths, values, strict=True):
                by_region[regions[path.region]] += row
            of_both[side] = by_region.max(axis=1, initial=0.0)
            if side == 0:
                sums[:] = values.sum(axis=1)
    there = joined.folding.rows[1].tolist()  # call path of the experiment → the same call path in the difference
    alike = [
        (regions[pair.right], visible(f"{pair.left.name} {at_line(pair.left.file, pair.left.first_line)}"))
        for pair in joined.alike[1]
        if pair.right in regions
    ]
    more = {"difference before": packed(before, exact=True), "difference most": packed(most, exact=True)}
    return Dataset({**made.head, "there": there, "alike": sorted(alike)}, {**made.numbers, **more}, made.exact)


def _with_lines_of(experiment: Experiment, joined: Integration, result: Experiment) -> Experiment:
    """Return a difference in which regions have the names and lines of an experiment, whose sources the page shows.

    Regions that exist only in the other experiment keep their own. If two regions would become equal, all regions keep
    their own.

    Args:
        experiment: The experiment.
        joined: The other experiment and ``experiment``.
        result: Their difference.
    """
    rows = zip(experiment.call_paths, joined.folding.rows[1].tolist(), strict=True)
    own = {result.call_paths[row].region: path.region for path, row in rows}
    regions = {path.region: own.get(path.region, path.region) for path in result.call_paths}
    if len({*regions.values()}) < len(regions):
        return result
    return result.replaced(call_paths=[replace(each, region=regions[each.region]) for each in result.call_paths])


def _compared(experiment: Experiment, other: Experiment, name: str) -> list[str]:
    """Return sentences on how the program as a whole, and then its regions, changed since another run.

    Empty if the two runs cannot be compared.
    """
    *_, metric = metrics_to_compare([other, experiment])
    try:
        found = compare([other], [experiment], metric=metric, labels=[name, _HERE])
    except InputError:
        return []
    first, *regions = comparison_summary(found)
    return [f"compared with {visible(name)}: {first}", *regions]


def _other(experiment: Experiment, name: str, compared: Sequence[str]) -> dict[str, Any]:
    """Return the name and totals of another experiment, and sentences about changes since then, as JSON data.

    Args:
        experiment: The other experiment.
        name: The other experiment's name.
        compared: The sentences.
    """
    sums = Sums(experiment)
    totals = {metric.name: sums.total(metric.name) for metric in experiment.metrics}
    return {
        "name": visible(name),
        "compared": compared,
        "metrics": [
            {
                "name": metric.name,
                "unit": metric.unit,
                "aggregation": metric.aggregation,
                "total": [float(each[0]) for each in (total.amounts, total.known, total.gaps)],
            }
            for metric, total in ((each, totals[each.name]) for each in experiment.metrics)
        ],
    }
