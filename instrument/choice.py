"""Decide which of the regions found by a front end are instrumented, based on modes and on the rules of a plan."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from ..digests import text_of
from ..errors import InputError, way_out
from ..experiment.plan import Exclude, Include, Merge, Pattern, Plan, load_plan
from ..experiment.plan.mode import CALL_MODES, DEFAULT_MODES, asked_modes, kinds_of
from ..experiment.region import Region
from .code_region import CodeRegion, CodeRegions
from .plan_file import PlanFile, find_plan

__all__ = ["BY_THE_PLAN", "DEFAULT_CHOICE", "MODES_VARIABLE", "Choice", "read_choice"]

MODES_VARIABLE: Final = "AUTOANALYZER_MODES"
_Rule = TypeVar("_Rule", Include, Exclude)
_WHOLE: Final = ("function", "program")
BY_THE_PLAN: Final = " by the plan"
"""The words that mark reasons caused by a rule of the plan."""


class Choice(NamedTuple):
    """The requested regions of a source.

    A region is instrumented if one of its modes is on, or if the plan includes it or splits its parent. It is not
    instrumented if the plan excludes or eliminates it, or merges it with other regions. The program as a whole belongs
    to every mode. If a function cannot be a region, its outermost loops replace it.

    Attributes:
        modes: The modes that are on.
        plan: The plan.
        looks_for_all: Whether front ends find regions of all modes, to report those whose modes are off.
        plan_file: The plan's file; None if no plan was read.
        defect: Why the plan of the last run cannot be read; empty if it can.
    """

    modes: tuple[str, ...] = DEFAULT_MODES
    plan: Plan = Plan()
    looks_for_all: bool = False
    plan_file: PlanFile | None = None
    defect: str = ""

    def wants(self, *modes: str) -> bool:
        """Return whether regions of these modes may be requested; if not, front ends need not find them."""
        if self.looks_for_all or not set(modes).isdisjoint(self.modes):
            return True
        if "inner-loops" in modes and self.plan.split:
            return True
        included = any(_may_include(rule, mode) for rule in self.plan.include for mode in modes)
        return included or any(_may_merge(rule, mode) for rule in self.plan.merge for mode in modes)

    def asks_for(self, found: CodeRegion, around: Region | None = None) -> bool:
        """Return whether an active mode, or the plan, requests a region; for the arguments, see ``reason``."""
        return self._is_on(found) or self._is_included(found) or self._is_part(found, around)

    def merged(self, inner: Iterable[CodeRegion]) -> Iterator[tuple[str, list[CodeRegion]]]:
        """Yield each region into which the plan merges regions of a function: its name, and its members in order."""
        within = list(inner)
        for merge in self.plan.merge:
            members = sorted((each for each in within if merge.member(each.region) >= 0), key=lambda each: each.start)
            if len({merge.member(each.region) for each in members}) == len(merge.regions):
                yield merge.name or "+".join(each.region.name for each in members), members

    def asks_for_blocks(self, function: Region, inner: Iterable[CodeRegion]) -> bool:
        """Return whether the plan splits a function, or one of the regions in it, into blocks."""
        rules = [rule for rule in self.plan.split if rule.into == "blocks"]
        return any(
            rule.pattern.matches(each) for rule in rules for each in (function, *(each.region for each in inner))
        )

    def splits(self, region: Region) -> frozenset[str]:
        """Return the kinds of parts into which the plan splits a region: ``loops``, ``blocks``, both or none."""
        return frozenset(rule.into for rule in self.plan.split if rule.pattern.matches(region))

    def reason(self, found: CodeRegion, around: Region | None = None, *, stands_in: bool = False) -> str:
        """Return why a region is not instrumented, or an empty string if it is.

        Args:
            found: The region, with the front end's own reason against a probe, if any.
            around: The innermost region around ``found``; None if there is none.
            stands_in: Whether the region replaces its function.
        """
        if not (found.is_said or stands_in or self.asks_for(found, around)):
            return f"mode {found.modes[0]} is off"
        if found.reason and not (found.yields and self._is_named(found.region)):
            return found.reason
        for rules, words in ((self.plan.exclude, "left out"), (self.plan.eliminate, "eliminated")):
            if rule := next((rule for rule in rules if rule.matches(found.region)), None):
                return _said(words, rule)
        return ""

    def applied(self, found: CodeRegions) -> CodeRegions:
        """Decide about each region of a source, and return the regions; those whose mode is off are in ``off``.

        With ``looks_for_all``, no region is in ``off``.
        """
        return self.shown(self.decided(found))

    def shown(self, found: CodeRegions) -> CodeRegions:
        """Return the regions, with those whose mode is off moved to ``off``, unless ``looks_for_all`` is set."""
        if self.looks_for_all:
            return found
        on, off = (tuple(each for each in found.regions if each.is_off is is_off) for is_off in (False, True))
        return found._replace(regions=on, off=off)

    def decided(self, found: CodeRegions) -> CodeRegions:
        """Decide about each region of a source; return the regions with the decisions and their files' digests."""
        texts = {file: text_of(file) for file in {each.region.file for each in found.regions}}
        regions = tuple(
            each._replace(region=each.region._replace(text=texts[each.region.file])) for each in found.regions
        )
        around = _around(regions)
        in_place = _in_place(regions) if "functions" in self.modes else frozenset()
        here = self._about(texts)
        wholes = [each for each in regions if each.of_plan == "merge" and not here.reason(each)]
        decided = []
        for place, each in enumerate(regions):
            reason = here.reason(each, around[place], stands_in=each.region in in_place) or here._merged(each, wholes)
            decided.append(each._replace(reason=reason, is_off=reason.startswith("mode ")))
        known = [each.region for each in regions]
        remarks = (*found.remarks, *here.outdated(known), *here.remarks(known))
        return found._replace(regions=tuple(decided), remarks=remarks)

    def outdated(self, regions: Iterable[Region]) -> Iterator[str]:
        """Yield a message if the plan is ignored, and one per file whose rules only fit other versions of the file."""
        if self.defect:
            yield f"{self.defect}; the plan is ignored"
        found: dict[str, list[Region]] = {}
        for each in regions:
            found.setdefault(each.file, []).append(each)
        rules = [rule for rule in self.plan.exclude if rule.texts]
        meant = _files_of(rules, found)
        about = [(rule, file) for rule in rules for file in meant[rule.pattern.file]]
        held = {file for rule, file in about if found[file][0].text in rule.texts}
        others = ((rule, file) for rule, file in about if file not in held)
        for file in sorted({file for rule, file in others if any(map(rule.pattern.matches, found[file]))}):
            name = self.plan_file.name if self.plan_file else "the plan"
            yield f"{file} has changed since {name} was written, so all regions in this file are measured"

    def _about(self, files: Collection[str]) -> Choice:
        """Return this choice with only the rules for some files; a large program has many rules for other files."""

        def about(rules: tuple[_Rule, ...]) -> tuple[_Rule, ...]:
            meant = _files_of(rules, files)
            return tuple(rule for rule in rules if meant[rule.pattern.file])

        plan = self.plan._replace(
            include=about(self.plan.include),
            exclude=about(self.plan.exclude),
            eliminate=about(self.plan.eliminate),
        )
        return self._replace(plan=plan)

    def remarks(self, regions: Iterable[Region], *, whole: bool = False) -> Iterator[str]:
        """Yield one warning if any rules match no region, with similar names for the first of these rules.

        Args:
            regions: All regions that were found.
            whole: Whether these are the regions of the whole program, so that all rules should match.
        """
        found = list(self._without_match(list(regions), whole=whole))
        if found:
            rule, way = found[0]
            many = f"{len(found)} rules of the plan match nothing, for example {rule}"
            one = f"the plan's {rule} matches nothing"
            yield f"{one if len(found) == 1 else many}; {way}"

    def _without_match(self, known: list[Region], *, whole: bool) -> Iterator[tuple[str, str]]:
        """Yield each rule that matches no region, and a hint with similar names."""
        for table, pattern in self.plan.patterns():
            meant = whole or _is_about(pattern, known)
            if meant and pattern.keys() and self._looks_for(pattern) and not any(map(pattern.matches, known)):
                yield f"{table} of {pattern}", _meant(pattern, known)
        for merge in self.plan.merge:
            members = {merge.member(region) for region in known}
            within = Pattern(file=merge.file, function=merge.function)
            if (whole or _is_about(within, known)) and (missing := set(range(len(merge.regions))) - members):
                words = merge.regions[min(missing)]
                names = (region.name for region in known if Pattern(function=merge.function).matches(region))
                yield f"merge of {words} in {merge.function}", way_out(words, names)

    def _looks_for(self, pattern: Pattern) -> bool:
        """Return whether front ends find the regions of a pattern; they may skip regions whose modes are off."""
        kind = pattern.kind or (
            "function" if "@" not in (pattern.name or "") else (pattern.name or "").partition("@")[0]
        )
        return kind in {"function", "program"} or self.wants("inner-loops" if kind == "loop" else kind)

    def _merged(self, found: CodeRegion, wholes: list[CodeRegion]) -> str:
        """Return "merged into …" if a region belongs to a merged region, or an empty string if it does not.

        ``wholes`` are the merged regions.
        """
        if not any(merge.member(found.region) >= 0 for merge in self.plan.merge):
            return ""
        around = (each for each in wholes if each is not found and each.start <= found.start and found.end <= each.end)
        return next((f"merged into {each.region.name}{BY_THE_PLAN}" for each in around), "")

    def _is_on(self, found: CodeRegion) -> bool:
        return found.is_whole_program or bool(found.of_plan) or not set(found.modes).isdisjoint(self.modes)

    def _is_included(self, found: CodeRegion) -> bool:
        return any(
            (not rule.modes or not set(found.modes).isdisjoint(rule.modes)) and rule.pattern.matches(found.region)
            for rule in self.plan.include
        )

    def _is_named(self, region: Region) -> bool:
        """Return whether a rule of the plan includes a region without regard to its mode."""
        return any(not rule.modes and rule.pattern.matches(region) for rule in self.plan.include)

    def _is_part(self, found: CodeRegion, around: Region | None) -> bool:
        if around is None or not self.plan.split:
            return False
        return found.region.kind in {"loop", "parallel"} and bool(self.splits(around))


DEFAULT_CHOICE: Final = Choice()


def _files_of(rules: Iterable[_Rule], files: Collection[str]) -> dict[str | None, list[str]]:
    """Map each file name in the rules to the files that it matches. Many rules of a large plan share a name."""
    patterns = (Pattern(file=name) for name in {rule.pattern.file for rule in rules})
    return {pattern.file: [file for file in files if pattern.is_of_file(file)] for pattern in patterns}


def _may_include(rule: Include, mode: str) -> bool:
    """Return whether a rule may include regions of a mode."""
    if rule.modes:
        return mode in rule.modes
    kind = rule.pattern.kind
    return kind is None or any(fnmatchcase(each, kind) for each in kinds_of(mode))


def _may_merge(rule: Merge, mode: str) -> bool:
    """Return whether a rule may merge regions of a mode; a name with a line, such as ``exp@41``, may be any call."""
    kinds = {re.split("[#@]", word)[0] for word in rule.regions}
    by_name = {word.partition("@")[0] for word in rule.regions if "@" in word} - {"loop"}
    return not kinds.isdisjoint(kinds_of(mode)) or (mode in CALL_MODES and bool(by_name))


def _said(words: str, rule: Exclude) -> str:
    return f"{words}{BY_THE_PLAN}{': ' if rule.reason else ''}{rule.reason}"


def _in_place(regions: tuple[CodeRegion, ...]) -> frozenset[Region]:
    """Return the outermost loops that replace their functions, which cannot have probes.

    Loops of functions that are too small for probes are not included.
    """
    lost = {each.region for each in regions if each.region.kind in _WHOLE and each.reason and not each.yields}
    if not lost:
        return frozenset()
    apart = tuple(each for each in regions if each.region.kind in _WHOLE or "outer-loops" in each.modes)
    return frozenset(
        each.region
        for each, function in zip(apart, _around(apart), strict=True)
        if function in lost and each.region.kind not in _WHOLE
    )


def _around(regions: tuple[CodeRegion, ...]) -> list[Region | None]:
    """Return, for each region, the innermost region around it in the text, or None."""
    found: list[Region | None] = [None] * len(regions)
    opened: list[CodeRegion] = []
    for place in sorted(range(len(regions)), key=lambda place: (regions[place].start, -regions[place].end)):
        each = regions[place]
        while opened and opened[-1].end <= each.start:
            opened.pop()
        found[place] = opened[-1].region if opened else None
        opened.append(each)
    return found


def _is_about(pattern: Pattern, known: list[Region]) -> bool:
    """Return whether a rule names a file of these regions or, if it names no file, one of their functions."""
    if pattern.file is not None:
        return any(pattern.is_of_file(region.file) for region in known)
    function = pattern.function
    return function is not None and not has_magic(function) and any(map(Pattern(function=function).matches, known))


def _meant(pattern: Pattern, known: list[Region]) -> str:
    """Return a hint for a pattern that no region matches: names similar to its first key without a match."""
    keys: dict[str, Any] = pattern.keys()
    for key, value in keys.items():
        alone = Pattern(**{key: value})
        if isinstance(value, str):
            matching = [region for region in known if alone.matches(region)]
            if not matching:
                return way_out(value.strip("*?"), sorted({str(getattr(region, key)) for region in known}))
            known = matching
    return way_out("", (region.name for region in known))


def read_choice(
    environment: Mapping[str, str] = os.environ, modes: tuple[str, ...] | None = None, *, looks_for_all: bool = False
) -> Choice:
    """Return the choice of regions made by ``AUTOANALYZER_MODES`` and by the plan in ``AUTOANALYZER_PLAN``.

    Args:
        environment: The environment variables.
        modes: The modes to use instead of those in the environment or in the plan; None to use the environment's modes,
            or if there are none, the plan's.
        looks_for_all: Whether front ends find regions of all modes.

    Raises:
        UsageError: There is no such mode.
        InputError: The named plan cannot be read, or is not a plan.
    """
    file = find_plan(environment)
    plan, defect = Plan(), ""
    try:
        plan = load_plan(Path(file.path), file.name) if file else plan
    except InputError as error:
        if not (file and file.of_run):
            raise
        file, defect = None, str(error)
    asked = environment.get(MODES_VARIABLE, "")
    if modes is None and asked.strip():
        modes = asked_modes(asked, MODES_VARIABLE)
    if modes is None:
        modes = DEFAULT_MODES if plan.modes is None else plan.modes
    return Choice(modes, plan, looks_for_all, file, defect)
