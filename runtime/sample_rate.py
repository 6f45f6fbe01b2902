"""Parse how often a run samples the code that its threads execute."""

from __future__ import annotations

from typing import Final

from ..errors import UsageError

__all__ = ["SAMPLE_VARIABLE", "sample_rate"]

SAMPLE_VARIABLE: Final = "AUTOANALYZER_SAMPLE"  # the same as in runtime/probe/sample.c
_AUTO: Final = 250  # per second of CPU time: most kernels check their timers this often
_MOST: Final = 10_000  # the same as MOST_PER_SECOND in runtime/probe/sample.c


def sample_rate(text: str) -> str:
    """Return the samples per second for the probe library: 0 for ``off`` or an empty text, 250 for ``auto``.

    Raises:
        UsageError: The text is neither one of these nor a number from 1 to 10000.
    """
    if text == "auto":
        return str(_AUTO)
    if text in ("", "off", "0"):
        return "0"
    if text.isascii() and text.isdigit() and len(text) <= len(str(_MOST)) and 0 < int(text) <= _MOST:
        return str(int(text))
    raise UsageError(f"expected auto, off, or samples per second from 1 to {_MOST}, found {text!r}")
