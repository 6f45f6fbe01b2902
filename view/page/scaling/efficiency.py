"""Draw efficiency over numbers of ranks, with losses stacked above it."""

from __future__ import annotations

from typing import Final

from ....analyze.scaling import NOT_EXPLAINED, Scaling, ledgers
from ....analyze.scaling.losses import GROWS, IDLE_THREADS, REPLICATED, Ledger
from ....analyze.verdict import Kind
from ...marks import Column, Columns, Part
from ...picture import Picture
from ...scaling import kind_of_loss, signed
from ...units import percent

__all__ = ["COLOURS", "efficiency_picture", "share"]

COLOURS: Final = {
    REPLICATED: "c0",
    GROWS: "c1",
    Kind.ONE_AFTER_ANOTHER: "c2",
    Kind.IMBALANCE: "c3",
    IDLE_THREADS: "c3 less",
    Kind.LATE: "c4",
    Kind.MESSAGES: "c5",
    Kind.TRANSFER: "c5 less",
    Kind.FILE_IO: "c6",
    Kind.SLOW_CORE: "c7",
    NOT_EXPLAINED: "rest",
}


def efficiency_picture(scaling: Scaling, title: str = "Efficiency and losses") -> Picture:
    """Return a picture of efficiency over numbers of ranks, with losses stacked above it."""
    found = ledgers(scaling)
    sums = [*map(_by_kind, found)]
    kinds = sorted(
        {kind for each in sums for kind in each} - {NOT_EXPLAINED}, key=lambda kind: -sums[-1].get(kind, 0.0)
    )
    kinds.append(NOT_EXPLAINED)
    parts = [
        Part("efficiency", "useful"),
        *(
            Part(kind_of_loss(kind, max(each[kind] for each in sums if kind in each)), COLOURS.get(kind, "grey"))
            for kind in kinds
        ),
    ]
    columns = []
    for ranks, ledger, by_kind in zip(scaling.series.ranks, found, sums, strict=True):
        amounts = [ledger.ideal, *(by_kind.get(kind, 0.0) for kind in kinds)]
        shares = [each / ledger.whole for each in amounts]
        columns.append(Column(str(ranks), shares, [*map(share, shares)], [signed(each) for each in amounts]))
    of = "critical path" if scaling.is_of_path else "run time"
    gain = "losses compensated by faster cores or unexplained gains"
    picture = Columns(parts, columns, f"share of ranks × {of}", "ranks", "rank-seconds", gain)
    said = (
        f"Each column is a run: 100 % is the number of ranks × its {of}. The part labelled “efficiency” is the time "
        "with perfect scaling; the rest is lost."
    )
    return Picture(title, [picture], [said])


def share(value: float) -> str:
    """Return a share, which may be negative, as a percentage."""
    written = percent(100 * abs(value))
    return f"-{written}" if value < 0 and not written.startswith("<") else written


def _by_kind(ledger: Ledger) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in ledger.losses:
        found[each.kind] = found.get(each.kind, 0.0) + each.rank_seconds
    return found
