"""``correlate``: options, alignment, errors."""

import json

import numpy as np
import pytest

from autoanalyzer.cli.correlate import _CORRELATORS
from autoanalyzer.timelines.correlators import CORRELATORS

CHANCE = np.random.default_rng(7)
AT = np.arange(0, 20, 0.05)


def later(at):
    """Return when an event of the first run happens in the second one."""
    return 1.4 * at + 2


def speed(at):
    return 2 + np.sin(at) * (at > 4) - 1.5 * ((at > 12) & (at < 15)) + 0.5 * (at > 17)


def written(path, metrics, times):
    noise = {name: 0.05 * np.ptp(values) * CHANCE.normal(size=len(times)) for name, values in metrics.items()}
    rows = [f"time,process,thread,{','.join(metrics)}"]
    for number, at in enumerate(times):
        cells = (f"{values[number] + noise[name][number]:.6f}" for name, values in metrics.items())
        rows.append(",".join([f"{at:.6f},0,0", *cells]))
    path.write_text("\n".join(rows) + "\n")


@pytest.fixture
def runs(here, tmp_path):
    """Write two runs of the same work, of which the second is slower; only this one contains the cause."""
    there = np.arange(0, later(20.0), 0.05)
    when = np.clip((there - 2) / 1.4, 0, 20)
    written(tmp_path / "a.csv", {"speed": speed(AT), "drift": AT, "flat": 0 * AT + 3}, AT)
    written(
        tmp_path / "b.csv",
        {"speed": speed(when), "misses": 1e6 * (3 - speed(when)), "noise": CHANCE.normal(size=len(there))},
        there,
    )
    return here


def found(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_cause_is_first_from_another_run(runs):
    document = found(runs("correlate", "--target", "speed", "a.csv", "b.csv", "--json", "-"))
    assert document["schema"] == "autoanalyzer.correlation/1"
    first = document["ranking"][0]
    assert (first["metric"], first["source"], first["rank"], first["sign"]) == ("misses", "b.csv", 1, "-")
    assert first["scores"]["pearson"] > 0.9
    assert [each["metric"] for each in document["ranking"]] == ["misses", "drift", "noise"]
    assert document["aligned"] == {"b.csv": {"by": "warping", "metric": "speed"}}
    for each in document["ranking"]:
        assert set(each["scores"]) == {*CORRELATORS, "combined"}
        assert all(0 <= score <= 1 for score in each["scores"].values())


def test_each_correlator_may_be_chosen():
    assert set(_CORRELATORS) == {*CORRELATORS, "combined"}


def test_the_target_is_ranked_from_no_trace(runs):
    for order in (("a.csv", "b.csv"), ("b.csv", "a.csv")):
        document = found(runs("correlate", "--target", "speed", *order, "--json", "-"))
        assert document["source"] == order[0]
        assert "speed" not in {each["metric"] for each in document["ranking"]}
    assert [each["metric"] for each in document["omitted"]] == ["flat"]


def test_a_target_that_the_second_trace_has(runs):
    document = found(runs("correlate", "--target", "misses", "a.csv", "b.csv", "--json", "-"))
    assert document["source"] == "b.csv"
    assert document["ranking"][0]["metric"] == "speed"
    assert {each["source"] for each in document["ranking"][:2]} == {"a.csv", "b.csv"}


def test_intervals_and_a_drawn_pattern(runs):
    words = ("--interval", "11:16", "--interval", "16.5:18", "--pattern", "0:2,12:2,12:0.5,15:0.5,15:2,20:2")
    document = found(runs("correlate", "--target", "speed", *words, "--by", "mlp", "a.csv", "b.csv", "--json", "-"))
    assert document["intervals"] == [[11, 16], [16.5, 18]]
    assert document["pattern"][2] == [12, 0.5]
    assert document["by"] == "mlp"
    scores = [each["scores"]["mlp"] for each in document["ranking"]]
    assert scores == sorted(scores, reverse=True)


def test_it_is_printed_and_written_as_csv(runs, tmp_path):
    done = runs("correlate", "--target", "speed", "a.csv", "b.csv", "--top", "1", "--csv", "r.csv")
    said = done.stdout.decode()
    assert "Metrics that change with speed in a.csv, the whole trace, ranked by combined" in said
    assert "2 more metrics" in said
    assert "Left out (constant): flat." in said
    assert "b.csv was aligned by warping speed." in said
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert lines[0].startswith("rank,metric,source,sign,lag,combined,pearson")
    assert len(lines) == 4


def test_traces_of_one_clock(here, tmp_path):
    written(tmp_path / "a.csv", {"speed": speed(AT)}, AT)
    written(tmp_path / "b.csv", {"misses": 3 - speed(AT)}, AT)
    done = here("correlate", "--target", "speed", "a.csv", "b.csv")
    assert done.returncode == 2
    assert b"b.csv: expected a metric that varies in common with a.csv, found misses; if the traces" in done.stderr
    document = found(here("correlate", "--target", "speed", "a.csv", "b.csv", "--align", "none", "--json", "-"))
    assert document["ranking"][0]["scores"]["pearson"] > 0.9


def test_a_derived_target(here, tmp_path):
    written(tmp_path / "a.csv", {"instructions": speed(AT) * 9, "cycles": 9 + 0 * AT, "misses": -speed(AT)}, AT)
    document = found(here("correlate", "--target", "ipc", "a.csv", "--json", "-"))
    assert document["ranking"][0]["metric"] in {"misses", "instructions", "cpi"}
    words = ("--derive", "twice=2*instructions", "--target", "twice")
    document = found(here("correlate", *words, "a.csv", "--json", "-"))
    assert document["ranking"][0]["metric"] == "instructions"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--target", "ipc"), "--target ipc: expected one of the metrics of these traces; there are speed"),
        (("--target", "flat"), "a.csv: expected a target that varies, found flat (constant)"),
        (("--target", "speed", "--interval", "50:60"), "a.csv: expected intervals with samples of speed"),
        (("--target", "speed", "--interval", "4:4.2"), "a.csv: expected a target that varies, found speed (only "),
        (("--target", "speed", "--segments", "0"), "argument --segments: expected a number of at least 1, found '0'"),
        (("--target", "speed", "--pattern", "1:2"), "expected a pattern of two or more points"),
        (("--target", "speed", "--pattern", "1,2"), "expected points TIME:VALUE, such as 0:1,4:1,4:3, found '1,2'"),
        (("--target", "speed", "--common", "drift"), "b.csv: expected the metric drift in common with a.csv"),
        (("--target", "speed", "--common", "no"), "expected one of the metrics of these traces; did you mean noise?"),
        (("--target", "speed", "--derive", "x=drift/0"), "--derive x: no trace has values for this formula"),
        (("--target", "speed", "--top", "0"), "argument --top: expected a number of at least 1, found '0'"),
        (("--target", "speed", "--align", "anchors"), "b.csv: expected regions that were entered as often"),
        (("--target", "speed", "--rank", "5"), "expected one of the metrics of these traces; there are none"),
        (("--target", "speed", "a.csv"), "a.csv: expected each trace once"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_a_line(runs, words, said):
    done = runs("correlate", *words, "a.csv", "b.csv")
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert said in done.stderr.decode()
