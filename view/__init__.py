"""From findings to something to read: terminal text and JSON."""

from __future__ import annotations

from .document import findings_document
from .explain import explanation_lines
from .terminal import print_tree, print_verdict
from .units import ranks
from .verdict import verdict_lines

__all__ = ["explanation_lines", "findings_document", "print_tree", "print_verdict", "ranks", "verdict_lines"]
