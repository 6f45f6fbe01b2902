"""Show analyses whose results are lists of regions. Each analysis has an option, a table, and a list in the JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Any, Final

from ..analyze import Findings
from ..analyze.disparity.procedures import hot_regions
from ..analyze.run.overhead import TIMES
from ..analyze.verdict.losses import losses
from .account import AccountSection
from .critical_path import PathSection
from .lines import print_lines
from .place import Place
from .table import print_table
from .times import time_of
from .units import percent

__all__ = ["ACCOUNT", "HOT_PROCEDURES", "SECTIONS", "Section"]

_MOST: Final = 20


@dataclass(frozen=True, slots=True)
class Section:
    """An analysis that returns a record for each region.

    In a record, ``region`` is the index of the region, and all floats except ``factor`` are seconds.

    Attributes:
        name: Name of the option and of the JSON key.
        find: The analysis, which returns the records for the JSON.
        printed: Returns the records to print, if they differ from the records in the JSON.
        note: Returns a text to print below the table, which may be empty.
        whole: Returns the name of a field that is also printed in percent, and the seconds that are 100 %; or None.
    """

    name: str
    find: Callable[[Findings], Sequence[Any]]
    printed: Callable[[Findings], Sequence[Any]] | None = None
    note: Callable[[Findings], str] = lambda _: ""
    whole: Callable[[Findings], tuple[str, float] | None] = lambda _: None

    def document(self, findings: Findings) -> list[dict[str, Any]]:
        """Return the records as JSON data, each with the name and location of its region."""
        entries = [asdict(each) for each in self.find(findings)]
        return [{**asdict(self._place(findings, each.pop("region"))), **each} for each in entries]

    def print(self, findings: Findings, *, everything: bool = False, stderr: bool = False) -> None:
        """Print a table of the first records, or of all records if ``everything``."""
        entries = [asdict(each) for each in (self.printed or self.find)(findings)]
        places = [self._place(findings, each.pop("region")) for each in entries]
        titles = [name.replace("_", " ") for name in (entries or [{}])[0]]
        rows = [
            [*(_written(findings, *item) for item in each.items()), place.title, place.source if place.file else ""]
            for each, place in zip(entries, places, strict=True)
        ]
        if entries and (whole := self.whole(findings)):
            name, seconds = whole
            behind = [*entries[0]].index(name) + 1
            titles.insert(behind, "share")
            for row, each in zip(rows, entries, strict=True):
                row.insert(behind, percent(100 * each[name] / seconds))
        source, most = len(titles) + 1, len(rows) if everything else _MOST
        print_table([*titles, "region", "source"], rows[:most], range(len(titles)), stderr=stderr, first_to_go=[source])
        if len(rows) > most:
            print_lines([f"… and {len(rows) - most} more: --all or --json lists all"], stderr=stderr)
        if note := self.note(findings):
            print_lines([note], stderr=stderr)

    @staticmethod
    def _place(findings: Findings, region: int) -> Place:
        return Place.of(findings.experiment, findings.vectors.regions[region])


def _ranked(findings: Findings) -> str:
    """Return a note on the order of hot regions if they are not sorted by the first column, otherwise empty."""
    return (
        "ranked by own busy time, because wall time includes waiting for a core"
        if findings.procedures.by_computing
        else ""
    )


def _own_time(findings: Findings) -> tuple[str, float] | None:
    """Return the name of the time by which hot regions are ranked, and its total in seconds; None if it is 0."""
    name = "own_compute_time" if findings.procedures.by_computing else "own_wall_time"
    seconds = sum(getattr(each, name) for each in findings.procedures.every)
    return (name, seconds) if seconds > 0 else None


def _noun(findings: Findings) -> str:
    return "thread" if findings.vectors.threads else "rank"


def _time_of_ranks(findings: Findings) -> tuple[str, float] | None:
    """Return ``loss``, and the largest possible loss: the number of ranks or threads times the longest busy time.

    None if the ranks were not compared by a time metric.
    """
    vectors = findings.vectors
    busy = vectors.values[list(vectors.top)].sum(axis=0)
    seconds = float(busy.max(initial=0.0)) * len(busy) if vectors.metric in TIMES else 0.0
    return ("loss", seconds) if seconds > 0 else None


def _written(findings: Findings, name: str, value: object) -> str:
    if value is None:
        return "-"
    if name == "factor":
        return f"{value:.2f}"
    return time_of(findings.experiment, value) if isinstance(value, float) else str(value)


ACCOUNT: Final = AccountSection()
HOT_PROCEDURES: Final = Section("hot_procedures", attrgetter("procedures.every"))
SECTIONS: Final[tuple[Section | AccountSection | PathSection, ...]] = (
    Section("hot", lambda found: hot_regions(found.run), HOT_PROCEDURES.find, _ranked, _own_time),
    Section(
        "losses",
        losses,
        note=lambda found: (
            f"shares: 100 % is the time of the slowest {_noun(found)}, times the number of {_noun(found)}s"
            if _time_of_ranks(found)
            else ""
        ),
        whole=_time_of_ranks,
    ),
    ACCOUNT,
    PathSection(),
)
