"""The tool finds the planted fault and its cure in the sample of exact tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import LAUNCH, LAUNCH_MPICH, Sample, copied

pytestmark = pytest.mark.measured

SIZE = ("12", "13")  # half of the default work


@pytest.fixture(scope="module")
def pvalue(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample("pvalue", tmp_path_factory.mktemp("plain"), size=SIZE)


@pytest.fixture(scope="module")
def lean_pvalue(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample("pvalue", tmp_path_factory.mktemp("lean"), "VERSION=lean", size=SIZE)


def heavy(sample: Sample) -> dict[str, Any]:
    """Return the hot spots of the verdict by function."""
    return {region["function"]: region for region in sample.findings()["disparity"]["cccr"]}


def bytes_of(sample: Sample, function: str) -> float:
    (found,) = (each for each in sample.findings()["costs"] if (each["name"], each["depth"]) == (function, 1))
    return float(found["mpi_bytes"])


@pytest.mark.parametrize("version", ["pvalue", "lean_pvalue"])
def test_the_ranks_of_pvalue_are_alike(version: str, request: pytest.FixtureRequest) -> None:
    found = request.getfixturevalue(version).dissimilarity()
    assert (found["clusters"], found["ccr"], found["cccr"]) == ([[0, 1, 2, 3]], [], [])


def test_the_two_exact_tests_weigh_most_in_pvalue(pvalue: Sample) -> None:
    found = heavy(pvalue)
    assert set(found) == {"shape_test", "location_test"}
    location, shape = found["location_test"], found["shape_test"]
    assert (location["line"], location["severity"]) == (pvalue.line_of("location_plain.c", "done < most"), 4)
    assert (shape["line"], shape["severity"]) == (pvalue.line_of("shape_plain.c", "k < splits.count"), 3)


def test_only_the_test_of_location_sends_much(pvalue: Sample) -> None:
    assert bytes_of(pvalue, "location_test") > 0.99 * sum(
        each["mpi_bytes"] for each in pvalue.findings()["costs"] if each["depth"] == 1
    )
    assert "mpi_bytes" not in heavy(pvalue)["shape_test"]["root_causes"]


def test_lean_counts_alone_are_sent(lean_pvalue: Sample) -> None:
    assert bytes_of(lean_pvalue, "location_test") == 16
    assert all("mpi_bytes" not in region["root_causes"] for region in heavy(lean_pvalue).values())


def test_lean_the_two_tests_still_weigh_most(lean_pvalue: Sample) -> None:
    assert {"shape_test", "location_test"} <= set(heavy(lean_pvalue))


def test_pvalue_prints_the_same_untouched_and_under_the_tool(pvalue: Sample, lean_pvalue: Sample) -> None:
    assert pvalue.printed == lean_pvalue.printed == pvalue.printed_untouched()


@pytest.mark.parametrize("version", ["plain", "lean"])
def test_pvalue_prints_the_same_for_any_number_of_ranks_and_under_mpich(version: str, tmp_path: Path) -> None:
    if not shutil.which("mpicc.mpich"):
        pytest.skip("MPICH is not installed")
    folder = copied("pvalue", tmp_path)
    printed = set()
    for compiler, launch in (("mpicc.openmpi", LAUNCH), ("mpicc.mpich", LAUNCH_MPICH)):
        subprocess.run(["make", "-s", f"CC={compiler}", f"VERSION={version}"], cwd=folder, check=True)
        for ranks in ("1", "3", "4"):
            command = [*launch[:-1], ranks, "./pvalue", "9", "11"]
            printed.add(subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout)
    assert len(printed) == 1


@pytest.mark.parametrize(("sizes", "splits"), [(("2", "2"), 6), (("3", "4"), 35), (("9", "11"), 167960)])
def test_pvalue_looks_at_every_split(sizes: tuple[str, str], splits: int, tmp_path: Path) -> None:
    folder = copied("pvalue", tmp_path)
    subprocess.run(["make", "-s", "CC=mpicc.openmpi"], cwd=folder, check=True)
    done = subprocess.run([*LAUNCH, "./pvalue", *sizes], cwd=folder, check=True, capture_output=True, text=True)
    assert done.stdout.startswith(f"pvalue: {splits} splits, p of location ")


@pytest.mark.parametrize("arguments", [["many"], ["1"], ["13", "21"], ["8", "8", "8"]])
def test_bad_arguments_of_pvalue_are_one_line_and_exit_status_2(arguments: list[str], tmp_path: Path) -> None:
    folder = copied("pvalue", tmp_path)
    subprocess.run(["make", "-s", "CC=mpicc.openmpi"], cwd=folder, check=True)
    done = subprocess.run([*LAUNCH, "./pvalue", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert sum(line.startswith("usage: pvalue") for line in done.stderr.splitlines()) == 1
