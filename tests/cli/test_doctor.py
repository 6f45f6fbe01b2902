"""``autoanalyzer doctor`` is right about this machine, about machines that lack something, and about old files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autoanalyzer.doctor import installation
from autoanalyzer.doctor.bench import bench, on_this_machine, reason_of
from autoanalyzer.doctor.caches import cache_findings
from autoanalyzer.doctor.families import Family, Launcher
from autoanalyzer.doctor.finding import Finding, Outcome
from autoanalyzer.doctor.launchers import launcher_finding
from autoanalyzer.doctor.mpi import CTrial, as_in_c
from autoanalyzer.doctor.nodes import Examined
from autoanalyzer.doctor.tasks import EXCHANGE, Answer, Meeting, Task, is_launched, this_task
from autoanalyzer.doctor.world import World
from autoanalyzer.runtime.node_folder import key_of
from autoanalyzer.temporary_folder import owned_prefix
from autoanalyzer.view.examination import print_examination

from ..conftest import BIN, Tool
from .conftest import refused

BROKEN = "error while loading shared libraries: libopen-pal.so.40: cannot open shared object file"
OPEN_MPI = r"mpi(cc|cxx|c\+\+|CC|f77|f90|fort|run|exec)(\.openmpi)?|orte.*|prte.*|mpic\+\+\.openmpi"
MPICH = r"mpi.*\.mpich|mpiexec\.hydra"
VALGRIND, FORTRAN, SLURM = "valgrind", ".*gfortran.*", "srun"


def path_without(folder: Path, *hidden: str) -> Path:
    """Return a folder for ``PATH`` that links to all programs except those with the given names."""
    folder.mkdir()
    names = re.compile("|".join(hidden))
    for place in (str(BIN), *os.environ["PATH"].split(":")):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            link = folder / program.name
            if not names.fullmatch(program.name) and not os.path.lexists(link):
                link.symlink_to(program)
    return folder


def break_program(path: Path) -> None:
    path.write_text(f'#!/bin/sh\necho "{path.name}: {BROKEN}" >&2\nexit 127\n')
    path.chmod(0o755)


def examined(tool: Tool, path: Path | None, status: int) -> dict[str, Finding]:
    """Return the findings of doctor by area and name, with only this ``PATH``."""
    own = {"PATH": str(path)} if path else {}
    done = tool("autoanalyzer", "doctor", "--json", env=own)
    assert done.returncode == status, done.stdout.decode() + done.stderr.decode()
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["schema"] == "autoanalyzer.doctor/1"
    assert document["works"] is (status == 0)
    (node,) = document["nodes"]
    assert node["node"] == os.uname().nodename
    findings = [Finding.read(each) for each in node["findings"]]
    return {f"{each.area}: {each.name}": each for each in findings}


def outcomes(findings: dict[str, Finding], *names: str) -> Sequence[str]:
    return [findings[name].outcome for name in names]


@pytest.mark.nightly
def test_with_mpich_alone_without_valgrind_and_fortran(tool: Tool, tmp_path: Path) -> None:
    found = examined(tool, path_without(tmp_path / "bin", OPEN_MPI, VALGRIND, FORTRAN, SLURM), 0)
    mpich = "MPI of mpicc.mpich"
    assert {each.area for each in found.values() if each.area.startswith("MPI")} == {"MPI of mpicc", mpich}
    assert found["MPI of mpicc: C, mpicc"].outcome == "not here"
    assert found["MPI of mpicc: C, mpicc"].advice.startswith("export AUTOANALYZER_CC=mpicc.mpich ")
    works = [f"{mpich}: {name}" for name in ("C, mpicc.mpich", "C++, mpicxx.mpich", "gather by MPI")]
    assert outcomes(found, *works, "OpenMP: mpicc.mpich -fopenmp", "launchers: mpirun.mpich") == ["works"] * 5
    assert re.match(
        r"MPICH [\d.]+, gcc [\d.]+: built with probes, and measured with mpirun.mpich -n 2", found[works[0]].found
    )
    fortran = found[f"{mpich}: Fortran, mpifort.mpich"]
    assert (fortran.outcome, fortran.found) == ("not here", "mpifort.mpich calls gfortran, which is not on PATH")
    assert (found["counts: simulated"].outcome, found["counts: simulated"].found) == (
        "not here",
        "valgrind is not on PATH",
    )
    assert "launchers: srun" not in found
    assert [each.area for each in found.values() if each.essential] == [mpich]
    assert "fails" not in {each.outcome for each in found.values()}


def test_of_a_broken_compiler_its_own_words(tool: Tool, tmp_path: Path) -> None:
    path = path_without(tmp_path / "bin", OPEN_MPI, MPICH, VALGRIND, "cc")
    break_program(path / "mpicc")
    broken = examined(tool, path, 1)["MPI of mpicc: C, mpicc"]
    assert (broken.outcome, broken.found) == ("fails", f"cannot build: mpicc: {BROKEN}")


@pytest.mark.long
@pytest.mark.nightly
def test_of_a_broken_compiler_what_works_in_its_place(tool: Tool, tmp_path: Path) -> None:
    path = path_without(tmp_path / "bin", OPEN_MPI, VALGRIND, FORTRAN, "mpicxx.mpich")
    break_program(path / "mpicc")
    found = examined(tool, path, 1)
    broken = found["MPI of mpicc: C, mpicc"]
    assert "AUTOANALYZER_CC=mpicc.mpich" in broken.advice
    assert broken.essential
    assert found["MPI of mpicc.mpich: C, mpicc.mpich"].outcome == "works"
    assert found["MPI of mpicc.mpich: C++, mpicxx.mpich"].outcome == "not here"


@pytest.mark.long
@pytest.mark.nightly  # by day: launchers that are missing or belong to another MPI
def test_a_broken_launcher_and_none_that_could_take_its_place(tool: Tool, tmp_path: Path) -> None:
    path = path_without(tmp_path / "bin", OPEN_MPI, MPICH, VALGRIND, FORTRAN)
    (path / "mpicc").symlink_to("/usr/bin/mpicc.mpich")
    break_program(path / "mpirun")
    found = examined(tool, path, 1)
    c = found["MPI of mpicc: C, mpicc"]
    assert c.outcome == "fails"
    assert c.found.endswith(f"built with probes; mpirun -n 2: mpirun: {BROKEN}")
    launcher = found["launchers: mpirun"]
    assert (launcher.outcome, launcher.found) == ("fails", f"mpirun: {BROKEN}")
    assert found["counts: counters"].outcome == "not tried"


def test_of_all_that_a_failed_trial_said_the_line_that_says_why() -> None:
    said = """autoanalyzer: building the counting tool for /usr/bin/valgrind
autoanalyzer: counting run in /tmp/d/c; it usually takes 3 s: 3 s to start, plus 5 to 20 times the program's 5.7e-05 s
autoanalyzer: the counting run ended with exit status 1, so there are no counts; see /tmp/d/c.log (valgrind: Fatal)
autoanalyzer: data simulated/experiment.cube
autoanalyzer: counting run: 15 s so far
"""
    assert reason_of(said) == "the counting run ended with exit status 1, so there are no counts (valgrind: Fatal)"
    assert reason_of(f"{'*' * 58}\nOpen MPI does not support recursive calls of mpirun\n{'*' * 58}\n").startswith(
        "Open"
    )


def test_a_trial_measures_no_prices_beside_others() -> None:
    with bench(on_node_of_job=False) as made:
        assert made.environment["AUTOANALYZER_CALIBRATE"] == "off"


@pytest.mark.parametrize(
    ("wanted", "problem", "outcome", "found"),
    [
        ("", "", Outcome.WORKS, "libclang"),
        ("pycparser", "", Outcome.WORKS, "pycparser"),
        (
            "pycparser",
            "no such file",
            Outcome.NOTE,
            "pycparser; C++ is compiled unchanged, because libclang cannot be loaded: ",
        ),
        ("libclang", "no such file", Outcome.FAILS, "libclang; "),
        ("gcc", "", Outcome.FAILS, "AUTOANALYZER_C_READER: expected libclang or pycparser, found 'gcc'"),
    ],
)
def test_which_parser_reads_c_is_said(
    monkeypatch: pytest.MonkeyPatch, wanted: str, problem: str, outcome: Outcome, found: str
) -> None:
    monkeypatch.setenv("AUTOANALYZER_C_READER", wanted)
    monkeypatch.setattr(installation, "why_no_libclang", lambda: problem)
    (finding,) = (each for each in installation.installation_findings() if each.name == "reader of C")
    assert finding.outcome is outcome
    assert finding.found.startswith(found)


def test_root_is_told_which_variables_a_launcher_wants() -> None:
    refusal = "mpirun has detected an attempt to run as root."
    for name, variable in (("mpirun", "OMPI"), ("prterun", "PRTE")):
        found = launcher_finding(Launcher((name, "-n", "2"), name), {"mpicc": refusal}, {})
        assert found.advice.startswith(f"export {variable}_ALLOW_RUN_AS_ROOT=1 {variable}_ALLOW_RUN_AS_ROOT_CONFIRM=1")


def test_without_mpi_nothing_is_ready_and_openmp_is_tried(tool: Tool, tmp_path: Path) -> None:
    path = path_without(tmp_path / "bin", OPEN_MPI, MPICH, VALGRIND)
    done = tool("autoanalyzer", "doctor", env={"PATH": str(path)})
    assert done.returncode == 1
    lines = done.stdout.decode().splitlines()
    assert lines[-1].startswith("not ready: MPI of mpicc: ")
    assert any(re.match(r"  C, mpicc +fails +aa-mpicc calls mpicc, which is not on PATH$", line) for line in lines)
    assert any(re.match(r"  cc -fopenmp +works ", line) for line in lines)
    assert not any(line.endswith(" ") for line in lines)


@pytest.mark.long
@pytest.mark.parametrize("hidden", [rf"{MPICH}|mpicxx", pytest.param("", marks=pytest.mark.nightly)])
def test_this_machine_has_all_that_tests_need(tool: Tool, tmp_path: Path, hidden: str) -> None:
    found = examined(tool, path_without(tmp_path / "bin", hidden), 0)
    both = (("mpicc", "mpirun"), ("mpicc.mpich", "mpirun.mpich"))
    for c, launcher in both[:1] if hidden else both:
        fortran = ("Fortran, mpif.h", "Fortran, use mpi", "Fortran, use mpi_f08")
        names = [f"MPI of {c}: {name}" for name in (f"C, {c}", *fortran, "gather by MPI")]
        assert outcomes(found, *names) == ["works"] * len(names)
        assert found[f"launchers: {launcher}"].outcome == "works"
    assert found["counts: simulated"].outcome == "works"
    if not hidden:
        assert "as 2 processes, each rank 0 of 1" in found["launchers: mpirun"].found
        assert "mpirun.mpich for programs built with mpicc.mpich" in found["launchers: mpirun"].advice
    assert found["clocks: CPU time"].found in {"by rseq", "by perf-lock", "by syscall"}


@pytest.mark.long
@pytest.mark.nightly  # by day, tests cover its parts: which launcher starts which program, and messages given once
@pytest.mark.parametrize("hidden", ["mpicxx.*", "mpicxx.mpich"])
def test_the_launcher_of_another_mpi(tool: Tool, tmp_path: Path, hidden: str) -> None:
    path = path_without(tmp_path / "bin", "mpirun|mpiexec", VALGRIND, FORTRAN, hidden)
    (path / "mpirun").symlink_to("/usr/bin/mpirun.mpich")
    found = examined(tool, path, 1)
    stranger = "2 processes, each rank 0 of 1: the launcher belongs to another MPI library"
    assert stranger in found["MPI of mpicc: C, mpicc"].found
    assert found["MPI of mpicc: C, mpicc"].advice.startswith("start programs of this MPI library with mpirun.openmpi")
    if hidden == "mpicxx.mpich":
        assert found["MPI of mpicc: C++, mpicxx"].found.endswith("built with probes; fails to run, like the C program")
    assert found["MPI of mpicc.mpich: C, mpicc.mpich"].outcome == "works"
    launcher = found["launchers: mpirun"]
    assert launcher.found.endswith(
        "starts programs built with mpicc.mpich; starts programs built with mpicc as 2 processes, each rank 0 of 1"
    )
    assert launcher.advice == "use mpirun.openmpi for programs built with mpicc"


def test_why_programs_do_not_run_is_said_once() -> None:
    family = Family(("mpicc",), ("mpicxx",), ("mpifort",), None, "mpirun", is_usual=True)
    in_c = Finding("MPI", "C, mpicc", Outcome.FAILS, "gcc 12: built with probes; mpirun -n 2: broken", "reinstall")
    cxx = replace(in_c, name="C++, mpicxx", found="g++ 12: built with probes; mpirun -n 2: broken")
    said = replace(cxx, found="g++ 12: built with probes; fails to run, like the C program", advice="")
    assert as_in_c(cxx, CTrial(family, in_c)) == said
    own = replace(cxx, found="g++ 12: built with probes; mpirun -n 2: otherwise")
    assert as_in_c(own, CTrial(family, in_c)) == own
    unbuilt = replace(cxx, found="cannot build: broken")
    assert as_in_c(unbuilt, CTrial(family, replace(in_c, found=unbuilt.found))) == unbuilt
    works = replace(in_c, outcome=Outcome.WORKS)
    assert as_in_c(cxx, CTrial(family, works)) == cxx
    stranger = replace(cxx, found="g++ 12: built with probes; mpirun -n 2: 2 processes, each rank 0 of 1")
    advice = "AUTOANALYZER_CXX and AUTOANALYZER_FC must name compilers of the same MPI library as mpicc"
    assert as_in_c(stranger, CTrial(family, works)).advice == advice


def test_data_need_clean(tool: Tool) -> None:
    assert "--data needs --clean" in refused(tool("autoanalyzer", "doctor", "--data"))


def test_what_is_wrong_with_a_folder_is_told_apart(tool: Tool) -> None:
    (tool.folder / "closed").mkdir(mode=0o555)
    (tool.folder / "disk").mkdir()
    tool.write("file", "")
    look = (
        "from pathlib import Path; from autoanalyzer.doctor.disk import refuses_programs, write_defect;"
        " print(*(write_defect(Path(name)) for name in {}), refuses_programs(Path('disk')), sep=chr(10))"
    )
    own = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    done = tool(*own, sys.executable, "-c", look.format(["none", "file", "closed", "disk"]))
    assert done.stdout.decode().splitlines() == [
        "does not exist",
        "is not a folder",
        "you have no permission to write there",
        "",
        "False",
    ], done.stderr
    namespace = ("unshare", "--mount", "--map-root-user", "sh", "-c")
    mount = "mount -t tmpfs -o size=512k,noexec none disk"
    if tool(*namespace, mount).returncode:
        pytest.xfail("a file system cannot be mounted here")
    python = f'{sys.executable} -c "{look.format(["disk"])}"'
    done = tool(*namespace, f"{mount}; {python}; mount -o remount,ro disk; {python}")
    found = ["no space is left", "True", "the file system is read-only", "True"]
    assert done.stdout.decode().splitlines() == found, done.stderr


def test_who_can_put_there_what_is_loaded_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOANALYZER_CACHE", str(tmp_path))
    (tmp_path / "probe-1").mkdir(mode=0o755)
    assert [each.name for each in cache_findings("folders")] == ["cache"]
    (tmp_path / "probe-1").chmod(0o777)
    cache, trust = cache_findings("folders")
    assert (cache.outcome, trust.outcome) == ("works", "fails")
    assert trust.found == f"{tmp_path}/probe-1: can be written by every user, so it is not loaded"
    if os.geteuid() == 0:  # who can give a folder away
        (tmp_path / "probe-1").rmdir()
        tmp_path.chmod(0o775)
        os.chown(tmp_path, 12345, 54321)
        _, trust = cache_findings("folders")
        assert trust.found == f"{tmp_path}: belongs to 12345, and the group 54321 can write there"


def test_a_directory_that_was_removed_is_told_at_once(tool: Tool) -> None:
    done = tool("sh", "-c", "mkdir gone; cd gone; rmdir ../gone; autoanalyzer doctor")
    assert (done.returncode, done.stdout) == (2, b"")
    said = done.stderr.decode().splitlines()  # the shell may print a message first
    assert said[-1] == "autoanalyzer: the current directory has been removed: cd to one that exists"


# ---- several nodes


def test_what_nodes_have_in_common_stands_once_and_what_differs_with_their_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    same = Finding("limits", "processors", Outcome.NOTE, "2 of 2 can be used")
    valgrind = Finding("counts", "simulated", Outcome.WORKS, "counted")
    lacking = Finding("counts", "simulated", Outcome.ABSENT, "valgrind is not on PATH", "install valgrind")
    nodes = {"a": [valgrind, same], "b": [valgrind, same], "c": [lacking, same]}
    print_examination(Examined(nodes, (Finding("nodes", "home", Outcome.WORKS, "/home: all 3 nodes see this folder"),)))
    rows = [re.split(r" {2,}", line.strip()) for line in capsys.readouterr().out.splitlines() if line]
    assert rows[1:] == [
        ["nodes"],
        ["home", "works", "/home: all 3 nodes see this folder"],
        ["counts"],
        ["simulated", "works", "on a, b: counted"],
        ["simulated", "not here", "on c: valgrind is not on PATH"],
        ["→ install valgrind"],
        ["limits"],
        ["processors", "note", "2 of 2 can be used"],
    ]


@pytest.mark.parametrize("launcher", ["mpirun.mpich", "mpirun.openmpi"])
@pytest.mark.by_day(launcher=["mpirun.mpich"])
def test_the_processes_of_a_launcher_are_one_doctor(tool: Tool, launcher: str) -> None:
    """This includes MPICH, which gives its jobs no name."""
    done = tool(launcher, "-n", "2", "autoanalyzer", "doctor", "--clean", "--json")
    assert done.returncode == 0, done.stderr.decode()
    (node,) = json.loads(done.stdout)["nodes"]
    assert node["node"] == os.uname().nodename
    assert list(tool.folder.glob(f"{EXCHANGE}*")) == []


@pytest.mark.parametrize(("load", "seconds"), [(0.5, 60.0), (2.0, 60.0), (30.0, 900.0)])
def test_a_program_has_longer_on_a_busy_machine(load: float, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 1.0, 1.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert on_this_machine(60.0) == seconds


def test_a_launcher_comes_before_that_of_its_daemons() -> None:
    daemon = {"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2", "SLURM_LOCALID": "0", "SLURM_JOB_ID": "7"}
    daemon["SLURM_CLUSTER_NAME"] = "hill"
    step = this_task({**daemon, "SLURM_STEP_ID": "3"})
    assert step == Task(1, 2, 0, "hill.7.3")
    pmi2 = this_task({**daemon, "SLURM_STEP_ID": "3", "PMI_RANK": "1", "PMI_SIZE": "2"})  # Slurm's own
    assert pmi2 == step
    hydra = this_task({**daemon, "PMI_RANK": "3", "PMI_SIZE": "4", "MPI_LOCALRANKID": "1"})
    assert hydra
    assert (hydra.rank, hydra.size, hydra.local_rank, hydra.by_open_mpi) == (3, 4, 1, False)
    ranks = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "1"}
    assert this_task({**daemon, **ranks, "PMIX_NAMESPACE": "7"}) == Task(1, 2, 1, "7", by_open_mpi=True)
    alone = {"PMI_RANK": "0", "PMI_SIZE": "1", "MPI_LOCALRANKID": "0"}
    assert this_task({**daemon, **alone}) is None
    assert is_launched(alone)
    assert not is_launched({"SLURM_JOB_ID": "7"})


def test_where_processes_meet_strangers_are_no_processes_and_no_home_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("AUTOANALYZER_CACHE", str(home / "cache"))
    (tmp_path / f"{EXCHANGE}job" / "task-x").mkdir(parents=True)
    first, second = (Meeting(Task(rank, 2, rank, "job")) for rank in (0, 1))
    assert second.brought_together(Answer(1, "b", tests=True), World(), max) == []
    answers = first.brought_together(Answer(0, "a", tests=True), World(), max)
    assert [(each.rank, each.sees) for each in answers or []] == [
        (rank, {"working directory": True}) for rank in (0, 1)
    ]
    assert not home.exists()
    assert list(tmp_path.iterdir()) == []


# ---- files of old runs


def old(path: Path, seconds: float) -> None:
    for each in [*path.rglob("*"), path]:
        os.utime(each, (time.time() - seconds,) * 2)


class Leftovers:
    """Runs ``doctor --clean`` where it can find only the test's own files."""

    def __init__(self, tool: Tool, folder: Path) -> None:
        self.tool = tool
        self.temporary = folder / "tmp"
        self.cache = folder / "cache" / "autoanalyzer"
        self.where = {"AUTOANALYZER_CACHE": str(self.cache)}
        self.own = self.temporary / f"autoanalyzer-{os.geteuid()}"
        for each in (self.own, self.cache):
            each.mkdir(parents=True)

    def clean(self, *options: str) -> dict[str, tuple[bool, str]]:
        """Return for each leftover file name whether the file was removed, and what was reported about it."""
        own = {"TMPDIR": str(self.temporary), **self.where}
        done = self.tool("autoanalyzer", "doctor", "--clean", "--json", *options, env=own)
        assert done.returncode == 0, done.stderr.decode()
        document = json.loads(done.stdout)
        assert document["schema"] == "autoanalyzer.leftovers/1"
        found = {Path(each["path"]): each for node in document["nodes"] for each in node["leftovers"]}
        ours = {path: each for path, each in found.items() if path.is_relative_to(self.tool.folder)}
        for path, each in ours.items():
            assert path.exists() is not each["gone"]
        return {path.name: (each["gone"], f"{each['what']}; {each['kept']}") for path, each in ours.items()}

    def shards(self, run: str) -> Path:
        """Create what a node keeps of a run whose folder it cannot access; return the folder."""
        folder = self.own / f"{key_of(Path(run)):016x}"
        folder.mkdir()
        (folder / "node.1.shard").write_bytes(b"x" * 5000)
        return folder


@pytest.fixture
def leftovers(tool: Tool, tmp_path: Path) -> Leftovers:
    return Leftovers(tool, tmp_path)


def test_data_that_were_never_gathered_stay_until_that_is_asked(leftovers: Leftovers) -> None:
    folder = leftovers.shards("/home/me/out/shards")
    old(folder, 7200)
    gone, said = leftovers.clean()[folder.name]
    assert not gone
    assert said.startswith("data of 1 process, never gathered; to collect these data, use autoanalyzer gather")
    assert leftovers.clean("--data")[folder.name] == (True, "data of 1 process, never gathered; ")
    assert not leftovers.own.exists()


def test_data_of_a_running_job_stay_even_if_asked(leftovers: Leftovers) -> None:
    fresh, used = leftovers.shards("/fresh/shards"), leftovers.shards("/used/shards")
    old(used, 7200)
    environment = {**os.environ, "AUTOANALYZER_SHARDS": "/used/shards"}
    with subprocess.Popen(["sleep", "1000"], env=environment) as process:
        found = leftovers.clean("--data")
        process.kill()
    assert found[fresh.name] == (False, "data of 1 process, never gathered; written less than an hour ago")
    assert found[used.name] == (False, "data of 1 process, never gathered; a process still records data in this folder")


def test_temporary_folders_go_with_their_processes(leftovers: Leftovers) -> None:
    code = "from autoanalyzer.temporary_folder import owned_prefix; print(owned_prefix('counting'))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    mine = f"{owned_prefix('compile')}abc"
    elsewhere = f"autoanalyzer-counting-{os.getpid()}-other-node-abc"
    run = leftovers.tool.folder / "out"
    for place in (
        leftovers.temporary / f"{ended}abc",
        leftovers.temporary / mine,
        run / f"{ended}def",
        run / elsewhere,
    ):
        place.mkdir(parents=True)
        (place / "file").write_text("x")
        for each in (place / "file", place):
            old(each, 7200)
    (leftovers.temporary / f"{ended}new").mkdir()
    (leftovers.temporary / "autoanalyzer-examples").mkdir()
    (leftovers.temporary / f"{ended}link").symlink_to(run)
    assert leftovers.clean() == {
        f"{ended}abc": (True, "working copy of a counting run; "),
        f"{ended}def": (True, "working copy of a counting run; "),
        f"{ended}new": (False, "working copy of a counting run; written less than an hour ago"),
        elsewhere: (
            False,
            "working copy of a counting run; created on another node, so remove this folder on that node",
        ),
    }
    assert sorted(each.name for each in leftovers.temporary.iterdir()) == sorted(
        ["autoanalyzer-examples", leftovers.own.name, mine, f"{ended}link", f"{ended}new"]
    )


def test_of_a_named_cache_nothing_goes(leftovers: Leftovers) -> None:
    (leftovers.cache / "probe-0123").mkdir()
    old(leftovers.cache / "probe-0123", 31 * 86400 + 60)
    assert leftovers.clean() == {}


def test_what_is_none_of_ours_stays(leftovers: Leftovers) -> None:
    own = leftovers.own / "0123456789abcdef"
    own.mkdir(parents=True)
    (own / "thesis.txt").write_text("x")
    (leftovers.tool.folder / "victim" / "0123456789abcdef").mkdir(parents=True)
    for each in (own / "thesis.txt", own, leftovers.tool.folder / "victim" / "0123456789abcdef"):
        old(each, 7200)
    assert leftovers.clean() == {}
    shutil.rmtree(leftovers.own)
    leftovers.own.symlink_to(leftovers.tool.folder / "victim")
    assert leftovers.clean() == {}


def test_of_the_user_s_own_cache_goes_what_nobody_has_used_for_long(leftovers: Leftovers) -> None:
    leftovers.where = {"AUTOANALYZER_CACHE": "", "XDG_CACHE_HOME": str(leftovers.cache.parent)}
    for name in ("probe-0123", "probe-4567", "rtcount-89ab", "compiled"):
        (leftovers.cache / name).mkdir()
    for name in ("probe-0123", "rtcount-89ab", "compiled"):
        old(leftovers.cache / name, 31 * 86400 + 60)
    assert leftovers.clean() == {
        "probe-0123": (True, "probe library, not used for 31 days; "),
        "rtcount-89ab": (True, "counting tool, not used for 31 days; "),
    }


def test_a_library_that_is_used_is_not_old(tool: Tool) -> None:
    assert tool("autoanalyzer", "exec", "true").returncode == 0
    for library in Path(os.environ["AUTOANALYZER_CACHE"]).glob("probe-*/"):
        old(library, 40 * 86400)
    assert tool("autoanalyzer", "exec", "true").returncode == 0
    times = [library.stat().st_mtime for library in Path(os.environ["AUTOANALYZER_CACHE"]).glob("probe-*/")]
    assert max(times) > time.time() - 86400


def test_the_table_of_leftovers_fits_a_terminal(leftovers: Leftovers, terminal: Any) -> None:
    own = {"TMPDIR": str(leftovers.temporary), "AUTOANALYZER_CACHE": str(leftovers.cache), "NO_COLOR": "1"}
    old(leftovers.shards("/home/me/out/shards"), 7200)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal(80, "autoanalyzer", "doctor", "--clean", **own))
    assert "data of 1 process, never" in shown
    assert max(map(len, shown.splitlines())) <= 80
