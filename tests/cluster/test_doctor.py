"""``srun -N 2 autoanalyzer doctor``: each node tests itself, and one table shows all results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from autoanalyzer.doctor.tasks import EXCHANGE

from ..cli.test_doctor import FORTRAN, MPICH, VALGRIND, path_without
from .slurm import NODES, Cluster, Done

pytestmark = pytest.mark.cluster

TWO = (*NODES, "--ntasks-per-node=2")
CXX = r"(.*-)?g\+\+.*"
OWN = {"HOME": "/tmp/home", "AUTOANALYZER_CACHE": "/tmp/cache"}  # each node has its own


def examined(done: Done) -> dict[str, Any]:
    """Return the document that one process printed for all."""
    assert done.returncode == 0, done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def of_all(document: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {each["name"]: (each["outcome"], each["found"]) for each in document["together"]}


def outcome(document: dict[str, Any], area: str, name: str) -> list[str]:
    """Return the outcome of a check on each node."""
    found = [each for node in document["nodes"] for each in node["findings"]]
    return [each["outcome"] for each in found if (each["area"], each["name"]) == (area, name)]


def test_one_program_of_mpi(cluster: Cluster, place: Path) -> None:
    words = ("srun", "--mpi=pmix", *TWO, "autoanalyzer", "doctor", "--json")
    # Languages and counts do not depend on the launcher.
    own = {"PATH": str(path_without(place / "bin", CXX, FORTRAN, MPICH, VALGRIND))}
    document = examined(cluster.run(*words, folder=place, more=own))
    assert [node["node"] for node in document["nodes"]] == ["aa-node1", "aa-node2"]
    together = of_all(document)
    assert together["answers"] == ("works", "4 processes on 2 nodes: aa-node1, aa-node2")
    assert re.fullmatch(
        r"4 processes on 2 nodes in one MPI_COMM_WORLD \(mpi4py, Open MPI [\d.]+\)", together["MPI, mpicc"][1]
    )
    assert [together[name][0] for name in ("working directory", "cache", "home")] == ["works"] * 3
    for name in ("C, mpicc", "gather by MPI"):
        assert outcome(document, "MPI of mpicc", name) == ["works"] * 2
    assert list(place.glob(f"{EXCHANGE}*")) == []


@pytest.mark.long
def test_a_launcher_that_speaks_to_no_mpi_is_found_out_and_answers_come_all_the_same(
    cluster: Cluster, place: Path
) -> None:
    document = examined(cluster.run("srun", "--mpi=none", *TWO, "autoanalyzer", "doctor", "--json", folder=place))
    together = of_all(document)
    assert together["answers"][0] == "works"
    assert together["MPI, mpicc"] == (
        "fails",
        'The application appears to have been direct launched using "srun"',
    )
    for area, name in (("MPI of mpicc", "C, mpicc"), ("MPI of mpicc.mpich", "gather by MPI"), ("counts", "simulated")):
        assert outcome(document, area, name) == ["works"] * 2


@pytest.mark.long
def test_mpich_of_another_plugin_is_alone(cluster: Cluster, place: Path) -> None:
    words = ("srun", "--mpi=pmix", *NODES, "autoanalyzer", "doctor", "--json")
    document = examined(cluster.run(*words, folder=place, more={"AUTOANALYZER_CC": "mpicc.mpich"}))
    assert of_all(document)["MPI, mpicc.mpich"] == (
        "fails",
        "2 processes, each rank 0 of 1: the launcher does not work with this MPI library",
    )


@pytest.mark.long
def test_nodes_that_share_no_folder_answer_by_mpi(cluster: Cluster, place: Path) -> None:
    done = cluster.run("srun", "--mpi=pmix", *TWO, "autoanalyzer", "doctor", folder=Path("/tmp"), more=OWN)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("\nready: ") == 1
    assert re.search(
        r"^  cache +fails +/tmp/cache: files that aa-node1 writes there cannot be seen on aa-node2", done.stdout, re.M
    )


@pytest.mark.long
def test_a_node_that_cannot_be_heard_speaks_for_itself(cluster: Cluster, place: Path) -> None:
    words = ("srun", "--mpi=none", *NODES, "autoanalyzer", "doctor")
    done = cluster.run(*words, folder=Path("/tmp"), more=OWN)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no answer from process 1 of 2" in done.stdout
    assert re.search(r"^aa-node2:   C, mpicc +works ", done.stdout, re.M)
    assert re.search(r"^  C, mpicc +works ", done.stdout, re.M)


@pytest.mark.long
def test_within_a_job_srun_is_tried_with_each_mpi(cluster: Cluster, place: Path) -> None:
    words = ("salloc", *TWO, "autoanalyzer", "doctor", "--json")
    own = {"PATH": str(path_without(place / "bin", CXX, FORTRAN, VALGRIND))}
    document = examined(cluster.run(*words, folder=place, more=own))
    (node,) = document["nodes"]
    found = {each["name"]: each["found"] for each in node["findings"] if each["area"] == "launchers"}
    assert found["srun --mpi=pmix"].startswith("starts programs built with mpicc; ")
    gathers = [each["outcome"] for each in node["findings"] if each["name"] == "gather by MPI"]
    assert gathers == ["works", "works"]  # MPICH works even if nodes do not see this machine's /tmp
    assert found["srun --mpi=pmi2"].startswith("starts programs built with mpicc.mpich; ")


def test_what_old_runs_left_is_cleaned_on_each_node(cluster: Cluster, place: Path) -> None:
    make = "d=/tmp/autoanalyzer-0/0123456789abcdef; mkdir -p $d; touch -d '2 hours ago' $d/a.shard $d; "
    words = ("srun", "--mpi=pmix", *NODES, "sh", "-c")
    kept = cluster.run(*words, f"{make} autoanalyzer doctor --clean", folder=place)
    assert kept.returncode == 0, kept.stderr
    assert re.search(r"^kept .* aa-node1$", kept.stdout, re.M)
    assert re.search(r"^kept .* aa-node2$", kept.stdout, re.M)
    done = cluster.run(*words, "autoanalyzer doctor --clean --data --json; ls /tmp/autoanalyzer-0 >&2", folder=place)
    assert done.stdout, done.stderr
    nodes = {node["node"]: node["leftovers"] for node in json.loads(done.stdout)["nodes"]}
    for leftovers in (nodes["aa-node1"], nodes["aa-node2"]):
        assert [each["gone"] for each in leftovers if each["path"].endswith("0123456789abcdef")] == [True]
