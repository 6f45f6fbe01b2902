"""``mpirun autoanalyzer analyze``: an MPI job has bit for bit the same results as one process."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment import Builder, Region, save
from tests.conftest import Tool

DATA = Path(__file__).parents[1] / "data"
RANKS, PATHS = 6_000, 175  # more values than a block has


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write an experiment of more than one block, in which one rank is slow."""
    chance, made = np.random.default_rng(1), Builder()
    for name, parent in (
        ("wall_time", None),
        ("mpi_time", "wall_time"),
        ("cpu_time", None),
        ("mpi_cpu_time", "cpu_time"),
    ):
        made.metric(name, parent=parent)
    main = made.call_path(Region("function", "main", "a.c", "main", 0, 1, 9))
    for rank in range(RANKS):
        made.location(rank, node=f"n{rank // 64}")
    for number in range(1, PATHS):
        path = made.call_path(Region("function", f"f{number}", "a.c", f"f{number}", 0, number, number), main)
        times = (1 + 0.01 * chance.random(RANKS)) / PATHS
        if number == 7:
            times[RANKS - 5] += 9.0
        for metric in ("wall_time", "cpu_time"):
            made.row(metric, path, times)
    file = tmp_path_factory.mktemp("large") / "e.cubex"
    save(made.experiment(), file)
    return file


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_job_finds_what_one_process_finds(large: Path, mpi: tuple[str, str], tool: Tool) -> None:
    alone = tool("autoanalyzer", "analyze", str(large), "--json", "alone.json")
    job = tool(mpi[0], "-n", "3", "autoanalyzer", "analyze", str(large), "--json", "job.json")
    assert (job.returncode, job.stderr) == (0, b"")
    assert "rank 5995" in alone.stdout.decode()
    assert _verdicts(job.stdout) == _verdicts(alone.stdout) == 1
    assert (tool.folder / "job.json").read_bytes() == (tool.folder / "alone.json").read_bytes()


@pytest.mark.by_day(mpi=["mpich"])  # other tests start Open MPI, whose processes have other variables
def test_a_job_has_one_verdict_of_a_small_run_too(mpi: tuple[str, str], tool: Tool) -> None:
    small = tool(mpi[0], "-n", "2", "autoanalyzer", "analyze", str(DATA / "rays.cube.gz"))
    assert (small.returncode, _verdicts(small.stdout)) == (0, 1)


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_job_has_one_line_of_what_is_wrong(mpi: tuple[str, str], tool: Tool) -> None:
    tool.write("wrong.cube", "<cube>")
    wrong = tool(mpi[0], "-n", "2", "autoanalyzer", "analyze", "wrong.cube")
    assert (wrong.returncode, wrong.stderr.count(b"autoanalyzer: ")) == (2, 1)


def test_an_analysis_that_is_refused_ends_its_job(large: Path, tool: Tool) -> None:
    done = tool("mpirun", "-n", "2", "autoanalyzer", "analyze", str(large), "--disparity-metric", "cpi")
    assert done.returncode == 2
    assert done.stderr.count(b"cpi needs counts") == 1


def test_processes_that_are_alone_where_a_launcher_started_several_say_so(large: Path, tool: Tool) -> None:
    several = {"PMI_SIZE": "2", "PMI_RANK": "0", "MPI4PY_MPIABI": "openmpi"}
    done = tool("autoanalyzer", "analyze", str(large), env=several)
    assert done.returncode == 2
    assert b"expected 2 processes in one MPI_COMM_WORLD, found each in its own " in done.stderr


def test_a_job_whose_processes_do_not_all_see_the_file_is_done_by_the_first(large: Path, tool: Tool) -> None:
    (tool.folder / "there").mkdir()
    (tool.folder / "there" / "e.cubex").symlink_to(large)
    script = "test $OMPI_COMM_WORLD_RANK = 0 && cd there; exec autoanalyzer analyze e.cubex"
    done = tool("mpirun", "-n", "2", "sh", "-c", script)
    assert (done.returncode, _verdicts(done.stdout)) == (0, 1), done.stderr
    assert b"process 1 of the job cannot help, so the first process works alone: e.cubex: cannot be read" in done.stderr


def test_a_job_whose_processes_see_other_files_of_the_same_shape_is_done_by_the_first(large: Path, tool: Tool) -> None:
    (tool.folder / "there").mkdir()
    (tool.folder / "there" / "e.cubex").symlink_to(large)
    other = bytearray(large.read_bytes())
    other[len(other) // 2 : len(other) // 2 + 64] = bytes(64)
    (tool.folder / "e.cubex").write_bytes(other)
    script = "test $OMPI_COMM_WORLD_RANK = 0 && cd there; exec autoanalyzer analyze e.cubex"
    done = tool("mpirun", "-n", "2", "sh", "-c", script)
    assert (done.returncode, _verdicts(done.stdout)) == (0, 1), done.stderr
    assert b"on the node of this process, e.cubex is a different file" in done.stderr


def test_one_process_of_a_job_may_analyse_a_small_run_alone(tool: Tool) -> None:
    script = f"test $OMPI_COMM_WORLD_RANK = 0 || exit 0; exec autoanalyzer analyze {DATA / 'rays.cube.gz'}"
    done = tool("mpirun", "-n", "2", "sh", "-c", script)
    assert (done.returncode, _verdicts(done.stdout)) == (0, 1), done.stderr


def test_who_waits_for_the_others_says_so_once_and_goes_on_when_they_come(large: Path, tool: Tool) -> None:
    tool.write("sitecustomize.py", "import autoanalyzer.runtime.mpi.own_job as job\njob._PATIENCE = 0.1\n")
    script = f"""
        test $OMPI_COMM_WORLD_RANK = 0 && exec autoanalyzer analyze {large} 2> said
        until grep -q waits said; do sleep 0.1; done
        PYTHONPATH= exec autoanalyzer analyze {large}"""
    done = tool("mpirun", "-n", "2", "sh", "-c", script, env={"PYTHONPATH": str(tool.folder)})
    assert (done.returncode, _verdicts(done.stdout)) == (0, 1), done.stderr
    assert (tool.folder / "said").read_text() == (
        "autoanalyzer: process 0 of a job waits for the other process to start the same command; "
        "to analyse in one process: autoanalyzer analyze --alone\n"
    )


def test_one_process_of_a_job_may_be_told_to_analyse_alone(large: Path, tool: Tool) -> None:
    script = f"test $OMPI_COMM_WORLD_RANK = 1 || exit 0; exec autoanalyzer analyze --alone {large}"
    done = tool("mpirun", "-n", "2", "sh", "-c", script)
    assert (done.returncode, _verdicts(done.stdout)) == (0, 1), done.stderr


@pytest.mark.parametrize("wrong", [["--bogus"], ["--json", "nowhere/a.json"]])
@pytest.mark.by_day(wrong=[["--bogus"]])
def test_what_is_wrong_with_the_arguments_of_a_job_is_one_line(wrong: list[str], tool: Tool) -> None:
    done = tool("mpirun", "-n", "2", "autoanalyzer", "analyze", str(DATA / "rays.cube.gz"), *wrong)
    assert (done.returncode, done.stderr.count(b"autoanalyzer: ")) == (2, 1)


def test_the_one_line_is_printed_though_the_other_process_ends_first(tool: Tool) -> None:
    """This gives a launcher time to end the whole job when one process fails."""
    script = """
        command="autoanalyzer analyze out --bogus"
        test $OMPI_COMM_WORLD_RANK = 1 && { echo $$ > other; exec $command; }
        until test -s other && ! kill -0 $(cat other); do sleep 0.1; done 2> /dev/null
        sleep 1
        exec $command"""
    done = tool("mpirun", "-n", "2", "sh", "-c", script)
    assert (done.returncode, done.stderr.count(b"autoanalyzer: ")) == (2, 1)


def _verdicts(text: bytes) -> int:
    return len(re.findall(rb"^data: ", text, re.MULTILINE))
