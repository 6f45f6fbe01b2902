"""The verdict on a terminal: at most fifteen lines of at most a hundred columns, or all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ...analyze import Findings
from ..advice import not_advised
from ..caveats import caveats, how_counted
from ..lines import broken
from ..place import clipped
from .entry import Entry, entries
from .headline import balanced, efficiency, headline, master, too_short

if TYPE_CHECKING:
    from ...advise import Advised

__all__ = ["verdict_lines"]

_MOST_LINES: Final = 15
_WIDTH: Final = 100  # columns
_LABEL: Final = 12  # columns of a finding's number and kind
_INDENT: Final = "    "
_FEWEST_WARNINGS: Final = 3  # lines, where findings need the room: two, and how many more there are


def verdict_lines(
    findings: Findings,
    file: Path | None = None,
    not_counted: str = "",
    *,
    everything: bool = False,
    advised: Advised | None = None,
) -> list[str]:
    """Write the verdict.

    Args:
        findings: What was found.
        file: Where the experiment is, for the last line, and for the first where the program has no name.
        not_counted: Why there are no counts though they were asked for; empty if they were not asked for.
        everything: Whether to print all findings, with all advice and all warnings.
        advised: What to try in the sources; None if these are not read.

    Returns:
        At most fifteen lines, unless ``everything``, of at most 100 columns. The findings are the first of all of them,
        in their order; a line says how many are left out. The first warnings are printed in any case, others where a
        line is free.
    """
    head = [line for line in ("   ".join(headline(findings, file)), *efficiency(findings)) for line in _broken(line)]
    said = [line for each in (*master(findings), *balanced(findings)) for line in _broken(each)]
    if findings.verdict.too_short:
        said = [too_short()]
    head += ["", *said, *([""] if findings.verdict.master is not None and findings.verdict.findings else [])]
    end = [f"data {file}"] if file else []
    items = [_Item(number, each) for number, each in enumerate(entries(findings, advised), start=1)]
    besides = not_advised(advised, everything=everything) if advised else []

    def warnings(most: int) -> list[str]:
        return [line for each in caveats(findings, most=most, besides=besides) for line in _broken(each)]

    counted = how_counted(findings, not_counted)
    if everything:
        every = [*caveats(findings, most=None, besides=besides), counted]
        return [*head, *(line for item in items for line in item.all), "", *every, *end]
    room = _MOST_LINES - len(head) - 1 - len(end)
    fewest = [*warnings(_FEWEST_WARNINGS), *(_broken(counted) if not_counted else [])]
    body = _that_fit(items, room - len(fewest))
    free = room - len(body)
    more = warnings(max(free, _FEWEST_WARNINGS))
    choices = ([*more, *_broken(counted)], [*fewest, *([] if not_counted else _broken(counted))], more, fewest)
    return [*head, *body, "", *next((lines for lines in choices if len(lines) <= free), fewest), *end]


class _Item:
    """The lines of a finding: its title, who, why and what to try, and more."""

    def __init__(self, number: int, entry: Entry) -> None:
        self.title, called = _title(number, entry)
        lines, more = [*filter(None, entry.lines)], [*entry.more]
        if called and lines and len(f"{_INDENT}{lines[0]}; {called}") <= _WIDTH:
            lines[0] += f"; {called}"
        elif called:
            more.insert(0, called)
        self.parts = [_indented([line]) for line in lines]  # who, why, what to try
        self.first = [line for part in self.parts for line in part]
        self.more = [_indented([line]) for line in more]

    def within(self, most: int) -> list[str]:
        """Return the first lines, as many as there may be: why it is so is left out rather than what to try."""
        parts = [[self.title], *self.parts]
        while len(parts) > 2 and sum(map(len, parts)) > most:
            del parts[-2]
        return [line for part in parts for line in part]

    @property
    def all(self) -> list[str]:
        return [self.title, *self.first, *(line for lines in self.more for line in lines)]


def _title(number: int, entry: Entry) -> tuple[str, str]:
    """Write number, kind, place and saving within the width, cut in the middle if need be.

    Returns:
        The line, and what says where the place is called if there was no room for that.
    """
    start = f"{f'{number} {entry.kind}':<{_LABEL}}  "
    end = f"   {entry.saving}" if entry.saving else ""
    where, called = entry.where, ""
    if len(start) + len(where) + len(end) > _WIDTH and entry.called:
        where, called = f"{entry.place}  {entry.title}" if entry.place else entry.title, entry.called
    room = _WIDTH - len(start) - len(end)
    return f"{start}{clipped(where, room):<{room}}{end}".rstrip(), called


def _indented(lines: Iterable[str]) -> list[str]:
    return [part for line in lines for part in _broken(_INDENT + line)]


def _broken(line: str) -> list[str]:
    return [line] if len(line) <= _WIDTH else broken(line, _WIDTH)


def _that_fit(items: Sequence[_Item], room: int) -> list[str]:
    """Choose the lines of the first findings that there is room for; then titles alone; then more about the first ones.

    The first finding has its advice in any case. If findings are left out, a line says so.
    """
    shown: list[list[str]] = []
    left = room
    for place, item in enumerate(items):
        after = len(items) - place - 1
        need = 1 + len(item.first)
        if shown and need + bool(after) > left:
            break
        shown.append(item.within(left - bool(after)) if not shown else [item.title, *item.first])
        left -= len(shown[-1])
    for place in range(len(shown), len(items)):
        after = len(items) - place - 1
        if 1 + bool(after) > left:
            break
        shown.append([items[place].title])
        left -= 1
    if len(shown) < len(items):
        more = [f"… and {len(items) - len(shown)} more: autoanalyzer analyze --all"]
        return [*(line for lines in shown for line in lines), *more]
    for lines, item in zip(shown, items, strict=True):
        for each in ([item.first] if len(lines) == 1 else []) + item.more:
            if len(each) > left:
                break
            lines.extend(each)
            left -= len(each)
    return [line for lines in shown for line in lines]
