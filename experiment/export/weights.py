"""The values of stacks: an additive metric, rounded to integers, because most formats support only integers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from ...errors import InputError, UsageError
from ..experiment import Experiment, Location
from ..metric import WEIGHING_TIMES, Metric
from ..severities import Severity
from .part import parts

__all__ = ["NANO", "default_metric", "metric_of_stacks", "unit_of", "weights", "whole_numbers"]

NANO: Final = 1e9  # nanoseconds per second; the clocks have a resolution of one nanosecond
_MOST: Final = 2.0**63  # the smallest number that does not fit into a signed 64-bit integer


def metric_of_stacks(experiment: Experiment, name: str | None = None) -> Metric:
    """Return a metric for stacks: the named metric, or by default the first of ``WEIGHING_TIMES`` that exists.

    Raises:
        InputError: There is no such metric.
        UsageError: The named metric is not additive.
    """
    name = default_metric(experiment) if name is None else name
    if name is None:
        names = ", ".join(each.name for each in experiment.metrics)
        times = f"{', '.join(WEIGHING_TIMES[:-1])} or {WEIGHING_TIMES[-1]}"
        raise InputError(f"expected the metric {times}, found {names}; choose a metric with --metric")
    metric = experiment.metric(name)
    if metric.aggregation != "sum":
        raise UsageError(f"--metric {name}: stacks need an additive metric; to export other metrics, use .jsonl")
    return metric


def default_metric(experiment: Experiment) -> str | None:
    """Return the default metric for stacks, which is the first of ``WEIGHING_TIMES`` that exists; None if none does."""
    return next((each for each in WEIGHING_TIMES if each in experiment), None)


def unit_of(metric: Metric) -> tuple[str, float]:
    """Return the unit of a metric's integers, and the factor that converts the metric's values to it."""
    return ("nanoseconds", NANO) if metric.unit == "sec" else (metric.unit, 1.0)


def whole_numbers(values: Severity, metric: Metric) -> npt.NDArray[np.int64]:
    """Return values as ``int64`` of the same shape, in the unit that ``unit_of`` returns; missing values become 0.

    Raises:
        InputError: A value does not fit into 64 bits.
    """
    with np.errstate(over="ignore"):
        rounded = np.rint(np.nan_to_num(values, posinf=np.inf, neginf=-np.inf) * unit_of(metric)[1])
    if (np.abs(rounded) >= _MOST).any():
        unit, most = unit_of(metric)[0], np.nanmax(np.abs(rounded))
        raise InputError(f"metric {metric.name!r}: expected values below 2^63 {unit}, found {most:g}")
    return rounded.astype(np.int64)


def weights(
    experiment: Experiment, metric: Metric, *, together: bool
) -> Iterator[tuple[Location | None, npt.NDArray[np.int64]]]:
    """Yield each location with the exclusive values of its call paths, ``int64[call path]``.

    Raises:
        InputError: A value is below 0, as in differences, or does not fit into 64 bits.
    """
    for part in parts(experiment, together=together):
        found = whole_numbers(part.read(metric.name), metric)
        if (found < 0).any():
            path, column = (int(each[0]) for each in np.nonzero(found < 0))
            name = experiment.path_name(path) or experiment.call_paths[path].region.name
            least = found[path, column] / unit_of(metric)[1]
            raise InputError(
                f"metric {metric.name!r}: stacks cannot show negative values, found {least:g} in "
                f"{name}; export to .pb.gz or .jsonl instead"
            )
        yield from zip(part.whose, found.T, strict=True)
