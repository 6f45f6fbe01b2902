"""C sources of a command: preprocessed, and read with the compiler's header directories apart."""

from __future__ import annotations

from typing import ClassVar

from .c.source import code_regions, instrument_text
from .choice import DEFAULT_CHOICE, Choice
from .code_region import CodeRegions, Instrumented
from .compiler import Argument, CompilerCommand, Role
from .openmp import openmp_is_on
from .preprocessed_front_end import PreprocessedFrontEnd

__all__ = ["CFrontEnd"]


class CFrontEnd(PreprocessedFrontEnd):
    """The front end for C; see ``FrontEnd``."""

    language: ClassVar[str] = "c"

    def __init__(self, command: CompilerCommand, choice: Choice = DEFAULT_CHOICE) -> None:
        super().__init__(command, choice)
        self._openmp = openmp_is_on(command.of(Role.BOTH))

    def instrument(self, source: Argument, text: bytes) -> Instrumented:
        """Put guards into preprocessed text."""
        directories = self.directories
        return instrument_text(text, source.words[0], directories, openmp=self._openmp, choice=self.choice)

    def regions(self, source: Argument, text: bytes) -> CodeRegions:
        """Find the regions of preprocessed text."""
        return code_regions(text, source.words[0], self.directories, openmp=self._openmp, choice=self.choice)

    def suffix(self, source: Argument) -> str:
        """Give the suffix of preprocessed C."""
        return ".i"
