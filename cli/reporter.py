"""The reporter that shows messages and progress of runs on standard error."""

from __future__ import annotations

import sys
from typing import Final

from ..runs.reporter import Reporter
from .progress import counted, progress

__all__ = ["REPORTER", "say"]


def say(sentence: str) -> None:
    """Print a message to standard error."""
    sys.stderr.write(f"autoanalyzer: {sentence}\n")


REPORTER: Final = Reporter(say, progress, counted)
