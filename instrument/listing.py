"""Write the regions of sources as a plan that users can edit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

from ..experiment.plan import Exclude, Include, Pattern, build_line, save_plan
from .choice import BY_THE_PLAN, Choice
from .code_region import CodeRegion, CodeRegions

__all__ = ["nested", "write_listing"]

_Rule = TypeVar("_Rule", Include, Exclude)
_HEAD: Final = """\
# The regions that a build with this plan measures: {build}
# Change [[include]] into [[exclude]], or vice versa. [[include]] adds regions to those of the modes; [[exclude]]
# removes regions. The modes decide on regions that no entry matches. Other tables: eliminate, merge, split.
"""


def nested(regions: Sequence[CodeRegion]) -> Iterator[tuple[int, CodeRegion]]:
    """Yield regions in source order, each with its nesting depth among functions and instrumented regions."""
    opened: list[CodeRegion] = []
    for each in sorted(regions, key=lambda each: (each.start, -each.end)):
        while opened and opened[-1].end <= each.start:
            opened.pop()
        is_function = each.region.kind in {"function", "program"}
        yield 0 if is_function else max(len(opened), 1), each
        if is_function or not each.reason:
            opened.append(each)


def write_listing(path: Path, choice: Choice, found: Iterable[tuple[str, CodeRegions]]) -> None:
    """Write a plan that reproduces the sources' current regions.

    Args:
        path: The file.
        choice: The requested regions.
        found: Name and all regions of each source, including regions that are off.

    Raises:
        InputError: The file cannot be written.
    """
    plan = choice.plan
    include, exclude = list(plan.include), list(plan.exclude)
    lines = [_HEAD.format(build=build_line(path))]
    for name, regions in found:
        off: dict[str, list[str]] = defaultdict(list)
        for each in regions.regions:
            comment = _comment(each)
            if each.is_off:
                off[each.reason].append(comment)
            elif each.of_plan or BY_THE_PLAN in each.reason:
                continue  # an earlier rule already covers the region
            elif not each.reason:
                include.append(Include(Pattern.of(each.region), comment=comment))
            else:
                exclude.append(Exclude(Pattern.of(each.region), each.reason, comment))
        lines += [f"# {name}: {reason}: {', '.join(regions)}\n" for reason, regions in off.items()]
    save_plan(path, plan._replace(modes=choice.modes, include=_once(include), exclude=_once(exclude)), "".join(lines))


def _once(rules: list[_Rule]) -> tuple[_Rule, ...]:
    """Remove duplicate rules, which occur if several sources share headers; the last comment is kept."""
    return tuple({rule: rule for rule in rules}.values())


def _comment(found: CodeRegion) -> str:
    region = found.region
    inside = f" in {region.function}" if region.kind not in {"function", "program"} else ""
    return f"{region.name}{inside}, lines {region.first_line}-{region.last_line}"
