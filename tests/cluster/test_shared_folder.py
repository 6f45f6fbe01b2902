"""A real Slurm cluster whose nodes all see the run's folder: the usual launchers and jobs."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import Builder, load, save

from .slurm import NODES, Cluster

pytestmark = pytest.mark.cluster

SRUN = ("srun", "--mpi=pmix", *NODES, "--ntasks-per-node=2")
SPREAD = [(0, "aa-node1"), (1, "aa-node1"), (2, "aa-node2"), (3, "aa-node2")]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def ranks(folder: Path) -> list[tuple[int, str]]:
    """Return ranks and nodes of a run's experiment."""
    return sorted((location.process, location.node) for location in load(folder).locations)


def imbalance(cluster: Cluster, place: Path) -> list[int]:
    """Return the ranks with more busy time in any finding; on a busy machine, other findings may come first."""
    told = cluster.run("autoanalyzer", "analyze", "out", "--no-advice", "--json", "-", folder=place)
    found = json.loads(told.stdout)["findings"]
    ranks = [each["ranks"] for each in found if each["kind"] == "imbalance"]
    assert len(ranks) == 1, told.stdout
    return list(ranks[0])


def script(place: Path, text: str) -> Path:
    file = place / "job.sh"
    file.write_text(f"#!/bin/sh\n{text}\n")
    return file


@pytest.mark.parametrize(("plugin", "program"), [("pmix", "./app-openmpi"), ("pmi2", "./app-mpich")])
def test_run_with_srun(cluster: Cluster, place: Path, plugin: str, program: str) -> None:
    words = ("srun", f"--mpi={plugin}", *NODES, "--ntasks-per-node=2", program)
    done = cluster.run("autoanalyzer", "run", "-o", "out", "--", *words, folder=place)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4 ranks\n"
    assert "data: autoanalyzer view out/experiment.cube" in done.stderr
    assert imbalance(cluster, place) == [1]
    assert ranks(place / "out") == SPREAD
    assert not (place / "out" / "shards").exists()


def test_the_program_s_exit_code_is_told(cluster: Cluster, place: Path) -> None:
    done = cluster.run("autoanalyzer", "run", "-o", "out", "--", *SRUN, "./app-openmpi", "3", folder=place)
    assert done.returncode == 1
    assert "exit status 3" in done.stderr
    assert ranks(place / "out") == SPREAD


def test_exec_below_srun(cluster: Cluster, place: Path) -> None:
    words = (*SRUN, "autoanalyzer", "exec", "-o", "out", "./app-openmpi")
    done = cluster.run(*words, folder=place)
    assert (done.returncode, done.stdout) == (0, "4 ranks\n"), done.stderr
    assert imbalance(cluster, place) == [1]
    assert ranks(place / "out") == SPREAD


def test_mpirun_in_an_allocation(cluster: Cluster, place: Path) -> None:
    words = (
        "salloc",
        *NODES,
        "--ntasks-per-node=2",
        "autoanalyzer",
        "run",
        "-o",
        "out",
        "--",
        "mpirun",
        "./app-openmpi",
    )
    done = cluster.run(*words, folder=place, more=AS_ROOT)
    assert done.returncode == 0, done.stderr
    assert ranks(place / "out") == SPREAD


def test_a_batch_script_and_an_array_of_them(cluster: Cluster, place: Path) -> None:
    job = script(place, f'autoanalyzer run -o "out-$SLURM_ARRAY_TASK_ID" -- {" ".join(SRUN)} ./app-openmpi')
    done = cluster.batch(job, *NODES, "--ntasks-per-node=2", "--array=1-2")
    assert done.returncode == 0, done.stderr
    cluster.idle()
    for number in (1, 2):
        assert ranks(place / f"out-{number}") == SPREAD


@pytest.mark.parametrize("how", ["sbatch", "srun"])
def test_a_job_without_the_user_s_environment(cluster: Cluster, place: Path, how: str) -> None:
    """If a batch job gets no variables from its submission, Slurm passes none to srun's programs either."""
    path = cluster.environment["PATH"]
    own = " ".join(f"{name}={value}" for name, value in {**cluster.environment, "PATH": path}.items() if name in KEPT)
    export = "--export=NONE" if how == "srun" else ""
    words = " ".join((SRUN[0], export, *SRUN[1:]))
    job = script(place, f"export {own}\nautoanalyzer run -o out -- {words} ./app-openmpi")
    done = cluster.batch(job, *NODES, "--ntasks-per-node=2", *(["--export=NONE"] if how == "sbatch" else []))
    assert done.returncode == 0, done.stderr
    assert ranks(place / "out") == SPREAD


KEPT = ("PATH", "SLURM_CONF", "AUTOANALYZER_CACHE")


def test_several_programs_at_once(cluster: Cluster, place: Path) -> None:
    (place / "programs").write_text("0-1 ./app-openmpi\n2-3 ./app-openmpi 0\n")
    words = (*SRUN, "-n", "4", "--multi-prog", "programs")
    done = cluster.run("autoanalyzer", "run", "-o", "out", "--", *words, folder=place)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4 ranks\n"
    assert ranks(place / "out") == SPREAD


def test_what_a_cancelled_job_recorded_is_kept(cluster: Cluster, place: Path) -> None:
    job = script(place, f"export SECONDS_OF_SLEEP=2400\nexec autoanalyzer run -o out -- {' '.join(SRUN)} ./app-openmpi")
    submitted = cluster.run("sbatch", "--parsable", *NODES, "--ntasks-per-node=2", str(job), folder=place)
    number = submitted.stdout.strip()
    cluster.begun(place)
    cluster.run("scancel", number, folder=place)
    cluster.idle()
    told = cluster.run("autoanalyzer", "analyze", "out", folder=place)
    assert told.returncode == 0, told.stderr
    assert ranks(place / "out") == SPREAD
    assert list(load(place / "out").notes.unfinished) == [0, 1, 2, 3]


def test_no_process_and_no_shared_memory_is_left(cluster: Cluster, place: Path) -> None:
    before = {node: cluster.shared_memory(node) for node in ("aa-node1", "aa-node2")}
    done = cluster.run("autoanalyzer", "run", "-o", "out", "--", *SRUN, "./app-openmpi", folder=place)
    assert done.returncode == 0, done.stderr
    cluster.idle()
    assert all(cluster.shared_memory(node) <= files for node, files in before.items())
    assert not any(cluster.processes_on(node, "app-openmpi") for node in cluster.nodes)


def test_a_job_that_is_started_again_has_the_data_of_its_last_start(cluster: Cluster, place: Path) -> None:
    text = "[ $SLURM_RESTART_COUNT ] || export SECONDS_OF_SLEEP=2400\nexec autoanalyzer run -o out -- "
    job = script(place, f"{text}{' '.join(SRUN)} ./app-openmpi")
    submitted = cluster.run(
        "sbatch", "--parsable", "--requeue", "-o", "job.out", *NODES, "--ntasks-per-node=2", str(job), folder=place
    )
    number = submitted.stdout.strip()
    cluster.begun(place)
    cluster.run("scontrol", "requeue", number, folder=place)
    end = time.monotonic() + 1200
    while cluster.run("squeue", "-h", "-j", number, "-o", "%T", folder=place).stdout.strip() != "PENDING":
        assert time.monotonic() < end
        time.sleep(0.2)
    cluster.run("scontrol", "update", f"JobId={number}", "StartTime=now", folder=place)  # Slurm would wait two minutes
    cluster.idle()
    printed = (place / "job.out").read_text()
    assert "4 ranks" in printed, printed
    found = load(place / "out")
    assert ranks(place / "out") == SPREAD, (printed, found.notes)
    assert found.notes.unfinished == ()
    assert found.exclusive("wall_time").sum(axis=0).max() < 600  # at its first start, it slept for longer


@pytest.mark.long
def test_what_a_job_recorded_until_its_time_limit_is_kept(cluster: Cluster, place: Path) -> None:
    """Slurm's shortest time limit is a minute."""
    job = script(place, f"export SECONDS_OF_SLEEP=100\nautoanalyzer run -o out -- {' '.join(SRUN)} ./app-openmpi")
    cluster.run("sbatch", *NODES, "--ntasks-per-node=2", "--time=1", str(job), folder=place)
    cluster.begun(place)
    time.sleep(90)
    cluster.cancel()
    cluster.idle()
    told = cluster.run("autoanalyzer", "analyze", "out", folder=place)
    assert told.returncode == 0, told.stderr
    assert ranks(place / "out") == SPREAD
    found = load(place / "out")
    assert list(found.notes.unfinished) == [0, 1, 2, 3]
    assert 20 < found.exclusive("wall_time").sum(axis=0).max() < 90


def test_an_analysis_is_a_job_of_its_own(cluster: Cluster, place: Path) -> None:
    made, values = Builder(), np.ones(RANKS)
    for name in ("wall_time", "cpu_time", "mpi_cpu_time"):
        made.metric(name)
    for rank in range(RANKS):
        made.location(rank)
    main = made.call_path("main")
    for number in range(CALL_PATHS):
        path = made.call_path(f"f{number}", main)
        for name in ("wall_time", "cpu_time"):
            made.row(name, path, values + 5.0 * (np.arange(RANKS) == RANKS - 1) * (number == 3))
    save(made.experiment(), place / "large.cubex")
    words = ("autoanalyzer", "analyze", "large.cubex", "--json")
    for program, file in ((SRUN, "job.json"), ((), "alone.json")):
        done = cluster.run(*program, *words, file, folder=place)
        assert (done.returncode, len(re.findall("^data: ", done.stdout, re.MULTILINE))) == (0, 1), done.stderr
    assert (place / "job.json").read_bytes() == (place / "alone.json").read_bytes()


RANKS, CALL_PATHS = 10_500, 100  # more values than an analysis processes at a time
