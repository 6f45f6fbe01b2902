"""What a language brings to the compiler wrapper and to the commands that read sources."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol

from .choice import Choice, read_choice
from .code_region import CodeRegions, Instrumented
from .compiler import Argument, CompilerCommand

__all__ = ["FORTRAN_STUB", "FrontEnd", "front_end"]

FORTRAN_STUB: Final = Path(__file__).with_name("fortran_stub.c")


class FrontEnd(Protocol):
    """A language's way from the text of a source to its regions, and to its text with probes."""

    def instrument(self, source: Argument, text: bytes) -> Instrumented:
        """Put probes into the text that the compiler proper would see.

        Raises:
            SourceError: The text cannot be read, or holds what no probe can be put into.
        """

    def regions(self, source: Argument, text: bytes) -> CodeRegions:
        """Find the regions of such a text; errors as for ``instrument``."""

    def suffix(self, source: Argument) -> str:
        """Give the suffix by which the compiler knows an instrumented text."""


def front_end(command: CompilerCommand, source: Argument, choice: Choice | None = None) -> FrontEnd:
    """Give the front end of a source's language; the others are not even loaded.

    Args:
        command: The user's command.
        source: One of its sources.
        choice: Which regions are wanted; None for what the environment says.
    """
    choice = choice or read_choice()
    if source.is_fortran:
        from .fortran_front_end import FortranFrontEnd  # noqa: PLC0415 - a build starts it for every source

        return FortranFrontEnd(command, choice)
    from .c_family_front_end import CFamilyFrontEnd  # noqa: PLC0415

    return CFamilyFrontEnd(command, choice, cxx=source.is_cxx)
