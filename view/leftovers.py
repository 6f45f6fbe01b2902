"""Show the files that old runs left behind, and whether they were removed, as a table or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..doctor.leftovers import Leftover
from .lines import print_lines
from .table import print_table
from .units import volume

__all__ = ["leftovers_document", "print_leftovers"]

Nodes = Mapping[str, Sequence[Leftover]]
"""Name of a node → its leftovers."""


def print_leftovers(nodes: Nodes) -> None:
    """Print a table of the files, with the reason for each file that was kept."""
    found = [(node, each) for node, leftovers in nodes.items() for each in leftovers]
    if not found:
        print_lines(["there are no leftovers of old runs"])
        return
    several = len(nodes) > 1
    rows = [
        ("removed" if each.gone else "kept", volume(each.size), str(each.path), _said(each), *[node] * several)
        for node, each in found
    ]
    print_table(("", "size", "path", "purpose", *["node"] * several), rows, (1,), prose=(3,))
    gone = [each.size for _, each in found if each.gone]
    print_lines([f"removed {len(gone)} of {len(found)} leftovers, {volume(sum(gone))}"])


def _said(leftover: Leftover) -> str:
    return f"{leftover.what}; {leftover.kept}" if leftover.kept else leftover.what


def leftovers_document(nodes: Nodes) -> dict[str, Any]:
    """Return the data that ``doctor --clean --json`` writes."""
    return {
        "schema": "autoanalyzer.leftovers/1",
        "nodes": [{"node": node, "leftovers": [each.document() for each in found]} for node, found in nodes.items()],
    }
