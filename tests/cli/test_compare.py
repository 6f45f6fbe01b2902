"""The command compare, on runs in files."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from lxml import etree, html

from autoanalyzer.experiment import Builder, Notes, Region, save

from .conftest import refused, succeed


@pytest.fixture
def series(tool, written):
    """Write three runs of each side; on the second side, the work takes 20 % longer."""
    for number, noise in enumerate((1.0, 1.002, 1.01)):
        written(f"a{number}.cube", [0.1 * noise, 2 * noise, 1 * noise])
        written(f"b{number}.cube", [0.1 * noise, 2.4 * noise, 1 * noise])
    return tool


DATA = Path(__file__).parents[1] / "data"
A, B = [f"a{number}.cube" for number in range(3)], [f"b{number}.cube" for number in range(3)]


def test_compare_says_what_is_slower_and_trips_only_where_it_is_asked_to(series):
    done = succeed(series("autoanalyzer", "compare", *A, "--with", *B))
    said = done.stdout.decode()
    assert "SLOWER   the program takes 3.5 s, 12.9 % more than 3.1 s" in said
    assert "SLOWER   work (a.c:10) takes 2.4 s, 20.0 % more than 2 s" in said
    assert series("autoanalyzer", "compare", *A, "--with", *B, "--fail-on", "5%").returncode == 3
    assert series("autoanalyzer", "compare", *A, "--with", *B, "--fail-on", "30").returncode == 0
    assert series("autoanalyzer", "compare", *B, "--with", *A, "--fail-on", "5%").returncode == 0
    assert series("autoanalyzer", "compare", *A, "--with", *A, "--fail-on", "5%").returncode == 0


def test_the_first_line_says_by_how_much_a_better_division_shortens_the_busiest_rank(here):
    """The second run of rays hands out its work on demand; wall time includes waiting for a core."""
    runs = [str(DATA / f"rays{which}.cube.gz") for which in ("", "_dynamic")]
    said = here("compare", runs[0], "--with", runs[1]).stdout.decode()
    assert said.startswith("FASTER   the busiest rank takes 924 ms, 38.7 % less than 1.51 s\n")
    assert "propagate/loop@28 (propagate.c:28) takes 905 ms, 39.1 % less than 1.49 s" in said
    assert "4 ranks share 2 cores: wall time includes waiting for a core, busy time does not" in said


def test_a_page_shows_what_is_slower_with_the_intervals_of_the_changes(series, browse):
    succeed(series("autoanalyzer", "compare", *A, "--with", *B, "--html", "page.html", "--json", "a.json"))
    shown = browse(series.folder / "page.html")
    assert shown.text.startswith("SLOWER: the program takes 3.5 s, 12.9 % more than 3.1 s (")
    assert "base runs: a0.cube, a1.cube, a2.cube · new runs: b0.cube, b1.cube, b2.cube" in shown.text
    assert "wall_time, mean of the ranks, minima of 3 base runs and 3 new runs" in shown.text
    _, program, work, *_ = (shown.drawn[place : place + 7] for place in range(0, 28, 7))
    assert (program[0], program[5]) == ("the program", "SLOWER")
    assert (work[:4], work[5]) == (["work (a.c:10)", "2 s", "2.4 s", "+20.0 %"], "SLOWER")
    (found,) = json.loads((series.folder / "a.json").read_text())["comparisons"]
    every = [found["program"], *found["regions"]]
    reach = min(1, max(abs(each[name]) for each in every for name in ("low", "high", "change")))
    (row,) = html.parse(series.folder / "page.html").xpath("//tr[th='work (a.c:10)']")
    _, interval, change = row.iter("rect")
    left, wide, middle = float(interval.get("x")), float(interval.get("width")), float(change.get("x")) + 1.5
    (expected,) = (each for each in every if each["line"] == 10)
    for name, place in (("low", left), ("high", left + wide), ("change", middle)):
        assert place == pytest.approx(120 * (1 + max(-1, min(1, expected[name] / reach))), abs=0.2)
    assert (shown.complaints, shown.requests) == ([], [])


def test_compare_says_at_once_that_a_region_is_slower_where_the_program_is_not(tool, written):
    for number, noise in enumerate((1.0, 1.002, 1.01)):
        written(f"a{number}.cube", [0.1 * noise, 2 * noise, 1 * noise])
        written(f"b{number}.cube", [0.1 * noise, 2.4 * noise, 0.1 * noise])
    done = tool("autoanalyzer", "compare", *A, "--with", *B, "--fail-on", "5%")
    assert done.returncode == 3
    assert done.stdout.decode().startswith("FASTER   the program takes")
    assert "; 1 region is slower" in done.stdout.decode().splitlines()[0]


def test_waiting_that_moves_into_a_call_of_a_faster_program_is_told_and_does_not_trip(tool, written):
    call = Region("mpi", "MPI_Allreduce", "a.c", "work", 0, 12, 12)
    for number, noise in enumerate((1.0, 1.002, 1.01)):
        written(f"a{number}.cube", [0.1 * noise, 0.3 * noise, 2 * noise], work=call)
        written(f"b{number}.cube", [0.1 * noise, 0.7 * noise, 1 * noise], work=call)
    done = succeed(tool("autoanalyzer", "compare", *A, "--with", *B, "--fail-on", "5%"))
    said = done.stdout.decode()
    assert said.startswith("FASTER   the program takes")
    assert "WAITING  MPI_Allreduce (a.c:12) takes 700 ms, 133.3 % more than 300 ms" in said
    assert ": waiting moved to this region, and the program is not slower" in said


def test_compare_says_what_is_unclear_of_a_change_that_is_sure_by_itself(tool, written):
    for number, noise in enumerate((1.0, math.exp(0.01), 1.02)):
        written(f"a{number}.cube", [noise, noise, noise])
        written(f"b{number}.cube", [noise, math.exp(0.13) * noise, noise])
    said = tool("autoanalyzer", "compare", *A, "--with", *B).stdout.decode()
    (line,) = (line for line in said.splitlines() if line.startswith("UNCLEAR  work"))
    assert line.endswith("clear on its own, but among 3 regions, it may be due to chance; more runs are needed")


def test_compare_says_what_other_programs_took_of_the_processors_on_each_side(tool, written):
    for name, own in (("a.cube", 4.5), ("b.cube", 1.0)):
        use = {"elapsed": 5.0, "busy": 5.0, "own": own}
        written(name, [0.1, 2.0, 1.0], notes=Notes(processors=2, processor_use=use))
    said = "other programs took little of the cores' time in the base runs, and 40 % now, so times may differ"
    assert said in tool("autoanalyzer", "compare", "a.cube", "--with", "b.cube").stdout.decode()
    assert "other programs" not in tool("autoanalyzer", "compare", "a.cube", "--with", "a.cube").stdout.decode()


def test_compare_of_two_runs_prints_the_command_line_to_type(tool):
    for words, way in ((["A", "B"], "A --with B"), (["A"], "A --with RUN"), (["a b", "c", "d"], "'a b' --with c d")):
        line = refused(tool("autoanalyzer", "compare", *words))
        assert line.endswith(f"after --with, for example: autoanalyzer compare {way}")


def test_compare_says_once_what_was_matched_by_likeness(tool, written):
    moved = Region("function", "work", "w.c", "work", 0, 10, 19)
    for number in range(2):
        written(f"a{number}.cube", [0.1, 2, 1])
        written(f"b{number}.cube", [0.1, 2, 1], work=moved)
    said = tool("autoanalyzer", "compare", "a0.cube", "a1.cube", "--with", "b0.cube", "b1.cube").stdout.decode()
    likeness = [line.strip() for line in said.splitlines() if "similarity" in line]
    assert likeness == ["matched by similarity: work (w.c:10) in b0.cube and 1 more corresponds to work (a.c:10)"]


def test_a_caller_is_not_slower_because_its_callee_was_throttled(tool, written):
    often = Notes(throttled={"aa1|function|work|a.c|work|0|10|19": "entered often"})
    for number, noise in enumerate((1.0, 1.002, 1.01)):
        written(f"a{number}.cube", [1 * noise, 2 * noise, 1 * noise])
        written(f"b{number}.cube", [3 * noise, 0, 1 * noise], notes=often)
    done = succeed(tool("autoanalyzer", "compare", *A, "--with", *B, "--fail-on", "5%", "--json", "c.json"))
    said = done.stdout.decode()
    folded = (
        "some regions are too small to measure separately in b0.cube and 2 more, so their time is attributed to their "
        "callers in all experiments: work"
    )
    assert said.count(folded) == 1
    assert "SLOWER" not in said
    assert "work (" not in said
    assert json.loads((tool.folder / "c.json").read_text())["comparisons"][0]["folded"] == folded


def test_compare_refuses_a_run_that_is_named_twice(files):
    (files.folder / "again.cube").symlink_to("a.cube")
    line = refused(files("autoanalyzer", "compare", "a.cube", "again.cube", "--with", "b.cube"))
    assert "again.cube: this is the same run as a.cube" in line


def test_compare_writes_markdown_junit_and_json(series):
    words = ("--markdown", "c.md", "--junit", "c.xml", "--json", "c.json", "--fail-on", "5%")
    assert series("autoanalyzer", "compare", *A, "--with", *B, *words).returncode == 3
    assert "| work (a.c:10) | 2 s | 2.4 s | +20.0 % |" in (series.folder / "c.md").read_text()
    (suite,) = etree.parse(str(series.folder / "c.xml")).getroot()
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("wall_time", "3", "2")
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["the program", "work (a.c:10)"]
    document = json.loads((series.folder / "c.json").read_text())
    assert (document["schema"], document["slower"]) == ("autoanalyzer.comparison/1", True)
    (found,) = document["comparisons"]
    assert [found["slower"], found["runs"], found["noise_known"]] == [True, [3, 3], True]
    assert [(each["path"], each["verdict"]) for each in found["regions"]] == [("work", "slower"), ("idle", "same")]


def test_markdown_begins_with_the_outcome_and_what_is_slower_stands_before_what_is_unclear(tool):
    region = [Region("function", name, "a.c", name, 0, 10, 19) for name in ("rough", "worse")]
    for side, factor in (("a", 1.0), ("b", 1.2)):
        for number, noise in enumerate((1.0, 1.002, 1.01)):
            made = Builder(Notes(program="app"))
            names = ("noisy", "mixed", "calm")
            for name in names:
                made.metric(name, "sec")
            main = made.call_path("main")
            rough, worse = (made.call_path(each, main) for each in region)
            made.location(0)
            loud, quiet = 3 * factor * (1, 1.7, 2.5)[number], factor * noise
            for name, first, second in zip(names, (loud, loud, quiet), (0.1, quiet, quiet), strict=True):
                made.row(name, rough, np.array([first]))
                made.row(name, worse, np.array([second]))
            save(made.experiment(), tool.folder / f"{side}{number}.cube")
    words = [word for name in names for word in ("--metric", name)]
    done = tool("autoanalyzer", "compare", *A, "--with", *B, *words, "--markdown", "c.md", "--fail-on", "5%")
    assert done.returncode == 3
    assert done.stdout.decode().startswith("UNCLEAR  the program")  # in the requested order
    said = (tool.folder / "c.md").read_text()
    assert said.startswith("## SLOWER by calm and mixed, UNCLEAR by noisy\n\n**SLOWER** the program takes")
    rows = [line for line in said.splitlines() if line.startswith(("| the", "| rough", "| worse"))]
    verdicts = [row.split(" | ")[-1].strip(" |") for row in rows]
    assert verdicts == ["slower"] * 3 + ["unclear", "slower", "unclear"] + ["unclear"] * 2
    assert "| worse" in rows[4]


def test_compare_of_one_run_a_side_fails_only_on_a_program_that_is_far_slower(files, written):
    written("far.cube", [0.1, 4, 1])
    for name, status, said in (
        ("a", 0, "UNCLEAR  work (a.c:10) takes 2 s, 100.0 % more than 1 s: repeat the runs"),
        ("far", 3, "SLOWER   the program takes 5.1 s, 96.2 % more than 2.6 s"),
    ):
        done = files("autoanalyzer", "compare", "b.cube", "--with", f"{name}.cube", "--fail-on", "5%")
        assert done.returncode == status
        assert said in done.stdout.decode()
        noise = "with one run, noise is unknown, so only 50 % more or a third less counts as a change"
        assert noise in done.stdout.decode()


def test_compare_says_that_few_runs_hide_what_noise_does_not(tool, written):
    for number, noise in enumerate((1.0, 1.02)):
        written(f"a{number}.cube", [0.1, 2 * noise, 1])
    done = tool("autoanalyzer", "compare", "a0.cube", "a1.cube", "--with", "a0.cube", "a1.cube")
    assert "noise 1.3 %, but more runs are needed to see a change of 5 %; confidence 99 %" in done.stdout.decode()
    written("a1.cube", [0.1, 4, 1])
    done = tool("autoanalyzer", "compare", "a0.cube", "a1.cube", "--with", "a0.cube", "a1.cube")
    assert "noise 64.5 %, which would hide a change of 5 %; confidence 99 %" in done.stdout.decode()


def test_compare_says_what_values_are(series):
    lines = series("autoanalyzer", "compare", *A, "--with", *A).stdout.decode().splitlines()
    assert lines[0].startswith("SAME     the program takes 3.1 s, the same as the base (")
    assert lines[1].strip().startswith("wall_time, mean of the ranks, minima of 3 base runs and 3 new runs; ")
    assert lines[-1].strip() == (
        "values of regions exclude callees; a region is judged if it has at least 5 % of the program's value"
    )
    (found,) = json.loads(series("autoanalyzer", "compare", *A, "--with", *A, "--json", "-").stdout)["comparisons"]
    assert (found["of_ranks"], found["least"]) == ("mean", 0.01)


def test_compare_says_what_a_region_took_that_is_gone_and_how_open_limits_are(tool, written):
    for number, noise in enumerate((1.0, 1.1)):
        written(f"a{number}.cube", [0.1, 0.04 * noise, 1])
        written(f"b{number}.cube", [0.1, 4 * noise, 0])
    said = tool("autoanalyzer", "compare", "a0.cube", "a1.cube", "--with", "b0.cube", "b1.cube").stdout.decode()
    assert "GONE     idle (a.c:20) took 1 s" in said
    assert "9900.0 % more than 40 ms (over +1000 %)" in said


def test_compare_refuses_a_run_that_was_killed_and_one_that_lost_a_rank(files, written):
    written("dead.cube", [0.1, 1, 0], notes=Notes(unfinished=(0, 1), program_status=137))
    written("lost.cube", [0.1, 1, 1], ranks=1, notes=Notes(missing=(1,)))
    for name, what in (("dead", "ranks 0, 1 never entered MPI_Finalize"), ("lost", "no data came back from rank 1")):
        line = refused(files("autoanalyzer", "compare", "a.cube", "--with", f"{name}.cube", "--fail-on", "5%"))
        assert line == f"autoanalyzer: {name}.cube: expected a complete run, but {what}; repeat that run"


def test_compare_refuses_runs_of_other_numbers_of_ranks(files, written):
    written("c.cube", [0.1, 1, 1], ranks=3)
    line = refused(files("autoanalyzer", "compare", "a.cube", "--with", "c.cube"))
    assert "expected the same ranks as in a.cube (2 ranks), found different ones (3 ranks)" in line


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--fail-on", "much"), "--fail-on much: expected a percentage above 0"),
        (("--fail-on", "5e-324"), "--fail-on 5e-324: expected a percentage above 0"),
        (("--fail-on", ""), "--fail-on : expected a percentage above 0"),
        (("--fail-on", "5_0"), "--fail-on 5_0: expected a percentage above 0"),
        (("--json", "b.cube"), "--json b.cube: this file is an input"),
        (("--junit", "../{folder}/a.cube"), "a.cube: this file is an input"),
        (("--metric", "x"), "a.cube: no metric 'x'"),
        (("--json", "none/x"), "--json none/x: expected a file in an existing folder"),
        (("--json", "x", "--junit", "x"), "--json x: --junit also writes this file"),
        (("--json", "./x", "--markdown", "x"), "--json x: --markdown also writes this file"),
        (("--markdown", "-", "--junit", "-"), "--junit -: --markdown also writes this file"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line_and_nothing_is_left_behind(files, words, message):
    before = sorted(files.folder.iterdir())
    words = [word.format(folder=files.folder.name) for word in words]
    assert message in refused(files("autoanalyzer", "compare", "a.cube", "--with", "b.cube", *words))
    assert sorted(files.folder.iterdir()) == before


def test_compare_takes_a_file_in_the_folder_of_a_run_for_the_run_itself(files):
    (files.folder / "run").mkdir()
    (files.folder / "a.cube").rename(files.folder / "run" / "experiment.cube")
    for words in (("compare", "run", "--with", "b.cube"), ("analyze", "run")):
        line = refused(files("autoanalyzer", *words, "--json", "run/experiment.cube"))
        assert "--json run/experiment.cube: this file is an input" in line


def test_compare_shows_a_change_with_the_digits_of_the_threshold(tool, written):
    for name, count in (("a", 1e6), ("b", 1.0004e6)):
        written(f"{name}.cube", [0, count, 0], metric="n", unit="occ", source="simulated:tool")
    done = tool("autoanalyzer", "compare", "a.cube", "--with", "b.cube", "--metric", "n", "--fail-on", "0.01%")
    assert done.returncode == 3
    said = done.stdout.decode()
    assert "SLOWER   the program has 2.0e6, 0.04 % more than 2.0e6 (+0.04 %)" in said
    done = succeed(tool("autoanalyzer", "compare", "a.cube", "--with", "b.cube", "--metric", "n", "--fail-on", "1%"))
    assert "SAME     the program has 2.0e6, the same as the base (0.0 %)" in done.stdout.decode()


def test_of_one_run_a_side_no_limits_are_given(files):
    done = files("autoanalyzer", "compare", "a.cube", "--with", "b.cube", "--json", "-")
    (found,) = json.loads(done.stdout)["comparisons"]
    for each in (found["program"], *found["regions"]):
        assert (each["low"], each["high"], each["noise"]) == (None, None, None)


def test_values_that_are_far_apart_or_too_large_are_judged_or_refused(tool, written):
    for name, value in (("a", 1e-308), ("b", 1e307), ("c", 1.7e308)):
        written(f"{name}.cube", [0, value, 0], metric="n", unit="occ")
    words = ("autoanalyzer", "compare", "a.cube", "--metric", "n", "--json", "-", "--with")
    done = tool(*words, "b.cube")
    assert json.loads(done.stdout)["comparisons"][0]["program"]["change"] is None
    assert refused(tool(*words, "c.cube")) == (
        "autoanalyzer: c.cube: expected a positive, finite n of the program, found inf, so there is nothing to compare"
    )


def test_a_metric_that_is_named_twice_is_judged_once(files):
    words = ("--metric", "wall_time", "--metric", "wall_time", "--json", "-")
    done = files("autoanalyzer", "compare", "a.cube", "--with", "b.cube", *words)
    assert len(json.loads(done.stdout)["comparisons"]) == 1


def test_names_of_metrics_do_not_reach_a_terminal_raw(tool, written):
    written("odd.cube", [1, 1, 1], metric="time\x9b31m")
    line = refused(tool("autoanalyzer", "compare", "odd.cube", "--with", "odd.cube", "--metric", "x"))
    assert "time\ufffd31m" in line


@pytest.mark.parametrize(
    ("kind", "start"),
    [("json", b"{"), ("markdown", b"## SLOWER by wall\\_time\n\n**SLOWER** the program"), ("junit", b"<?xml")],
)
def test_a_document_goes_to_standard_output_and_the_verdict_makes_way(kind, start, series):
    done = succeed(series("autoanalyzer", "compare", *A, "--with", *B, f"--{kind}", "-"))
    assert done.stdout.startswith(start)
    assert done.stderr.decode().startswith("SLOWER   the program")
    assert not (series.folder / "-").exists()


def test_compare_refuses_a_metric_in_two_units(files, written):
    written("occ.cube", [0.1, 2, 1], unit="occ")
    line = refused(files("autoanalyzer", "compare", "a.cube", "--with", "occ.cube"))
    assert "occ.cube: expected wall_time in sec, as in a.cube, found occ" in line


@pytest.mark.parametrize("sides", [("unstated.cube", "a.cube"), ("a.cube", "unstated.cube")])
def test_compare_takes_a_unit_that_is_not_stated_for_that_of_the_others(files, written, sides):
    written("unstated.cube", [0.1, 2, 1], unit="")
    done = files("autoanalyzer", "compare", sides[0], "--with", sides[1], "--json", "found.json")
    assert (done.returncode, done.stderr) == (0, b"")
    (found,) = json.loads((files.folder / "found.json").read_text())["comparisons"]
    assert (found["unit"], found["least"]) == ("sec", 0.01)
