"""Tables on a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from .place import visible

__all__ = ["print_table"]


def print_table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int], *, stderr: bool = False
) -> None:
    """Print rows below titles, the columns ``right`` aligned to the right; whole unless on a terminal."""
    from rich.console import Console  # noqa: PLC0415 - a verdict has no table, and starts faster without
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(stderr=stderr, highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, title in enumerate(titles):
        table.add_column(Text(visible(title)), justify="right" if column in right else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    if not console.is_terminal:
        console.width = 10_000
    console.print(table)
