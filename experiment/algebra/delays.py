"""Combine the delays of several experiments by pair of regions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Final

from ..delay import Delay, longest_first
from ..experiment import Experiment
from .integration import Integration

__all__ = ["derived_delays"]

# Operation → combines the seconds of a pair of regions from all operands that have it, given the number of operands.
_COMBINED: Final[Mapping[str, Callable[[Sequence[float], int], float]]] = {
    "mean": lambda found, operands: fsum(found) / operands,
    "sum": lambda found, _: fsum(found),
    "min": lambda found, operands: min(found) if len(found) == operands else 0.0,
    "max": lambda found, _: max(found),
    "merge": lambda found, _: found[0],
}


def derived_delays(operation: str, joined: Integration) -> tuple[Delay, ...]:
    """Combine the operands' delays in the same way as values; if an operand has no delay for a pair, it counts as 0.

    ``merge`` takes the delays of the first operand that has any. The results of other operations, such as differences
    and ratios, have no delays, because they are not waiting times.

    Returns:
        The longest delays between regions of the result.
    """
    combined = _COMBINED.get(operation)
    if combined is None:
        return ()
    each_has = [_seconds(operand, joined, index) for index, operand in enumerate(joined.operands)]
    if operation == "merge":
        each_has = [found for found in each_has if found][:1]
    pairs = dict.fromkeys(pair for found in each_has for pair in found)
    delays = []
    for pair in pairs:
        of_each = [found[pair] for found in each_has if pair in found]
        seconds, by_messages = (combined(values, len(each_has)) for values in zip(*of_each, strict=True))
        delays.append(Delay(*pair, seconds, by_messages))
    return longest_first(delays)


def _seconds(operand: Experiment, joined: Integration, index: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Map each pair of the result's regions (by descriptor) to its delay and the part due to messages, in seconds."""
    found: dict[tuple[str, str], tuple[float, float]] = {}
    if not operand.notes.delays:
        return found
    names = {
        path.region.descriptor: joined.call_paths[row].region.descriptor
        for path, row in zip(operand.call_paths, joined.rows[index].tolist(), strict=True)
    }
    for each in operand.notes.delays:
        pair = names.get(each.waiting, each.waiting), names.get(each.late, each.late)
        seconds, by_messages = found.get(pair, (0.0, 0.0))
        found[pair] = seconds + each.seconds, by_messages + each.by_messages
    return found
