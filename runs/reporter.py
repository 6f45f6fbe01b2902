"""What a user hears of while runs go on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

__all__ = ["Reporter"]


@dataclass(frozen=True, slots=True)
class Reporter:
    """Where reports of runs go.

    Attributes:
        say: Takes a sentence.
        progress: Shows that something goes on, by its name, until the block ends.
        counted: The same, and gives what takes how much is done, and of how much.
    """

    say: Callable[[str], object]
    progress: Callable[[str], AbstractContextManager[None]]
    counted: Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
