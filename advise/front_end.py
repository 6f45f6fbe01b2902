"""What reads a source."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from .nest import SourceFile
from .options import Options

__all__ = ["FrontEnd"]


class FrontEnd(Protocol):
    """Reads the sources of one language, or of several that are alike."""

    def __call__(
        self, text: bytes, path: Path, built: Collection[int] = (), options: Options | None = None
    ) -> SourceFile:
        """Read a file as the user wrote it, before any preprocessor.

        Args:
            text: What is in it.
            path: Where it is: what it includes is looked for beside it.
            built: Lines that were built, as code regions begin there: they tell which conditions held.
            options: How it was compiled; None if that is not known.

        Raises:
            SourceError: It cannot be read, and where.
            InputError: What reads it is not installed, and how to get it.
        """
