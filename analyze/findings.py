"""All results for one experiment: the results of each stage of the analysis, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..experiment import Experiment
from ..experiment.selection import check_ranks
from .choices import DISSIMILARITY_METRICS, OURS, PAPER, PAPER_METRIC
from .disparity.causes import DisparityCauses, find_disparity_causes
from .disparity.weights import find_weights
from .dissimilarity.causes import DissimilarityCauses, find_dissimilarity_causes
from .dissimilarity.differences import find_differences
from .dissimilarity.off_path import without_what_costs_nothing
from .run.preparation import prepare
from .verdict import Verdict, find_verdict
from .verdict.analysis import Analysis
from .verdict.explanation import explain
from .verdict.repeatability import Repetition

__all__ = ["Findings", "analyze"]


class Findings(Analysis):
    """The results of each stage, and the verdict computed from them on first use."""

    @cached_property
    def verdict(self) -> Verdict:
        """The findings, largest estimated saving first."""
        return find_verdict(self)

    @cached_property
    def dissimilarity_causes(self) -> DissimilarityCauses:
        """The causes of differences between ranks, by rough sets; the verdict does not use them."""
        if self.root_causes:
            return self.root_causes[0]
        return find_dissimilarity_causes(self.dissimilarity, self.work)

    @cached_property
    def disparity_causes(self) -> DisparityCauses:
        """The causes of hot spots, by rough sets; the verdict does not use them."""
        if self.root_causes:
            return self.root_causes[1]
        split, attributes = self.explanation.seconds, self.explanation.attributes
        return find_disparity_causes(self.disparity, self.run.weighed, attributes, split)


def analyze(
    experiment: Experiment,
    *,
    metric: str | None = None,
    disparity_metric: str = "crnm",
    exclude_ranks: Sequence[int] = (),
    exclude_regions: Sequence[str] = (),
    include_ranks: Sequence[int] = (),
    method: str = OURS,
    least: float | None = None,
) -> Findings:
    """Run all stages of the analysis, and return their results.

    Args:
        experiment: A measured, derived or imported experiment.
        metric: The metric to compare ranks by: one of ``DISSIMILARITY_METRICS``; see ``find_differences``.
        disparity_metric: The metric to classify regions by: one of ``DISPARITY_METRICS``.
        exclude_ranks: Ranks to leave out; see ``Selection.of``.
        exclude_regions: Regions to leave out; see ``Selection.of``.
        include_ranks: Ranks to compare even if they look like a master; see ``find_master``.
        method: ``autoanalyzer``, or ``paper``: the method of Liu et al. 2011 as printed.
        least: The minimum share of the run that a fix must save, or that a critical region must take; None for the
            defaults in ``Criteria``. The method of Liu et al. has no such limit.

    Raises:
        InputError: The experiment lacks data that the analyses need, or an included rank does not exist.
        UsageError: An excluded rank or region does not exist.
    """
    by_default = PAPER_METRIC if method == PAPER else DISSIMILARITY_METRICS[0]
    run = prepare(
        experiment,
        metric=metric or by_default,
        exclude_ranks=exclude_ranks,
        exclude_regions=exclude_regions,
        least=least,
    )
    check_ranks(include_ranks, {each.process for each in experiment.locations}, experiment.notes.missing)
    repetition = Repetition(experiment.notes.runs)
    if method == PAPER:
        from .paper.causes import causes_of_ranks, causes_of_regions  # noqa: PLC0415 - rarely needed
        from .paper.stages import by_the_paper  # noqa: PLC0415

        run, differences, weights = by_the_paper(run, metric or by_default, disparity_metric)
        causes = causes_of_ranks(differences), causes_of_regions(weights.disparity, run.weighed)
        return Findings(run, differences, weights, explain(run, None), repetition, method, root_causes=causes)
    differences = find_differences(run, metric)
    explanation = explain(run, differences)
    kept = without_what_costs_nothing(differences, explanation.serialisation, run.weighed.regions)
    if kept is not differences:
        differences, explanation = kept, explain(run, kept)
    weights = find_weights(run, explanation.seconds, disparity_metric)
    return Findings(run, differences, weights, explanation, repetition, include_ranks=tuple(include_ranks))
