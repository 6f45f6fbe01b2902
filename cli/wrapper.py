"""What stands in for a compiler, where sources are to be instrumented; see ``stand_ins``."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Final, NoReturn

from ..errors import AutoanalyzerError, UsageError
from ..instrument.compiler import COMPILERS, command_words
from ..instrument.wrapper import compile_instrumented

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["build_ahead", "compiler"]

_VARIABLES: Final = {"aa-mpicc": "AUTOANALYZER_CC", "aa-mpicxx": "AUTOANALYZER_CXX", "aa-mpifort": "AUTOANALYZER_FC"}


def compiler() -> NoReturn:
    """Be the stand-in whose path is the first argument: call the compiler that it stands for, sources instrumented."""
    stand_in, *words = sys.argv[1:] or [""]
    try:
        status = compile_instrumented([*_real_compiler(stand_in), *words], after_link=build_ahead)
    except AutoanalyzerError as error:
        sys.stderr.write(f"autoanalyzer: {error}\n")
        status = 2
    sys.exit(status)


def build_ahead(compiler: list[str], program: Path) -> None:
    """Build the probe library for a program that was just linked: where it will run there may be no compiler."""
    from ..runtime.build import build_ahead as build  # noqa: PLC0415 - only where something was linked

    build(compiler, program)


def _real_compiler(stand_in: str) -> list[str]:
    """Read which compiler to call, refusing the stand-in itself.

    Raises:
        UsageError: There is no such stand-in; its variable is empty, badly quoted, or names a stand-in.
    """
    own = os.path.realpath(stand_in)
    variable = _VARIABLES.get(os.path.basename(stand_in)) or _VARIABLES.get(os.path.basename(own))  # noqa: PTH119
    if not variable:
        raise UsageError(f"aa-compiler is for {', '.join(_VARIABLES)} alone: call one of these")
    words = command_words(variable, os.environ.get(variable, COMPILERS[variable]))
    if not words:
        raise UsageError(f"{variable}: expected a compiler, found nothing; unset it for {COMPILERS[variable]}")
    found = shutil.which(words[0])
    if found and os.path.realpath(found) == own:
        raise UsageError(f"{variable}: expected a real compiler, found {words[0]}, which is this wrapper itself")
    return words
