"""What measuring may take: memory of a process, share of the time."""

from __future__ import annotations

import tomllib

import pytest

from autoanalyzer.experiment import load

from ..conftest import Tool
from .probe.conftest import Record, built_once, library, plain_program, preloaded  # noqa: F401 - fixtures

TINY = """
static int add(int a, int b) { int s = a; for (int i = 0; i < 1; i++) s += b; return s; }
static double heavy(int n) { double s = 0; for (int i = 0; i < n; i++) s += 1.0 / (i + 1); return s; }
static double drive(int n) { double s = 0; for (int i = 0; i < n; i++) s += add(i, 1); return s + heavy(20000); }
int main(void) { double s = 0; for (int i = 0; i < 300; i++) s += drive(3000); return s < 0; }
"""


@pytest.fixture
def throttled(tool: Tool) -> Tool:
    tool.build(TINY, compiler="gcc")
    done = tool("autoanalyzer", "run", "-o", "out", "--max-overhead", "0.1%", "--", "./app")
    assert done.returncode == 0, done.stderr
    assert b"throttled: add and 1 more: time attributed to callers, because measuring cost too much" in done.stderr
    return tool


def test_tiny_regions_are_throttled_and_no_time_or_entry_is_lost(throttled: Tool) -> None:
    experiment = load(throttled.folder / "out" / "experiment.cube")
    visits = experiment.exclusive("visits").sum(axis=1)
    names = [path.region.name for path in experiment.call_paths]
    assert sum(visits[place] for place, name in enumerate(names) if name == "add") == 900_000
    assert sum(visits[place] for place, name in enumerate(names) if name == "heavy") == 300
    assert {each.split("|")[4] for each in experiment.notes.throttled} == {"add"}
    assert 1_000_000 < experiment.notes.untimed <= 1_800_000
    times = experiment.inclusive("wall_time").sum(axis=1)
    assert [times[place] for place, name in enumerate(names) if name == "add"] == [0]
    assert times[names.index("main")] == pytest.approx(experiment.exclusive("wall_time").sum())


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
    assert not (throttled.folder / "out" / "plan.toml").exists()


FORTRAN = """module m
contains
  real function add(a, b)
    real, intent(in) :: a, b
    integer :: i
    add = a
    do i = 1, 2
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
        (None, "expected a plan, found No such file or directory"),
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
    """New regions all the time, on the second level and on the tenth."""
    deep = " ".join(f"+f{level}" for level in range(8)), " ".join(f"-f{level}" for level in reversed(range(8)))
    (shard,) = preloaded(f"+main times 2000 new 1 {deep[0]} new 5 {deep[1]} ; -main", AUTOANALYZER_MAX_MEMORY="2M")
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
    assert shard.path.stat().st_size <= 2 << 20
    assert int(tree.nodes["visits"].sum()) + tree.collapsed == 1 + 2000 * (1 + 8 + 5)
    assert tree.nodes["wall"].sum() == pytest.approx(tree.last, rel=1e-9)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--max-memory", "12 M", "expected bytes, such as 64M, and at least 1M, found '12 M'"),
        ("--max-overhead", "-5%", "expected a share of more than 0% and less than 100%, such as 5%, found '-5%'"),
    ],
)
def test_limits_that_are_none_are_told(tool: Tool, option: str, value: str, said: str) -> None:
    done = tool("autoanalyzer", "run", f"{option}={value}", "--", "true")
    assert done.returncode == 2
    assert said in done.stderr.decode()
