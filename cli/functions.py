"""``autoanalyzer regions --mpi``, formerly ``functions``: list the MPI functions that are measured."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator

from ..errors import InputError, UsageError
from ..runtime.mpi.compiler import MpiCompiler, examine, mpi_compilers
from ..runtime.mpi.functions import MpiFunctions, read_functions
from ..view.lines import print_lines

__all__ = ["add_arguments", "print_functions", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--uncovered", action="store_true", help="print only functions that are not measured, one name per line"
    )
    parser.add_argument(
        "--compiler",
        metavar="MPICC",
        help="the MPI C compiler (default: AUTOANALYZER_CC, or the first MPI C compiler on PATH)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    print_functions(arguments.compiler, "--compiler", uncovered=arguments.uncovered)
    return 0


def print_functions(named: str | None, option: str, *, uncovered: bool) -> None:
    """Print the measured functions of an MPI library, or the names of the functions that are not measured.

    Args:
        named: The MPI library's C compiler; None for the first compiler that works.
        option: The option that names the compiler, for messages.
        uncovered: Whether to print only the names of the functions that are not measured.

    Raises:
        InputError: The compiler finds no ``mpi.h``.
        UsageError: Quotes in ``named`` are not balanced.
    """
    compiler = _compiler(named, option)
    functions = read_functions(compiler.command, os.environ)
    print_lines(functions.uncovered if uncovered else _lines(compiler, functions))


def _compiler(named: str | None, option: str) -> MpiCompiler:
    found = next(mpi_compilers(os.environ), None) if named is None else examine(_words(named, option), os.environ)
    if found is None:
        raise InputError(f"expected a C compiler that finds mpi.h, found {named or 'none'}; choose one with {option}")
    return found


def _words(command: str, option: str) -> list[str]:
    try:
        return shlex.split(command) or [command]
    except ValueError as error:
        raise UsageError(f"{option} {command}: expected a command, found {str(error).lower()}") from error


def _lines(compiler: MpiCompiler, functions: MpiFunctions) -> Iterator[str]:
    yield f"{compiler.library.path}, {shlex.join(compiler.command)}"
    width = max(len(function.name) for function in functions.covered)
    for function in functions.covered:
        yield f"{function.name:{width}}  {function.bindings:24}  {function.counts}"
    yield f"not covered: {', '.join(functions.uncovered) or 'none of the functions that communicate'}"
