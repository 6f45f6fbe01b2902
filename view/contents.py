"""Describe the contents of an experiment in lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ..experiment import Experiment, Topology
from ..experiment.file_use import FileUse
from .place import visible
from .units import count, many, ranks, seconds, volume

__all__ = ["contents_lines"]

_FILES: Final = 10


def contents_lines(experiment: Experiment, file: Path) -> Iterator[str]:
    """Yield lines that describe an experiment's contents, without reading values of metrics."""
    return map(visible, _lines(experiment, file))


def _lines(experiment: Experiment, file: Path) -> Iterator[str]:
    notes = experiment.notes
    yield f"{file}"
    if notes.derived_by:
        yield f"derived     by {', '.join(notes.derived_by)}: computed from runs, not a run itself"
    if notes.program or notes.command:
        yield f"program     {notes.program}   {' '.join(notes.command)}".rstrip()
    yield from _system(experiment)
    roots = experiment.roots
    names = ", ".join(experiment.call_paths[root].region.name for root in roots[:4])
    regions = len({path.region for path in experiment.call_paths})
    yield (
        f"call paths  {len(experiment.call_paths)} ({many(regions, 'region')}), "
        f"at most {max(experiment.depths, default=0)} deep, below {names}{' …' if len(roots) > 4 else ''}"
    )
    for topology in experiment.topologies:
        yield f"topology    {_topology(topology)}"
    yield from _notes(experiment)
    yield ""
    yield from _metrics(experiment)


def _system(experiment: Experiment) -> Iterator[str]:
    places = experiment.locations
    processes = sorted({place.process for place in places})
    nodes = {(place.machine, place.node) for place in places}
    machines = sorted({place.machine for place in places})
    yield (
        f"system      {ranks(processes)}; {many(len(places), 'thread')} on {many(len(nodes), 'node')} of "
        f"{', '.join(machines[:4])}{' …' if len(machines) > 4 else ''}"
    )


def _topology(topology: Topology) -> str:
    sizes = " × ".join(
        f"{name + ' ' if name else ''}{size}{' periodic' if periodic else ''}"
        for name, size, periodic in topology.dimensions
    )
    return f"{topology.name or '(no name)'}: {sizes}; coordinates of {many(len(topology.coordinates), 'thread')}"


def _notes(experiment: Experiment) -> Iterator[str]:
    notes = experiment.notes
    if notes.expected_processes is not None:
        yield f"processes   {notes.expected_processes} expected"
    if notes.missing:
        yield f"missing     {ranks(notes.missing)}"
    if notes.unfinished:
        yield f"unfinished  {ranks(notes.unfinished)}"
    if notes.sampled:
        each = seconds(notes.sampled["seconds"])
        yield f"samples     {count(notes.sampled['samples'])}, each of {each} of CPU time"
    yield from _files(notes.files)
    for remark in (*notes.remarks, *(f"not instrumented: {each}" for each in notes.not_instrumented)):
        yield f"warning     {remark}"
    for step in notes.history:
        yield f"history     {step}"


def _files(files: Sequence[FileUse]) -> Iterator[str]:
    """Yield a line for each of the files with the longest I/O time, with time, bytes, calls, processes, and name."""
    for file in files[:_FILES]:
        moved = f"{volume(file.bytes_read)} read, {volume(file.bytes_written)} written"
        by = f"{count(file.calls)} call{'s' * (file.calls != 1)} by {many(file.processes, 'process')}"
        yield f"file        {seconds(file.seconds)}, {moved}, {by}   {file.name or '(others)'}"


def _metrics(experiment: Experiment) -> Iterator[str]:
    depths: dict[str, int] = {}
    for metric in experiment.metrics:
        depths[metric.name] = 0 if metric.parent is None else depths[metric.parent] + 1
    titles = [f"{'  ' * depth}{name}" for name, depth in depths.items()]
    width = max(map(len, titles), default=0)
    yield f"{'metric':<{width}}  unit   source"
    for title, metric in zip(titles, experiment.metrics, strict=True):
        about = metric.display or metric.description
        yield f"{title:<{width}}  {metric.unit or '-':<5}  {metric.source}   {about}".rstrip()
