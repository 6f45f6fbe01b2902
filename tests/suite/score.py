"""Compare verdicts with the planted faults."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from .faults import Truth
from .key import Key
from .program import Position

Region = dict[str, Any]

MARKS = ("waiting", "small_calls", "one_after_another")  # marks of regions that take time for other reasons than causes

# Kinds of findings that are wrong unless a fault was planted there. The other kinds occur in all programs.
_NEVER_INVENTED = {"memory", "file_io", "transfer", "one_after_another"}


@dataclass(frozen=True)
class Hit:
    """How a verdict reports one planted fault; None: does not apply, or was not found.

    Attributes:
        truth: The fault.
        found: Whether its place is named.
        first: For a fault of all ranks, whether its place is among the verdict's first three findings.
        clusters: For a fault of some ranks, whether the clusters are right.
        cause: Whether the first cause, or a mark, is right.
        gain: The predicted gain in seconds.
        said: The region, its place and its causes as text.
    """

    truth: Truth
    found: bool
    first: bool | None = None
    clusters: bool | None = None
    cause: bool | None = None
    gain: float | None = None
    said: str = ""


@dataclass(frozen=True)
class Score:
    """The score of one verdict.

    Attributes:
        hits: How it reports each planted fault.
        imbalances: Reported imbalances that were not planted, with medium or high confidence.
        hedged: The same with low confidence.
        causes: Other findings in regions in which no fault was planted.
        speed: Whether ranks differ, but only in regions with the same work, or where the cores' speed may differ.
    """

    hits: list[Hit]
    imbalances: list[str] = field(default_factory=list)
    hedged: list[str] = field(default_factory=list)
    causes: list[str] = field(default_factory=list)
    speed: bool = False

    @property
    def faultless(self) -> bool:
        """Whether no fault was missed, and nothing was invented."""
        right = all(hit.found and hit.clusters is not False and hit.cause is not False for hit in self.hits)
        return right and not (self.imbalances or self.hedged or self.causes)


def at(region: Region) -> Position:
    """Return the position of a region, without the folders of its file."""
    return Position(PurePath(region["file"]).name, region["line"])


def score(found: dict[str, Any], key: Key) -> Score:
    """Compare the findings of a program with its planted faults."""
    differences = found["dissimilarity"]
    apart = [each for each in differences["cccr"] if not (each["same_work"] or each["may_be_speed"])]
    heavy = found["disparity"]["cccr"] if found["disparity"]["exists"] else []
    verdict = [each for each in found["findings"] if each["file"]]
    hits, places = [], set()
    truths = key.planted
    for truth, where in zip(truths, key.places, strict=False):
        places |= {*where}
        if truth.by_counts_alone and not key.counted:
            continue
        named = [each for each in (apart if truth.parts_ranks else heavy) if at(each) in where]
        hits.append(
            _hit(
                truth,
                named,
                where,
                verdict,
                _clusters_right(truth, truths, differences["clusters"]),
                counted=key.counted,
            )
        )
    extra = [each for each in apart if at(each) not in places]
    if differences["exists"] and not differences["cccr"] and not differences["noise"]:
        extra = [{**differences, "file": "", "line": 0, "name": "spread over all regions", "root_causes": []}]
    hedged, firm = ([said(each) for each in extra if _is_hedged(each) is wanted] for wanted in (True, False))
    places |= _where_a_cure_leaves_some(key)
    invented = [f"{each['kind']} {at(each)}" for each in verdict if at(each) not in places and _invented(each)]
    return Score(hits, firm, hedged, invented, differences["exists"] and not apart and bool(differences["cccr"]))


def _where_a_cure_leaves_some(key: Key) -> set[Position]:
    """Return the places where a cured program still writes some bytes, or sends as many in fewer messages."""
    some = [
        where for truth, where in zip(key.truths, key.places, strict=True) if truth.moves or "io_bytes" in truth.causes
    ]
    return {place for where in some for place in where} if key.cured else set()


def _invented(region: Region) -> bool:
    """Return whether a finding is wrong if no fault was planted there; this excludes imbalances with clusters."""
    return region["kind"] in _NEVER_INVENTED or (region["kind"] == "imbalance" and not region["clusters"])


def _is_hedged(region: Region) -> bool:
    """Return whether the verdict has low confidence."""
    return bool(region["confidence"]["level"] == "low")


def _hit(
    truth: Truth,
    named: list[Region],
    where: Collection[Position],
    verdict: list[Region],
    clusters: bool,
    *,
    counted: bool,
) -> Hit:
    if not named:
        return Hit(truth, found=False)
    region = next((each for each in named if isinstance(each.get("gain"), float)), named[0])  # one with a gain
    first = None if truth.parts_ranks else any(at(each) in where for each in verdict[:3])
    cause = None
    if counted or not truth.counted:
        marks = [each for each in MARKS if region.get(each)]
        said_first = [each["attribute"] for found in verdict if at(found) in where for each in found["causes"][:1]]
        cause = bool({*said_first[:1], *marks} & {*truth.causes})
    gain = region.get("gain")
    return Hit(
        truth,
        found=True,
        first=first,
        clusters=clusters if truth.parts_ranks else None,
        cause=cause,
        gain=gain if isinstance(gain, float) else None,
        said=said(region),
    )


def _clusters_right(truth: Truth, truths: Sequence[Truth], clusters: list[list[Any]]) -> bool:
    """Return whether the clusters are right: the groups or, if all ranks differ, several clusters of neighbours.

    If there are other faults, they may divide the groups further, but not ranks that are in one group of each fault.
    """
    if not truth.parts_ranks:
        return True
    found = [frozenset(map(str, each)) for each in clusters]
    others = [each for each in truths if each.parts_ranks and each is not truth]
    if truth.groups:
        together = all(any(each <= {*group} for group in truth.groups) for each in found)
        if not together or any(each.order for each in others):
            return together
        parted = [frozenset(group) for group in truth.groups]
        for other in others:
            parted = [each & {*group} for each in parted for group in other.groups]
        return all(any(part <= each for each in found) for part in parted)
    places = [sorted(truth.order.index(rank) for rank in each) for each in found]
    return len(found) > 1 and (bool(others) or all(each[-1] - each[0] == len(each) - 1 for each in places))


def said(region: Region) -> str:
    """Return a region's name, position, causes and marks as text."""
    causes = ", ".join(region["root_causes"])
    marks = [each for each in MARKS if region.get(each)]
    return f"{region['name']} {at(region)} ({'; '.join(filter(None, [causes, *marks])) or 'no cause'})"
