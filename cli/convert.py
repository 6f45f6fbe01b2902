"""``autoanalyzer convert``: write an experiment or a trace in another file format."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import UsageError
from ..experiment.export import EXPORTED
from ..experiment.run_folder import TRACE_FILE
from ..view.units import many
from .documents import write_experiment

if TYPE_CHECKING:
    from ..experiment.trace import Trace

__all__ = ["add_arguments", "run"]

_ARCHIVE: Final = ".npz"
_CSV: Final = ".csv"
_OF_TRACES: Final = "time lines are written as .npz, .csv or .perfetto.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "experiment",
        type=Path,
        metavar="INPUT",
        help="an experiment file (CUBE 3 or 4), a trace (trace.npz, traces.otf2), or a run's folder",
    )
    parser.add_argument(
        "output",
        type=Path,
        metavar="OUT",
        help="file to write; the suffix selects the format: .cube, .cube.gz, .xml or .cubex; for time lines, .npz or "
        f".csv; for other tools, {', '.join(EXPORTED)}",
    )
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME",
        help="for other tools: the metric that determines the size of the stacks (default: wall_time, else time, else "
        "cpu_time)",
    )
    parser.add_argument("--sum", action="store_true", help="for other tools: sum over all ranks and threads")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..experiment.export import export_of
    from ..experiment.storage import WRITTEN, check_name
    from ..runs.open_experiment import open_experiment
    from ..runs.pursued_trace import is_trace

    file = arguments.experiment
    if export_of(arguments.output):
        _export(arguments)
        return 0
    if arguments.metric or arguments.sum:
        raise UsageError(f"--metric and --sum apply only to files for other tools ({', '.join(EXPORTED)})")
    if arguments.output.suffix in (_ARCHIVE, _CSV) and (file.is_dir() or is_trace(file)):
        _convert_trace(file, arguments.output)
        return 0
    if not arguments.output.name.endswith(WRITTEN):
        endings = ", ".join((*WRITTEN, *EXPORTED))
        raise UsageError(f"{arguments.output}: expected a name that ends in one of {endings}; {_OF_TRACES}")
    check_name(arguments.output)
    experiment, _ = open_experiment(file)
    write_experiment(experiment, arguments.output)
    return 0


def _export(arguments: argparse.Namespace) -> None:
    """Write a file in the format of another tool, and print what the file contains."""
    from ..experiment.export import export, export_trace, holds_time_lines
    from ..experiment.trace.otf2 import OTF2_SUFFIX
    from ..runs.open_experiment import open_experiment
    from ..runs.pursued_trace import is_trace
    from ..view.place import visible

    file, output = arguments.experiment, arguments.output
    _check_file(output)
    names = dict.fromkeys(arguments.metric)
    if holds_time_lines(output) and (is_trace(file) or (file / TRACE_FILE).exists()):
        if arguments.sum:
            raise UsageError(
                "--sum cannot be used with time lines; to get a profile, convert the run's experiment file instead"
            )
        trace = _opened(file)
        export_trace(trace, output, names)
        _say(output, trace)
        return
    if is_trace(file) and file.suffix.lower() != OTF2_SUFFIX:  # an OTF2 archive is also a profile
        raise UsageError(f"{output}: expected an experiment for this format, found the time lines {file}; {_OF_TRACES}")
    experiment, _ = open_experiment(file)
    metrics = export(experiment, output, names, together=arguments.sum)
    words = visible(metrics[0].name) if len(metrics) == 1 else many(len(metrics), "metric")
    count = many(len(experiment.locations), "location")
    whose = "summed over all locations" if arguments.sum else f"for each of {count}"
    layout = "; a profile laid out as slices, not a time line" if holds_time_lines(output) else ""
    sys.stdout.write(f"wrote {visible(str(output))}: {words}, {whose}{layout}\n")


def _check_file(output: Path) -> None:
    if output.is_dir() or not output.parent.is_dir():
        raise UsageError(f"{output}: cannot be written: expected a file in an existing folder")


def _convert_trace(file: Path, output: Path) -> None:
    """Write a trace as ``.npz`` or CSV, and print its size.

    Raises:
        UsageError: The input is CSV, which has no call paths, or the output cannot be written.
    """
    from ..experiment.trace import save_trace, write_trace

    _check_file(output)
    trace = _opened(file)
    if output.suffix == _CSV:
        write_trace(trace, output)
    else:
        save_trace(trace, output)
    _say(output, trace)


def _opened(file: Path) -> Trace:
    """Return the trace in a file.

    Raises:
        UsageError: The file is CSV, which has no call paths.
    """
    from ..experiment.trace import Trace, open_trace

    trace = open_trace(file)
    if not isinstance(trace, Trace):
        raise UsageError(f"{file}: expected a trace with call paths ({_ARCHIVE} or .otf2), found CSV")
    return trace


def _say(output: Path, trace: Trace) -> None:
    from ..view.place import visible

    samples = many(sum(trace.counts), "sample")
    size = f"{many(len(trace.metrics), 'metric')}, {many(len(trace.locations), 'location')}, {samples}"
    sys.stdout.write(f"wrote {visible(str(output))}: {size}\n")
