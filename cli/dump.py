"""``autoanalyzer dump``: print the numbers of an experiment."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..experiment.aggregate import LEVELS
from .part_arguments import names_of

if TYPE_CHECKING:
    from ..experiment.aggregate import Level
    from ..multivariate.formula import Formula

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="a run's folder or an experiment file")
    parser.add_argument(
        "--metrics",
        metavar="NAME,…",
        help="print only these metrics, stored or derived (default: all stored metrics; in tables, at most twelve that "
        "are not 0)",
    )
    parser.add_argument(
        "--region",
        metavar="NAME",
        help="print only this region (a name, path or FILE:LINE), with a row per rank and a column per metric",
    )
    parser.add_argument(
        "--messages",
        action="store_true",
        help="print the communication matrix instead: messages and bytes per pair of ranks, largest first",
    )
    parser.add_argument("--flat", action="store_true", help="print one line per region instead of one per call path")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--csv",
        action="store_true",
        help="print CSV with six digits: values per call path, without child call paths and without sub-metrics",
    )
    kind.add_argument("--json", action="store_true", help="print JSON with all digits")
    parser.add_argument(
        "--exclusive", action="store_true", help="in tables, print values that exclude child call paths"
    )
    parser.add_argument(
        "--by",
        choices=tuple(LEVELS),
        help="print one column per machine, node, process or thread (default: one column with the sum)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..experiment import flat
    from ..experiment.selection import named_paths
    from ..multivariate.derivations import cache_line
    from ..multivariate.wanted_metrics import WantedMetrics
    from ..runs.open_experiment import open_experiment
    from ..view.dump import print_dump, print_regions, shown_metrics, write_csv, write_json

    everything = arguments.csv or arguments.json
    if arguments.messages:
        return _dump_messages(arguments)
    if arguments.csv and (arguments.by or arguments.exclusive):
        raise UsageError(
            "--csv cannot be combined with --by or --exclusive, because CSV always contains exclusive values, "
            "summed over all locations"
        )
    if arguments.json and arguments.exclusive:
        raise UsageError(
            "--json cannot be combined with --exclusive, because JSON always contains both exclusive and "
            "inclusive values"
        )
    if arguments.region is not None and everything:
        raise UsageError("--region cannot be combined with --csv or --json, which contain all regions")
    experiment, file = open_experiment(arguments.experiment)
    roots = frozenset(experiment.call_paths[root].region for root in experiment.roots)
    if arguments.flat:
        experiment = flat(experiment)
    level: Level = arguments.by or "process"
    metrics = names_of(arguments.metrics)
    formulas: tuple[Formula, ...] = ()
    if metrics is None:
        metrics = (
            [each.name for each in experiment.metrics]
            if everything
            else shown_metrics(experiment, level if arguments.region is not None else arguments.by)
        )
    else:
        there = [each.name for each in experiment.metrics]
        formulas = WantedMetrics.among(there, metrics, line=cache_line(experiment)).formulas
    if arguments.csv:
        write_csv(experiment, metrics, sys.stdout, formulas=formulas)
    elif arguments.json:
        write_json(experiment, file, metrics, arguments.by, sys.stdout, formulas=formulas)
    elif arguments.region is not None:
        paths = named_paths(experiment, arguments.region)
        below = not arguments.exclusive
        print_regions(experiment, metrics, level, roots, paths, inclusive=below, formulas=formulas)
    else:
        print_dump(experiment, metrics, arguments.by, roots, inclusive=not arguments.exclusive, formulas=formulas)
    return 0


def _dump_messages(arguments: argparse.Namespace) -> int:
    from ..runs.open_experiment import open_experiment
    from ..view.messages import known_messages, print_messages, write_messages_csv, write_messages_json

    if arguments.metrics or arguments.region is not None or arguments.flat or arguments.exclusive or arguments.by:
        raise UsageError("--messages can be combined only with --csv or --json")
    experiment, file = open_experiment(arguments.experiment)
    messages = known_messages(experiment, file)
    if arguments.csv:
        write_messages_csv(messages, sys.stdout)
    elif arguments.json:
        write_messages_json(messages, file, sys.stdout, is_difference=experiment.notes.is_difference)
    else:
        print_messages(messages, is_difference=experiment.notes.is_difference)
    return 0
