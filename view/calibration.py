"""Print the calibrated times of single operations on a machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

from ..runtime.calibration.calibration import Calibration
from .lines import print_lines
from .table import print_table

__all__ = ["print_calibration"]

_WHAT: Final = {
    "instruction": "an ordinary instruction",
    "instruction_independent": "an independent instruction",
    "instruction_dependent": "a dependent instruction, in a chain of divisions",
    "division_independent": "an independent division, minus the time of a multiplication",
    "division_dependent": "a division in a chain, minus the time of a multiplication",
    "denormal": "a multiplication of a denormal number, minus the time of a normal multiplication",
    "branch_miss": "a mispredicted branch, minus the time of a predicted one",
    "l1_miss_streamed": "an L1 miss served by L2, sequential access",
    "l1_miss_chased": "an L1 miss served by L2, pointer chasing",
    "l2_miss_streamed": "an L2 miss, sequential access",
    "l2_miss_chased": "an L2 miss, pointer chasing",
    "memory_streamed": "a cache line from memory, sequential access",
    "memory_byte": "memory, one core alone",
    "memory_byte_shared": "memory, per core, all cores busy",
    "allocation": "a small block allocated and freed",
    "page_fault": "a page touched for the first time",
    "huge_page_fault": "a huge page touched for the first time",
    "flop": "a floating-point operation, best case",
    "omp_barrier": "a barrier with one thread per core",
    "read_call": "a short read from a file",
    "read_byte": "a long read from a file",
    "write_call": "a short write to a file",
    "write_byte": "a long write to a file",
    "mpi_call": "a short message within a node",
    "mpi_byte": "a long message within a node",
    "mpi_call_across": "a short message between nodes",
    "mpi_byte_across": "a long message between nodes",
}
_BYTE: Final = "_byte"


def print_calibration(found: Calibration, file: Path) -> None:
    """Print the measured times in nanoseconds and bandwidths in MB/s, the machine, and the file with these values."""
    print_table(("operation", "measured", ""), _rows(found), (1,), prose=(2,))
    place = found.place
    said = [f"{place['host']}: {place['processor']}, {place['caches']}"]
    if "cores" in place:
        said.append(f"{place['cores']} cores; floating-point benchmark built with {place['flags']}")
    if "mpi" in place:
        said.append(f"{place['launcher']}: {place['mpi']}")
    if place["instructions"] != "counted":
        said.append("valgrind does not work here, so instruction counts of gcc on x86-64 are assumed")
    print_lines(["", *said, f"stored in {file}; runs on processors of this model use these times"])


def _rows(found: Calibration) -> Iterator[tuple[str, str, str]]:
    prices = asdict(found.prices)
    said = ""
    for name, what in _WHAT.items():
        price = prices[name]
        if price is None:
            why = found.missing.get(name, "")
            yield what, "-", "" if why == said else why
            said = why
        else:
            yield what, _rate(price) if _BYTE in name else _nanoseconds(price), ""


def _nanoseconds(seconds: float) -> str:
    value = seconds * 1e9
    return f"{value:.3g} ns" if value < 999.5 else f"{value:.0f} ns"


def _rate(seconds: float) -> str:
    return f"{1e-6 / seconds:.0f} MB/s"
