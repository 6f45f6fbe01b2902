"""A master that hands out work and computes almost nothing is excluded from balance and savings."""

from __future__ import annotations

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.verdict import Kind
from autoanalyzer.errors import InputError
from autoanalyzer.view.verdict import verdict_lines

from ..critical_path.test_serialisation import followed

WORK = [0.0, 1.0, 2.0, 3.0]
MESSAGES = [30.0, 10.0, 10.0, 10.0]  # each worker requests work ten times, and the master answers


def dealt_out(make_experiment, work=WORK, calls=MESSAGES):
    counts = {"work": [1e9 * each for each in work], "deal": [1e7] * len(work)}
    return make_experiment({"work": work, "deal": [0.01] * len(work)}, mpi_calls={"deal": calls}, instructions=counts)


def test_a_master_is_in_no_group_and_gains_are_those_of_the_workers(make_experiment):
    found = analyze(dealt_out(make_experiment)).verdict
    assert found.master == 0
    first = found.findings[0]
    assert first.kind is Kind.IMBALANCE
    assert [each.labels for each in first.groups] == [(1,), (2,), (3,)]
    assert first.gain.seconds == pytest.approx(3.0 - 2.0)
    text = " ".join(verdict_lines(analyze(dealt_out(make_experiment))))
    assert "rank 0 computes next to nothing: a master, left out of comparisons" in text
    assert "instructions differ: from 1.0e9 on rank 1 to 3.0e9 on rank 3" in text


def test_who_is_to_be_included_is_no_master(make_experiment):
    findings = analyze(dealt_out(make_experiment), include_ranks=[0])
    assert findings.verdict.master is None
    assert findings.verdict.findings[0].gain.seconds == pytest.approx(3.0 - 1.5)
    with pytest.raises(InputError, match="no rank 7"):
        analyze(dealt_out(make_experiment), include_ranks=[7])


def test_workers_that_are_alike_are_balanced_whatever_their_master_does(make_experiment):
    findings = analyze(dealt_out(make_experiment, work=[0.0, 2.0, 2.0, 2.0]))
    assert findings.dissimilarity.exists
    assert findings.verdict.balanced
    assert {each.kind for each in findings.verdict.findings} == {Kind.HOT_SPOT}
    assert "    on average without the master: 2 s per rank" in verdict_lines(findings)


@pytest.mark.parametrize(
    ("work", "calls"),
    [
        pytest.param(WORK, [10.0] * 4, id="as many messages as each other rank: a rank without work"),
        pytest.param(WORK, [19.0, 10.0, 10.0, 10.0], id="less than halfway between those and all"),
        pytest.param([0.25, 1.0, 2.0, 3.0], MESSAGES, id="more than a tenth of the others' work"),
        pytest.param([0.0, 2.0], [10.0, 10.0], id="two ranks have as many messages"),
        pytest.param(WORK, [0.0] * 4, id="no messages"),
    ],
)
def test_who_is_no_master_is_compared(work, calls, make_experiment):
    assert analyze(dealt_out(make_experiment, work, calls)).verdict.master is None


def test_halfway_to_all_messages_is_enough(make_experiment):
    assert analyze(dealt_out(make_experiment, calls=[20.0, 10.0, 10.0, 10.0])).verdict.master == 0


def test_a_master_is_not_expected_to_be_busy(make_experiment):
    work, path = {"work": [0.0, 2.0, 2.0, 2.0], "deal": [0.01] * 4}, {"work": [0.0, 2.0, 0.0, 0.0]}
    made = make_experiment(work, mpi_calls={"deal": MESSAGES}, path_time=path)
    assert analyze(made).critical_path.efficiency.load_balance == pytest.approx(1.0, abs=0.01)
    included = analyze(made, include_ranks=[0]).critical_path
    assert included.efficiency.load_balance == pytest.approx(0.75, abs=0.01)


MASTERS = {"deal": [0.09, 0.0, 0.0, 0.0], "work": [0.0, 1.0, 1.0, 1.0]}
WAITS = {"deal": [1.0, 0.0, 0.0, 0.0], "work": [0.0, 2.0, 2.0, 2.0]}
ANSWERS = {"deal": [30.0, 0.0, 0.0, 0.0], "work": [0.0, 10.0, 10.0, 10.0]}


def test_what_a_master_waits_is_no_finding_and_waiting_is_the_mean_of_the_workers(make_experiment):
    found = analyze(make_experiment(MASTERS, mpi_time=WAITS, mpi_bytes={}, mpi_calls=ANSWERS))
    assert found.verdict.master == 0
    (late,) = found.verdict.findings
    assert found.experiment.path_name(late.region.id) == "work"
    assert (late.kind, late.gain.seconds) == (Kind.LATE, pytest.approx(2.0))


def test_a_master_and_workers_that_wait_for_each_other_are_one_finding(make_experiment):
    found = analyze(
        followed(
            make_experiment,
            MASTERS,
            path={"deal": [0.09, 0.0, 0.0, 0.0], "work": [0.0, 1.0, 0.0, 0.0]},
            waits=WAITS,
            delays={"deal": [6.0, 0.0, 0.0, 0.0], "work": [0.0, 0.34, 0.33, 0.33]},
            who=[("work", "deal", 6.0, 6.0), ("deal", "work", 1.0, 1.0)],
            mpi_calls=ANSWERS,
        )
    )
    assert found.verdict.master == 0
    (late,) = found.verdict.findings
    assert found.experiment.path_name(late.region.id) == "deal"
    assert (late.kind, late.gain.seconds) == (Kind.LATE, pytest.approx(2.0))
    assert [(wait.region.name, wait.seconds) for wait in late.waits] == [("work", pytest.approx(2.0))]
