"""The search for the projection with the largest index: orthonormal frames (the Stiefel manifold), many starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...analyze.run.arrays import Flags, Values
from .index import index_and_gradient, tangent

__all__ = ["MANY", "STARTS", "Projection", "Search", "search", "some"]

STARTS: Final = 24
_RACE: Final = 6  # steps after which the best starts alone go on
_WINNERS: Final = 4  # of so many starts one
_STEPS: Final = 100
_LAST_STEPS: Final = 40  # of all points, from where some of them have led to
_FLAT: Final = 1e-4  # of the gradient's length, along the frames: a maximum, to half of the digits in its index
_LONGER: Final = 0.2  # what the multiple of the frame falls by
_LONGEST: Final = -0.9  # at -1 a step would leave the frame altogether
MANY: Final = 8192  # points above which some of them lead to where all are searched


@dataclass(frozen=True)
class Projection:
    """The best projection that was found.

    Attributes:
        frame: ``float64[rank, dimension]``, orthonormal.
        index: Its index.
        converged: Whether it is a maximum, by its gradient.
        agreeing: How many of the starts that were followed to their end came to this index.
        followed: How many these were.
    """

    frame: Values
    index: float
    converged: bool
    agreeing: int
    followed: int


Search = Callable[[Values], Projection]


def search(values: Values, dimensions: int, *, seed: int = 0, starts: int = STARTS) -> Projection:
    """Find the projection with the largest index.

    From each start the next frame is the orthonormal one nearest to the gradient plus a multiple of the frame (Kolda's
    and Mayo's shifted power method, here on frames). The multiple falls below zero, which makes steps longer, as long
    as the index grows, and rises where it does not: no step makes the index less. Starts are random, and directions of
    the points that lie farthest out, where an outlying rank is. After a few steps the best of them alone go on.
    Of more than 8,192 points a sample leads to the frame from which all of them go on to a maximum.

    Args:
        values: ``float64[point, rank]``, sphered; four points at least.
        dimensions: Of the projection; fewer if the points span fewer.
        seed: Of the random starts.
        starts: How many; a quarter of them are followed to their end.
    """
    rank = values.shape[1]
    dimensions = min(dimensions, rank)
    if rank == dimensions:  # one plane, whatever its axes are
        frame = np.eye(rank)[None]
        return Projection(frame[0], float(index_and_gradient(values, frame)[0][0]), True, 1, 1)
    drawn = np.random.default_rng(seed)
    few = values if len(values) <= MANY else some(values, drawn)
    frames, found, _ = _climb(few, _starts(few, dimensions, starts, drawn), _RACE)
    frames, found, flat = _climb(few, frames[np.argsort(-found, kind="stable")[: max(1, starts // _WINNERS)]], _STEPS)
    best = int(found.argmax())
    agreeing = int((found >= found[best] * (1 - 1e-3)).sum())
    frames, found, flat = frames[best : best + 1], found[best : best + 1], flat[best : best + 1]
    if few is not values:
        frames, found, flat = _climb(values, frames, _LAST_STEPS)
    return Projection(frames[0], float(found[0]), bool(flat[0]), agreeing, max(1, starts // _WINNERS))


def some(values: Values, drawn: np.random.Generator) -> Values:
    """Choose some of very many points: those farthest out, which a maximum may hang on, and others at random."""
    order = np.argsort(-np.einsum("pr,pr->p", values, values), kind="stable")
    rest = drawn.choice(order[MANY // 8 :], MANY - MANY // 8, replace=False)
    chosen = values[np.sort(np.concatenate([order[: MANY // 8], rest]))]
    left, _, right = np.linalg.svd(chosen - chosen.mean(axis=0), full_matrices=False)
    return np.asarray(left @ right * np.sqrt(len(chosen) - 1))


def _starts(values: Values, dimensions: int, starts: int, drawn: np.random.Generator) -> Values:
    """Make orthonormal frames, half of them with a point far out as first axis."""
    rank = values.shape[1]
    axes = drawn.standard_normal((starts, rank, dimensions))
    far = np.argsort(-np.einsum("pr,pr->p", values, values), kind="stable")[: starts // 2]
    axes[: len(far), :, 0] = values[far]
    return np.linalg.qr(axes)[0]


def _climb(values: Values, starts: Values, steps: int) -> tuple[Values, Values, Flags]:
    """Go up from each frame: the frames in the end, their index, and whether each is a maximum."""
    frames = starts.copy()
    best, gradient = index_and_gradient(values, frames)
    shift = np.zeros(len(frames))
    flat = _flat(frames, gradient)
    for _ in range(steps):
        going = np.flatnonzero(~flat)
        if not len(going):
            break
        tried = _nearest(
            gradient[going] + (shift[going] * _least(frames[going], gradient[going]))[:, None, None] * frames[going]
        )
        found, slope = index_and_gradient(values, tried)
        higher = found >= best[going]
        up, down = going[higher], going[~higher]
        frames[up], best[up], gradient[up] = tried[higher], found[higher], slope[higher]
        flat[up] = _flat(frames[up], gradient[up])
        shift[up] = np.maximum(shift[up] - _LONGER, _LONGEST)
        shift[down] = np.where(shift[down] < 0, shift[down] / 2 + 0.05, 2 * shift[down] + 0.25)
    return frames, best, flat


def _nearest(frames: Values) -> Values:
    """Give the orthonormal frames nearest to any frames."""
    left, _, right = np.linalg.svd(frames, full_matrices=False)
    return np.asarray(left @ right)


def _least(frames: Values, gradient: Values) -> Values:
    """Give the least size by which the gradient stretches each frame along itself."""
    inner = np.swapaxes(frames, 1, 2) @ gradient
    return np.asarray(np.abs(np.linalg.eigvalsh((inner + np.swapaxes(inner, 1, 2)) / 2)).min(axis=1))


def _flat(frames: Values, gradient: Values) -> Flags:
    along = np.linalg.norm(tangent(frames, gradient), axis=(1, 2))
    return np.asarray(along <= _FLAT * np.linalg.norm(gradient, axis=(1, 2)) + 1e-12)
