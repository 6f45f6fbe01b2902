"""What a language brings to the compiler wrapper and to the commands that read sources."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol

from .code_region import CodeRegions, Instrumented
from .compiler import Argument, CompilerCommand
from .steps import Finished

__all__ = ["FORTRAN_STUB", "FrontEnd", "front_end"]

FORTRAN_STUB: Final = Path(__file__).with_name("fortran_stub.c")


class FrontEnd(Protocol):
    """A language's way from a source of a command to its regions, and to its text with probes."""

    def read(self, source: Argument) -> Finished:
        """Give the text that the compiler proper would see."""

    def instrument(self, source: Argument, text: bytes) -> Instrumented:
        """Put probes into such a text.

        Raises:
            SourceError: The text cannot be read, or holds what no probe can be put into.
        """

    def regions(self, source: Argument, text: bytes) -> CodeRegions:
        """Find the regions of such a text; errors as for ``instrument``."""

    def suffix(self, source: Argument) -> str:
        """Give the suffix by which the compiler knows an instrumented text."""


def front_end(command: CompilerCommand, source: Argument) -> FrontEnd:
    """Give the front end of a source's language; the others are not even loaded."""
    if source.is_fortran:
        from .fortran_front_end import FortranFrontEnd  # noqa: PLC0415 - a build starts it for every source

        return FortranFrontEnd(command)
    if source.is_cxx:
        from .cxx_front_end import CxxFrontEnd  # noqa: PLC0415

        return CxxFrontEnd(command)
    from .c_front_end import CFrontEnd  # noqa: PLC0415

    return CFrontEnd(command)
