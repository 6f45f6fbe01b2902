"""Describe the callers of a code region in a phrase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..analyze.run.code_regions import call_line_of, caller_of
from ..experiment import CallPath
from ..experiment.region import CALL_KINDS
from .place import Place, at_line, short, visible

__all__ = ["called"]

_MOST: Final = 3  # maximum number of callers to name


def called(call_paths: Sequence[CallPath], paths: Sequence[int], *, own_code: bool = False) -> str:
    """Return a phrase with the line of the call, the enclosing region, or the calling functions; may be empty.

    Args:
        call_paths: All call paths.
        paths: Indices of the call paths of the region, the main one first.
        own_code: Whether the region is a function's own code. Then the function is not named if it is the only caller.
    """
    found = (caller_of(call_paths, path) for path in paths)
    callers = [*dict.fromkeys(_named(each.function or each.name) for each in found if each is not None)]
    if own_code and len(callers) < 2:
        return ""
    if len(callers) > 1:
        return f"called by {_listed(callers) if len(callers) <= _MOST else f'{len(callers)} functions'}"
    region = call_paths[paths[0]].region
    own = region.kind in CALL_KINDS and callers == [_named(region.function)]  # the title already contains the caller
    if own or not callers:
        return ""
    lines = {_call_line(call_paths, path) for path in paths}
    return lines.pop() if len(lines) == 1 else f"called by {callers[0]}"


def _named(name: str) -> str:
    return short(visible(name))


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _call_line(call_paths: Sequence[CallPath], path: int) -> str:
    """Return a phrase with the line of a call; if it is unknown, with the calling region's location or name."""
    caller, line = caller_of(call_paths, path), call_line_of(call_paths, path)
    assert caller
    if line and caller.file:
        return f"called at {at_line(caller.file, line)}"
    return f"called from {Place.of_region(caller).source}" if caller.file else f"called by {_named(caller.function)}"
