"""Analyse an experiment: find differences between ranks, hot spots, their causes, and estimated savings.

Names are imported on first use, because the command line's help needs only the choices and should not load numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .choices import DISPARITY_METRICS, DISSIMILARITY_METRICS, METHODS

if TYPE_CHECKING:
    from .findings import Findings, analyze

__all__ = ["DISPARITY_METRICS", "DISSIMILARITY_METRICS", "METHODS", "Findings", "analyze"]


def __getattr__(name: str) -> Any:
    if name not in ("Findings", "analyze"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import findings  # noqa: PLC0415

    return getattr(findings, name)
