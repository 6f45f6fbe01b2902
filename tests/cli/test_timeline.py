"""``timeline``: options, output, errors."""

import json
from dataclasses import replace

import pytest

from autoanalyzer.experiment.trace import load_trace, save_trace
from autoanalyzer.timelines.anomalies import pace
from autoanalyzer.view import timeline

from ..timelines.anomalies.work import run


@pytest.fixture
def recorded(here, tmp_path):
    """Write two runs of a program that changes suddenly, with a counting run, and a run of one that does not change."""

    def slower(_rank, step):
        return 0.8 * (step >= 150)

    def misses(_rank, step):
        return 1e5 * (step >= 150)

    for name, seed in (("one", 1), ("two", 2)):
        (tmp_path / "runs" / name).mkdir(parents=True)
        save_trace(run(seed, slower=slower).trace, tmp_path / "runs" / name / "trace.npz")
    counting = run(3, misses=misses, timed=False, pace=0.05).trace
    save_trace(counting, tmp_path / "runs" / "two" / "counting.trace.npz")
    (tmp_path / "other").mkdir()
    one = run(4).trace
    elsewhere = [replace(path, region=path.region._replace(file="b.c")) for path in one.call_paths]
    save_trace(replace(one, call_paths=elsewhere), tmp_path / "other" / "trace.npz")
    (tmp_path / "calm").mkdir()
    save_trace(run(4).trace, tmp_path / "calm" / "trace.npz")
    return here


def test_anomalies_as_json(recorded):
    done = recorded("timeline", "runs/one", "runs/two", "--json", "-")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == "autoanalyzer.timeline/1"
    assert document["runs"] == ["runs/one", "runs/two", "runs/two/counting.trace.npz"]
    (found,) = document["anomalies"]
    assert (found["kind"], found["metric"], found["region"]) == ("sudden change", "compute_time", "step")
    assert found["ranks"] == [0, 1, 2, 3]
    assert found["source"] == "a.c:10"
    assert found["runs"] == 2
    assert 0 < found["start"] < found["end"]
    assert found["factor"] == pytest.approx(1.8, rel=0.1)
    assert found["strength"] > 3
    first = found["goes_with"][0]
    assert (first["metric"], first["sign"], first["source"]) == ("l2_misses", "+", "runs/two/counting.trace.npz")
    assert first["score"] > 0.9


def test_the_verdict(recorded):
    said = recorded("timeline", "runs/one", "runs/two").stdout.decode()
    assert "1 region examined entry by entry, in 2 runs, and in 1 counting run" in said
    assert " 1  SUDDEN CHANGE   a.c:10   step  ‹ main" in said
    assert " times as long as before, from " in said
    assert "on all ranks" in said
    assert "goes with l2_misses (+" in said


def test_a_folder_of_runs_stands_for_them(recorded):
    whole, each = (recorded("timeline", *words).stdout for words in (["runs"], ["runs/one", "runs/two"]))
    assert whole == each


def test_nothing_is_an_answer(recorded):
    done = recorded("timeline", "calm")
    assert done.returncode == 0
    assert "no change over time was found" in done.stdout.decode()
    assert json.loads(recorded("timeline", "calm", "--json", "-").stdout)["anomalies"] == []


def test_one_run_alone_is_said(recorded):
    assert "seen in only one run" in recorded("timeline", "runs/one").stdout.decode()


def test_that_nothing_was_counted_is_said(recorded):
    assert (
        "instructions and cache misses were not counted (try --counters simulated)"
        in recorded("timeline", "runs/one").stdout.decode()
    )


def test_events_that_were_counted_alone_are_named(recorded, tmp_path):
    trace = load_trace(tmp_path / "runs" / "one" / "trace.npz")
    events = {each: f"perf::{each.upper().replace('_', '-')}" for each in ("page_faults", "l2_misses")}
    metrics = [
        replace(each, name=events[each.name], source=f"measured:papi:{events[each.name]}")
        if each.name in events
        else each
        for each in trace.metrics
    ]
    (tmp_path / "named").mkdir()
    save_trace(replace(trace, metrics=metrics), tmp_path / "named" / "trace.npz")
    said = recorded("timeline", "named").stdout.decode()
    assert "not counted, only perf::L2-MISSES, perf::PAGE-FAULTS (try --counters simulated), so metrics that" in said


def test_a_run_of_another_input_is_left_out_and_named(recorded, tmp_path):
    (tmp_path / "longer").mkdir()
    save_trace(run(5, steps=500).trace, tmp_path / "longer" / "trace.npz")
    said = recorded("timeline", "calm", "longer").stdout.decode()
    assert "1 region examined entry by entry, in 1 run\n" in said
    assert "left out longer, because no region was entered as often as in calm" in said
    assert json.loads(recorded("timeline", "calm", "longer", "--json", "-").stdout)["unlike"] == ["longer"]


def test_rows_of_csv(recorded, tmp_path):
    recorded("timeline", "runs", "--csv", "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0].startswith("kind,metric,start,end,ranks,region")
    assert len(lines) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "nowhere: expected a folder written by run --trace or record, containing trace.npz"),
        (["calm", "calm"], "calm: expected each trace once"),
        (["calm/trace.npz"], "calm/trace.npz: expected a folder written by run --trace"),
        (["calm", "other"], "other: expected a run of the same program as calm, found no call path in common"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(recorded, words, said):
    done = recorded("timeline", *words)
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert said in done.stderr.decode()


def test_how_few_are_too_few_is_said_as_it_is():
    assert timeline._LEAST == pace._FEWEST * pace._EACH
