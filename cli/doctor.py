"""``autoanalyzer doctor``: test what works on this machine or on the nodes of a job, and suggest repairs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from .. import __version__
from ..doctor.examination import essential_of
from ..doctor.leftovers import remove_leftovers
from ..doctor.nodes import clean_nodes, examine_here, examine_nodes
from ..doctor.tasks import Task, this_task
from ..errors import InputError, UsageError
from ..runtime.launch import ended_in_order
from ..view.examination import examination_document, print_examination
from ..view.leftovers import leftovers_document, print_leftovers
from ..view.lines import print_lines
from .progress import counted, stages

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = "[srun -N 2] autoanalyzer doctor [--json] [--clean [--data]]"
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument(
        "--clean", action="store_true", help="remove files that old runs left on this node, without testing anything"
    )
    parser.add_argument("--data", action="store_true", help="with --clean: also remove data that were never gathered")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return 1 if something essential does not work."""
    if arguments.data and not arguments.clean:
        raise UsageError("--data needs --clean, because --data removes data that were never gathered")
    try:
        Path.cwd()
    except FileNotFoundError:
        raise InputError("the current directory has been removed: cd to one that exists") from None
    with ended_in_order():
        return _clean(arguments, this_task()) if arguments.clean else _examine(arguments, this_task())


def _examine(arguments: argparse.Namespace, task: Task | None) -> int:
    with _stages(task) as told, counted("nodes") as count:
        examined = examine_here(told) if task is None else examine_nodes(task, told, count)
    if examined is None:
        return 0
    works, essential = essential_of(examined.findings)
    if arguments.json:
        _print_json(examination_document(examined, works=works, essential=essential, version=__version__))
    else:
        with _named_lines(next(iter(examined.nodes))) if examined.is_part else nullcontext():
            print_examination(examined)
            print_lines(["", _verdict(works, essential)])
    return 0 if works else 1


@contextmanager
def _named_lines(node: str) -> Iterator[None]:
    """Prefix each line printed in the block with the node's name, because other nodes print at the same time."""
    with redirect_stdout(StringIO()) as lines:
        yield
    sys.stdout.write("".join(f"{node}: {line}".rstrip() + "\n" for line in lines.getvalue().splitlines()))


def _verdict(works: bool, essential: str) -> str:
    if works:
        return f"ready: {essential}: a C program was built with probes and measured on 2 ranks"
    return f"not ready: {essential}: a C program could not be built with probes and measured on 2 ranks"


def _clean(arguments: argparse.Namespace, task: Task | None) -> int:
    with counted("nodes") as count:
        if task is None:
            nodes = {os.uname().nodename: remove_leftovers(data=arguments.data)}
        else:
            found = clean_nodes(task, count, data=arguments.data)
            if found is None:
                return 0
            nodes = found
    if arguments.json:
        _print_json(leftovers_document(nodes))
    else:
        print_leftovers(nodes)
    return 0


def _print_json(document: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(document, indent=1, ensure_ascii=False)}\n")


@contextmanager
def _stages(task: Task | None) -> Iterator[Callable[[str], None]]:
    """Yield a callback that shows progress; in a job, only rank 0 shows progress."""
    if task is not None and task.rank > 0:
        yield lambda _: None
        return
    with stages() as told:
        yield told
