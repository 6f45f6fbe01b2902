import json

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region, save

from .conftest import refused, succeed


@pytest.fixture
def saved(tool):
    """Write ``app.cube`` with two loops on four ranks; one loop takes twice as long on two of them."""
    seconds = np.array([[0.0] * 4, [1.0, 1.0, 2.0, 2.0], [0.05] * 4])
    counts = {"instructions": 1e9 * seconds, "cycles": np.array([[0.0], [2e9], [6e9]]) * seconds}
    times = {"wall_time": seconds, "cpu_time": seconds, "mpi_cpu_time": 0 * seconds}
    experiment = Experiment(
        metrics=[*(Metric(name, "sec") for name in times), *(Metric(name, "occ") for name in counts)],
        call_paths=[
            CallPath(Region("function", "main", "app.c", "main", 0, 1, 9)),
            CallPath(Region("loop", "loop@3", "app.c", "main", 0, 3, 4), 0),
            CallPath(Region("loop", "loop@5", "app.c", "main", 1, 5, 6), 0),
        ],
        locations=[Location("m", "n", rank) for rank in range(4)],
        severities={**times, **counts},
    )
    save(experiment, tool.folder / "app.cube")
    return tool


def test_causes_survive_the_file(saved):
    said = saved("autoanalyzer", "analyze", "app.cube").stdout.decode()
    assert "why: instructions differ: 2.0e9 on" in said
    assert "explains the difference" in said
    assert len(said.splitlines()) <= 15


def test_explain_prints_the_tables_above_the_verdict(saved):
    said = saved("autoanalyzer", "analyze", "app.cube", "--explain").stdout.decode()
    assert said.index("decision table: a1 instructions; D cluster") < said.index("discernibility matrix:")
    assert said.index("smallest reducts: {a1 instructions}") < said.index("IMBALANCE")


def test_what_is_hot_and_what_imbalance_costs_is_listed_and_in_the_document(saved):
    done = succeed(saved("autoanalyzer", "analyze", "app.cube", "--hot", "--losses", "--all", "--json", "f.json"))
    said = done.stdout.decode().splitlines()
    assert " ".join(said[0].split()) == (
        "own wall time share own compute time own mpi time with small wall time callers region source"
    )
    assert " ".join(said[1].split()) == "1.5 s 97 % 1.5 s - 1.5 s 1.5 s 0 loop in main app.c:3"
    assert " ".join(said[4].split()) == "2 s 24 % 2 s 1.5 s 1.33 2 loop in main app.c:3"
    assert said[5] == "shares: 100 % is the time of the slowest rank, times the number of ranks"
    found = json.loads((saved.folder / "f.json").read_text())
    assert [(each["line"], each["own_wall_time"]) for each in found["hot"]] == [(3, 1.5), (5, 0.05)]
    hot = [(each["line"], each["own_compute_time"], each["callers"]) for each in found["hot_procedures"]]
    assert hot == [(3, 1.5, 0), (5, 0.05, 0)]
    (loss,) = found["losses"]
    assert (loss["path"], loss["loss"], loss["longest"], loss["mean"], loss["slowest"]) == ("loop@3", 2.0, 2.0, 1.5, 2)
    assert loss["factor"] == pytest.approx(4 / 3)


def test_the_account_is_a_table_with_its_prices_and_in_the_document(saved):
    said = succeed(saved("autoanalyzer", "analyze", "app.cube", "--account", "--json", "f.json")).stdout.decode()
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert lines[:4] == [
        "own time share instructions region source",
        "1.55 s 100 % 1.55 s all regions",
        "1.5 s 97 % 1.5 s loop in main app.c:3",
        "50 ms 3.2 % 50 ms loop in main app.c:5",
    ]
    assert lines[4:7] == [
        "times are means over the ranks, without nested regions; blank cells: below 0.5 % of the total time",
        "prices fitted to this run: 1 ns per instruction",
        "0.0 % of the computing time is not explained by these prices",
    ]
    assert lines[7].startswith("the machine was not calibrated")
    found = json.loads((saved.folder / "f.json").read_text())["account"]
    assert found["parts"] == ["instructions", "unexplained", "off"]
    assert (found["prices"], found["fitted"]) == ({"instruction": pytest.approx(1e-9)}, ["instruction"])
    assert [(each["line"], sum(each["own"].values())) for each in found["regions"]] == [(3, 1.5), (5, 0.05)]
    assert [each["inclusive"]["instructions"] for each in found["regions"]] == pytest.approx([1.5, 0.05])
    assert [each["own_intervals"]["off"] for each in found["regions"]] == [[0.0, 0.0]] * 2
    assert [each["inclusive_intervals"]["instructions"] for each in found["regions"]] == [None, None]


def test_the_document_on_standard_output_stands_there_alone(saved):
    done = saved("autoanalyzer", "analyze", "app.cube", "--tree", "--explain", "--hot", "--json", "-")
    assert json.loads(done.stdout)["verdict"]
    assert done.stderr.decode().count("app.c:3") > 2


@pytest.mark.parametrize("share", ["20%", "20", " 20 %"])
def test_the_tree_counts_what_takes_less_than_is_asked_for_below_its_parent(saved, share):
    lines = succeed(saved("autoanalyzer", "analyze", "app.cube", "--tree", "--min", share)).stdout.decode().splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["share", "wall", "compute", "over", "ranks", "MPI", "I/O", "visits", "region", "source"],
        ["97", "%", "1.5", "s", "1.5", "s", "1-2", "s", "-", "-", "-", "loop", "in", "main", "app.c:3"],
        ["2", "more", "below", "20", "%"],
    ]
    assert lines[3].startswith("times: means over the ranks; over ranks: shortest and longest compute time")


def test_without_a_least_share_the_tree_has_every_region(saved):
    whole = succeed(saved("autoanalyzer", "analyze", "app.cube", "--tree")).stdout
    assert succeed(saved("autoanalyzer", "analyze", "app.cube", "--tree", "--min", "0")).stdout == whole
    assert b"app.c:5" in whole


@pytest.mark.parametrize("share", ["-1", "101%", "much", "nan", "1_0"])
def test_a_share_that_is_none_is_refused_in_one_line(saved, share):
    line = refused(saved("autoanalyzer", "analyze", "app.cube", "--tree", f"--min={share}"))
    assert "expected a percentage from 0 to 100, such as 0.5%" in line


def test_a_least_share_without_a_tree_is_refused(saved):
    assert refused(saved("autoanalyzer", "analyze", "app.cube", "--min", "1%")) == "autoanalyzer: --min needs --tree"


@pytest.mark.parametrize(("metric", "word"), [("crnm", "1.94"), ("cpi", "6.00"), ("wall_time", "very high")])
def test_regions_are_classed_by_the_metric_that_is_asked_for(saved, metric, word):
    done = succeed(saved("autoanalyzer", "analyze", "app.cube", "--disparity-metric", metric, "--explain"))
    assert f"DISPARITY by {metric}" in done.stdout.decode()
    assert word in done.stdout.decode()


def test_the_method_of_the_paper_is_told_in_the_verdict_and_in_the_findings(saved):
    done = succeed(saved("autoanalyzer", "analyze", "app.cube", "--method", "paper", "--json", "found.json"))
    assert "analysed as in Liu et al. 2011 (--method paper)" in done.stdout.decode()
    assert json.loads((saved.folder / "found.json").read_text())["method"] == "paper"


def test_cpi_is_refused_where_nothing_was_counted(tool):
    seconds = np.array([[0.0], [1.0]])
    experiment = Experiment(
        metrics=[Metric(name, "sec") for name in ("wall_time", "cpu_time", "mpi_cpu_time")],
        call_paths=[CallPath(Region("function", "main")), CallPath(Region("function", "f"), 0)],
        locations=[Location("m", "n", 0)],
        severities={"wall_time": seconds, "cpu_time": seconds, "mpi_cpu_time": 0 * seconds},
    )
    save(experiment, tool.folder / "app.cube")
    line = refused(tool("autoanalyzer", "analyze", "app.cube", "--disparity-metric", "cpi"))
    assert line == "autoanalyzer: cpi needs counts of instructions and cycles, found none"


def test_an_unknown_rank_is_refused_in_one_line(saved):
    line = refused(saved("autoanalyzer", "analyze", "app.cube", "--exclude-rank", "9"))
    assert line == "autoanalyzer: no rank 9; there are ranks 0 to 3"


def test_an_unknown_metric_is_refused_in_one_line(saved):
    refused(saved("autoanalyzer", "analyze", "app.cube", "--disparity-metric", "speed"))
