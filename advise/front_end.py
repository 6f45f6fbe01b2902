"""The interface of source-file readers."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from .nest import SourceFile
from .options import Options

__all__ = ["FrontEnd"]


class FrontEnd(Protocol):
    """A reader for sources in one language or in similar languages."""

    def __call__(
        self, text: bytes, path: Path, built: Collection[int] = (), options: Options | None = None
    ) -> SourceFile:
        """Read a file as the user wrote it, before any preprocessing.

        Args:
            text: The file's content.
            path: The file's path; included files are searched for near it.
            built: Lines that are known to have been compiled, because code regions begin there; they show which
                conditions were true.
            options: The options with which the file was compiled; None if unknown.

        Raises:
            SourceError: The file cannot be read; the message contains the line.
            InputError: A required package is not installed; the message explains what to do.
        """
