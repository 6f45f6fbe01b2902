"""Check whether this node's energy use can be read, with the same tests as ``runtime/probe/energy.c``."""

from __future__ import annotations

import ctypes
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["POWERCAP_VARIABLE", "energy_defect", "energy_source"]

POWERCAP_VARIABLE: Final = "AUTOANALYZER_POWERCAP"

_FOLDER: Final = "/sys/class/powercap"
_PMU: Final = Path("/sys/bus/event_source/devices/power")
_ZONES: Final = {"energy": "package", "dram_energy": "dram"}
_EVENTS: Final = {"energy": ("energy-pkg", "energy-psys"), "dram_energy": ("energy-ram",)}
_PERF_EVENT_OPEN: Final = {"x86_64": 298}  # the system call's number, on architectures that have these counters
_NUMBER: Final = 8  # number of bytes to read from a counter
_MOMENT: Final = 0.01  # seconds after which any processor must have used measurable energy
_ATTRIBUTES: Final = 64  # bytes of the first version of struct perf_event_attr


def energy_source(metric: str) -> str:
    """Return how a metric can be read: ``powercap`` or ``perf``; empty if it cannot."""
    return _tried(metric)[0]


def energy_defect(metric: str) -> str:
    """Return why a metric cannot be read on this machine; empty if it can."""
    return _tried(metric)[1]


def _tried(metric: str) -> tuple[str, str]:
    folder = Path(os.environ.get(POWERCAP_VARIABLE) or _FOLDER)
    defects = []
    for zone in _zones(folder, _ZONES[metric]):
        try:
            int(zone.read_text())
        except (OSError, ValueError) as error:
            defects.append(f"{zone}: {error.strerror if isinstance(error, OSError) else 'no number'}")
        else:
            return "powercap", ""
    event = next((each for each in _EVENTS[metric] if (_PMU / "events" / each).exists()), None)
    if event:
        defect = _perf_defect(event)
        if not defect:
            return "perf", ""
        defects.append(defect)
    if defects:
        return "", "; ".join(defects)
    return "", f"found no energy counter in {folder}, and none in {_PMU}, as in most virtual machines"


def _zones(folder: Path, domain: str) -> Iterator[Path]:
    for zone in sorted(folder.glob("intel-rapl:*")):
        with suppress(OSError):
            if (zone / "name").read_text().startswith(domain):
                yield zone / "energy_uj"


def _perf_defect(event: str) -> str:
    """Start an event of the kernel; return why it does not count, or an empty string."""
    call = _PERF_EVENT_OPEN.get(os.uname().machine)
    try:
        kind = int((_PMU / "type").read_text())
        found = re.search(r"event=(\w+)", (_PMU / "events" / event).read_text())
        processor = int(re.split(r"[,-]", (_PMU / "cpumask").read_text())[0])
    except (OSError, ValueError):
        return f"{_PMU}: cannot be read"
    if call is None or found is None:
        return f"{_PMU}: not supported on this machine"
    attributes = (
        kind.to_bytes(4, "little") + _ATTRIBUTES.to_bytes(4, "little") + int(found[1], 16).to_bytes(8, "little")
    )
    text = ctypes.create_string_buffer(attributes.ljust(_ATTRIBUTES, b"\0"), _ATTRIBUTES)
    library = ctypes.CDLL(None, use_errno=True)
    file = library.syscall(call, text, -1, processor, -1, 0)
    if file < 0:
        return f"{_PMU}: {os.strerror(ctypes.get_errno())}"
    try:
        before = os.read(file, _NUMBER)
        time.sleep(_MOMENT)
        return "" if os.read(file, _NUMBER) != before else f"{_PMU}: counts nothing, as in virtual machines"
    except OSError as error:
        return f"{_PMU}: {error.strerror}"
    finally:
        os.close(file)
