"""``autoanalyzer scale``: how a program scales, and what stops it, from runs with several numbers of ranks."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..analyze.choices import SCALING_MODES
from ..errors import UsageError
from ..view.terminal import print_verdict
from .documents import add_documents, check_targets, is_output, write_document
from .progress import SHORT, SLOW, stages

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="OUT",
        help="runs of one program, each with another number of ranks: their folders or experiment files",
    )
    parser.add_argument(
        "--mode",
        choices=SCALING_MODES,
        help="strong: the total work stays the same; weak: the work of each rank does (default: what counts show)",
    )
    parser.add_argument("--no-advice", action="store_true", help="do not read the sources for advice")
    add_documents(parser, {"json": "the result as JSON"})


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from ..analyze.scaling import find_scaling, series_of
    from ..runtime.open_experiment import open_experiment
    from ..view.advice import find_advice
    from ..view.scaling import scaling_document, scaling_lines

    check_targets(arguments.runs, json=arguments.json)
    opened = {}
    for path in arguments.runs:
        experiment, file = open_experiment(path)
        if file.resolve() in opened:
            raise UsageError(f"{path}: this run was named before; name each run once")
        opened[file.resolve()] = experiment
    series = series_of([*opened.values()], [str(each) for each in arguments.runs])
    scaling = find_scaling(series, arguments.mode)
    advised = None
    if not arguments.no_advice:
        last = next(file for file, path in zip(opened, arguments.runs, strict=True) if str(path) == series.labels[-1])
        with stages(first=SLOW, after=SHORT) as tell:
            advised = find_advice(scaling.last, last, tell=tell)
    if arguments.json:
        document = scaling_document(scaling, advised)
        write_document(json.dumps(document, indent=1, allow_nan=False).encode() + b"\n", arguments.json)
    print_verdict(scaling_lines(scaling, advised), stderr=is_output(arguments.json))
    return 0
