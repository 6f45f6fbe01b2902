"""Every error that a user may see.

::

    AutoanalyzerError        one line: what was wanted, what was found, the way out
    ├── UsageError           the command line asks for something that does not exist
    ├── InputError           a file or a folder is not what it should be
    │   └── SourceError      a source text, at file:line:col
    └── BuildError           the probe library cannot be built here

Only ``cli.main`` prints them, and ends with exit code 2.
"""

from __future__ import annotations

__all__ = ["AutoanalyzerError", "BuildError", "InputError", "SourceError", "UsageError"]


class AutoanalyzerError(Exception):
    """Base of all errors; its text is one line for the user."""


class UsageError(AutoanalyzerError):
    """Report a command line that cannot be carried out."""


class InputError(AutoanalyzerError):
    """Report a file or folder that is missing, broken or of another kind."""


class SourceError(InputError):
    """Report a place in a source text that a front end cannot handle."""

    def __init__(self, file: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{file}:{line}:{column}: {message}")
        self.file = file
        self.line = line
        self.column = column
        self.message = message


class BuildError(AutoanalyzerError):
    """Report that the probe library cannot be built with the compiler at hand."""
