"""The table of derived metrics with their formulas, and the reasons why a metric cannot be computed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from ..experiment import Experiment
from .formula import Formula

__all__ = [
    "DERIVATIONS",
    "PARTS_ALONE",
    "Derivation",
    "about",
    "built_in",
    "cache_line",
    "derivations",
    "possible",
    "why_absent",
]

_LINE: Final = "{line}"
_LINE_OF: Final = re.compile(r"\bL2=\d+[KMG]?/\d+/(\d+)")


@dataclass(frozen=True, slots=True)
class Derivation:
    """A metric and the formula for it.

    Attributes:
        name: Name of the metric; entries with the same name are tried in order.
        text: The formula; ``{line}`` represents the size of a cache line in bytes.
        unit: Unit of the result; empty for a ratio.
        about: The description of the metric.
        searched: Whether analyses use the metric by default. A metric that adds nothing to the others is computed only
            on request.
    """

    name: str
    text: str
    unit: str
    about: str
    searched: bool = False

    @property
    def said(self) -> str:
        """The formula as it is shown to users, with ``line`` for the size of a cache line."""
        return self.text.replace(_LINE, "line")

    def formula(self, line: int | None) -> Formula | None:
        """Return the formula for a size of cache lines; None if it needs this size, but the size is unknown."""
        if _LINE in self.text and line is None:
            return None
        return Formula.parse(f"{self.name} = {self.text.replace(_LINE, str(line))}", unit=self.unit)


# PAPI_… are events that a user requests or that other tools' profiles contain. They include the work of MPI.
DERIVATIONS: Final = (
    Derivation("compute_time", "cpu_time - mpi_cpu_time", "sec", "CPU time outside MPI", searched=True),
    Derivation("l1_miss_rate", "l1_misses / l1_accesses", "", "share of accesses that miss in L1", searched=True),
    Derivation("l2_miss_rate", "l2_misses / l2_accesses", "", "share of L2 accesses that miss", searched=True),
    Derivation("cpi", "cycles / instructions", "", "cycles per instruction", searched=True),
    Derivation("cpi", "ref_cycles / instructions", "", "ticks of the reference clock per instruction", searched=True),
    Derivation("ipc", "instructions / cycles", "", "instructions per cycle", searched=True),
    Derivation("ipc", "instructions / ref_cycles", "", "instructions per tick of the reference clock", searched=True),
    Derivation("ipc", "PAPI_TOT_INS / PAPI_TOT_CYC", "", "instructions per cycle"),
    Derivation("l1_mpki", "1000 * l1_misses / instructions", "", "L1 misses per 1000 instructions"),
    Derivation("l1_mpki", "1000 * PAPI_L1_DCM / PAPI_TOT_INS", "", "L1 misses per 1000 instructions"),
    Derivation("l2_mpki", "1000 * l2_misses / instructions", "", "L2 misses per 1000 instructions"),
    Derivation("l2_mpki", "1000 * PAPI_L2_DCM / PAPI_TOT_INS", "", "L2 misses per 1000 instructions"),
    Derivation("mpi_rate", "mpi_bytes / mpi_time", "bytes/sec", "bytes per second in MPI calls"),
    Derivation("io_rate", "io_bytes / io_time", "bytes/sec", "bytes per second in file I/O"),
    # The time during which instructions and misses are counted. It includes file I/O, because libraries format text
    # there. Other tools count during all CPU time.
    Derivation("counted_time", "cpu_time - mpi_cpu_time - omp_cpu_time", "sec", "CPU time outside MPI and OpenMP"),
    Derivation("counted_time", "cpu_time - mpi_cpu_time", "sec", "CPU time outside MPI"),
    Derivation("counted_time", "cpu_time", "sec", "CPU time"),
    Derivation("counted_time", "wall_time", "sec", "wall-clock time"),
    Derivation("instruction_rate", "instructions / counted_time", "occ/sec", "instructions per second"),
    # Misses of the last cache level that is counted; the bytes that this level writes back are unknown.
    Derivation("memory_bytes", "{line} * PAPI_L3_TCM", "bytes", "bytes that L3 misses fetch from memory"),
    Derivation("memory_bytes", "{line} * l2_misses", "bytes", "bytes that L2 misses fetch from L3 or memory"),
    Derivation("memory_bytes", "{line} * PAPI_L2_DCM", "bytes", "bytes that L2 misses fetch from L3 or memory"),
    Derivation("memory_rate", "memory_bytes / counted_time", "bytes/sec", "bytes fetched per second by cache misses"),
    Derivation("instruction_intensity", "instructions / memory_bytes", "occ/bytes", "instructions per byte fetched"),
    Derivation("flops", "PAPI_DP_OPS", "occ", "double-precision operations"),
    Derivation("flops", "PAPI_FP_OPS", "occ", "floating-point operations"),
    Derivation("flop_rate", "flops / counted_time", "occ/sec", "floating-point operations per second"),
    Derivation("arithmetic_intensity", "flops / memory_bytes", "occ/bytes", "floating-point operations per byte"),
)


# Metrics that only serve as terms of other formulas. By default, analyses and pages leave them out.
PARTS_ALONE: Final = frozenset({"compute_time", "cpi", "flops", "memory_bytes", "counted_time"})


@cache
def derivations(line: int | None = None) -> tuple[Formula, ...]:
    """Return all formulas of the table, each after the formulas that it uses.

    If the size of a cache line is unknown, formulas that need it are left out.
    """
    return tuple(found for each in DERIVATIONS if (found := each.formula(line)))


@cache
def built_in() -> tuple[Formula, ...]:
    """Return the formulas of the metrics that analyses use by default."""
    return tuple(found for each in DERIVATIONS if each.searched and (found := each.formula(None)))


def possible(measured: Collection[str], line: int | None = None, *, taken: Collection[str] = ()) -> list[Formula]:
    """Return the formulas that can be computed, each after the formulas that it uses.

    If several formulas compute the same metric, only the first possible one is returned; none for a measured metric.

    Args:
        measured: Names of the measured metrics.
        line: Size of a cache line in bytes, if known.
        taken: Names that already have another meaning.
    """
    known, found = {*measured}, []
    for formula in derivations(line):
        if formula.name not in known and formula.name not in taken and known.issuperset(formula.metrics):
            known.add(formula.name)
            found.append(formula)
    return found


def about(formula: Formula) -> str:
    """Return the description of a formula from the table.

    Several formulas may have the same name, so a formula is identified by the metrics that it uses.
    """
    of_name = [each for each in DERIVATIONS if each.name == formula.name]
    return next(each.about for each in of_name if (same := each.formula(1)) and same.metrics == formula.metrics)


def cache_line(experiment: Experiment) -> int | None:
    """Return the size of a cache line in bytes: of the simulated caches or, if it was calibrated, of the machine."""
    simulated = [metric.source for metric in experiment.metrics if metric.name == "l2_misses"]
    for text in (*simulated, experiment.notes.calibrated.get("caches", "")):
        if told := _LINE_OF.search(text):
            return int(told[1])
    return None


def why_absent(name: str, measured: Collection[str], line: int | None = None) -> str:
    """Return why a metric of the table cannot be computed; empty if it can be computed, or is not in the table."""
    ways = [each for each in DERIVATIONS if each.name == name]
    if not ways or name in measured or any(each.name == name for each in possible(measured, line)):
        return ""
    lacking = _fewest(ways, measured, line)
    return f"{name} is computed as {' or '.join(each.said for each in ways)}; missing here: {', '.join(lacking)}"


def _lacking(derivation: Derivation, measured: Collection[str], line: int | None) -> list[str]:
    """Return the unmeasured metrics that a derivation needs, each once."""
    formula = derivation.formula(line or 1)
    assert formula is not None, "every derivation has a formula if the size of a cache line is given"
    there = {*measured, *(each.name for each in possible(measured, line))}
    found = ["the size of a cache line"] if _LINE in derivation.text and line is None else []
    for part in formula.metrics:
        ways = [each for each in DERIVATIONS if each.name == part]
        if part not in there:
            found += _fewest(ways, measured, line) if ways else [part]
    return [*dict.fromkeys(found)]


def _fewest(ways: Sequence[Derivation], measured: Collection[str], line: int | None) -> list[str]:
    """Return the missing metrics of the derivation with the fewest; in a tie, those of the first derivation."""
    found = [_lacking(each, measured, line) for each in ways]
    return min(found, key=len)
