"""Find the requested metrics and the measured metrics needed to compute them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import UsageError, way_out
from .derivations import possible, why_absent
from .formula import Formula

__all__ = ["WantedMetrics"]


@dataclass(frozen=True, slots=True)
class WantedMetrics:
    """Requested metrics.

    Attributes:
        names: Names, each once, in the requested order.
        measured: The measured metrics to read, because they are requested or part of a formula.
        formulas: The formulas to compute, each after the formulas that it uses.
    """

    names: tuple[str, ...]
    measured: tuple[str, ...]
    formulas: tuple[Formula, ...]

    @classmethod
    def among(
        cls,
        measured: Sequence[str],
        names: Sequence[str] | None = None,
        derived: Sequence[Formula] = (),
        *,
        line: int | None = None,
    ) -> WantedMetrics:
        """Find the requested metrics among the existing ones.

        Args:
            measured: Names of the existing metrics. Metrics that the table derives from these also exist.
            names: The requested names; all measured metrics if None.
            derived: Further requested formulas, each using only metrics that were measured or derived before.
            line: Size of a cache line in bytes, if known.

        Raises:
            UsageError: A metric does not exist, or a derived metric has the name of another metric.
        """
        own = {each.name for each in derived}
        formulas = {each.name: each for each in possible(measured, line, taken=own)}
        for formula in derived:
            words = f"{formula.name}={formula.text}"
            known = {*measured, *formulas}
            if formula.name in known:
                raise UsageError(f"{words}: expected a new name, found the name of an existing metric")
            for name in formula.metrics:
                if name not in known:
                    why = why_absent(name, measured, line) or way_out(name, known)
                    raise UsageError(f"{words}: no metric {name!r}; {why}")
            formulas[formula.name] = formula
        wanted = tuple(dict.fromkeys([*(measured if names is None else names), *(each.name for each in derived)]))
        for name in wanted:
            if name not in formulas and name not in measured:
                why = why_absent(name, measured, line) or way_out(name, [*measured, *formulas])
                raise UsageError(f"no metric {name!r}; {why}")
        needed = set(wanted)
        for formula in reversed(formulas.values()):
            if formula.name in needed:
                needed.update(formula.metrics)
        return cls(
            wanted,
            tuple(name for name in measured if name in needed),
            tuple(formula for formula in formulas.values() if formula.name in needed),
        )
