"""Show the critical path as tables and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from ..analyze import Findings
from ..experiment.region import Region
from .lines import print_lines
from .place import Place
from .table import print_table
from .times import time_of
from .units import percent, ranks

__all__ = ["PathSection", "path_document"]

_UNKNOWN: Final = "the critical path is not known"
_MOST: Final = 20
_DELAYS: Final = 5
_LEAST: Final = 0.001  # minimum share of all waiting for which a line is printed


class PathSection:
    """The section that ``analyze --path`` prints. Unlike other sections, it is not a list of records."""

    name: Final = "path"

    def print(self, findings: Findings, *, everything: bool = False, stderr: bool = False) -> None:
        """Print the efficiencies, the regions on the path, longest first, and the regions in which ranks wait."""
        path = findings.critical_path
        if path is None:
            said = (each for each in findings.experiment.notes.remarks if each.startswith(_UNKNOWN))
            print_lines(
                [next(said, f"{_UNKNOWN}: to record it, use --path auto (several ranks) or --path always")],
                stderr=stderr,
            )
            return
        print_lines(list(_efficiencies(findings)), stderr=stderr)
        rows = []
        for each in path.regions[:_MOST]:
            place = Place.of_path(findings.experiment.call_paths, each.path)
            source = place.source if place.file else ""
            cells = time_of(findings.experiment, each.seconds), percent(100 * each.share)
            rows.append([*cells, ranks(sorted(each.ranks)), place.title, source])
        print_table(
            ["on the path", "share", "ranks", "region", "source"], rows, range(2), stderr=stderr, first_to_go=[4]
        )
        print_lines(list(_waiting(findings)), stderr=stderr)


def path_document(findings: Findings) -> dict[str, Any]:
    """Return efficiencies, critical path and delays as JSON data; unknown values are None."""
    path = findings.critical_path
    if path is None:
        return {"efficiency": None, "critical_path": None, "delays": None}
    return {
        "efficiency": asdict(path.efficiency) if path.efficiency else None,
        "critical_path": [
            {
                **asdict(Place.of_path(findings.experiment.call_paths, each.path)),
                "ranks": list(each.ranks),
                "seconds": each.seconds,
                "share": each.share,
            }
            for each in path.regions
        ],
        "delays": [
            {
                "waiting": _region(Region.from_descriptor(each.waiting)),
                "late": _region(Region.from_descriptor(each.late)),
                "seconds": each.seconds,
            }
            for each in path.delays
        ],
    }


def _region(region: Region) -> dict[str, Any]:
    return {
        "name": region.name,
        "kind": region.kind,
        "function": region.function or region.name,
        "file": region.file,
        "line": region.first_line,
    }


def _efficiencies(findings: Findings) -> Iterator[str]:
    path = findings.critical_path
    assert path is not None
    found = path.efficiency
    length = f"critical path: {time_of(findings.experiment, path.length)} of busy time"
    if found is None:
        is_partial = findings.experiment.notes.path_is_partial
        why = "the busiest rank is busy for longer than that, so part of the path is missing"
        yield f"{length}, for the beginning of the run only" if is_partial else f"{length}; {why}"
        return
    written = {name: percent(100 * value) for name, value in asdict(found).items() if name != "reliable"}
    yield (
        f"the ranks are busy {written['parallel']} of the run: load balance {written['load_balance']}"
        f" x serialisation {written['serialisation']} x transfer {written['transfer']}"
    )
    if not found.reliable:
        yield "busy time is wall time outside MPI here, so on a busy machine it includes waiting for a core"
    elif "transfer" not in found.reliable:
        yield "transfer includes waiting for a core; load balance and serialisation do not"
    yield length


def _waiting(findings: Findings) -> Iterator[str]:
    path = findings.critical_path
    assert path is not None
    whole = sum(each.seconds for each in path.delays)
    for each in path.delays[:_DELAYS]:
        if each.seconds >= _LEAST * whole:
            regions = (Region.from_descriptor(name) for name in (each.waiting, each.late))
            waiting, late = (Place.of_region(region).in_words for region in regions)
            yield f"{time_of(findings.experiment, each.seconds)} of waiting in {waiting} for ranks in {late}"
