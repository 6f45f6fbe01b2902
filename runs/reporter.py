"""What a user sees while runs are in progress."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

__all__ = ["Reporter"]


@dataclass(frozen=True, slots=True)
class Reporter:
    """The callbacks that report a run's progress.

    Attributes:
        say: Prints a sentence.
        progress: Shows an activity by name, until the block ends.
        counted: The same, and yields a callback for the amount done and the total.
    """

    say: Callable[[str], object]
    progress: Callable[[str], AbstractContextManager[None]]
    counted: Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
