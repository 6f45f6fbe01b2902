"""Show the factors of efficiency as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ....analyze.scaling import Scaling
from ....analyze.scaling.factors import is_low
from ...marks import Html
from ...marks.mark import element, folded, text, wide
from ...picture import Picture
from ...scaling import table_rows

__all__ = ["factors_picture", "number_cells"]

_FACTORS: Final = {  # what a factor means
    "speedup": "work per second, relative to the first run",
    "load balance": "mean busy time of the ranks / busy time of the busiest rank",
    "serialisation": "busy time of the busiest rank / length of the critical path",
    "transfer": "length of the critical path / time of the run",
    "instructions": "instructions of the first run / instructions of this run",
    "time per instruction": "busy time per instruction in the first run / in this run",
    "computation": "busy time of the first run / busy time of this run",
    "efficiency": "the product of the factors above",
}


def factors_picture(scaling: Scaling) -> Picture:
    """Return a table of factors, with marks at low values and at the first factor to fall."""
    (_, ranks, _), *rows = table_rows(scaling)
    is_weak = scaling.mode == "weak"
    head = element("tr", element("th", "ranks", scope="col"), *number_cells("th", ranks, scope="col"))
    body = []
    for name, cells, falls in rows:
        badge = f" {element('span', 'falls first', class_='kind loss')}" if falls else ""
        values = scaling.factors.get(name.replace(" ", "_"), [None] * len(cells))
        class_ = "product" if name == "efficiency" else None
        row = (
            element("td", text(cell), class_="number low" if is_low(value) else "number")
            for cell, value in zip(cells, values, strict=True)
        )
        body.append(element("tr", element("th", text(name) + badge, scope="row"), *row, class_=class_))
    made = element("table", element("thead", head), element("tbody", *body), class_="factors")
    named = [name for name, _, _ in rows if name in _FACTORS]
    per_rank = " (both per rank)" if is_weak else ""
    meanings = "".join(
        element("dt", text(name))
        + element("dd", text(f"{_FACTORS[name]}{per_rank if name in ('instructions', 'computation') else ''}"))
        for name in named
    )
    more = folded("what the factors mean", element("dl", meanings))
    said = ["If a factor is 1, nothing is lost. Values below 0.9 are marked."]
    return Picture("Factors", [Html(wide(made) + more)], said)


def number_cells(name: str, cells: Iterable[str], **attributes: object) -> Iterator[str]:
    """Yield a cell of a table (``td`` or ``th``) for each number."""
    for each in cells:
        yield element(name, text(each), class_="number", **attributes)
