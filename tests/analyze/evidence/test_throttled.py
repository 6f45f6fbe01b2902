"""Throttled regions are named in the region whose own time includes them."""

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.run.criteria import CRITERIA
from autoanalyzer.experiment import Notes
from autoanalyzer.experiment.throttling import reason_of, seconds_of_an_entry


def test_a_reason_tells_how_long_an_entry_took():
    assert seconds_of_an_entry(reason_of(6_549_398, 625_515, 0.2001648)) == pytest.approx(320e-9)
    assert seconds_of_an_entry("entered often") is None
    assert seconds_of_an_entry(f"entered 2 times, for {'9' * 5000} ns each in the first 1") is None


@pytest.mark.parametrize(("side", "found"), [(0.99, False), (1.01, True)])
@pytest.mark.parametrize("within", [["work/find"], ["work/at", "work/at/find"]])
def test_it_is_in_the_nearest_region_around_that_was_timed(make_experiment, within, side, found):
    seconds = {"calm": [0.5] * 4, "work": [1.0] * 4, **dict.fromkeys(within, [0.0] * 4)}
    made = make_experiment(seconds, visits={each: [1e6] * 4 for each in seconds})
    descriptor = next(each.region.descriptor for each in made.call_paths if each.region.name == "find")
    reason = reason_of(4_000_000, 1000, side * CRITERIA.part * 1e-3)
    findings = analyze(made.replaced(notes=Notes(throttled={descriptor: reason})))
    named = {
        made.path_name(findings.run.weighed.regions[index].id): [made.path_name(each.path) for each in throttled]
        for index, throttled in findings.throttled.items()
    }
    assert named == ({"work": within[-1:]} if found else {})
