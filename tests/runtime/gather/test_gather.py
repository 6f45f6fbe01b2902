"""Gathering after a program was started in an unsuitable way."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Experiment
from autoanalyzer.experiment.storage import save_of_run
from autoanalyzer.runs.open_experiment import open_experiment
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.folder import RunFolder
from autoanalyzer.runtime.gather import gather
from autoanalyzer.runtime.gather.shard_layout import HEADER_LAYOUT, STATES
from autoanalyzer.runtime.measure import measure

from ..conftest import compiled, for_mpi4py
from ..probe.conftest import Record, built_once, library, others, plain_program, preloaded  # noqa: F401 - fixtures

PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    const char *rank = getenv(argc > 1 ? argv[1] : "");
    if (rank && atoi(rank) < atoi(argv[2])) {
        ((void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_enter"))("aa1|user|early|||0|0|0");
        _exit(0);
    }
    MPI_Init(&argc, &argv);
    return MPI_Finalize();
}
"""

ALONE = "2 processes, each alone in its MPI_COMM_WORLD"
FAILED = "gathering by MPI failed (expected 3 processes in one MPI_COMM_WORLD, found each in its own "


@pytest.mark.parametrize(
    ("early", "remark", "mpi"),
    [
        (1, ALONE, "openmpi"),
        (2, FAILED, "mpich"),
        pytest.param(1, ALONE, "mpich", marks=pytest.mark.nightly),
        pytest.param(2, FAILED, "openmpi", marks=pytest.mark.nightly),
    ],
    indirect=["mpi"],
)
def test_ranks_under_the_launcher_of_another_mpi_do_not_gather_against_each_other(
    early: int, remark: str, mpi: tuple[str, str], tmp_path: Path
) -> None:
    """Some processes end before they initialise MPI, so ranks seem to be missing."""
    launcher, compiler = mpi
    other = {"mpirun.openmpi": "mpirun.mpich", "mpirun.mpich": "mpirun.openmpi"}[launcher]
    variable = {"mpirun.openmpi": "OMPI_COMM_WORLD_RANK", "mpirun.mpich": "PMI_RANK"}[other]
    (tmp_path / "alone.c").write_text(PROGRAM)
    program = compiled(compiler, str(tmp_path / "alone.c"), tmp_path)
    command = [other, "-n", "3", str(program), variable, str(early)]
    experiment = measure(command, tmp_path / "out", say=print).experiment
    assert experiment is not None
    assert len(experiment.locations) == 3
    assert remark in "\n".join(experiment.notes.remarks)
    assert not any("No such file" in each for each in experiment.notes.remarks)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.by_day(mpi=["openmpi"], ranks=[3])
def test_shards_come_together_from_disks_that_only_some_ranks_see(
    ranks: int,
    mpi: tuple[str, str],
    tmp_path: Path,
    preloaded: Record,  # noqa: F811
) -> None:
    """Three shards are on two disks, which are folders here; one folder also has a truncated shard."""
    launcher, _ = mpi
    for rank in range(3):
        preloaded("+main +f -f -main", PMI_RANK=str(rank), PMI_SIZE="3")
    for number, shard in enumerate(sorted((tmp_path / "shards").iterdir())):
        folder = tmp_path / f"disk.{min(number, 1)}" / "out" / "shards"
        folder.mkdir(parents=True, exist_ok=True)
        shard.rename(folder / shard.name)
    (tmp_path / "disk.1" / "out" / "shards" / "short.shard").write_bytes(b"AASHARD")
    variable = {"mpirun.openmpi": "OMPI_COMM_WORLD_RANK", "mpirun.mpich": "PMI_RANK"}[launcher]
    job = f"exec {sys.executable} -W ignore -m autoanalyzer.runtime.gather '' out/shards here"
    (tmp_path / "disk.0" / "out" / "shards" / "home").write_text("here")
    script = f"test ${variable} = 0 && cd disk.0 || cd disk.1; {job}"
    environment = {**os.environ, **for_mpi4py(launcher, tmp_path)}
    words = [launcher, "-n", str(ranks), "sh", "-c", script]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (ranks == 1) == (tmp_path / "disk.1" / "out").exists(), "what came home is removed where it was"
    experiment = gather.gather_here(RunFolder(tmp_path / "disk.0" / "out"))
    assert experiment is not None
    expected = [0] if ranks == 1 else [0, 1, 2]
    assert len(experiment.locations) == len(expected)
    assert len(experiment.notes.missing) == 3 - len(expected)
    assert any("short.shard" in each for each in experiment.notes.remarks) == (ranks > 1)


def test_the_reason_why_the_gather_by_mpi_fails_is_told(
    preloaded: Record,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    preloaded("+main -main")
    monkeypatch.setenv("MPI4PY_LIBMPI", "/none/libmpi.so")
    facts = RunFacts(["mpirun.openmpi", "-n", "1", "sh"])
    experiment = gather.gather(RunFolder(tmp_path), facts, "mpi")
    assert experiment is not None
    failure = "gathering by MPI failed (RuntimeError: cannot load MPI library): only the data on this machine's disk"
    assert experiment.notes.remarks[0].startswith(failure)


def _changed(shard: Path, **fields: object) -> None:
    """Change values in a shard's header."""
    header = np.memmap(shard, HEADER_LAYOUT, "r+", shape=1)
    for name, value in fields.items():
        header[name] = value


def test_what_may_still_be_written_elsewhere_is_kept(preloaded: Record, tmp_path: Path) -> None:  # noqa: F811
    preloaded("+main +f -f -main")
    folder = RunFolder(tmp_path)
    (shard,) = folder.shard_files()
    _changed(shard, host=b"elsewhere", state=STATES.index("running"))
    for _ in range(2):
        experiment, _ = open_experiment(tmp_path)
        remark = experiment.notes.remarks[0]
        assert remark.startswith("1 of 1 processes may still be running, on elsewhere; these are their data so far")
        assert folder.shard_files() == [shard]
    _changed(shard, state=STATES.index("exited"))
    os.utime(shard, (time.time() + 1,) * 2)
    experiment, _ = open_experiment(tmp_path)
    assert (experiment.notes.remarks, folder.shard_files()) == ((), [])


def test_shards_that_come_while_others_are_merged_are_merged_with_them_later(
    preloaded: Record,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    preloaded("+main -main")
    folder = RunFolder(tmp_path)
    (first,) = folder.shard_files()

    def save_late(experiment: Experiment, folder: Path) -> Path:
        file = save_of_run(experiment, folder)
        preloaded("+main -main")
        return file

    monkeypatch.setattr(gather, "save_of_run", save_late)
    assert len(open_experiment(tmp_path)[0].locations) == 1
    assert first in folder.shard_files()
    monkeypatch.undo()
    for shard in folder.shard_files():
        os.utime(shard, (time.time() + 1,) * 2)
    assert len(open_experiment(tmp_path)[0].locations) == 2
    assert folder.shard_files() == []


def test_more_ranks_than_any_machine_has_are_a_defect(preloaded: Record, tmp_path: Path) -> None:  # noqa: F811
    preloaded("+main -main")
    (shard,) = RunFolder(tmp_path).shard_files()
    _changed(shard, size=1 << 30)
    with pytest.raises(InputError, match="expected a shard with at most 16777216 ranks, found 1073741824"):
        open_experiment(tmp_path)
