"""Carry out the user's compiler command, with probes in the sources."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

from ..errors import UsageError
from .compiler import Argument, CompilerCommand, no_compiler
from .compiler_calls import run
from .expression import expression

__all__ = ["PRODUCTS_VARIABLE", "compile_instrumented"]

PRODUCTS_VARIABLE: Final = "AUTOANALYZER_PRODUCTS"
"""Environment variable with the path of the file that lists the compilers' output files."""
_INSIDE: Final = "AUTOANALYZER_INSIDE"
_SWITCH: Final = "AUTOANALYZER"
# Outputs of commands that only test whether a source compiles.
_NOWHERE: Final = frozenset({"/dev/null", "-"})
# Sources with which a build system tests the compiler: autoconf, CMake, Meson.
_PROBING: Final = expression(
    r"/conftest\.(?:c\w*|C|ii?|f\w*|F\w*)$|/CMakeFiles/(?:CMakeTmp|CMakeScratch|[\d.]+(?:-\w+)?/CompilerId\w+)/"
    r"|/(?:CMakeFiles|Modules)/FortranCInterface/|/Modules/CMake\w+CompilerABI\.\w+$|/meson-private/"
)


def compile_instrumented(words: list[str], after_link: Callable[[list[str], Path], object] | None = None) -> int:
    """Carry out a compiler command with its C, C++ and Fortran sources instrumented.

    A command without sources to instrument replaces this process, unless it links, or reads a pipe.

    Args:
        words: The command.
        after_link: Takes the compiler and the program; called after linking.

    Returns:
        The compiler's status.

    Raises:
        UsageError: The compiler does not exist, or is this wrapper.
        BuildError: A program was linked whose probes would crash.
    """
    if os.environ.get(_INSIDE):
        raise UsageError(
            f"the compiler called this wrapper again, for {words[0]}; set AUTOANALYZER_CC, AUTOANALYZER_CXX and "
            "AUTOANALYZER_FC (and OMPI_CC, MPICH_CC, OMPI_CXX, MPICH_CXX, OMPI_FC, MPICH_FC) to real compilers"
        )
    os.environ[_INSIDE] = "1"
    if os.environ.get(_SWITCH) == "off":
        _become(words)
    try:
        command = CompilerCommand(words)
    except UsageError:
        _become(words)  # only the compiler can read the response file
    program = command.program if after_link else None
    probing = any(_is_probe(source) for source in command.sources)
    if probing:
        _note(command, asked=True)
    piped = [source.words[0] for source in command.sources if _is_pipe(source)]
    if probing or command.asks or any(map(_is_device, command.sources)) or not (command.sources or program):
        _become(words)
    if command.sources and not piped:
        from .separate import carried_out  # noqa: PLC0415 - other commands need no parser

        status = carried_out(command)
    else:
        status = run(words, recorded=True).status
        if piped and status == 0 and _NOWHERE.isdisjoint(map(str, [command.program, *command.objects])):
            reason = "standard input and pipes can be read only once"
            sys.stderr.write(f"autoanalyzer: {', '.join(piped)}: not instrumented: {reason}; compiled unchanged\n")
    if status == 0:
        _note(command, asked=False)
    if program and status == 0 and command.links_bare:
        from .bare_program import refuse_bare  # noqa: PLC0415 - few programs need this check

        refuse_bare(program)
    if after_link and program and status == 0:
        after_link(command.compiler, program)
    return status


def _is_pipe(source: Argument) -> bool:
    """Return whether a source is a pipe, which can be read only once."""
    return source.words == ("-",) or Path(source.words[0]).is_fifo()


def _is_device(source: Argument) -> bool:
    """Return whether a source is /dev/null or another device; False for a missing file, which the compiler reports."""
    path = Path(source.words[0])
    return path.exists() and not path.is_file() and not path.is_fifo()


def _note(command: CompilerCommand, *, asked: bool) -> None:
    """If notes are requested, record the outputs of a command, or that the command tested the compiler."""
    if notes := os.environ.get(PRODUCTS_VARIABLE):
        from .build_outputs import note_asked, note_written  # noqa: PLC0415 - few builds are noted

        if asked:
            note_asked(Path(notes))
        else:
            note_written(Path(notes), command)


def _is_probe(source: Argument) -> bool:
    return bool(_PROBING.search(str(Path(source.words[0]).absolute())))


def _become(words: list[str]) -> NoReturn:
    """Replace this process with the untouched command."""
    try:
        os.execvp(words[0], words)
    except OSError as error:
        raise no_compiler(words[0], error) from None
