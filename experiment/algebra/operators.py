"""The operators of the algebra, each of which computes one experiment from several (Song et al. 2004, section 3).

The stored exclusive values are combined one by one on the operands' common domain. An operand counts as 0 at call paths
and locations that it does not have. If one of its values is missing (NaN), the result's value is missing, too. Each
metric of the result is computed on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final, TypedDict, Unpack
from weakref import WeakKeyDictionary

import numpy as np

from ...errors import UsageError
from ..experiment import Experiment, Severity
from ..metric import Aggregation, Metric
from ..severities import LazySeverities, Rows
from .delays import derived_delays
from .doubts import doubts, is_lacked
from .history import derived_notes
from .integration import Integration, integrate
from .locations import Hierarchy

__all__ = ["Options", "difference", "maximum", "mean", "merge", "minimum", "ratio", "stddev", "total"]


_MOST_STEPS: Final = 32
# For each result, the number of operations that separate it from values in memory, at most _MOST_STEPS. Reading a
# result takes several stack frames per operation, so the values of a longer chain are computed immediately.
_STEPS: Final[WeakKeyDictionary[Experiment, int]] = WeakKeyDictionary()


# Aggregation of a metric → how it is treated if an operand does not have it, as warnings describe it. For any other
# aggregation, the result contains only the operands that have the metric.
_ZERO: Final = "and counted as 0 there"
_LACKED: Final[Mapping[Aggregation, str]] = {
    "sum": _ZERO,
    "min": _ZERO,
    "max": _ZERO,
    "none": "and missing in the result",
}
# The same for differences and sums, in which counting the metric as 0 would look like a measured change.
_ALONE: Final = "so the result contains only values from other experiments"
_LACKED_BY_SUMS: Final[Mapping[Aggregation, str]] = {**_LACKED, "sum": _ALONE, "min": _ALONE, "max": _ALONE}
_MISSING: Final = "so the change is unknown"
_UNKNOWN: Final[Mapping[Aggregation, str]] = {**_LACKED, "sum": _MISSING, "min": _MISSING, "max": _MISSING}
_LACKED_BY_EXTREMES: Final[Mapping[Aggregation, str]] = {"sum": _ZERO}


class Options(TypedDict, total=False):
    """Options for matching operands; see ``integrate``."""

    exact: bool
    system: Hierarchy
    labels: Sequence[str]


def difference(
    minuend: Experiment,
    subtrahend: Experiment,
    joined: Integration | None = None,
    *,
    of_both: bool = False,
    **options: Unpack[Options],
) -> Experiment:
    """Subtract the second experiment from the first.

    Args:
        minuend: The first experiment.
        subtrahend: The second experiment.
        joined: The integration of both experiments, if it already exists.
        of_both: Whether a metric must be in both experiments. If true, a metric of only one experiment is missing in
            the result; if false, it counts as 0 in the other experiment.
        options: Options for matching the experiments.
    """
    joined = joined or integrate((minuend, subtrahend), **options)
    lacked = _UNKNOWN if of_both else _LACKED_BY_SUMS
    return _combined("difference", joined, lambda values: next(values) - next(values), lacked=lacked)


def merge(*operands: Experiment, **options: Unpack[Options]) -> Experiment:
    """Combine the metrics of experiments; a metric that several experiments have is taken from the first of them.

    Values are not changed, so metrics keep their sources.
    """
    joined = integrate(operands, **options)

    def values(metric: str) -> Severity:
        owner = next(index for index, names in enumerate(joined.names) if metric in names)
        return joined.severity(owner, metric)

    return _experiment("merge", joined, joined.metrics, values, doubts(joined, {}))


def mean(*operands: Experiment, **options: Unpack[Options]) -> Experiment:
    """Return the mean of experiments, value by value."""

    def values(of_each: Iterator[Severity]) -> Severity:
        return np.asarray(_added(of_each) / len(operands))

    return _combined("mean", integrate(operands, **options), values, integral=False, of_known=_mean_of_known)


def total(*operands: Experiment, **options: Unpack[Options]) -> Experiment:
    """Return the sum of experiments, value by value."""
    return _combined("sum", integrate(operands, **options), _added, lacked=_LACKED_BY_SUMS)


def minimum(*operands: Experiment, **options: Unpack[Options]) -> Experiment:
    """Return the minimum of experiments, value by value."""
    return _extreme("min", np.minimum, np.fmin, integrate(operands, **options))


def maximum(*operands: Experiment, **options: Unpack[Options]) -> Experiment:
    """Return the maximum of experiments, value by value."""
    return _extreme("max", np.maximum, np.fmax, integrate(operands, **options))


def stddev(*operands: Experiment, **options: Unpack[Options]) -> Experiment:
    """Return the sample standard deviation (with n - 1) of experiments, value by value.

    A metric's deviation does not include its child metrics' deviations, so all metrics of the result are roots, such as
    ``time.stddev``.

    Raises:
        UsageError: There are fewer than two experiments.
    """
    if len(operands) < 2:
        raise UsageError("stddev: expected at least two experiments, found one")

    def values(of_each: Iterator[Severity]) -> Severity:
        every = list(of_each)
        middle = _added(iter(every)) / len(every)
        return np.asarray(np.sqrt(_added((each - middle) ** 2 for each in every) / (len(every) - 1)))

    return _combined("stddev", integrate(operands, **options), values, integral=False, flat=True)


def ratio(dividend: Experiment, divisor: Experiment, **options: Unpack[Options]) -> Experiment:
    """Divide the first experiment by the second, value by value; if a divisor is 0, the result is missing.

    Ratios cannot be added up along call paths or metrics, so all metrics of the result are roots, such as
    ``time.ratio``.
    """

    def values(of_each: Iterator[Severity]) -> Severity:
        above, below = of_each
        with np.errstate(all="ignore"):
            quotient = np.divide(above, np.where(below == 0, np.nan, below))
        return np.where(np.isinf(quotient), np.nan, quotient)

    return _combined("ratio", integrate((dividend, divisor), **options), values, integral=False, flat=True, unit="1")


def _combined(
    operation: str,
    joined: Integration,
    combine: Callable[[Iterator[Severity]], Severity],
    *,
    integral: bool = True,
    flat: bool = False,
    unit: str | None = None,
    of_known: Callable[[Iterator[Severity]], Severity] | None = None,
    lacked: Mapping[Aggregation, str] = _LACKED,
) -> Experiment:
    """Apply an operation value by value.

    Args:
        operation: The name of the operation.
        joined: The operands.
        combine: Computes the values of the result from the operands' values.
        integral: Whether the operation maps integers to integers.
        flat: Whether all metrics of the result are roots and not additive.
        unit: The result's unit; None for the operands' unit.
        of_known: Used instead of ``combine`` for minima and maxima: computes the result from the values that are not
            missing.
        lacked: Aggregation of a metric → how it is treated if an operand does not have it.
    """
    metrics: list[Metric] = []
    mixed: list[str] = []
    for metric in joined.metrics:
        known = [
            each.metric(names[metric.name])
            for each, names in zip(joined.operands, joined.names, strict=True)
            if metric.name in names
        ]
        sources = dict.fromkeys(map(_basis, known))
        if len(sources) > 1:
            mixed.append(metric.name)
        whose = f" of {next(iter(sources))}" if len(sources) == 1 else ""
        metrics.append(
            replace(
                metric,
                name=f"{metric.name}.{operation}" if flat else metric.name,
                unit=metric.unit if unit is None else unit,
                parent=None if flat else metric.parent,
                source=f"derived:{operation}{whose}",
                dtype="FLOAT" if flat else _dtype(metric, integral=integral),
                additive=metric.additive and not flat,
            )
        )

    of = {metric.name: before for metric, before in zip(metrics, joined.metrics, strict=True)}

    def combined(metric: str, of_operand: Callable[[int, str], Severity | None]) -> Severity | None:
        name, kind = of[metric].name, of[metric].aggregation
        function = of_known if of_known and kind in ("min", "max") else combine
        whose = (index for index, names in enumerate(joined.names) if name in names or kind in lacked)
        parts = (of_operand(index, name) for index in whose)
        if lacked is _UNKNOWN and is_lacked(joined, name):
            return None if (like := next(parts)) is None else np.full_like(like, np.nan)
        with np.errstate(over="ignore", invalid="ignore"), suppress(_ApartError):  # the writers refuse infinity
            return function(each if each is not None else _apart() for each in parts)
        return None

    def values(metric: str) -> Severity:
        found = combined(metric, joined.severity)
        assert found is not None
        return found

    def rows(metric: str, wanted: Rows) -> Severity | None:
        return combined(metric, lambda index, name: joined.some_rows(index, name, wanted))

    remarks = [*doubts(joined, lacked)]
    if mixed:
        remarks.append(f"the {operation} combines values that were measured in different ways: {', '.join(mixed)}")
    one_sided = [each.name for each in metrics if not all(of[each.name].name in names for names in joined.names)]
    return _experiment(operation, joined, metrics, values, remarks, rows=rows, one_sided=one_sided)


class _ApartError(Exception):
    """Raised if rows of an operand cannot be read separately."""


def _apart() -> Severity:
    raise _ApartError


def _extreme(operation: str, of_all: np.ufunc, of_known: np.ufunc, joined: Integration) -> Experiment:
    every, known = partial(_folded, of_all), partial(_folded, of_known)
    return _combined(operation, joined, every, of_known=known, lacked=_LACKED_BY_EXTREMES)


def _experiment(
    operation: str,
    joined: Integration,
    metrics: Sequence[Metric],
    values: Callable[[str], Severity],
    remarks: Iterable[str] = (),
    *,
    rows: Callable[[str, Rows], Severity | None] = lambda *_: None,
    one_sided: Iterable[str] = (),
) -> Experiment:
    steps = 1 + max(_STEPS.get(each, 0) for each in joined.operands)
    names = [metric.name for metric in metrics]
    result = Experiment(
        metrics=metrics,
        call_paths=joined.call_paths,
        locations=joined.locations,
        severities=LazySeverities(names, values, rows=rows)
        if steps <= _MOST_STEPS
        else {name: values(name) for name in names},
        notes=derived_notes(
            operation,
            joined.operands,
            joined.labels,
            joined.alike,
            remarks=[*_losses(joined), *remarks],
            throttled=joined.folding.throttled,
            delays=derived_delays(operation, joined),
            one_sided=one_sided,
        ),
        topologies=joined.topologies,
    )
    _STEPS[result] = steps % (_MOST_STEPS + 1)
    return result


def _losses(joined: Integration) -> Iterator[str]:
    for index, label in enumerate(joined.labels):
        if lost := joined.lost(index):
            ranks = f"rank {lost[0]} is" if len(lost) == 1 else f"ranks {', '.join(map(str, lost))} are"
            yield f"{ranks} missing in {label}, and therefore in the result"


def _basis(metric: Metric) -> str:
    """Return a metric's source; for a derived metric, the source of the values from which it was derived."""
    return metric.source.rpartition(" of ")[2] if metric.source.startswith("derived:") else metric.source


def _dtype(metric: Metric, *, integral: bool) -> str:
    """Return the type of an operation's result. Integers become signed, because differences may be negative."""
    if metric.integral:
        return "INTEGER" if integral else "FLOAT"
    return metric.dtype


def _mean_of_known(values: Iterable[Severity]) -> Severity:
    every = list(values)
    count = _added(~np.isnan(each) * 1.0 for each in every)
    return np.asarray(_added(np.nan_to_num(each) for each in every) / np.where(count, count, np.nan))


def _added(values: Iterable[Severity]) -> Severity:
    return _folded(np.add, values)


def _folded(operation: np.ufunc, values: Iterable[Severity]) -> Severity:
    """Combine all arrays one after the other, without changing the inputs."""
    every = iter(values)
    result = next(every)
    for number, each in enumerate(every):
        result = operation(result, each, out=result if number else None)
    return np.asarray(result)
