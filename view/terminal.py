"""Text for a terminal: in colour there, plain when piped."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import Final, TextIO

from ..analyze import Findings
from .lines import print_lines
from .place import Place
from .table import print_table
from .units import percent, seconds

__all__ = ["on_terminal", "print_tree", "print_verdict"]

# How kinds of findings are set off, which has to be legible on white and on black: yellow, green and cyan are not.
_COLOURS: Final = {"IMBALANCE": "1;31", "HEAVY": "1;35", "balanced": "1"}  # bold: red, magenta, as the text
_KIND: Final = re.compile(rf"^((?: *[0-9]+  )?)({'|'.join(_COLOURS)})\b")
_NO_COLOURS: Final = ("dumb", "unknown")  # kinds of terminals


def on_terminal(stream: TextIO) -> bool:
    """Tell whether a stream is a terminal, or is to be treated as one (force-color.org)."""
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def print_verdict(lines: Sequence[str], *, stderr: bool = False) -> None:
    """Print the lines of a verdict, broken to the width of a terminal; colour marks the kinds of findings."""
    stream = sys.stderr if stderr else sys.stdout
    print_lines(lines, stderr=stderr, paint=_coloured if _has_colours(stream) else str)


def _coloured(line: str) -> str:
    return _KIND.sub(lambda found: f"{found[1]}\033[{_COLOURS[found[2]]}m{found[2]}\033[0m", line)


def _has_colours(stream: TextIO) -> bool:
    """Tell whether a stream is a terminal that shows colours, and the user wants them (no-color.org)."""
    return on_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in _NO_COLOURS


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
