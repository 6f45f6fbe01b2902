"""Draw charts, bars, matrices and grids as HTML without scripts, each with its numbers as text."""

from .bars import Bar, Bars
from .chart import Axis, Chart, Series
from .columns import Column, Columns
from .curves import Curve, Curves
from .grid import Grid
from .html import Html
from .mark import Mark, short
from .matrix import Matrix
from .stacked import Part, Stack, Stacked

__all__ = [
    "Axis",
    "Bar",
    "Bars",
    "Chart",
    "Column",
    "Columns",
    "Curve",
    "Curves",
    "Grid",
    "Html",
    "Mark",
    "Matrix",
    "Part",
    "Series",
    "Stack",
    "Stacked",
    "short",
]
