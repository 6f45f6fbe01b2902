"""The ground floor: what was measured, of which region, where, and the files that hold it.

Names are imported when first used: the compiler wrapper needs ``Region`` alone, and must not wait for numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cube_reader import load
    from .cube_writer import save
    from .experiment import CallPath, Experiment, Location
    from .metric import Metric
    from .notes import Notes
    from .region import Region

__all__ = ["CallPath", "Experiment", "Location", "Metric", "Notes", "Region", "load", "save"]

_HOME = {
    "CallPath": "experiment",
    "Experiment": "experiment",
    "Location": "experiment",
    "Metric": "metric",
    "Notes": "notes",
    "Region": "region",
    "load": "cube_reader",
    "save": "cube_writer",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
