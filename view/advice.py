"""Advice from the source: where it is read, and how it is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..advise import Advised, Found, advise
from ..analyze import Findings
from .place import visible, where_is
from .source_file import find_source, places_to_look
from .units import seconds

__all__ = ["advice_lines", "find_advice"]


def find_advice(findings: Findings, file: Path) -> Advised:
    """Advise on findings, as far as the sources are found where an experiment's file is, and were not changed since."""
    folders, measured = places_to_look(file), file.stat().st_mtime if file.is_file() else None

    def find(name: str) -> Found:
        source = find_source(name, folders, measured)
        if source.path is None:
            return Found(None, "its source is not at hand")
        return Found(source.path, source.warning)

    return advise(findings, find)


def advice_lines(findings: Findings, advised: Advised) -> list[str]:
    """Put advice into words, below the region that it is on; last, of which files nothing is said, and why."""
    lines = [*_of(findings, advised)]
    lines += [visible(each) for each in advised.remarks]
    return ["", *lines] if lines else []


def _of(findings: Findings, advised: Advised) -> Iterator[str]:
    found = (
        (advised.of_ranks, findings.performance.regions),
        (advised.of_regions, findings.run.weighed.regions),
    )
    for of_cores, regions in found:
        for core, advice in of_cores.items():
            yield f"to try in {where_is(findings.experiment, regions[core])}"
            for each in advice:
                gain = f"; saves at most {seconds(each.gain)}" if each.gain is not None else ""
                yield f"    {visible(each.places[0])}: {visible(each.text)} (confidence {each.confidence}{gain})"
