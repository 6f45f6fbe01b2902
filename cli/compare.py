"""``autoanalyzer compare``: compare two sets of runs."""

from __future__ import annotations

import argparse
import json
import math
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..analyze.choices import SCALING_MODES
from ..errors import UsageError
from ..view.terminal import print_verdict
from .documents import add_documents, check_targets, is_output, write_document
from .operand_arguments import add_exact_argument, opened
from .percentage import share_of
from .studies import judged, runs_of_study

if TYPE_CHECKING:
    from ..analyze.comparison import Comparison

__all__ = ["add_arguments", "run"]


_TRIPPED: Final = 3
_THRESHOLD: Final = "5%"
_DOCUMENTS: Final = {"markdown": "Markdown", "junit": "JUnit XML", "json": "JSON", "html": "a self-contained HTML page"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "base",
        type=Path,
        nargs="+",
        metavar="BASE",
        help="the old runs (with --history, the new runs), as folders or experiment files, or the folder of a series "
        "recorded by autoanalyzer scale",
    )
    parser.add_argument(
        "--with",
        dest="other",
        type=Path,
        nargs="+",
        metavar="RUN",
        help="the new runs, with the same number of ranks as the old ones",
    )
    parser.add_argument(
        "--history",
        type=Path,
        metavar="FILE",
        help="compare new runs, given as BASE, with the runs since the last change in this history",
    )
    parser.add_argument(
        "--host",
        metavar="NAME",
        help="with --history: the machine, or kind of machine, as given to autoanalyzer history add (default: the "
        "first node of the run)",
    )
    parser.add_argument(
        "--fail-on",
        metavar="PERCENT",
        help="exit with code 3 if the program, or a region that takes at least 5%% of the program's time, is slower "
        f"by at least PERCENT with 99%% confidence (default: report slowdowns of at least {_THRESHOLD}%, but "
        "exit with code 0)",
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="metric to compare; may be repeated (default: wall_time, compute_time, and path_time; if the critical "
        "path is unknown, busy_time of the busiest rank instead of path_time)",
    )
    parser.add_argument(
        "--mode",
        choices=SCALING_MODES,
        help="for two series: strong or weak scaling (default: inferred from instruction or visit counts)",
    )
    add_exact_argument(parser)
    add_documents(parser, {kind: f"the verdict as {title}" for kind, title in _DOCUMENTS.items()})


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from ..analyze.comparison import compare, metrics_to_compare
    from ..view.comparison import comparison_lines

    if arguments.history:
        return _beside_history(arguments)
    if arguments.host:
        raise UsageError("--host needs --history")
    sides = [arguments.base, arguments.other or []]
    if any(runs_of_study(path) != [path] for path in (*sides[0], *sides[1])):
        return _compare_series(arguments)
    if arguments.mode:
        raise UsageError("--mode needs two series of runs: autoanalyzer compare STUDY --with STUDY")
    if not arguments.other:
        runs = [shlex.quote(str(path)) for path in arguments.base]
        half = len(runs) // 2 or 1
        words = " ".join(["autoanalyzer compare", *runs[:half], "--with", *(runs[half:] or ["RUN"])])
        raise UsageError(f"expected two sets of runs, the second set after --with, for example: {words}")
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
    for kind, target in targets.items():
        if target:
            write_document(_document(kind, comparisons), target)
    print_verdict(comparison_lines(comparisons), stderr=any(map(is_output, targets.values())))
    return _TRIPPED if arguments.fail_on is not None and any(each.slower for each in comparisons) else 0


def _document(kind: str, comparisons: Sequence[Comparison]) -> bytes:
    """Return comparisons of the same runs as a document of one of the kinds in ``_DOCUMENTS``."""
    from ..view.comparison import comparison_document, comparison_junit, comparison_markdown

    if kind == "html":
        from ..view.page import page_html
        from ..view.page.comparison import comparison_page

        return page_html(comparison_page(comparisons))
    if kind == "json":
        return json.dumps(comparison_document(comparisons), indent=1, allow_nan=False).encode() + b"\n"
    return comparison_junit(comparisons) if kind == "junit" else comparison_markdown(comparisons).encode()


def _beside_history(arguments: argparse.Namespace) -> int:
    """Compare runs with the earlier runs in a history; return the exit code."""
    from ..analyze.history import HistoryFile, histories_of
    from ..view.history import incomparable_lines, judged_lines
    from .history import kept

    if arguments.other or arguments.metric or arguments.exact or any(getattr(arguments, each) for each in _DOCUMENTS):
        raise UsageError("--history replaces --with, and can be combined only with --host and --fail-on")
    new = [kept(each, "", arguments.host) for each in arguments.base]
    digests = [run.digest for run, _ in new]
    if len({*digests}) < len(digests):
        twice = next(path for path, each in zip(arguments.base, digests, strict=True) if digests.count(each) > 1)
        raise UsageError(f"{twice}: expected different runs, found this run twice")
    (later, *others) = histories_of(new)
    if others:
        raise UsageError(
            "expected runs of one program, all with the same command line and number of ranks, found different "
            "programs, command lines or numbers of ranks"
        )
    known = [each for each in HistoryFile(arguments.history).read() if each[0].digest not in digests]
    earlier = next((each for each in histories_of(known) if each.subject == later.subject), None)
    if earlier is None:
        raise UsageError(
            f"{arguments.history}: expected another run of {later.runs[0].program} with this command line and number "
            "of ranks, found none"
        )
    judged = earlier.judge(later, _percent(_THRESHOLD if arguments.fail_on is None else arguments.fail_on))
    if not judged:
        hosts = (
            f"the history contains times from {', '.join(earlier.hosts)}, but none from {', '.join(later.hosts)}; "
            "name the kind of machine with --host"
        )
        raise UsageError(f"{arguments.history}: nothing to compare with, because {hosts}")
    print_verdict([*judged_lines(judged, len(earlier.runs)), *incomparable_lines(earlier, later)])
    return _TRIPPED if arguments.fail_on is not None and any(each.verdict == "more" for each in judged) else 0


def _compare_series(arguments: argparse.Namespace) -> int:
    """Compare how two versions of a program scale; each is a series recorded by ``scale``. Return the exit code."""
    from ..analyze.scaling import compare_scaling
    from ..view.scaling_comparison import scaling_comparison_document, scaling_comparison_lines

    studies = [*arguments.base, *(arguments.other or [])]
    if len(arguments.base) != 1 or len(studies) != 2:
        raise UsageError(f"{studies[0]}: expected two series of runs, as in autoanalyzer compare STUDY --with STUDY")
    for option in ("fail_on", "metric", "exact", "markdown", "junit"):
        if getattr(arguments, option):
            raise UsageError(f"--{option.replace('_', '-')} cannot be used with series of runs")
    runs = [runs_of_study(each) for each in studies]
    check_targets([run for each in runs for run in each], json=arguments.json, html=arguments.html)
    base, other = (judged(each, arguments.mode)[0] for each in runs)
    found = compare_scaling(base, other)
    if arguments.json:
        document = scaling_comparison_document(found)
        write_document(json.dumps(document, indent=1, allow_nan=False).encode() + b"\n", arguments.json)
    if arguments.html:
        from ..view.page import page_html
        from ..view.page.scaling import scaling_comparison_page

        write_document(page_html(scaling_comparison_page(found)), arguments.html)
    print_verdict(scaling_comparison_lines(found), stderr=any(map(is_output, (arguments.json, arguments.html))))
    return 0


def _percent(text: str) -> float:
    """Return a percentage, such as ``5%`` or ``5``, as a fraction, such as 0.05.

    Raises:
        UsageError: The text is not a percentage above 0.
    """
    share = share_of(text)
    if not 0 < share < math.inf:
        raise UsageError(f"--fail-on {text}: expected a percentage above 0, such as 5%")
    return share
