"""Ranks that are slower nearly everywhere: a slower processor looks like that, too."""

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.foremost import confidence_in_difference, foremost, may_be_speed
from autoanalyzer.view.verdict import verdict_lines

# What each loop of a sound program took on a rank that shared its core, beside what it took on the three others.
SHARED = {"energy": (77.1, 127.5), "balance": (79.7, 116.1), "react": (46.6, 52.0), "relax": (46.5, 49.5)}
UNEVEN = {name: (fast, 1.3 * fast) for name, (fast, _) in SHARED.items()}
LOCAL = {name: (fast, slow if name == "energy" else fast) for name, (fast, slow) in SHARED.items()}


def of(times):
    return {name: [1e-3 * fast] * 3 + [1e-3 * slow] for name, (fast, slow) in times.items()}


@pytest.mark.parametrize(("times", "speed"), [(SHARED, True), (UNEVEN, False), (LOCAL, False)])
def test_slower_nearly_everywhere_by_factors_that_vary_is_perhaps_a_matter_of_speed(make_experiment, times, speed):
    found = analyze(make_experiment(of(times)))
    assert found.dissimilarity.cccr
    assert {may_be_speed(found, [core]) for core in found.dissimilarity.cccr} == {speed}
    lines = "\n".join(verdict_lines(found))
    assert ("SPEED?" in lines) == speed
    assert ("IMBALANCE?" in lines) != speed


def test_it_is_said_once_and_last_and_nothing_is_to_be_tried(make_experiment):
    found = analyze(make_experiment(of(SHARED)))
    confidence = confidence_in_difference(found, found.dissimilarity.cccr[:1])
    assert confidence.level == "low"
    assert confidence.reason.startswith("these ranks are slower nearly everywhere")
    assert foremost(found).parts is False
    lines = verdict_lines(found)
    (at,) = [number for number, line in enumerate(lines) if "SPEED?" in line]
    assert "loop" not in lines[at] and "energy" in lines[at] and lines[at].endswith("and in 1 more region")
    assert lines[at + 1].lstrip().startswith("ranks 0-2 compute 77.1 ms, rank 3 128 ms; so it is nearly everywhere")
    assert not any("HEAVY" in line for line in lines[at:])


def test_counts_that_differ_leave_no_doubt(make_experiment):
    executed = {name: [3e8 * seconds for seconds in each] for name, each in of(SHARED).items()}
    found = analyze(make_experiment(of(SHARED), instructions=executed))
    assert not any(may_be_speed(found, [core]) for core in found.dissimilarity.cccr)


def test_what_takes_very_long_is_an_imbalance(make_experiment):
    long = {name: (10 * fast, 10 * slow) for name, (fast, slow) in SHARED.items()}
    found = analyze(make_experiment(of(long)))
    assert not may_be_speed(found, found.dissimilarity.cccr[:1])
