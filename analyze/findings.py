"""All that is found in one experiment: what each stage of the analysis has found, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ..experiment import Experiment
from ..experiment.selection import check_ranks
from .disparity.weights import find_weights
from .dissimilarity.differences import find_differences
from .dissimilarity.off_path import without_what_costs_nothing
from .dissimilarity.rank_vectors import DISSIMILARITY_METRICS
from .paper.stages import PAPER_METRIC, by_the_paper
from .run.preparation import prepare
from .verdict import Judgement, Verdict, find_verdict, judge_differences, judge_weights
from .verdict.analysis import METHODS, OURS, PAPER, Analysis
from .verdict.explanation import explain, find_spending
from .verdict.repeatability import Repetition

__all__ = ["METHODS", "PAPER", "Findings", "analyze"]


class Findings(Analysis):
    """The results of each stage, and the verdict that is made from them once."""

    @cached_property
    def verdict(self) -> Verdict:
        """The findings in the order of what they are worth."""
        return find_verdict(self)

    @cached_property
    def judged_differences(self) -> Mapping[int | None, Judgement]:
        """Gain and confidence of each region in which ranks differ; see ``judge_differences``."""
        return judge_differences(self)

    @cached_property
    def judged_weights(self) -> Sequence[Judgement]:
        """Gain and confidence of each region that was weighed; see ``judge_weights``."""
        return judge_weights(self)


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
    """Run every analysis.

    Args:
        experiment: Measured here, derived or imported.
        metric: What is compared across ranks: one of ``DISSIMILARITY_METRICS``; see ``find_differences``.
        disparity_metric: What regions are classed by: one of ``DISPARITY_METRICS``.
        exclude_ranks: Ranks that are not compared; see ``Selection.of``.
        exclude_regions: Regions that are not compared; see ``Selection.of``.
        include_ranks: Ranks that are compared although they look like a master; see ``find_master``.
        method: ``autoanalyzer``, or ``paper``: that of paper 001 as it is printed.
        least: The share of the run that a finding must be worth; None for what ``Criteria`` has. The paper has none.

    Raises:
        InputError: The experiment lacks what the analyses need.
        InputError: A rank that is included does not exist.
        UsageError: What is excluded does not exist.
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
        return Findings(*by_the_paper(run, metric or by_default, disparity_metric), repetition, method)
    differences = find_differences(run, metric)
    spending = find_spending(run, differences)
    kept = without_what_costs_nothing(differences, spending.serialisation, run.weighed.regions)
    if kept is not differences:
        differences, spending = kept, find_spending(run, kept)
    weights = find_weights(run, spending.seconds, disparity_metric)
    explanation = explain(run, differences, weights, spending)
    return Findings(run, differences, weights, explanation, repetition, include_ranks=tuple(include_ranks))
