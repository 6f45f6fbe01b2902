"""Join the counts of one run with the times of another, because counting distorts all times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...experiment import Experiment, Region
from ...experiment.experiment import Severity
from ...experiment.folding import folded
from ...experiment.metric import COUNT_METRICS, COUNTED_PATH_METRICS
from ...experiment.throttling import folded_paths

__all__ = ["join_counts", "with_ref_cycles"]

_REF_CYCLES: Final = next(metric for metric in COUNT_METRICS if metric.name == "ref_cycles")

_TOLERATED: Final = 0.01
"""The relative difference in visits that is tolerated, because polling loops vary."""

_NAMED: Final = 5  # maximum number of call paths named in a warning; the others are only counted

# Metrics that show whether ranks divided the work differently, and their names in the warning. A loop that takes work
# on demand is entered once, however much work it gets, so its visits do not show the amount of work. The bytes of
# messages show this amount, or the number of calls if requests for work carry no data (one-sided calls, tags). If data
# were sent, the number of calls is ignored, because the number of MPI_Test polls is random.
_WORK: Final = {"visits": "visits", "mpi_bytes": "MPI bytes", "mpi_calls": "MPI calls"}

_Key = tuple[Region, ...]


def join_counts(timing: Experiment, counting: Experiment) -> Experiment:
    """Return the timing run's experiment with the metrics of the counting run.

    Call paths are matched by their regions, locations by process and thread. The counts of a call path that only the
    counting run entered are added to its nearest matched ancestor. A call path that only the timing run entered has no
    counts. Warnings report call paths that only one run entered, and call paths whose visits differ. Call paths folded
    in the timing run are folded in the counting run. If the ranks divided the work differently in the two runs, a
    warning reports it, and ``counts_by_rank`` is False.

    Args:
        timing: The timing run.
        counting: The counting run of the same program, with the same input and number of processes.

    Raises:
        InputError: Nothing was counted, or not for all processes.
    """
    counted = [metric for metric in (*COUNT_METRICS, *COUNTED_PATH_METRICS) if metric.name in counting]
    if not counted:
        raise InputError("expected counts from the counting run, found none")
    lacking = {each.process for each in timing.locations} - {each.process for each in counting.locations}
    if lacking:
        raise InputError(
            f"expected counts of all ranks, found no counts of these ranks: {', '.join(map(str, sorted(lacking)))}"
        )
    counting, paths, strange = _folded_alike(timing, counting)
    columns = _matched_locations(timing, counting)
    severities = {metric.name: timing.exclusive(metric.name) for metric in timing.metrics}
    for metric in counted:
        severities[metric.name] = _moved(counting.exclusive(metric.name), paths, columns, timing)
    done = {}
    for name in _WORK:
        if name in timing and name in counting:
            values = counting.exclusive(name).copy()
            values[strange] = 0  # entries of these call paths must not count as entries of their ancestors
            done[name] = _moved(values, paths, columns, timing)
    exchanged = _exchanged(timing, done)
    remarks = [
        *([exchanged] if exchanged else []),
        *_differing(timing, done["visits"], columns),
        *_entered_only_when_counting(counting, strange),
    ]
    return timing.replaced(
        metrics=[*timing.metrics, *(counting.metric(metric.name) for metric in counted)],
        severities=severities,
        notes=replace(timing.notes, remarks=(*timing.notes.remarks, *remarks), counts_by_rank=not exchanged),
    )


def with_ref_cycles(experiment: Experiment) -> Experiment:
    """Add ``ref_cycles`` to an experiment that has instructions and a clock rate, but no cycles.

    The metric is the CPU time outside MPI, file I/O and OpenMP waiting, times the clock rate. The counts exclude nearly
    the same code: instructions in MPI, in OpenMP and in the kernel, which does most of the file I/O. They include
    instructions of I/O libraries, for example for formatting.
    """
    rate = float(experiment.notes.clocks.get("ticks_per_second", 0))
    if not rate or "instructions" not in experiment or {"cycles", "ref_cycles"} & {m.name for m in experiment.metrics}:
        return experiment
    parts = [name for name in ("mpi_cpu_time", "io_cpu_time", "omp_cpu_time") if name in experiment]
    inside = sum(experiment.exclusive(name) for name in parts)
    cycles = np.maximum(experiment.exclusive("cpu_time") - inside, 0) * rate
    source = f"derived:({'-'.join(['cpu_time', *parts])})*{rate:.4g}"
    severities = {metric.name: experiment.exclusive(metric.name) for metric in experiment.metrics}
    return experiment.replaced(
        metrics=[*experiment.metrics, replace(_REF_CYCLES, source=source)],
        severities={**severities, _REF_CYCLES.name: cycles},
    )


def _keys(experiment: Experiment, roots: Set[Region]) -> list[_Key]:
    """Return the regions that lead to each call path, without the root if it is not in ``roots``."""
    keys: list[_Key] = []
    for path in experiment.call_paths:
        before = () if path.parent is None else keys[path.parent]
        keys.append(before if path.parent is None and path.region not in roots else (*before, path.region))
    return keys


def _matched_paths(timing: Experiment, counting: Experiment) -> tuple[npt.NDArray[np.intp], list[int]]:
    """Return the timing run's index of each call path of the counting run, and the call paths without a match.

    Call paths without a match have the index of their nearest matched ancestor.
    """
    one, other = ({run.call_paths[root].region for root in run.roots} for run in (timing, counting))
    roots = one & other  # the root of a program without probes is named by its file, which may have two names
    known: dict[_Key, int] = {}
    for place, key in enumerate(_keys(timing, roots)):
        known.setdefault(key, place)
    paths = np.zeros(len(counting.call_paths), dtype=np.intp)
    strange = []
    for number, key in enumerate(_keys(counting, roots)):
        if key in known:
            paths[number] = known[key]
        else:
            strange.append(number)
            paths[number] = paths[counting.call_paths[number].parent or 0]
    return paths, strange


def _folded_alike(timing: Experiment, counting: Experiment) -> tuple[Experiment, npt.NDArray[np.intp], list[int]]:
    """Return the counting run with the timing run's folded call paths folded, and the result of ``_matched_paths``."""
    known = folded_paths(timing)
    while True:
        paths, strange = _matched_paths(timing, counting)
        chosen = known[paths]
        chosen[strange] = False
        before, counting = counting, folded(counting, chosen)
        if counting.call_paths == before.call_paths:  # a moved call path may now coincide with a folded one
            return counting, paths, strange


def _matched_locations(timing: Experiment, counting: Experiment) -> npt.NDArray[np.intp]:
    """Return the timing run's column for each location of the counting run, ``intp[location]``.

    It is the column of the same thread, or of the process's first thread; -1 if the process is missing.
    """
    known = {(each.process, each.thread): column for column, each in enumerate(timing.locations)}
    first = {each.process: column for column, each in reversed(list(enumerate(timing.locations)))}
    return np.array(
        [known.get((each.process, each.thread), first.get(each.process, -1)) for each in counting.locations],
        dtype=np.intp,
    )


def _moved(
    values: Severity, paths: npt.NDArray[np.intp], columns: npt.NDArray[np.intp], timing: Experiment
) -> Severity:
    moved = np.zeros((len(timing.call_paths), len(timing.locations)))
    kept = np.flatnonzero(columns >= 0)
    np.add.at(moved, (paths[:, None], columns[kept][None, :]), values[:, kept])
    return moved


def _exchanged(timing: Experiment, counted: Mapping[str, Severity]) -> str | None:
    """Return a warning if ranks divided the work differently in the two runs: totals are equal, but not rank values."""
    processes = np.array([each.process for each in timing.locations])
    ranks = (processes[:, None] == np.unique(processes)).astype(float)
    for name, values in counted.items():
        timed = timing.exclusive(name)
        asked = np.ones(len(timed), dtype=bool)
        if name == "mpi_calls" and "mpi_bytes" in counted:
            asked = (timing.exclusive("mpi_bytes") + counted["mpi_bytes"]).sum(axis=1) == 0
        close = _gap(timed.sum(axis=1), values.sum(axis=1)) <= _TOLERATED
        found = np.flatnonzero(asked & close & np.any(_gap(timed @ ranks, values @ ranks) > _TOLERATED, axis=1))
        if len(found):
            others = f" and {len(found) - 1} more" if len(found) > 1 else ""
            return (
                f"ranks divided the {_WORK[name]} of {_name(timing, int(found[0]))}{others} differently in the counting"
                " run, so do not compare ranks by counts"
            )
    return None


def _differing(timing: Experiment, counted: Severity, columns: npt.NDArray[np.intp]) -> Iterator[str]:
    """Yield warnings about different numbers of threads, and about call paths with different numbers of entries."""
    timed = timing.exclusive("visits")
    if len(columns) != len(timing.locations):
        yield f"numbers of threads differ: {len(timing.locations)} in the timed run, {len(columns)} in the counting run"
    totals = timed.sum(axis=1), counted.sum(axis=1)
    gaps = _gap(*totals)
    unequal = np.flatnonzero(gaps > _TOLERATED)
    for place in unequal[:_NAMED].tolist():
        name = _name(timing, place)
        yield (
            f"{name} was entered {totals[0][place]:.0f} times in the timed run, {totals[1][place]:.0f} times in the "
            "counting run"
        )
    if len(unequal) > _NAMED:
        yield (
            "further call paths that were entered more or less often in the counting run than in the timed run: "
            f"{len(unequal) - _NAMED}"
        )
    close = np.flatnonzero((gaps > 0) & (gaps <= _TOLERATED))
    if len(close):
        yield (
            f"call paths entered up to {gaps[close].max():.1%} more or less often in the counting run than in "
            f"the timed run: {len(close)}"
        )


def _name(experiment: Experiment, place: int) -> str:
    return experiment.path_name(place) or experiment.call_paths[place].region.name


def _gap(one: Severity, other: Severity) -> Severity:
    larger = np.maximum(np.maximum(one, other), 1.0)
    return np.asarray(np.abs(one - other) / larger)


def _entered_only_when_counting(counting: Experiment, strange: list[int]) -> Iterator[str]:
    for number in strange[:_NAMED]:
        yield (
            f"{counting.path_name(number)} was entered only in the counting run, so its counts are attributed to "
            "the enclosing region"
        )
    if len(strange) > _NAMED:
        yield f"further call paths that were entered only in the counting run: {len(strange) - _NAMED}"
