"""Metric spaces with planted structure, as Ahn and Vetter 2002 found it in programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest

from autoanalyzer.multivariate.metric_space import MetricSpace, Point

Values = npt.NDArray[np.float64]

# Ahn and Vetter 2002, Table 2: section, task, instance; cycles, instructions, cycles stalled for memory, floating-point
# divisions, L1 misses, floating-point instructions, loads, stores.
TABLE_2 = """
1 1 1  8305760504 7795651387 2265349817 14689488 72993923 3744267304 2123235784 1253921843
1 1 2  8233114700 7587713598 2257442295  8987587 72816919 3612932116 2100752913 1260163691
1 2 1  8197360363 7701750765 2233070347 14695959 73425197 3736956914 2075722824 1237231534
1 2 2  8135138668 7593760051 2207456335  9172755 73699055 3590374684 2060311042 1230463969
2 1 1  8326329304 7559198564 2401195595 14583869 72382972 3717326869 2078653081 1233604083
2 1 2  8291791110 7421248463 2334628952  8509892 72074918 3540521698 2060023498 1230670879
2 2 1  8405106757 7645055689 2415396992 14655896 72785214 3708798229 2104739801 1248538508
2 2 2  8381061956 7523753702 2377276028  8606055 72608329 3553288776 2084495857 1256915516
"""
NAMES = ("cycles", "instructions", "memory_stalls", "fp_divisions", "l1_misses", "fp_instructions", "loads", "stores")


def space_of(columns: Mapping[str, npt.ArrayLike], *, threads: int = 1) -> MetricSpace:
    """Return a space with these columns, ``float64[point]``; each ``threads`` successive points are a process."""
    arrays = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
    count = len(next(iter(arrays.values())))
    return MetricSpace.of_columns(arrays, [Point(row // threads, row % threads) for row in range(count)])


def noisy(drawn: np.random.Generator, values: npt.ArrayLike, noise: float) -> Values:
    """Return the values with normal noise, whose deviation is the share ``noise`` of each value."""
    exact = np.asarray(values, dtype=np.float64)
    return exact * (1 + noise * drawn.standard_normal(exact.shape))


def master_and_slaves(seed: int) -> MetricSpace:
    """Return 16 processes with 16 threads; the first thread of each also calls MPI, which takes integer work (4.5)."""
    drawn = np.random.default_rng(seed)
    master = np.arange(256) % 16 == 0
    columns = {f"fp{each}": noisy(drawn, np.full(256, 1e9), 0.01) for each in range(10)}
    columns |= {f"fxu{each}": noisy(drawn, np.where(master, 1.5e8, 1e8), 0.02) for each in range(3)}
    columns["stores"] = noisy(drawn, np.where(master, 1.2e8, 1e8), 0.01)
    columns["idle"] = noisy(drawn, np.where(master, 2e8, 3e8), 0.05)
    return space_of(columns, threads=16)


def redundant_and_free(seed: int) -> MetricSpace:
    """Return 288 tasks; six counters have correlations above 0.99, a seventh is nearly uncorrelated (Table 4)."""
    drawn = np.random.default_rng(seed)
    work = drawn.normal(1.0, 0.1, 288)
    columns = {
        name: size * (work + 0.003 * drawn.standard_normal(288))
        for name, size in zip(("fma", "fpu0", "fpu1", "inst", "ld", "st"), (1e9, 5e8, 5e8, 4e9, 1e9, 3e8), strict=True)
    }
    columns["tlb_miss"] = 1e5 * (1 + 0.05 * work + 0.3 * drawn.standard_normal(288))
    return space_of(columns)


def corners_edges_inside(seed: int) -> MetricSpace:
    """Return 8 × 8 tasks; those at edges and corners do less work (figure 5), which only half of the metrics show."""
    drawn = np.random.default_rng(seed)
    row, column = np.divmod(np.arange(64), 8)
    rims = ((row == 0) | (row == 7)).astype(int) + ((column == 0) | (column == 7))
    work = np.array([1.0, 0.9, 0.75])[rims]
    columns = {f"PM_FPU{each}": noisy(drawn, 1e9 * work, 0.01) for each in range(4)}
    columns |= {f"PM_L{each}_MISS": noisy(drawn, np.full(64, 1e6), 0.05) for each in range(4)}
    return space_of(columns)


def imbalance_in_a_cluster(seed: int) -> MetricSpace:
    """Return masters and slaves; in the upper half of the processes, slaves do 3 % more floating-point work (4.8)."""
    drawn = np.random.default_rng(seed)
    thread, process = np.arange(256) % 16, np.arange(256) // 16
    work = np.where(thread == 0, 0.5, np.where(process >= 8, 1.03, 1.0))
    columns = {f"fma{each}": noisy(drawn, 1e9 * work, 0.003) for each in range(4)}
    columns |= {f"fxu{each}": noisy(drawn, np.where(thread == 0, 2e8, 1e8), 0.003) for each in range(6)}
    return space_of(columns, threads=16)


@pytest.fixture(scope="session")
def table_2() -> MetricSpace:
    """Return the rows of Table 2 as points: eight instances of sections in two tasks."""
    rows = np.array([line.split() for line in TABLE_2.split("\n") if line], dtype=np.float64)
    points = [Point(int(task) - 1, 0, int(2 * section + instance) - 3) for section, task, instance in rows[:, :3]]
    return MetricSpace.of_columns(dict(zip(NAMES, rows[:, 3:].T, strict=True)), points)


@pytest.fixture(scope="session")
def make_space() -> Callable[..., MetricSpace]:
    """Return the function ``space_of``."""
    return space_of


@pytest.fixture(
    scope="session", params=[master_and_slaves, redundant_and_free, corners_edges_inside, imbalance_in_a_cluster]
)
def any_planted(request: pytest.FixtureRequest) -> MetricSpace:
    """Return each of the planted structures in turn."""
    space: MetricSpace = request.param(0)
    return space


@pytest.fixture(scope="session")
def planted() -> SimpleNamespace:
    """Return the functions that make the planted structures from a seed, as attributes."""
    return SimpleNamespace(
        master_and_slaves=master_and_slaves,
        redundant_and_free=redundant_and_free,
        corners_edges_inside=corners_edges_inside,
        imbalance_in_a_cluster=imbalance_in_a_cluster,
    )
