"""``autoanalyzer compare``: two sets of runs judged."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Final

from ..analyze import compare, metrics_to_compare
from ..errors import UsageError
from ..view import comparison_document, comparison_junit, comparison_lines, comparison_markdown, print_verdict
from .documents import check_targets, is_output, write_document
from .operand_arguments import add_exact_argument, opened

__all__ = ["HELP", "NAME", "add_arguments", "run"]

NAME: Final = "compare"
HELP: Final = "judge whether runs of one version of a program are slower than those of another"

_TRIPPED: Final = 3
_THRESHOLD: Final = "5%"
_DOCUMENTS: Final = {"markdown": "Markdown", "junit": "JUnit XML", "json": "JSON"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("base", type=Path, nargs="+", metavar="BASE", help="runs to compare with: files, or folders")
    parser.add_argument(
        "--with",
        dest="other",
        type=Path,
        nargs="+",
        required=True,
        metavar="RUN",
        help="runs to judge, of as many ranks",
    )
    parser.add_argument(
        "--fail-on",
        metavar="PERCENT",
        help="end with exit code 3 if the program or a region is slower by this much, and surely: of one run on a side "
        f"only a program that takes half as much again is; smaller changes are none (without it: {_THRESHOLD}%, and "
        "exit code 0)",
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="what is compared; may be repeated (default: wall_time, and compute_time, the CPU time outside MPI)",
    )
    add_exact_argument(parser)
    for kind, title in _DOCUMENTS.items():
        parser.add_argument(
            f"--{kind}",
            type=Path,
            metavar="FILE",
            help=f"write the verdict to FILE as {title}; - is standard output",
        )


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    threshold = _percent(_THRESHOLD if arguments.fail_on is None else arguments.fail_on)
    targets: dict[str, Path | None] = {kind: getattr(arguments, kind) for kind in _DOCUMENTS}
    check_targets([*arguments.base, *arguments.other], **targets)
    base, other = (opened(side, distinct=True) for side in (arguments.base, arguments.other))
    comparisons = [
        compare(
            base,
            other,
            metric=metric,
            threshold=threshold,
            exact=arguments.exact,
            labels=[str(path) for path in (*arguments.base, *arguments.other)],
        )
        for metric in dict.fromkeys(arguments.metric or metrics_to_compare([*base, *other]))
    ]
    texts = {
        "markdown": comparison_markdown(comparisons).encode(),
        "junit": comparison_junit(comparisons),
        "json": json.dumps(comparison_document(comparisons), indent=1, allow_nan=False).encode() + b"\n",
    }
    for kind, target in targets.items():
        if target:
            write_document(texts[kind], target)
    print_verdict(comparison_lines(comparisons), stderr=any(map(is_output, targets.values())))
    return _TRIPPED if arguments.fail_on is not None and any(each.slower for each in comparisons) else 0


def _percent(text: str) -> float:
    """Read ``5%`` or ``5``.

    Raises:
        UsageError: It is no percentage above 0.
    """
    try:
        value = float(text.strip().removesuffix("%").replace("_", "no digit"))
    except ValueError:
        value = math.nan
    if not 0 < value / 100 < math.inf:
        raise UsageError(f"--fail-on {text}: a percentage above 0 wanted, as in 5%")
    return value / 100
