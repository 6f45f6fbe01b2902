"""Measure how well each correlator ranks metrics, as in Figure 9 of Hauswirth et al. 2005, and how long it takes.

    python benchmarks/correlators/run.py [--cases 20] [--chart docs/pictures/correlators.svg] [--time] [--recorded DIR]

Accuracy is Spearman's correlation coefficient between the ranking and the labels (yes, maybe, no), divided by its
maximum (section 6.1). It is 1 if all metrics with "yes" come before those with "maybe", and these before "no".
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from chart import drawn_chart
from kinds import KINDS, Case, case
from recorded import recorded_cases
from scipy.stats import spearmanr

from autoanalyzer.experiment.trace import Series
from autoanalyzer.timelines.correlators import CORRELATORS, rank

NAMES: Final = (*CORRELATORS, "combined")
AUTOMATIC: Final = "mlp, proposed"
LONG: Final = (500, 10_000)  # metrics and samples


def accuracy(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Return the accuracy of a ranking by scores, from -1 to 1; 0 if all scores are equal."""
    if np.ptp(scores) == 0:
        return 0.0
    best = spearmanr(np.argsort(np.argsort(labels, kind="stable")), labels).statistic
    return float(spearmanr(scores, labels).statistic / best)


def accuracies(of: Case, intervals: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Return the accuracy of each correlator with the drawn pattern, and of ``mlp`` with the proposed one, by name."""
    found = {}
    for pattern in (None, of.drawn):
        ranked = rank(of.target, of.metrics, intervals=intervals, pattern=pattern).ranked
        labels = dict(zip((each.name for each in of.metrics), of.labels, strict=True))
        ordered = [labels[each.metric] for each in ranked]
        for name in NAMES if pattern else ("mlp",):
            key = name if pattern else AUTOMATIC
            found[key] = accuracy([each.scores[name] for each in ranked], ordered)
    return found


def table(cases: int) -> dict[str, dict[str, float]]:
    """Return the mean accuracy over ``cases`` targets: kind of anomaly → correlator → accuracy."""
    result = {}
    for kind in KINDS:
        several = [accuracies(case(kind, seed), kind.intervals) for seed in range(cases)]
        result[kind.name] = {name: float(np.mean([each[name] for each in several])) for name in several[0]}
    return result


def printed(result: Mapping[str, Mapping[str, float]]) -> None:
    """Print the accuracies, by kind of anomaly and correlator, as a table in Markdown."""
    names = [*NAMES[:-1], AUTOMATIC, "combined"]
    print("| | " + " | ".join(result) + " | least | mean |")
    print("|---" * (len(result) + 3) + "|")
    for name in names:
        values = [of[name] for of in result.values()]
        cells = [f"{value:.2f}" for value in (*values, min(values), float(np.mean(values)))]
        print(f"| `{name}` | " + " | ".join(cells) + " |")


def timed() -> None:
    """Print how long all correlators take for many long metrics."""
    metrics, samples = LONG
    chance = np.random.default_rng(0)
    times = np.arange(1.0, samples + 1)
    walks = np.cumsum(chance.normal(size=(metrics + 1, samples)), axis=1)
    target, *others = (
        Series(f"m{number}", "", False, "walks", times - 1, times, walk) for number, walk in enumerate(walks)
    )
    started = time.perf_counter()
    rank(target, others)
    print(f"{metrics} metrics of {samples} samples: {time.perf_counter() - started:.1f} s")


def main() -> None:
    """Print the table, and draw the chart if requested; or print the time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20, help="number of targets of each kind")
    parser.add_argument("--chart", type=Path, help="file for the chart")
    parser.add_argument("--time", action="store_true", help="time the correlators on long metrics instead")
    parser.add_argument(
        "--recorded", type=Path, metavar="DIR", help="rank the metrics of runs of samples/phases instead"
    )
    arguments = parser.parse_args()
    if arguments.time:
        timed()
        return
    if arguments.recorded:
        printed({planted.name: accuracies(of, [span]) for planted, of, span in recorded_cases(arguments.recorded)})
        return
    result = table(arguments.cases)
    printed(result)
    if arguments.chart:
        arguments.chart.write_text(drawn_chart(result, [(kind.name, kind.category) for kind in KINDS]))


if __name__ == "__main__":
    main()
