"""The stack of each call path of an experiment, and the order in which stacks are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from ..call_path import CallPath
from ..region import Region

__all__ = ["CallStacks"]

_KEPT: Final = 1 << 14  # maximum number of stacks in the cache, enough for most programs


class CallStacks:
    """The stacks of a forest's call paths. Frames are the distinct regions, in the order of their first entry.

    Args:
        call_paths: The call paths, parents before children.
    """

    def __init__(self, call_paths: Sequence[CallPath]) -> None:
        self._paths = call_paths
        numbers: dict[Region, int] = {}
        self._frame_of = [numbers.setdefault(path.region, len(numbers)) for path in call_paths]
        self.frames: tuple[Region, ...] = tuple(numbers)
        self.paths_of = lru_cache(_KEPT)(self._paths_of)
        self.frames_of = lru_cache(_KEPT)(self._frames_of)

    def _paths_of(self, path: int) -> tuple[int, ...]:
        """Return a call path and its ancestors, the root first."""
        found = [path]
        while (parent := self._paths[found[-1]].parent) is not None:
            found.append(parent)
        return tuple(reversed(found))

    def _frames_of(self, path: int) -> tuple[int, ...]:
        """Return the frames of a call path's stack, the root's frame first."""
        return tuple(self._frame_of[each] for each in self.paths_of(path))

    @cached_property
    def order(self) -> npt.NDArray[np.intp]:
        """``intp[call path]``: the indices of the call paths in depth-first order."""
        children: list[list[int]] = [[] for _ in self._paths]
        pending: list[int] = []
        for index, path in enumerate(self._paths):
            (pending if path.parent is None else children[path.parent]).append(index)
        pending.reverse()
        found = []
        while pending:
            index = pending.pop()
            found.append(index)
            pending.extend(reversed(children[index]))
        return np.array(found, np.intp)
