"""The stages of an analysis by the method of Liu et al. 2011, after the preparation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..disparity.weights import Weights
from ..dissimilarity.differences import Differences
from ..dissimilarity.rank_vectors import RankVectors
from ..run.preparation import Prepared
from ..run.selection import Selection
from .dissimilarity import search_dissimilarity
from .weights import weigh

__all__ = ["by_the_paper", "compare"]


def by_the_paper(prepared: Prepared, metric: str, disparity_metric: str) -> tuple[Prepared, Differences, Weights]:
    """Run the stages of the method of Liu et al. 2011.

    Args:
        prepared: The run.
        metric: The metric to compare ranks by: one of ``DISSIMILARITY_METRICS``.
        disparity_metric: The metric to classify regions by: one of ``DISPARITY_METRICS``.

    Returns:
        The run, in which regions around the whole program are compared like all others; the differences between ranks;
        and the severity classes of regions.
    """
    run = replace(
        prepared,
        weighed=replace(prepared.weighed, regions=prepared.compared.regions),
        weighed_costs=prepared.costs,
    )
    differences, weights = compare(run.compared, metric), weigh(run, disparity_metric)
    return run, differences, weights


def compare(ranks: Selection, metric: str) -> Differences:
    """Compare ranks, or threads, by measured values including the overhead of probes, without a minimum difference."""
    compared = ranks if metric == "mpi_bytes" else ranks.by_thread()
    vectors = RankVectors.selected(compared, metric=metric)
    measured = vectors.measured(range(len(vectors.regions)))
    # All threads of a process are given its serial time, although only the first thread executes the serial code.
    values = np.where(np.isnan(measured), vectors.values, measured) if vectors.threads else measured
    vectors = replace(vectors, values=values)
    return Differences(compared, vectors, search_dissimilarity(vectors), 0.0)
