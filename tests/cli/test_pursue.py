import csv
import io
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from autoanalyzer.cli import pursue
from autoanalyzer.experiment import Builder, Notes, save
from autoanalyzer.timelines import pursuit

from .conftest import refused

BIN = Path(sys.executable).parent
HOSTILE = ("</script><script>alert(1)</script>", 'it\'s "quoted" <b>x</b> $y$', "x" * 500, "שלום \u202e; %{z}")


def _rows(names: tuple[str, ...], *, ranks: int = 24, until: int = 24) -> list[list[object]]:
    """Return rows of samples of all ranks, once per second; from second 8 on, rank 3 has more of the second metric."""
    drawn = np.random.default_rng(2)
    rows: list[list[object]] = [["time", "process", "thread", *names]]
    for second in range(until):
        values = 100 + drawn.standard_normal((ranks, len(names)))
        if second >= 8:
            values[3, 1] += 60
        values[:, -1] = 7
        rows += [[second, rank, 0, *values[rank]] for rank in range(ranks)]
    return rows


def _text(rows: list[list[object]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


NAMES = ("reads[occ]", "writes[bytes]", "switches", "packets", "forks")
TRACE = _text(_rows(NAMES))
TARGETS = ("--json", "o.json", "--csv", "o.csv", "--html", "o.html", "--policy", "policy.json")


@pytest.fixture
def trace(tool) -> Path:
    return tool.write("trace.csv", TRACE)


def test_a_trace_comes_as_text_json_csv_a_policy_and_a_page(trace, tool, here, browse):
    done = here("pursue", "trace.csv", "--window", "4", *TARGETS)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert "writes: rank 3 with 160 B" in text
    assert "Dropped: forks (constant: 7)." in text
    document = json.loads((tool.folder / "o.json").read_text())
    assert document["schema"] == "autoanalyzer.pursuit/1"
    assert document["metrics"] == ["reads", "writes", "switches", "packets", "forks"]
    assert [each["start"] for each in document["periods"]] == [*range(0, 20, 2), 19]
    for each in document["periods"]:
        assert len(each["metrics"]) == 3
        assert each["importance"].keys() == {"reads", "writes", "switches", "packets"}
        assert each["status"] in get_args(pursuit.Status)
    later = [each for each in document["periods"] if each["start"] >= 8]
    assert all(each["metrics"][0] == "writes" and each["status"] == "converged" for each in later)
    assert 0 < document["reduction"]["share"] < 2 / 8
    rows = list(csv.DictReader((tool.folder / "o.csv").open()))
    assert [row["first"] for row in rows[4:]] == ["writes"] * 7
    policy = json.loads((tool.folder / "policy.json").read_text())
    assert policy["schema"] == "autoanalyzer.policy/1"
    assert "writes" in document["selected"]
    assert set(policy["record"]) == {*document["selected"], *policy["probe"]}
    assert {*policy["record"], *policy["leave"]} == set(document["metrics"])
    assert len(policy["probe"]) == len(policy["leave"]) == 1
    assert policy["probe"] == document["periods"][-1]["probed"]
    seen = browse(tool.folder / "o.html")
    assert (seen.complaints, seen.requests) == ([], [])
    assert seen.pictures == 6
    assert text.rpartition("\n\n")[2].split("\n")[0] in seen.text


def test_one_period_ranks_all_metrics(trace, tool, here, browse):
    done = here("pursue", "trace.csv", "--html", "o.html")
    ranked = [line.split()[0] for line in done.stdout.decode().split("\n")[2:6]]
    assert ranked[0] == "writes"
    assert set(ranked) == {"reads", "writes", "switches", "packets"}
    assert browse(tool.folder / "o.html").complaints == []


def test_hostile_names_are_text_in_every_form(tool, here, browse):
    tool.write("trace.csv", _text(_rows((*HOSTILE, "last"))))
    done = here("pursue", "trace.csv", "--window", "4", *TARGETS)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "\u202e" not in done.stdout.decode()
    assert json.loads((tool.folder / "o.json").read_text())["metrics"] == [*HOSTILE, "last"]
    seen = browse(tool.folder / "o.html")
    assert (seen.complaints, seen.requests) == ([], [])
    assert any("script>" in each for each in seen.drawn)
    assert "\u202e" not in "".join(seen.drawn) + seen.text


def test_an_experiment_is_one_period_and_its_events_are_the_next_list(tool, here):
    made = Builder()
    drawn = np.random.default_rng(1)
    for name in ("tlb", "loads", "stores", "branches"):
        made.metric(name, "occ", source=f"measured:papi:PAPI_{name.upper()}")
    main = made.call_path("main")
    work = made.call_path("work", main)
    for rank in range(32):
        made.location(rank)
    for name in ("tlb", "loads", "stores", "branches"):
        made.row(name, main, np.full(32, 10.0))
        made.row(
            name, work, 1e6 * (1 + 0.01 * drawn.standard_normal(32)) * (1 + (np.arange(32) == 9) * (name == "tlb"))
        )
    save(made.experiment(), tool.folder / "run.cube")
    done = here("pursue", "run.cube", "--region", "work", "--json", "o.json")
    text = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "tlb: rank 9 with 2.0e6 (median 1.0e6)" in text
    assert "--counters papi --events tlb=PAPI_TLB," in text
    (period,) = json.loads((tool.folder / "o.json").read_text())["periods"]
    assert (period["metrics"][0], period["status"]) == ("tlb", "converged")
    few = here("pursue", "run.cube", *(word for rank in range(26) for word in ("--exclude-rank", str(rank))))
    assert b"too-few (6 locations for 4 metrics, but 8 are needed)" in few.stdout
    more = here("pursue", "run.cube", "--sample", "run.cube", "--json", "-")
    assert json.loads(more.stdout)["periods"][0]["locations"] == 64


def test_a_formula_can_be_pursued(trace, here):
    words = ("--derive", "share=writes/reads", "--metrics", "share,reads,packets")
    done = here("pursue", "trace.csv", *words, "--json", "-")
    (period,) = json.loads(done.stdout)["periods"]
    assert period["metrics"][0] == "share"
    assert set(period["importance"]) == {"share", "reads", "packets"}


def test_metrics_are_named_as_of_an_experiment(tool, here):
    tool.write("trace.csv", _text(_rows(("instructions", "cycles", "loads", "stores"))))
    words = ("--metrics", "loads,loads,ipc,loads", "--derive", "rate=loads/cycles")
    done = here("pursue", "trace.csv", *words, "--json", "-")
    document = json.loads(done.stdout)
    assert document["metrics"] == ["loads", "ipc", "rate"]
    assert set(document["periods"][0]["importance"]) == {"loads", "ipc", "rate"}


def test_locations_are_called_alike_in_all_periods(tool, here):
    rows = _rows(NAMES)
    for row in rows[1:]:
        row[2] = int(row[0] >= 16 and row[1] == 5)  # a second thread starts late
    tool.write("trace.csv", _text(rows))
    periods = json.loads(here("pursue", "trace.csv", "--window", "8", "--json", "-").stdout)["periods"]
    assert ["3.0" in each["outliers"] for each in periods[1:]] == [True] * (len(periods) - 1)


def test_a_policy_has_what_a_selected_formula_is_made_of(trace, tool, here):
    words = ("--derive", "share=writes/reads", "--metrics", "share,switches,packets,forks")
    done = here("pursue", "trace.csv", *words, "--policy", "policy.json", "--json", "o.json")
    assert json.loads((tool.folder / "o.json").read_text())["selected"][0] == "share"
    policy = json.loads((tool.folder / "policy.json").read_text())
    assert set(policy["record"]) == {"writes", "reads", "switches", "packets", "forks"}
    assert (policy["probe"], policy["leave"]) == (["forks"], [])
    assert policy["next"] == f"--metrics {','.join(policy['record'])}"
    kept = ",".join(name for name in policy["record"] if name != "forks")
    assert f"Next, record {kept}: this leaves out 12 %" in done.stdout.decode()


def test_camps_are_told_with_their_ranks_and_values(tool, here, browse):
    values = 100 + np.random.default_rng(4).standard_normal((64, 4))
    values[16:48, 2] += 20
    rows = [["time", "process", "thread", "a", "b", "sent[bytes]", "d"]]
    tool.write("camps.csv", _text([*rows, *([0, rank, 0, *values[rank]] for rank in range(64))]))
    done = here("pursue", "camps.csv", "--json", "o.json", "--html", "o.html")
    text = done.stdout.decode()
    assert "sent: ranks 16-47 with a mean of 120 B (mean of the others: 100 B)" in text
    (period,) = json.loads((tool.folder / "o.json").read_text())["periods"]
    assert (period["status"], period["metrics"][0], period["index"] > period["chance"]) == ("converged", "sent", False)
    camps = period["camps"]
    assert camps["index"] > camps["chance"]
    assert (camps["metric"], camps["alone"], camps["points"], camps["metrics"]) == ("sent", True, 32, ["sent"])
    assert browse(tool.folder / "o.html").complaints == []


def test_it_is_said_from_when_to_when_a_metric_stands_out(tool, here):
    """In a run of 40 s, rank 3 reads twice as much from second 12 to 24."""
    drawn = np.random.default_rng(2)
    rows: list[list[object]] = [["time", "process", "thread", *NAMES]]
    for second in range(40):
        values = 100 + drawn.standard_normal((24, len(NAMES)))
        values[3, 0] *= 1 + (12 <= second < 24)
        rows += [[second, rank, 0, *each] for rank, each in enumerate(values)]
    tool.write("t.csv", _text(rows))
    text = here("pursue", "t.csv", "--window", "8").stdout.decode()
    assert re.search(r"\nLook at reads: rank 3 with 20\d(\.\d)? \(median [^)]*\), from 8 s to 28 s[.;]", text)
    assert "  by chance  " in text
    assert "  camps by chance  " in text


def test_other_ranks_in_the_same_metric_later_are_none_of_those_that_are_told(tool, here):
    """In a run of 60 s, rank 5 reads more from second 10 to 20, and rank 9 from second 40 to 50."""
    drawn = np.random.default_rng(0)
    rows: list[list[object]] = [["time", "process", "thread", *NAMES]]
    for second in range(60):
        values = 100 + drawn.standard_normal((24, len(NAMES)))
        values[5, 0] += 90 * (10 <= second < 20)
        values[9, 0] += 60 * (40 <= second < 50)
        rows += [[second, rank, 0, *each] for rank, each in enumerate(values)]
    tool.write("t.csv", _text(rows))
    text = here("pursue", "t.csv", "--window", "10", "--trim", "remove").stdout.decode()
    assert re.search(
        r"\nTrimmed in \d of 1\d periods: ranks 5, 9[-, 0-9]* \(left out\), far from all other locations\.", text
    )
    text = here("pursue", "t.csv", "--window", "10").stdout.decode()
    assert re.search(r"\nLook at reads: rank 9 with [^;]*, from 35 s to the end[.;]", text)


def test_trimming_names_whom_it_left_out(tool, here):
    values = 100 + np.random.default_rng(4).standard_normal((24, 4))
    values[[7, 8]] += 50
    values[10:14, 2] += 8
    rows = [["time", "process", "thread", "a", "b", "c", "d"], *([0, rank, 0, *values[rank]] for rank in range(24))]
    tool.write("far.csv", _text(rows))
    said = "\nTrimmed: ranks 7-8 ({}), far from all other locations.\n"
    for how, what in (("remove", "left out"), ("log", "moved closer"), ("none", None)):
        text = here("pursue", "far.csv", "--trim", how).stdout.decode()
        assert (said.format(what) in text) == (what is not None), how


def test_of_a_run_no_difference_is_told_that_does_not_matter(tool, here):
    """Only rank 0 reads a file, for 84 us; four of sixteen ranks execute three times the instructions."""
    made = Builder(Notes(processors=2))
    for name, unit in (("wall_time", "sec"), ("io_time", "sec"), ("instructions", "occ")):
        made.metric(name, unit)
    main = made.call_path("main")
    ranks = np.arange(16)
    for rank in ranks.tolist():
        made.location(rank)
    drawn = np.random.default_rng(0).standard_normal((2, 16))
    made.row("wall_time", main, 2 + 0.01 * drawn[0])
    made.row("io_time", main, np.where(ranks == 0, 84e-6, 0.0))
    made.row("instructions", main, np.where(ranks >= 12, 3e9, 1e9) + 1e6 * drawn[1])
    save(made.experiment(), tool.folder / "run.cube")
    text = here("pursue", "run.cube").stdout.decode()
    assert "\nLook at instructions: ranks 12-15 with 3.0e9 (median 1.0e9).\n" in text
    assert "\nThe next analysis needs only --metrics " in text
    assert text.endswith("trust busy time, not wall time: 16 ranks share 2 cores.\n")


def test_few_ranks_are_judged_by_parts_of_their_samples(tool, here, browse):
    tool.write("few.csv", _text([row for row in _rows(NAMES) if row[1] == "process" or row[1] < 6]))
    done = here("pursue", "few.csv", "--window", "8", "--json", "o.json", "--html", "o.html")
    periods = json.loads((tool.folder / "o.json").read_text())["periods"]
    assert [(each["locations"], each["points"]) for each in periods] == [(6, 36)] * 5
    assert [each["status"] for each in periods[2:]] == ["converged"] * 3
    assert all(each["metrics"][0] == "writes" for each in periods[2:])
    assert "writes: rank 3 with" in done.stdout.decode()
    assert browse(tool.folder / "o.html").complaints == []


def test_a_policy_that_a_monitor_obeys_does_not_go_blind(tool):
    names = [f"m{each}" for each in range(12)]
    drawn = np.random.default_rng(6)
    values = 100 + drawn.standard_normal((200, 24, 12))
    values[10:40, 3, 0] += 15
    values[80:160, 5, 10] += 15
    words = [BIN / "autoanalyzer", "pursue", "-", "--window", "10", "--follow", "60", "--policy", "p.json"]
    asked = set(names)
    with subprocess.Popen(
        [*words, "--json", "o.json"], cwd=tool.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as watched:
        watched.stdin.write(_text([["time", "process", "thread", *names]]).encode())
        told = 0
        for number, sample in enumerate(values):
            recorded = np.where([name in asked for name in names], sample, np.nan)
            rows = [[number / 2, rank, 0, *row] for rank, row in enumerate(recorded.tolist())]
            watched.stdin.write(_text(rows).encode())
            watched.stdin.flush()
            if number / 2 > 10 + 5 * told:
                watched.stdout.readline()
                told += 1
                asked = set(json.loads((tool.folder / "p.json").read_text())["record"])
        watched.stdin.close()
        watched.stdout.read()
    assert watched.returncode == 0
    document = json.loads((tool.folder / "o.json").read_text())
    found = [each for each in document["periods"] if each["status"] == "converged" and each["metrics"][0] == "m10"]
    assert found[0]["start"] < 80
    assert "m10" in found[0]["selected"]
    assert 0.3 < document["reduction"]["share"] < 0.45


def test_the_same_seed_gives_the_same_numbers(trace, here):
    first, second = (here("pursue", "trace.csv", "--window", "4", "--seed", "7", "--json", "-") for _ in range(2))
    assert first.stdout == second.stdout


def test_a_growing_file_is_followed_to_the_same_end(tool):
    lines = TRACE.splitlines(keepends=True)
    grown = tool.write("grows.csv", "".join(lines[:30]))
    words = [
        "autoanalyzer",
        "pursue",
        "grows.csv",
        "--window",
        "4",
        "--follow",
        "2",
        "--policy",
        "p.json",
        "--json",
        "o.json",
    ]
    with subprocess.Popen([BIN / words[0], *words[1:]], cwd=tool.folder, stdout=subprocess.PIPE) as watched:
        with grown.open("a") as stream:
            stream.write("".join(lines[30:400]) + lines[400][:5])
            stream.flush()
            assert b"0-4 s" in watched.stdout.readline()
            assert "record" in json.loads((tool.folder / "p.json").read_text())
            stream.write(lines[400][5:] + "".join(lines[401:]))
        rest = watched.stdout.read().decode()
    assert watched.returncode == 0
    assert "Next, " in rest
    tool.write("whole.csv", TRACE)
    whole = json.loads(tool("autoanalyzer", "pursue", "whole.csv", "--window", "4", "--json", "-").stdout)
    assert json.loads((tool.folder / "o.json").read_text())["periods"] == whole["periods"]


def test_standard_input_is_a_trace(tool):
    piped = tool("autoanalyzer", "pursue", "-", "--window", "4", "--json", "-", stdin=TRACE.encode())
    followed = tool(
        "autoanalyzer", "pursue", "-", "--window", "4", "--follow", "1", "--json", "-", stdin=TRACE.encode()
    )
    assert json.loads(piped.stdout)["periods"] == json.loads(followed.stdout)["periods"]


def test_standard_input_that_is_closed_is_told_in_one_line(tool):
    done = tool("sh", "-c", "autoanalyzer pursue - <&-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"autoanalyzer: standard input: expected a trace, but it is closed\n"


def test_of_a_trace_that_is_followed_ranks_to_be_left_out_that_never_came_are_said(trace, here):
    done = here("pursue", "trace.csv", "--follow", "0.1", "--exclude-rank", "5", "--exclude-rank", "99")
    assert b"Excluded, but not in the trace: rank 99." in done.stdout


def test_an_interrupt_ends_with_what_is_known(tool):
    tool.write("grows.csv", TRACE)
    words = ["env", "--default-signal=INT"]  # processes in the background may ignore it
    words += [BIN / "autoanalyzer", "pursue", "grows.csv", "--window", "4", "--follow", "60"]
    with subprocess.Popen(words, cwd=tool.folder, stdout=subprocess.PIPE) as watched:
        for _ in range(9):
            watched.stdout.readline()
        time.sleep(0.5)
        watched.send_signal(signal.SIGINT)
        rest = watched.stdout.read().decode()
    assert watched.returncode == 0
    assert "Next, " in rest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.csv"], "none.csv"),
        (["trace.csv", "--metrics", "writs"], "no metric 'writs'; did you mean writes"),
        (["trace.csv", "--derive", "x=writs/reads"], "no metric 'writs'; did you mean writes"),
        (["trace.csv", "--derive", "reads=writes"], "expected a new name"),
        (["trace.csv", "--exclude-rank", "99"], "no rank 99; there are ranks 0 to 23"),
        (["trace.csv", "--window", "0"], "--window 0: expected a number of seconds above 0"),
        (["trace.csv", "--window", "nan"], "expected a number of seconds above 0"),
        (["trace.csv", "--every", "1"], "--every needs --window"),
        (["trace.csv", "--window", "1", "--every", "1e-310"], "--every 1e-310: expected at least 0.001 seconds"),
        (["trace.csv", "--window", "1e-9"], "--window 1e-09: expected at most 100000 periods"),
        (["trace.csv", "--policy", "-"], "--policy -: expected a file"),
        (["run.cube", "--sample", "bad.csv", "--json", "bad.csv"], "--json bad.csv: this file is an input"),
        (["trace.csv", "--jitter", "-1"], "--jitter -1: expected a share of at least 0"),
        (["trace.csv", "--probe", "1.5"], "--probe 1.5: expected a share from 0 to 1"),
        (["trace.csv", "--probe", "nan"], "--probe nan: expected a share from 0 to 1"),
        (["trace.csv", "--starts", "0"], "--starts 0: expected a number from 1 to 1000"),
        (["trace.csv", "--starts", "1001"], "--starts 1001: expected a number from 1 to 1000"),
        (["trace.csv", "--dimensions", "4"], "invalid choice: "),
        (["trace.csv", "--seed", "-1"], "--seed -1"),
        (["trace.csv", "--region", "x"], "--region needs an experiment, found a trace"),
        (
            ["run.cube", "--window", "1"],
            "--window needs a trace (.csv, .npz, .otf2, or a run's folder), found an experiment",
        ),
        (["trace.csv", "--policy", "none/p.json"], "expected a file in an existing folder"),
        (["empty.csv"], "found an empty file"),
        (["LOUD.CSV"], "LOUD.CSV:2: expected a number, found 'y'"),
        (["header.csv"], "expected samples, found none"),
        (["bad.csv", "--json", "o.json"], "bad.csv:2: expected a number, found 'x'"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_bad_input_is_told_in_one_line(words, said, trace, tool, here):
    tool.write("empty.csv", "")
    tool.write("header.csv", "time,process,thread,x\n")
    tool.write("bad.csv", "time,process,thread,x\n0,0,0,x\n")
    tool.write("LOUD.CSV", "time,process,thread,x\n0,0,0,y\n")
    assert said in refused(here("pursue", *words))
    assert not (tool.folder / "o.json").exists()


def test_choices_are_those_of_the_analysis():
    assert get_args(pursuit.Trimming) == pursue._TRIMMINGS
    assert (pursuit.STARTS, pursuit.PROBED) == (pursue._STARTS, pursue._PROBED)
