"""Compare our method with that of Liu et al. 2011 on imbalances planted in random trees, and with renumbered ranks.

    python benchmarks/analysis/methods.py [--trees 300] [--seed 20]

Planted imbalances: a culprit is correct if it is exactly the region in which an imbalance was planted. An imbalance is
large if the slowest rank's excess is at least 30 % of its region's time and 5 % of the run; other imbalances are as
small as 10 % and 2 %. Times have 1 % noise.

Balanced trees: the number of trees without an imbalance in which a method finds that ranks differ.

Renumbered ranks: the times of eight ranks increase evenly, by 35 % in total. The result is the number of rank orders,
of 200, for which a method finds clusters that differ from those for the first order.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autoanalyzer.analyze.dissimilarity.differences import find_differences
from autoanalyzer.analyze.dissimilarity.dissimilarity import Dissimilarity
from autoanalyzer.analyze.paper.stages import compare
from autoanalyzer.analyze.run.preparation import Prepared, prepare
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region

RANKS, SECONDS, NOISE = 8, 10.0, 0.01
LARGE, SMALL = (0.3, 0.05), (0.1, 0.02)  # minimum excess of the slowest rank, relative to its region and to the run
RAMP, ORDERS = 0.35, 200

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Fault:
    """An imbalance: its call path, and the slowest rank's excess time, relative to its region and to the run."""

    path: int
    of_region: float
    of_run: float

    @property
    def is_large(self) -> bool:
        """Whether the imbalance is large, so that every method should find it."""
        return self.of_region >= LARGE[0] and self.of_run >= LARGE[1]


def by_our_method(run: Prepared) -> Dissimilarity:
    """Search as ``analyze`` does."""
    return find_differences(run, "compute_time").dissimilarity


def by_the_paper(run: Prepared) -> Dissimilarity:
    """Search as in Liu et al. 2011."""
    return compare(run.compared, "cpu_time").dissimilarity


METHODS: dict[str, Callable[[Prepared], Dissimilarity]] = {"autoanalyzer": by_our_method, "paper": by_the_paper}


def tree(rng: np.random.Generator) -> list[CallPath]:
    """Return a random tree: three to eight regions below ``main``, many with one to three children, down to level 3."""
    paths = [CallPath(Region("function", "main", "app.c", "main", 0, 1, 999))]
    pending = [(0, 1)]
    while pending:
        parent, depth = pending.pop(0)
        count = int(rng.integers(3, 9)) if depth == 1 else int(rng.integers(1, 4)) * int(rng.random() < 0.5)
        for _ in range(count):
            name = f"region{len(paths)}"
            paths.append(CallPath(Region("function", name, "app.c", name, 0, len(paths), len(paths)), parent))
            if depth < 3:
                pending.append((len(paths) - 1, depth + 1))
    return paths


def shape(rng: np.random.Generator) -> Values:
    """Return each rank's additional time as a fraction of the slowest rank's, ``float64[rank]``.

    One rank is slow, some are equally slow, ranks become slower evenly, or all values are random.
    """
    any_parts = rng.random(RANKS)
    return (
        (np.arange(RANKS) == rng.integers(RANKS)).astype(float),
        (rng.permutation(RANKS) < rng.integers(2, RANKS - 1)).astype(float),
        np.arange(RANKS) / (RANKS - 1.0),
        any_parts / any_parts.max(),
    )[rng.integers(4)]


def planted(rng: np.random.Generator, faults: int) -> tuple[Experiment, list[Fault]]:
    """Return a run of a random tree with ``faults`` imbalances, each in a region's own code, and the imbalances."""
    paths = tree(rng)
    own = rng.lognormal(0.0, 1.0, len(paths))
    own[0] = 0.01 * own.sum()
    own *= SECONDS / own.sum()
    times = np.repeat(own[:, None], RANKS, axis=1)
    total = np.array([own[list(below(paths, each))].sum() for each in range(len(paths))])
    found = []
    places = rng.choice(np.arange(1, len(paths)), faults, replace=False, p=total[1:] / total[1:].sum())
    for path in places.tolist():
        least, most = (LARGE, 1.0) if rng.random() < 0.5 else (SMALL, LARGE[0])
        seconds = max(rng.uniform(least[0], most) * total[path], least[1] * SECONDS)
        times[path] += seconds * shape(rng)
        found.append(Fault(path, seconds / total[path], seconds / SECONDS))
    return run_of(paths, times * rng.normal(1.0, NOISE, times.shape)), found


def below(paths: list[CallPath], root: int) -> Iterator[int]:
    """Yield a region and all its descendants."""
    yield root
    for each, path in enumerate(paths):
        if path.parent == root:
            yield from below(paths, each)


def run_of(paths: list[CallPath], seconds: Values) -> Experiment:
    """Return an experiment with exclusive times ``float64[path, rank]`` in seconds, all of them busy time."""
    nothing = np.zeros_like(seconds)
    metrics = [Metric("wall_time", "sec"), Metric("mpi_time", "sec", "wall_time"), Metric("cpu_time", "sec")]
    return Experiment(
        metrics=[Metric("visits", "occ"), *metrics, Metric("mpi_cpu_time", "sec", "cpu_time")],
        call_paths=paths,
        locations=[Location("cluster", "node", rank) for rank in range(seconds.shape[1])],
        severities={
            "visits": nothing + 1,
            "wall_time": seconds,
            "mpi_time": nothing,
            "cpu_time": seconds,
            "mpi_cpu_time": nothing,
        },
    )


class Score:
    """Counts of culprits and of planted imbalances; as text: precision, recall, F1, share of large ones missed."""

    def __init__(self) -> None:
        self.right = self.found = self.planted = self.large = self.missed = 0

    def add(self, run: Prepared, dissimilarity: Dissimilarity, faults: list[Fault]) -> None:
        """Compare the culprits in a run with its planted imbalances, and add the counts."""
        regions = {run.compared.regions[each].id for each in dissimilarity.culprits}
        self.right += sum(fault.path in regions for fault in faults)
        self.found += len(regions)
        self.planted += len(faults)
        large = [fault for fault in faults if fault.is_large]
        self.large += len(large)
        self.missed += sum(fault.path not in regions for fault in large)

    def __str__(self) -> str:
        precision, recall = self.right / max(self.found, 1), self.right / max(self.planted, 1)
        f1 = 2 * self.right / max(self.found + self.planted, 1)
        missed = self.missed / max(self.large, 1)
        return f"{precision:>9.2f}  {recall:>6.2f}  {f1:>4.2f}  {missed:>7.1%} of {self.large}"


def changes(method: Callable[[Prepared], Dissimilarity], seed: int) -> int:
    """Return the number of rank orders for which a method finds clusters that differ from those for the first order.

    The ranks' times increase evenly; an order assigns them to the rank numbers.
    """
    rng = np.random.default_rng(seed)
    ramp = SECONDS * (1 + RAMP * np.arange(RANKS) / (RANKS - 1.0))
    paths = [CallPath(Region("function", "main", "app.c", "main", 0, 1, 9))]
    paths.append(CallPath(Region("function", "work", "app.c", "work", 0, 2, 8), 0))

    def clusters(order: npt.NDArray[np.intp]) -> set[frozenset[int]]:
        found = method(prepare(run_of(paths, np.array([np.zeros(RANKS), ramp[order]]))))
        return {frozenset(order[list(each)].tolist()) for each in found.clusters}

    first = clusters(np.arange(RANKS))
    return sum(clusters(rng.permutation(RANKS)) != first for _ in range(ORDERS))


def main() -> None:
    """Print a line per number of imbalances and method, then each method's false alarms and changed clusters."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=300)
    parser.add_argument("--seed", type=int, default=20)
    arguments = parser.parse_args()
    print(f"{'planted':>7}  {'method':<12}  {'precision':>9}  {'recall':>6}  {'F1':>4}  {'large ones missed':>17}")
    for faults in (1, 2, 3):
        rng = np.random.default_rng([arguments.seed, faults])
        scores = {name: Score() for name in METHODS}
        for _ in range(arguments.trees):
            experiment, truth = planted(rng, faults)
            run = prepare(experiment)
            for name, method in METHODS.items():
                scores[name].add(run, method(run), truth)
        for name, score in scores.items():
            print(f"{faults:>7}  {name:<12}  {score}")
    for name, method in METHODS.items():
        rng = np.random.default_rng([arguments.seed, 0])
        alarms = sum(method(prepare(planted(rng, 0)[0])).exists for _ in range(arguments.trees))
        print(f"{name}: ranks differ in {alarms} of {arguments.trees} balanced trees")
        print(f"{name}: {changes(method, arguments.seed)} of {ORDERS} renumberings change the clusters")


if __name__ == "__main__":
    main()
