"""Show the account, which splits each region's time by cause, as a table, a picture and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ..analyze import Findings
from ..analyze.account import EVENTS, Account
from ..analyze.run.criteria import THRESHOLD
from .lines import print_lines
from .place import Place
from .table import print_table
from .times import time_of
from .units import count, percent, seconds, spread, volume

if TYPE_CHECKING:
    from .picture import Picture

__all__ = ["COLOURS", "AccountSection", "account_picture"]

Values = npt.NDArray[np.float64]

_MOST: Final = 10
_DRAWN_MOST: Final = 20
_LEAST: Final = 0.005  # minimum share of the total time that a table shows; cells with smaller shares are blank
_LONG: Final = 1e-6  # minimum price in seconds that is written in the most suitable unit; smaller prices are in ns
_SHORTEST: Final = 0.5e-9  # minimum time in seconds that is shown; shorter times appear as a dash
_DRAWN: Final = 0.001  # minimum share of the total time for which a region is drawn; shorter bars are invisible
_TITLES: Final = {
    "l1_misses": "L1 misses",
    "l2_misses": "L2 misses",
    "branch_misses": "branch misses",
    "page_faults": "page faults",
    "system": "system",
    "io_calls": "I/O calls",
    "io_bytes": "I/O bytes",
    "io_rest": "I/O rest",
    "io": "I/O",
    "mpi_calls": "MPI calls",
    "mpi_bytes": "MPI bytes",
    "mpi_waiting": "MPI waiting",
    "mpi": "MPI",
    "omp_locks": "locks",
    "omp_barriers": "barriers",
    "omp_waiting": "OpenMP",
    "turns": "core wait",
    "off": "off core",
}
# Part → class in marks.css. Related parts have the same hue; "less" and "faint" are pale shades. Two parts share a
# class only if they never occur together, such as "mpi" and "mpi_waiting".
COLOURS: Final = {
    "instructions": "c0",
    "computing": "c0",
    "l1_misses": "c5",
    "l2_misses": "c2",
    "divisions": "c0 less",
    "branch_misses": "c2 less",
    "denormals": "ink less",
    "unexplained": "c7",
    "allocations": "c5 less",
    "page_faults": "c6",
    "system": "ink",
    "io_calls": "c4",
    "io_bytes": "c4 less",
    "io_rest": "c4 faint",
    "io": "c4",
    "mpi_calls": "c3",
    "mpi_bytes": "c3 less",
    "mpi_waiting": "c1",
    "mpi": "c1",
    "omp_locks": "c2 faint",
    "omp_barriers": "c5 faint",
    "omp_waiting": "c1 less",
    "turns": "c6 less",
    "asleep": "c7 less",
    "off": "c7 less",
}
# Name of a price → the text that follows its number.
_OF: Final = {
    "instruction": "per instruction",
    "l1_miss": "per L1 miss",
    "l2_miss": "per L2 miss",
    "division_independent": "per division",
    "division_dependent": "per division in a chain",
    "branch_miss": "per mispredicted branch",
    "denormal": "per denormal number",
    "page_fault": "per page fault",
    "allocation": "per allocation",
    "mpi_call": "per MPI call",
    "mpi_byte": "per byte in MPI",
    "mpi_call_across": "per MPI call between nodes",
    "mpi_byte_across": "per byte in MPI between nodes",
    "read_call": "per read",
    "read_byte": "per byte read",
    "write_call": "per write",
    "write_byte": "per byte written",
}
_FITTED: Final = {"instructions": "instruction", "l1_misses": "l1_miss", "l2_misses": "l2_miss"}
_TIMES: Final = "times are means over the ranks, without nested regions"
_BLANK: Final = "below 0.5 % of the total time"
_RANGE: Final = "a range is a 95 % confidence interval, based on the fit, the calibration and the noise"
_OF_CALLS: Final = {"mpi": ("mpi_",), "io": ("read_", "write_")}


class AccountSection:
    """The section that ``analyze --account`` prints. Unlike other sections, it is not a list of records."""

    name: Final = "account"

    def document(self, findings: Findings) -> dict[str, Any]:
        """Return the account as JSON data."""
        account = findings.account
        fitted, calibrated = _prices(account)
        return {
            "parts": list(account.parts),
            "prices": fitted | calibrated,
            "fitted": list(fitted),
            "unexplained": account.unexplained,
            "regions": [
                {
                    **asdict(Place.of(findings.experiment, account.ranks.regions[region])),
                    "instruction": float(account.instruction[region]) if account.fitted else None,
                    "own": {name: float(account.own[name][region]) for name in account.parts},
                    "inclusive": {name: float(account.inclusive[name][region]) for name in account.parts},
                    "own_intervals": _intervals(account.own_intervals, region),
                    "inclusive_intervals": _intervals(account.inclusive_intervals, region),
                }
                for region in _heaviest(account)
            ],
        }

    def print(self, findings: Findings, *, everything: bool = False, stderr: bool = False) -> None:
        """Print a table of the regions' own times, longest first, and the prices.

        A cause has a column if it takes at least 0.5 % of the total time.
        """
        account = findings.account
        regions, whole = _heaviest(account), float(sum(each.sum() for each in account.own.values()))
        shown = [name for name in account.parts if account.own[name].sum() >= _LEAST * whole]

        def row(those: list[int], name: str, source: str) -> list[str]:
            time = sum(float(each[those].sum()) for each in account.own.values())
            parts = (_between(findings, each, those, _LEAST * whole) for each in shown)
            share = percent(100 * time / whole) if whole > 0 else "-"
            return [time_of(findings.experiment, time), share, *parts, name, source]

        rows = [row([*range(len(account.ranks.regions))], "all regions", "")]
        for region in regions[:_MOST]:
            place = Place.of(findings.experiment, account.ranks.regions[region])
            rows.append(row([region], place.title, place.source if place.file else ""))
        titles = ["own time", "share", *(_TITLES.get(name, name) for name in shown), "region", "source"]
        last = len(titles) - 1
        print_table(titles, rows, range(last - 1), stderr=stderr, first_to_go=[last])
        more = len(regions) - _MOST
        said = [f"… and {more} more: --json lists all"] if more > 0 else []
        said.append(f"{_TIMES}; blank cells: {_BLANK}")
        if any((each[0] < (1 - THRESHOLD) * each[1]).any() for each in account.own_intervals.values()):
            said.append(_RANGE)
        print_lines([*said, *_remarks(account)], stderr=stderr)


def _between(findings: Findings, part: str, regions: list[int], least: float) -> str:
    """Return a table cell: the time that some regions spend for one cause of the account.

    Args:
        findings: The findings.
        part: Name of the cause.
        regions: Indices of the regions, whose own times are added.
        least: Seconds below which the cell is empty.

    Returns:
        A time; a range of times if the uncertainty exceeds 10 %; or an empty text.
    """
    account = findings.account
    value, (low, high) = float(account.own[part][regions].sum()), account.own_intervals[part][:, regions].sum(axis=1)
    if max(value, high) < least:
        return ""
    if low < (1 - THRESHOLD) * value or high > (1 + THRESHOLD) * value:
        return spread(float(low), float(high), lambda time: time_of(findings.experiment, time))
    return time_of(findings.experiment, value) if value >= least else ""


def _intervals(intervals: Mapping[str, Values], region: int) -> dict[str, list[float] | None]:
    """Map each part to its confidence interval in a region, as lower and upper limit in seconds; None if unknown."""
    found = {name: rows[:, region] for name, rows in intervals.items()}
    return {name: None if np.isnan(each).any() else each.tolist() for name, each in found.items()}


def account_picture(findings: Findings) -> Picture:
    """Return a picture of the regions' own times as stacked bars, longest first."""
    from .marks import Part, Stack, Stacked  # noqa: PLC0415 - a terminal has no pictures
    from .picture import Picture  # noqa: PLC0415

    account = findings.account
    whole, rows = float(sum(each.sum() for each in account.own.values())), []
    for region in _heaviest(account)[:_DRAWN_MOST]:
        place = Place.of(findings.experiment, account.ranks.regions[region])
        values = [float(account.own[name][region]) for name in account.parts]
        if sum(values) < _DRAWN * whole:
            break
        said = [_written(findings, each, whole) for each in values]
        rows.append(
            Stack(place.title, place.source if place.file else "", values, said, _written(findings, sum(values), whole))
        )
    parts = [Part(_TITLES.get(name, name), COLOURS[name]) for name in account.parts]
    said = [f"{_TIMES}; percentages are of the total time"]
    return Picture("Causes of each region's time", [Stacked(parts, rows)], said, _remarks(account))


def _remarks(account: Account) -> list[str]:
    said = list[str]()
    fitted, calibrated = _prices(account)
    if fitted:
        said.append(f"prices fitted to this run: {_listed(fitted)}")
        if "instruction" in fitted and len(set(account.instruction.tolist())) > 1:
            said.append("each region has its own price per instruction, within the calibrated range")
    if account.unexplained is not None:
        said.append(f"{percent(100 * account.unexplained)} of the computing time is not explained by these prices")
    if not account.splitting.prices.known():
        bound = "bound these prices and " if fitted else ""
        said.append(f"the machine was not calibrated; calibration would {bound}break down MPI and file I/O time")
    if calibrated:
        said.append(f"calibrated prices: {_listed(calibrated)}")
    if "io_calls" in account.parts and (calls := float(account.ranks.sums("io_calls")[list(account.ranks.top)].sum())):
        moved = float(account.ranks.sums("io_bytes")[list(account.ranks.top)].sum())
        said.append(f"file I/O: {count(calls)} calls of {volume(moved / calls)} on average")
    return said


def _prices(account: Account) -> tuple[dict[str, float], dict[str, float]]:
    """Return two mappings from names to seconds: prices fitted to the run, and prices calibrated on the machine."""
    used = tuple(start for each in account.splitting.priced for start in _OF_CALLS[each])
    used += ("allocation",) * account.splitting.allocates
    used += tuple(price for name in account.splitting.counted.events for price in EVENTS[name])
    known, fault = account.splitting.prices.known(), account.splitting.fault
    return (
        {_FITTED[name]: price for name, price in account.fitted.items()} | ({"page_fault": fault} if fault else {}),
        {name: price for name, price in known.items() if used and name.startswith(used)},
    )


def _listed(prices: dict[str, float]) -> str:
    return ", ".join(f"{_price(price)} {_OF[name]}" for name, price in prices.items())


def _price(price: float) -> str:
    return f"{1e9 * price:.3g} ns" if price < _LONG else seconds(price)


def _heaviest(account: Account) -> list[int]:
    """Return the indices of the regions whose inclusive time is not 0, sorted by own time, longest first."""
    own, inclusive = (_total(each) for each in (account.own, account.inclusive))
    return sorted(np.flatnonzero(inclusive > 0).tolist(), key=lambda region: -own[region])


def _total(parts: Mapping[str, Values]) -> Values:
    return np.asarray(np.sum([*parts.values()], axis=0))


def _written(findings: Findings, time: float, whole: float) -> str:
    return f"{time_of(findings.experiment, time)} {percent(100 * time / whole):>7}" if time >= _SHORTEST else "-"
