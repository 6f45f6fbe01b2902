"""What one operand has throttled has no time of its own in any: else its caller looks slower where it was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..experiment import CallPath, Experiment
from ..grouping import to_callers
from ..region import Region
from .history import listed

__all__ = ["Folding", "fold_throttled"]


@dataclass(frozen=True)
class Folding:
    """Call paths of the domain whose values go to their callers.

    Attributes:
        paths: These and their callers, in the order of the domain.
        throttled: Descriptors of their regions in the domain, each with the reason, as notes have them.
        remark: What some operands have measured, and others have throttled; empty if there is nothing of that kind.
    """

    paths: tuple[tuple[int, int], ...] = ()
    throttled: Mapping[str, str] = field(default_factory=dict)
    remark: str = ""

    def applied(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Give exclusive values of the domain, ``float64[call path, …]``, folded; those given are not changed."""
        if not self.paths:
            return values
        folded = values.copy()
        to_callers(folded, self.paths)
        return folded


def fold_throttled(
    operands: Sequence[Experiment],
    labels: Sequence[str],
    call_paths: Sequence[CallPath],
    rows: Sequence[npt.NDArray[np.intp]],
) -> Folding:
    """Fold the regions that any operand has throttled, as the gather does with those of a process.

    Args:
        operands: The experiments.
        labels: What they are called.
        call_paths: The domain.
        rows: For each operand, where its call paths stand in it.
    """
    if not any(each.notes.throttled for each in operands):
        return Folding()
    names = [
        {path.region: call_paths[row].region for path, row in zip(each.call_paths, of_each.tolist(), strict=True)}
        for each, of_each in zip(operands, rows, strict=True)
    ]
    throttled: dict[str, str] = {}
    by: dict[Region, list[str]] = {}
    for each, label, known in zip(operands, labels, names, strict=True):
        for descriptor, reason in each.notes.throttled.items():
            own = Region.from_descriptor(descriptor)
            region = known.get(own, own)
            throttled.setdefault(region.descriptor, reason)
            by.setdefault(region, []).append(label)
    had = [{*known.values()} for known in names]
    unlike = [region for region, those in by.items() if len(those) < sum(region in regions for regions in had)]
    remark = ""
    if unlike:
        some = dict.fromkeys(label for region in unlike for label in by[region])
        remark = f"folded in all: {listed(region.name for region in unlike)}, throttled in {listed(some)}"
    folded = enumerate(call_paths)
    paths = ((place, path.parent) for place, path in folded if path.parent is not None and path.region in by)
    return Folding(tuple(paths), throttled, remark)
