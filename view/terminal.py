"""Text for a terminal: in colour there, plain when piped."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from ..analyze import Findings
from .place import Place
from .table import print_table
from .units import percent, seconds

__all__ = ["print_tree", "print_verdict"]

_STYLES = {"IMBALANCE": "bold red", "HEAVY": "bold yellow", "balanced": "bold green"}


def print_verdict(lines: Sequence[str], *, stderr: bool = False) -> None:
    """Print the lines of a verdict; colour marks the kinds of findings."""
    console = Console(stderr=stderr, highlight=False, soft_wrap=True)
    for line in lines:
        text = Text(line)
        for word, style in _STYLES.items():
            text.highlight_words([word], style)
        console.print(text)


def print_tree(findings: Findings, *, stderr: bool = False) -> None:
    """Print the tree of code regions with their mean times over the processes."""
    rows = []
    for region, cost in zip(findings.performance.regions, findings.run.costs, strict=True):
        place = Place.of(findings.experiment, region)
        times = (cost.wall_time, cost.compute_time, cost.mpi_time, cost.io_time)
        rows.append(
            (
                percent(100 * cost.share),
                *("-" if time is None else seconds(time) for time in times),
                "-" if cost.visits is None else str(cost.visits),
                "  " * (region.depth - 1) + place.title,
                place.source if place.file else "",
            )
        )
    print_table(("share", "wall", "compute", "MPI", "I/O", "visits", "region", "source"), rows, range(6), stderr=stderr)
    print_table(("times: means over the ranks; visits: sums",), (), (), stderr=stderr)
