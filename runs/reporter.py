"""The callbacks through which runs show messages and progress to the user."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

__all__ = ["Reporter"]


@dataclass(frozen=True, slots=True)
class Reporter:
    """Callbacks that show messages and progress.

    Attributes:
        say: Prints a message.
        progress: Takes the name of an activity, and returns a context manager that shows it.
        counted: Like ``progress``, but the context manager yields a callback that takes the amount done and the total.
    """

    say: Callable[[str], object]
    progress: Callable[[str], AbstractContextManager[None]]
    counted: Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
