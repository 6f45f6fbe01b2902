"""A refined plan keeps the regions of the plan that it refines."""

from __future__ import annotations

import pytest

from autoanalyzer.experiment import load

from ..conftest import Tool
from .conftest import refused, succeed

SOURCE = """static double sink;
static void spin(int n) {
    for (int i = 1; i < n * 40000; i++) sink += 1.0 / i;
}
static void work(int n) {
    for (int i = 0; i < n; i++) spin(10);
    for (int i = 0; i < n; i++) spin(10);
#pragma autoanalyzer begin marked
    for (int i = 0; i < n; i++) spin(10);
#pragma autoanalyzer end
    for (int i = 0; i < n; i++) {
        if (i % 2)
            spin(20);
    }
    if (n > 5)
        spin(10 * n);
}
int main(void) { work(30); return sink < 0; }
"""
PLAN = """version = 2
modes = ["functions", "outer-loops"]
[[exclude]]
name = "spin"
[[exclude]]
function = "spin"
[[include]]
function = "work"
kind = "user"
[[merge]]
function = "work"
regions = ["loop#0", "loop#1"]
[[split]]
function = "work"
kind = "function"
into = "blocks"
[[split]]
function = "work"
name = "loop@11"
into = "blocks"
"""
MERGED = "loop@6+loop@7"


def made(tool: Tool, plan: str) -> set[str]:
    """Build by a plan without warnings; return the names of the regions in a run."""
    env = {"AUTOANALYZER_PLAN": plan, "AUTOANALYZER_CC": "gcc"}
    built = tool("aa-mpicc", "-O1", "app.c", "-o", "app", env=env)
    assert (built.returncode, built.stderr) == (0, b"")
    succeed(tool("autoanalyzer", "run", "--no-analyze", "-o", "out", "--", "./app"))
    return {path.region.name for path in load(tool.folder / "out" / "experiment.cube").call_paths}


def test_blocks_marks_and_merged_regions_stay_unless_they_are_opened(tool: Tool) -> None:
    tool.write("app.c", SOURCE)
    tool.write("plan.toml", PLAN)
    found = made(tool, "plan.toml")
    assert found >= {"work", "marked", MERGED, "block@12", "block@15"}
    done = succeed(tool("autoanalyzer", "debug", "--plan-only", "out", "-o", "refined.toml"))
    older = succeed(tool("autoanalyzer", "refine", "out", "-o", "older.toml"))
    assert older.stdout.replace(b"older", b"refined") == done.stdout
    assert (tool.folder / "older.toml").read_text().replace("older", "refined") == (
        tool.folder / "refined.toml"
    ).read_text()
    again = made(tool, "refined.toml")
    if f"opens {MERGED}" in (tool.folder / "refined.toml").read_text():
        again = again - {"loop@6", "loop@7"} | {MERGED}
    assert again >= found


@pytest.mark.parametrize("words", [(), ("-o", "plan.toml", "--trace"), ("-o", "plan.toml", "--", "./app")])
def test_a_plan_alone_needs_a_file_and_takes_no_option_of_a_run(words: tuple[str, ...], tool: Tool) -> None:
    assert "--plan-only needs" in refused(tool("autoanalyzer", "debug", "--plan-only", "out", *words))
    assert "required: --build" in refused(tool("autoanalyzer", "debug", *words))
