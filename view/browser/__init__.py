"""What a browser of an experiment shows: three trees, their values, and how these depend on what is selected."""

from .browser import Browser, browse
from .pane import Pane
from .percentages import Basis, percentages, whole
from .sums import Sums
from .tally import Gap, Tally, Value
from .tree import Tree

__all__ = ["Basis", "Browser", "Gap", "Pane", "Sums", "Tally", "Tree", "Value", "browse", "percentages", "whole"]
