"""Compute the data of rooflines for the page: formulas for rates and intensities, and the machine's calibrated limits.

A roofline shows work per second over work per byte, both logarithmic (Williams, Waterman and Patterson, CACM 2009). The
work is counted in floating-point operations or, as is usual for GPUs, in instructions (Ding and Williams, PMBS 2019).
All values are per core.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...experiment import Experiment
from ...experiment.prices import Prices
from ...multivariate.derivations import PARTS_ALONE, about, cache_line, possible, why_absent
from ...multivariate.formula import Formula
from ..place import visible

__all__ = ["roofline_of"]

_TIME: Final = "counted_time"
_BYTES: Final = "memory_bytes"
_SERVED_BY_L3: Final = 1.5  # if L2 misses are faster than memory accesses by this factor, an L3 cache serves them
_NO_AMOUNTS: Final = frozenset({"difference", "ratio", "stddev"})  # operations whose results have no rates
_CALIBRATE: Final = "run autoanalyzer calibrate once; later runs will contain the results"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of roofline.

    Attributes:
        title: Title of the chart.
        work: Name of the work.
        rate: The metric of the vertical axis.
        intensity: The metric of the horizontal axis.
        peak: Name of the calibrated time whose inverse limits the rate.
        roof: Name of this limit in the chart.
        about: Text below the title.
        needs: How to obtain the data for this chart if they are missing.
    """

    title: str
    work: str
    rate: str
    intensity: str
    peak: str
    roof: str
    about: str
    needs: str


_KINDS: Final = (
    _Kind(
        "Roofline of floating-point operations",
        "floating-point operations",
        "flop_rate",
        "arithmetic_intensity",
        "flop",
        "vectorised multiplications and additions",
        "",
        "To count floating-point operations, use autoanalyzer run --counters papi:PAPI_DP_OPS, or PAPI_FP_OPS, if the "
        "machine has one of these events (see autoanalyzer counters)",
    ),
    _Kind(
        "Roofline of instructions",
        "instructions",
        "instruction_rate",
        "instruction_intensity",
        "instruction_independent",
        "the fastest loop in autoanalyzer calibrate",
        "Instructions measure work of any kind, useful or not: a vectorised loop executes fewer instructions. ",
        "To count instructions and cache misses on any machine, use autoanalyzer run --counters simulated",
    ),
)


def roofline_of(experiment: Experiment) -> dict[str, Any] | None:
    """Return the formulas of rates, and the rooflines that can be drawn, as JSON data.

    Returns:
        None for differences, ratios and deviations, and experiments derived from them, because they have no rates.
    """
    if _NO_AMOUNTS.intersection(experiment.notes.derived_by):
        return None
    line = cache_line(experiment)
    measured = [metric.name for metric in experiment.metrics if metric.aggregation == "sum"]
    formulas = possible(measured, line)
    known = {*measured, *(each.name for each in formulas)}
    charts = [each for each in _KINDS if {each.rate, each.intensity} <= known]
    return {
        "derived": [*map(_derived, formulas)],
        "time": _TIME if _TIME in known else None,
        "charts": [_chart(each, experiment, formulas, line) for each in charts],
        "lacking": [*_lacking(charts, measured, line)],
    }


def _derived(formula: Formula) -> dict[str, Any]:
    return {
        "name": formula.name,
        "unit": formula.unit({}),
        "about": f"{about(formula)}: {formula.text}",
        "tree": formula.written(),
        "listed": formula.name not in PARTS_ALONE,
    }


def _lacking(charts: Sequence[_Kind], measured: Sequence[str], line: int | None) -> Iterator[str]:
    """Yield a sentence about missing data for each roofline that cannot be drawn."""
    for kind in _KINDS:
        if kind not in charts:
            why = why_absent(kind.rate, measured, line) or why_absent(kind.intensity, measured, line)
            yield f"No {kind.title[0].lower()}{kind.title[1:]}: {why}. {kind.needs}."


def _chart(kind: _Kind, experiment: Experiment, formulas: Sequence[Formula], line: int | None) -> dict[str, Any]:
    prices = Prices.of(experiment.notes.prices)
    texts = {each.name: each.text for each in formulas}
    peak = prices.known().get(kind.peak)
    slopes = [*_slopes(prices, experiment.notes.calibrated, line, of_l2="l2_misses" in texts.get(_BYTES, ""))]
    said = [f"{kind.about}{_of_bytes(experiment, texts)}"]
    if not slopes or peak is None:
        what = " and ".join(([] if slopes else ["bandwidth"]) + ([] if peak else [f"peak {kind.work}"]))
        said.append(f"No roof for {what}, because the machine of this run was not calibrated: {_CALIBRATE}.")
    elif prices.memory_byte_shared is None:
        said.append(f"The bandwidth that all cores share is not known: {_CALIBRATE}.")
    return {
        "title": kind.title,
        "work": kind.work,
        "rate": kind.rate,
        "intensity": kind.intensity,
        "peak": 1 / peak if peak else None,
        "roof": kind.roof,
        "slopes": slopes,
        "said": said,
    }


def _slopes(
    prices: Prices, place: dict[str, str], line: int | None, *, of_l2: bool
) -> Iterator[dict[str, str | float]]:
    """Yield the known bandwidths per core in bytes per second, each with its name."""
    l3, walk = prices.l2_miss_streamed, prices.memory_streamed
    if of_l2 and line and l3 and walk and walk > _SERVED_BY_L3 * l3:
        yield {"name": "L3, one core reading", "bytes": line / l3}
    if prices.memory_byte:
        yield {"name": "memory, one core alone", "bytes": 1 / prices.memory_byte}
    elif walk and line:
        yield {"name": "memory, one core reading", "bytes": line / walk}
    if prices.memory_byte_shared:
        cores = place.get("cores", "all")
        yield {"name": f"memory, per core, {cores} cores busy", "bytes": 1 / prices.memory_byte_shared}


def _of_bytes(experiment: Experiment, texts: dict[str, str]) -> str:
    """Return a sentence that explains where the numbers of bytes and seconds come from."""
    sources = {each.name: each.source for each in experiment.metrics}
    bytes_ = f"{_BYTES} = {texts[_BYTES]}" if _BYTES in texts else f"{_BYTES}, as measured"
    of = [f"{name} is {sources[name]}" for name in sources if _BYTES in texts and name in texts[_BYTES].split()]
    seconds = f"seconds: {texts[_TIME]}" if _TIME in texts else f"seconds: {_TIME}, as measured"
    source = ", ".join(of) or "from the file"
    return visible(f"Bytes: {bytes_} ({source}), excluding write-backs to memory; {seconds}.")
