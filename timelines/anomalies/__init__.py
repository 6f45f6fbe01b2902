"""Find anomalies over time: what changes, when, on which ranks and where, and which metrics change with it."""

from .anomaly import Anomaly, Companion
from .search import Run, Search, find_anomalies

__all__ = ["Anomaly", "Companion", "Run", "Search", "find_anomalies"]
