"""The arguments of commands that read sources: files, compilers, and compiler flags."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from ..errors import UsageError
from ..experiment.plan.mode import DEFAULT_MODES, MODES, asked_modes
from ..instrument.choice import MODES_VARIABLE, Choice, read_choice
from ..instrument.compiler import COMPILERS, command_words
from ..instrument.reading import ReadSource, read_sources

__all__ = ["MODES_USAGE", "USAGE", "add_modes_argument", "add_source_arguments", "choice_of", "sources_of"]

MODES_USAGE = "[--modes MODE,...]"
USAGE = f"{MODES_USAGE}\n  [--cc CC] [--cxx CXX] [--fc FC] [-I DIR] [-D MACRO] [-U MACRO] SRC... [-- FLAG...]"


def add_source_arguments(parser: argparse.ArgumentParser, *, nargs: str = "+") -> None:
    """Add the arguments for modes, sources, compilers and compiler flags.

    Args:
        parser: The command's parser.
        nargs: The number of sources, in the notation of argparse.
    """
    add_modes_argument(parser)
    parser.add_argument(
        "sources", nargs=nargs, metavar="SRC", help="C, C++ and Fortran sources; compiler flags follow --"
    )
    languages = (("cc", "C"), ("cxx", "C++"), ("fc", "Fortran"))
    for (option, language), (variable, default) in zip(languages, COMPILERS.items(), strict=True):
        parser.add_argument(
            f"--{option}",
            default=os.environ.get(variable, default),
            metavar=option.upper(),
            help=f"the {language} compiler, with flags (default: ${variable}, else {default})",
        )
    for letter, metavar, help_text in (
        ("I", "DIR", "search DIR for headers"),
        ("D", "MACRO", "define a macro"),
        ("U", "MACRO", "undefine a macro"),
    ):
        parser.add_argument(
            f"-{letter}",
            dest="flags",
            action="append",
            type=f"-{letter}{{}}".format,
            default=[],
            metavar=metavar,
            help=help_text,
        )


def add_modes_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that selects the kinds of regions to instrument."""
    parser.add_argument(
        "--modes",
        metavar="MODE,...",
        help=(
            f"kinds of regions to create: any of {', '.join(MODES)} (default: ${MODES_VARIABLE}, else the kinds "
            f"in the plan, else {', '.join(DEFAULT_MODES)})"
        ),
    )


def choice_of(arguments: argparse.Namespace, *, looks_for_all: bool = False) -> Choice:
    """Return the choice of regions to instrument; ``--modes`` has priority over the environment variable.

    Raises:
        UsageError: A mode does not exist.
        InputError: The plan cannot be read, or is not a plan.
    """
    modes = None if arguments.modes is None else asked_modes(arguments.modes, "--modes")
    return read_choice(modes=modes, looks_for_all=looks_for_all)


def sources_of(arguments: argparse.Namespace, choice: Choice | None = None) -> Iterator[ReadSource]:
    """Yield the sources one by one, with the regions that ``choice`` or, if it is None, the arguments select.

    Raises:
        UsageError: A compiler option is empty.
        InputError: A source cannot be read.
    """
    cc = _command("--cc", arguments.cc)
    cxx = _command("--cxx", arguments.cxx)
    fc = _command("--fc", arguments.fc)
    flags = [*arguments.flags, *arguments.compiler_flags]
    return read_sources(cc, cxx, fc, arguments.sources, flags, choice=choice or choice_of(arguments))


def _command(option: str, text: str) -> list[str]:
    words = command_words(option, text)
    if not words:
        raise UsageError(f"{option}: expected a compiler command, found nothing")
    return words
