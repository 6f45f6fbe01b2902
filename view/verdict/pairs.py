"""Match a finding's reasons with the advice for them, by their kind of fault."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ...analyze.verdict import Kind

__all__ = ["OF_ADVICE", "paired"]

# Kind of advice from the source → the kinds of fault that it may remove, most likely first.
OF_ADVICE: Final = {
    "order of loops": (Kind.MEMORY,),
    "indirection": (Kind.MEMORY,),
    "repeated work": (Kind.HOT_SPOT, Kind.ALLOCATION, Kind.PAGE_FAULTS),
    "copies": (Kind.HOT_SPOT, Kind.ALLOCATION, Kind.PAGE_FAULTS, Kind.MEMORY),
    "chunks": (Kind.HOT_SPOT,),
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
    saved: Mapping[Kind, str],
) -> tuple[list[str], list[str]]:
    """Return a finding's main lines and its further lines. In both, the reasons for a fault precede the advice.

    If there are reasons why ranks differ and reasons why the region is slow, the lines begin with ``why uneven`` and
    ``why slow``.

    Args:
        reasons: Lines with reasons, each with its kind of fault, the main one first.
        advice: Lines with advice from the source, each with the kinds of fault that it may remove, most certain first.
            A line is empty if another finding already contains it.
        general: General advice → its kind of fault, the main one first; used for faults without advice from the source.
        uneven: Whether ranks have different work, even if no reason reports it.
        most: The number of reasons per fault that are main lines.
        saved: Kind of fault → the time saved by removing it, the largest first; empty if the saving has only one part.
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
    order = [*(kind for kind in saved if kind in order), *(kind for kind in order if kind not in saved)]
    cured = [kind for kind in order if kind in cures]
    main = {*order[:1], *cured[:1], *saved, Kind.LATE}  # lines of the kind LATE show which ranks wait for which
    are_two = is_cause.get(Kind.IMBALANCE, False) and sum(is_cause.values()) > 1
    lines, more = list[str](), list[str]()
    for kind in order:
        reason, cure = why.get(kind, []), [*filter(None, cures.get(kind, ()))]
        if kind in saved:
            reason = [line.replace("why", f"why ({saved[kind]})", 1) for line in reason]
            cure = [line.replace("try", f"try (saves {saved[kind]})", 1) for line in cure]
        elif are_two:
            what = "uneven" if kind is Kind.IMBALANCE else "slow"
            reason = [re.sub("^why:", f"why {what}:", line) for line in reason]
        (lines if kind in main else more).extend([*reason[:most], *cure[:1]])
        more += [*cure[1:], *(re.sub("^why[^:]*", "also", line) for line in reason[most:])]
    return lines, more
