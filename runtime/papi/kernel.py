"""The kernel's settings for performance events."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

__all__ = ["LEVEL", "has_pmu", "kernel_said", "may_count_all", "paranoid_level"]

LEVEL: Final = "kernel.perf_event_paranoid"

_PARANOID: Final = Path("/proc/sys/kernel/perf_event_paranoid")
_DEVICES: Final = Path("/sys/bus/event_source/devices")
_STATUS: Final = Path("/proc/self/status")
_CAPABILITIES: Final = 1 << 38 | 1 << 21  # CAP_PERFMON and CAP_SYS_ADMIN, from capability.h
_PMUS: Final = ("cpu", "arm", "power")  # name prefixes of the PMUs of processors


def paranoid_level() -> str | None:
    """Return the level of restrictions on counting; None if this kernel has no performance events."""
    try:
        return _PARANOID.read_text().strip()
    except OSError:
        return None


def has_pmu() -> bool:
    """Return whether the kernel provides the processor's counters, which virtual machines often do not have."""
    return any(each.name.startswith(_PMUS) for each in _DEVICES.glob("*"))


def may_count_all() -> bool:
    """Return whether this process may count every event regardless of the kernel's restrictions.

    Root may do so, except in most containers.
    """
    found = re.search(r"^CapEff:\s*([0-9a-f]+)", _STATUS.read_text(), re.M)
    return bool(found and int(found[1], 16) & _CAPABILITIES)


def kernel_said() -> str:
    """Describe the kernel's support for performance events: its restriction level, and whether a PMU is missing."""
    level = paranoid_level()
    if level is None:
        return "this kernel does not support performance events"
    said = f"perf_event_paranoid is {level}"
    return said if has_pmu() else f"{said}, and the kernel reports no PMU, as is usual in virtual machines"
