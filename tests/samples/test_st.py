"""The tool finds the planted faults in the Fortran 77 sample, and none once they are cured."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import LAUNCH, LAUNCH_MPICH, Sample, apart, copied

pytestmark = pytest.mark.long

CURED = ("DISPATCH=dynamic", "LOCALITY=good")


def shallow(folder: Path) -> None:
    """Reduce the depth of the model to a quarter."""
    model = folder / "model.inc"
    model.write_text(model.read_text().replace("NZ = 320", "NZ = 80"))


def run(folder: Path, quick: bool, *variables: str, launch: tuple[str, ...] = LAUNCH) -> Sample:
    """Run st with half of its default work, or with an eighth."""
    how: dict[str, Any] = {"size": ("21", "1500"), "edit": shallow} if quick else {"size": ("21", "6000")}
    return Sample("st", folder, *variables, language="FC", launch=launch, **how)


@pytest.fixture(scope="module")
def st(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run(tmp_path_factory.mktemp("planted"), quick)


@pytest.fixture(scope="module")
def cured_st(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    return run(tmp_path_factory.mktemp("cured"), quick, *CURED)


@pytest.fixture(scope="module")
def mpich_st(tmp_path_factory: pytest.TempPathFactory, quick: bool) -> Sample:
    if not shutil.which("mpifort.mpich"):
        pytest.skip("MPICH is not installed")
    return run(tmp_path_factory.mktemp("mpich"), quick, launch=LAUNCH_MPICH)


@pytest.fixture(scope="module")
def plain_st(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copied("st", tmp_path_factory.mktemp("plain"))
    shallow(folder)
    subprocess.run(["make", "-s", "FC=mpifort.openmpi"], cwd=folder, check=True)
    return folder


def places(regions: list[dict[str, Any]]) -> set[tuple[str, int]]:
    return {(Path(region["file"]).name, region["line"]) for region in regions}


def passes(sample: Sample, version: str = "strided") -> tuple[str, int]:
    """Return the place of region 11, the loop over the passes."""
    file = f"ramod3_{version}.f"
    return file, sample.line_of(file, "DO 110 IPASS")


def test_the_static_dispatch_parts_the_last_worker_of_st_from_the_others(st: Sample) -> None:
    assert apart(st.dissimilarity(), {0}, {1, 2}, {3})


@pytest.mark.measured
def test_the_static_dispatch_makes_two_clusters_of_the_workers_of_st(st: Sample) -> None:
    assert st.dissimilarity()["clusters"] == [[0], [1, 2], [3]]
    assert st.dissimilarity("--exclude-rank", "0")["clusters"] == [[1, 2], [3]]


@pytest.mark.parametrize("options", [(), ("--exclude-rank", "0")], ids=["with the master", "without the master"])
def test_the_passes_in_ramod3_are_the_culprit_of_the_imbalance(st: Sample, options: tuple[str, ...]) -> None:
    assert passes(st) in places(st.dissimilarity(*options)["cccr"])


@pytest.mark.nightly
def test_the_same_is_found_under_mpich(mpich_st: Sample, st: Sample) -> None:
    found = mpich_st.dissimilarity("--exclude-rank", "0")
    assert apart(found, {1, 2}, {3})
    assert passes(mpich_st) in places(found["cccr"])
    assert mpich_st.printed == st.printed


def test_the_shots_and_ramod3_lead_to_the_culprit(st: Sample) -> None:
    chain = [(each["function"], each["kind"]) for each in st.dissimilarity("--exclude-rank", "0")["ccr"]]
    assert {("ST", "loop"), ("RAMOD3", "function"), ("RAMOD3", "loop")} <= set(chain)


def test_the_fourteen_regions_of_st_are_nested_as_in_the_paper(st: Sample) -> None:
    loops = [region for region in st.findings()["costs"] if region["kind"] == "loop"]
    assert len(loops) == 14
    depths = {(region["function"], region["line"]): region["depth"] for region in loops}
    assert depths["ST", st.line_of("st.f", "DO 140 ISHOT")] == 1
    assert [depths["RAMOD3", st.line_of("ramod3_strided.f", each)] for each in ("DO 110 IPASS", "DO 120 I")] == [3, 3]


def stack(sample: Sample) -> tuple[str, int]:
    """Return the place of region 8, the loop that stacks on disk."""
    return "stack_disk.f", sample.line_of("stack_disk.f", "DO 80 IFOLD")


def test_the_stack_weighs_most_in_st(st: Sample) -> None:
    assert stack(st) in places(st.findings()["disparity"]["cccr"])


@pytest.mark.measured
def test_the_passes_weigh_as_the_stack_does_in_st(st: Sample) -> None:
    """The slower a busy disk is, the smaller is the share of the passes."""
    assert {passes(st), stack(st)} <= places(st.findings()["disparity"]["cccr"])


def test_the_stack_alone_reads_and_writes_much(st: Sample) -> None:
    loops = [each for each in st.findings()["costs"] if each["kind"] == "loop"]
    most = max(loops, key=lambda each: float(each["io_time"]))
    assert most["function"] == "STACK"
    assert most["io_time"] > 0.9 * sum(each["io_time"] for each in loops)


def test_cured_workers_are_nearer(st: Sample, cured_st: Sample) -> None:
    planted, cured = (each.dissimilarity("--exclude-rank", "0")["severity"] for each in (st, cured_st))
    assert cured < planted


@pytest.mark.measured
def test_cured_workers_are_alike(cured_st: Sample) -> None:
    found = cured_st.dissimilarity("--exclude-rank", "0")
    assert (found["clusters"], found["ccr"], found["cccr"]) == ([[1, 2, 3]], [], [])


def test_cured_the_passes_still_weigh_and_the_stack_does_not(cured_st: Sample) -> None:
    culprits = cured_st.findings()["disparity"]["cccr"]
    heavy = places([each for each in culprits if each["label"] in ("high", "very high")])
    assert passes(cured_st, "contiguous") in heavy
    assert "stack_memory.f" not in {file for file, _ in heavy}


@pytest.mark.nightly
def test_either_cure_alone_prints_the_same_as_none(plain_st: Path) -> None:
    """For both cures together, see ``test_st_prints_the_same_untouched_and_under_the_tool_planted_or_cured``."""
    printed = set()
    for variables in ((), CURED[:1], CURED[1:]):
        subprocess.run(["make", "-s", "FC=mpifort.openmpi", *variables], cwd=plain_st, check=True)
        done = subprocess.run([*LAUNCH, "./st", "9", "20"], cwd=plain_st, check=True, capture_output=True)
        printed.add(done.stdout)
    assert len(printed) == 1


@pytest.mark.nightly
def test_st_prints_the_same_untouched_and_under_the_tool_planted_or_cured(st: Sample, cured_st: Sample) -> None:
    assert st.printed == cured_st.printed == st.printed_untouched()


@pytest.mark.parametrize("arguments", [["many"], ["0"], ["2"], ["42", "1", "1"]])
@pytest.mark.nightly  # tests the sample's own error messages
def test_bad_arguments_of_st_are_one_line_and_exit_status_2(arguments: list[str], plain_st: Path) -> None:
    done = subprocess.run([*LAUNCH, "./st", *arguments], cwd=plain_st, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert sum("st: " in line for line in done.stderr.splitlines()) == 1
