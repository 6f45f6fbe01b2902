"""The layout of a metric's values in CUBE 4: an index of call paths, and rows of values in the order of the index.

In exclusive metrics, call paths are numbered depth first. In inclusive metrics, all children of a call path are
numbered before its grandchildren.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["ALL", "ANCHOR", "DATA", "INDEX", "INDEX_HEAD", "LISTED", "LOCATIONS", "NOTHING", "PACKED", "numbered"]

ANCHOR: Final = "anchor.xml"
LOCATIONS: Final = "autoanalyzer.locations"
INDEX: Final = b"CUBEX.INDEX"
INDEX_HEAD: Final = 18  # size of an index's head in bytes: ``CUBEX.INDEX``, byte order, version, kind
LISTED: Final = 1  # the kind of index that lists the call paths with rows
ALL: Final = 3  # the kind of index in which every call path has a row
DATA: Final = b"CUBEX.DATA"
PACKED: Final = b"ZCUBEX.DATA"
NOTHING: Final = {"min": np.inf, "max": -np.inf}  # the minimum and the maximum of no values


def numbered(parents: Sequence[int | None], *, inclusive: bool) -> npt.NDArray[np.intp]:
    """Return ``intp[number]``: the call path for each number in an index.

    Args:
        parents: The parent of each call path, parents before children.
        inclusive: Whether the metric is stored inclusively.
    """
    children: list[list[int]] = [[] for _ in parents]
    roots: list[int] = []
    for path, parent in enumerate(parents):
        (roots if parent is None else children[parent]).append(path)
    order: list[int] = []
    for root in roots:
        if inclusive:
            order.append(root)
        pending = [root]
        while pending:
            path = pending.pop()
            below = children[path]
            order.extend(below if inclusive else [path])
            pending.extend(reversed(below))
    return np.array(order, dtype=np.intp)
