"""Nodes that do not have the run's folder, as /tmp is not the same on two of them: nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import pytest

from autoanalyzer.experiment import load

from .slurm import Cluster

pytestmark = pytest.mark.cluster

SRUN = ("srun", "--mpi=pmix", "-N", "2", "--ntasks-per-node=2")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder below /tmp: of this machine alone."""
    folder = Path("/tmp") / f"autoanalyzer-test-{tmp_path.name}"
    yield folder
    rmtree(folder, ignore_errors=True)


def left_on(cluster: Cluster, *nodes: str) -> dict[str, str]:
    """What is left of ours in the /tmp of nodes."""
    found = {node: cluster.on(node, "sh", "-c", "ls -R /tmp | grep -e shard -e autoanalyzer") for node in nodes}
    return {node: text for node, text in found.items() if text}


def test_all_ranks_come_home_to_the_machine_that_launched_them(cluster: Cluster, place: Path, home: Path) -> None:
    done = cluster.run("autoanalyzer", "run", "-o", home, "--", *SRUN, "./app-openmpi", folder=place)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4 ranks\n"
    assert "cannot create" not in done.stderr
    experiment = load(home)
    assert [(each.process, each.node) for each in experiment.locations] == [
        (0, "aa-node1"),
        (1, "aa-node1"),
        (2, "aa-node2"),
        (3, "aa-node2"),
    ]
    assert experiment.notes.missing == ()
    assert [each.name for each in home.iterdir()] == ["experiment.cube"]
    assert left_on(cluster, "aa-node1", "aa-node2") == {}
