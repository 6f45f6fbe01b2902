"""From findings and experiments to something to read: terminal text, CSV and JSON."""

from __future__ import annotations

from .changes import operation_lines, print_changes
from .comparison import comparison_document, comparison_junit, comparison_lines, comparison_markdown
from .contents import contents_lines
from .dump import print_dump, shown_metrics, write_csv, write_json
from .explain import explanation_lines
from .findings_json import findings_document
from .place import at_line, visible
from .sections import SECTIONS
from .terminal import print_tree, print_verdict
from .units import ranks
from .verdict import verdict_lines

__all__ = [
    "SECTIONS",
    "at_line",
    "comparison_document",
    "comparison_junit",
    "comparison_lines",
    "comparison_markdown",
    "contents_lines",
    "explanation_lines",
    "findings_document",
    "operation_lines",
    "print_changes",
    "print_dump",
    "print_tree",
    "print_verdict",
    "ranks",
    "shown_metrics",
    "verdict_lines",
    "visible",
    "write_csv",
    "write_json",
]
