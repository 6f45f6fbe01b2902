"""The interface of a language's front end, for the compiler wrapper and for commands that read sources."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol

from .choice import Choice, read_choice
from .code_region import CodeRegions, Instrumented
from .compiler import Argument, CompilerCommand

__all__ = ["FORTRAN_STUB", "FrontEnd", "front_end"]

FORTRAN_STUB: Final = Path(__file__).with_name("fortran_stub.c")


class FrontEnd(Protocol):
    """The front end of a language: finds regions in source text, and inserts probes."""

    def instrument(self, source: Argument, text: bytes) -> Instrumented:
        """Return a text with probes, and its regions; ``text`` is what the compiler would see after preprocessing.

        Raises:
            SourceError: The text cannot be read, or has a construct that cannot have probes.
        """

    def regions(self, source: Argument, text: bytes) -> CodeRegions:
        """Return the regions of a text; for the arguments and errors, see ``instrument``."""

    def suffix(self, source: Argument) -> str:
        """Return the file suffix with which the compiler accepts instrumented text."""


def front_end(command: CompilerCommand, source: Argument, choice: Choice | None = None) -> FrontEnd:
    """Return the front end for a source's language; front ends for other languages are not loaded.

    Args:
        command: The user's command.
        source: One of the sources in the command.
        choice: The requested regions; None for the choice in environment variables.
    """
    choice = choice or read_choice()
    if source.is_fortran:
        from .fortran_front_end import FortranFrontEnd  # noqa: PLC0415 - a build starts this program for every source

        return FortranFrontEnd(command, choice)
    from .c_family_front_end import CFamilyFrontEnd  # noqa: PLC0415

    return CFamilyFrontEnd(command, choice, cxx=source.is_cxx)
