"""C sources of a command: preprocessed, and read with the compiler's header directories apart."""

from __future__ import annotations

from typing import ClassVar

from .c.source import code_regions, instrument_text
from .code_region import CodeRegions, Instrumented
from .compiler import Argument, CompilerCommand, Role
from .openmp import openmp_is_on
from .preprocessed_front_end import PreprocessedFrontEnd

__all__ = ["CFrontEnd"]


class CFrontEnd(PreprocessedFrontEnd):
    """The front end for C; see ``FrontEnd``.

    Comments stay because some say to the compiler that falling through a case is meant.
    """

    language: ClassVar[str] = "c"
    preprocessor_words: ClassVar[list[str]] = ["-C"]

    def __init__(self, command: CompilerCommand) -> None:
        super().__init__(command)
        self._openmp = openmp_is_on(command.of(Role.BOTH))

    def instrument(self, source: Argument, text: bytes) -> Instrumented:
        """Put guards into preprocessed text."""
        directories = self.headers.directories()
        return instrument_text(text, source.words[0], directories, openmp=self._openmp, plan=self.plan)

    def regions(self, source: Argument, text: bytes) -> CodeRegions:
        """Find the regions of preprocessed text."""
        return code_regions(text, source.words[0], self.headers.directories(), openmp=self._openmp, plan=self.plan)

    def suffix(self, source: Argument) -> str:
        """Give the suffix of preprocessed C."""
        return ".i"
