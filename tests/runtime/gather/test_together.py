"""Gathering by several processes has the same result as by one process, bit for bit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Experiment, load
from autoanalyzer.own_modules import own_module_words
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.folder import RunFolder
from autoanalyzer.runtime.gather import gather, mpi_job
from autoanalyzer.runtime.gather.gather import gather_here
from autoanalyzer.runtime.gather.shard_reader import read_shard

from ..probe.conftest import (  # noqa: F401 - fixtures
    Record,
    built_once,
    linked,
    linked_program,
    sanitized_core,
    sanitized_others,
)

# Each process of the job executes this first. All runs are large here, and only rows that are worth it are packed.
SITE = """
import autoanalyzer.experiment.storage as storage
import autoanalyzer.experiment.cube.cubex_writer as writer
storage.LARGE, writer._SMALL = 0, 0
"""
TREES = (
    "+main mpi{ }mpi times 3 +f +g -g -f ; -main",
    "+main +g -g +f +g -g -f -main",
    "+f io 5 -f",
    "io 7 +early -early +main times 40000 +f -f ; +g +h -h -g -main",
    "+main fork times 3 +f -f ; ; +f -f -main",
    "+main times 20000 +f +g -g -f ; -main",
)


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the relative name of a run's folder; jobs treat the run as large."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(SITE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.setattr(mpi_job, "own_module_words", heeding)
    monkeypatch.chdir(tmp_path)
    return Path()


def heeding(module: str) -> list[str]:
    """Return the command that starts Python as for the job, but without ignoring ``PYTHONPATH``."""
    return [word for word in own_module_words(module) if word != "-E"]


# The same for a command.
HEEDING = """
import sys
from autoanalyzer.cli.main import main
from autoanalyzer.runtime.gather import mpi_job
own_module_words = mpi_job.own_module_words
mpi_job.own_module_words = lambda module: [word for word in own_module_words(module) if word != "-E"]
main(sys.argv[1:])
"""


def record(linked: Record, trees: tuple[str, ...] = TREES) -> None:  # noqa: F811
    """Write shards of ranks with one tree, without rank 2, which is missing."""
    for rank, words in enumerate(trees, start=0):
        number = {"PMI_RANK": str(rank + (rank > 1)), "PMI_SIZE": str(len(trees) + 1)}
        linked(words, AUTOANALYZER_MAX_OVERHEAD="0.001%", **number)


def assert_same(one: Experiment, other: Experiment) -> None:
    assert one.metrics == other.metrics
    assert one.call_paths == other.call_paths
    assert one.locations == other.locations
    assert one.topologies == other.topologies
    assert one.notes == other.notes
    for metric in one.metrics:
        assert one.exclusive(metric.name).tobytes() == other.exclusive(metric.name).tobytes(), metric.name


@pytest.mark.parametrize("processes", [1, 3, 4])
@pytest.mark.by_day(mpi=["openmpi"], processes=[3])
def test_several_processes_gather_what_one_does(
    processes: int,
    mpi: tuple[str, str],
    large: Path,
    linked: Record,  # noqa: F811
) -> None:
    """Both report the corrupt, the truncated and the missing shard in the same way; all other data are the same."""
    record(linked)
    folder = RunFolder(large)
    corrupt, short = folder.shard_files()[0], folder.shards / "short.1.2.shard"
    short.write_bytes(corrupt.read_bytes()[:100])
    with corrupt.open("r+b") as stream:
        stream.seek(8)
        stream.write(b"\xff")
    shutil.copytree(folder.shards, large / "kept")
    alone = gather_here(folder)
    assert alone is not None
    assert alone.notes.missing
    assert [each.partition(":")[0] for each in alone.notes.remarks[:2]] == sorted([str(corrupt), str(short)])
    shutil.rmtree(folder.shards)
    (large / "kept").rename(folder.shards)
    folder.small_experiment.write_text("of an earlier run")
    launcher, _ = mpi
    found = gather.gather(folder, RunFacts(), "mpi", launched_by=[launcher, "-n", str(processes), "sh"])
    assert found is not None
    assert folder.experiment == folder.large_experiment
    assert_same(found, alone)
    assert sorted(each.name for each in large.iterdir()) == ["experiment.cubex", "shards", "site", "stderr", "stdout"]
    assert {corrupt, short} <= set(folder.shard_files())


# The limit starts with the first file that is written, because MPI has larger files of its own.
LIMITED = """
import resource, sys
def limit(event, arguments):
    if event == "open" and ".cubex" in str(arguments[0]):
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
sys.addaudithook(limit)
"""


def test_a_job_that_fails_leaves_all_as_it_was(
    large: Path,
    linked: Record,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A limit on file sizes simulates a full disk."""
    record(linked, TREES[:2])
    folder = RunFolder(large)
    before = [file.read_bytes() for file in folder.shard_files()]
    (large / "site" / "sitecustomize.py").write_text(SITE + LIMITED)
    monkeypatch.setattr(gather, "_merge", lambda *_, **__: None)
    job = mpi_job.run_mpi_job(folder, ["mpirun.openmpi", "-n", "2", "sh"], merge=True, few=False)
    assert job.failure.endswith("experiment.cubex: cannot be written: File too large")
    assert not job.merged
    assert sorted(each.name for each in large.iterdir()) == ["shards", "site", "stderr", "stdout"]
    assert [file.read_bytes() for file in folder.shard_files()] == before


DYING = """
import errno, os
def fsync(place):
    raise OSError(errno.EIO, os.strerror(errno.EIO))
os.fsync = fsync
"""


def test_shards_stay_where_what_was_made_of_them_does_not_reach_the_disk(
    large: Path,
    linked: Record,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record(linked, TREES[:2])
    folder = RunFolder(large)
    before = folder.shard_files()
    (large / "site" / "sitecustomize.py").write_text(SITE + DYING)
    job = mpi_job.run_mpi_job(folder, ["mpirun.openmpi", "-n", "2", "sh"], merge=True, few=False)
    assert job.failure.endswith(": cannot be written: Input/output error")
    assert folder.shard_files() == before
    monkeypatch.setattr(os, "fsync", os.fsync)
    exec(DYING, {})
    with pytest.raises(InputError, match="cannot be written: Input/output error"):
        gather_here(folder)
    assert folder.shard_files() == before


def test_what_still_runs_of_another_program_of_the_job_keeps_its_shard(
    large: Path,
    linked: Record,  # noqa: F811
    linked_program: Path,  # noqa: F811
) -> None:
    record(linked, TREES[:2])
    folder = RunFolder(large)
    shutil.copy(linked_program, "other")
    more = {"AUTOANALYZER_SHARDS": str(folder.shards.resolve()), "PMI_RANK": "3", "PMI_SIZE": "3"}
    with subprocess.Popen(["./other", "+main", "+f", "sleep", "600000"], env={**os.environ, **more}) as other:
        try:
            while len(folder.shard_files()) < 3 or not all(map(_is_readable, folder.shard_files())):
                time.sleep(0.05)
            found = gather.gather(folder, RunFacts(), "mpi", launched_by=["mpirun.openmpi", "-n", "2", "sh"])
        finally:
            other.kill()
    assert found is not None
    assert any(f"process {other.pid}, is still running" in each for each in found.notes.remarks), found.notes.remarks
    assert len(folder.shard_files()) == 3


def _is_readable(shard: Path) -> bool:
    with suppress(InputError):
        return bool(read_shard(shard).regions)
    return False


def test_time_lines_are_brought_home(large: Path, linked: Record) -> None:  # noqa: F811
    for rank in range(2):
        words = "+main times 5 +f spin 3 -f ; -main"
        linked(words, PMI_RANK=str(rank), PMI_SIZE="2", AUTOANALYZER_TRACE="0.001")
    found = gather.gather(RunFolder(large), RunFacts(), "mpi", launched_by=["mpirun.openmpi", "-n", "2", "sh"])
    assert found is not None
    assert RunFolder(large).trace.exists()
    assert RunFolder(large).experiment.name == "experiment.cube"
    assert len(found.locations) == 2


def test_what_is_read_back_of_a_large_run_is_what_was_gathered(
    large: Path,
    linked: Record,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record(linked)
    folder = RunFolder(large)
    shutil.copytree(folder.shards, large / "kept")
    small = gather_here(folder)
    assert folder.experiment == folder.small_experiment
    (large / "kept").rename(folder.shards)
    monkeypatch.setattr("autoanalyzer.experiment.storage.LARGE", 0)
    found = gather_here(folder)
    assert folder.experiment == folder.large_experiment
    assert not folder.small_experiment.exists()
    assert small is not None
    assert found is not None
    assert_same(found, small)
    assert_same(load(large), small)


def test_a_job_is_started_for_many_shards_if_there_are_a_launcher_and_processors(
    large: Path,
    linked: Record,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record(linked, TREES[:2])
    folder, command = RunFolder(large), ["mpirun.openmpi", "-n", "2", "sh"]
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2, 3})
    used = sum(file.stat().st_blocks for file in folder.shard_files()) * 512
    for worth, expected in ((used, True), (used + 1, False)):
        monkeypatch.setattr(gather, "_WORTH_A_JOB", worth)
        assert gather._is_worth_a_job(folder, command) is expected
    monkeypatch.setattr(gather, "_WORTH_A_JOB", 0)
    assert not gather._is_worth_a_job(folder, ["sh"])
    assert not gather._is_worth_a_job(folder, [])
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    assert not gather._is_worth_a_job(folder, command)


SHARDS = [Path(f"node{rank // 64}.{rank}.{rank:x}.shard") for rank in range(256)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["srun", "-N", "4", "-n", "256"],
            ["srun", "-N", "4", "-n", "256", "-N", "4", "-n", "8", "--ntasks-per-node=2"],
        ),
        (["mpirun", "-np", "256", "--map-by", "slot"], ["mpirun", "-np", "8", "--map-by", "slot"]),
        (["mpirun", "-n", "4"], ["mpirun", "-n", "4"]),
        (["mpirun"], ["mpirun"]),
        (["mpirun", "-n", "128", "a", ":", "-n", "128"], ["mpirun", "-n", "128", "a", ":", "-n", "128"]),
    ],
)
def test_few_processes_are_started_where_there_were_many(
    words: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    assert mpi_job.few_processes(words, words[0], SHARDS) == expected
    assert mpi_job.few_processes(words, words[0], SHARDS[:2]) == words


def test_values_of_more_than_a_quarter_of_a_gigabyte_go_to_a_file(
    large: Path,
    linked: Record,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record(linked)
    folder = RunFolder(large)
    shutil.copytree(folder.shards, large / "kept")
    in_memory = gather_here(folder)
    (large / "kept").rename(folder.shards)
    monkeypatch.setattr("autoanalyzer.runtime.gather.spill._IN_MEMORY", 100)
    in_a_file = gather_here(folder)
    assert in_memory is not None
    assert in_a_file is not None
    assert_same(in_memory, in_a_file)
    assert np.isfinite(in_a_file.exclusive("wall_time")).all()


def test_a_full_folder_of_temporary_files_is_said(
    large: Path,
    linked: Record,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record(linked, TREES[:1])
    monkeypatch.setattr("autoanalyzer.runtime.gather.spill._IN_MEMORY", 0)
    monkeypatch.setattr("tempfile.TemporaryFile", partial(Path.open, Path("/dev/full"), "r+b"))
    with pytest.raises(InputError, match="set TMPDIR to a folder with enough space"):
        gather_here(RunFolder(large))
    assert RunFolder(large).shard_files()


@pytest.mark.parametrize("ranks", [3, pytest.param(5, marks=pytest.mark.nightly)])
def test_shards_on_disks_that_not_all_see_are_merged_where_they_are(
    ranks: int,
    large: Path,
    linked: Record,  # noqa: F811
) -> None:
    """Folders simulate the disks of two nodes; the second one has a truncated shard, which is moved to the first."""
    record(linked)
    shards = RunFolder(large).shard_files()
    for number, shard in enumerate(shards):
        folder = large / f"disk.{min(number // 3, 1)}" / "out" / "shards"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(shard, folder)
    late = shards[0].read_bytes()
    alone = gather_here(RunFolder(large))
    homes = [RunFolder(large / f"disk.{number}" / "out") for number in range(2)]
    (homes[1].shards / "short.1.2.shard").write_bytes(b"AASHARD")
    (homes[0].shards / "home").write_text("here")
    job = f"exec {sys.executable} -W ignore -m autoanalyzer.runtime.gather '' out/shards here .temporary out/shards"
    script = f"test $OMPI_COMM_WORLD_RANK -lt {ranks // 2} && cd disk.0 || cd disk.1; {job}"
    words = ["mpirun.openmpi", "-n", str(ranks), "sh", "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 'autoanalyzer-gathered {"keep": true}' in done.stdout
    found = load(homes[0].path)
    assert done.stdout.count("autoanalyzer-at-work\n") >= len(found.metrics)
    assert alone is not None
    assert found.locations == alone.locations
    for metric in found.metrics:
        assert found.exclusive(metric.name).tobytes() == alone.exclusive(metric.name).tobytes(), metric.name
    assert "out/shards/short.1.2.shard: expected" in found.notes.remarks[0]
    assert not homes[1].path.exists()
    assert {file.name for file in homes[0].shard_files()} == {"short.1.2.shard"}
    assert not homes[0].has_later_shards(), "what is left is no later run, which would replace all this"
    (homes[0].shards / "late.1.2.shard").write_bytes(late)  # like a shard that a disk shows late
    with pytest.warns(UserWarning, match="from the same or an earlier run, contain the data of only 1; the file"):
        assert gather_here(homes[0]).locations == alone.locations
    assert load(homes[0].path).locations == alone.locations


@pytest.mark.usefixtures("signals_heard")
def test_an_interrupted_job_leaves_the_shards_and_nothing_else(
    large: Path,
    linked: Record,  # noqa: F811
) -> None:
    """Before they do anything, the job's processes wait for longer than the test."""
    record(linked, TREES[:2])
    before = RunFolder(large).shard_files()
    wait = "import sys, time\nif 'autoanalyzer.runtime.gather' in sys.orig_argv:\n    time.sleep(1000)\n"
    (large / "site" / "sitecustomize.py").write_text(wait)
    words = [sys.executable, "-c", HEEDING, "gather", ".", "--", "mpirun.openmpi", "-n", "2", "sh"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, start_new_session=True) as job:
        while not (large / "shards" / "home").exists():
            time.sleep(0.05)
        os.kill(job.pid, signal.SIGINT)
        job.communicate()
    assert job.returncode == 130
    assert sorted(each.name for each in large.iterdir()) == ["shards", "site", "stderr", "stdout"]
    assert RunFolder(large).shard_files() == before
    assert not (large / "shards" / "home").exists()
