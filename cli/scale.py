"""``autoanalyzer scale``: show how a program scales, and what limits it, from runs with different numbers of ranks."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..analyze.choices import SCALING_MODES
from ..errors import UsageError
from ..view.terminal import print_verdict
from .documents import add_documents, check_targets, is_output, write_document
from .progress import SHORT, SLOW, stages
from .studies import runs_of_study
from .trace_arguments import number_above_0

if TYPE_CHECKING:
    from ..advise import Advised
    from ..analyze.scaling import Scaling

__all__ = ["add_arguments", "run"]

_COUNTERS: Final = ("auto", "papi", "simulated", "none")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = (
        "autoanalyzer scale [options] OUT...\n"
        "       autoanalyzer scale [options] -o DIR --ranks N,N,... -- mpirun -n {ranks} ./app [argument ...]"
    )
    parser.add_argument(
        "words",
        nargs="+",
        metavar="OUT",
        help="runs of one program, each with a different number of ranks: their folders or experiment files, or the "
        "folder of an earlier series; with --ranks, the command to run",
    )
    parser.add_argument(
        "--mode",
        choices=SCALING_MODES,
        help="strong: the total work is constant; weak: the work per rank is constant (default: inferred from "
        "instruction or visit counts)",
    )
    parser.add_argument("--no-advice", action="store_true", help="omit the advice that is based on the source code")
    add_documents(parser, {"json": "the result as JSON", "html": "a self-contained HTML page"})
    series = parser.add_argument_group("to record the runs first")
    series.add_argument(
        "--ranks",
        type=_numbers,
        metavar="N,N,…",
        help="run the command with each of these numbers in place of {ranks}; runs already in the folder are not "
        "repeated",
    )
    series.add_argument(
        "--repeat",
        type=number_above_0,
        metavar="N",
        help="run the program N times with each number of ranks (default: 1); the run with the median time is used",
    )
    series.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="folder for the runs, each in a subfolder of its own"
    )
    series.add_argument(
        "--counters",
        choices=_COUNTERS,
        help="how to count instructions and cache misses, as for autoanalyzer run (default: auto)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return 1 if the program failed.

    If the command runs the program, the verdict goes to standard error, so the program's standard output stays
    unchanged.
    """
    if arguments.ranks is None:
        if arguments.output or arguments.counters or arguments.repeat:
            raise UsageError(
                "-o, --counters and --repeat need --ranks, which lists the numbers of ranks to run the command with"
            )
        paths = [run for each in arguments.words for run in runs_of_study(Path(each))]
        check_targets(paths, json=arguments.json, html=arguments.html)
        return _judge(paths, arguments, stderr=is_output(arguments.json) or is_output(arguments.html))
    if arguments.output is None:
        raise UsageError("--ranks needs -o DIR, the folder for the runs")
    from ..runs.options import RunOptions
    from ..runs.scaled_runs import recorded_with_ranks
    from .reporter import REPORTER

    check_targets(json=arguments.json, html=arguments.html)
    options = RunOptions(output=arguments.output, counters=arguments.counters or "auto", path="always")
    folders = recorded_with_ranks(options, arguments.words, arguments.ranks, REPORTER, arguments.repeat or 1)
    return 1 if folders is None else _judge(folders, arguments, stderr=True)


def _judge(paths: Sequence[Path], arguments: argparse.Namespace, *, stderr: bool) -> int:
    from ..view.advice import find_advice
    from ..view.scaling import scaling_document, scaling_lines
    from .studies import judged

    scaling, files = judged(paths, arguments.mode)
    last = next(file for file, path in zip(files, paths, strict=True) if str(path) == scaling.series.labels[-1])
    advised = None
    if not arguments.no_advice:
        with stages(first=SLOW, after=SHORT) as tell:
            advised = find_advice(scaling.last, last, tell=tell)
    if arguments.json:
        document = scaling_document(scaling, advised)
        write_document(json.dumps(document, indent=1, allow_nan=False).encode() + b"\n", arguments.json)
    if arguments.html:
        write_document(_page(scaling, advised, last), arguments.html)
    print_verdict(scaling_lines(scaling, advised), stderr=stderr)
    return 0


def _page(scaling: Scaling, advised: Advised | None, file: Path) -> bytes:
    from ..view.page import page_html
    from ..view.page.scaling import scaling_page
    from ..view.sources import Sources

    return page_html(scaling_page(scaling, advised, Sources(scaling.last.experiment, file).find))


def _numbers(text: str) -> list[int]:
    words = text.split(",")
    numbers = [int(each) for each in words if each.isascii() and each.isdecimal() and 0 < len(each) < 9 and int(each)]
    if len(numbers) < len(words) or len({*numbers}) < max(len(words), 2):
        raise argparse.ArgumentTypeError(f"expected two or more rank counts, such as 2,4,8, found {text!r}")
    return numbers
