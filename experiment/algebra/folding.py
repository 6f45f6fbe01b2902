"""What one operand has throttled has no time of its own in any: else its caller looks slower where it was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..experiment import CallPath, Experiment, name_below_root
from ..grouping import to_callers
from ..region import Region
from ..throttling import folded_paths
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
    """Fold the call paths that any operand has folded, as the gather does with those of a process.

    Args:
        operands: The experiments.
        labels: What they are called.
        call_paths: The domain.
        rows: For each operand, where its call paths stand in it.
    """
    by: dict[int, list[str]] = {}
    had = np.zeros(len(call_paths), dtype=int)
    for each, label, of_each in zip(operands, labels, rows, strict=True):
        had[of_each] += 1
        for place in of_each[folded_paths(each)].tolist():
            if call_paths[place].parent is not None:
                by.setdefault(place, []).append(label)
    unlike = [place for place in sorted(by) if len(by[place]) < had[place]]
    remark = ""
    if unlike:
        some = dict.fromkeys(label for place in unlike for label in by[place])
        names = (name_below_root(call_paths, place) for place in unlike)
        remark = f"folded in all: {listed(names)}, throttled in {listed(some)}"
    pairs = ((place, call_paths[place].parent) for place in sorted(by))
    paths = tuple((place, parent) for place, parent in pairs if parent is not None)
    return Folding(paths, _throttled(operands, call_paths, rows), remark)


def _throttled(
    operands: Sequence[Experiment], call_paths: Sequence[CallPath], rows: Sequence[npt.NDArray[np.intp]]
) -> dict[str, str]:
    """Give what the operands have throttled, as the domain knows it."""
    throttled: dict[str, str] = {}
    for each, of_each in zip(operands, rows, strict=True):
        if each.notes.throttled:
            places = zip(each.call_paths, of_each.tolist(), strict=True)
            known = {path.region: call_paths[row].region for path, row in places}
            for descriptor, reason in each.notes.throttled.items():
                own = Region.from_descriptor(descriptor)
                throttled.setdefault(known.get(own, own).descriptor, reason)
    return throttled
