"""How much a perfect fix of a finding would save."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.dissimilarity import differences
from autoanalyzer.analyze.verdict import Kind, Saved, Why
from autoanalyzer.analyze.verdict.confidence import confidence_in_difference
from autoanalyzer.analyze.verdict.gain import gain_of, gain_of_balance, gain_of_weight
from autoanalyzer.view.findings_json import findings_document
from autoanalyzer.view.times import saving


def test_balance_saves_what_the_slowest_rank_has_more_than_the_mean(make_experiment):
    found = analyze(make_experiment({"work": [1.0, 1.0, 1.0, 2.0], "rest": [2.0] * 4}))
    (culprit,) = found.dissimilarity.culprits
    gain = gain_of_balance(found, [culprit])
    assert gain is not None
    assert gain.seconds == pytest.approx(0.75)
    assert gain.share == pytest.approx(0.75 / found.run.program_time)


def test_where_ranks_wait_for_processors_what_is_saved_is_of_what_the_longest_is_busy(make_experiment):
    experiment = make_experiment({"work": [1.0, 1.0, 1.0, 2.0], "rest": [2.0] * 4, "sync": [0.0] * 4})
    found = analyze(experiment.replaced(notes=replace(experiment.notes, processors=2)))
    gain = gain_of_balance(found, [found.dissimilarity.culprits[0]])
    assert gain is not None
    assert gain.seconds == pytest.approx(0.75)
    assert gain.share == pytest.approx(0.75 / 4.0)
    assert saving(found.experiment, gain.seconds, found.base.seconds) == "saves up to 750 ms (19 %)"
    assert [(part.why, part.before, part.after) for part in gain.parts] == [(Why.EVEN, 2.0, 1.25)]
    assert saving(found.experiment, 4.5, 9.0, "run") == "saves up to 4.5 s (50 % of run)"


def test_ranks_that_are_alike_have_nothing_to_save(make_experiment):
    found = analyze(make_experiment({"work": [1.0] * 4}))
    assert gain_of_balance(found, list(found.vectors.top)) is None


def test_volumes_are_no_time(make_experiment):
    times, volumes = {"work": [1.0] * 4}, {"work": [1e6, 1e6, 1e6, 9e9]}
    found = analyze(make_experiment(times, mpi_bytes=volumes), metric="mpi_bytes")
    assert found.dissimilarity.exists
    assert gain_of_balance(found, list(found.vectors.top)) is None


def test_a_cause_saves_its_seconds(make_experiment):
    more = {"io_time": {"write": [3.0] * 2}, "io_bytes": {"write": [4e9] * 2}}
    found = analyze(make_experiment({"write": [0.2] * 2, "work": [1.0] * 2}, **more))
    culprit = found.disparity.culprits[0]
    assert [each.attribute for each in found.disparity_causes.causes[culprit]] == ["io_bytes"]
    gain = gain_of_weight(found, culprit)
    assert gain is not None
    assert gain.seconds == pytest.approx(3.0)


def test_a_cause_by_the_paper_that_has_no_seconds_saves_nothing(make_experiment):
    times = {"chase": [3.0] * 2, "calm": [0.2] * 2, "other": [0.1] * 2}
    counts = {
        "l1_accesses": {name: [1e9] * 2 for name in times},
        "l1_misses": {"chase": [9e8] * 2, "calm": [1e6] * 2, "other": [1e6] * 2},
    }
    found = analyze(make_experiment(times, **counts), method="paper", disparity_metric="wall_time")
    (first,) = found.verdict.findings
    assert [each.attribute for each in first.causes] == ["l1_miss_rate"]
    assert first.gain is None


PRICES = {
    "instruction_independent": 0.1e-9,
    "instruction_dependent": 0.6e-9,
    "l1_miss_chased": 4e-9,
    "l2_miss_chased": 100e-9,
}


@pytest.mark.parametrize(
    ("ranks", "prices", "expected"),
    [
        pytest.param(2, PRICES, (0.8 + 0.4) / 2, id="no more than each miss's price, or 1 s - 1e9 x 0.6 ns"),
        pytest.param(4, PRICES, (0.8 + 0.4) / 2, id="ranks take turns, and each saves as much"),
        pytest.param(2, {}, (1 - 1 / 7.5 + 0.2) / 2, id="a third of a cycle an instruction, or two"),
    ],
)
def test_misses_save_what_is_left_halfway_between_swift_and_dependent_instructions(
    ranks, prices, expected, make_experiment
):
    counts = {
        "instructions": {"chase": [1e9] * ranks, "calm": [1e9] * ranks},
        "ref_cycles": {"chase": [2.5e9] * ranks, "calm": [0.5e9] * ranks},
        "l1_accesses": {"chase": [0.3e9] * ranks, "calm": [0.3e9] * ranks},
        "l1_misses": {"chase": [0.2e9] * ranks, "calm": [0.0] * ranks},
        "l2_accesses": {"chase": [0.2e9] * ranks, "calm": [0.0] * ranks},
        "l2_misses": {"chase": [0.0] * ranks, "calm": [0.0] * ranks},
    }
    experiment = make_experiment({"chase": [1.0] * ranks, "calm": [0.2] * ranks}, **counts)
    found = analyze(experiment.replaced(notes=replace(experiment.notes, processors=2, prices=prices)))
    culprit = found.disparity.culprits[0]
    assert [each.attribute for each in found.disparity_causes.causes[culprit]] == ["l1_miss_rate"]
    gain = gain_of_weight(found, culprit)
    assert gain is not None
    assert gain.seconds == pytest.approx(expected)


def test_the_parts_of_a_gain_are_no_longer_than_the_run_either(make_experiment):
    found = analyze(make_experiment({"work": [1.0] * 2}))
    gain = gain_of(found, [Saved(Why.FILES, 3.0), Saved(Why.TRANSFER, 1.0)])
    assert gain is not None
    assert gain.seconds == found.run.program_time
    assert [each.before - each.after for each in gain.parts] == pytest.approx(
        [0.75 * gain.seconds, 0.25 * gain.seconds]
    )


def test_a_region_without_a_cause_promises_nothing(make_experiment):
    found = analyze(make_experiment({"work": [5.0] * 2, "rest": [1.0] * 2}))
    culprit = found.disparity.culprits[0]
    assert gain_of_weight(found, culprit) is None
    work, *_ = findings_document(found, Path("e.cube"))["findings"]
    assert (work["gain"], work["bound"], work["bound_share"]) == (None, 5.0, pytest.approx(5 / 6))


def test_times_alone_are_less_sure_than_what_was_counted(make_experiment):
    times = {"work": [1.0, 1.0, 2.0, 2.0], "rest": [1.0] * 4}
    counted = {"work": [1e9, 1e9, 2e9, 2e9], "rest": [1e9] * 4}
    for more, level in ({}, "medium"), ({"instructions": counted}, "high"):
        found = analyze(make_experiment(times, **more))
        assert confidence_in_difference(found, [found.dissimilarity.culprits[0]]).level == level


@pytest.mark.parametrize(("slowest", "level"), [(1.15, "low"), (2.0, "medium")])
def test_a_small_difference_is_not_sure(slowest, level, make_experiment):
    found = analyze(make_experiment({"work": [1.0, slowest]}))
    assert confidence_in_difference(found, [found.dissimilarity.culprits[0]]).level == level


def test_what_is_no_finding_has_no_confidence(make_experiment):
    found = findings_document(analyze(make_experiment({"work": [5.0] * 2, "rest": [0.1] * 2})), Path("e.cube"))
    of_regions = {each["name"]: each["confidence"] for each in found["disparity"]["classes"]}
    assert of_regions["work"] == {"level": "medium", "reason": "nothing was counted"}
    assert of_regions["rest"] is None
    assert found["dissimilarity"]["confidence"] is None


def test_whether_measuring_made_a_difference_takes_one_walk_over_the_ranks(make_experiment, monkeypatch):
    found = analyze(make_experiment({"work": [1.0, 2.0], "rest": [1.0] * 2}))
    walks = []
    walk = differences.over_ranks
    monkeypatch.setattr(differences, "over_ranks", lambda *given: (walks.append(given), walk(*given))[1])
    culprit = found.dissimilarity.culprits[0]
    assert {found.differences.may_be_measuring([culprit]) for _ in range(3)} == {False}
    assert len(walks) == 1


def test_a_small_difference_that_counts_vouch_for_is_sure(make_experiment):
    counts = {"instructions": {"work": [1.0e9, 1.0e9, 1.0e9, 1.4e9], "rest": [3e9] * 4}}
    found = analyze(make_experiment({"work": [0.20, 0.20, 0.20, 0.26], "rest": [0.6] * 4}, **counts))
    culprit = found.dissimilarity.culprits[0]
    assert confidence_in_difference(found, [culprit]).level == "high"


@pytest.mark.parametrize(("part", "kind"), [(0.49, Kind.HOT_SPOT), (0.51, Kind.LATE)])
def test_what_takes_most_of_a_regions_time_says_what_is_wrong_with_it(make_experiment, part, kind):
    times = {"swap": [10 * (1 - part)] * 4, **{f"calm{number}": [1.0] * 4 for number in range(10)}}
    findings = analyze(make_experiment(times, mpi_time={"swap": [10 * part] * 4}))
    assert findings.verdict.findings[0].kind is kind
