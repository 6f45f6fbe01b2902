"""Whether all ranks take about the same time in a region."""

from __future__ import annotations

import numpy as np

from ...analyze import Findings
from ...analyze.run.arrays import Values
from ...analyze.run.compute_time import Computing
from ...analyze.run.criteria import THRESHOLD
from ...analyze.run.overhead import TIMES
from ...analyze.verdict import Finding

__all__ = ["are_alike"]


def are_alike(findings: Findings, finding: Finding, position: int, *, of_wall: bool) -> bool:
    """Return whether all ranks were compared by time, and differ by at most 10 % in a region.

    Args:
        findings: What was found.
        finding: The finding on the region.
        position: The region's position.
        of_wall: Whether its wall time and its time in MPI must be alike, instead of the busy time.
    """
    vectors = findings.vectors
    if vectors.metric not in TIMES or len(vectors.groups) > 1 or findings.compares_a_part or finding.others:
        return False
    if position in findings.dissimilarity.critical:
        return False
    whole, *parts = _times(findings, position, of_wall=of_wall)
    most = THRESHOLD * float(whole.max())
    return all(float(np.ptp(each)) <= most for each in (whole, *parts))


def _times(findings: Findings, position: int, *, of_wall: bool) -> list[Values]:
    """Return the time of each rank in a region, and the part of it in which ranks must not differ either."""
    experiment, rows = findings.experiment, findings.run.weighed.rows
    if of_wall or "cpu_time" not in experiment:
        return [rows(name, [position])[0] for name in ("wall_time", "mpi_time") if name in experiment]
    others = (rows(each, [position])[0] for each in Computing.of(experiment).others)
    computing = np.asarray(rows("cpu_time", [position])[0] - sum(others))
    if "io_time" not in experiment:
        return [computing]
    in_files = rows("io_time", [position])[0]
    return [np.asarray(computing + in_files), in_files]
