"""Samples of paper 001, section 6: the verdict names the planted faults with their causes, but not once cured."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import Sample

pytestmark = pytest.mark.measured

# The caches have a fixed size, so that counts are the same on every machine.
COUNTED = ("--counters", "simulated", "--cache", "L1=32K/8/64,L2=1M/16/64")
SIZES = {"st": ("21", "6000"), "blocks": ("60",), "pvalue": ("11", "11")}
CURES = {"st": ("DISPATCH=dynamic", "LOCALITY=good"), "blocks": ("COLLECT=packed",), "pvalue": ("VERSION=lean",)}


def counted(name: str, folder: Path, *variables: str) -> Sample:
    if not shutil.which("valgrind"):
        pytest.skip("Valgrind is not installed")
    language = "FC" if name == "st" else "CC"
    return Sample(name, folder, *variables, size=SIZES[name], language=language, options=COUNTED)


@pytest.fixture(scope="module")
def planted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return counted(request.param, tmp_path_factory.mktemp("planted"))


@pytest.fixture(scope="module")
def cured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return counted(request.param, tmp_path_factory.mktemp("cured"), *CURES[request.param])


def causes(sample: Sample) -> dict[str, set[str]]:
    """Return the root causes of each hot spot by function."""
    regions = sample.findings()["disparity"]["cccr"]
    return {region["function"]: set(region["root_causes"]) for region in regions}


def instructions(sample: Sample, function: str) -> float:
    """Return the number of instructions that a region executes, from the evidence of its causes."""
    (region,) = (each for each in sample.findings()["disparity"]["cccr"] if each["function"] == function)
    (value,) = (each["value"] for each in region["evidence"] if each["attribute"] == "instructions")
    return float(value)


@pytest.mark.parametrize("planted", ["st"], indirect=True)
def test_st_differs_by_instructions_and_weighs_by_misses_and_files(planted: Sample) -> None:
    (culprit,) = planted.dissimilarity("--exclude-rank", "0")["cccr"]
    assert (culprit["function"], culprit["root_causes"]) == ("RAMOD3", ["instructions"])
    found = causes(planted)
    assert "l2_miss_rate" in found["RAMOD3"]
    assert found["STACK"] == {"io_bytes"}


@pytest.mark.parametrize("planted", ["st"], indirect=True)
def test_by_the_paper_cpi_finds_neither_of_the_regions_that_weigh_in_st_and_wall_time_finds_both(
    planted: Sample,
) -> None:
    """Section 6.4."""
    found = {
        metric: {
            (region["function"], region["line"])
            for region in planted.findings("--method", "paper", "--disparity-metric", metric)["disparity"]["cccr"]
        }
        for metric in ("crnm", "wall_time", "cpi")
    }
    weighs = {
        ("RAMOD3", planted.line_of("ramod3_strided.f", "DO 110 IPASS")),
        ("STACK", planted.line_of("stack_disk.f", "DO 80 IFOLD")),
    }
    assert weighs <= found["crnm"]
    assert weighs <= found["wall_time"]
    assert not weighs & found["cpi"]


@pytest.mark.parametrize("planted", ["st"], indirect=True)
def test_by_the_paper_the_last_worker_of_st_differs_as_by_our_method(planted: Sample) -> None:
    """By CPU time without a floor, polling for messages may also separate the equal workers, in other regions."""
    found = planted.dissimilarity("--exclude-rank", "0", "--method", "paper")
    assert [3] in found["clusters"]
    (causes,) = (each["root_causes"] for each in found["cccr"] if each["function"] == "RAMOD3")
    assert "instructions" in causes


@pytest.mark.parametrize("cured", ["st"], indirect=True)
def test_cured_st_is_balanced_and_weighs_by_instructions(cured: Sample) -> None:
    assert cured.dissimilarity("--exclude-rank", "0")["cccr"] == []
    found = causes(cured)
    assert "instructions" in found["RAMOD3"]
    assert "STACK" not in found


@pytest.mark.parametrize("planted", ["blocks"], indirect=True)
def test_blocks_compress_by_instructions_and_collect_by_network_volume(planted: Sample) -> None:
    found = causes(planted)
    assert (found["share_compress"], found["collect"]) == ({"instructions"}, {"mpi_bytes"})


@pytest.mark.parametrize("cured", ["blocks"], indirect=True)
def test_packed_blocks_are_no_network_volume(cured: Sample) -> None:
    found = causes(cured)
    assert found["share_compress"] == {"instructions"}
    assert "collect" not in found


@pytest.mark.parametrize("planted", ["pvalue"], indirect=True)
def test_pvalue_weighs_by_instructions_and_one_test_by_network_volume(planted: Sample) -> None:
    assert causes(planted) == {"shape_test": {"instructions"}, "location_test": {"instructions", "mpi_bytes"}}


@pytest.mark.parametrize(("planted", "cured"), [("pvalue", "pvalue")], indirect=True)
def test_lean_pvalue_executes_less_and_sends_nothing(planted: Sample, cured: Sample) -> None:
    assert set().union(*causes(cured).values()) == {"instructions"}
    assert instructions(cured, "location_test") < 0.6 * instructions(planted, "location_test")
