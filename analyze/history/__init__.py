"""The history of a program: the values that its runs measured, commit by commit, and where they changed for good."""

from .history import Changed, History, Judged, Trend, histories_of
from .history_file import HistoryFile, KeptRun
from .kept_values import KeptValue, in_utf8, values_to_keep

__all__ = [
    "Changed",
    "History",
    "HistoryFile",
    "Judged",
    "KeptRun",
    "KeptValue",
    "Trend",
    "histories_of",
    "in_utf8",
    "values_to_keep",
]
