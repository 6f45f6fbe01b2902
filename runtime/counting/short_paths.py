"""List the call paths that a counting run folds, because they were throttled in the timing run.

Under the counting tool, entering such a region takes 49 ns instead of 210 ns (measured with graph500). The counts stay
the same: the program executes the same instructions as if the region were measured, and the probe library's
instructions are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Final

import numpy as np

from ...experiment import Experiment
from ...experiment.throttling import folded_paths

__all__ = ["write_short_paths"]

_CONSTRUCTS: Final = ("loop", "parallel")  # kinds of regions that may be OpenMP constructs
_START: Final = 0xCBF29CE484222325
_PRIME: Final = 0x100000001B3
_WORD: Final = (1 << 64) - 1


def write_short_paths(file: Path, timings: Iterable[Experiment]) -> Path:
    """Write the hashes of the call paths that are folded in all experiments, and return the file.

    The hashes are written as 64-bit words in this machine's byte order, sorted.
    """
    known = reduce(and_, (set(_hashes(timing)) for timing in timings))
    np.array(sorted(known), dtype=np.uint64).tofile(file)
    return file


def _hashes(timing: Experiment) -> Iterator[int]:
    """Yield the hashes of the folded call paths, computed as in the probe library.

    The root of a program without probes is left out.

    Regions that may start a thread team are excluded, because the team's members identify the region by its stack frame
    and count visits in it.
    """
    folded = folded_paths(timing)
    others = np.array([location.thread != 0 for location in timing.locations])
    shared = timing.exclusive("visits")[:, others].any(axis=1)
    constructs = np.array([path.region.kind in _CONSTRUCTS for path in timing.call_paths])
    folded &= ~(shared & constructs)
    for place in np.flatnonzero(folded).tolist():
        value = _START
        at: int | None = place
        while at is not None:
            path = timing.call_paths[at]
            if path.region.file or path.parent is not None:
                value = _hashed(value, path.region.descriptor)
            at = path.parent
        yield value


def _hashed(value: int, descriptor: str) -> int:
    """Hash a descriptor and a newline with FNV-1a (Fowler, Noll, Vo 1991), as in runtime/probe/short_paths.c."""
    for byte in f"{descriptor}\n".encode():
        value = ((value ^ byte) * _PRIME) & _WORD
    return value
