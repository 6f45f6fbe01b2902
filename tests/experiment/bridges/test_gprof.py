"""Output of gprof on a program compiled here, and texts with features of other programs' output."""

import re
import subprocess

import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load

from .conftest import FOREIGN

PROGRAM = """
#include <stdio.h>
static double a[300][300];
static double __attribute__((noinline)) kernel(int i, int j) { return a[i][j] * 0.5 + a[j][i]; }
static void __attribute__((noinline)) relax(void)
{ for (int i = 0; i < 300; i++) for (int j = 0; j < 300; j++) a[i][j] = kernel(i, j); }
static double __attribute__((noinline)) norm(void)
{ double s = 0; for (int i = 0; i < 300; i++) for (int j = 0; j < 300; j++) s += a[i][j]; return s; }
static void __attribute__((noinline)) step(void) { relax(); norm(); }
int main(void) { for (int k = 0; k < 100; k++) step(); printf("%g\\n", norm()); return 0; }
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gprof")
    (folder / "a.c").write_text(PROGRAM)
    for command in (["gcc", "-pg", "-O1", "-fno-inline", "a.c", "-o", "app"], ["./app"]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)

    def print_it(*options):
        file = folder / f"{'_'.join(options)}.txt"
        with file.open("w") as stream:
            subprocess.run(["gprof", *options, "app"], cwd=folder, check=True, stdout=stream)
        return file

    return print_it


def test_seconds_and_calls_are_those_that_gprof_prints(printed, values):
    file = printed("-b", "-p")
    rows = [line.split() for line in file.read_text().splitlines() if re.match(r" *\d+\.\d", line)]
    seconds = {row[-1]: float(row[2]) for row in rows}
    calls = {row[-1]: int(row[3]) for row in rows if len(row) == 7}
    experiment = load(file)
    found = {name.rpartition("/")[2]: each[0] for name, each in values(experiment, "cpu_time").items()}
    counted = {name.rpartition("/")[2]: each[0] for name, each in values(experiment, "visits").items()}
    assert {"kernel", "relax", "norm", "step"} <= seconds.keys()
    assert {name: found[name] for name in seconds} == seconds
    assert {name: counted[name] for name in calls} == calls
    assert calls["kernel"] == 100 * 300 * 300


def test_functions_stand_below_what_all_their_calls_come_through(printed):
    experiment = load(printed("-b"))
    names = [experiment.path_name(each) for each in range(len(experiment.call_paths))]
    assert any(name.endswith("step/relax/kernel") for name in names)
    assert any(name.endswith("norm") and "step" not in name for name in names)


def test_a_whole_text_with_recursion_is_read(values):
    experiment = load(FOREIGN / "stencil.gprof.txt")
    assert values(experiment, "cpu_time", inclusive=True)["program/main/step"] == [pytest.approx(0.27)]
    assert values(experiment, "visits")["program/main/depth"] == [21]
    assert values(experiment, "total_time")["program/main/norm"] == [0.01]
    assert [each.thread for each in experiment.locations] == [0]
    assert "no ranks" in experiment.notes.remarks[0]


CYCLE = """Call graph

index % time    self  children    called     name
                                                 <spontaneous>
[1]    100.0    0.00    1.00                 main [1]
                0.60    0.40       1/1           odd <cycle 1> [3]
-----------------------------------------------
[2]    100.0    0.60    0.40       1+9       <cycle 1 as a whole> [2]
                0.40    0.00       5             odd <cycle 1> [3]
                0.20    0.00       5             even(int, char const*) <cycle 1> [4]
-----------------------------------------------
                                   4             even(int, char const*) <cycle 1> [4]
                0.60    0.40       1/1           main [1]
[3]     40.0    0.40    0.00       5         odd <cycle 1> [3]
                                   5             even(int, char const*) <cycle 1> [4]
-----------------------------------------------
                                   5             odd <cycle 1> [3]
[4]     20.0    0.20    0.00       5         even(int, char const*) <cycle 1> [4]
                0.40    0.00       5/5           leaf [5]
-----------------------------------------------
                0.40    0.00       5/5           even(int, char const*) <cycle 1> [4]
[5]     40.0    0.40    0.00       5         leaf [5]
-----------------------------------------------

Index by function name
"""


def test_functions_that_call_each_other_are_below_the_first_one(tmp_path, values):
    file = tmp_path / "cycle.txt"
    file.write_text(CYCLE)
    experiment = load(file)
    assert values(experiment, "cpu_time") == {
        "main": [0.0],
        "main/odd": [0.4],
        "main/odd/even(int, char const*)": [0.2],
        "main/odd/even(int, char const*)/leaf": [0.4],
    }
    assert values(experiment, "visits")["main/odd"] == [5]


def test_a_heading_alone_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("Flat profile:\n\nEach sample counts as 0.01 seconds.\n no time accumulated\n")
    with pytest.raises(InputError, match=r"a\.txt: expected functions .*, found none"):
        load(tmp_path / "a.txt")


@pytest.mark.parametrize("options", [(), ("-b",), ("-q",), ("-b", "-q")])
def test_a_call_graph_that_is_cut_off_is_refused(options, printed, tmp_path):
    whole = printed(*options).read_text()
    assert load(printed(*options)).call_paths
    (tmp_path / "a.txt").write_text(whole[: whole.index("\n[2]") + 1])
    with pytest.raises(InputError, match=r'followed by "Index by function name", .* truncated output; create it'):
        load(tmp_path / "a.txt")


def test_a_flat_profile_that_is_cut_off_is_refused_or_said_to_lack_functions(tmp_path):
    text = (FOREIGN / "stencil.gprof.txt").read_text()
    (tmp_path / "a.txt").write_text(text[:400])
    with pytest.raises(InputError, match="expected whole lines, found truncated output"):
        load(tmp_path / "a.txt")
    (tmp_path / "a.txt").write_text("".join(text.splitlines(keepends=True)[:6]))
    assert "contains only 79 % of the time" in load(tmp_path / "a.txt").notes.remarks[-1]
    assert not any("truncated" in each for each in load(FOREIGN / "stencil.gprof.txt").notes.remarks)


def test_the_period_is_what_a_sample_is_worth():
    assert load(FOREIGN / "stencil.gprof.txt").notes.samples == {"cpu_time": 0.01}
