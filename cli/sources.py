"""The arguments of the commands that read sources: files, compilers, and the flags they need for them."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator

from ..errors import UsageError
from ..instrument.reading import ReadSource, read_sources

__all__ = ["USAGE", "add_source_arguments", "sources_of"]

USAGE = "[--cc CC] [--cxx CXX] [--fc FC] [-I DIR] [-D MACRO] [-U MACRO] SRC... [-- FLAG...]"


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare sources, compilers and flags."""
    parser.add_argument(
        "sources", nargs="+", metavar="SRC", help="C, C++ and Fortran sources; after -- any flags of the compiler"
    )
    for option, language, variable, default in (
        ("cc", "C", "AUTOANALYZER_CC", "mpicc"),
        ("cxx", "C++", "AUTOANALYZER_CXX", "mpicxx"),
        ("fc", "Fortran", "AUTOANALYZER_FC", "mpifort"),
    ):
        parser.add_argument(
            f"--{option}",
            default=os.environ.get(variable, default),
            metavar=option.upper(),
            help=f"the {language} compiler, with flags (default: ${variable}, else {default})",
        )
    for letter, help_text in (("I", "a directory of headers"), ("D", "a macro"), ("U", "a macro to forget")):
        parser.add_argument(
            f"-{letter}", dest="flags", action="append", type=f"-{letter}{{}}".format, default=[], help=help_text
        )


def sources_of(arguments: argparse.Namespace) -> Iterator[ReadSource]:
    """Read the sources one by one.

    Raises:
        UsageError: No compiler is named.
        InputError: A source cannot be read.
    """
    cc = _command("--cc", arguments.cc)
    cxx = _command("--cxx", arguments.cxx)
    fc = _command("--fc", arguments.fc)
    return read_sources(cc, cxx, fc, arguments.sources, [*arguments.flags, *arguments.compiler_flags])


def _command(option: str, text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{option}: a compiler command wanted, found {text!r} ({error})") from None
    if not words:
        raise UsageError(f"{option}: a compiler command wanted, found nothing")
    return words
