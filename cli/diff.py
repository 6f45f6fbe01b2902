"""``autoanalyzer diff``: subtract one experiment from another."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import UsageError
from ..view.terminal import print_verdict
from .operand_arguments import add_operand_arguments, opened, options_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("before", type=Path, metavar="BEFORE", help="a run's folder or an experiment file")
    parser.add_argument("after", type=Path, metavar="AFTER", help="the experiment to subtract from BEFORE")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="write the difference to this file")
    parser.add_argument("--ratio", action="store_true", help="divide BEFORE by AFTER instead of subtracting; needs -o")
    parser.add_argument(
        "--metric", metavar="NAME", help="list the changes in this metric by region (default: wall_time, if measured)"
    )
    add_operand_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..experiment import save
    from ..experiment.algebra import difference, integrate, ratio
    from ..experiment.storage import check_name
    from ..view.changes import operation_lines, print_changes

    if arguments.output:
        check_name(arguments.output)
    elif arguments.ratio:
        raise UsageError("--ratio needs a file to write; add -o OUT")
    if arguments.ratio and arguments.metric:
        raise UsageError(
            "--ratio cannot be combined with --metric, because ratios are only written to a file, not listed by region"
        )
    paths = (arguments.before, arguments.after)
    before, after = opened(paths)
    options = options_of(arguments, paths)
    if arguments.ratio:
        result = ratio(before, after, **options)
    else:
        joined = integrate((before, after), **options)
        result = difference(before, after, joined)
        print_changes(joined, arguments.metric)
    if arguments.output:
        save(result, arguments.output)
    print_verdict(operation_lines(result, arguments.output))
    return 0
