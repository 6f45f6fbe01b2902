"""Analyses of clusters within clusters as one report (paper 003, section 4.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from ...analyze.statistics import Part
from ..page import Picture
from ..report import Report, Table

__all__ = ["nested_report"]

Result = TypeVar("Result")


def nested_report(whole: Part[Result], report: Callable[[Result], Report]) -> Report:
    """Put the reports of a space and of its clusters together; rows of CSV tell which part they are of."""
    parts = [(part.path, report(part.result)) for part in _walk(whole)]
    top = parts[0][1]
    if len(parts) == 1:
        return replace(
            top, sentences=[*top.sentences, "No cluster of four locations or more is distinct enough to go into."]
        )
    return Report(
        [
            f"{_title(path)}{': ' if path else ''}{sentence}"
            for path, each in parts
            for sentence in each.sentences
            if not path or not sentence.startswith("Left out")
        ],
        [
            Table(f"{_title(path)}{': ' if path else ''}{table.title}", table.header, table.rows)
            for path, each in parts
            for table in each.tables
        ],
        _data(parts),
        _document(whole, report),
        lambda: [
            Picture(f"{_title(path)}{': ' if path else ''}{picture.title}", picture.figure, picture.sentences)
            for path, each in parts
            for picture in each.pictures()
        ],
    )


def _walk(part: Part[Result]) -> Iterator[Part[Result]]:
    yield part
    for each in part.parts:
        yield from _walk(each)


def _title(path: tuple[int, ...]) -> str:
    return f"Within cluster {'.'.join(map(str, path))}" if path else ""


def _data(parts: list[tuple[tuple[int, ...], Report]]) -> Table:
    """Give the rows of all parts below one header; a metric that a part lacks has empty cells."""
    header = list(dict.fromkeys(name for _, each in parts for name in each.data.header))
    rows = []
    for path, each in parts:
        for row in each.data.rows:
            cells = dict(zip(each.data.header, row, strict=True))
            rows.append((".".join(map(str, path)), *(cells.get(name) for name in header)))
    return Table(parts[0][1].data.title, ("part", *header), rows)


def _document(part: Part[Result], report: Callable[[Result], Report]) -> dict[str, Any]:
    inner = [_document(each, report) for each in part.parts]
    return {**report(part.result).document, "path": list(part.path), "within": inner}
