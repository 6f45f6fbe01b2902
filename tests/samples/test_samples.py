"""The tool finds what is planted in the samples, and acquits the rest."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .conftest import LAUNCH, Sample, apart, copied

pytestmark = pytest.mark.long

# Half of the work that they do by default, and little.
SIZES = {"rays": (("400", "500"), ("200", "250")), "heat": (("840", "1200", "250"), ("84", "120", "25"))}


def run(name: str, folder: Path, quick: bool, *variables: str) -> Sample:
    return Sample(name, folder, *variables, size=SIZES[name][quick])


@pytest.fixture(scope="module")
def rays(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run("rays", tmp_path_factory.mktemp("static"), quick)


@pytest.fixture(scope="module")
def dynamic_rays(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run("rays", tmp_path_factory.mktemp("dynamic"), quick, "SCHEDULE=dynamic")


@pytest.fixture(scope="module")
def heat(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run("heat", tmp_path_factory.mktemp("plain"), quick)


@pytest.fixture(scope="module")
def overlapping_heat(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run("heat", tmp_path_factory.mktemp("overlap"), quick, "OVERLAP=1")


def test_the_static_schedule_of_rays_parts_all_ranks(rays: Sample) -> None:
    assert apart(rays.dissimilarity(), {0}, {1}, {2}, {3})


@pytest.mark.measured
def test_the_static_schedule_of_rays_makes_every_rank_a_cluster_of_its_own(rays: Sample) -> None:
    assert rays.dissimilarity()["clusters"] == [[0], [1], [2], [3]]
    assert rays.dissimilarity("--exclude-rank", "0")["clusters"] == [[1], [2], [3]]


@pytest.mark.parametrize("options", [(), ("--exclude-rank", "0")], ids=["with the master", "without the master"])
def test_the_loop_over_the_rays_is_the_culprit_of_the_imbalance(rays: Sample, options: tuple[str, ...]) -> None:
    line = rays.line_of("propagate.c", "ray < rays")
    (culprit,) = (each for each in rays.dissimilarity(*options)["cccr"] if each["line"] == line)
    assert (culprit["kind"], culprit["function"]) == ("loop", "propagate")
    assert Path(culprit["file"]).name == "propagate.c"
    assert "/work/" in culprit["path"]


@pytest.mark.measured
def test_smoothing_and_writing_are_no_reason_why_the_workers_of_rays_differ(rays: Sample) -> None:
    functions = {region["function"] for region in rays.dissimilarity("--exclude-rank", "0")["ccr"]}
    assert functions == {"follow", "work", "propagate"}


def test_the_dynamic_schedule_brings_the_workers_of_rays_nearer(rays: Sample, dynamic_rays: Sample) -> None:
    static, dynamic = (each.dissimilarity("--exclude-rank", "0")["severity"] for each in (rays, dynamic_rays))
    assert dynamic < static


@pytest.mark.measured
def test_the_dynamic_schedule_makes_the_workers_of_rays_alike(dynamic_rays: Sample) -> None:
    found = dynamic_rays.dissimilarity("--exclude-rank", "0")
    assert (found["clusters"], found["ccr"], found["cccr"]) == ([[1, 2, 3]], [], [])


def test_rays_prints_the_same_untouched_and_under_the_tool_with_either_schedule(
    rays: Sample, dynamic_rays: Sample
) -> None:
    assert rays.printed == dynamic_rays.printed == rays.printed_untouched()


@pytest.mark.measured
def test_heat_is_one_cluster(heat: Sample) -> None:
    found = heat.dissimilarity()
    assert (found["clusters"], found["ccr"], found["cccr"]) == ([[0, 1, 2, 3]], [], [])


@pytest.mark.measured
def test_heat_that_overlaps_is_one_cluster(overlapping_heat: Sample) -> None:
    assert overlapping_heat.dissimilarity()["clusters"] == [[0, 1, 2, 3]]


def test_heat_prints_the_same_untouched_and_under_the_tool_overlapping_or_not(
    heat: Sample, overlapping_heat: Sample
) -> None:
    assert heat.printed == overlapping_heat.printed == heat.printed_untouched()


@pytest.mark.parametrize(
    ("sample", "arguments"), [("rays", ["2"]), ("heat", ["one"])], ids=["fewer shots than workers", "no number"]
)
def test_bad_arguments_are_one_line_and_exit_status_2(sample: str, arguments: list[str], tmp_path: Path) -> None:
    folder = copied(sample, tmp_path)
    subprocess.run(["make", "-s", "CC=mpicc.openmpi"], cwd=folder, check=True)
    done = subprocess.run([*LAUNCH, f"./{sample}", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert sum(sample in line for line in done.stderr.splitlines()) == 1
