"""Experiments: values measured per metric, region and location, and the files that store them.

Names are imported on first use, because the compiler wrapper needs only ``Region`` and must not wait for numpy to load.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # not imported from ``typing``, which takes longer to load than all the wrapper's other imports
if TYPE_CHECKING:
    from typing import Any

    from .builder import Builder
    from .call_path import CallPath
    from .experiment import Experiment, Location
    from .export.hatchet_frame import to_hatchet, to_thicket
    from .flat_profile import flat
    from .frames import to_pandas, to_xarray
    from .metric import Metric
    from .notes import Notes
    from .region import Region
    from .selection import select
    from .storage import load, save
    from .topology import Topology

__all__ = [
    "Builder",
    "CallPath",
    "Experiment",
    "Location",
    "Metric",
    "Notes",
    "Region",
    "Topology",
    "flat",
    "load",
    "save",
    "select",
    "to_hatchet",
    "to_pandas",
    "to_thicket",
    "to_xarray",
]

_HOME = {
    "Builder": "builder",
    "CallPath": "call_path",
    "Experiment": "experiment",
    "Location": "experiment",
    "Metric": "metric",
    "Notes": "notes",
    "Region": "region",
    "Topology": "topology",
    "flat": "flat_profile",
    "load": "storage",
    "save": "storage",
    "select": "selection",
    "to_hatchet": "export.hatchet_frame",
    "to_pandas": "frames",
    "to_thicket": "export.hatchet_frame",
    "to_xarray": "frames",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
