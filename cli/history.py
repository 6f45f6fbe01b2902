"""``autoanalyzer history``: keep the results of runs for each commit, and find the commits that changed them."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..view.terminal import print_verdict
from ..view.units import many
from .documents import add_documents, check_targets, is_output, write_document

if TYPE_CHECKING:
    from ..analyze.history import KeptRun, KeptValue

__all__ = ["add_arguments", "kept", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    add = actions.add_parser("add", help="add runs to a history", allow_abbrev=False)
    add.add_argument("history", type=Path, metavar="FILE", help="history file (created if it does not exist)")
    add.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="folders or experiment files of the runs to add")
    add.add_argument("--commit", metavar="NAME", help="version of the program (default: the current git commit)")
    add.add_argument(
        "--host",
        metavar="NAME",
        help=(
            "the machine, or the kind of machine if jobs run on several machines; only times with the same NAME "
            "are compared (default: the first node of the run)"
        ),
    )
    add.set_defaults(action=_add)
    show = actions.add_parser("show", help="show what changed in a history", allow_abbrev=False)
    show.add_argument("history", type=Path, metavar="FILE", help="the history file")
    add_documents(show, {"json": "the history as JSON", "html": "the history as a self-contained HTML page"})
    show.set_defaults(action=_show)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    action: Callable[[argparse.Namespace], int] = arguments.action
    return action(arguments)


def _add(arguments: argparse.Namespace) -> int:
    from ..analyze.history import HistoryFile

    if not arguments.history.parent.is_dir():
        raise UsageError(f"{arguments.history}: expected a file in an existing folder")
    new = [kept(each, arguments.commit, arguments.host) for each in arguments.runs]
    added = sum(HistoryFile(arguments.history).add(*each) for each in new)
    known = f"; {many(len(new) - added, 'run')} already in the history" if added < len(new) else ""
    sys.stdout.write(f"{arguments.history}: {many(added, 'run')} added{known}\n")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from ..analyze.history import HistoryFile, histories_of
    from ..view.history import history_document, history_lines

    check_targets([arguments.history], json=arguments.json, html=arguments.html)
    histories = histories_of(HistoryFile(arguments.history).read())
    if arguments.json:
        document = json.dumps(history_document(histories), indent=1, allow_nan=False).encode() + b"\n"
        write_document(document, arguments.json)
    if arguments.html:
        from ..view.page import page_html
        from ..view.page.history import history_page

        write_document(page_html(history_page(histories, str(arguments.history))), arguments.html)
    print_verdict(history_lines(histories), stderr=any(map(is_output, (arguments.json, arguments.html))))
    return 0


def kept(path: Path, commit: str | None, host: str | None) -> tuple[KeptRun, list[KeptValue]]:
    """Return a description of a run, and the values of the run that a history stores.

    Args:
        path: Folder or experiment file of the run.
        commit: The version of the program; None for git's current commit in the working directory.
        host: The machine; None for the first node of the run.

    Raises:
        InputError: The run is not complete, or the values of some ranks are missing.
    """
    from ..analyze.comparison import check_run
    from ..analyze.history import KeptRun, in_utf8, values_to_keep
    from ..digests import content_of, digest
    from ..runs.open_experiment import open_experiment

    experiment, file = open_experiment(path)
    check_run(str(path), experiment)
    about = KeptRun(
        digest=digest(content_of(str(file))),
        commit=in_utf8(_commit() if commit is None else commit),
        added=f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}",
        host=in_utf8(experiment.locations[0].node if host is None else host),
        program=in_utf8(experiment.notes.program),
        command=in_utf8(" ".join(experiment.notes.command)),
        ranks=len({each.process for each in experiment.locations}),
        threads=len(experiment.locations),
    )
    return about, values_to_keep(experiment)


def _commit() -> str:
    """Return the short name of git's current commit in the working directory, or an empty string if there is none."""
    if not shutil.which("git"):
        return ""
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
