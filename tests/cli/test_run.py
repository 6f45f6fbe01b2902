import json
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from autoanalyzer.experiment import load

from ..conftest import Done, Tool, for_several_programs
from .conftest import refused, succeed

HEAD = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double spin(long steps) {
    double sum = 0;
    for (long i = 0; i < steps; i++)
        sum += 1.0 / (i + 1);
    return sum;
}

static double work(int rank, long steps) {
    double sum = 0;
    for (int shot = 0; shot < 20; shot++)
        sum += spin(steps * (1 + rank / 2 * 3));
    return sum;
}
"""

UNEVEN = (
    HEAD
    + """
int main(int argc, char **argv) {
    int rank;
    double sum, total;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sum = work(rank, 150000);
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("total %.6f\\n", total);
    MPI_Finalize();
    return 0;
}
"""
)


def parts_halves(findings: dict) -> bool:
    """Return whether no cluster contains ranks of both halves; noise may divide a half into several clusters."""
    return all({each // 2 for each in cluster} in ({0}, {1}) for cluster in findings["dissimilarity"]["clusters"])


# Ways in which a run ends early, and a rank that then does not finish.
DEATHS = [
    ("if (rank == 2) raise(SIGKILL)", 2),
    ("raise(SIGKILL)", 0),
    ("if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3)", 1),
    ("if (rank == 0) raise(SIGSEGV)", 0),
    ("if (rank == 1) exit(5)", 1),
    ("exit(0)", 2),
]
HANGS = "for (alarm(2 + 4 * (unsigned)(time(NULL) - began));;) pause()"  # longer than in all earlier cases, on any rank
WELL, HANGING = "-1", str(len(DEATHS))
CASES = " ".join(
    f"case {number}: {action}; break;" for number, action in enumerate([*(each for each, _ in DEATHS), HANGS])
)

# The argument selects how the program ends.
ENDING = (
    HEAD
    + """
#include <time.h>
int main(int argc, char **argv) {
    int rank;
    volatile double sum;
    time_t began = time(NULL);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sum = work(rank, 20000);
    MPI_Barrier(MPI_COMM_WORLD);
    switch (atoi(argv[1])) {
        CASES
    }
    sum += work(rank, 1000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return sum < 0;
}
""".replace("CASES", CASES)
)


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """Put a program and its source into a tool's folder; each compiler builds it only once."""

    @cache
    def built(source: str, compiler: str) -> Path:
        tool = Tool(tmp_path_factory.mktemp("built"))
        tool.build(source, compiler=compiler)
        return tool.folder

    def build(tool: Tool, source: str, compiler: str = "mpicc") -> None:
        shutil.copytree(built(source, compiler), tool.folder, dirs_exist_ok=True)

    return build


def run(tool: Tool, *words: str) -> tuple[Done, dict[str, Any]]:
    """Run the program; return the finished command and its findings."""
    done = tool("autoanalyzer", "run", "-o", "out", "--json", "found.json", *words)
    return done, json.loads((tool.folder / "found.json").read_text())


@pytest.mark.by_day(mpi=["openmpi"])
def test_the_planted_loop_and_its_ranks_are_found_under_both_mpis(tool, build, mpi):
    launcher, compiler = mpi
    build(tool, UNEVEN, compiler)
    done = tool("autoanalyzer", "run", "-o", "out", "--", launcher, "-n", "4", "./app")
    assert done.returncode == 0
    assert done.stdout.startswith(b"total ")
    assert b"IMBALANCE   app.c:11  loop in spin" in done.stderr
    assert b": the loop in line 11 runs to steps - 1, which " in b" ".join(done.stderr.split())  # wrapped anywhere
    found = tool.findings()
    assert found["schema"] == "autoanalyzer.findings/2"
    assert found["experiment"]["processes"] == 4
    remarks = found["completeness"].pop("remarks")  # on a busy machine, the path may cost too much
    assert all(each.startswith("the critical path is known only for the beginning of the run") for each in remarks)
    assert found["completeness"] == {
        "expected_processes": 4,
        "started": [],
        "missing": [],
        "unfinished": [],
        "not_instrumented": [],
        "repairs": 0,
    }
    assert parts_halves(found)
    culprits = [(each["path"], each["file"], each["line"]) for each in found["dissimilarity"]["cccr"]]
    assert ("work/loop@18/spin/loop@11", "app.c", 11) in culprits


@pytest.mark.by_day(mpi=["mpich"])
def test_the_gather_by_mpi_gives_what_the_plain_one_gives(tool, build, mpi):
    launcher, compiler = mpi
    build(tool, ENDING, compiler)
    shapes = []
    for how in ("plain", "mpi"):
        words = ("--gather", how, "--path", "always")  # the path is recorded even on a busy machine
        done, found = run(tool, *words, "--", launcher, "-n", "2", "./app", WELL)
        assert done.returncode == 0, done.stderr
        shapes.append([(each["path"], each["visits"]) for each in found["costs"]])
        assert found["completeness"]["remarks"] == []
        assert not (tool.folder / "out" / "shards").exists()
    assert shapes[0] == shapes[1]


@pytest.mark.by_day(mpi=["openmpi"])
def test_exec_is_the_portable_form(tool, build, mpi):
    launcher, compiler = mpi
    build(tool, UNEVEN, compiler)
    done = tool(launcher, "-n", "4", "autoanalyzer", "exec", "-o", "out", "./app")
    assert done.returncode == 0, done.stderr
    assert parts_halves(tool.findings())


@pytest.mark.parametrize(("action", "unfinished"), DEATHS)
@pytest.mark.by_day(mpi=["openmpi"], action=[DEATHS[each][0] for each in (0, 2, 5)])
def test_a_run_that_dies_leaves_all_data_up_to_then(tool, build, mpi, action: str, unfinished: int):
    launcher, compiler = mpi
    build(tool, ENDING, compiler)
    death = str(DEATHS.index((action, unfinished)))
    done, found = run(tool, "--", launcher, "-n", "3", "./app", death)
    assert unfinished in found["completeness"]["unfinished"]
    assert found["completeness"]["expected_processes"] == 3
    shots = next(each for each in found["costs"] if each["path"] == "work/loop@18/spin")
    assert shots["visits"] >= 3 * 20
    assert b"never entered MPI_Finalize" in done.stderr
    assert done.returncode == 1
    assert b"the program ended with exit status " in done.stderr


def test_a_hang_is_told_from_a_short_run(tool, build):
    build(tool, ENDING)
    done, found = run(tool, "--", "mpirun", "-n", "2", "./app", HANGING)
    assert done.returncode == 1, done.stderr
    first = found["completeness"]["remarks"][0]
    assert re.fullmatch(
        r"in the last [\d.]+ s of the run, no process entered or left a region; each stayed in one .*", first
    )


def test_streams_and_status_pass_through_unchanged(tool, mpi):
    launcher, compiler = mpi
    tool.build(
        HEAD
        + """
int main(int argc, char **argv) {
    char line[100];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        while (fgets(line, sizeof line, stdin))
            printf("<%zu %s>", strlen(line), argv[1]);
        fprintf(stderr, "to stderr\\n");
    }
    MPI_Finalize();
    return rank == 0 ? 7 : 0;
}
""",
        compiler=compiler,
    )
    command = (launcher, "-n", "2", "./app", "a b")
    plain = tool(*command, stdin=b"one\ntwo\n\nlast")
    done = tool("autoanalyzer", "run", "-o", "out", "--", *command, stdin=b"one\ntwo\n\nlast")
    assert done.stdout == plain.stdout
    assert b"to stderr\n" in done.stderr
    assert plain.returncode == 7
    assert done.returncode == 1
    assert b"the program ended with exit status 7" in done.stderr


@pytest.mark.by_day(mpi=["openmpi"])
def test_an_mpi_program_without_probes_is_measured_as_a_whole(tool, mpi):
    launcher, compiler = mpi
    tool.write("app.c", UNEVEN)
    assert tool(compiler, "app.c", "-O1", "-o", "app", "-lm").returncode == 0
    done, found = run(tool, "--", launcher, "-n", "4", "./app")
    assert b"not instrumented: app: no probes" in done.stderr
    assert parts_halves(found)
    assert [each["function"] for each in found["dissimilarity"]["cccr"]] == ["app"]


def test_a_program_without_mpi_is_one_rank(tool):
    tool.build(
        "int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i; return s; } int main() { return f(9) != 36; }"
    )
    done, found = run(tool, "--", "./app")
    assert done.returncode == 0, done.stderr
    assert found["experiment"]["processes"] == 1
    assert found["completeness"]["unfinished"] == []
    assert [each["path"] for each in found["costs"]][:2] == ["f", "f/loop@1"]


def test_two_programs_in_one_job_have_two_roots(tool, build):
    build(tool, UNEVEN)
    (tool.folder / "app").rename(tool.folder / "first")
    tool.build(UNEVEN.replace("main(", "main (").replace("static double work", "\nstatic double work"))
    command = (for_several_programs("mpirun"), "-n", "1", "./first", ":", "-n", "2", "./app")
    done, found = run(tool, "--", *command)
    assert done.returncode == 0, done.stderr
    assert found["experiment"]["processes"] == 3


def test_a_new_run_replaces_the_data_of_the_last_and_no_other_file(tool, build):
    build(tool, ENDING)
    tool.write("out/notes.txt", "mine")
    for ranks in ("2", "1"):
        done, found = run(tool, "--", "mpirun", "-n", ranks, "./app", WELL)
        assert (done.returncode, found["experiment"]["processes"]) == (0, int(ranks))
    assert (tool.folder / "out" / "notes.txt").read_text() == "mine"


def test_no_environment_is_kept_if_so_asked(tool, build):
    build(tool, ENDING)
    for options, kept in (((), True), (("--no-environment",), False)):
        tool(
            *("autoanalyzer", "run", "-o", "out", "--no-analyze", *options, "--", "./app", WELL),
            env={"OMP_NUM_THREADS": "1", "SECRET_TOKEN": "hush"},
        )
        text = (tool.folder / "out" / "experiment.cube").read_text()
        assert ("OMP_NUM_THREADS" in text) == kept
        assert "hush" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "--max-memory", "500K", "--", "./app"), "at least 1M, such as 64M, found '500K'"),
        (("run", "--max-overhead", "100", "--", "./app"), "less than 100%, such as 5%, found '100'"),
        (("run", "--", "mpirun", "-n", "2", "./none"), "./none: no such program"),
        (("run", "--", "no-such-launcher", "./none"), "no-such-launcher: no such program"),
        (("run", "--", "."), ".: expected a program, found a folder"),
        (("run", "--", "./notes.txt"), "./notes.txt: expected a program, found a file that is not executable"),
        (("run",), "expected a command, found none"),
        (("run", "-o", "notes.txt/out", "--", "/bin/true"), "notes.txt/out: cannot be written: Not a directory"),
        (("run", "--counters", "many", "--", "/bin/true"), "invalid choice: 'many'"),
        (("run", "--bogus", "--", "/bin/true"), "--bogus"),
        (("exec",), "expected a program, found none"),
        (("exec", "./none"), "./none: no such program"),
        (("analyse", "out"), "unknown command 'analyse'; did you mean analyze?"),
        (("analyze", "notes.txt", "--disparity-metrc=cpi"), "did you mean --disparity-metric"),
        (("analyze",), "the following arguments are required: EXPERIMENT"),
        (("analyze", "none.cube"), "none.cube: cannot be read: No such file or directory"),
        (("analyze", "empty"), "empty: expected experiment.cube or shards, found neither"),
        (("analyze", "notes.txt"), "notes.txt: expected an experiment (CUBE 3 XML), found a file of another kind"),
        (("analyze", "notes.txt", "--bogus"), "unknown arguments: --bogus; see autoanalyzer analyze --help"),
        (("diff", "a", "b", "c"), "unknown arguments: c; see autoanalyzer diff --help"),
        (("--bogus", "diff", "a", "b"), "unknown arguments: --bogus; see autoanalyzer --help"),
        (("analyze", "notes.txt", "--exclude-rank", "x"), "invalid int value: 'x'"),
        (("analyze", "notes.txt", "--dissimilarity-metric", "x"), "invalid choice: 'x'"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(tool, here, words: tuple[str, ...], message: str):
    tool.write("notes.txt", "no experiment")
    (tool.folder / "empty").mkdir()
    assert message in refused(here(*words))


@pytest.mark.parametrize("launcher", [(), ("mpirun", "-n", "2")])
def test_a_run_of_which_nothing_was_recorded_gets_one_line_and_exit_code_2(tool, launcher: tuple[str, ...]):
    command = (*launcher, "/bin/true")
    said = f"nothing was recorded for {' '.join(command)}: it must be an MPI program, or compiled with"
    assert said in refused(tool("autoanalyzer", "run", "--", *command))


UNSEEN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <mpi.h>
#include <string.h>
static void *in_table(struct link_map *map, const char *name) {
    Elf64_Sym *symbols = NULL;
    const char *strings = NULL;
    for (ElfW(Dyn) *each = map->l_ld; each->d_tag != DT_NULL; each++) {
        if (each->d_tag == DT_SYMTAB)
            symbols = (Elf64_Sym *)each->d_un.d_ptr;
        if (each->d_tag == DT_STRTAB)
            strings = (const char *)each->d_un.d_ptr;
    }
    for (Elf64_Sym *each = symbols; each && (const char *)each < strings; each++)
        if (each->st_value && !strcmp(strings + each->st_name, name))
            return (char *)map->l_addr + each->st_value;
    return NULL;
}
static void *found(const char *name) {
    void *function = NULL;
    for (struct link_map *map = dlopen(NULL, RTLD_NOW); map && !function; map = map->l_next)
        if (strstr(map->l_name, "libmpi"))
            function = in_table(map, name);
    return function;
}
int main(int argc, char **argv) {
    int (*init)(int *, char ***) = found("MPI_Init"), (*finalize)(void) = found("MPI_Finalize");
    int (*barrier)(MPI_Comm) = found("MPI_Barrier");
    if (MPI_Wtime() < 0 || init(&argc, &argv) || barrier(MPI_COMM_WORLD) || finalize())
        return 1;
    return 0;
}
"""


def test_it_is_said_that_calls_of_mpi_by_tables_of_the_programs_own_are_not_seen(tool):
    tool.build(UNSEEN, "-ldl")
    succeed(tool("autoanalyzer", "run", "-o", "out", "mpirun", "-n", "2", "./app"))
    said = (
        "MPI was used, but its calls were not recorded, on 2 of 2 processes: busy times include waiting in MPI, which"
        " may make ranks differ"
    )
    assert said in load(tool.folder / "out" / "experiment.cube").notes.remarks
    assert said in succeed(tool("autoanalyzer", "analyze", "--all", "out")).stdout.decode()
