"""Print tables: fitted to the width of a terminal without cutting numbers, or in full for other programs."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from .lines import broken, print_lines, width_of
from .place import visible

__all__ = ["print_table"]

_GAP: Final = 2  # spaces between columns
_PADDING: Final = re.compile(r" +((?:\x1b\[[0-9;]*m)*)$")  # trailing spaces, which escape sequences may follow
_NAMED: Final = 8  # maximum number of omitted columns to name
_WHOLE: Final = 10_000  # width that fits any table


def print_table(
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Collection[int],
    *,
    stderr: bool = False,
    first_to_go: Sequence[int] = (),
    prose: Collection[int] = (),
    colours: Mapping[str, str] | None = None,
) -> None:
    """Print rows below titles; if they are too wide for a terminal, omit columns, with a note, or shorten texts.

    Args:
        titles: Titles of the columns.
        rows: The cells of each row.
        right: Indices of columns with numbers, which are right-aligned and never cut.
        stderr: Whether to print to standard error.
        first_to_go: Indices of columns to omit first on a narrow terminal, in this order.
        prose: Indices of columns whose text is wrapped; text in other columns is shortened in the middle.
        colours: Text of a cell → its style on a terminal.
    """
    from rich.console import Console  # noqa: PLC0415 - a verdict has no tables, and must be printed fast
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    cells = [[visible(cell) for cell in row] for row in (titles, *rows)]
    width = width_of(sys.stderr if stderr else sys.stdout)
    widths = _widths(cells)
    if width is not None:
        least = {column: width // (4 if column in prose else 3) for column in widths if column not in right}
        widths = _fitted(widths, least, first_to_go, width)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in widths:
        justify = "right" if column in right else "left"
        title = _shortened(cells[0][column], widths[column])
        table.add_column(Text(title), justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for row in cells[1:]:
        table.add_row(
            *(
                Text(
                    "\n".join(broken(row[column], room)) if column in prose else _shortened(row[column], room),
                    (colours or {}).get(row[column], ""),
                )
                for column, room in widths.items()
            )
        )
    console = Console(stderr=stderr, highlight=False)
    console.width = _WHOLE
    with console.capture() as drawn:
        console.print(table)
    lines = (_PADDING.sub(r"\1", line) for line in drawn.get().splitlines())
    (sys.stderr if stderr else sys.stdout).writelines(f"{line}\n" for line in lines)
    hidden = [title for column, title in enumerate(cells[0]) if column not in widths]
    if hidden:
        more = f" and {len(hidden) - _NAMED} more" if len(hidden) > _NAMED else ""
        said = f"not shown: {', '.join(hidden[:_NAMED])}{more}"
        print_lines([f"{said}; widen the terminal to see more, or append | cat to see all"], stderr=stderr)


def _widths(cells: Sequence[Sequence[str]]) -> dict[int, int]:
    """Map the index of each column to the width that it needs."""
    from rich.cells import cell_len  # noqa: PLC0415

    return {column: max(map(cell_len, each)) for column, each in enumerate(zip(*cells, strict=True))}


def _fitted(needed: dict[int, int], texts: dict[int, int], first_to_go: Sequence[int], width: int) -> dict[int, int]:
    """Map the indices of the columns that fit to their widths.

    Args:
        needed: Index of a column → the width that it needs.
        texts: Index of a column that may be narrower → its minimum width.
        first_to_go: Indices of columns to omit first, in this order.
        width: Width of the terminal.
    """
    least = {column: min(size, texts.get(column, size)) for column, size in needed.items()}
    going = [*first_to_go, *(each for each in reversed(needed) if each not in texts and each not in first_to_go)]
    kept = dict(needed)
    for column in going:
        if len(kept) > 1 and sum(least[each] + _GAP for each in kept) - _GAP > width:
            del kept[column]
    while sum(size + _GAP for size in kept.values()) - _GAP > width:
        widest = max((column for column in kept if column in texts), key=kept.__getitem__, default=None)
        if widest is None or kept[widest] == 1:
            break
        kept[widest] -= 1
    return kept


def _shortened(text: str, width: int) -> str:
    """Return a name, shortened in the middle to a width; the indent that shows its depth takes at most half of it."""
    from rich.cells import cell_len  # noqa: PLC0415

    if cell_len(text) <= width:
        return text
    name = text.lstrip(" ")
    indent = min(len(text) - len(name), width // 2)
    room = width - indent
    if cell_len(name) <= room:
        return " " * (width - cell_len(name)) + name
    head, tail = name[: room // 2], name[len(name) - room // 2 :]
    while head and cell_len(f"{head}…{tail}") > room:
        head, tail = (head[:-1], tail) if cell_len(head) > cell_len(tail) else (head, tail[1:])
    return f"{' ' * indent}{head}…{tail}"
