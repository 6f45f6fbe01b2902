"""Show a report in a page: sentences, pictures and tables as HTML."""

from __future__ import annotations

from .marks.mark import element, text, wide
from .picture import Picture, picture_html
from .report import Report, Table

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
        pictures = [Picture("In words", [], said), *pictures]
    caveats = element("ul", *(element("li", text(each)) for each in report.caveats), class_="caveats")
    return "".join(
        (
            element("h2", text(title)),
            element("p", text(about), class_="about") if about else "",
            *map(picture_html, pictures),
            caveats if report.caveats else "",
            *map(_table, report.tables),
        )
    )


def _table(table: Table) -> str:
    head = element("tr", *(element("th", text(name), scope="col") for name in table.header))
    rows = (element("tr", *map(_cell, row)) for row in table.rows)
    whole = element("table", element("thead", head), element("tbody", *rows))
    return element("details", element("summary", text(table.title)), wide(whole))


def _cell(cell: object) -> str:
    return element("td", text("" if cell is None else cell))
