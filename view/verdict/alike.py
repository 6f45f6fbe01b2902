"""Decide whether all ranks take about the same time in a region, and which rank takes the longest."""

from __future__ import annotations

import numpy as np

from ...analyze import Findings
from ...analyze.run.arrays import Values
from ...analyze.run.busy import busy_parts
from ...analyze.run.criteria import CRITERIA, THRESHOLD
from ...analyze.run.overhead import TIMES
from ...analyze.verdict import Finding, Saved
from ...experiment.notes import DIVIDED

__all__ = ["are_alike", "are_divided", "busy_of_ranks", "is_uneven", "slowest"]


def are_alike(findings: Findings, finding: Finding, position: int, *, of_wall: bool) -> bool:
    """Return whether the times of all ranks in a region differ by at most 10 %.

    False if the ranks were not compared by a time metric, or if some ranks or regions were left out.

    Args:
        findings: All findings.
        finding: The finding for the region.
        position: Index of the region in ``findings.run.weighed.regions``.
        of_wall: Whether to compare wall time and time in MPI, rather than busy time and file I/O.
    """
    vectors = findings.vectors
    if vectors.metric not in TIMES or len(vectors.groups) > 1 or findings.compares_a_part or finding.others:
        return False
    if position in findings.dissimilarity.critical:
        return False
    whole, *parts = _times(findings, position, of_wall=of_wall)
    if _is_divided(findings, whole):
        return False
    most = THRESHOLD * float(whole.max())
    return all(float(np.ptp(each)) <= most for each in (whole, *parts))


def slowest(findings: Findings, finding: Finding, position: int) -> tuple[int, float] | None:
    """Return the rank with the most busy time in a region, and this time in seconds.

    None if ranks were not compared by a time metric, if threads were compared, if ranks or regions were left out, if
    the file contains only sums over all ranks, or if the finding has several call paths.
    """
    vectors = findings.vectors
    if vectors.metric not in TIMES or vectors.threads or findings.compares_a_part or finding.others:
        return None
    busy = busy_of_ranks(findings, position)
    most = int(busy.argmax())
    return None if _is_divided(findings, busy) else (findings.run.weighed.ranks[most], float(busy[most]))


def busy_of_ranks(findings: Findings, position: int) -> Values:
    """Return the busy time of each rank in a region, ``float64[rank]``, or the wall time if CPU time is unknown.

    Args:
        findings: All findings.
        position: Index of the region in ``findings.run.weighed.regions``.
    """
    busy, *_ = _times(findings, position, of_wall=False)
    return busy


def is_uneven(findings: Findings, position: int, saved: Saved) -> bool:
    """Return whether unequal work causes a material share of the time that is lost because ranks work in sequence.

    The share is the busiest rank's time above the mean. False if threads were compared.

    Args:
        findings: All findings.
        position: Index of the region in ``findings.run.weighed.regions``.
        saved: The saving if all ranks did the region's work at the same time, so that each took the mean time.
    """
    if findings.vectors.threads:
        return False
    busiest = float(busy_of_ranks(findings, position).max())
    return busiest - saved.after >= CRITERIA.part * (saved.before - saved.after)


def are_divided(findings: Findings) -> bool:
    """Return whether all values are equal shares of a sum, because another tool's file has only sums over all ranks."""
    return all(_is_divided(findings, each) for each in findings.vectors.values)


def _is_divided(findings: Findings, values: Values) -> bool:
    return any(each.endswith(DIVIDED) for each in findings.experiment.notes.remarks) and not np.ptp(values)


def _times(findings: Findings, position: int, *, of_wall: bool) -> list[Values]:
    """Return the times by which ranks are compared in a region, ``float64[rank]`` each.

    If ``of_wall``, these are wall time and time in MPI, otherwise busy time and time in file I/O. Unknown times are
    left out.
    """
    experiment, rows = findings.experiment, findings.run.weighed.rows
    if of_wall or "cpu_time" not in experiment:
        return [rows(name, [position])[0] for name in ("wall_time", "mpi_time") if name in experiment]
    signs = {**busy_parts(experiment), **({"io_time": 1} if "io_time" in experiment else {})}
    busy = np.sum([sign * rows(name, [position])[0] for name, sign in signs.items()], axis=0)
    return [busy, rows("io_time", [position])[0]] if "io_time" in experiment else [busy]
