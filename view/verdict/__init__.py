"""The verdict as text, for the terminal, the JSON document and the page."""

from __future__ import annotations

from .entry import Entry, entries, groups_of
from .headline import balanced, base, efficiency, headline, legend, master, too_short, unknown
from .highlight import Highlight, highlight_of
from .screen import verdict_lines

__all__ = [
    "Entry",
    "Highlight",
    "balanced",
    "base",
    "efficiency",
    "entries",
    "groups_of",
    "headline",
    "highlight_of",
    "legend",
    "master",
    "too_short",
    "unknown",
    "verdict_lines",
]
