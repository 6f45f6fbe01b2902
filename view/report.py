"""The result of an analysis in all formats: sentences, tables, CSV, JSON and pictures."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from .csv_rows import write_rows
from .lines import broken, print_lines, width_of
from .picture import Picture
from .place import visible
from .table import print_table

__all__ = ["Report", "Table", "csv_text", "json_text", "print_report"]

Cell = str | int | float | None

_NUMBER: Final = re.compile(r"[-+<]? ?[0-9.]|inf|-$")


@dataclass(frozen=True, slots=True)
class Table:
    """A table for a terminal or a CSV file.

    Attributes:
        title: Title of the table.
        header: Names of the columns.
        rows: The cells of each row: text for a terminal, or numbers with full precision for CSV; None if empty.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Report:
    """The result of an analysis.

    Attributes:
        sentences: Two or three sentences, with numbers that a developer can act on.
        tables: Tables for a terminal.
        data: The table for CSV.
        document: The data for JSON, without NaN and infinity.
        pictures: Returns the pictures for the page.
        caveats: Warnings about missing data, shown after the sentences.
    """

    sentences: Sequence[str]
    tables: Sequence[Table]
    data: Table
    document: Mapping[str, Any]
    pictures: Callable[[], Sequence[Picture]]
    caveats: Sequence[str] = ()


def print_report(report: Report) -> None:
    """Print a report's tables and sentences."""
    from rich.console import Console  # noqa: PLC0415 - not needed for JSON, CSV and pages
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False, soft_wrap=True)
    for table in report.tables:
        title, width = visible(table.title), width_of(sys.stdout)
        for line in [title] if width is None else broken(title, width):
            console.print(Text(line, style="bold"))
        rows = [["" if cell is None else str(cell) for cell in row] for row in table.rows]
        numbers = [
            all(not row[column] or _NUMBER.match(row[column]) for row in rows) for column in range(len(table.header))
        ]
        right = [column for column, each in enumerate(numbers) if column and each]
        prose = [column for column, each in enumerate(numbers) if column and not each]
        print_table(table.header, rows, right, prose=prose)
        console.print()
    print_lines(visible(sentence) for sentence in (*report.sentences, *report.caveats))


def csv_text(table: Table) -> bytes:
    """Return a table as CSV; missing values are empty cells."""
    stream = io.StringIO()
    write_rows([table.header, *table.rows], stream)
    return stream.getvalue().encode(errors="replace")


def json_text(document: Mapping[str, Any]) -> bytes:
    """Return a document as JSON, with full precision; NaN and infinity become null.

    If names contain invalid Unicode, the slower module of the standard library writes the document.
    """
    try:
        return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return json.dumps(document, indent=2, allow_nan=False).encode() + b"\n"
