"""What the front ends for C and C++ share: both read what the preprocessor writes."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from .compiler import Argument, CompilerCommand, Role
from .dependencies import dependency_words
from .plan import read_plan
from .steps import Finished, Headers, preprocess, read

__all__ = ["PreprocessedFrontEnd"]


class PreprocessedFrontEnd:
    """Read sources by the preprocessor, with the compiler's header directories apart.

    Args:
        command: The user's command.
    """

    language: ClassVar[str]
    preprocessor_words: ClassVar[list[str]] = []

    def __init__(self, command: CompilerCommand) -> None:
        self.command = command
        self.headers = Headers(command.compiler, self.language)
        self.plan = read_plan()

    @cached_property
    def _dependency_words(self) -> dict[Argument, list[str]]:
        return dependency_words(self.command)

    def read(self, source: Argument) -> Finished:
        """Run the preprocessor, which writes the dependencies; what is preprocessed already is read."""
        if source.is_preprocessed:
            return read(source.words[0])
        dependencies = [*self.command.of(Role.DEPENDENCY), *self._dependency_words.get(source, [])]
        return preprocess(self.command, source, [*self.preprocessor_words, *dependencies])
