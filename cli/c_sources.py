"""The arguments of the commands that read C sources: files, compiler, and the flags it needs for them."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator

from ..errors import UsageError
from ..instrument.reading import Source, preprocessed

__all__ = ["add_source_arguments", "sources_of"]


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare sources, compiler and flags."""
    parser.add_argument("sources", nargs="+", metavar="SRC", help="C sources; after -- any flags of the compiler")
    parser.add_argument(
        "--cc",
        default=os.environ.get("AUTOANALYZER_CC", "mpicc"),
        metavar="CC",
        help="the compiler, with flags (default: $AUTOANALYZER_CC, else mpicc)",
    )
    for letter, help_text in (("I", "a directory of headers"), ("D", "a macro"), ("U", "a macro to forget")):
        parser.add_argument(
            f"-{letter}", dest="flags", action="append", type=f"-{letter}{{}}".format, default=[], help=help_text
        )


def sources_of(arguments: argparse.Namespace) -> Iterator[Source]:
    """Preprocess the sources one by one.

    Raises:
        UsageError: No compiler is named.
        InputError: A source cannot be preprocessed.
    """
    try:
        compiler = shlex.split(arguments.cc)
    except ValueError as error:
        raise UsageError(f"--cc: a compiler command wanted, found {arguments.cc!r} ({error})") from None
    if not compiler:
        raise UsageError("--cc: a compiler command wanted, found nothing")
    return preprocessed(compiler, arguments.sources, [*arguments.flags, *arguments.compiler_flags])
