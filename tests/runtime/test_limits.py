"""Limits of the measurement: memory per process, share of the time."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from autoanalyzer.digests import text_of
from autoanalyzer.experiment import Region, load
from autoanalyzer.experiment.plan import load_plan

from ..conftest import Tool
from .probe.conftest import Record, built_once, library, others, plain_program, preloaded  # noqa: F401 - fixtures

TINY = """
static int add(int a, int b) { int s = a; for (int i = 0; i < b; i++) s += b; return s; }
static double heavy(int n) { double s = 0; for (int i = 0; i < n; i++) s += 1.0 / (i + 1); return s; }
static double drive(int n) { double s = 0; for (int i = 0; i < n; i++) s += add(i, 1); return s + heavy(20000); }
int main(void) { double s = 0; for (int i = 0; i < 300; i++) s += drive(3000); return s < 0; }
"""


@pytest.fixture(scope="module")
def throttled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tool = Tool(tmp_path_factory.mktemp("throttled"))
    tool.build(TINY, compiler="gcc")
    done = tool("autoanalyzer", "run", "-o", "out", "--max-overhead", "0.1%", "--", "./app")
    assert done.returncode == 0, done.stderr
    assert b"times of callers include add and 1 more, too small to measure separately (--max-overhead)" in done.stderr
    return tool.folder


@pytest.fixture
def throttled(throttled_once: Path, tool: Tool) -> Tool:
    """Return a tool with a copy of the program and its run, which the test may change."""
    shutil.copytree(throttled_once, tool.folder, dirs_exist_ok=True)
    return tool


def test_tiny_regions_are_throttled_and_no_time_or_entry_is_lost(throttled: Tool) -> None:
    experiment = load(throttled.folder / "out" / "experiment.cube")
    visits = experiment.exclusive("visits").sum(axis=1)
    names = [path.region.name for path in experiment.call_paths]
    assert sum(visits[place] for place, name in enumerate(names) if name == "add") == 900_000
    assert sum(visits[place] for place, name in enumerate(names) if name == "heavy") == 300
    assert {each.split("|")[4] for each in experiment.notes.throttled} == {"add"}
    assert 1_000_000 < experiment.notes.untimed <= 1_800_000
    assert experiment.exclusive("untimed_visits").sum() == experiment.notes.untimed
    times = experiment.inclusive("wall_time").sum(axis=1)
    assert [times[place] for place, name in enumerate(names) if name == "add"] == [0]
    assert times[names.index("main")] == pytest.approx(experiment.exclusive("wall_time").sum())


def test_what_a_throttled_region_calls_again_is_timed_on(tool: Tool) -> None:
    text = """
    double outer(int n);
    static double inner(int n) {
        double s = n;
        for (int i = 0; i < n % 3; i++) s += 1.0 / (s + 1);
        return s + outer(0);
    }
    double outer(int n) { double s = 0; for (int i = 0; i < n; i++) s += inner(i); return s; }
    int main(void) { double s = 0; for (int i = 0; i < 300; i++) s += outer(3000); return s < 0; }
    """
    tool.build(text, compiler="gcc")
    done = tool("autoanalyzer", "run", "-o", "out", "--max-overhead", "0.1%", "--", "./app")
    assert done.returncode == 0, done.stderr
    experiment = load(tool.folder / "out" / "experiment.cube")
    visits, times = (experiment.exclusive(each).sum(axis=1) for each in ("visits", "wall_time"))
    place = {path.region.name: place for place, path in enumerate(experiment.call_paths)}
    assert (visits[place["inner"]], visits[place["outer"]]) == (900_000, 300 + 900_000)
    assert times[place["inner"]] == 0 < times[place["outer"]]
    assert "outer" not in {each.split("|")[2] for each in experiment.notes.throttled}


def test_five_percent_are_allowed_unless_something_else_is_asked_for(throttled: Tool) -> None:
    done = throttled("autoanalyzer", "run", "-o", "whole", "--max-overhead", "off", "--", "./app")
    assert done.returncode == 0, done.stderr
    assert load(throttled.folder / "whole" / "experiment.cube").notes.throttled == {}
    for option, variable, limit in (
        *((None, None, "5%"), (None, "", "5%"), (None, "off", "0"), (None, "0", "0"), (None, "2.5", "2.5")),
        *(("", "off", "5%"), ("off", "1%", "0"), ("0", "", "0"), ("1%", "0", "1%")),
    ):
        words = ["exec"] if option is None else ["run", "--no-analyze", "--max-overhead", option, "--"]
        env = {} if variable is None else {"AUTOANALYZER_MAX_OVERHEAD": variable}
        done = throttled("autoanalyzer", *words, "sh", "-c", "echo $AUTOANALYZER_MAX_OVERHEAD", env=env)
        assert done.stdout.decode() == f"{limit}\n"


def test_an_environment_with_a_limit_that_is_none_is_told(tool: Tool) -> None:
    said = "AUTOANALYZER_MAX_OVERHEAD: expected off, or a share of less than 100%, such as 5%, found 'little'"
    for command in (("run", "--"), ("exec",)):
        done = tool("autoanalyzer", *command, "true", env={"AUTOANALYZER_MAX_OVERHEAD": "little"})
        assert done.returncode == 2
        assert done.stderr.decode().endswith(f"autoanalyzer: {said}\n")
    assert not (tool.folder / "autoanalyzer-out").exists()


HEAD = """
#include <stdio.h>
static int add(int a, int b) { int s = a; for (int i = 0; i < b; i++) s += b; return s; }
"""


@pytest.mark.parametrize(
    ("suffix", "text", "visits"),
    [
        pytest.param(
            "cc",
            HEAD.replace("return s", "if (s == b) throw s; return s")
            + "static int run(int n) { int s = 0; for (int i = 0; i < n; i++) try { s += add(i % 2, 1); } catch (int e)"
            " { s += e; } return s; }\nint main() { return run(300000) < 0; }",
            {"add": 300_000, "run": 1},
            id="exceptions",
        ),
        pytest.param(
            "c",
            "#include <setjmp.h>\nstatic jmp_buf place;"
            + HEAD.replace("return s", "if (s == b) longjmp(place, 1); return s")
            + "static int run(int n) { volatile int i = 0, s = 0; setjmp(place);"
            " while (i < n) { i++; s += add(i % 2, 1); } return s; }\nint main(void) { return run(300000) < 0; }",
            {"add": 300_000, "run": 1},
            id="longjmp",
        ),
        pytest.param(
            "c",
            HEAD + "static int down(int n) { int s = 0; for (int i = 0; i < 2; i++) s += add(n, 1);"
            " return n ? s + down(n - 1) : s; }\n"
            "int main(void) { int s = 0; for (int i = 0; i < 30000; i++) s += down(9); return s < 0; }",
            {"add": 600_000, "down": 300_000},
            id="recursion",
        ),
        pytest.param(
            "c",
            "#include <dlfcn.h>\n" + HEAD + "int main(void) { int s = 0; for (int k = 0; k < 3; k++) {"
            ' void *b = dlopen("./plug.so", RTLD_NOW); int (*f)(int) = (int (*)(int))dlsym(b, "plug");'
            " for (int i = 0; i < 100000; i++) s += f(i % 7); dlclose(b); } return s < 0; }",
            {"plug": 300_000},
            id="dlclose",
        ),
        *(
            pytest.param(
                suffix,
                '#include <dlfcn.h>\n#include "add.h"\n'
                "int main(void) { int s = 0; for (int i = 0; i < 100000; i++) s += add(i, 2);"
                ' for (int k = 0; k < 3; k++) { void *b = dlopen("./plug.so", RTLD_NOW);'
                ' int (*f)(int) = (int (*)(int))dlsym(b, "plug"); int i = 0;'
                " again: s += f(1); if (++i < 100000) goto again; dlclose(b); } return s < 0; }",
                {"add": 1_000_000, "plug": 300_000},
                id=f"a header's function, in {language}, of the program and of what it unloads",
            )
            for suffix, language in (("c", "C"), ("cc", "C++"))
        ),
        pytest.param(
            "c",
            "#include <signal.h>\n" + HEAD + "static void tick(int n) { for (int i = 0; i < n; i++) add(i, 2); }\n"
            "int main(void) { int s = 0; signal(SIGUSR1, tick); for (int i = 0; i < 300000; i++) {"
            " if (i % 1000 == 0) raise(SIGUSR1); s += add(i % 3, 2); } return s < 0; }",
            {"add": 300_000 + 300 * 10, "tick": 300},
            id="handlers",
        ),
        pytest.param(
            "c",
            "#include <pthread.h>\n"
            + HEAD
            + "static void *work(void *n) { long s = 0; for (int i = 0; i < 300000; i++) s += add(i % 3, 2);"
            " return s ? n : 0; }\nint main(void) { pthread_t thread[3]; for (int i = 0; i < 3; i++)"
            " pthread_create(&thread[i], 0, work, 0); for (int i = 0; i < 3; i++) pthread_join(thread[i], 0);"
            " return 0; }",
            {"add": 900_000, "work": 3},
            id="threads",
        ),
        pytest.param(
            "c",
            HEAD + "static int s;\n"
            "static void some(int n) { int own = 0; for (int i = 0; i < n; i++) own += add(i % 3, 2);\n"
            "#pragma omp atomic\ns += own;\n}\nint main(void) {\n#pragma omp parallel num_threads(3)\n"
            "#pragma omp single\nfor (int i = 0; i < 9; i++) {\n#pragma omp task\nsome(100000);\n} return s < 0; }",
            {"add": 900_000, "some": 9},
            id="tasks",
        ),
        pytest.param(
            "c",
            "#include <sys/wait.h>\n#include <unistd.h>\n"
            + HEAD.replace("s += b; return", "s += b; if (b == 5) fork(); return")
            + "static int run(int n) { int s = 0; for (int i = 0; i < n; i++) s += add(i % 3, i == n / 2 ? 5 : 2);"
            " return s; }\nint main(void) { int s = run(300000); while (wait(0) > 0); return s < 0; }",
            {"add": 300_000 + 149_999},
            id="forks",
        ),
    ],
)
@pytest.mark.parametrize("position", ["-fPIE", "-fPIC"])
@pytest.mark.by_day(position=["-fPIE"])  # shared libraries use the other one
def test_each_entry_of_a_throttled_region_is_counted_and_left_once(
    tool: Tool, suffix: str, text: str, visits: dict[str, int], position: str
) -> None:
    wrapper = {"c": "aa-mpicc", "cc": "aa-mpicxx"}[suffix]
    tool.write("add.h", HEAD)
    linkage = {"c": "", "cc": 'extern "C" '}[suffix]
    plug = "int plug(int n) { int s = 0; for (int i = 0; i < n + 2; i++) s += add(n, i); return s; }"
    if "plug.so" in text:
        tool.write(f"plug.{suffix}", f'#include "add.h"\n{linkage}{plug}')
        assert tool(wrapper, "-g", "-shared", "-fPIC", f"plug.{suffix}", "-o", "plug.so").returncode == 0
    tool.write(f"app.{suffix}", text)
    assert tool(wrapper, "-g", "-fopenmp", position, f"app.{suffix}", "-o", "app", "-ldl").returncode == 0
    done = tool("autoanalyzer", "run", "-o", "out", "--no-analyze", "--max-overhead", "0.1%", "--", "./app")
    assert done.returncode == 0, done.stderr
    experiment = load(tool.folder / "out" / "experiment.cube")
    found = dict.fromkeys(visits, 0)
    for path, entries in zip(experiment.call_paths, experiment.exclusive("visits").sum(axis=1), strict=True):
        if path.region.name in found:
            found[path.region.name] += int(entries)
    assert found == visits
    assert next(iter(visits)) in {text.split("|")[4] for text in experiment.notes.throttled}
    assert experiment.notes.repairs == 0 or "longjmp" in text


def test_of_many_functions_that_cost_too_much_together_most_are_throttled(tool: Tool) -> None:
    numbers = range(120)
    functions = "".join(HEAD.replace("add", f"add{number}") for number in numbers)
    calls = "".join(f"s += add{number}(i, 2);" for number in numbers)
    tool.build(functions + f"int main(void) {{ int s = 0; for (int i = 0; i < 50000; i++) {{ {calls} }} return !s; }}")
    run = ("autoanalyzer", "run", "-o", "out", "--no-analyze", "--max-overhead", "1%")
    assert tool(*run, "--", "./app").returncode == 0
    throttled = load(tool.folder / "out" / "experiment.cube").notes.throttled
    assert len({text.split("|")[4] for text in throttled}) > len(numbers) / 2


# A long visit takes so long that a probe may cost 50 times its usual price, such as a microsecond if reading the CPU
# clock needs a system call.
TWO_PATHS = """
static int many(int n) { int s = 0; for (int i = 0; i < n; i++) s += add(i % 7, 2); return s; }
static int large(int n) { int s = 0; for (int i = 0; i < n; i++) s += add(i % 7, 1000000); return s; }
int main(void) {
    int s = 0;
    for (int i = 0; i < 9; i++) s += many(100000) + large(20);
    return s == 0;
}
"""


@pytest.fixture(scope="module")
def two_paths(tmp_path_factory: pytest.TempPathFactory) -> Tool:
    tool = Tool(tmp_path_factory.mktemp("two-paths"))
    tool.build(HEAD + TWO_PATHS)
    done = tool("autoanalyzer", "run", "-o", "out", "--max-overhead", "1%", "--", "./app")
    assert done.returncode == 0, done.stderr
    return tool


def test_a_call_path_whose_visits_take_long_is_measured_wherever_else_the_region_is_throttled(two_paths: Tool) -> None:
    experiment = load(two_paths.folder / "out" / "experiment.cube")
    many, large = (
        next(
            place
            for place, path in enumerate(experiment.call_paths)
            if path.region.name == "add" and f"{caller}/" in experiment.path_name(place)
        )
        for caller in ("many", "large")
    )
    visits, untimed, took = (
        experiment.exclusive(metric).sum(axis=1) for metric in ("visits", "untimed_visits", "wall_time")
    )
    assert (visits[many], visits[large]) == (900_000, 180)
    assert untimed[many] > 0 == untimed[large]
    assert took[many] == 0 < took[large]


def test_a_loop_that_is_heavy_on_one_call_path_stays_in_the_next_build_and_is_compared_there(two_paths: Tool) -> None:
    plan = two_paths.folder / "out" / "plan.toml"  # on a busy machine, the function's own 20 us may also become heavy
    assert {rule.pattern.kind for rule in (load_plan(plan).exclude if plan.exists() else ())} <= {"function"}
    whole = two_paths("autoanalyzer", "run", "-o", "whole", "--max-overhead", "off", "--", "./app")
    assert whole.returncode == 0, whole.stderr
    done = two_paths("autoanalyzer", "compare", "whole", "--with", "out", "--json", "compared.json")
    assert done.returncode == 0, done.stderr
    found = json.loads((two_paths.folder / "compared.json").read_text())["comparisons"][0]
    assert re.fullmatch(
        r"some regions are too small to measure separately in out, so their time is attributed to their callers in all "
        r"experiments: \S+/many/\S+/add and 1 more",
        found["folded"],
    )
    (heavy,) = (each for each in found["regions"] if re.search(r"large/.*add/loop@", each["path"]))
    assert min(heavy["base"], heavy["other"]) > 0
    assert not any(re.search(r"many/.*add", each["path"]) for each in found["regions"])
    assert found["appeared"] == found["vanished"] == []


# The last of 500 * 4096 short visits is the first of four timed ones.
EARLY = """
static volatile double x = 1;
static double step(int n) { double s = 0; for (int i = 0; i < n; i++) s += x * i; return s; }
static double phase(int calls, int n) { double s = 0; for (int i = 0; i < calls; i++) s += step(n); return s; }
int main(void) {
    double s = 0;
    for (int i = 0; i < 20; i++) s += phase(i < 5 ? 409600 : 3000, i < 5 ? 1 : 10000);
    return s < 0;
}
"""


def test_a_region_that_is_heavy_later_is_measured_from_then_on_and_stays_in_the_next_build(tool: Tool) -> None:
    tool.build(EARLY, compiler="gcc")
    done = tool("autoanalyzer", "run", "-o", "out", "--no-analyze", "--max-overhead", "20%", "--", "./app")
    assert done.returncode == 0, done.stderr
    experiment = load(tool.folder / "out" / "experiment.cube")
    names = [path.region.name for path in experiment.call_paths]
    step, loops = names.index("step"), [place for place, name in enumerate(names) if name == "loop@3"]
    visits, untimed, took = (experiment.exclusive(name)[:, 0] for name in ("visits", "untimed_visits", "wall_time"))
    assert visits[step] == visits[loops].sum() == 5 * 409_600 + 15 * 3000
    assert 0 < untimed[loops].sum() < visits[step]
    assert took[loops].sum() > took.sum() / 2
    whole = tool("autoanalyzer", "analyze", "--all", "out").stdout.decode()
    said = re.findall(
        r"(\S+) seemed too small to measure, but took a long time; ([\d,]+) of its ([\d,]+) entries", whole
    )
    assert "loop@3" in {name for name, _, _ in said}
    kept = {text.split("|")[2] for text in experiment.notes.throttled}
    assert "loop@3" not in kept
    plan = tool.folder / "out" / "plan.toml"
    assert not plan.exists() or not [rule for rule in load_plan(plan).exclude if rule.pattern.kind == "loop"]


IN_TURN = """
static volatile double x = 1;
static double f(int depth, int n);
static double work(int n) { double s = 0; for (int i = 0; i < n; i++) s += x * i; return s; }
static double g(int depth, int n) { double s = work(n); return depth ? f(depth - 1, n) + s : s; }
static double f(int depth, int n) { double s = work(n); return depth ? g(depth - 1, n) + s : s; }
static double phase(int calls, int n) {
    double s = 0;
    for (int i = 0; i < calls; i++) s += f(i % 10 ? 0 : 3, n);
    return s;
}
int main(void) { return phase(500000, 1) + phase(4500, 25000) + phase(100000, 1) < 0; }
"""


def test_regions_that_call_each_other_in_turn_lose_nothing_when_they_are_timed_again(tool: Tool) -> None:
    tool.build(IN_TURN, compiler="gcc")
    done = tool("autoanalyzer", "run", "-o", "out", "--no-analyze", "--", "./app")
    assert done.returncode == 0, done.stderr
    experiment = load(tool.folder / "out" / "experiment.cube")
    counts: dict[str, int] = {}
    for path, visits in zip(experiment.call_paths, experiment.exclusive("visits").sum(axis=1), strict=True):
        counts[path.region.name] = counts.get(path.region.name, 0) + int(visits)
    assert (counts["f"], counts["g"]) == (604_500 + 60_450, 2 * 60_450)


CALLED_BACK = """
#include <mpi.h>
#include <time.h>
static int busy;
static void op(void *a, void *b, int *n, MPI_Datatype *t) {
    clock_t end = clock() + 100000; // microseconds
    (void)n, (void)t;
    for (*(int *)b += *(int *)a; busy && clock() < end;);
}
int main(int c, char **v) {
    int s = 0, all;
    MPI_Op o;
    MPI_Init(&c, &v);
    MPI_Op_create(op, 1, &o);
    for (int i = 0; i < 300000; i++) op(&s, &c, 0, 0);
    busy = 1;
    MPI_Allreduce(&s, &all, 1, MPI_INT, o, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


def test_what_mpi_calls_back_is_computing_though_it_is_throttled(tool: Tool) -> None:
    tool.build(CALLED_BACK)
    run = ["autoanalyzer", "run", "-o", "out", "--no-analyze", "--max-overhead", "0.1%", "--"]
    assert tool(*run, "mpirun", "--oversubscribe", "-n", "2", "./app").returncode == 0
    experiment = load(tool.folder / "out" / "experiment.cube")
    assert {text.split("|")[4] for text in experiment.notes.throttled} == {"op"}
    computed = (experiment.exclusive("cpu_time") - experiment.exclusive("mpi_cpu_time")).sum(axis=0)
    assert computed.max() >= 0.1


POLLING = """
#include <mpi.h>
int main(int c, char **v) {
    int found;
    MPI_Init(&c, &v);
    for (int i = 0; i < 300000; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""


def test_calls_of_mpi_that_are_throttled_where_nothing_has_probes_end_what_they_begin(tool: Tool) -> None:
    tool.write("app.c", POLLING)
    assert tool("mpicc", "-O1", "app.c", "-o", "app").returncode == 0
    words = ("--max-overhead", "0.1%", "--", "mpirun", "-n", "1", "./app")
    keeps_core = {"OMPI_MCA_mpi_yield_when_idle": "0"}  # on a busy machine, each yield may take long
    done = tool("autoanalyzer", "run", "-o", "out", *words, env=keeps_core)
    assert done.returncode == 0, done.stderr
    experiment = load(tool.folder / "out" / "experiment.cube")
    assert [Region.from_descriptor(each).name for each in experiment.notes.throttled] == ["MPI_Iprobe"]
    assert not any("not open" in each for each in experiment.notes.remarks)
    probing = next(number for number, path in enumerate(experiment.call_paths) if path.region.name == "MPI_Iprobe")
    assert experiment.exclusive("visits")[probing].sum() == 300_000
    assert not (tool.folder / "out" / "plan.toml").exists()


def test_what_one_process_throttles_is_folded_into_its_caller_in_all(tool: Tool) -> None:
    twice = "{ extern int fork(void), wait(int *); int few = !fork(); double s = 0; "
    body = "for (int i = 0; i < (few ? 1 : 300); i++) s += drive(few ? 3 : 3000); return few ? 0 : wait(&few) < 0; }\n"
    tool.build(TINY.partition("int main")[0] + "int main(void) " + twice + body, compiler="gcc")
    done = tool("autoanalyzer", "run", "-o", "out", "--max-overhead", "0.1%", "--", "./app")
    assert done.returncode == 0, done.stderr
    experiment = load(tool.folder / "out" / "experiment.cube")
    add = next(number for number, path in enumerate(experiment.call_paths) if path.region.name == "add")
    assert sorted(experiment.exclusive("visits")[add]) == [3, 900_000]
    assert experiment.inclusive("wall_time")[add].tolist() == [0, 0]
    driving = experiment.call_paths[add].parent
    assert (experiment.exclusive("wall_time")[driving] > 0).all()


def test_the_plan_leaves_throttled_regions_out_of_the_next_build(throttled: Tool) -> None:
    plan = tomllib.loads((throttled.folder / "out" / "plan.toml").read_text())
    assert plan["version"] == 2
    assert {(each["kind"], each["file"], each["function"], each["ordinal"]) for each in plan["exclude"]} == {
        *(("function", "app.c", "add", 0), ("loop", "app.c", "add", 0))
    }
    assert all(each["reason"].startswith("entered 900,000 times, for ") for each in plan["exclude"])
    planned = {"AUTOANALYZER_PLAN": "out/plan.toml", "AUTOANALYZER_CC": "gcc"}
    said = throttled("autoanalyzer", "regions", "app.c", env=planned).stdout.decode()
    assert "add  2-2: left out by the plan: entered 900,000 times" in said
    assert throttled("aa-mpicc", "-g", "app.c", "-o", "app", env=planned).returncode == 0
    assert throttled("autoanalyzer", "run", "-o", "out", "--", "./app").returncode == 0
    experiment = load(throttled.folder / "out" / "experiment.cube")
    assert "add" not in {path.region.name for path in experiment.call_paths}
    assert tomllib.loads((throttled.folder / "out" / "plan.toml").read_text()) == plan


def test_the_plan_of_the_last_run_is_found_in_this_folder_and_from_those_below(tool: Tool) -> None:
    tool.write("src/app.c", TINY)
    tool.write("src/last/app.c", TINY)
    tool.write("src/last/autoanalyzer-out/notes", "of a run that has throttled nothing")
    tool.write("autoanalyzer-out/plan.toml", 'version = 2\n[[exclude]]\nfunction = "drive"\n')
    for folder, plan in (
        (".", "autoanalyzer-out/plan.toml"),
        ("src", "../autoanalyzer-out/plan.toml"),
        ("src/last", ""),
    ):
        for asked in ("auto", ""):
            words = ["sh", "-c", f"cd {folder}; autoanalyzer regions $(find . -name app.c)"]
            done = tool(*words, env={"AUTOANALYZER_PLAN": asked})
            assert done.returncode == 0, done.stderr
            assert (b": left out by the plan" in done.stdout) == bool(asked and plan)
            assert done.stderr.decode() == (f"autoanalyzer: plan {plan}\n" if asked and plan else "")


def test_what_exec_has_throttled_is_in_the_plan_once_it_is_analysed(throttled: Tool) -> None:
    env = {"AUTOANALYZER_MAX_OVERHEAD": "0.1%"}
    assert throttled("autoanalyzer", "exec", "./app", env=env).returncode == 0
    throttled.write("app.c", f"{TINY}/* edited before anybody has looked */")
    done = throttled("autoanalyzer", "analyze", "autoanalyzer-out")
    assert done.returncode == 0, done.stderr
    assert b"autoanalyzer: autoanalyzer-out/plan.toml excludes small regions from the next build" in done.stderr
    plans = [load_plan(throttled.folder / out / "plan.toml") for out in ("autoanalyzer-out", "out")]
    assert {rule.pattern for rule in plans[0].exclude} == {rule.pattern for rule in plans[1].exclude}
    throttled.write("gen/app.c", TINY)
    for folder, left_out in ((".", False), ("gen", True)):
        words = ["sh", "-c", f"cd {folder}; autoanalyzer regions app.c"]
        done = throttled(*words, env={"AUTOANALYZER_PLAN": "auto"})
        assert (b": left out by the plan" in done.stdout) == left_out
        assert (b"app.c has changed since autoanalyzer-out/plan.toml was written" in done.stderr) != left_out


PASSING = """module m
contains
  recursive integer function down(n) result(r)
    integer, intent(in) :: n
    integer :: i
    r = n
    do i = 1, 2
      r = r + tiny(i)
    end do
    if (n > 0) r = r + down(n - 1)
  end function
  integer function tiny(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      tiny = n + i
      if (n > 7) return
    end do
  end function
end module
program p
  use m
  integer :: i, r
  r = 0
  do i = 1, 30000
    r = mod(r + down(9), 7)
  end do
  if (r > 8) stop 1
end program
"""


def test_a_throttled_fortran_procedure_is_counted_and_left_once(tool: Tool) -> None:
    tool.write("p.f90", PASSING)
    assert tool("aa-mpifort", "-g", "p.f90", "-o", "app").returncode == 0
    run = ("autoanalyzer", "run", "-o", "out", "--no-analyze", "--max-overhead", "0.1%")
    assert tool(*run, "--", "./app").returncode == 0
    experiment = load(tool.folder / "out" / "experiment.cube")
    names = [path.region.name for path in experiment.call_paths]
    visits = experiment.exclusive("visits").sum(axis=1).tolist()
    assert sum(each for each, name in zip(visits, names, strict=True) if name == "m::tiny") == 600_000
    assert sum(each for each, name in zip(visits, names, strict=True) if name == "m::down") == 300_000
    told = {region.name: region.text for region in map(Region.from_descriptor, experiment.notes.throttled)}
    assert told["m::tiny"] == text_of(str(tool.folder / "p.f90"))
    assert experiment.notes.repairs == 0


FORTRAN = """module m
contains
  real function add(a, b)
    real, intent(in) :: a, b
    integer :: i
    add = a
    do i = 1, int(b)
      add = add + b
    end do
  end function
  subroutine two(x)
    real :: x
    integer :: i
    do i = 1, 3
      x = x + add(x, 1.0)
    end do
    x = x * 2
  end subroutine
end module
"""


def test_a_plan_leaves_out_a_fortran_procedure_and_keeps_what_is_in_it(tool: Tool) -> None:
    tool.write("f.f90", FORTRAN)
    tool.write(
        "plan.toml",
        'version = 2\nexclude = [{kind = "function", file = "f.f90", function = "m::add", reason = "hot"},'
        ' {kind = "loop", file = "f.f90", function = "m::add"},'
        ' {kind = "function", file = "f.f90", function = "m::two"}]',
    )
    said = tool("autoanalyzer", "regions", "f.f90", env={"AUTOANALYZER_PLAN": "plan.toml"}).stdout.decode()
    assert said.splitlines() == [
        *("f.f90", "    loop@14  14-16", "left out", "  m::add  3-10: left out by the plan: hot"),
        *("  loop@7 in m::add  7-9: left out by the plan", "  m::two  11-18: left out by the plan"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "the plan cannot be read: No such file or directory"),
        ("exclude", "expected a plan in TOML: "),
        ("version = 3", "expected a plan of version 2, found version 3"),
        ("version = 2\nexclude = 3", "exclude: expected a list of rules, found 3"),
    ],
)
def test_what_is_no_plan_stops_the_build_with_a_line(tool: Tool, text: str | None, said: str) -> None:
    tool.write("a.c", "int f(void) { return 0; }")
    if text:
        tool.write("plan.toml", text)
    done = tool("aa-mpicc", "-c", "a.c", env={"AUTOANALYZER_PLAN": "plan.toml"})
    assert done.returncode == 2
    assert f"AUTOANALYZER_PLAN=plan.toml: {said}" in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert not (tool.folder / "a.o").exists()


def test_what_is_short_of_memory_gives_up_the_deepest_levels_first(preloaded: Record) -> None:  # noqa: F811
    """Regions keep being created, on the second level and on the tenth."""
    deep = " ".join(f"+f{level}" for level in range(8)), " ".join(f"-f{level}" for level in reversed(range(8)))
    (shard,) = preloaded(f"+main times 2000 new 1 {deep[0]} new 5 {deep[1]} ; -main", AUTOANALYZER_MAX_MEMORY="3M")
    tree = shard.threads[0]
    below = [int(parent) for parent in tree.nodes["parent"]]
    depth: list[int] = []
    for parent in below:
        depth.append(depth[parent] + 1 if parent >= 0 else 0)
    made = [
        place for place in range(len(depth)) if shard.regions[int(tree.nodes["region"][place])].name.startswith("new")
    ]
    assert sum(depth[place] == 2 for place in made) == 2000
    assert 0 < sum(depth[place] == 10 for place in made) < 10_000
    assert shard.deepest is not None
    assert 2 <= shard.deepest < 10
    assert shard.path.stat().st_size <= 3 << 20
    assert int(tree.nodes["visits"].sum()) + tree.collapsed == 1 + 2000 * (1 + 8 + 5)
    assert tree.nodes["wall"].sum() == pytest.approx(tree.last, rel=1e-9)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--max-memory", "12 M", "expected a size of at least 1M, such as 64M, found '12 M'"),
        ("--max-overhead", "-5%", "expected off, or a share of less than 100%, such as 5%, found '-5%'"),
    ],
)
def test_limits_that_are_none_are_told(tool: Tool, option: str, value: str, said: str) -> None:
    done = tool("autoanalyzer", "run", f"{option}={value}", "--", "true")
    assert done.returncode == 2
    assert said in done.stderr.decode()
