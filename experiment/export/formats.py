"""Which format a file is written in, by its name, and what each of them holds."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from ...errors import UsageError
from ..experiment import Experiment
from ..metric import Metric
from ..trace.time_line import Trace
from .weights import metric_of_stacks

__all__ = ["EXPORTED", "Export", "export", "export_of", "export_trace", "holds_time_lines"]


@dataclass(frozen=True, slots=True)
class Export:
    """A format.

    Attributes:
        suffix: How its files are named.
        title: What it is.
        module: Of this package, and in it the function that writes it.
        function: Likewise.
    """

    suffix: str
    title: str
    module: str
    function: str

    @property
    def write(self) -> Callable[..., None]:
        """What writes it, imported when it is asked for."""
        found: Callable[..., None] = getattr(import_module(f".{self.module}", __package__), self.function)
        return found


_PERFETTO: Final = ".perfetto.json"
_FORMATS: Final = (
    Export(".folded", "folded stacks", "folded", "write_folded"),
    Export(".speedscope.json", "speedscope's JSON", "speedscope", "write_speedscope"),
    Export(_PERFETTO, "Perfetto's JSON", "perfetto_profile", "write_profile_slices"),
)
EXPORTED: Final = tuple(each.suffix for each in _FORMATS)


def export_of(path: Path) -> Export | None:
    """Tell which format a file is to be written in; None if it is none of another tool."""
    return next((each for each in _FORMATS if path.name.endswith(each.suffix)), None)


def export(experiment: Experiment, path: Path, names: Collection[str] = (), *, together: bool = False) -> list[Metric]:
    """Write an experiment as a file of another tool.

    Args:
        experiment: Any.
        path: Its name ends in one of ``EXPORTED``.
        names: The metric, by its name; wall time if there is none.
        together: Whether all ranks and threads become one.

    Returns:
        The metrics that were written.

    Raises:
        UsageError: Several metrics were named, or one does not add up.
        InputError: There is no such metric, a value does not fit, or the file cannot be written.
    """
    kind = export_of(path)
    assert kind, "the name says which"
    if len(names) > 1:
        raise UsageError(f"--metric: expected one metric in {kind.title}, found {', '.join(names)}")
    metric = metric_of_stacks(experiment, *names)
    kind.write(experiment, path, metric, together=together)
    return [metric]


def holds_time_lines(path: Path) -> bool:
    """Tell whether a file of this name shows time lines, if there are any."""
    return path.name.endswith(_PERFETTO)


def export_trace(trace: Trace, path: Path, names: Collection[str] = ()) -> None:
    """Write time lines for Perfetto.

    Args:
        trace: Any.
        path: Its name ends as ``holds_time_lines`` says.
        names: Metrics that become counters; all if there are none.

    Raises:
        InputError: There is no such metric, or the file cannot be written.
    """
    from .perfetto_time_lines import write_time_lines  # noqa: PLC0415 - most experiments have none

    write_time_lines(trace, path, names or [each.name for each in trace.metrics])
