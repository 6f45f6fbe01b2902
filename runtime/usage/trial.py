"""Test which metrics of system use this machine counts: touch memory, sleep, allocate, read energy."""

from __future__ import annotations

import mmap
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...errors import BuildError
from ..c_compiler import c_compilers, compiled
from .energy import energy_defect, energy_source
from .names import ALLOCATION, ALLOCATION_FLAGS, ALLOCATION_LIBRARY, ENERGY, USAGE

__all__ = ["Used", "allocation_command", "tried_usage"]

_PAGES: Final = 64
_SOURCE: Final = Path(__file__).parents[1] / "probe" / "malloc" / "malloc.c"
# Only checks whether allocations could be reported, and reports none, because Python itself allocates memory.
_ASK: Final = """
import ctypes
watch = ctypes.CDLL(None).aa_allocation_watch
watch.restype = ctypes.c_char_p
print((watch(None) or b"").decode())
"""


@dataclass(frozen=True, slots=True)
class Used:
    """A metric that was tested.

    Attributes:
        name: The metric's name for ``--usage``.
        source: How the metric is counted; empty if it is not counted.
        outcome: ``counts``; ``starts`` if it counted nothing in the test; or ``fails``.
        reason: Why counting fails.
    """

    name: str
    source: str
    outcome: str
    reason: str = ""


def tried_usage(environment: Mapping[str, str] = os.environ) -> list[Used]:
    """Test all metrics of system use, in the order of ``USAGE``."""
    system, defect = _tried_system(), _allocation_defect(environment)
    found = []
    for name in USAGE:
        if name in ENERGY:
            reason = energy_defect(name)
            found.append(Used(name, energy_source(name), "fails" if reason else "counts", reason))
        elif name in ALLOCATION:
            found.append(Used(name, "" if defect else "malloc", "fails" if defect else "counts", defect))
        else:
            found.append(Used(name, "getrusage", "counts" if system[name] else "starts"))
    return found


def allocation_command(compiler: tuple[str, ...], folder: Path) -> list[str]:
    """Return the command that builds the library for counting allocation in a folder."""
    return [*compiler, *ALLOCATION_FLAGS, str(_SOURCE), "-o", str(folder / ALLOCATION_LIBRARY), "-ldl"]


def _tried_system() -> dict[str, int]:
    before = resource.getrusage(resource.RUSAGE_THREAD)
    with mmap.mmap(-1, _PAGES * mmap.PAGESIZE) as memory:
        for page in range(_PAGES):
            memory[page * mmap.PAGESIZE] = 1
    time.sleep(1e-4)
    after = resource.getrusage(resource.RUSAGE_THREAD)
    major, involuntary = after.ru_majflt - before.ru_majflt, after.ru_nivcsw - before.ru_nivcsw
    return {
        "page_faults": after.ru_minflt - before.ru_minflt + major,
        "major_page_faults": major,
        "context_switches": after.ru_nvcsw - before.ru_nvcsw + involuntary,
        "involuntary_context_switches": involuntary,
        "system_time": round(1e6 * (after.ru_stime - before.ru_stime)),
    }


def _allocation_defect(environment: Mapping[str, str]) -> str:
    """Build the allocation library, and preload it into a process; return why that fails, or an empty string."""
    try:
        compiler = c_compilers(environment, "the library that counts allocations")[0]
    except BuildError as error:
        return str(error)
    with tempfile.TemporaryDirectory(prefix="autoanalyzer-") as name:
        built = compiled(allocation_command(compiler, Path(name)), environment)
        if built.returncode:
            return f"{compiler[0]} cannot build the library that counts allocations"
        variables = {**environment, "LD_PRELOAD": str(Path(name, ALLOCATION_LIBRARY))}
        command = [sys.executable, "-I", "-c", _ASK]
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        return "cannot preload a library to intercept the allocator on this system"
    return done.stdout.strip()
