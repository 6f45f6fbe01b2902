"""The exceptions whose text is shown to users.

::

    AutoanalyzerError        one line: what was expected, what was found, what to do
    ├── UsageError           the command line is wrong
    ├── InputError           a file or folder is missing, damaged or of the wrong kind
    │   ├── SourceError      a source file cannot be processed, with file:line:column
    │   └── LocationsError   fewer locations are left than an analysis needs
    └── BuildError           a library or program that the tool needs cannot be built on this machine

Only ``cli.main`` prints these errors, and then exits with status 2.
"""

from __future__ import annotations

from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "AutoanalyzerError",
    "BuildError",
    "InputError",
    "LocationsError",
    "SourceError",
    "UsageError",
    "way_out",
]


class AutoanalyzerError(Exception):
    """Base of all errors; the text of an error is one line for the user."""


class UsageError(AutoanalyzerError):
    """Raised for a wrong command line, for example an unknown name, or options that exclude each other."""


class InputError(AutoanalyzerError):
    """Raised for a file or folder that is missing, damaged or of the wrong kind."""


class LocationsError(InputError):
    """Raised if there are fewer locations than an analysis needs."""


class SourceError(InputError):
    """Raised for code that a front end cannot process."""

    def __init__(self, file: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{file}:{line}:{column}: {message}")
        self.file = file
        self.line = line
        self.column = column
        self.message = message


class BuildError(AutoanalyzerError):
    """Raised if the tool cannot build what it needs, such as the probe library, or if a program it needs is missing."""


def way_out(wanted: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown name: ``did you mean work?``, or the first known names if none is similar."""
    import difflib  # noqa: PLC0415 - keeps the start of compiler calls short

    names = dict.fromkeys(known)
    near = [each for each in names if wanted and wanted.lower() in each.lower()]
    near = near or difflib.get_close_matches(wanted, names, n=3)
    if near:
        return f"did you mean {', '.join(near[:3])}?"
    more = ", …" if len(names) > 5 else ""
    return f"there are {', '.join(islice(names, 5))}{more}" if names else "there are none"
