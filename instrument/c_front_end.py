"""C sources of a command: preprocessed, and read with the compiler's header directories apart."""

from __future__ import annotations

from functools import cached_property

from .c.source import code_regions, instrument_text
from .code_region import CodeRegions, Instrumented
from .compiler import Argument, CompilerCommand, Role
from .dependencies import dependency_words
from .openmp import openmp_is_on
from .plan import read_plan
from .steps import Finished, Headers, preprocess, read

__all__ = ["CFrontEnd"]


class CFrontEnd:
    """The front end for C; see ``FrontEnd``.

    Args:
        command: The user's command.
    """

    def __init__(self, command: CompilerCommand) -> None:
        self._command = command
        self._headers = Headers(command.compiler)
        self._openmp = openmp_is_on(command.of(Role.BOTH))
        self._plan = read_plan()

    @cached_property
    def _dependency_words(self) -> dict[Argument, list[str]]:
        return dependency_words(self._command)

    def read(self, source: Argument) -> Finished:
        """Run the preprocessor, which writes the dependencies; what is preprocessed already is read.

        Comments stay because some say to the compiler that falling through a case is meant.
        """
        if source.is_preprocessed:
            return read(source.words[0])
        dependencies = [*self._command.of(Role.DEPENDENCY), *self._dependency_words.get(source, [])]
        return preprocess(self._command, source, ["-C", *dependencies])

    def instrument(self, source: Argument, text: bytes) -> Instrumented:
        """Put guards into preprocessed text."""
        return instrument_text(text, source.words[0], self._headers.directories(), openmp=self._openmp, plan=self._plan)

    def regions(self, source: Argument, text: bytes) -> CodeRegions:
        """Find the regions of preprocessed text."""
        return code_regions(text, source.words[0], self._headers.directories(), openmp=self._openmp, plan=self._plan)

    def suffix(self, source: Argument) -> str:
        """Give the suffix of preprocessed C."""
        return ".i"
