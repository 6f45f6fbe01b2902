"""Match the regions of two versions of a source: by identity, then by similarity.

Song et al. 2004 (section 3) leave open how call paths of different versions match. In this module, a procedure is
identified by its name. As long as its text is unchanged, a region in it is identified by kind and ordinal. If the text
has changed, ordinals are unreliable, because an inserted loop shifts the ordinals of the loops after it::

    before   loop 0 (12 lines, calls f)                      loop 1 (3 lines)
                      │                                           │
    after    loop 0 (12 lines, calls f)   loop 1 (5 lines)   loop 2 (3 lines)

In this case, the regions of each kind are aligned in order, by length, callees and position. Procedures without a match
by name are matched by similar names, lengths, callers and callees.
"""

from __future__ import annotations

import bisect
import difflib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from ..call_path import CallPath
from ..region import Region
from .alignment import align
from .likeness import overlap, ratio, same_offset, same_text, size
from .procedures import Procedure, Program, Version, is_enclosed, place_of

__all__ = ["Alike", "Correspondence", "correspond", "names_of"]

_T = TypeVar("_T")

_ENOUGH_INSIDE: Final = 0.35  # lowest similarity at which regions match; low, because their procedures match already
_NEAREST: Final = 16  # each procedure is compared with this many shorter and this many longer ones
_ENOUGH: Final = 0.6  # the lowest similarity at which procedures with different names match


@dataclass(frozen=True, slots=True)
class Alike:
    """Two regions that were matched by similarity."""

    left: Region
    right: Region


@dataclass
class Correspondence:
    """How the regions of two call forests map to their union.

    Attributes:
        left: Region of the left forest → region of the union, if it has another name there.
        right: Region of the right forest → region of the union, which for a match is the region of the left forest.
        alike: Pairs of regions inside procedures that were matched by similarity.
    """

    left: dict[Region, Region] = field(default_factory=dict)
    right: dict[Region, Region] = field(default_factory=dict)
    alike: list[Alike] = field(default_factory=list)


def correspond(
    left: Sequence[CallPath], right: Program, versions: Sequence[Version], *, exact: bool = False
) -> Correspondence:
    """Match the regions of another program with those of a call forest.

    Args:
        left: The call forest, which is the union of earlier operands.
        right: The program to match with the forest.
        versions: The versions of which the union consists.
        exact: Match only regions of the same identity: file, function, kind and ordinal.

    Returns:
        The union's region for each region. If a region without a match would have the identity of another region, all
        regions of its kind in the procedure get new ordinals, which keep the order in both versions.
    """
    if not exact:
        return _Matching(Program.of(left), right, versions).found()
    theirs = dict.fromkeys(right.below)
    found = Correspondence(right=dict(zip(theirs, theirs, strict=True)))
    mine = dict.fromkeys(path.region for path in left)
    found.right |= {other: one for one, other in _pairs(mine, theirs, lambda region: region.identity)}
    return found


def names_of(owners: Mapping[Region, tuple[Region, int]]) -> dict[Region, Region]:
    """Return names for the regions of a union, each from the first operand that has the region.

    The procedure's name is taken from the first operand that has any region of the procedure. If regions of one kind in
    a procedure come from several operands, their ordinals in the union distinguish them.

    Args:
        owners: Region of the union → the region in the first operand that has it, and this operand's index; in the
            order of the operands.

    Returns:
        Region of the union → the renamed region; empty if two of them would be equal.
    """
    procedures: dict[tuple[str, str], tuple[str, str]] = {}
    sources: dict[Hashable, set[int]] = {}
    for one, (own, operand) in owners.items():
        procedures.setdefault(place_of(one), place_of(own))
        sources.setdefault((place_of(one), one.kind), set()).add(operand)
    names: dict[Region, Region] = {}
    for one, (own, _) in owners.items():
        names[one] = own
        if is_enclosed(own):
            file, function = procedures[place_of(one)]
            alone = len(sources[place_of(one), one.kind]) == 1
            names[one] = own._replace(file=file, function=function, ordinal=own.ordinal if alone else one.ordinal)
    return names if len({*names.values()}) == len(names) else {}


def _grouped(items: Iterable[_T], key: Callable[[_T], Hashable]) -> dict[Hashable, list[_T]]:
    groups: dict[Hashable, list[_T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _pairs(
    left: Iterable[Region], right: Iterable[Region], key: Callable[[Region], Hashable]
) -> Iterator[tuple[Region, Region]]:
    """Pair regions with the same key: first equal regions, then all others in the order of the source."""
    mine, theirs = _grouped(left, key), _grouped(right, key)
    for same in theirs:
        equal = {*mine.get(same, [])} & {*theirs[same]}
        yield from ((each, each) for each in theirs[same] if each in equal)
        rest = (
            sorted((each for each in side if each not in equal), key=_lines)
            for side in (mine.get(same, []), theirs[same])
        )
        yield from zip(*rest, strict=False)


def _lines(region: Region) -> tuple[int, int]:
    return region.first_line, region.last_line


class _Matching:
    """Pairs procedures, and then the regions in them."""

    def __init__(self, left: Program, right: Program, versions: Sequence[Version]) -> None:
        self.left = left
        self.right = right
        self.names: dict[Procedure, Mapping[Region, Region]] = {}  # procedure of a version → its regions in the union
        self.origins: dict[Region, dict[Procedure, list[Region]]] = {}  # region of the union → its versions' regions
        for version in versions:
            for own, one in version.names.items():
                procedure = version.program.procedure(own)
                self.names[procedure] = version.names
                self.origins.setdefault(one, {}).setdefault(procedure, []).append(own)
        self.partner: dict[Procedure, Procedure] = {}  # right → left
        self.called: dict[str, str] = {}  # names of procedures, right → left
        self.result = Correspondence(right={region: region for region in right.below})

    def found(self) -> Correspondence:
        self._pair_by_name()
        self._pair_by_likeness()
        for theirs, mine in self.partner.items():
            self._pair_regions(mine, theirs)
        return self.result

    def _pair_by_name(self) -> None:
        """Pair procedures with equal names: first in the same file, then in files with equal names, then in any files.

        If both versions have both files, the procedures may be different ones with the same name. Such procedures are
        left to matching by similarity.
        """
        common = {each.file_name for each in self.names} & {each.file_name for each in self.right.procedures.values()}
        for key in (_file_and_name, _base_and_name, _name):
            mine = self._called_as(key)
            theirs = _grouped(self._free(self.right, self.partner), key)
            taken: set[Procedure] = set()
            for same in theirs:
                ours, others = mine.get(same, {}), theirs[same]
                if len(ours) != 1 or len(others) != 1:
                    continue
                (procedure, versions), other = *ours.items(), others[0]
                files = [{each.file_name, other.file_name} for each in versions]
                if procedure not in taken and any(len(each) == 1 or not each <= common for each in files):
                    taken.add(procedure)
                    self._pair(procedure, other)

    def _called_as(self, key: Callable[[Procedure], Hashable]) -> dict[Hashable, dict[Procedure, list[Procedure]]]:
        """Map each key to the unmatched left procedures with versions that have this key, and to these versions."""
        found: dict[Hashable, dict[Procedure, list[Procedure]]] = {}
        for mine in self._free(self.left, self.partner.values()):
            for each in self._versions(mine):
                found.setdefault(key(each), {}).setdefault(mine, []).append(each)
        return found

    def _pair(self, mine: Procedure, theirs: Procedure) -> None:
        self.partner[theirs] = mine
        self.called[theirs.name] = mine.name

    @staticmethod
    def _free(program: Program, taken: Iterable[Procedure]) -> list[Procedure]:
        gone = set(taken)
        return [each for each in program.procedures.values() if each not in gone]

    def _pair_by_likeness(self) -> None:
        """Pair similar remaining procedures that have a common caller, most similar first."""
        unmoved = self._unmoved_files()
        paired = True
        while paired:
            paired = False
            mine = [each for each in self._free(self.left, self.partner.values()) if each.lines]
            theirs = [each for each in self._free(self.right, self.partner) if each.lines]
            by_caller = _by_caller(mine)
            scores = [
                (self._procedures_alike(mine[i], other, unmoved), i, j)
                for j, other in enumerate(theirs)
                for i in self._candidates(by_caller, other)
            ]
            taken: set[int] = set()
            for score, i, j in sorted(scores, reverse=True):
                if score >= _ENOUGH and i not in taken and theirs[j] not in self.partner:
                    taken.add(i)
                    self._pair(mine[i], theirs[j])
                    paired = True

    def _candidates(self, by_caller: Mapping[Procedure | None, list[tuple[int, int]]], theirs: Procedure) -> set[int]:
        """Return left procedures that share a caller with ``theirs``: per caller, those of the most similar length."""
        callers = {
            self.partner.get(each) if each else None for each in theirs.callers if not each or each in self.partner
        }
        found: set[int] = set()
        for caller in callers:
            called = by_caller.get(caller, [])
            middle = bisect.bisect_left(called, (theirs.length, 0))
            found.update(index for _, index in called[max(0, middle - _NEAREST) : middle + _NEAREST])
        return found

    def _unmoved_files(self) -> set[tuple[str, str]]:
        """Return the pairs of files that seem to have equal text, because all matched regions are at the same lines."""
        files: dict[tuple[str, str], bool] = {}
        for theirs, mine in self.partner.items():
            pair = (mine.file, theirs.file)
            moved = mine.lines and theirs.lines and mine.lines != theirs.lines
            files[pair] = files.get(pair, True) and not moved and self._with_text_of(theirs, mine) is not None
        return {pair for pair, unmoved in files.items() if unmoved}

    def _procedures_alike(self, mine: Procedure, theirs: Procedure, unmoved: set[tuple[str, str]]) -> float:
        if (mine.file, theirs.file) in unmoved:
            return float(mine.lines == theirs.lines)
        below = overlap(mine.below, {self.called.get(name, name) for name in theirs.below})
        files = mine.file_name == theirs.file_name
        likeness = 0.25 * ratio(mine.length, theirs.length) + 0.25 * below + 0.2 * files
        if likeness + 0.3 < _ENOUGH:  # skip the slow comparison of names if even equal names would not be enough
            return 0.0
        return likeness + 0.3 * difflib.SequenceMatcher(None, mine.name, theirs.name, autojunk=False).ratio()

    def _pair_regions(self, mine: Procedure, theirs: Procedure) -> None:
        for one, other in _pairs(mine.own, theirs.own, lambda region: (region.kind, region.ordinal)):
            self.result.right[other] = one
        version = self._with_text_of(theirs, mine)
        left, right = mine.kinds(), theirs.kinds()
        for kind in right:
            self._pair_kind(mine, theirs, left.get(kind, []), right[kind], version)

    def _versions(self, mine: Procedure) -> list[Procedure]:
        """Return the versions of a procedure of the union."""
        return [*dict.fromkeys(each for region in (*mine.own, *mine.inner) for each in self.origins[region])]

    def _with_text_of(self, theirs: Procedure, mine: Procedure) -> Procedure | None:
        """Return the version of ``mine`` with the same text as ``theirs``; None if there is none.

        If several versions have this text, the one with the most regions in common with ``theirs`` is returned.
        """
        same = [each for each in self._versions(mine) if same_text(each, theirs)]
        return max(same, key=lambda each: len(each.shown() & theirs.shown()), default=None)

    def _pair_kind(
        self, mine: Procedure, theirs: Procedure, left: list[Region], right: list[Region], version: Procedure | None
    ) -> None:
        """Pair the enclosed regions of one kind, and move unmatched right regions to the left procedure.

        Args:
            mine: The left procedure.
            theirs: The right procedure.
            left: Regions of ``mine``.
            right: Regions of ``theirs``.
            version: A version of ``mine`` with the same text as ``theirs``; None if there is none.
        """
        partner: dict[Region, Region] = {}
        if version:
            known = [each for each in version.inner if each.kind == right[0].kind]
            names = self.names[version]
            partner = {other: names[own] for own, other in _pairs(known, right, lambda region: region.ordinal)}
            if self._versions(mine) == [version]:
                for each in right:
                    self._take(partner.get(each), each, mine, each.ordinal)
                return

        def likeness(one: Region, other: Region) -> float:
            if version and (other in partner or version in self.origins[one]):
                return float(partner.get(other) == one)
            return max(
                self._regions_alike(one, own, other, procedure, theirs)
                for procedure, regions in self.origins[one].items()
                for own in regions
            )

        pairs = align(left, right, likeness, enough=_ENOUGH_INSIDE)
        anew = any(one is None for one, _ in pairs)

        def is_guessed(one: Region, other: Region) -> bool:
            """Return whether a match is uncertain: some region has no match, or another one is just as similar."""
            if any(None in pair for pair in pairs):
                return True
            others = [(each, other) for each in left if each != one] + [(one, each) for each in right if each != other]
            return any(likeness(*pair) >= likeness(one, other) for pair in others)

        for place, (one, other) in enumerate(pairs):
            if one and anew:
                self.result.left[one] = one._replace(ordinal=place)
            if other:
                self._take(one, other, mine, place)
            if one and other and (one.ordinal != other.ordinal or (version is None and is_guessed(one, other))):
                self.result.alike.append(Alike(one, other))

    def _take(self, one: Region | None, other: Region, mine: Procedure, ordinal: int) -> None:
        alone = other._replace(file=mine.file, function=mine.name, ordinal=ordinal)
        self.result.right[other] = self.result.left.get(one, one) if one else alone

    def _regions_alike(self, one: Region, own: Region, other: Region, procedure: Procedure, theirs: Procedure) -> float:
        """Return the similarity of two regions by length, callees, position and name, except for names such as loop@41.

        Args:
            one: The left region, in the union.
            own: The same region in one of the versions.
            other: The right region.
            procedure: The procedure of ``own``.
            theirs: The procedure of ``other``.
        """
        called = {self.called.get(name, name) for name in self.right.below[other]}
        weights = [(2.0, ratio(size(own), size(other))), (1.0, float(same_offset(procedure, theirs, own, other)))]
        if called or self.left.below[one]:
            weights.append((2.0, overlap(self.left.below[one], called)))
        if not own.name.startswith(f"{own.kind}@"):
            weights.append((3.0, float(own.name == other.name)))
        return sum(weight * value for weight, value in weights) / sum(weight for weight, _ in weights)


def _by_caller(procedures: Sequence[Procedure]) -> dict[Procedure | None, list[tuple[int, int]]]:
    """Map each caller to the procedures that it calls, sorted by length: (length, index)."""
    found: dict[Procedure | None, list[tuple[int, int]]] = {}
    for length, index in sorted((each.length, index) for index, each in enumerate(procedures)):
        for caller in procedures[index].callers:
            found.setdefault(caller, []).append((length, index))
    return found


def _file_and_name(procedure: Procedure) -> Hashable:
    return procedure.file, procedure.name


def _base_and_name(procedure: Procedure) -> Hashable:
    return procedure.file_name, procedure.name


def _name(procedure: Procedure) -> Hashable:
    return procedure.name
