"""Convert other tools' metrics to our names if their meaning is certain, and refuse experiments that are not runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...errors import InputError
from ...experiment import CallPath, Experiment, Metric
from ...experiment.metric import COUNT_METRICS, ENTRIES, PATH_METRICS, PATH_VISITS, STORED_METRICS, TEAM_TIME
from ...experiment.severities import Severity
from .location_blocks import over_locations
from .summary import summaries, summary

__all__ = ["NOTHING", "SAMPLES", "as_run", "expected_times", "in_own_names", "negative_rank", "replaced", "with_kinds"]

NOTHING: Final = "0"  # replaces time in MPI if no metric provides this time
SAMPLES: Final = "samples"  # unit of times if only numbers of samples are known

# Metrics of the critical path. They keep their own source, which names the original metrics if they are computed.
_PATH: Final = (*PATH_METRICS, PATH_VISITS, TEAM_TIME)
_COMPUTED: Final = {each.name for each in _PATH}
_KNOWN: Final = (*STORED_METRICS, *_PATH, *COUNT_METRICS)
_ADDED: Final = {each.name for each in _KNOWN if each.aggregation == "sum"} - ENTRIES
# Our metric → equivalent metrics of Score-P, Scalasca and CUBE, best first.
_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "visits": ("visits",),
    "wall_time": ("time",),
    "cpu_time": ("execution", "time"),  # ``execution`` excludes idle threads
    "mpi_time": ("mpi",),
    "omp_time": ("omp_time",),
    "mpi_bytes": ("bytes",),
    "mpi_bytes_sent": ("bytes_sent",),
    "mpi_bytes_received": ("bytes_received", "bytes_rcvd"),
}
# Readers of other tools' files already use our names. If only one of two times was measured, it replaces the other.
_INSTEAD: Final = {"wall_time": ("cpu_time",), "cpu_time": ("wall_time",), "mpi_time": ("mpi_cpu_time",)}
# For each of our units, the units that are accepted; some tools give no unit for counts and volumes.
_UNITS: Final = {"sec": {"sec"}, "bytes": {"bytes", ""}, "occ": {"occ", ""}}
_SAID: Final = {
    "wall_time": "wall time",
    "cpu_time": "CPU time",
    "mpi_time": "time in MPI",
    "omp_time": "time in OpenMP",
}
_EXPECTED: Final = {
    "mpi_time": "time in MPI",
    "mpi_bytes": "MPI volume",
    "io_bytes": "I/O volume",
    "instructions": "counts of instructions and misses",
}
_MPI: Final = "MPI_"
_CALLS_OF_MPI: Final = (_MPI, "PMPI_")
_BARRIER: Final = re.compile(r"!\$omp (implicit )?barrier\b")  # names from Opari, which Score-P and Scalasca use
_NO_RUN: Final = {"difference": "a difference", "ratio": "a ratio", "stddev": "a standard deviation"}
# All metrics except parts of volumes, which no analysis uses.
_COMPARED: Final = {each.name for each in (*STORED_METRICS, *COUNT_METRICS) if each.unit != "bytes" or not each.parent}
_LARGEST: Final = 1e100
_SHOWN: Final = 8  # largest number of metrics listed in an error
_ROUNDING: Final = 1e-6  # largest rounding error, relative to a location's time


@dataclass(frozen=True, slots=True)
class _Source:
    """The source of one of our metrics; an empty description means that none exists, and values are 0."""

    words: str
    read: Callable[[], Severity]


def as_run(experiment: Experiment) -> Experiment:
    """Return an experiment that can be analysed: a run whose metrics have our names.

    Raises:
        InputError: Times are negative, or are differences or deviations instead of a run's times; or values are so
            large that sums would overflow.
    """
    times = [each for each in experiment.metrics if each.name in ("wall_time", "cpu_time")] or experiment.metrics
    kinds = [_no_run(each, experiment) for each in times]
    if kinds and all(kinds):
        raise InputError(
            f"expected a run, found {kinds[0]} of runs ({times[0].name}); to see the values: autoanalyzer dump"
        )
    ours = in_own_names(experiment)
    for name in ("wall_time", "cpu_time"):
        if name in ours and (rank := negative_rank(ours, name)) is not None:
            raise InputError(f"expected {name} of a run, found a negative time on rank {rank}")
    _check_sizes(ours)
    return ours


def _check_sizes(experiment: Experiment) -> None:
    """Raise an error for values so large that their sums and squares would overflow."""
    names = [metric.name for metric in experiment.metrics if metric.name in _COMPARED]
    found = summaries(experiment, names)
    for name in names:
        if found[name].largest > _LARGEST:
            raise InputError(f"expected values of {name} up to {_LARGEST:g}, found {found[name].largest:g}")


def _no_run(metric: Metric, experiment: Experiment) -> str | None:
    """Return why a metric's values do not come from a run but, for example, from a difference; None if they do."""
    if not metric.source.startswith("derived:"):
        return None
    last = metric.source.removeprefix("derived:").partition(" ")[0]
    own_name = metric.name.rpartition(".")[2]
    before = [each for each in experiment.notes.derived_by if each == "difference"]
    return next((_NO_RUN[each] for each in (last, own_name, *before) if each in _NO_RUN), None)


def negative_rank(experiment: Experiment, metric: str) -> int | None:
    """Return a rank with a negative value that rounding does not explain; None if there is none."""
    return next((rank for rank in over_locations(experiment, _negative_rank, metric) if rank is not None), None)


def _negative_rank(part: Experiment, _: slice, metric: str) -> int | None:
    values = part.exclusive(metric)
    if not (values < 0).any():
        return None
    with np.errstate(over="ignore"):
        negative = (values < -_ROUNDING * np.nansum(np.abs(values), axis=0)).any(axis=0)
    return part.locations[int(negative.argmax())].process if negative.any() else None


def in_own_names(experiment: Experiment) -> Experiment:
    """Return another tool's experiment with our metrics; an experiment with our metrics is returned unchanged.

    If no time is known but something was sampled, the number of samples replaces time; its unit is ``SAMPLES``. A
    metric without an equivalent is left out, and a warning names it. If there is no time in MPI, the time of regions
    called ``MPI_…``, including everything below them, is used. CPU time is execution time including MPI, because MPI
    libraries poll. Work inside the library below an MPI call is attributed to the call. Barriers of OpenMP count as
    time in OpenMP, even if the tool classifies them differently. If a part of a time was removed, the remaining part
    does not replace that time.
    """
    if "wall_time" in experiment and ("mpi_cpu_time" in experiment or not _is_imported(experiment)):
        return experiment
    sources = _sources(experiment)
    if "wall_time" not in sources:
        return experiment
    counted = experiment.notes.samples if _counted(experiment) == sources["wall_time"].words else {}
    metrics = [
        replace(
            each,
            parent=each.parent if each.parent in sources else None,
            unit=SAMPLES if counted and each.unit == "sec" else each.unit,
            source=_source_of(experiment, each.name, sources),
        )
        for each in _KNOWN
        if each.name in sources
    ]
    taken = {name: sources[name].words for name in _SAID if name in sources}
    said = ", ".join(f"{_SAID[name]} from {words}" for name, words in taken.items() if words not in (name, ""))
    absent = ", ".join(words for name, words in _EXPECTED.items() if name not in sources or not sources[name].words)
    remark = "; ".join(filter(None, [said and f"imported: {said}", f"missing: {absent}" if absent else ""]))
    return experiment.replaced(
        metrics=metrics,
        call_paths=_named_kinds(experiment.call_paths),
        severities=experiment.derived(
            (each.name for each in metrics), lambda of, name: _of_calls(of, name, _sources(of)[name].read())
        ),
        notes=replace(
            experiment.notes,
            remarks=(*([remark] if remark else []), *experiment.notes.remarks),
            samples={
                name: 1.0 if counted else experiment.notes.samples[each.words]
                for name, each in sources.items()
                if each.words in experiment.notes.samples
            },
        ),
    )


def _source_of(experiment: Experiment, name: str, sources: Mapping[str, _Source]) -> str:
    """Return a metric's source; if another time replaces it, in the form ``derived:cpu_time, of imported:TOOL``."""
    if name in _COMPUTED:
        return experiment.metric(name).source
    imported, words = experiment.metrics[0].source, sources[name].words
    instead = {*_INSTEAD.get(name, ()), "", _counted(experiment)}
    if name == "cpu_time":
        instead.add(sources["wall_time"].words)
    is_other = name in _INSTEAD and words != name and words in instead and "imported:" in imported
    return f"derived:{words or NOTHING}, of {imported}" if is_other else imported


def replaced(experiment: Experiment, metric: str) -> str:
    """Return what replaces a time that another tool did not measure: a metric, or ``0``; empty if it was measured."""
    source = experiment.metric(metric).source if metric in experiment else ""
    found = re.fullmatch(r"derived:(.*), of imported:.*", source)
    return found[1] if found else ""


def _is_imported(experiment: Experiment) -> bool:
    return any("imported:" in each.source for each in experiment.metrics)


def _sources(experiment: Experiment) -> dict[str, _Source]:
    found: dict[str, _Source] = {}
    for ours, units in ((each.name, _UNITS[each.unit]) for each in _KNOWN):
        names = (ours, *_NAMES.get(ours, ()), *_INSTEAD.get(ours, ()))
        known = (
            each
            for each in names
            if each in experiment
            and not _lacks_a_better(experiment, each, names)
            and experiment.metric(each).unit in units
            and not _no_run(experiment.metric(each), experiment)
        )
        name = next(known, None) or (None if experiment.notes.left_out.keys() & {*names} else _called(experiment, ours))
        if name is not None:
            found[ours] = _Source(name, lambda name=name: experiment.exclusive(name))  # type: ignore[misc]
    if "wall_time" not in found and (counted := _counted(experiment)):
        worth = experiment.notes.samples[counted]
        found |= {
            each: _Source(counted, lambda: experiment.exclusive(counted) / worth) for each in ("wall_time", "cpu_time")
        }
    if "wall_time" not in found:
        return found
    if "mpi_time" not in found:
        time = found.get("cpu_time", found["wall_time"]).read
        words = "MPI regions" if any(_of_mpi(experiment)) else ""
        found["mpi_time"] = _Source(words, lambda: _in_mpi(experiment, time()))
    _add_barriers(experiment, found)
    for kind in ("mpi", "omp"):
        if f"{kind}_time" in found:
            found.setdefault(f"{kind}_cpu_time", found[f"{kind}_time"])
    parts = [found[name].read for name in ("mpi_bytes_sent", "mpi_bytes_received") if name in found]
    if "mpi_bytes" not in found and parts:
        found["mpi_bytes"] = _Source("bytes", lambda: np.sum([read() for read in parts], axis=0))
    return found


def _counted(experiment: Experiment) -> str | None:
    """Return the metric with the most samples, which replaces time if no time is known; None if nothing was sampled."""
    if any(each.unit == "sec" for each in experiment.metrics):
        return None
    numbers = {
        name: float(summary(experiment, name).sums.sum()) / worth
        for name, worth in experiment.notes.samples.items()
        if name in experiment and worth > 0
    }
    return max(numbers, key=lambda name: numbers[name], default=None)


def _lacks_a_better(experiment: Experiment, name: str, names: Sequence[str]) -> bool:
    """Return whether a better source of a metric was removed, so that the remaining source would be misleading."""
    return any(experiment.notes.left_out.get(each) == name for each in names[: names.index(name)])


def _add_barriers(experiment: Experiment, found: dict[str, _Source]) -> None:
    barriers = np.array([bool(_BARRIER.match(path.region.name)) for path in experiment.call_paths])
    if not barriers.any():
        return
    time, told = found.get("cpu_time", found["wall_time"]).read, found.get("omp_time")
    words = f"{told.words} and barriers" if told else "barriers"
    found["omp_time"] = _Source(words, lambda: np.where(barriers[:, None], time(), told.read() if told else 0.0))


def expected_times(experiment: Experiment, absent: Sequence[str]) -> str | None:
    """Return an error message: the times that another tool's experiment must have, and the metrics that it has.

    None for our own experiments, or if no such time is absent.
    """
    if not _is_imported(experiment):
        return None
    cut = experiment.notes.left_out
    lacking = {name: [each for each in _NAMES[name] if each in cut] or _NAMES[name] for name in absent if name in _SAID}
    if not lacking:
        return None
    wanted = " and ".join(f"{_SAID[name]} ({' or '.join(names)}, in sec)" for name, names in lacking.items())
    found = ", ".join(f"{each.name} ({each.unit or 'no unit'})" for each in experiment.metrics[:_SHOWN])
    parts = {part: cut[part] for names in lacking.values() for part in names if part in cut}
    said = "".join(
        f"; {part} was removed from the file and cannot be derived from {whole}, which also covers other time: repeat"
        " the cut and keep both, or compare by --dissimilarity-metric wall_time"
        for part, whole in parts.items()
    )
    return f"expected {wanted}, found {found}{said}"


def _called(experiment: Experiment, ours: str) -> str | None:
    """Return the name of a metric in seconds that is displayed as ``Time``; None if there is none."""
    if ours not in ("wall_time", "cpu_time"):
        return None
    found = (
        each.name
        for each in experiment.metrics
        if each.display == "Time" and each.unit == "sec" and not _no_run(each, experiment)
    )
    return next(found, None)


def _in_mpi(experiment: Experiment, time: Severity) -> Severity:
    return np.where(np.array(_of_mpi(experiment))[:, None], time, 0.0)


def _of_mpi(experiment: Experiment) -> list[bool]:
    """Return, for each call path, whether it is an MPI call, or below one and therefore inside the library."""
    found: list[bool] = []
    for path in experiment.call_paths:  # parents before children
        found.append((path.parent is not None and found[path.parent]) or path.region.name.startswith(_CALLS_OF_MPI))
    return found


def _of_calls(experiment: Experiment, metric: str, values: Severity) -> Severity:
    """Add values (except visits) below each MPI call to the call itself; ``float64[call path, location]``."""
    of_mpi, calls = _of_mpi(experiment), np.arange(len(experiment.call_paths))
    for index, path in enumerate(experiment.call_paths):  # parents before children
        if path.parent is not None and of_mpi[path.parent]:
            calls[index] = calls[path.parent]
    below = calls != np.arange(len(calls))
    if metric not in _ADDED or not below.any():
        return values
    found = np.where(below[:, None], 0.0, values)
    np.add.at(found, calls[below], values[below])
    return found


def with_kinds(experiment: Experiment) -> Experiment:
    """Return another tool's experiment with MPI functions marked, but no metric renamed; ours is returned unchanged."""
    if "wall_time" in experiment:
        return experiment
    return experiment.replaced(call_paths=_named_kinds(experiment.call_paths))


def _named_kinds(paths: Sequence[CallPath]) -> list[CallPath]:
    """Return the call paths with MPI functions marked, so that MPI_Init and MPI_Finalize do not count as work."""
    return [
        replace(path, region=path.region._replace(kind="mpi"))
        if path.region.name.startswith(_MPI) and path.region.kind != "io"
        else path
        for path in paths
    ]
