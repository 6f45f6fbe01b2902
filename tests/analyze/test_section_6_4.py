"""The example of section 6.4 of paper 001: which regions of ST are critical by CRNM, by wall time and by CPI.

The paper names the regions, and shows their times in figures only. The seconds and cycles here reproduce its result.
"""

import pytest

from autoanalyzer.analyze import Findings, analyze

NAMES = {number: f"14/{number}" if number in (11, 12) else str(number) for number in range(1, 15)}
SECONDS = {1: 2, 2: 150, 3: 3, 4: 4, 5: 160, 6: 165, 7: 45, 8: 175, 9: 90, 10: 140, 11: 4990, 12: 5, 13: 50, 14: 1}
CYCLES = {2: 5.0, 5: 2.0, 6: 2.0, 8: 10.0, 9: 1.0, 10: 1.2, 11: 0.5}  # per instruction; 0.8 elsewhere
TRIVIAL = {2, 5, 6, 10}
BY_PAPER = {"crnm": {8, 11, 14}, "wall_time": {8, 11, 14} | TRIVIAL, "cpi": {2, 8}}
CYCLE = 1e-9


@pytest.fixture
def experiment(make_experiment):
    parents_first = sorted(NAMES, key=lambda number: (len(NAMES[number]), number))
    seconds = {NAMES[number]: [float(SECONDS[number])] * 8 for number in parents_first}
    cycles = {name: [each / CYCLE for each in times] for name, times in seconds.items()}
    instructions = {name: [each / CYCLES.get(number, 0.8) for each in cycles[name]] for number, name in NAMES.items()}
    return make_experiment(seconds, cycles=cycles, instructions=instructions)


def critical(findings: Findings) -> set[int]:
    experiment, regions = findings.experiment, findings.run.weighed.regions
    return {int(experiment.call_paths[regions[each].id].region.name) for each in findings.disparity.critical}


@pytest.mark.parametrize("metric", BY_PAPER)
def test_the_paper_s_method_finds_what_the_paper_finds(experiment, metric):
    assert critical(analyze(experiment, disparity_metric=metric, method="paper")) == BY_PAPER[metric]


def test_ours_finds_no_trivial_region_by_any_metric(experiment):
    found = {metric: critical(analyze(experiment, disparity_metric=metric)) for metric in BY_PAPER}
    assert found == {"crnm": {11, 14}, "wall_time": {11, 14}, "cpi": set()}
    costs = {index: each.share for index, each in enumerate(analyze(experiment).run.costs)}
    regions = analyze(experiment).run.compared.regions
    shares = {experiment.call_paths[regions[index].id].region.name: share for index, share in costs.items()}
    assert all(shares[str(number)] < 0.03 for number in TRIVIAL)


@pytest.mark.parametrize("metric", ["cpu_time", "wall_time"])
def test_cpu_and_wall_time_have_the_same_effect_on_where_ranks_differ(make_experiment, metric):
    seconds = {"8": [7.0] * 8, "14": [0.1] * 8, "14/11": [10.0, 30.0, 30.0, 42.0, 52.0, 66.0, 52.0, 66.0]}
    found = analyze(make_experiment(seconds, io_time={"8": [1.0] * 8}), metric=metric, method="paper")
    assert found.dissimilarity.clusters == ((0,), (1, 2), (3,), (4, 6), (5, 7))
    assert [found.experiment.path_name(found.vectors.regions[each].id) for each in found.dissimilarity.culprits] == [
        "14/11"
    ]
