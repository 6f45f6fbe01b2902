"""Find out, without PAPI, whether the kernel allows tests to count events, which a container may forbid."""

import ctypes
import os
import platform
import struct
from functools import cache

import pytest

from autoanalyzer.runtime.papi.lookup import look_up

_NUMBERS = {"x86_64": 298, "aarch64": 241, "ppc64le": 319}  # of the system call perf_event_open
_HARDWARE, _INSTRUCTIONS = 0, 1
_SOFTWARE, _TASK_CLOCK = 1, 1
_NO_KERNEL = 1 << 5 | 1 << 6  # exclude_kernel, exclude_hv
_SIZE = 112


def kernel_counts() -> bool:
    """Return whether the kernel's event for the CPU time of this thread can be opened."""
    return _opens(_SOFTWARE, _TASK_CLOCK)


def processor_counts() -> bool:
    """Return whether the processor's counter of instructions can be opened; in most virtual machines there is none."""
    return _opens(_HARDWARE, _INSTRUCTIONS)


def _opens(kind: int, event: int) -> bool:
    """Return whether an event can be opened that counts this thread outside the kernel."""
    words = struct.pack("=IIQQQQQ", kind, _SIZE, event, 0, 0, 0, _NO_KERNEL)
    attributes = ctypes.create_string_buffer(words, _SIZE)
    number = _NUMBERS[platform.machine()]
    found = ctypes.CDLL(None, use_errno=True).syscall(number, attributes, 0, -1, -1, ctypes.c_ulong(0))
    if found >= 0:
        os.close(found)
    return found >= 0


@cache
def papi_counts() -> bool:
    """Return whether PAPI counts CPU time, too; it counts nothing on processors that its libpfm4 does not know."""
    return any(each.starts for each in look_up(["perf::TASK-CLOCK"]).events)


counts_events_of_the_kernel = (
    pytest.mark.xfail(not papi_counts(), reason="PAPI does not know this processor", run=False)
    if kernel_counts()
    else pytest.mark.skip(reason="the kernel may not be asked here: perf_event_open fails")
)
"""Mark of tests in which PAPI must count the kernel's events.

They are skipped if the kernel forbids that, and expected to fail if PAPI does not know the processor: no package helps.
"""
