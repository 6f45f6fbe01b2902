"""The export formats, chosen by a file's name, and the metrics that each format can contain."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from ...errors import InputError, UsageError
from ..experiment import Experiment
from ..metric import Metric
from ..trace.time_line import Trace
from .weights import default_metric, metric_of_stacks

__all__ = ["EXPORTED", "Export", "export", "export_of", "export_trace", "holds_time_lines"]


@dataclass(frozen=True, slots=True)
class Export:
    """An export format.

    Attributes:
        suffix: The ending of the names of files in this format.
        title: The format's name in messages.
        module: The module of this package that writes the format.
        function: The name of the function that writes the format.
        several: Whether a file can contain several metrics.
        stacks: Whether a file contains stacks, and therefore only additive metrics.
    """

    suffix: str
    title: str
    module: str
    function: str
    several: bool = False
    stacks: bool = True

    @property
    def write(self) -> Callable[..., None]:
        """The function that writes the format, imported on demand."""
        found: Callable[..., None] = getattr(import_module(f".{self.module}", __package__), self.function)
        return found


_PERFETTO: Final = ".perfetto.json"
_FORMATS: Final = (
    Export(".folded", "folded stacks", "folded", "write_folded"),
    Export(".speedscope.json", "speedscope's JSON", "speedscope", "write_speedscope"),
    Export(_PERFETTO, "Perfetto's JSON", "perfetto_profile", "write_profile_slices"),
    Export(".pb.gz", "pprof's profiles", "pprof", "write_pprof", several=True),
    Export(".jsonl", "JSON lines", "json_lines", "write_json_lines", several=True, stacks=False),
)
EXPORTED: Final = tuple(each.suffix for each in _FORMATS)


def export_of(path: Path) -> Export | None:
    """Return the export format for a file's name; None if there is none."""
    return next((each for each in _FORMATS if path.name.endswith(each.suffix)), None)


def export(experiment: Experiment, path: Path, names: Collection[str] = (), *, together: bool = False) -> list[Metric]:
    """Write an experiment in another tool's format.

    Args:
        experiment: The experiment to write.
        path: The file, whose name ends in one of ``EXPORTED``.
        names: Names of metrics. By default, all metrics that the format supports, or, if a file can contain only one
            metric, the first of ``WEIGHING_TIMES`` that exists.
        together: Whether to add up all ranks and threads.

    Returns:
        The metrics that were written.

    Raises:
        UsageError: Several metrics were given for a format with a single metric, or a metric is not additive.
        InputError: There is no such metric, a value cannot be represented, or the file cannot be written.
    """
    kind = export_of(path)
    assert kind, "the caller checked the file's name"
    if kind.several:
        find = metric_of_stacks if kind.stacks else Experiment.metric
        metrics = [find(experiment, name) for name in names] or _all(experiment, stacks=kind.stacks)
        kind.write(experiment, path, metrics, together=together)
        return metrics
    if len(names) > 1:
        raise UsageError(f"--metric: expected one metric for {kind.title}, found {', '.join(names)}")
    metric = metric_of_stacks(experiment, *names)
    kind.write(experiment, path, metric, together=together)
    return [metric]


def _all(experiment: Experiment, *, stacks: bool) -> list[Metric]:
    """Return all metrics, or all additive metrics for stacks; the default metric for stacks comes first.

    Raises:
        InputError: There is no additive metric for stacks.
    """
    first = default_metric(experiment)
    found = [each for each in experiment.metrics if each.aggregation == "sum" or not stacks]
    if not found:
        raise InputError("stacks need an additive metric, found none; to export other metrics, use .jsonl")
    return sorted(found, key=lambda each: each.name != first)


def holds_time_lines(path: Path) -> bool:
    """Return whether a file with this name can contain time lines."""
    return path.name.endswith(_PERFETTO)


def export_trace(trace: Trace, path: Path, names: Collection[str] = ()) -> None:
    """Write time lines for Perfetto.

    Args:
        trace: The trace to write.
        path: A file for which ``holds_time_lines`` is true.
        names: Names of the metrics to write as counters; all if empty.

    Raises:
        InputError: There is no such metric, or the file cannot be written.
    """
    from .perfetto_time_lines import write_time_lines  # noqa: PLC0415 - most experiments have no time lines

    write_time_lines(trace, path, names or [each.name for each in trace.metrics])
