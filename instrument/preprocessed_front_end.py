"""What the front ends for C and C++ share: both read what the preprocessor writes."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from functools import cached_property
from typing import ClassVar

from .c.preprocessed import Preprocessed
from .choice import DEFAULT_CHOICE, Choice
from .code_region import CodeRegion, CodeRegions, Instrumented
from .compiler import Argument, CompilerCommand, Role
from .openmp import openmp_is_on
from .toolchain import Toolchain

__all__ = ["PreprocessedFrontEnd"]


class PreprocessedFrontEnd(ABC):
    """Read preprocessed text with the compiler's header directories apart.

    Args:
        command: The user's command.
        choice: Which regions are wanted.
    """

    language: ClassVar[str]

    def __init__(self, command: CompilerCommand, choice: Choice = DEFAULT_CHOICE) -> None:
        self.command = command
        self.choice = choice
        self.openmp = openmp_is_on(command.of(Role.BOTH))

    @cached_property
    def directories(self) -> tuple[str, ...]:
        """Where headers are that are not the user's."""
        return Toolchain(self.command.compiler, self.language).directories

    def instrument(self, source: Argument, text: bytes) -> Instrumented:
        """Put guards into preprocessed text.

        Raises:
            SourceError: The text cannot be read.
        """
        unit = self._unit(source, text)
        found = self.choice.applied(self.find(unit))
        return Instrumented(self.insert(unit, found.regions).encode("latin-1"), found)

    def regions(self, source: Argument, text: bytes) -> CodeRegions:
        """Find the regions of preprocessed text; errors as for ``instrument``."""
        return self.choice.applied(self.find(self._unit(source, text)))

    @abstractmethod
    def find(self, unit: Preprocessed) -> CodeRegions:
        """Find the regions of a unit, made or not."""

    @abstractmethod
    def insert(self, unit: Preprocessed, regions: tuple[CodeRegion, ...]) -> str:
        """Give a unit's text with guards."""

    def _unit(self, source: Argument, text: bytes) -> Preprocessed:
        return Preprocessed(text.decode("latin-1"), os.fsencode(source.words[0]).decode("latin-1"), self.directories)
