import numpy as np

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region
from autoanalyzer.view.explain import explanation_lines


def experiment(regions: int, ranks: int, *, counts: bool = True) -> Experiment:
    """Return a run whose last region is a hot spot, in which the last rank does twice as much."""
    values = np.full((regions + 1, ranks), 0.01)
    values[0] = 0.0
    values[-1] = 3.0
    values[-1, -1] = 6.0
    severities = {"wall_time": values, "cpu_time": values, "mpi_cpu_time": np.zeros_like(values)}
    if counts:
        severities["instructions"] = 1e9 * values
        severities["io_bytes"] = np.zeros_like(values)
    units = {"instructions": "occ", "io_bytes": "bytes"}
    return Experiment(
        metrics=[Metric(name, units.get(name, "sec")) for name in severities],
        call_paths=[
            CallPath(Region("function", "main", "app.c", "main", 0, 1, 9)),
            *(CallPath(Region("function", f"f{n}", "app.c", f"f{n}", 0, n, n), 0) for n in range(1, regions + 1)),
        ],
        locations=[Location("m", "n", rank) for rank in range(ranks)],
        severities=severities,
    )


def test_tables_matrix_function_and_reducts_are_printed():
    lines = explanation_lines(analyze(experiment(2, 3)))
    text = "\n".join(lines)
    assert lines[:6] == [
        "DISSIMILARITY by compute_time",
        "",
        "there are 2 clusters of ranks",
        "cluster 0: 0 1",
        "cluster 1: 2",
        "severity S: 0.499999",
    ]
    assert lines[6:10] == ["critical: 1 region", "  2  app.c:2  f2", "named: 1 region", "  2  app.c:2  f2"]
    assert text.count("\n  1  app.c:1  f1  ") == 1
    assert "decision table: a1 io_bytes, a2 instructions; D cluster" in text
    assert "not measured: l1_miss_rate, l2_miss_rate, mpi_bytes" in text
    start = lines.index("  a1  a2   D   rank")
    assert lines[start + 1 : start + 4] == ["   0   0   0   0", "   0   0   0   1", "   0   1   1   2"]
    start = lines.index("discernibility matrix:")
    assert lines[start + 1 : start + 7] == [
        "   0   -  -  a2",
        "   1      -  a2",
        "   2         -",
        "discernibility function: (a2)",
        "smallest reducts: {a2 instructions}",
        "root causes: instructions",
    ]
    start = lines.index("  a1  a2   D   region")
    assert lines[start + 2] == "   0   1   1   2  app.c:2  f2"
    assert lines[-2] == "root causes of region 2  app.c:2  f2: instructions"


def test_large_tables_are_shown_by_their_different_rows():
    lines = explanation_lines(analyze(experiment(60, 50)))
    assert "   0   0   0   0  (and 48 more like it)" in lines
    assert "discernibility matrix of distinct rows:" in lines
    assert len(lines) < 60 + 40


def test_without_attributes_there_is_no_table():
    lines = explanation_lines(analyze(experiment(2, 3, counts=False)))
    assert lines.count("no attribute was measured") == 2


def test_balanced_ranks_and_one_region_need_no_table():
    made = experiment(1, 1)
    assert not any("matrix" in line for line in explanation_lines(analyze(made))[:6])


def test_where_nothing_weighs_it_is_said():
    made = experiment(2, 2)
    for name in ("wall_time", "cpu_time"):
        made.exclusive(name)[:] = 1.0
    text = "\n".join(explanation_lines(analyze(made)))
    assert "there is 1 cluster of ranks" in text
    assert "all regions have the same value" in text
