"""Find the shape of change in a sequence, if any: a ramp, a step, or a temporary level.

A constant, and a constant plus each shape, are fitted by least squares; the fit with the lowest Bayesian information
criterion is chosen (Schwarz, 1978). Beforehand, values far from the running median are replaced (Hampel's filter).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import numpy as np

from ...analyze.run.arrays import Values
from ...analyze.run.outliers import spread, without_outliers

__all__ = ["Kind", "Shape", "best_shape", "contrast"]

Kind = Literal["gradual change", "sudden change", "level shift"]

_EDGE: Final = 0.1  # fraction of the parts at each end in which changes are ignored, because work begins or ends there
_RAMP: Final = 0.2  # minimum length of a gradual change, as a fraction of all parts; a shorter change is sudden
_FAR_OFF: Final = 3  # maximum number of consecutive parts that a disturbance lasts
_PARAMETERS: Final[dict[Kind, int]] = {"sudden change": 3, "level shift": 4, "gradual change": 4}


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A change in a sequence.

    Attributes:
        kind: The kind of change.
        first: The first part of the change.
        last: The part after the end of the change.
        base: The level before the change, in the unit of the sequence.
        height: The size of the change.
        strength: The height divided by the standard deviation of the residual.
        profile: ``float64[part]``: the shape, from 0 to 1.
    """

    kind: Kind
    first: int
    last: int
    base: float
    height: float
    strength: float
    profile: Values

    @property
    def factor(self) -> float:
        """The ratio of the changed level to the previous level; at least a thousandth."""
        return max((self.base + self.height) / max(self.base, 1e-9), 1e-3)


@cache
def _candidates(parts: int) -> tuple[list[tuple[Kind, int, int]], Values, Values]:
    """Return all shapes for a number of parts; their profiles, ``float64[shape, part]``; and the normalised profiles.

    Each shape has its kind, its first part, and the part after its last one.
    """
    edge, ramp = max(round(_EDGE * parts), 2), max(round(_RAMP * parts), 3)
    inner = range(edge, parts - edge + 1)
    at = np.arange(parts) + 0.5
    shapes: list[tuple[Kind, int, int]] = [("sudden change", first, parts) for first in inner]
    shapes += [("level shift", first, last) for first in inner for last in inner if last >= first + edge]
    ramps = [0, *inner], [*inner, parts]
    shapes += [("gradual change", first, last) for first in ramps[0] for last in ramps[1] if last >= first + ramp]
    profiles = np.array(
        [
            ((at - first) / (last - first)).clip(0, 1)
            if kind == "gradual change"
            else ((at > first) & (at < last)).astype(float)
            for kind, first, last in shapes
        ]
    )
    centred = profiles[:, _inside(parts)]
    centred = centred - centred.mean(axis=1, keepdims=True)
    return shapes, profiles, centred / np.linalg.norm(centred, axis=1, keepdims=True)


def best_shape(values: Values) -> Shape | None:
    """Return the shape that fits a sequence best; None if a constant fits better.

    Args:
        values: ``float64[part]``.
    """
    inside = _inside(len(values))
    clean = without_outliers(values[inside], in_a_row=_FAR_OFF)
    n = len(clean)
    centred = clean - clean.mean()
    total = float(centred @ centred)
    shapes, profiles, scaled = _candidates(len(values))
    least = 1e-12 * max(float(np.square(values).max()), 1e-280)
    left = np.maximum(total - (scaled @ centred) ** 2, 0.0) / n + least
    penalties = np.array([_PARAMETERS[kind] for kind, _, _ in shapes])
    scores = n * np.log(left) + penalties * np.log(n)
    best = int(scores.argmin())
    if scores[best] >= n * np.log(total / n + least) + np.log(n):
        return None
    kind, first, last = shapes[best]
    profile = profiles[best][inside]
    height = contrast(clean, profile)
    residual = clean - clean.mean() - height * (profile - profile.mean())
    base = float(clean.mean() - height * profile.mean())
    return Shape(kind, first, last, base, height, abs(height) / max(float(spread(residual)), 1e-9), profiles[best])


def contrast(values: Values, profile: Values) -> float:
    """Return the height at which a profile, ``float64[part]``, fits a sequence, ``float64[part]``, by least squares."""
    centred = profile - profile.mean()
    return float(centred @ values / (centred @ centred))


def _inside(parts: int) -> slice:
    """Return a slice without the first and the last parts, in which work begins and ends."""
    ends = max(round(_EDGE / 2 * parts), 1)
    return slice(ends, parts - ends)
