"""``autoanalyzer compile``: insert probes into sources, and compile them with any C, C++ or Fortran compiler."""

from __future__ import annotations

import argparse
import os

from ..errors import UsageError
from ..experiment.plan.mode import asked_modes
from ..instrument.choice import MODES_VARIABLE
from ..instrument.wrapper import compile_instrumented
from .source_arguments import MODES_USAGE, add_modes_argument
from .wrapper import build_ahead

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.usage = f"autoanalyzer compile {MODES_USAGE} -- CC ARGUMENT..."
    add_modes_argument(parser)
    parser.add_argument(
        "command", nargs=argparse.REMAINDER, metavar="-- CC ARGUMENT...", help="the compiler command to run"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the compiler command and return its exit code."""
    words: list[str] = arguments.command
    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        raise UsageError("expected a compiler command after 'compile --', found nothing")
    if arguments.modes is not None:
        os.environ[MODES_VARIABLE] = ",".join(asked_modes(arguments.modes, "--modes"))
    return compile_instrumented(words, after_link=build_ahead)
