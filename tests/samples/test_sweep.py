"""A pipeline over a grid of ranks with a dense corner, which statistics find on the grid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import SCRIPTS, Sample, apart

pytestmark = pytest.mark.long

SIZE = ("24", "8", "2")
DENSE = {10, 11, 14, 15}
LAUNCH = ("mpirun.openmpi", "--oversubscribe", "-n", "16")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample("sweep", tmp_path_factory.mktemp("coarse"), size=SIZE, language="FC", launch=LAUNCH)


@pytest.mark.nightly
def test_neither_pipeline_nor_ranks_nor_probes_change_the_flux(sweep: Sample) -> None:
    printed = {sweep.printed.splitlines()[0]}
    for pipeline, ranks in (("coarse", "1"), ("fine", "6")):
        sweep.build("mpifort.openmpi", f"PIPELINE={pipeline}")
        printed.add(sweep.output(*LAUNCH[:-1], ranks, "./sweep", *SIZE).strip())
    assert len(printed) == 1
    assert printed.pop().startswith("flux ")


@pytest.mark.nightly  # by day, tests of `map` use synthetic grids
def test_bytes_tell_corners_edges_and_the_inside_apart(sweep: Sample) -> None:
    words = ("--metrics", "mpi_bytes", "-k", "3", "--json", "map.json")
    sweep.output(SCRIPTS / "autoanalyzer", "stats", "out", "map", *words)
    found = json.loads((sweep.folder / "map.json").read_text())
    assert sorted(found["called"]) == ["the corners", "the edges without the corners", "the inside"]


@pytest.mark.measured
def test_the_dense_corner_is_a_cluster_by_its_compute_time(sweep: Sample, tmp_path: Path) -> None:
    large = Sample("sweep", tmp_path, size=(), language="FC", launch=LAUNCH)
    found = large.dissimilarity()
    assert apart(found, DENSE, {*range(16)} - DENSE)
    line = large.line_of("octants.f90", "do angle = 1, angles")
    assert line in [culprit["line"] for culprit in found["cccr"]]
    words = ("--metrics", "compute_time", "-k", "2", "--json", "map.json")
    large.output(SCRIPTS / "autoanalyzer", "stats", "out", "map", *words)
    assert sorted(DENSE) in json.loads((large.folder / "map.json").read_text())["clusters"]
