"""Which processes leave a shard, and what the shard contains about the process."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from autoanalyzer.runtime.gather.shard_reader import read_shard
from autoanalyzer.runtime.node_folder import node_folders

from .conftest import Record, Visits


def test_a_process_without_regions_leaves_nothing(preloaded: Record) -> None:
    assert preloaded("sleep 1") == []


def test_without_a_folder_for_shards_nothing_is_recorded(plain_program: Path, library: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    environment.pop("AUTOANALYZER_SHARDS", None)
    words = ["+main", "*1000", "+f", "-main", "fork", "+g", "-g", ";"]
    done = subprocess.run([plain_program, *words], env=environment, cwd=tmp_path, capture_output=True, check=True)
    assert (done.stdout, done.stderr, list(tmp_path.iterdir())) == (b"", b"", [])


def test_a_finished_process_says_who_it_was(preloaded: Record, plain_program: Path) -> None:
    (shard,) = preloaded("+main -main", PMI_RANK="7", PMI_SIZE="9")
    assert (shard.state, shard.exit_code, shard.rank, shard.size) == ("exited", 0, 7, 9)
    assert shard.executable == str(plain_program)
    assert shard.path.name.startswith(f"{shard.host}.{shard.pid}.")
    assert shard.cpus == len(os.sched_getaffinity(0))
    assert shard.end is not None
    assert shard.mpi_initialised is shard.mpi_finalising is shard.mpi_finalised is None
    assert shard.pair_cost > 0
    assert shard.throttled_cost > 0


def test_a_killed_process_loses_the_open_interval_alone(record: Record, visits: Visits) -> None:
    (shard,) = record("+main *100000 +r *100000 -r +f spin 20 +g -g spin 20 kill", status=-9)
    assert visits(shard) == {"main": 1, "main/r": 100000, "main/f": 1, "main/f/g": 1}
    thread = shard.threads[0]
    assert (shard.state, shard.end, thread.alive, thread.current) == ("running", None, True, 3)
    assert shard.last >= thread.last > 0.02
    assert thread.nodes["wall"].sum() == pytest.approx(thread.last, rel=1e-9)


def test_a_process_killed_from_outside_can_be_read_like_one_that_still_runs(
    plain_program: Path, library: Path, tmp_path: Path, visits: Visits
) -> None:
    environment = {**os.environ, "LD_PRELOAD": str(library), "AUTOANALYZER_SHARDS": str(tmp_path)}
    words = ["+main", "+f", "-f", "hang"]
    with subprocess.Popen([plain_program, *words], env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        (path,) = tmp_path.iterdir()
        living = visits(read_shard(path))
        process.kill()
    assert living == visits(read_shard(path)) == {"main": 1, "main/f": 1}


def test_a_process_that_leaves_without_cleaning_up_is_still_running(record: Record) -> None:
    (shard,) = record("+main +f -f _exit")
    assert shard.state == "running"


@pytest.mark.parametrize("fork", ["fork", "_Fork"])
def test_a_forked_child_is_a_process_that_goes_on_where_it_was_forked(
    record: Record, visits: Visits, fork: str
) -> None:
    words = f"+main +f {fork} +g -g new 200 -f +k -k -main thread 2 +h -h ; exit ; +g -g -f -main"
    parent, child = sorted(record(words), key=lambda shard: shard.forked_from or 0)
    assert visits(parent) == {"main": 1, "main/f": 1, "main/f/g": 1}
    assert (child.forked_from, child.state) == (parent.pid, "exited")
    forked = visits(child)
    assert len([path for path in forked if "/new_" in path]) == 200
    assert {path: count for path, count in forked.items() if "new_" not in path} == {
        **{"main": 0, "main/f": 0, "main/f/g": 1, "main/k": 1}
    }
    assert visits(child, 1) == {"h": 2}
    for shard in (parent, child):
        tree = shard.threads[0]
        assert (tree.repairs, tree.unmatched, tree.collapsed) == (0, 0, 0)
        assert tree.nodes["wall"].sum() == pytest.approx(tree.last, rel=1e-9)


def test_children_of_children_and_of_threads_go_on_as_well(record: Record, visits: Visits) -> None:
    shards = record("+main parallel 2 +f fork fork +g -g ; +g -g -f ; -f ; -main")
    assert len(shards) == 5
    assert sum(visits(shard)["f/g"] for shard in shards if shard.forked_from) == 4
    assert sum(shard.threads[0].unmatched for shard in shards) == 0


def test_a_late_main_thread_inherits_nothing(record: Record, visits: Visits) -> None:
    shards = record("thread 1 +f fork ; -f ; +main -main")
    assert [visits(shard) for shard in shards] == [{"main": 1}]


def test_a_child_that_enters_no_region_leaves_nothing(record: Record) -> None:
    assert len(record("+main +f fork sleep 1 -f -main ; -f -main")) == 1


def test_deep_recursion_survives_a_fork(record: Record, visits: Visits) -> None:
    parent, child = sorted(
        record("+main *5000 +f +NULL fork +g -g -NULL *5000 -f -main ; -NULL *5000 -f -main"),
        key=lambda shard: shard.forked_from or 0,
    )
    assert visits(parent) == {"main": 1, "main/f": 5000}
    assert visits(child) == {"main": 0, "main/f": 0, "main/f/g": 1}
    assert child.threads[0].unmatched == 0


def test_every_image_of_a_process_has_a_shard_of_its_own(record: Record, visits: Visits) -> None:
    first, second, third = sorted(record("+a fork exec +b -b ; -a exec +c -c"), key=lambda shard: shard.start_realtime)
    assert [visits(shard) for shard in (first, second, third)] == [{"a": 1}, {"b": 1}, {"c": 1}]
    assert first.pid == third.pid != second.pid


def test_the_shard_grows_wherever_the_program_went_and_whatever_it_closed(preloaded: Record, visits: Visits) -> None:
    (shard,) = preloaded("+main chdir closeall new 20000 -main", AUTOANALYZER_SHARDS="shards")
    assert len(visits(shard)) == 20001


@pytest.mark.parametrize("after", ["-f", "=main", "+g"])
def test_errno_is_the_programs_though_no_file_can_be_opened(preloaded: Record, visits: Visits, after: str) -> None:
    (shard,) = preloaded(f"+main deny open +f sleep 200 {after} -main")
    assert visits(shard)["main/f"] == 1


def test_milestones_of_mpi_are_stamped_in_order(linked: Record) -> None:
    (shard,) = linked("initialised +main sleep 1 -main finalising sleep 1 finalised", PMI_RANK="9")
    stamps = [shard.mpi_initialised, shard.mpi_finalising, shard.mpi_finalised, shard.end]
    assert None not in stamps
    assert stamps == sorted(stamps)
    assert (shard.state, shard.rank, shard.size, shard.thread_level) == ("exited", 3, 4, 2)


def test_mpi_that_begins_anew_goes_on_from_its_first_beginning(linked: Record) -> None:
    (once,) = linked("initialised +main sleep 100 finalising finalised -main initialised kill", status=-9)
    assert (once.state, once.mpi_finalising, once.mpi_finalised) == ("running", None, None)
    assert once.mpi_initialised is not None
    assert once.mpi_initialised < once.last - 0.0999  # tolerance for clock rates


@pytest.mark.parametrize(
    ("words", "state"), [("", "running"), ("finalising", "finalizing"), ("finalising finalised", "finalized")]
)
def test_the_state_is_the_last_milestone(linked: Record, words: str, state: str) -> None:
    (shard,) = linked(f"initialised +main -main {words} kill", status=-9)
    assert shard.state == state


def test_an_abort_keeps_its_code(linked: Record) -> None:
    (shard,) = linked("initialised +main aborting exit")
    assert (shard.state, shard.exit_code) == ("aborted", 5)
    assert shard.mpi_finalising is None
    assert shard.end is not None


def test_milestones_without_a_shard_do_nothing(linked: Record) -> None:
    assert linked("finalising finalised aborting") == []


def test_a_folder_that_cannot_be_written_costs_one_line(plain_program: Path, library: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    environment = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "AUTOANALYZER_SHARDS": str(missing),
        "OMPI_COMM_WORLD_RANK": "2",
    }
    words = ["+main", "parallel", "4", "+f", "-f", ";", "new", "100", "-main"]
    done = subprocess.run([plain_program, *words], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr.startswith(f"autoanalyzer: rank 2: cannot create {missing}/")
    assert done.stderr.endswith("No such file or directory; nothing is recorded\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("limit", ["much", "1X", "-5", "12 M"])
def test_a_limit_that_is_no_number_is_named(preloaded: Record, tmp_path: Path, limit: str) -> None:
    assert len(preloaded("+main -main", AUTOANALYZER_MAX_MEMORY=limit)) == 1
    assert f"expected a size, such as 256M, found '{limit}'" in (tmp_path / "stderr").read_text()


@pytest.mark.parametrize("program", ["sh -c true", "ls", "cat /dev/null"])
def test_a_program_that_was_not_instrumented_is_left_alone(library: Path, tmp_path: Path, program: str) -> None:
    environment = {**os.environ, "LD_PRELOAD": str(library), "AUTOANALYZER_SHARDS": str(tmp_path)}
    done = subprocess.run(program.split(), env=environment, cwd=tmp_path, capture_output=True, check=True)
    assert (done.stdout, done.stderr, list(tmp_path.iterdir())) == (b"", b"", [])


def test_a_node_without_the_folder_uses_one_of_its_own(
    plain_program: Path, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    wanted = Path("/none/out/shards")
    variables = {"LD_PRELOAD": str(library), "AUTOANALYZER_SHARDS": str(wanted), "AUTOANALYZER_NODE": "elsewhere"}
    words = [plain_program, "+main", "-main"]
    done = subprocess.run(words, env={**os.environ, **variables}, check=True, capture_output=True)
    assert done.stderr == b""
    folder = node_folders(wanted)[0]
    assert folder.is_relative_to(tmp_path)
    (shard,) = folder.glob("*.shard")
    assert read_shard(shard).threads
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(folder.parent.stat().st_mode) == 0o700


def test_a_folder_that_another_user_may_write_is_none_of_the_node_s_own(
    plain_program: Path, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    wanted = Path("/none/other/shards")
    trap, usual = (each.parent for each in node_folders(wanted))
    trap.mkdir()
    trap.chmod(0o777)
    variables = {"LD_PRELOAD": str(library), "AUTOANALYZER_SHARDS": str(wanted), "AUTOANALYZER_NODE": "elsewhere"}
    subprocess.run([plain_program, "+main", "-main"], env={**os.environ, **variables}, check=True)
    assert [*trap.iterdir()] == []
    for left in (usual / trap_name.name for trap_name in node_folders(wanted)[1:]):
        shutil.rmtree(left, ignore_errors=True)
