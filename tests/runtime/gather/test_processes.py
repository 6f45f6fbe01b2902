"""Processes that are not started by the launcher, and regions in libraries that are loaded and unloaded."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from autoanalyzer.experiment import Experiment, load
from autoanalyzer.runs.open_experiment import open_experiment
from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.mpi.detection import find_mpi

from ...conftest import Tool, until_spawned

WORK = """
#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static double work(int n) { double s = 0; for (int i = 0; i < n; i++) s += 1.0 / (i + 1); return s; }
"""

FORKS = """
static void help(int n) { for (int i = 0; i < n; i++) work(1000); }
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            help(3);
            if (i) execlp("true", "true", (char *)0);
            _exit(0);
        }
        waitpid(child, 0, 0);
    }
    work(10);
    return MPI_Finalize();
}
"""

SPAWNS = """
int main(int argc, char **argv) {
    MPI_Comm parent, children;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    for (int i = 0; i < 2 && parent == MPI_COMM_NULL; i++) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        MPI_Comm_disconnect(&children);
    }
    if (parent != MPI_COMM_NULL) {
        work(1000);
        MPI_Comm_disconnect(&parent);
    }
    return MPI_Finalize();
}
"""

DAEMON = """
int main(int argc, char **argv) {
    work(1000);
    if (daemon(1, 0)) return 3;
    for (int i = 0; i < 30; i++) work(1000);
    for (int i = 0; i < 30000 && access("may end", F_OK); i++) usleep(10000);
    return 0;
}
"""

LATE = """
int main(int argc, char **argv) {
    for (int i = 0; i < 2000; i++) work(1000);
    sleep(1);
    MPI_Init(&argc, &argv);
    work(1000);
    return MPI_Finalize();
}
"""

# MPICH's launcher writes to the parent of its processes, and is killed if all have ended; so each waits for the others.
NEVER = """
int main(int argc, char **argv) {
    char name[32];
    if (argc > 5)
        MPI_Init(&argc, &argv);
    for (const char *rank = getenv("PMI_RANK"); rank && *rank; rank = "") {
        fclose(fopen(strcat(strcpy(name, "came."), rank), "w"));
        while (access("came.0", F_OK) || access("came.1", F_OK) || access("came.2", F_OK))
            usleep(1000);
    }
    return work(1000) < 0;
}
"""

TWICE = """
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    work(1000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Init(&argc, &argv);
    return MPI_Finalize();
}
"""


def measured(tool: Tool, *command: str, status: int = 0) -> Experiment:
    done = tool("autoanalyzer", "run", "-o", "out", "--no-analyze", "--", *command)
    assert done.returncode == status, done.stderr.decode()
    return load(tool.folder / "out" / "experiment.cube")


def visits(experiment: Experiment) -> dict[str, list[float]]:
    rows = experiment.exclusive("visits").tolist()
    return {experiment.path_name(place): row for place, row in enumerate(rows)}


def inner(experiment: Experiment, name: str) -> list[float]:
    """Return the visits of the region of this name that is not directly below main."""
    return next(row for path, row in visits(experiment).items() if path.endswith(f"/{name}"))


@pytest.mark.by_day(mpi=["mpich"])
def test_children_of_forks_are_further_processes(tool: Tool, mpi: tuple[str, str]) -> None:
    launcher, compiler = mpi
    tool.build(WORK + FORKS, compiler=compiler)
    experiment = measured(tool, launcher, "-n", "2", "./app")
    assert [each.process for each in experiment.locations] == list(range(6))
    found = visits(experiment)
    assert next(row for path, row in found.items() if path.endswith("help")) == [0, 0, 1, 1, 1, 1]
    assert found["work"] == [1, 1, 0, 0, 0, 0]
    assert experiment.notes.started == (2, 3, 4, 5)
    assert experiment.notes.remarks == ("4 processes forked by other processes: numbered from 2",)
    assert (experiment.notes.expected_processes, experiment.notes.missing, experiment.notes.unfinished) == (2, (), ())


def test_spawned_processes_are_further_processes(tool: Tool) -> None:
    """Debian's MPICH cannot spawn processes."""
    tool.build(WORK + SPAWNS, compiler="mpicc.openmpi")
    experiment = until_spawned(lambda: measured(tool, "mpirun.openmpi", "-n", "2", "./app"), tool.folder / "out")
    assert visits(experiment)["work"] == [0, 0, *[1] * 6]
    assert experiment.notes.started == (2, 3, 4, 5, 6, 7)
    assert experiment.notes.remarks == ("6 processes started by MPI_Comm_spawn: numbered from 2",)
    assert (experiment.notes.expected_processes, experiment.notes.missing, experiment.notes.unfinished) == (2, (), ())


def test_a_daemon_is_gathered_once_it_has_ended(tool: Tool) -> None:
    tool.build(WORK + DAEMON)
    experiment = measured(tool, "./app")
    (running,) = (each for each in experiment.notes.remarks if "still running" in each)
    assert running.endswith("these are its data so far; once it has ended, run autoanalyzer analyze out")
    tool.write("may end", "")
    while (tool.folder / "out" / "shards").exists():
        time.sleep(0.1)
        experiment, _ = open_experiment(tool.folder / "out")
    assert visits(experiment)["work"] == [1, 0]
    assert inner(experiment, "work") == [0, 30]
    assert experiment.notes.remarks == ("1 process forked by other processes: numbered 1",)
    assert experiment.notes.started == (1,)


@pytest.mark.by_day(mpi=["mpich"])
def test_mpi_may_begin_late(tool: Tool, mpi: tuple[str, str]) -> None:
    launcher, compiler = mpi
    tool.build(WORK + LATE, compiler=compiler)
    experiment = measured(tool, launcher, "-n", "2", "./app")
    assert inner(experiment, "work") == [2000, 2000]
    early = experiment.inclusive("wall_time")[0] - experiment.exclusive("program_time").sum(axis=0)
    assert (early > experiment.exclusive("program_time").sum(axis=0)).all()


def test_mpi_may_never_begin(tool: Tool, mpi: tuple[str, str]) -> None:
    launcher, compiler = mpi
    tool.build(WORK + NEVER, compiler=compiler)
    experiment = measured(tool, launcher, "-n", "3", "./app")
    assert visits(experiment)["work"] == [1, 1, 1]
    assert (experiment.notes.missing, experiment.notes.unfinished, experiment.notes.remarks) == ((), (), ())


def test_mpi_that_begins_twice_fails_as_ever(tool: Tool, mpi: tuple[str, str]) -> None:
    launcher, compiler = mpi
    tool.build(WORK + TWICE, compiler=compiler)
    experiment = measured(tool, launcher, "-n", "2", "./app", status=1)
    assert visits(experiment)["work"] == [1, 1]
    assert experiment.notes.unfinished == (0, 1)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="the launcher needs a processor of its own")
def test_a_wait_for_a_processor_that_another_program_holds_is_recorded(tool: Tool) -> None:
    tool.build(WORK + "int main(void) { double s = 0; for (int i = 0; i < 500; i++) s += work(100000); return s < 0; }")
    processor = str(max(os.sched_getaffinity(0)))
    other = subprocess.Popen(["taskset", "-c", processor, "sh", "-c", "while :; do :; done"])
    try:
        experiment = measured(tool, "taskset", "-c", processor, "./app")
    finally:
        other.kill()
        other.wait()
    assert experiment.notes.run_delay["0"] > 0
    assert experiment.notes.involuntary_switches["0"] > 0
    use = experiment.notes.processor_use
    assert use["busy"] > use["own"] > 0
    assert use["elapsed"] > 0


PLUGINS = """
#include <dlfcn.h>
static int use(const char *library, const char *name) {
    void *loaded = dlopen(library, RTLD_NOW);
    int (*call)(int) = (int (*)(int))dlsym(loaded, name), sum = 0;
    for (int i = 0; i < 3; i++) sum += call(10);
    dlclose(loaded);
    return sum;
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 2; i++) sum += use("./libone.so", "one") + use("./libtwo.so", "two");
    return sum == 0;
}
"""


def test_libraries_that_come_and_go_keep_their_names(tool: Tool) -> None:
    """The second library is loaded to the same address as the first."""
    for name in ("one", "two"):
        tool.write(f"{name}.c", f"int {name}(int n) {{ int s = 0; for (int i = 0; i < n; i++) s += i; return s; }}")
        built = tool("aa-mpicc", "-g", "-shared", "-fPIC", f"{name}.c", "-o", f"lib{name}.so")
        assert built.returncode == 0, built.stderr
    tool.build(PLUGINS, "-ldl")
    experiment = measured(tool, "./app")
    assert [inner(experiment, name) for name in ("one", "two")] == [[6], [6]]


def on_a_small_disk(tool: Tool, size: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell command in a namespace in which ``disk`` is a small file system."""
    disk = tool.folder / "disk"
    disk.mkdir(exist_ok=True)
    namespace = ("unshare", "--mount", "--map-root-user")
    mount = f"mount -t tmpfs -o size={size} none {disk}"
    if tool(*namespace, "sh", "-c", mount).returncode:
        pytest.xfail("a file system cannot be mounted here")
    return tool(*namespace, "sh", "-c", f"{mount} && {' '.join(words)}")


MANY = """
int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
""" + "".join(
    f"static int f{i}(int n) {{ int s = f(n + 1); for (int i = 0; i < n; i++) s += f(i); return s; }}\n"
    for i in range(250)
)
MANY += f"int main(void) {{ int s = 0; {' '.join(f's += f{i}(3);' for i in range(250))} return s == 0; }}\n"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lab = Tool(tmp_path_factory.mktemp("many"))
    lab.build(MANY)
    return lab.folder / "app"


def test_a_full_disk_costs_call_paths_and_no_time(tool: Tool, many: Path) -> None:
    shutil.copy(many, tool.folder)
    done = on_a_small_disk(
        tool, "280k", "autoanalyzer run -o disk/out --no-analyze -- ./app; echo $?; ls disk/out/shards;"
        " mount -o remount,size=10m disk; autoanalyzer analyze disk/out; cp disk/out/experiment.cube ."
    )  # fmt: skip
    assert done.stdout.startswith(b"2\n"), done.stderr
    assert b".shard\n" in done.stdout
    assert b"No space left on device; the data stay in disk/out/shards; once this problem is solved, run" in done.stderr
    experiment = load(tool.folder / "experiment.cube")
    found = visits(experiment)
    assert 100 < len(found) < 1000
    (collapsed,) = (each for each in experiment.notes.remarks if "entries attributed to their caller" in each)
    assert sum(row[0] for row in found.values()) + float(collapsed.split()[-1]) == 251 + 250 * 9


def test_a_disk_that_was_full_before_costs_a_line_a_rank(tool: Tool, many: Path) -> None:
    shutil.copy(many, tool.folder)
    done = on_a_small_disk(tool, "20k", "autoanalyzer run -o disk/out -- mpirun -n 2 ./app; echo $?")
    lines = done.stderr.decode().splitlines()
    assert sum("No space left on device; nothing is recorded" in line for line in lines) == 2
    assert done.stdout == b"2\n"
    assert "nothing was recorded" in lines[-1]


def test_a_folder_that_cannot_be_written_is_told_before_anything_runs(tool: Tool) -> None:
    tool.build("int main(void) { return 0; }")
    done = on_a_small_disk(tool, "1m", "mount -o remount,ro disk; autoanalyzer run -o disk/out -- touch ran; echo $?")
    assert done.stdout == b"2\n", done.stderr
    assert b"disk/out: cannot be written: Read-only file system; choose another folder (-o)" in done.stderr
    assert not (tool.folder / "ran").exists()


@pytest.mark.long
def test_no_home_is_needed(tool: Tool, tmp_path: Path) -> None:
    tool.build("int main(void) { return 0; }", compiler="gcc")
    homeless = {"HOME": "/proc/none", "XDG_CACHE_HOME": "", "AUTOANALYZER_CACHE": "", "TMPDIR": str(tmp_path)}
    library, cache = probe_library(find_mpi(["./app"])).parent, tmp_path / f"autoanalyzer-{os.getuid()}"
    cache.mkdir(mode=0o700)
    shutil.copytree(library, cache / library.name)  # building it takes long
    done = tool("autoanalyzer", "run", "-o", "out", "--no-analyze", "--", "./app", env=homeless)
    assert done.returncode == 0, done.stderr
    assert b"/proc/none/.cache/autoanalyzer cannot be written, so the probe library is stored in" in done.stderr
    assert (tool.folder / "out" / "experiment.cube").exists()
