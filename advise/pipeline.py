"""Advice on pipelines that do not fill: each rank in a chain finishes all its work before the next rank can begin.

Advice is given for regions in which ranks wait (Vetter and Reed, SC 1999, section 4.4: Sweep3D).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from .advice import HIGH, Advice, Site
from .calls import RECEIVES, SENDS, Calls
from .definitions import definitions
from .expression import Name, Number
from .nest import CallStatement, Loop, Procedure, SourceFile, Statement, statements

__all__ = ["CAUSES", "KIND", "pipeline"]

KIND: Final = "pipeline"
CAUSES: Final = frozenset(("waiting", "one_after_another"))

_ONE: Final = 1.01  # average number of iterations that still counts as one
_LEVELS: Final = 2  # number of levels of callers that are searched, from the receive upwards


def pipeline(site: Site) -> Iterator[Advice]:
    """Yield advice on the loop in which a site receives messages, or on a loop that calls the site's procedure."""
    calls = Calls(tuple((site.sources or {site.source.path: site.source}).values()))
    if not any(calls.does(each, RECEIVES) for each, _ in site.statements):
        return
    callings = [each for _, loops in site.statements[:1] for each in loops[-1:]]
    places = [(each, site.source, site.procedure) for each in callings]
    procedures = [site.procedure]
    for _ in range(_LEVELS):
        found = [each for procedure in procedures for each in calls.of(procedure)]
        places += [(each.loops[-1], each.source, each.procedure) for each in found if each.loops]
        procedures = [each.procedure for each in found]
    advice = (_of_loop(site, calls, *each) for each in places)
    yield from [each for each in advice if each is not None][:1]


def _of_loop(site: Site, calls: Calls, loop: Loop, source: SourceFile, procedure: Procedure) -> Advice | None:
    """Return advice on a loop that receives first and sends last, and has an adjustable step, but runs only once."""
    receives = [each for each, _ in statements(loop.body) if calls.does(each, RECEIVES)]
    sends = [each for each, _ in statements(loop.body) if calls.does(each, SENDS)]
    if loop.step is None or isinstance(loop.step, Number) or not receives or not sends:
        return None
    if sends[-1].line < receives[-1].line or not _makes_one_turn(site, receives):
        return None
    grain = site.spell(loop.step)
    text = (
        f"the loop in line {loop.line} runs only once, with step {grain}, so in line {receives[0].line} each rank"
        f" waits until the previous rank has finished all of its work and sends the result in line {sends[0].line}:"
        f" make {grain} smaller"
    )
    made = [line for _, _, line in definitions(procedure, loop.step)] if isinstance(loop.step, Name) else []
    lines = dict.fromkeys((*made, loop.line, receives[0].line, sends[0].line))
    return Advice(KIND, text, tuple(site.place(each, source) for each in lines), (), site.gain, HIGH)


def _makes_one_turn(site: Site, receives: Sequence[Statement]) -> bool:
    """Return whether the parent region enters the region at most about once per receive, on average."""
    entries, around = site.numbers.get("entries", 0), site.numbers.get("entries_around", 0)
    calls = sum(isinstance(each, CallStatement) for each in receives)
    return entries > 0 < around and entries / around <= max(calls, 1) * _ONE
