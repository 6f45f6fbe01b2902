"""Lay out the verdict for a terminal, in fifteen lines of a hundred columns or in full."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from ...analyze import Findings
from ...analyze.run.costs import is_mostly
from ...analyze.verdict import Finding
from ..advice import not_advised
from ..caveats import caveats, how_counted
from ..counted_events import NOTHING
from ..lines import broken
from ..place import clipped
from ..units import ranges
from .entry import Entry, entries
from .headline import balanced, base, efficiency, headline, legend, master, too_short, unknown
from .parts import NO_PROBES, NOT_SAMPLED, TO_COUNT, TO_REBUILD

if TYPE_CHECKING:
    from ...advise import Advised

__all__ = ["verdict_lines"]

_MOST_LINES: Final = 15
_WIDTH: Final = 100  # maximum width of a line in columns, if it can be broken
_LABEL: Final = 12  # width in columns of a finding's number and kind
_LEAST: Final = 12  # minimum width of a region's name in columns; if there is less room, the file's name is cut, too
_INDENT: Final = "    "
_COMMAND: Final = "autoanalyzer "
_STEP: Final = re.compile(r"autoanalyzer (?!analyze --all)|: repeat |run again|--counters ")  # matches a next step
# Ways to make room for the first finding; the first plan that fits is used. Each item of _ROOM is the number of
# warnings, and whether the lines above the findings are brief. Each item of _PLANS begins with the number of lines
# that the finding has in addition to its title and advice: 2 for the ranks and the reason, 1 for the ranks, or 0.
_ROOM: Final = ((2, False), (1, False), (1, True))
_PLANS: Final = (*((lines, *room) for lines in (2, 1) for room in _ROOM), (1, 0, True), (0, 1, True), (0, 0, True))


def verdict_lines(
    findings: Findings,
    file: Path | None = None,
    not_counted: str = "",
    *,
    everything: bool = False,
    advised: Advised | None = None,
) -> list[str]:
    """Return the lines of the verdict.

    Args:
        findings: The findings.
        file: The experiment's file, for the last line, and for the first line if the program has no name.
        not_counted: Why requested counts are missing; empty if they are not missing.
        everything: Whether to print all findings, with all advice and all warnings.
        advised: Advice from the sources; None if they were not read.

    Returns:
        Lines of at most 100 columns; at most fifteen lines, unless ``everything``. They show as many findings as fit,
        two warnings, and the number of findings that are left out. The first finding has its title, the ranks, the
        reason and the advice. If there is not enough room, lines are left out in this order: the second warning; the
        longest wait and the next command; the reason; the first warning; the ranks. The legend is shown if it fits
        into the line with the data.
    """
    data = [f"data: autoanalyzer view {quote(str(file))}"] if file else []
    found = entries(findings, advised, whole=everything)
    besides = not_advised(advised, everything=everything) if advised else []
    counted = how_counted(findings, not_counted)
    says_how_to_count = counted.startswith(f"{NOTHING}:") and any(
        line.endswith((TO_COUNT, TO_REBUILD, NOT_SAMPLED, NO_PROBES))
        for each in found
        for line in (*each.lines, *each.more)
    )
    if everything:
        every = [
            *caveats(findings, everything=True, besides=besides),
            *([] if says_how_to_count and not not_counted else [counted]),
        ]
        blocks = (block for number, each in enumerate(found, start=1) for block in _Item(number, each).blocks)
        body = [line for block in blocks for line in block]
        return [*_head(findings, file), *body, "", *every, *_end([*data, *legend(findings)])]
    found = _with_one_command(found)
    wanted = {*range(1, len(found) + 1)}
    explained = legend(findings)
    ends = (_end([*data, *explained[:number]]) for number in range(len(explained), -1, -1))
    end = next((each for each in ends if len(each) == 1), _end(data))
    large = next((number for number, each in enumerate(findings.verdict.findings) if _is_large(findings, each)), 0)
    # The line about losses names the locations of hidden findings. These names take room, so fewer findings may fit.
    while True:
        items = [_Item(number, each) for number, each in enumerate(found, start=1)]
        head, last, room = list[str](), list[str](), 0
        more = (len(items) > 1) + (large > 0)
        least, *larger = (each + more for each in items[0].sizes) if items else (0, 0, 0)
        for lines, most, brief in _PLANS:
            head = _head(findings, file, brief=brief, shown=wanted)
            room = _MOST_LINES - len(head) - 1 - len(end)
            # All warnings together may take fewer lines than some warnings plus a line that counts the others.
            warnings = (caveats(findings, besides=besides), caveats(findings, most=most, besides=besides))
            last = min(([line for each in said for line in _broken(each)] for said in warnings), key=len)
            last += _broken(counted) if not_counted else []
            if (least, *larger)[lines] + len(last) <= room:
                break
        last = last[: max(room - least, 0)]
        body = _that_fit(findings, items, room - len(last), large)
        shown = {number for number, item in enumerate(items, start=1) if item.shown}
        if wanted <= shown:
            break
        wanted &= shown
    has_step = _STEP.search(" ".join(line.strip() for line in (*head, *body)))
    is_counted = bool(not_counted) or "instructions" not in findings.lacking
    lacking = [] if says_how_to_count or is_counted or has_step else _broken(counted)
    last += lacking if len(body) + len(last) + len(lacking) <= room else []
    return [*head, *body, "", *last, *end]


def _head(
    findings: Findings, file: Path | None, *, brief: bool = False, shown: Collection[int] | None = None
) -> list[str]:
    """Return the lines above the findings; ``brief`` and ``shown`` are explained in ``efficiency``."""
    efficient = efficiency(findings, brief=brief, shown=shown)
    first = ("   ".join(headline(findings, file)), *base(findings), *unknown(findings), *efficient, *master(findings))
    said = [too_short()] if findings.verdict.too_short else balanced(findings)
    return [line for each in (*first, "", *said) for line in _broken(each)]


def _end(parts: Sequence[str]) -> list[str]:
    """Return the last lines: all texts in one line if they fit into the width, otherwise a line for each."""
    line = "   ".join(parts)
    return [line] if parts and len(line) <= _WIDTH else [line for each in parts for line in _broken(each)]


class _Item:
    """The lines of a finding, in blocks that are shown or left out as a whole.

    Attributes:
        blocks: The title, the main lines, and further lines, each broken to the width.
        needed: Indices of the blocks for title and main lines, the most important first.
        more: Indices of the blocks for further lines.
        sizes: The numbers of lines of (1) the title and the advice, (2) these and the ranks, (3) all of these and the
            first reason.
        shown: Indices of the blocks to show.
        entry: The finding.
    """

    def __init__(self, number: int, entry: Entry) -> None:
        title, called = _title(number, entry)
        lines, more = [*filter(None, entry.lines)], [*entry.more]
        first = f"{lines[0]}; {called}" if called and lines else ""
        if first and len(_indented([first])) == len(_indented(lines[:1])):
            lines[0] = first
        elif called:
            more.append(called)
        self.blocks = [[title], *(_indented([each]) for each in (*lines, *more))]
        numbers = range(1, 1 + len(lines))
        cure = [each for each in numbers if lines[each - 1].startswith("try")][:1]
        cure += [each for each in numbers if lines[each - 1].startswith(("first", "uncertain"))]
        reason = [each for each in numbers[1:2] if each not in cure]
        others = [each for each in numbers[1:] if each not in (*cure, *reason)]
        others.sort(key=lambda each: not lines[each - 1].startswith("try"))
        self.needed = [0, *cure, *numbers[:1], *reason, *others]
        self.more = range(1 + len(lines), len(self.blocks))
        self.sizes = [self.size(self.needed[: number + len(cure)]) for number in (1, 2, 3)]
        self.shown: set[int] = set()
        self.entry = entry

    def size(self, numbers: Iterable[int]) -> int:
        """Return the number of lines in some blocks."""
        return sum(len(self.blocks[each]) for each in numbers)

    def show(self, numbers: Iterable[int], room: int) -> int:
        """Show blocks until one does not fit, and return the number of lines that remain of ``room``."""
        for each in numbers:
            if each not in self.shown:
                if len(self.blocks[each]) > room:
                    break
                self.shown.add(each)
                room -= len(self.blocks[each])
        return room

    @property
    def lines(self) -> list[str]:
        return [line for each in sorted(self.shown) for line in self.blocks[each]]


def _title(number: int, entry: Entry) -> tuple[str, str]:
    """Return the first line of a finding, and the caller if the line has no room for it, otherwise an empty text.

    If the line is too long, names are shortened, but file and line number are kept.
    """
    start = f"{f'{number} {entry.kind}':<{_LABEL}}  "
    end = f"   {entry.saving}" if entry.saving else ""
    room, called = _WIDTH - len(start) - len(end), ""
    if len(entry.where) > room and entry.called:
        entry, called = replace(entry, called=""), entry.called
    place = f"{entry.place}  " if entry.place else ""
    rest = room - len(place)
    where = f"{place}{clipped(entry.what, rest)}" if rest >= _LEAST else clipped(entry.where, room)
    return f"{start}{where:<{room}}{end}".rstrip(), called


def _indented(lines: Iterable[str]) -> list[str]:
    return [part for line in lines for part in _broken(_INDENT + line)]


def _broken(line: str) -> list[str]:
    return [line] if len(line) <= _WIDTH else broken(line, _WIDTH)


def _with_one_command(found: Iterable[Entry]) -> list[Entry]:
    """Return the findings with only the first command to run; lines with later commands are removed.

    If a finding has advice from the source, its further lines contain no command at all.
    """
    kept, has_step = list[Entry](), False
    for each in found:
        shown = list[list[str]]()
        for lines, drops in ((each.lines, False), (each.more, bool(each.advice))):
            shown.append([])
            for line in lines:
                if not (_COMMAND in line and (has_step or drops)):
                    shown[-1].append(line)
                    has_step = has_step or bool(_STEP.search(line))
        kept.append(replace(each, lines=shown[0], more=shown[1]))
    return kept


def _is_large(findings: Findings, finding: Finding) -> bool:
    """Return whether a finding's saving is unknown, but its region takes more than half of the base."""
    return not finding.gain and not finding.of_run and is_mostly(finding.bound, findings.verdict.base.seconds)


def _that_fit(findings: Findings, items: Sequence[_Item], room: int, large: int) -> list[str]:
    """Return the lines that fit: main lines of the first findings, then titles of others, then further lines.

    The first finding always has its title and its advice. If findings are left out, a line contains their number.

    Args:
        findings: The findings.
        items: The lines of each finding.
        room: The number of lines that are available.
        large: Index of a finding whose title is shown if there is room; 0 for none.
    """
    left = room
    if large > 0 and items[0].sizes[0] + 2 <= room:
        left = items[large].show([0], left)
    for place, item in enumerate(items):
        after = place < len(items) - 1
        if place == 0:
            item.show(item.needed, item.sizes[0])
            left = item.show(item.needed, left - item.sizes[0] - after) + after
        elif item.size(each for each in item.needed if each not in item.shown) + after <= left:
            left = item.show(item.needed, left)
        else:
            break
    for place, item in enumerate(items):
        if not item.shown:
            if 1 + (place < len(items) - 1) > left:
                break
            left = item.show([0], left)
    shown = [item for item in items if item.shown]
    if len(shown) < len(items):
        first = next(number for number, item in enumerate(items) if not item.shown)
        rest = _rest(findings, items)
        return [line for at, item in enumerate(items) for line in (*item.lines, *([rest] if at == first else ()))]
    for item in items:
        for each in (*item.needed, *item.more):
            left = item.show([each], left)
    return [line for item in items for line in item.lines]


def _seconds(findings: Findings, finding: Finding) -> float:
    """Return the saving of a finding in seconds; if it is unknown, the time of its region."""
    is_of_run = finding.of_run and not finding.gain
    return finding.share * findings.run.program_time if is_of_run else finding.seconds


def _rest(findings: Findings, items: Sequence[_Item]) -> str:
    """Return a line with the number of findings that are left out, and the largest of these findings."""
    found = findings.verdict.findings
    hidden = [number for number, item in enumerate(items) if not item.shown]
    entry = items[max(hidden, key=lambda number: _seconds(findings, found[number]))].entry
    numbers = ranges([number + 1 for number in hidden])
    largest = "largest: " * (len(hidden) > 1)
    start, end = f"… {numbers} not shown ({largest}{entry.kind} ", "): autoanalyzer analyze --all"
    if saving := entry.saving.rpartition("; ")[2].partition(" (")[0]:
        end = f", {saving}{end}"
    return f"{start}{clipped(entry.place or entry.title, _WIDTH - len(start) - len(end))}{end}"
