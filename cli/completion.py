"""``autoanalyzer completion``: print a script that completes commands, options and files in a shell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import shtab

__all__ = ["add_arguments", "run"]

_SHELLS: Final = ("bash", "zsh", "fish")
_OURS: Final = ("*.cube", "*.cube.gz", "*.xml", "*.cubex")
_OF_OTHER_TOOLS: Final = ("*.cali", "*.darshan", "*.json", "*.mpiP", "*.otf2", "*.txt")
_EXPERIMENT: Final = shtab.glob(*_OURS, *_OF_OTHER_TOOLS)  # also completes folders, because runs are folders
_EXPERIMENTS: Final = frozenset(["EXPERIMENT", "BASE", "BEFORE", "AFTER", "OTHER", "RUN"])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help="the shell: bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from .main import whole_parser

    parser = whole_parser()
    for action in _actions(parser):
        if files := _files(action):
            action.complete = files  # type: ignore[attr-defined]  # shtab reads this attribute
    sys.stdout.write(shtab.complete(parser, arguments.shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)


def _files(action: argparse.Action) -> Mapping[str, object] | None:
    """Return a completion pattern for the files that an argument accepts, or None if it accepts no files."""
    if action.metavar in _EXPERIMENTS:
        return _EXPERIMENT
    if action.metavar == "DIR":
        return shtab.DIRECTORY
    names_a_file = action.type is Path or action.metavar == "SRC" or action.nargs == argparse.REMAINDER
    return shtab.FILE if names_a_file else None
