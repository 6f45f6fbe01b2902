"""The command ``aa-compiler``, which the scripts in ``stand_ins`` run to compile with probes."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from ..errors import AutoanalyzerError, UsageError
from ..instrument.compiler import command_words
from ..instrument.known_compile import answered
from ..instrument.tool_fingerprint import found_program
from ..instrument.wrapper import compile_instrumented
from .stand_in import STAND_INS, note_way

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["build_ahead", "compiler"]


def compiler() -> NoReturn:
    """Run the real compiler of the stand-in whose path is the first argument, and end the process."""
    gc.disable()  # garbage collection would free nothing, because a compilation needs its objects until the end
    stand_in, *words = sys.argv[1:] or [""]
    try:
        command = [*_real_compiler(stand_in), *words]
        note_way(sys.argv[0])
        status = (
            0 if not sys.flags.no_site and answered(command) else compile_instrumented(command, after_link=build_ahead)
        )
    except AutoanalyzerError as error:
        sys.stderr.write(f"autoanalyzer: {error}\n")
        status = 2
    except OSError as error:
        sys.stderr.write(f"autoanalyzer: {error.filename or stand_in}: {error.strerror or error}\n")
        status = 2
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError):  # the stream is closed, or no process reads it
            stream.flush()
    os._exit(status)  # skips freeing the syntax trees, which takes time; all outputs are written


def build_ahead(compiler: list[str], program: Path) -> None:
    """Build the probe library after linking a program, because there may be no compiler where the program runs."""
    from ..runtime.build import build_ahead as build

    # Print messages only on a terminal, because a build system may treat any output as an error.
    build(compiler, program, say=_say if sys.stderr.isatty() else None)


def _say(sentence: str) -> None:
    sys.stderr.write(f"autoanalyzer: {sentence}\n")


def _real_compiler(stand_in: str) -> list[str]:
    """Return the words of the compiler command that a stand-in calls.

    Raises:
        UsageError: There is no such stand-in, or its environment variable is empty, has unbalanced quotes, or names
            the stand-in itself.
    """
    own = os.path.realpath(stand_in)
    names = (os.path.basename(stand_in), os.path.basename(own))  # noqa: PTH119
    variable, usual = next((STAND_INS[name] for name in names if name in STAND_INS), ("", ""))
    if not variable:
        raise UsageError(f"aa-compiler cannot be called directly: call {', '.join(STAND_INS)}")
    words = command_words(variable, os.environ.get(variable, usual))
    if not words:
        raise UsageError(f"{variable} is empty: set it to a compiler, or unset it to use {usual}")
    found = found_program(words[0])
    if found and os.path.realpath(found) == own:
        raise UsageError(f"{variable}: expected a real compiler, found {words[0]}, which is this wrapper itself")
    return words
