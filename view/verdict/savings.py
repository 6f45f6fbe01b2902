"""Explain how a finding's saving follows from the times of its ranks."""

from __future__ import annotations

from typing import Final

from ...analyze import Findings
from ...analyze.run.arrays import Values
from ...analyze.verdict import Finding, Kind, Saved, Why
from ..times import time_of
from ..units import ranks, volume
from .alike import is_uneven
from .parts import ALL

__all__ = ["amount_of", "busy_in", "is_of_one_path", "is_per_rank", "saved_by", "saves_nothing", "use"]

_SPENT: Final = {  # where a fix would save time
    Why.MISSES: "in cache misses",
    Why.ALLOCATION: "in allocation",
    Why.FAULTS: "in page faults",
    Why.FILES: "in file I/O",
    Why.TRANSFER: "in data transfer",
    Why.MESSAGES: "in small messages",
    Why.WAITING: "waiting",
    Why.LOCKS: "waiting for locks",
    Why.BARRIERS: "at barriers",
}
_ROUNDING: Final = 1e-9  # relative error of sums


def saves_nothing(findings: Findings, finding: Finding) -> bool:
    """Return whether the critical path shows that balancing a region's work saves nothing, although ranks differ."""
    is_imbalance = finding.kind is Kind.IMBALANCE and len(finding.groups) > 1 and finding.doubt is None
    vectors, is_known = findings.vectors, bool(findings.verdict.base.is_path and finding.bound)
    is_compared = vectors.metric == "compute_time" and not vectors.threads and not findings.dissimilarity.jobs
    return is_imbalance and is_known and is_compared and finding.gain is None


def saved_by(findings: Findings, finding: Finding) -> str:
    """Return a phrase that derives the saving from the ranks' times: ``; 620 ms each if shared evenly``."""
    gain = None if is_per_rank(finding) else finding.gain
    parts = {each.why: each for each in gain.parts} if gain else {}
    at_once, each_time = parts.pop(Why.AT_ONCE, None), parts.pop(Why.EACH_TIME, None)
    besides = at_once or each_time
    left = "".join(_left(findings, finding, each) for why, each in parts.items() if why not in _SPENT)
    spent = " and ".join(
        f"{time_of(findings.experiment, each.before - each.after)} {use(findings, finding, why)}"
        for why, each in parts.items()
        if why in _SPENT
    )
    if spent and any(each.on_path for why, each in parts.items() if why in _SPENT):
        left += f"; {spent} on the critical path"
    elif spent and (len(finding.groups) > 1 or finding.others):
        left += f"; {spent} on average"
    elif spent:
        only = _is_all(findings, finding)
        left += f", all {use(findings, finding, only)}" if only else f", of which {spent}"
    if besides:
        path, more = (time_of(findings.experiment, each) for each in (besides.before, besides.before - besides.after))
        if parts:
            return left  # each saving is shown with its advice
        is_unequal = finding.weight is not None and is_uneven(findings, finding.weight, besides)
        work = "unequal work" if is_unequal else "this work"
        of_ranks = f"{more} of it because ranks do {work} at different times"
        left += (
            f"; {path} on the critical path, {of_ranks if at_once else 'which follows the slowest thread each time'}"
        )
    return left


def use(findings: Findings, finding: Finding, why: Why) -> str:
    """Return a phrase for where a fix would save time: ``in cache misses``."""
    if finding.weight is not None and why is Why.MESSAGES:
        split = findings.explanation.seconds
        if split.has_polling[finding.weight] or split.has_empty_calls[finding.weight]:
            return "in polling" if split.has_polling[finding.weight] else "in calls without data"
    return _SPENT[why]


def _is_all(findings: Findings, finding: Finding) -> Why | None:
    """Return a saving's only cause if it takes almost all of the region's time, otherwise None."""
    spent = [each for each in finding.gain.parts if each.why in _SPENT] if finding.gain else []
    if len(spent) != 1 or finding.weight is None:
        return None
    return spent[0].why if spent[0].before - spent[0].after >= ALL * busy_in(findings)[finding.weight] else None


def _left(findings: Findings, finding: Finding, part: Saved) -> str:
    """Return a phrase with the time after balancing and, for savings on the critical path, the present time there.

    The present time is left out if it equals the slowest group's time, which is already shown.
    """
    groups = sorted(finding.groups, key=lambda group: group.value)
    how = "all ranks shared it evenly" if finding.alone else "shared evenly"
    if part.why is Why.FASTEST and groups:
        how = f"all were as fast as {ranks(groups[0].labels)}"
    each, path = " each" * (part.why is not Why.FASTEST), time_of(findings.experiment, part.before)
    is_known = any(
        group.least <= part.before <= group.most or path == amount_of(findings, group.most) for group in groups[-1:]
    )
    on_path = f"; {path} on the critical path" * (part.on_path and not is_known)
    return f"{on_path}; {time_of(findings.experiment, part.after)}{each} if {how}"


def is_per_rank(finding: Finding) -> bool:
    """Return whether to print the saving per rank, which requires a single saving, in MPI, on one call path."""
    gain = finding.gain
    alone = len(finding.groups) < 2 and not finding.others
    return gain is not None and gain.is_beside and len(gain.parts) == 1 and alone


def is_of_one_path(finding: Finding) -> bool:
    """Return whether a finding covers several call paths, but ranks differ only on the one whose times are shown."""
    parts = finding.gain.parts if finding.gain else ()
    if any(each.on_path or each.why in _SPENT for each in parts):
        return False  # the saving is not the difference between the times that are shown
    balanced = sum(each.before for each in parts)
    most = max((group.most for group in finding.groups), default=0.0)
    return bool(finding.others) and 0 < balanced <= most * (1 + _ROUNDING)


def busy_in(findings: Findings) -> Values:
    """Return the mean busy seconds per rank, ``float64[region]``.

    If threads were compared, the busy time of a team is that of its slowest thread.
    """
    seconds = findings.explanation.seconds
    return findings.mean_busy if findings.vectors.threads else seconds.computing + seconds.of["io_bytes"]


def amount_of(findings: Findings, value: float) -> str:
    """Return a value of the compared metric, a time or a number of bytes, as text."""
    return volume(value) if findings.vectors.metric == "mpi_bytes" else time_of(findings.experiment, value)
