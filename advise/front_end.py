"""The interface of source readers."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from .nest import SourceFile
from .options import Options

__all__ = ["FrontEnd"]


class FrontEnd(Protocol):
    """Reads the sources of one language, or of similar ones."""

    def __call__(
        self, text: bytes, path: Path, built: Collection[int] = (), options: Options | None = None
    ) -> SourceFile:
        """Read a file as the user wrote it, before any preprocessing.

        Args:
            text: The file's content.
            path: The file's path; included files are searched beside it.
            built: Lines that were built, because code regions begin there; they show which conditions were true.
            options: How it was compiled; None if that is not known.

        Raises:
            SourceError: It cannot be read; the message has the place.
            InputError: A required package is not installed; the message names the way out.
        """
