"""The tool finds the planted fault and its cure in the sample that compresses blocks."""

from __future__ import annotations

import bz2
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import LAUNCH, LAUNCH_MPICH, Sample, copied

pytestmark = pytest.mark.measured

SIZE = ("500",)  # half of the default work
BLOCK_BYTES = 60000
MANAGEMENT = ("--exclude-region", "image_read@0", "--exclude-region", "report@0")


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample("blocks", tmp_path_factory.mktemp("rooms"), size=SIZE)


@pytest.fixture(scope="module")
def packed_blocks(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample("blocks", tmp_path_factory.mktemp("packed"), "COLLECT=packed", size=SIZE)


def heavy(sample: Sample) -> dict[str, Any]:
    """Return the hot spots of the verdict by function."""
    return {region["function"]: region for region in sample.findings()["disparity"]["cccr"]}


def bytes_of(sample: Sample, function: str) -> float:
    (found,) = (each for each in sample.findings()["costs"] if (each["name"], each["depth"]) == (function, 1))
    return float(found["mpi_bytes"])


@pytest.mark.parametrize("version", ["blocks", "packed_blocks"])
def test_without_the_masters_management_the_ranks_of_blocks_are_alike(
    version: str, request: pytest.FixtureRequest
) -> None:
    found = request.getfixturevalue(version).dissimilarity(*MANAGEMENT)
    assert (found["clusters"], found["ccr"], found["cccr"]) == ([[0, 1, 2, 3]], [], [])


def test_compressing_and_collecting_weigh_most_in_blocks(blocks: Sample) -> None:
    found = heavy(blocks)
    compress, collect = found["share_compress"], found["collect"]
    assert (compress["line"], compress["severity"]) == (blocks.line_of("share.c", "Region 6") + 1, 4)
    assert (collect["line"], collect["severity"]) == (blocks.line_of("collect_rooms.c", "int owner = 0"), 3)


def test_collecting_weighs_by_what_is_sent_and_compressing_does_not(blocks: Sample) -> None:
    found = heavy(blocks)
    assert found["collect"]["root_causes"] == ["mpi_bytes"]
    assert "mpi_bytes" not in found["share_compress"]["root_causes"]


def test_packed_only_compressing_still_weighs(packed_blocks: Sample) -> None:
    found = heavy(packed_blocks)
    assert found["share_compress"]["severity"] == 4
    assert "collect" not in found


def test_packed_little_is_sent_to_the_master(blocks: Sample, packed_blocks: Sample) -> None:
    assert bytes_of(packed_blocks, "collect") < 0.01 * bytes_of(blocks, "collect")


def test_both_versions_write_the_same_file_which_bunzip2_understands(blocks: Sample, packed_blocks: Sample) -> None:
    written = (blocks.folder / "image.bz2").read_bytes()
    assert written == (packed_blocks.folder / "image.bz2").read_bytes()
    assert len(bz2.decompress(written)) == int(SIZE[0]) * BLOCK_BYTES


def test_blocks_prints_the_same_untouched_and_under_the_tool(blocks: Sample, packed_blocks: Sample) -> None:
    assert blocks.printed == packed_blocks.printed == blocks.printed_untouched()


def test_blocks_prints_the_same_under_mpich(tmp_path: Path) -> None:
    if not shutil.which("mpicc.mpich"):
        pytest.skip("MPICH is not installed")
    folder = copied("blocks", tmp_path)
    printed = set()
    for compiler, launch in (("mpicc.openmpi", LAUNCH), ("mpicc.mpich", LAUNCH_MPICH)):
        for collect in ("rooms", "packed"):
            subprocess.run(["make", "-s", f"CC={compiler}", f"COLLECT={collect}"], cwd=folder, check=True)
            done = subprocess.run([*launch, "./blocks", "120"], cwd=folder, check=True, capture_output=True)
            printed.add(done.stdout)
    assert len(printed) == 1


@pytest.mark.parametrize("arguments", [["many"], ["0"], ["7"], ["8", "8"]])
def test_bad_arguments_of_blocks_are_one_line_and_exit_status_2(arguments: list[str], tmp_path: Path) -> None:
    folder = copied("blocks", tmp_path)
    subprocess.run(["make", "-s", "CC=mpicc.openmpi"], cwd=folder, check=True)
    done = subprocess.run([*LAUNCH, "./blocks", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert sum(line.startswith(("usage: blocks", "blocks: ")) for line in done.stderr.splitlines()) == 1
