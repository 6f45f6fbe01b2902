from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import Builder, CallPath, Experiment, Location, Metric, Region, load
from autoanalyzer.experiment.algebra import difference
from autoanalyzer.experiment.metric import PROCESS_METRICS
from autoanalyzer.view.browser import Browser, browse

DATA = Path(__file__).parents[1] / "data"
OWN = ("rays", "rays_dynamic", "hybrid")
FOREIGN = ("example", "profile", "trace", "summary")
GAPS = tuple(f"gaps {seed}" for seed in range(12))
OF_PROCESSES = "of whole processes"
PARTS_ALONE = tuple(f"parts alone {seed}" for seed in range(6))

ALL = (*OWN, "rays - rays_dynamic", *FOREIGN, *GAPS)
DIMENSIONS = ("metrics", "program", "system")
FEW = 4  # number of states in random tests of the page and the terminal
STATES = int(os.environ.get("STATES", "10"))  # number of states in long random tests, for each file; 200 each night
ACTIONS = 4 * STATES


def wandering(experiment: Experiment, seed: int) -> Iterator[Browser]:
    """Yield browsers with one to three random actions, which open, close or select nodes, including hidden ones."""
    random = np.random.default_rng(seed)
    browser = browse(experiment)
    for _ in range(ACTIONS):
        dimension = DIMENSIONS[random.integers(3)]
        pane = browser.pane(dimension)
        action = (browser.opened, browser.opened, browser.closed, browser.selecting)[random.integers(4)]
        among = [*pane.shown()] if random.random() < 0.8 else range(len(pane.tree))
        nodes = random.choice(among, size=min(len(among), int(random.integers(1, 4))), replace=False)
        browser = action(dimension, *map(int, nodes))
        if random.random() < 0.1:
            browser = browse_as(browser, flat=bool(random.random() < 0.3))
        yield browser


def browse_as(browser: Browser, *, flat: bool) -> Browser:
    return replace(browser, program=browse(browser.sums.experiment, flat=flat).program)


@pytest.fixture(scope="session")
def experiments(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Experiment]:
    """Return experiments by name: our runs, other tools' files, a difference, and small ones with missing values."""
    unpacked = tmp_path_factory.mktemp("summary") / "summary.cubex"
    unpacked.write_bytes(gzip.decompress((DATA / "summary.cubex.gz").read_bytes()))
    found = {name: load(DATA / f"{name}.cube.gz") for name in (*OWN, "profile", "trace")}
    found |= {"example": load(DATA / "example.cube"), "summary": load(unpacked)}
    found["rays - rays_dynamic"] = difference(found["rays"], found["rays_dynamic"])
    found[OF_PROCESSES] = of_processes()
    found |= {name: with_gaps(seed, parts_alone=False) for seed, name in enumerate(GAPS)}
    return found | {name: with_gaps(seed, parts_alone=True) for seed, name in enumerate(PARTS_ALONE)}


def of_processes() -> Experiment:
    """Return an experiment of two ranks, the second with two threads, and with metrics of whole processes."""
    builder = Builder()
    main = builder.call_path("main")
    work = builder.call_path("work", main)
    for process, thread in ((0, 0), (1, 0), (1, 1)):
        builder.location(process, thread)
    builder.metric("wall_time", "sec")
    builder.row("wall_time", main, [1.0, 1.0, 0.0])
    builder.row("wall_time", work, [2.0, 3.0, 3.0])
    made = builder.experiment()
    metrics = [*made.metrics, *(each for each in PROCESS_METRICS if each.name in ("page_faults", "peak_memory"))]
    of_root = {name: np.array([[5.0, 7.0, 0.0], [0.0] * 3]) for name in ("page_faults", "peak_memory")}
    return made.replaced(metrics=metrics, severities={"wall_time": made.exclusive("wall_time"), **of_root})


def with_gaps(seed: int, *, parts_alone: bool) -> Experiment:
    """Return an experiment with random trees, in which some values are negative, 0 or missing.

    Some metrics are missing on one location.

    Args:
        seed: The seed of the random numbers.
        parts_alone: Whether a metric may have values where its parent has none.
    """
    random = np.random.default_rng(seed)
    kinds = [
        ("FLOAT", True),
        ("FLOAT", True),
        ("FLOAT", True),
        ("MINDOUBLE", True),
        ("MAXDOUBLE", True),
        ("FLOAT", False),
    ]

    def parent(index: int) -> int | None:
        above = int(random.integers(-1, index)) if index else -1
        return above if above >= 0 else None

    metrics = []
    for index in range(8):
        above, (dtype, additive) = parent(index), kinds[random.integers(len(kinds))]
        metrics.append(
            Metric(f"m{index}", "sec", above if above is None else f"m{above}", dtype=dtype, additive=additive)
        )
    paths = [
        CallPath(Region("function", f"f{random.integers(6)}", "a.c", "f", 0, 1, 9), parent(index), index + 1)
        for index in range(12)
    ]
    threads = random.integers(1, 4, size=3)
    places = [
        Location(f"machine {process // 2}", f"node {process}", process, thread)
        for process, count in enumerate(threads)
        for thread in range(count)
    ]
    shape = (len(paths), len(places))
    severities = {}
    for metric in metrics:
        values = np.where(random.random(shape) < 0.2, 0.0, random.normal(1, 2, shape))
        values[random.random(shape) < 0.15] = np.nan
        if random.random() < 0.3:
            values[:, random.integers(shape[1])] = np.nan
        if metric.parent is not None and not parts_alone:
            values[np.isnan(severities[metric.parent])] = np.nan
        severities[metric.name] = values
    return Experiment(metrics=metrics, call_paths=paths, locations=places, severities=severities)
