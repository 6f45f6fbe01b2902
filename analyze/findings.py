"""All that the analyses find in one experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..experiment import Experiment
from .account import Account, find_account
from .critical_path import CriticalPath, find_critical_path
from .disparity.disparity import Disparity
from .disparity.weights import Weights, find_weights
from .dissimilarity.differences import Differences, find_differences
from .dissimilarity.dissimilarity import Dissimilarity
from .dissimilarity.performance import DISSIMILARITY_METRICS, Performance
from .explanation import Explanation, explain, find_spending
from .named import cores_by_difference, cores_by_weight
from .off_path import without_what_costs_nothing
from .paper.stages import PAPER_METRIC, by_the_paper
from .preparation import Prepared, prepare
from .procedures import Procedures
from .standing import Repetition

__all__ = ["METHODS", "PAPER", "Findings", "analyze"]

OURS, PAPER = METHODS = ("autoanalyzer", "paper")


@dataclass(frozen=True)
class Findings:
    """What each stage of the analysis has found.

    Attributes:
        run: What was analysed, and what it costs.
        differences: Ranks that differ.
        weights: Regions that weigh.
        explanation: Why they do.
        repetition: In how many runs each finding stands, where the experiment is the mean of several; see ``repeated``.
        method: One of ``METHODS``.
    """

    run: Prepared
    differences: Differences
    weights: Weights
    explanation: Explanation
    repetition: Repetition
    method: str = OURS

    @property
    def experiment(self) -> Experiment:
        """What was analysed."""
        return self.run.experiment

    @property
    def performance(self) -> Performance:
        """The performance vectors; positions elsewhere are positions in its ``regions``."""
        return self.differences.performance

    @property
    def dissimilarity(self) -> Dissimilarity:
        """What tells ranks apart."""
        return self.differences.dissimilarity

    @property
    def disparity(self) -> Disparity:
        """How the regions are classed."""
        return self.weights.disparity

    @property
    def compares_a_part(self) -> bool:
        """Whether not all ranks and regions were compared, or threads were."""
        return self.differences.selection.is_part

    @cached_property
    def cores_by_difference(self) -> tuple[int, ...]:
        """The cores that part the ranks, in the verdict's order."""
        return cores_by_difference(self.differences, self.explanation)

    @cached_property
    def cores_by_weight(self) -> tuple[int, ...]:
        """The cores that weigh, and that the verdict names, in its order."""
        return cores_by_weight(self.run, self.disparity, self.explanation.of_regions)

    @cached_property
    def procedures(self) -> Procedures:
        """The regions over all their call paths."""
        return Procedures(self.run, self.cores_by_weight)

    @cached_property
    def critical_path(self) -> CriticalPath | None:
        """Where the run's length comes from; None if that was not recorded."""
        return find_critical_path(self.experiment, self.run.program_time, alone=not self.run.taking_turns)

    @cached_property
    def account(self) -> Account:
        """What every second went into."""
        return find_account(self.run)


def analyze(
    experiment: Experiment,
    *,
    metric: str | None = None,
    disparity_metric: str = "crnm",
    exclude_ranks: Sequence[int] = (),
    exclude_regions: Sequence[str] = (),
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
        method: ``autoanalyzer``, or ``paper``: that of paper 001 as it is printed.
        least: The share of the run that a finding must be worth; None for what ``Criteria`` has. The paper has none.

    Raises:
        InputError: The experiment lacks what the analyses need.
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
    repetition = Repetition(experiment.notes.runs)
    if method == PAPER:
        return Findings(*by_the_paper(run, metric or by_default, disparity_metric), repetition, method)
    differences = find_differences(run, metric)
    spending = find_spending(run, differences)
    kept = without_what_costs_nothing(differences, spending.serialisation, run.weighed.regions)
    if kept is not differences:
        differences, spending = kept, find_spending(run, kept)
    weights = find_weights(run, spending.seconds, disparity_metric)
    return Findings(run, differences, weights, explain(run, differences, weights, spending), repetition)
