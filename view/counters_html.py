"""Write a report as HTML: sentences, pictures and tables."""

from __future__ import annotations

from .marks.mark import element, folded, table, text
from .picture import Picture, picture_html
from .report import Report

__all__ = ["counters_html"]


def counters_html(report: Report, title: str, about: str = "") -> str:
    """Return a report as HTML.

    Args:
        report: The report.
        title: Title of the report.
        about: A line that describes the input; may be empty.
    """
    pictures = [*report.pictures()]
    told = {sentence for each in pictures for sentence in each.sentences}
    said = [sentence for sentence in report.sentences if sentence not in told]
    if said:
        pictures = [Picture("Summary", [], said), *pictures]
    caveats = element("ul", *(element("li", text(each)) for each in report.caveats), class_="caveats")
    return "".join(
        (
            element("h2", text(title)),
            element("p", text(about), class_="about") if about else "",
            *map(picture_html, pictures),
            caveats if report.caveats else "",
            *(
                folded(each.title, table(each.header, [[*map(_cell, row)] for row in each.rows]))
                for each in report.tables
            ),
        )
    )


def _cell(cell: object) -> object:
    return "" if cell is None else cell
