"""Threads of a rank are compared with one another, and with those of other ranks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import Sample, apart

pytestmark = pytest.mark.long

STEPS = 20
LAUNCH = ("mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", "2")
THREADS = ["0.0", "0.1", "1.0", "1.1"]


def run(folder: Path, quick: bool, *variables: str) -> Sample:
    size = ("2000" if quick else "4000", str(STEPS))
    return Sample("hybrid", folder, *variables, size=size, launch=LAUNCH)


@pytest.fixture(scope="module", autouse=True)
def two_threads() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "2")
        patch.setenv("OMP_WAIT_POLICY", "passive")
        yield


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run(tmp_path_factory.mktemp("static"), quick)


@pytest.fixture(scope="module")
def dynamic(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run(tmp_path_factory.mktemp("dynamic"), quick, "SCHEDULE=dynamic")


def by_thread(sample: Sample, metric: str) -> dict[str, Any]:
    """Return the inclusive values of a metric by region and thread."""
    experiment = sample.experiment()
    values = experiment.inclusive(metric)
    return {path.region.name: row for path, row in zip(experiment.call_paths, values.tolist(), strict=True)}


def test_a_static_schedule_parts_the_threads(static: Sample) -> None:
    found = static.dissimilarity()
    assert found["compared"] == "threads"
    assert sorted(label for cluster in found["clusters"] for label in cluster) == THREADS
    assert apart(found, {"0.0", "1.0"}, {"0.1", "1.1"})


def loop_line(sample: Sample) -> int:
    """Return the line of the loop that the threads share, the first of two similar ones."""
    lines = (sample.folder / "pairs.c").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if "k < own" in line)


@pytest.mark.measured
def test_a_static_schedule_makes_two_clusters_of_threads_at_the_loop(static: Sample) -> None:
    found = static.dissimilarity()
    assert found["clusters"] == [["0.0", "1.0"], ["0.1", "1.1"]]
    assert [culprit["line"] for culprit in found["cccr"]] == [loop_line(static)]


@pytest.mark.measured
def test_a_dynamic_schedule_makes_one_cluster(dynamic: Sample) -> None:
    assert dynamic.dissimilarity()["clusters"] == [THREADS]


def test_every_thread_enters_the_loop_and_the_first_alone_what_is_serial(static: Sample) -> None:
    visits = by_thread(static, "visits")
    assert visits[f"loop@{loop_line(static)}"] == [STEPS] * 4
    assert visits["charges_drift"] == [2 * STEPS, 0] * 2  # including its loop


@pytest.mark.measured
def test_who_has_less_to_do_waits(static: Sample) -> None:
    waits = by_thread(static, "omp_time")[f"loop@{loop_line(static)}"]
    assert min(waits[1], waits[3]) > max(waits[0], waits[2])


@pytest.mark.nightly
def test_the_energy_depends_on_nothing(static: Sample, dynamic: Sample) -> None:
    energy = static.printed.splitlines()[0]
    assert dynamic.printed.splitlines()[0] == energy == static.printed_untouched().splitlines()[0]
