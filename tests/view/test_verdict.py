from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.view import findings_document, verdict_lines

NAMES = ("wall_time", "cpu_time", "mpi_cpu_time")


def experiment(*rows: list[float], notes: Notes | None = None) -> Experiment:
    """One loop in ``work`` a row: compute time of each rank."""
    values = np.array([[0.0] * len(rows[0]), *rows])
    paths = [CallPath(Region("function", "main", "src/app.c", "main", 0, 1, 9))]
    paths += [CallPath(Region("loop", f"loop@{n}", "src/work.c", "work", n, n, n), 0) for n in range(len(rows))]
    return Experiment(
        metrics=[Metric(name, "sec") for name in NAMES],
        call_paths=paths,
        locations=[Location("m", "n", rank) for rank in range(len(rows[0]))],
        severities={"wall_time": values, "cpu_time": values, "mpi_cpu_time": np.zeros_like(values)},
        notes=notes or Notes(program="app"),
    )


def test_an_imbalance_names_the_place_the_ranks_and_their_times():
    lines = verdict_lines(analyze(experiment([0.41, 0.41, 0.83, 0.83], [1.0] * 4)))
    assert lines[0] == "app   4 ranks   1.83 s   3 regions"
    assert lines[2] == " 1  IMBALANCE   work.c:0   loop in work  ‹ main app.c:1"
    assert lines[3] == "    ranks 0-1 compute 410 ms, ranks 2-3 830 ms      2 clusters, S = 0.32"


def test_balanced_ranks_and_equal_regions_are_a_verdict_too():
    lines = verdict_lines(analyze(experiment([1.0, 1.0, 1.0])))
    assert any(line.startswith(" 1  HEAVY       work.c:0   loop in work") for line in lines)
    assert lines[2:4] == ["balanced: one cluster, S = 0.00", ""]
    lines = verdict_lines(analyze(experiment([1.0, 1.0], [1.0, 1.0], [1.0, 1.0])))
    assert lines[2] == "balanced: one cluster, S = 0.00"


def test_a_run_too_short_is_not_judged():
    lines = verdict_lines(analyze(experiment([1e-3, 2e-3])))
    assert lines[2] == "too short to judge: 10 ms of program at least wanted"


def test_a_rank_that_computes_more_is_no_master():
    lines = verdict_lines(analyze(experiment([1.0, 3.0, 1.0])))
    assert "    rank 1 differs from all others, which are alike" in lines


def test_a_small_difference_is_put_carefully():
    lines = verdict_lines(analyze(experiment([1.0, 1.15])))
    assert lines[2].startswith(" 1  IMBALANCE?")
    assert any("which a noisy machine can make as well" in line for line in lines)


def test_a_lone_master_is_hinted_at_with_the_option_to_leave_it_out():
    lines = verdict_lines(analyze(experiment([0.0, 2.0, 2.0])))
    assert any("rank 0 differs from all others" in line and "--exclude-rank 0" in line for line in lines)


def test_what_is_missing_is_said():
    notes = Notes(program="app", expected_processes=4, missing=(3,), unfinished=(1, 2), repairs=7, remarks=("a", "b"))
    text = "\n".join(verdict_lines(analyze(experiment([1.0, 1.0, 1.0], notes=notes))))
    assert "missing: rank 3 of 4" in text
    assert "unfinished: ranks 1-2 never entered MPI_Finalize" in text
    assert "7 regions were left by a jump" in text
    assert "a (and 1 more: analyze --json)" in text


@pytest.mark.parametrize("ranks", [8, 200])
def test_a_verdict_has_at_most_fifteen_lines(ranks: int):
    rng = np.random.default_rng(1)
    rows = [[float(x) for x in rng.uniform(1, 9, ranks)] for _ in range(12)]
    lines = verdict_lines(analyze(experiment(*rows)), Path("out"))
    assert len(lines) <= 15
    assert lines[-1] == "data out"


def test_the_document_has_the_keys_of_the_schema():
    document = findings_document(analyze(experiment([1, 2, 2], [1, 1, 1])), Path("out/experiment.cube"))
    assert document["schema"] == "autoanalyzer.findings/1"
    assert set(document["experiment"]) >= {"file", "processes", "locations", "call_paths", "wall_time", "sources"}
    assert set(document["dissimilarity"]) >= {
        *("exists", "metric", "threshold", "clusters", "severity", "ccr", "cccr"),
        *("reducts", "root_causes", "decision_table"),
    }
    entry = document["dissimilarity"]["cccr"][0]
    assert entry == {
        "id": 1,
        "path": "loop@0",
        "name": "loop@0",
        "kind": "loop",
        "function": "work",
        "file": "src/work.c",
        "line": 0,
        "depth": 1,
        "root_causes": [],
        "evidence": [],
        "same_work": False,
    }
    assert document["verdict"][0].startswith("app")
