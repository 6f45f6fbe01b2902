"""Compile as the user's command says, with probes in."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, NoReturn

from ..errors import UsageError
from .compiler import Argument, CompilerCommand, no_compiler

__all__ = ["compile_instrumented"]

_INSIDE: Final = "AUTOANALYZER_INSIDE"
_SWITCH: Final = "AUTOANALYZER"
# Sources by which a build system asks what the compiler can do: autoconf, CMake, Meson.
_PROBING: Final = re.compile(
    r"/conftest\.[ci]$|/CMakeFiles/(?:CMakeTmp|CMakeScratch|[\d.]+(?:-\w+)?/CompilerIdC)/|/meson-private/"
)


def compile_instrumented(words: list[str]) -> int:
    """Carry out a compiler command, its C sources instrumented on the way.

    Gives the compiler's status; a command with nothing to instrument takes this process's place.

    Raises:
        UsageError: The compiler does not exist, or is this wrapper.
    """
    if os.environ.get(_INSIDE):
        raise UsageError(
            f"the compiler that was called has called {words[0]} again; let AUTOANALYZER_CC (and OMPI_CC, "
            "MPICH_CC) name a real compiler"
        )
    os.environ[_INSIDE] = "1"
    if os.environ.get(_SWITCH) == "off":
        _become(words)
    command = CompilerCommand(words)
    if command.asks or not command.sources or any(_is_probe(source) for source in command.sources):
        _become(words)
    from .build import Build  # noqa: PLC0415 - what passes through need not wait for the parser

    return Build(command).run()


def _is_probe(source: Argument) -> bool:
    return bool(_PROBING.search(str(Path(source.words[0]).absolute())))


def _become(words: list[str]) -> NoReturn:
    """Let the real command take the place of this process."""
    try:
        os.execvp(words[0], words)
    except OSError as error:
        raise no_compiler(words[0], error) from None
