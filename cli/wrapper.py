"""The console scripts that stand in for a compiler, each a single word."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, NoReturn

from ..errors import AutoanalyzerError, UsageError
from ..instrument.compiler import COMPILERS, command_words
from ..instrument.wrapper import compile_instrumented

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["build_ahead", "mpicc", "mpicxx", "mpifort"]


def mpicc() -> NoReturn:
    """Be ``aa-mpicc``: call ``$AUTOANALYZER_CC``, else ``mpicc``, with the sources instrumented."""
    _stand_in("AUTOANALYZER_CC")


def mpicxx() -> NoReturn:
    """Be ``aa-mpicxx``: call ``$AUTOANALYZER_CXX``, else ``mpicxx``, with the sources instrumented."""
    _stand_in("AUTOANALYZER_CXX")


def mpifort() -> NoReturn:
    """Be ``aa-mpifort``: call ``$AUTOANALYZER_FC``, else ``mpifort``, with the sources instrumented."""
    _stand_in("AUTOANALYZER_FC")


def _stand_in(variable: str) -> NoReturn:
    try:
        compiler = _real_compiler(variable)
        status = compile_instrumented([*compiler, *sys.argv[1:]], after_link=build_ahead)
    except AutoanalyzerError as error:
        sys.stderr.write(f"autoanalyzer: {error}\n")
        status = 2
    sys.exit(status)


def build_ahead(compiler: list[str], program: Path) -> None:
    """Build the probe library for a program that was just linked: where it will run there may be no compiler."""
    from ..runtime.build import build_ahead as build  # noqa: PLC0415 - only where something was linked

    build(compiler, program)


def _real_compiler(variable: str) -> list[str]:
    """Read which compiler to call, refusing this program itself.

    Raises:
        UsageError: The variable is empty, badly quoted, or names this program.
    """
    words = command_words(variable, os.environ.get(variable, COMPILERS[variable]))
    if not words:
        raise UsageError(f"{variable}: expected a compiler, found nothing; unset it for {COMPILERS[variable]}")
    found = shutil.which(words[0])
    if found and os.path.realpath(found) == os.path.realpath(sys.argv[0]):
        raise UsageError(f"{variable}: expected a real compiler, found {words[0]}, which is this wrapper itself")
    return words
