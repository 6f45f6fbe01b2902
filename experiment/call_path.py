"""A call path: a region reached through its parent's call path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .region import Region

__all__ = ["CallPath", "name_below_root"]


@dataclass(frozen=True, slots=True)
class CallPath:
    """A region, and the call path from which it was entered.

    Attributes:
        region: The region.
        parent: Index of the call path from which the region was entered; None for a root.
        site: The line of the call in the parent's file, if each line has its own call path; otherwise None.
        line: The line of the call in the parent's file; None if unknown. It does not distinguish call paths.
    """

    region: Region
    parent: int | None = None
    site: int | None = None
    line: int | None = field(default=None, compare=False)

    @property
    def called_at(self) -> int | None:
        """The line of the call in the file of the parent's region; None if unknown."""
        return self.line if self.site is None else self.site


def name_below_root(call_paths: Sequence[CallPath], path: int) -> str:
    """Return the names of the regions below the root, down to a call path, joined by ``/``; empty for a root."""
    names: list[str] = []
    each = call_paths[path]
    while each.parent is not None:
        names.append(each.region.name)
        each = call_paths[each.parent]
    return "/".join(reversed(names))
