"""What the front ends for C and C++ share: both read what the preprocessor writes."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from .choice import DEFAULT_CHOICE, Choice
from .compiler import CompilerCommand
from .toolchain import Toolchain

__all__ = ["PreprocessedFrontEnd"]


class PreprocessedFrontEnd:
    """Read preprocessed text with the compiler's header directories apart.

    Args:
        command: The user's command.
        choice: Which regions are wanted.
    """

    language: ClassVar[str]

    def __init__(self, command: CompilerCommand, choice: Choice = DEFAULT_CHOICE) -> None:
        self.command = command
        self.choice = choice

    @cached_property
    def directories(self) -> tuple[str, ...]:
        """Where headers are that are not the user's."""
        return Toolchain(self.command.compiler, self.language).directories
