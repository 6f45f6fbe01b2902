"""Read folded stacks: ``main;step;relax 12``, one stack per line, outermost function first, then the number of samples.

Many tools write folded stacks for flame graphs. With ``--pid`` or ``--tid``, ``stackcollapse-perf.pl`` writes
``ring-4000`` or ``ring-4000/4001`` first; the number of the process may be unknown (``ring-?/4001``).
"""

from __future__ import annotations

import re
from typing import Final

from ...errors import InputError
from ..experiment import Experiment
from ..notes import Notes
from ..region import Region
from ..source import Source
from .perf_lines import is_idle
from .profile import Profile, function
from .text import lines

__all__ = ["begins", "read"]

_LINE: Final = re.compile(r"(?P<stack>\S.*?)\s+(?P<number>\d+(?:\.\d+)?)\s*$")
_PROCESS: Final = re.compile(r"(?P<command>.+)-(?P<process>\d+|\?)(?:/(?P<thread>\d+))?")
_METRIC: Final = "samples"
_SEPARATOR: Final = ";"
_COMMENT: Final = "#"
_MARKUP: Final = ("<", "{", "[{")


def begins(text: str) -> bool:
    """Return whether a file that begins with this text contains folded stacks; the text's last line may be cut off."""
    *whole, last = text.split("\n")
    stacks = [line for line in whole if line.strip() and not line.startswith(_COMMENT)]
    first = stacks[0] if stacks else last
    if first.startswith(_MARKUP) or not first.isprintable() or _SEPARATOR not in first:
        return False
    return all(map(_LINE.match, stacks)) if stacks else first.count(_SEPARATOR) > 1


def read(source: Source) -> Experiment:
    """Read folded stacks as an experiment.

    Raises:
        InputError: A line is not a stack with a sample count, or there are no stacks except for those of idle cores.
    """
    profile = Profile("folded stacks")
    profile.metric(_METRIC, "occ")
    sums: dict[tuple[int, tuple[int, int]], float] = {}
    commands: dict[str, float] = {}
    idle = 0.0
    for number, line in enumerate(lines(source), start=1):
        if not line.strip() or line.startswith(_COMMENT):
            continue
        found = _LINE.match(line)
        if found is None:
            raise InputError(f"line {number}: expected a stack and its sample count, found {line[:40]!r}")
        first, *others = found["stack"].split(_SEPARATOR)
        command, place = _who(first)
        value = float(found["number"])
        if is_idle(command, place[0]):
            idle += value
            continue
        path = profile.path(Region("program", command, "", command))
        for name in others:
            path = profile.path(function(name), path) if name else path
        commands[command] = commands.get(command, 0.0) + value
        sums[path, place] = sums.get((path, place), 0.0) + value
    if not sums:
        raise InputError(f"expected folded stacks, found {'only stacks of idle cores' if idle else 'none'}")
    processes = sorted({process for _, (process, _) in sums})
    threads = {each: sorted({thread for _, (process, thread) in sums if process == each}) for each in processes}
    places = {
        (process, thread): profile.location(rank, index)
        for rank, process in enumerate(processes)
        for index, thread in enumerate(threads[process])
    }
    for (path, place), value in sums.items():
        profile.add(_METRIC, path, places[place], value)
    profile.samples[_METRIC] = 1.0
    profile.remarks.append("folded stacks: no ranks, times, visits or bytes; values are sample counts")
    if idle:
        profile.remarks.append(f"folded stacks: {idle:g} samples of idle cores (swapper) are left out")
    return profile.experiment(Notes(program=max(commands, key=commands.__getitem__)))


def _who(first: str) -> tuple[str, tuple[int, int]]:
    """Return the command that begins a stack, and the numbers of its process and thread, which are 0 if unknown.

    A thread of an unknown process counts as a separate process.
    """
    found = _PROCESS.fullmatch(first)
    if found is None:
        return first, (0, 0)
    thread = int(found["thread"] or 0)
    return found["command"], (thread if found["process"] == "?" else int(found["process"]), thread)
