"""All that the analyses find in one experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..experiment import Experiment
from .account import Account, find_account
from .disparity.disparity import Disparity
from .disparity.weights import Weights, find_weights
from .dissimilarity.differences import Differences, find_differences
from .dissimilarity.dissimilarity import Dissimilarity
from .dissimilarity.performance import DISSIMILARITY_METRICS, Performance
from .explanation import Explanation, explain
from .preparation import Prepared, prepare
from .standing import Repetition

__all__ = ["Findings", "analyze"]


@dataclass(frozen=True)
class Findings:
    """What each stage of the analysis has found.

    Attributes:
        run: What was analysed, and what it costs.
        differences: Ranks that differ.
        weights: Regions that weigh.
        explanation: Why they do.
        repetition: In how many runs each finding stands, where the experiment is the mean of several; see ``repeated``.
    """

    run: Prepared
    differences: Differences
    weights: Weights
    explanation: Explanation
    repetition: Repetition

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
) -> Findings:
    """Run every analysis.

    Args:
        experiment: Measured here, derived or imported.
        metric: What is compared across ranks: one of ``DISSIMILARITY_METRICS``; see ``find_differences``.
        disparity_metric: What regions are classed by: one of ``DISPARITY_METRICS``.
        exclude_ranks: Ranks that are not compared; see ``Selection.of``.
        exclude_regions: Regions that are not compared; see ``Selection.of``.

    Raises:
        InputError: The experiment lacks what the analyses need.
        UsageError: What is excluded does not exist.
    """
    run = prepare(
        experiment,
        metric=metric or DISSIMILARITY_METRICS[0],
        exclude_ranks=exclude_ranks,
        exclude_regions=exclude_regions,
    )
    differences = find_differences(run, metric)
    weights = find_weights(run, disparity_metric)
    explanation = explain(run, differences, weights)
    return Findings(run, differences, weights, explanation, Repetition(experiment.notes.runs))
