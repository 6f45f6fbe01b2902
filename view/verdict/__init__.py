"""The verdict in words: on a terminal, in a document, on a page."""

from __future__ import annotations

from .entry import Entry, entries, groups_of
from .headline import balanced, efficiency, headline, master, too_short
from .screen import verdict_lines
from .sight import Sight, sight_of

__all__ = [
    "Entry",
    "Sight",
    "balanced",
    "efficiency",
    "entries",
    "groups_of",
    "headline",
    "master",
    "sight_of",
    "too_short",
    "verdict_lines",
]
