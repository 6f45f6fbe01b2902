"""The measurement overhead is an estimate, and one number in the verdict."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.run.overhead import measuring_cost, probe_times
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Experiment, Metric, Notes
from autoanalyzer.view.findings_json import findings_document
from autoanalyzer.view.verdict import verdict_lines


def measured(plain: Experiment, **others: list[float]) -> Experiment:
    """Return the experiment with a probe of 20 ns, and with other values for the first region below the root."""
    severities = {each.name: plain.exclusive(each.name).copy() for each in plain.metrics}
    for name, values in others.items():
        severities[name][1] = values
    return plain.replaced(severities=severities, notes=Notes(program="app", probe_ns=20.0))


def whole_lines(findings) -> list[str]:
    """Return the lines of the verdict, with wrapped lines joined."""
    return re.sub(r"\n {2,}", " ", "\n".join(verdict_lines(findings))).splitlines()


def test_calls_of_mpi_are_no_cost_of_computing(make_experiment):
    plain = make_experiment({"loop@3": [1.0, 1.0]}, mpi_time={"loop@3": [9.0, 9.0]}, mpi_calls={"loop@3": [1e8, 1e8]})
    cost = measuring_cost(measured(plain, visits=[1e6, 1e6]))
    assert cost.percent == pytest.approx(20 * (1 + 0.01) + 0, rel=1e-3)
    assert cost.of_computing == pytest.approx(2, rel=1e-3)
    lines = verdict_lines(analyze(measured(plain, visits=[1e6, 1e6])))
    assert lines[0].endswith("overhead 2.0 %")
    assert not any("costly" in line for line in lines)


def test_where_counters_are_read_in_calls_half_of_their_price_is_time_of_where_these_stand(make_experiment):
    calls = {"loop@3": [1e5, 1e5]}
    plain = make_experiment(
        {"loop@3": [1.0, 1.0]}, mpi_time={"loop@3": [9.0, 9.0]}, mpi_calls=calls, io_calls={"loop@3": [2e5, 0.0]}
    )
    run = measured(plain, visits=[1e6, 1e6])
    run.notes = replace(run.notes, call_ns=2000.0)
    cost = measuring_cost(run)
    assert cost.call_ns == 2000
    entering, of_mpi, of_files = 2e6 * 20e-9, (1e5 + 1e5) * 2e-6, 2e5 * 2e-6
    assert cost.percent == pytest.approx(100 * (entering + of_mpi + of_files) / 20, rel=1e-3)
    assert cost.of_computing == pytest.approx(100 * (entering + of_mpi / 2 + of_files) / 2, rel=1e-3)
    (row,) = [row for row, path in enumerate(run.call_paths) if path.region.kind == "loop"]
    assert probe_times(run)[row] == pytest.approx([0.01 + 0.3, 0.01 + 0.1])
    run.notes = replace(run.notes, call_ns=50.0)  # no counters are read: the price is below clock resolution
    assert probe_times(run)[row] == pytest.approx([0.01, 0.01])


def test_the_warning_says_what_the_headline_does(make_experiment):
    lines = whole_lines(analyze(measured(make_experiment({"loop@3": [1.0, 1.0]}), visits=[1e7, 1e7])))
    assert lines[0].endswith("overhead 20 %")
    (costly,) = [line for line in lines if line.startswith("small functions and loops look slower")]
    assert costly.endswith(": a lower --max-overhead, such as 1%, leaves more of them out")


def test_where_counters_ran_nothing_is_said_to_be_throttled_with_them(make_experiment):
    run = measured(make_experiment({"loop@3": [1.0, 1.0]}), visits=[1e7, 1e7])
    counted = Metric("instructions", "occ", source="measured:papi:PAPI_TOT_INS")
    values = {each.name: run.exclusive(each.name) for each in run.metrics}
    values["instructions"] = values["visits"]
    values["visits"] = 0.3 * run.exclusive("visits")
    run = run.replaced(metrics=[*run.metrics, counted], severities=values)
    for share, said in ((None, []), (0.0, []), (0.2, []), (0.05, ["counters are read at each entry"])):
        run.notes = replace(run.notes, max_overhead=share)
        costly = [line for line in whole_lines(analyze(run)) if line.startswith("small functions")]
        assert [line.partition(": ")[2] for line in costly] == [
            f"{each}; measure with --counters none" for each in said
        ]
    values["visits"] = values["instructions"]
    run = run.replaced(severities=values)
    assert any(": counters are read at each entry;" in line for line in whole_lines(analyze(run)))


@pytest.mark.parametrize(("metric", "throttled"), [("page_faults", False), ("allocations", True)])
def test_where_the_system_is_asked_at_each_event_nothing_is_said_to_be_throttled(make_experiment, metric, throttled):
    run = measured(make_experiment({"loop@3": [1.0, 1.0]}), visits=[1e7, 1e7])
    values = {each.name: run.exclusive(each.name) for each in run.metrics} | {metric: run.exclusive("visits")}
    run = run.replaced(metrics=[*run.metrics, Metric(metric, "occ", source="measured:getrusage")], severities=values)
    (costly,) = [line for line in whole_lines(analyze(run)) if line.startswith("small functions and loops")]
    assert costly.endswith("; measure without it") != throttled


def test_entries_that_are_no_longer_timed_cost_what_a_throttled_probe_does(make_experiment):
    run = measured(make_experiment({"loop@3": [1.0, 1.0]}), visits=[1e7, 1e7])
    run.notes = replace(run.notes, throttled_ns=8.0, untimed=19_000_000)
    assert measuring_cost(run).of_computing == pytest.approx(100 * (1e6 * 20 + 19e6 * 8) * 1e-9 / 2, rel=1e-3)


def test_what_was_throttled_is_to_be_left_out_of_the_next_build(make_experiment):
    run = measured(make_experiment({"loop@3": [1.0, 1.0]}), visits=[1e7, 1e7])
    run.notes = replace(run.notes, throttled={"aa1|function|f|f.c||0|3|3": "entered often"})
    (costly,) = [line for line in whole_lines(analyze(run)) if line.startswith("small functions")]
    assert costly.endswith(": rebuild with the plan that this run wrote")


# A pair of probes takes 20 ns, half of it in the loop: 1e8 entries are 1 s of the loop's time.
@pytest.mark.parametrize(
    ("times", "entries", "word"),
    [
        pytest.param([4.0, 2.1], [1e8, 1e8], None, id="within what prices differ by"),
        pytest.param([5.0, 2.5], [1e8, 1e8], "IMBALANCE?", id="beyond it, and within three times the price"),
        pytest.param([7.0, 3.5], [1e8, 1e8], "IMBALANCE ", id="beyond three times the price"),
        pytest.param([3.0, 5.0], [1e8, 1.5e8], "IMBALANCE?", id="one rank entered it more often"),
        pytest.param([6.0, 3.9], [1e6, 1e6], "IMBALANCE ", id="hardly any probes"),
        pytest.param([3.4, 3.0], [1e6, 1e6], "IMBALANCE?", id="a small difference, and hardly any probes"),
        pytest.param([3.0, 5.0], [1e6, 1.1e8], "IMBALANCE?", id="only one rank paid, and less than the difference"),
        pytest.param([3.0, 5.0], [1e6, 0.4e8], "IMBALANCE ", id="only one rank paid, and a fraction of the difference"),
    ],
)
def test_ranks_that_differ_by_less_than_probes_took_are_alike_or_put_in_question(make_experiment, times, entries, word):
    findings = analyze(measured(make_experiment({"loop@3": times}), visits=entries))
    lines = verdict_lines(findings)
    assert findings.dissimilarity.exists == bool(word)
    assert lines[2].startswith(f"1 {word}" if word else "balanced: ")
    because = entries[1] > 1e7 and word == "IMBALANCE?"
    assert any("measuring may have caused this difference" in line for line in lines) == because


def test_what_the_price_may_be_wrong_by_in_one_region_hides_no_difference_of_another(make_experiment):
    times = {"solve": [0.1, 0.1], "solve/f": [4.0, 3.1], "solve/g": [2.0, 3.0]}
    run = make_experiment(times, visits={"": [1, 1], "solve": [1, 1], "solve/f": [1e8, 1e8], "solve/g": [1, 1]})
    findings = analyze(run.replaced(notes=Notes(program="app", probe_ns=20.0)))
    culprits = [findings.vectors.regions[culprit].id for culprit in findings.dissimilarity.culprits]
    assert [run.path_name(culprit) for culprit in culprits] == ["solve/g"]
    assert run.exclusive("cpu_time")[2].tolist() == [4.0, 3.1]


@pytest.mark.parametrize(("more", "word"), [(0.0, None), (1.8, "IMBALANCE?"), (6.5, "IMBALANCE ")])
def test_what_throttling_took_from_one_rank_only_is_no_difference(make_experiment, more, word):
    run = make_experiment(
        {"loop@3": [1 + 2.0 + more, 1 + 0.8], "loop@3/f": [0.0, 0.0]},
        visits={"": [1, 1], "loop@3": [1, 1], "loop@3/f": [1e8, 1e8]},
        untimed_visits={"loop@3/f": [0, 1e8]},
    )
    findings = analyze(run.replaced(notes=Notes(program="app", probe_ns=20.0, throttled_ns=8.0)))
    assert findings.dissimilarity.exists == bool(word)
    found = findings_document(findings, Path("x"))["dissimilarity"]
    assert found["may_be_measuring"] == any(each["may_be_measuring"] for each in found["cccr"]) == (more == 1.8)
    lines = verdict_lines(findings)
    assert not word or (lines[2].startswith(f"1 {word}") and f"rank 0: {1 + more:.1f} s" in lines[3])


def test_new_call_paths_cost_more_than_entries(make_experiment):
    times = {"f": [0.01], **{f"f/g{number}": [1e-6] for number in range(2000)}}
    lines = verdict_lines(analyze(measured(make_experiment(times))))
    assert lines[0].endswith("overhead 15 %")
    assert "regions look slower than they are: creating 2001 call paths took about 1 us each" in lines


@pytest.mark.parametrize("metric", ["visits", "wall_time", "mpi_calls"])
def test_values_beyond_all_measure_are_refused_in_a_line(make_experiment, metric):
    plain = make_experiment({"f": [1.0, 1.0]}, mpi_calls={"f": [1.0, 1.0]})
    with pytest.raises(InputError, match=rf"^expected values of {metric} up to 1e\+100, found 1.7e\+308$"):
        analyze(measured(plain, **{metric: [1.7e308, 1.7e308]}))
