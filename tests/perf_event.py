"""Find out whether the kernel lets tests count its events, without PAPI: a container may forbid it."""

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
    """Return whether the kernel's clock of this thread can be opened."""
    return _opens(_SOFTWARE, _TASK_CLOCK)


def processor_counts() -> bool:
    """Return whether the processor's counter of instructions can be opened; in most virtual machines there is none."""
    return _opens(_HARDWARE, _INSTRUCTIONS)


def _opens(kind: int, event: int) -> bool:
    """Open an event of this thread without the kernel's part; return whether that works."""
    words = struct.pack("=IIQQQQQ", kind, _SIZE, event, 0, 0, 0, _NO_KERNEL)
    attributes = ctypes.create_string_buffer(words, _SIZE)
    number = _NUMBERS[platform.machine()]
    found = ctypes.CDLL(None, use_errno=True).syscall(number, attributes, 0, -1, -1, ctypes.c_ulong(0))
    if found >= 0:
        os.close(found)
    return found >= 0


@cache
def papi_counts() -> bool:
    """Return whether PAPI counts the same clock; it counts nothing on processors that its libpfm4 does not know."""
    return any(each.starts for each in look_up(["perf::TASK-CLOCK"]).events)


counts_events_of_the_kernel = (
    pytest.mark.xfail(not papi_counts(), reason="PAPI does not know this processor", run=False)
    if kernel_counts()
    else pytest.mark.skip(reason="the kernel may not be asked here: perf_event_open fails")
)
"""Marks tests for which PAPI has to count; that it cannot is a property of the machine, and nothing to install."""
