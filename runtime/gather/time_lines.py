"""Write the trace of a run from the samples in its shards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...experiment.trace import TimeLine, Trace, save_trace
from .merge import Merged
from .own_shards import OwnShards
from .sampled_metrics import SampledMetrics
from .samples import ThreadSamples, read_samples
from .shard import Shard

__all__ = ["save_time_lines"]

_LONG: Final = 10  # intervals; longer samples cause a warning, because the times inside them are unknown


def save_time_lines(merged: Merged, own: OwnShards, path: Path) -> list[str]:
    """Write the trace of a run if its processes took samples.

    Time 0 is the start of the first process, according to the nodes' clocks.

    Args:
        merged: The merged shards.
        own: The shards that this process has read.
        path: The trace's file.

    Returns:
        Warnings about lost samples, long samples, and damaged samples, which are left out.

    Raises:
        InputError: The file cannot be written.
    """
    processes = {process: shard for process, shard in merged.processes.items() if shard.tracing and shard.threads}
    if not processes:
        return []
    lines = _Lines(merged, own, processes)
    trace = Trace(
        metrics=lines.sampled.metrics,
        call_paths=merged.experiment.call_paths,
        locations=[place for place in merged.experiment.locations if place.process in processes],
        counts=(),
        read=_not_yet,
        facts=_facts(merged, processes),
    )
    save_trace(trace, path, lines.all(trace))
    return [*lines.defects, *_said(processes), *lines.long()]


def _not_yet(_location: int) -> TimeLine:
    raise InputError("the trace has not been written yet")


def _facts(merged: Merged, processes: dict[int, Shard]) -> dict[str, object]:
    tracings = [shard.tracing for shard in processes.values() if shard.tracing]
    notes = merged.experiment.notes
    return {
        "program": next(iter(processes.values())).program,
        "command": list(notes.command),
        "interval": max(tracing.interval for tracing in tracings),
        "merged": max(tracing.merged for tracing in tracings),
        "missing": list(notes.missing),
        "unfinished": list(notes.unfinished),
    }


def _said(processes: dict[int, Shard]) -> Iterator[str]:
    tracings = [shard.tracing for shard in processes.values() if shard.tracing]
    if lost := sum(tracing.lost for tracing in tracings):
        yield f"{lost} samples of time lines were lost, because memory ran short; raise --trace-memory"
    if slowed := sum(tracing.slowed > 0 for tracing in tracings):
        yield (
            f"{slowed} of {len(tracings)} processes sampled less often than requested, because samples of many "
            "call paths are expensive"
        )


class _Lines:
    """Makes the time lines one after the other, and collects warnings about them."""

    def __init__(self, merged: Merged, own: OwnShards, processes: dict[int, Shard]) -> None:
        self._merged = merged
        self._own = own
        self._processes = processes
        self._start = min(shard.start_realtime for shard in processes.values())
        self.sampled = SampledMetrics.of(processes.values())
        self.defects: list[str] = []
        self._long: list[tuple[float, int]] = []

    def all(self, trace: Trace) -> Iterator[TimeLine]:
        """Yield the time lines in the order of the trace's locations."""
        process, threads = -1, list[ThreadSamples]()
        for place in trace.locations:
            shard = self._processes[place.process]
            if place.process != process:
                process, threads = place.process, self._read(shard)
            offset = shard.start_realtime - self._start
            places = self._merged.places[place.process, place.thread]
            if place.thread >= len(threads):
                yield _nothing(len(self.sampled.metrics))
                continue
            line = _line(threads[place.thread], self.sampled, places, self._merged.callers, offset)
            if len(line) and shard.tracing:
                own = line.values[:, trace.column("wall_time")] - np.nan_to_num(line.values[:, self._calls(trace)]).sum(
                    axis=1
                )
                self._long.append((float(np.fmax.reduce(own)) / shard.tracing.interval, place.process))
            yield line

    @staticmethod
    def _calls(trace: Trace) -> list[int]:
        return [trace.column(name) for name in ("mpi_time", "io_time", "omp_time")]

    def _read(self, shard: Shard) -> list[ThreadSamples]:
        try:
            return read_samples(self._own.with_nodes(shard))
        except InputError as error:
            self.defects.append(f"{error}; the time lines of this process are left out")
            return []

    def long(self) -> Iterator[str]:
        """Yield a warning about long periods in the program's own code without an event."""
        ratio, process = max(self._long, default=(0.0, 0))
        if ratio > _LONG:
            yield (
                f"the longest sample of a time line lasts {ratio:.0f} sampling intervals, on rank {process}; no "
                "region was entered or left during this sample, so changes within the sample are unknown"
            )


def _nothing(metrics: int) -> TimeLine:
    empty = np.empty(0)
    return TimeLine(
        begin=empty,
        end=empty,
        values=np.empty((0, metrics)),
        first=np.zeros(1, np.intp),
        paths=np.empty(0, np.intp),
        visits=np.empty(0, np.int64),
        seconds=empty,
        computing=empty,
    )


def _line(
    samples: ThreadSamples,
    sampled: SampledMetrics,
    places: npt.NDArray[np.intp],
    callers: Mapping[int, int],
    offset: float,
) -> TimeLine:
    line = TimeLine(
        begin=samples.begin + offset,
        end=samples.end + offset,
        values=sampled.values_of(samples),
        first=samples.first,
        paths=np.where(samples.nodes < 0, -1, places[samples.nodes]),
        visits=samples.visits,
        seconds=samples.seconds,
        computing=samples.computing,
    )
    return _with_callers(line, callers) if callers else line


def _with_callers(line: TimeLine, callers: Mapping[int, int]) -> TimeLine:
    """Move the time of folded call paths to their callers; entries stay with the folded paths."""
    is_folded = np.isin(line.paths, list(callers))
    above = np.array([callers[path] for path in line.paths[is_folded].tolist()], dtype=np.intp)
    samples = np.concatenate([line.samples, line.samples[is_folded]])
    order = np.argsort(samples, kind="stable")

    def given(times: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.concatenate([np.where(is_folded, 0, times), times[is_folded]])[order]

    return replace(
        line,
        first=np.searchsorted(samples[order], np.arange(len(line) + 1)),
        paths=np.concatenate([line.paths, above])[order],
        visits=np.concatenate([line.visits, np.zeros(len(above), np.int64)])[order],
        seconds=given(line.seconds),
        computing=given(line.computing),
    )
