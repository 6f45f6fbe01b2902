"""On a real Slurm, where all nodes see the run's folder: the launchers that people use."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoanalyzer.experiment import load

from .slurm import Cluster

pytestmark = pytest.mark.cluster


def ranks(place: Path) -> list[tuple[int, str]]:
    """Ranks and nodes of the experiment that a run left."""
    experiment = load(place / "out")
    return sorted((location.process, location.node) for location in experiment.locations)


SPREAD = [(0, "aa-node1"), (1, "aa-node1"), (2, "aa-node2"), (3, "aa-node2")]


def test_run_with_srun_and_pmix(cluster: Cluster, place: Path) -> None:
    done = cluster.run(
        "autoanalyzer",
        "run",
        "-o",
        "out",
        "--",
        "srun",
        "--mpi=pmix",
        "-N",
        "2",
        "--ntasks-per-node=2",
        "./app-openmpi",
        folder=place,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4 ranks\n"
    assert "4 ranks" in done.stderr
    assert ranks(place) == SPREAD
    assert not (place / "out" / "shards").exists()
