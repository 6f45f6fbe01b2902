"""A plan: which regions a build makes, as data."""

from .pattern import Pattern
from .plan import VERSION, Exclude, Include, Merge, Plan, Split, build_line
from .reader import load_plan
from .writer import save_plan

__all__ = [
    "VERSION",
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
