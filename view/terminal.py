"""Print text with colours on a terminal, and without colours for other programs."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import Final, TextIO

from .lines import print_lines

__all__ = ["on_terminal", "print_verdict"]

# Kinds of findings in two colours, which are legible on white and on black; yellow, green and cyan are not.
_FAULTS: Final = (
    *("IMBALANCE", "ONE AFTER ANOTHER", "LATE", "LOCK", "BARRIERS"),
    *("MESSAGES", "TRANSFER", "FILE I/O", "MEMORY", "REPLICATED", "GROWS"),
)
_OTHERS: Final = ("HOT SPOT", "SLOW CORE", "NO DETAIL")
# Kind → escape code for bold red, bold magenta, or bold in the text's own colour.
_COLOURS: Final = {**dict.fromkeys(_FAULTS, "1;31"), **dict.fromkeys(_OTHERS, "1;35"), "balanced": "1"}
_KIND: Final = re.compile(rf"^((?: *[0-9]+ )?)({'|'.join(_COLOURS)})\b")
_NO_COLOURS: Final = ("dumb", "unknown")  # values of TERM for terminals without colours


def on_terminal(stream: TextIO) -> bool:
    """Return whether a stream is a terminal, or is treated as one because of ``FORCE_COLOR`` (force-color.org)."""
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def print_verdict(lines: Sequence[str], *, stderr: bool = False) -> None:
    """Print the lines of a verdict, wrapped to the width of a terminal, with the kinds of findings in colour."""
    stream = sys.stderr if stderr else sys.stdout
    print_lines(lines, stderr=stderr, paint=_coloured if _has_colours(stream) else str)


def _coloured(line: str) -> str:
    return _KIND.sub(lambda found: f"{found[1]}\033[{_COLOURS[found[2]]}m{found[2]}\033[0m", line)


def _has_colours(stream: TextIO) -> bool:
    """Return whether a stream is a terminal with colours, and the user did not disable them (no-color.org)."""
    return on_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in _NO_COLOURS
