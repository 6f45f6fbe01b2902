"""Threads are compared if a process has several; work that the first thread does for all is no difference."""

from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.dissimilarity.rank_vectors import RankVectors
from autoanalyzer.analyze.run.selection import Selection
from autoanalyzer.analyze.run.threads import find_threads
from autoanalyzer.view.findings_json import findings_document
from autoanalyzer.view.verdict import verdict_lines


def clusters(findings):
    labels = findings.vectors.labels
    return [[labels[column] for column in each] for each in findings.dissimilarity.clusters]


def culprits(findings):
    regions, paths = findings.vectors.regions, findings.experiment.call_paths
    return [paths[regions[culprit].id].region.name for culprit in findings.dissimilarity.culprits]


def test_a_serial_part_is_no_difference(make_experiment):
    experiment = make_experiment({"serial": [5, 0], "serial/inner": [3, 0], "loop@3": [2, 2]}, threads=2)
    vectors = RankVectors.selected(Selection.of(experiment).by_thread())
    assert vectors.labels == ("0.0", "0.1")
    assert vectors.values[:3].tolist() == [[8, 8], [3, 3], [2, 2]]
    assert clusters(analyze(experiment)) == [["0.0", "0.1"]]


def test_a_thread_that_does_more_is_found_at_the_loop(make_experiment):
    experiment = make_experiment({"serial": [5, 0], "loop@3": [3, 1], "loop@3/work": [3, 1]}, threads=2)
    findings = analyze(experiment)
    assert clusters(findings) == [["0.0"], ["0.1"]]
    assert culprits(findings) == ["work"]
    (line,) = [line for line in verdict_lines(findings) if "thread (rank.thread) 0.0" in line]
    assert "thread (rank.thread) 0.0: 3 s; thread 0.1: 1 s" in line


def test_what_one_thread_does_within_a_parallel_region_is_a_difference(make_experiment):
    findings = analyze(make_experiment({"loop@3": [2, 2], "loop@3/single": [4, 0]}, threads=2))
    assert clusters(findings) == [["0.0"], ["0.1"]]
    assert culprits(findings) == ["single"]


def test_threads_of_different_ranks_are_compared_with_one_another(make_experiment):
    experiment = make_experiment({"serial": [1, 0, 1, 0], "loop@3": [2, 2, 9, 9]}, threads=2)
    assert clusters(analyze(experiment)) == [["0.0", "0.1"], ["1.0", "1.1"]]


def test_a_rank_without_threads_is_a_thread_beside_others(make_experiment):
    experiment = make_experiment({"serial": [1, 0, 1, 0], "loop@3": [4, 4, 4, 0]}, threads=2)
    vectors = RankVectors.selected(Selection.of(experiment).by_thread())
    assert vectors.labels == ("0.0", "0.1", "1.0")
    assert vectors.values[0].tolist() == [1, 1, 1]
    assert vectors.values[1].tolist() == [4, 4, 4]


def test_threads_that_do_nothing_are_not_compared(make_experiment):
    experiment = make_experiment({"serial": [5, 0]}, threads=2)
    assert find_threads(experiment) is None
    assert RankVectors.selected(Selection.of(experiment).by_thread()).labels == (0,)


def test_threads_of_their_own_are_compared_among_themselves(make_experiment):
    times = {"serial": [9, 0, 0, 0], "worker": [0, 2, 4, 0], "worker/part": [0, 1, 1, 0]}
    vectors = RankVectors.selected(Selection.of(make_experiment(times, threads=4)).by_thread())
    assert vectors.labels == ("0.1", "0.2")
    assert vectors.measured([1, 2]).tolist() == [[3, 5], [1, 1]]


def test_a_main_thread_that_only_waits_for_others_is_in_no_cluster(make_experiment):
    times = {"join": [0.001, 0, 0, 0, 0], "worker": [0, 2, 2.3, 3, 4]}
    findings = analyze(make_experiment(times, threads=5, mpi_time={"join": [4, 0, 0, 0, 0]}))
    assert clusters(findings) == [["0.1"], ["0.2"], ["0.3"], ["0.4"]]
    said = "    thread (rank.thread) 0.4: 4 s; thread 0.3: 3 s; thread 0.2: 2.3 s; thread 0.1: 2 s"
    assert any(line.startswith(said) for line in verdict_lines(findings))


def test_main_threads_of_several_ranks_stand_in_for_what_they_do_alone(make_experiment):
    findings = analyze(make_experiment({"serial": [1, 0, 3, 0], "worker": [0, 2, 0, 2]}, threads=2))
    assert clusters(findings) == [["0.0", "0.1"], ["1.0", "1.1"]]
    assert culprits(findings) == ["serial"]
    assert any("thread (rank.thread) 1.0: 3 s; thread 0.0: 1 s" in line for line in verdict_lines(findings))


def test_threads_are_compared_only_where_they_have_been(make_experiment):
    times = {"serial": [1, 0, 0, 0], "of two": [2, 2, 0, 0], "of four": [0.001, 0.001, 0.001, 0.001]}
    assert clusters(analyze(make_experiment(times, threads=4))) == [["0.0", "0.1", "0.2", "0.3"]]
    findings = analyze(make_experiment({**times, "of two": [2, 3, 0, 0]}, threads=4))
    assert clusters(findings) == [["0.0", "0.2", "0.3"], ["0.1"]]
    assert any("thread (rank.thread) 0.1: 3 s; thread 0.0: 2 s" in line for line in verdict_lines(findings))


def test_evidence_is_of_threads_that_have_been_there(make_experiment):
    times = {"of two": [2, 4, 0, 0], "of four": [1, 1, 1, 1]}
    counts = {"of two": [2e9, 4e9, 0, 0], "of four": [1e9, 1e9, 1e9, 1e9]}
    findings = analyze(make_experiment(times, threads=4, instructions=counts))
    (difference,) = findings.dissimilarity_causes.differences
    assert difference.values == (2e9, 4e9)


def test_threads_of_teams_within_teams_are_not_compared(make_experiment):
    times = {"outer": [1, 1, 0, 0, 0], "outer/inner": [4, 4, 4, 3, 1], "outer/inner/work": [1, 1, 1, 0, 0]}
    findings = analyze(make_experiment(times, threads=5))
    assert clusters(findings) == [["0.0", "0.1"]]
    assert any(line.startswith("nested OpenMP teams are not compared") for line in verdict_lines(findings))
    apart = analyze(make_experiment({**times, "outer": [1, 2, 0, 0, 0]}, threads=5))
    assert (clusters(apart), culprits(apart)) == ([["0.0"], ["0.1"]], ["outer"])


def test_a_main_thread_that_works_while_others_do_is_compared_with_them(make_experiment):
    findings = analyze(make_experiment({"lead": [5, 0, 0], "worker": [0, 2, 2]}, threads=3))
    assert clusters(findings) == [["0.0"], ["0.1", "0.2"]]
    assert findings.dissimilarity.severity == pytest.approx(0.6)
    assert any(
        line.startswith("    thread (rank.thread) 0.0: 5 s; threads 0.1-0.2: 2 s each")
        for line in verdict_lines(findings)
    )
    assert not analyze(make_experiment({"lead": [2, 0, 0], "worker": [0, 2, 2]}, threads=3)).dissimilarity.exists


def test_what_a_main_thread_does_before_others_start_is_a_serial_part(make_experiment):
    experiment = make_experiment(
        {"lead": [5, 0, 0], "join": [0, 0, 0], "worker": [0, 2, 2]}, threads=3, mpi_time={"join": [2, 0, 0]}
    )
    assert not analyze(experiment).dissimilarity.exists


@pytest.mark.parametrize(("waits", "compared"), [(0.98, True), (1.02, False)])
def test_a_main_thread_is_compared_if_it_works_for_half_of_the_time_that_others_take(make_experiment, waits, compared):
    times = {"lead": [5, 0, 0], "join": [0, 0, 0], "worker": [0, 2, 2]}
    assert analyze(make_experiment(times, threads=3, mpi_time={"join": [waits, 0, 0]})).dissimilarity.exists == compared


@pytest.mark.parametrize(("off", "compared"), [(4.9, True), (5.1, False)])
def test_a_main_thread_works_where_it_is_on_a_processor_for_half_of_the_time(make_experiment, off, compared):
    times = {"lead": [5, 0, 0], "worker": [0, 2, 2]}
    assert analyze(make_experiment(times, threads=3, off={"lead": [off, 0, 0]})).dissimilarity.exists == compared


def test_waiting_in_openmp_is_no_computing(make_experiment):
    times = {"loop@3": [3, 3]}
    experiment = make_experiment(times, threads=2, omp_cpu_time={"loop@3": [0, 2]})
    assert RankVectors.selected(Selection.of(experiment).by_thread()).values[0].tolist() == [3, 1]
    assert analyze(experiment).dissimilarity.exists


def test_counts_tell_why_threads_differ(make_experiment):
    findings = analyze(
        make_experiment(
            {"serial": [5, 0], "loop@3": [3, 1]},
            threads=2,
            instructions={"serial": [5e9, 0], "loop@3": [3e9, 1e9]},
        )
    )
    (difference,) = findings.dissimilarity_causes.differences
    assert (difference.attribute, difference.values) == ("instructions", (3e9, 1e9))


def test_regions_weigh_by_the_time_of_the_first_thread(make_experiment):
    findings = analyze(make_experiment({"serial": [1, 0], "loop@3": [1, 9]}, threads=2))
    np.testing.assert_allclose([cost.wall_time for cost in findings.run.costs[:2]], [1, 1])


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_is_excluded_with_its_threads(make_experiment, rank):
    experiment = make_experiment({"loop@3": [2, 2, 9, 9]}, threads=2)
    labels = RankVectors.selected(Selection.of(experiment, exclude_ranks=[rank]).by_thread()).labels
    assert labels == tuple(f"{1 - rank}.{thread}" for thread in range(2))


def test_the_threads_of_a_team_can_share_its_work_and_ranks_what_first_threads_do_alone(make_experiment):
    times = {"serial": [1, 0, 4, 0], "loop@3": [2, 2, 2, 6]}
    counts = {path: [1e9 * each for each in row] for path, row in times.items()}
    findings = analyze(make_experiment(times, threads=2, instructions=counts))
    lines = verdict_lines(findings, everything=True)
    for place, said in (
        ("serial", "give ranks parts of equal cost, or hand out parts on demand"),
        ("loop", "parts of equal cost, schedule(dynamic), or tasks"),
    ):
        start = next(at for at, line in enumerate(lines) if "IMBALANCE" in line and f"  {place}" in line)
        assert f"    try: distribute the work evenly: {said}" in lines[start : start + 6]
    found = {each["name"]: each["evidence"] for each in findings_document(findings, Path("x"))["dissimilarity"]["cccr"]}
    assert "on demand" in found["serial"][0]["try"]
    assert "schedule(dynamic)" in found["loop@3"][0]["try"]


@pytest.mark.parametrize(("waiting", "said"), [(0.5, True), (3.0, False)])
def test_less_work_does_not_help_where_threads_mostly_wait(make_experiment, waiting, said):
    experiment = make_experiment(
        {"serial": [1, 0], "loop@3": [4, 4]},
        threads=2,
        instructions={"serial": [1e7, 0], "loop@3": [8e9, 8e9]},
        omp_time={"loop@3": [waiting, waiting]},
        omp_cpu_time={"loop@3": [0, 0]},
    )
    findings = analyze(experiment)
    lines = verdict_lines(findings)
    assert any("waiting for threads" in line for line in lines) != said
    (culprit,) = [
        each for each in findings_document(findings, Path("x"))["disparity"]["cccr"] if each["name"] == "loop@3"
    ]
    assert (culprit["evidence"][0]["try"] is not None) == said
