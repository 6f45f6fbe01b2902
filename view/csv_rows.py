"""Write CSV that is safe to open in a spreadsheet, because no cell is a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Final, TextIO

__all__ = ["write_rows"]

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def write_rows(rows: Iterable[Iterable[object]], stream: TextIO) -> None:
    """Write rows as CSV, with an apostrophe before texts that look like formulas."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([_harmless(cell) for cell in row] for row in rows)


def _harmless(cell: object) -> object:
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        try:
            float(cell)
        except ValueError:
            return f"'{cell}"
    return cell
