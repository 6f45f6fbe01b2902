"""A finding's reasons, each with what to try against it; both are of the kind of fault that they would be alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ...analyze.verdict import Kind

__all__ = ["OF_ADVICE", "paired"]

# What each kind of advice from the source may be against, the likeliest first.
OF_ADVICE: Final = {
    "order of loops": (Kind.MEMORY,),
    "indirection": (Kind.MEMORY,),
    "repeated work": (Kind.HOT_SPOT, Kind.ALLOCATION, Kind.PAGE_FAULTS),
    "input and output": (Kind.FILE_IO,),
    "messages": (Kind.TRANSFER, Kind.LATE),
    "pipeline": (Kind.LATE,),
    "division of work": (Kind.IMBALANCE, Kind.LATE),
    "threads": (Kind.IMBALANCE, Kind.LATE),
}


def paired(
    reasons: Sequence[tuple[str, Kind]],
    advice: Sequence[tuple[str, Sequence[Kind]]],
    general: Mapping[str, Kind],
    *,
    uneven: bool,
    most: int,
) -> tuple[list[str], list[str]]:
    """Return the main lines, and others: of each fault why, what to try against that, and what else is known of it.

    Args:
        reasons: Lines with their kind, the main one first.
        advice: Lines from the source, the surest first, with what they may be against; empty where another finding has
            the line.
        general: What else to try, the main one first: against faults on which the source has no advice.
        uneven: Whether ranks have different work, even if no reason says so.
        most: How many lines of a reason are main lines.
    """
    why: dict[Kind, list[str]] = {Kind.IMBALANCE: []} if uneven else {}
    for line, kind in reasons:
        why.setdefault(kind, []).append(line)
    cures: dict[Kind, list[str]] = {}
    for line, kinds in advice:
        cures.setdefault(next((kind for kind in kinds if kind in why), kinds[0]), []).append(line)
    lacking = why.keys() - cures.keys() if advice else {*general.values()}
    for line, kind in general.items():
        if kind in lacking:
            cures.setdefault(kind, []).append(f"try: {line}")
    kinds = [kind for kind in dict.fromkeys((*why, *cures)) if why.get(kind) or kind in cures]
    is_cause = {kind: "".join(why.get(kind, ())).startswith("why") for kind in kinds}
    order = [*kinds[:1], *sorted(kinds[1:], key=lambda kind: not is_cause[kind])]
    main = {*order[:1], *[kind for kind in order if kind in cures][:1], Kind.LATE}  # that is, who waits for whom
    lines, more = list[str](), list[str]()
    for kind in order:
        reason, cure = why.get(kind, []), [*filter(None, cures.get(kind, ()))]
        (lines if kind in main else more).extend([*reason[:most], *cure[:1]])
        more += [*cure[1:], *reason[most:]]
    return lines, more
