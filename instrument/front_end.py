"""The interface of a language for the compiler wrapper and for commands that read sources."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol

from .choice import Choice, read_choice
from .code_region import CodeRegions, Instrumented
from .compiler import Argument, CompilerCommand

__all__ = ["FORTRAN_STUB", "FrontEnd", "front_end"]

FORTRAN_STUB: Final = Path(__file__).with_name("fortran_stub.c")


class FrontEnd(Protocol):
    """A language's conversion of source text to regions, and to text with probes."""

    def instrument(self, source: Argument, text: bytes) -> Instrumented:
        """Insert probes into the text that the compiler proper would see.

        Raises:
            SourceError: The text cannot be read, or has a construct that cannot have probes.
        """

    def regions(self, source: Argument, text: bytes) -> CodeRegions:
        """Find the regions of such a text; errors as for ``instrument``."""

    def suffix(self, source: Argument) -> str:
        """Return the suffix of instrumented text for the compiler."""


def front_end(command: CompilerCommand, source: Argument, choice: Choice | None = None) -> FrontEnd:
    """Return the front end of a source's language; others are not loaded.

    Args:
        command: The user's command.
        source: One of its sources.
        choice: The wanted regions; None for the environment's choice.
    """
    choice = choice or read_choice()
    if source.is_fortran:
        from .fortran_front_end import FortranFrontEnd  # noqa: PLC0415 - a build starts it for every source

        return FortranFrontEnd(command, choice)
    from .c_family_front_end import CFamilyFrontEnd  # noqa: PLC0415

    return CFamilyFrontEnd(command, choice, cxx=source.is_cxx)
