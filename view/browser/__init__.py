"""The model of the browser: three trees, and how their values depend on selections. It displays nothing itself."""

from .browser import Browser, Dimension, browse
from .hottest_path import at_start, hottest_path
from .legend import Legend, Relief, relief
from .pane import Pane
from .percentages import Basis, percentages, wholes
from .rows import Row, legend, rows
from .sums import Sums
from .tally import Gap, Tally, Value
from .tree import Tree

__all__ = [
    "Basis",
    "Browser",
    "Dimension",
    "Gap",
    "Legend",
    "Pane",
    "Relief",
    "Row",
    "Sums",
    "Tally",
    "Tree",
    "Value",
    "at_start",
    "browse",
    "hottest_path",
    "legend",
    "percentages",
    "relief",
    "rows",
    "wholes",
]
