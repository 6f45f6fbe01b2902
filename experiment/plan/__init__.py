"""Plans, which define the regions that a build instruments."""

from .pattern import Pattern
from .plan import Exclude, Include, Merge, Plan, Split, build_line
from .reader import load_plan
from .writer import save_plan

__all__ = [
    "Exclude",
    "Include",
    "Merge",
    "Pattern",
    "Plan",
    "Split",
    "build_line",
    "load_plan",
    "save_plan",
]
