"""Nodes that cannot access the run's folder, because /tmp differs between nodes: no data are lost."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest

from autoanalyzer.experiment import load

from ..conftest import left_by_run
from .slurm import NODES, Cluster

pytestmark = pytest.mark.cluster

SPREAD = [(0, "aa-node1"), (1, "aa-node1"), (2, "aa-node2"), (3, "aa-node2")]
SRUN = ("srun", "--mpi=pmix", *NODES, "--ntasks-per-node=2")


@pytest.fixture
def home() -> Iterator[Path]:
    """Return a folder below /tmp that does not exist yet, for this machine and this test only."""
    folder = Path(mkdtemp(prefix="autoanalyzer-test-", dir="/tmp"))
    folder.rmdir()
    yield folder
    rmtree(folder, ignore_errors=True)


def ranks(folder: Path) -> list[tuple[int, str]]:
    return sorted((location.process, location.node) for location in load(folder).locations)


def left_on(cluster: Cluster, *nodes: str) -> dict[str, str]:
    """Return the files that the tool left in the nodes' /tmp."""
    found = {node: cluster.on(node, "sh", "-c", "find /tmp -xdev | grep -e shard -e autoanalyzer-") for node in nodes}
    return {node: text for node, text in found.items() if text}


def test_all_ranks_come_home_to_the_machine_that_launched_them(cluster: Cluster, place: Path, home: Path) -> None:
    done = cluster.run("autoanalyzer", "run", "-o", home, "--", *SRUN, "./app-openmpi", folder=place)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4 ranks\n"
    assert "cannot create" not in done.stderr
    assert ranks(home) == SPREAD
    assert load(home).notes.missing == ()
    assert left_by_run(home) == {"experiment.cube"}
    assert left_on(cluster, "aa-node1", "aa-node2") == {}


@pytest.mark.parametrize("is_shared", [False, pytest.param(True, marks=pytest.mark.long)])
def test_counts_are_of_a_copy_that_all_nodes_see(is_shared: bool, cluster: Cluster, place: Path, home: Path) -> None:
    out = place / "out" if is_shared else home
    srun = (*SRUN[:-1], "--ntasks-per-node=1")  # each process takes seconds to count
    words = ("autoanalyzer", "run", "--counters", "simulated", "-o", out, "--", *srun, "./app-openmpi")
    done = cluster.run(*words, folder=place)
    assert done.returncode == 0, done.stderr
    experiment = load(out)
    assert experiment.exclusive("instructions").sum(axis=0).min() > 0
    assert sorted(each.name for each in place.iterdir()) == ["app-mpich", "app-openmpi", *["out"] * is_shared]
    assert left_by_run(out) == {"experiment.cube"}


def test_a_batch_script_s_own_tmp(cluster: Cluster, place: Path) -> None:
    """The script runs on the first node, whose /tmp the second one cannot access; then it collects the data."""
    job = place / "job.sh"
    run = f"autoanalyzer run -o /tmp/out -- {' '.join(SRUN)} ./app-openmpi"
    job.write_text(f"#!/bin/sh\n{run} && mv /tmp/out .\n")
    done = cluster.batch(job, *NODES, "--ntasks-per-node=2")
    assert done.returncode == 0, done.stderr
    cluster.idle()
    assert ranks(place / "out") == SPREAD
    assert left_on(cluster, "aa-node1", "aa-node2") == {}


def test_what_exec_left_on_nodes_is_gathered_later(cluster: Cluster, place: Path, home: Path) -> None:
    done = cluster.run(*SRUN, "autoanalyzer", "exec", "-o", home, "./app-openmpi", folder=place)
    assert done.returncode == 0, done.stderr
    cluster.idle()
    done = cluster.run("autoanalyzer", "gather", home, "--", *SRUN, "./app-openmpi", folder=place)
    assert done.returncode == 0, done.stderr
    assert ranks(home) == SPREAD
    assert left_on(cluster, "aa-node1", "aa-node2") == {}


def test_a_run_that_cannot_be_gathered_by_mpi_is_told_how_to_go_on(cluster: Cluster, place: Path, home: Path) -> None:
    words = ("autoanalyzer", "run", "-o", home, "--", *SRUN, "./app-openmpi")
    done = cluster.run(*words, folder=place, more={"MPI4PY_LIBMPI": "/none/libmpi.so"})
    assert done.returncode == 2
    assert f"autoanalyzer gather {home}" in done.stderr
    done = cluster.run("autoanalyzer", "gather", home, folder=place)
    assert done.returncode == 0, done.stderr
    assert ranks(home) == SPREAD


def test_of_a_node_that_died_the_others_data_come_home(cluster: Cluster, place: Path, home: Path) -> None:
    """Of four nodes, the last one dies during the run, and Slurm ends the program on the others."""
    words = ("srun", "--mpi=pmix", "-N", "4", "--ntasks-per-node=1", "./app-openmpi")
    run = [
        "salloc",
        "--no-kill",
        "-N",
        "4",
        "--ntasks-per-node=1",
        "autoanalyzer",
        "run",
        "-o",
        str(home),
        "--",
        *words,
    ]
    environment = cluster.environment | {"SECONDS_OF_SLEEP": "100"}
    job = subprocess.Popen(run, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        cluster.begun(place)
        cluster.kill("aa-node4")
        _, said = job.communicate(timeout=1200)
        assert [rank for rank, _ in ranks(home)] == [0, 1, 2], said
        assert list(load(home).notes.missing) == [3]
    finally:
        job.kill()
        cluster.cancel()
        cluster.start("aa-node4")
        cluster.wait()


def test_a_large_run_is_merged_on_the_nodes_that_share_its_folder(cluster: Cluster, place: Path) -> None:
    """Every run counts as large here; each node sees the folder, and has fewer processes than the program had."""
    (place / "sitecustomize.py").write_text("import autoanalyzer.experiment.storage as storage\nstorage.LARGE = 0\n")
    words = ("srun", "--mpi=pmix", *NODES, "--ntasks-per-node=4")
    done = cluster.run(*words, "autoanalyzer", "exec", "-o", place / "out", "./app-openmpi", folder=place)
    assert done.returncode == 0, done.stderr
    cluster.idle()
    more = {"PYTHONPATH": str(place)}
    done = cluster.run("autoanalyzer", "gather", place / "out", "--", *words, "./app-openmpi", folder=place, more=more)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"wrote {place}/out/experiment.cubex: ")
    assert left_by_run(place / "out") == {"experiment.cubex"}
    assert [process for process, _ in ranks(place / "out")] == list(range(8))


def test_a_large_run_s_shards_on_two_disks_are_merged_where_they_are(cluster: Cluster, place: Path) -> None:
    """The script's node has the folder; the processes on the other node send what they have read."""
    (place / "sitecustomize.py").write_text("import autoanalyzer.experiment.storage as storage\nstorage.LARGE = 0\n")
    job = place / "job.sh"
    run = f"PYTHONPATH={place} autoanalyzer run -o /tmp/out -- {' '.join(SRUN)} ./app-openmpi"
    job.write_text(f"#!/bin/sh\n{run} && ls -A /tmp/out && mv /tmp/out .\n")
    done = cluster.batch(job, *NODES, "--ntasks-per-node=2")
    assert done.returncode == 0, done.stderr
    cluster.idle()
    assert "experiment.cubex" in done.stdout
    assert ranks(place / "out") == SPREAD
    assert left_on(cluster, "aa-node1", "aa-node2") == {}
