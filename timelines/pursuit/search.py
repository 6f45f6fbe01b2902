"""Search for the projection, an orthonormal frame, with the largest index (on the Stiefel manifold of such frames)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...analyze.run.arrays import Flags, Values
from .index import index_and_gradient, tangent

__all__ = ["MANY", "STARTS", "Projection", "Search", "search", "some"]

STARTS: Final = 24
_RACE: Final = 6  # number of steps after which only the best starts continue
_WINNERS: Final = 4  # one in this many starts continues
_STEPS: Final = 100
_LAST_STEPS: Final = 40  # steps with all points, after a search in a sample
_FLAT: Final = 1e-4  # the frame is a maximum if this share or less of the gradient is tangent to the manifold
_LONGER: Final = 0.2  # decrease of the frame's multiple after a successful step, which makes steps longer
_LONGEST: Final = -0.9  # lower limit of a step, as a multiple of the frame; at -1, it would leave the frame entirely
MANY: Final = 8192  # number of points above which a sample is searched first


@dataclass(frozen=True)
class Projection:
    """The best projection found.

    Attributes:
        frame: ``float64[rank, dimension]``: orthonormal directions.
        index: The index of the projection.
        converged: Whether the search reached a maximum, judged by the gradient.
        agreeing: The number of followed starts that reached this index.
        followed: The number of starts that were followed to their end.
    """

    frame: Values
    index: float
    converged: bool
    agreeing: int
    followed: int


Search = Callable[[Values], Projection]


def search(values: Values, dimensions: int, *, seed: int = 0, starts: int = STARTS) -> Projection:
    """Return the projection with the largest index that a search from many starts finds.

    Each step moves to the orthonormal frame nearest to the gradient plus a multiple of the frame (Kolda and Mayo's
    shifted power method, applied to frames). If a step raises the index, the multiple decreases, which lengthens steps;
    otherwise the step is undone and the multiple increases. Half of the starts begin with the directions of the points
    farthest from the mean, to find outlying ranks; all other directions are random. After a few steps, only the best
    starts continue. With more than 8,192 points, a sample is searched first, and the result is improved with all
    points.

    Args:
        values: ``float64[point, rank]``, sphered; at least four points.
        dimensions: The number of dimensions of the projection; fewer if the points span fewer dimensions.
        seed: Seed of the random starts.
        starts: Number of starts; a quarter of them are followed to their end.
    """
    rank = values.shape[1]
    dimensions = min(dimensions, rank)
    if rank == dimensions:  # all frames span the same space, so they have the same index
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
    """Return a sphered sample of points, ``float64[point, rank]``: those farthest from the mean, and random ones."""
    order = np.argsort(-np.einsum("pr,pr->p", values, values), kind="stable")
    rest = drawn.choice(order[MANY // 8 :], MANY - MANY // 8, replace=False)
    chosen = values[np.sort(np.concatenate([order[: MANY // 8], rest]))]
    left, _, right = np.linalg.svd(chosen - chosen.mean(axis=0), full_matrices=False)
    return np.asarray(left @ right * np.sqrt(len(chosen) - 1))


def _starts(values: Values, dimensions: int, starts: int, drawn: np.random.Generator) -> Values:
    """Return orthonormal starting frames, half of them with the direction of a far point as the first axis."""
    rank = values.shape[1]
    axes = drawn.standard_normal((starts, rank, dimensions))
    far = np.argsort(-np.einsum("pr,pr->p", values, values), kind="stable")[: starts // 2]
    axes[: len(far), :, 0] = values[far]
    return np.linalg.qr(axes)[0]


def _climb(values: Values, starts: Values, steps: int) -> tuple[Values, Values, Flags]:
    """Improve each frame step by step; return the final frames, their indices, and whether each is a maximum."""
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
    """Return the orthonormal frames that are nearest to the given matrices, ``float64[frame, rank, dimension]``."""
    left, _, right = np.linalg.svd(frames, full_matrices=False)
    return np.asarray(left @ right)


def _least(frames: Values, gradient: Values) -> Values:
    """Return the smallest absolute eigenvalue of the symmetric part of frame^T · gradient, for each frame."""
    inner = np.swapaxes(frames, 1, 2) @ gradient
    return np.asarray(np.abs(np.linalg.eigvalsh((inner + np.swapaxes(inner, 1, 2)) / 2)).min(axis=1))


def _flat(frames: Values, gradient: Values) -> Flags:
    along = np.linalg.norm(tangent(frames, gradient), axis=(1, 2))
    return np.asarray(along <= _FLAT * np.linalg.norm(gradient, axis=(1, 2)) + 1e-12)
