"""Draw the efficiency and its factors as meters: the strip at the top of the page."""

from __future__ import annotations

from typing import Final

from ...analyze import Findings
from ...analyze.run.criteria import THRESHOLD
from ...analyze.scaling.factors import is_low
from ..marks.mark import element, text
from ..units import percent

__all__ = ["efficiency_strip"]

_WIDE: Final = 60  # width of a meter in pixels
_HIGH: Final = 7
_MEANINGS: Final = {
    "parallel efficiency": "mean busy time of the ranks / length of the critical path",
    "load balance": "mean busy time of the ranks / busy time of the busiest rank",
    "serialisation efficiency": "busy time of the busiest rank / length of the critical path",
    "transfer efficiency": "length of the critical path / wall time of the run",
}


def efficiency_strip(findings: Findings) -> str:
    """Return the parallel efficiency and its factors as HTML; empty without a critical path.

    As in the verdict, the parallel efficiency leaves out transfer, which is shown beside it if ranks cannot have waited
    for cores.
    """
    found = findings.efficiency
    if found is None or findings.verdict.too_short:
        return ""
    factors = {
        "parallel efficiency": found.load_balance * found.serialisation,
        "load balance": found.load_balance,
        "serialisation efficiency": found.serialisation,
        **({"transfer efficiency": found.transfer} if "transfer" in found.reliable else {}),
    }
    shown = "".join(_factor(name, value) for name, value in factors.items())
    return element("dl", shown, class_="efficiencies")


def _factor(name: str, value: float) -> str:
    """Return a factor as HTML: its name, value and meter."""
    said = element("dt", text(name)) + element("dd", text(percent(100 * value)), _meter(value))
    title = f"{_MEANINGS[name]}; values below {percent(100 * (1 - THRESHOLD))} are marked"
    return element("div", said, class_="low" if is_low(value) else None, title=title)


def _meter(value: float) -> str:
    """Return a bar from 0 to 100 %, with a line at the threshold below which values are marked."""
    line = _WIDE * (1 - THRESHOLD)
    return element(
        "svg",
        element("rect", class_="room", width=_WIDE, height=_HIGH),
        element("rect", class_="part", width=_WIDE * min(value, 1.0), height=_HIGH),
        element("path", class_="line", d=f"M{line:.1f} 0v{_HIGH}"),
        width=_WIDE,
        height=_HIGH,
        aria_hidden="true",
    )
