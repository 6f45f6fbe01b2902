import numpy as np
import pytest

from autoanalyzer.errors import AutoanalyzerError, InputError, UsageError
from autoanalyzer.experiment import Builder, Experiment, select
from autoanalyzer.multivariate.formula import Formula
from autoanalyzer.multivariate.metric_space import MetricSpace, Point


@pytest.fixture
def heat() -> Experiment:
    made = Builder()
    for name, unit in (("visits", "occ"), ("wall_time", "sec"), ("instructions", "occ"), ("cycles", "occ")):
        made.metric(name, unit)
    made.metric("rate", "1", additive=False)
    main = made.call_path("main")
    loop = made.call_path("loop", main)
    send = made.call_path("send", loop)
    for rank in range(4):
        made.location(rank, 0)
    for path in (main, loop, send):
        made.row("visits", path, [1, 1, 1, 0 if path == send else 1])
    made.row("wall_time", main, [1, 1, 1, 1]).row("wall_time", loop, [1, 2, 3, 4]).row("wall_time", send, [1, 1, 1, 0])
    made.row("instructions", loop, [4, 8, 4, 6]).row("cycles", loop, [2, 2, 4, 0]).row("rate", send, [1, 2, 3, 4])
    return made.experiment()


def _column(space: MetricSpace, name: str) -> list[float]:
    return space.values[:, space.metrics.index(name)].tolist()


def test_points_are_locations_and_values_those_of_the_program(heat):
    space = MetricSpace.of(heat)
    assert space.labels == (0, 1, 2, 3)
    assert _column(space, "wall_time") == [3, 4, 5, 5]


def test_a_region_has_what_is_below_it_unless_it_is_meant_alone(heat):
    assert _column(MetricSpace.of(heat, region="loop"), "wall_time") == [2, 3, 4, 4]
    assert _column(MetricSpace.of(heat, region="loop", exclusive=True), "wall_time") == [1, 2, 3, 4]


def test_what_is_constant_missing_or_does_not_add_up_is_dropped_with_its_reason(heat):
    space = MetricSpace.of(heat, metrics=["wall_time", "rate", "ipc", "visits"])
    assert space.metrics == ("wall_time", "visits")
    assert space.dropped == {"rate": "no value", "ipc": "missing on 1 of 4 locations: 3"}
    assert MetricSpace.of(heat, region="loop", exclusive=True).dropped["visits"] == "constant: 1"


def test_a_location_that_never_entered_the_region_is_no_point(heat):
    space = MetricSpace.of(heat, region="send")
    assert space.labels == (0, 1, 2)
    assert space.left_out == {3: "never in send"}
    assert _column(space, "rate") == [1, 2, 3]


def test_formulas_are_of_sums_not_sums_of_formulas(heat):
    space = MetricSpace.of(
        heat,
        metrics=["x", "y"],
        derived=[Formula.parse("x = instructions / wall_time"), Formula.parse("y=2*x+[visits]")],
    )
    assert _column(space, "x") == pytest.approx([4 / 3, 2, 4 / 5, 6 / 5])
    assert _column(space, "y") == pytest.approx([2 * 4 / 3 + 3, 7, 2 * 4 / 5 + 3, 2 * 6 / 5 + 2])


@pytest.mark.parametrize(
    "text",
    ["x", "x=", "=1", "x=a.b", "x=__import__('os')", "x=a[0]", "x=a if b else c", "x=log(a,b)", "x=" + "(" * 300],
)
def test_what_is_no_formula_is_refused_in_one_line(text):
    with pytest.raises(UsageError) as caught:
        Formula.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"metrics": ["wal_time"]}, "did you mean wall_time"),
        ({"region": "lop"}, "did you mean loop"),
        ({"derived": [Formula.parse("a=wall_tim/2")]}, "did you mean wall_time"),
        ({"exclude_ranks": [9]}, "there are ranks 0 to 3"),
        ({"exclusive": True}, "expected a region"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(heat, words, said):
    with pytest.raises(AutoanalyzerError, match=said):
        MetricSpace.of(heat, **words)


def test_two_points_and_a_metric_are_needed(heat):
    with pytest.raises(InputError, match="need at least two locations with values in the program, found 1"):
        MetricSpace.of(heat, exclude_ranks=[0, 1, 2])
    with pytest.raises(InputError, match=r"need a metric that differs between the 4 locations.*constant: 1"):
        MetricSpace.of(heat, region="main", exclusive=True, metrics=["wall_time"])


def test_several_experiments_are_samples(heat):
    space = MetricSpace.of(heat, heat, metrics=["wall_time"])
    assert space.labels[:5] == ("0#0", "1#0", "2#0", "3#0", "0#1")
    assert _column(space, "wall_time") == [3, 4, 5, 5] * 2


def test_the_parts_of_the_time_in_mpi_are_metrics_where_they_are_asked_for():
    made = Builder()
    made.metric("mpi_time", "sec")
    made.metric("mpi_collective_time", "sec", parent="mpi_time")
    made.metric("mpi_all_to_all_time", "sec", parent="mpi_collective_time")
    main = made.call_path("main")
    for rank in range(3):
        made.location(rank)
    for metric, seconds in (("mpi_time", 3), ("mpi_collective_time", 2), ("mpi_all_to_all_time", 1)):
        made.row(metric, main, [seconds, 2 * seconds, 3 * seconds])
    experiment = made.experiment()
    assert MetricSpace.of(experiment).metrics == ("mpi_time",)
    assert MetricSpace.of(experiment, metrics=["mpi_all_to_all_time"]).metrics == ("mpi_all_to_all_time",)
    part = MetricSpace.of(select(experiment, metrics=["mpi_all_to_all_time"]))
    assert part.metrics == ("mpi_all_to_all_time",)


def test_threads_of_a_process_can_be_one_point():
    made = Builder()
    made.metric("t", "sec")
    main = made.call_path("main")
    for rank in range(2):
        for thread in range(2):
            made.location(rank, thread)
    made.row("t", main, [1, 2, 3, 5])
    threads, processes = (MetricSpace.of(made.experiment(), by=by) for by in ("thread", "process"))
    assert threads.labels == ("0.0", "0.1", "1.0", "1.1")
    assert (processes.labels, _column(processes, "t")) == ((0, 1), [3, 8])


def test_scaling_stands_huge_tiny_and_nearly_equal_values():
    columns = {"huge": [1e308, -1e308, 1.7e308], "tiny": [1e-310, 2e-310, 4e-310], "near": [1, 1 + 1e-9, 1 + 2e-9]}
    space = MetricSpace.of_columns(
        {name: np.array(column) for name, column in columns.items()}, [Point(rank) for rank in range(3)]
    )
    for scale in ("standard", "mean"):
        assert np.isfinite(space.scaled(scale)).all()
    assert space.scaled().std(axis=0) == pytest.approx([1, 1, 1])


def test_a_part_is_cleaned_anew():
    columns = {"a": np.array([1.0, 1.0, 5.0, 6.0]), "b": np.array([1.0, 2.0, 3.0, 4.0])}
    part = MetricSpace.of_columns(columns, [Point(rank) for rank in range(4)]).part([0, 1])
    assert (part.metrics, part.dropped) == (("b",), {"a": "constant: 1"})


def test_a_part_calls_its_points_as_the_whole_does(heat):
    points = [Point(rank, thread) for rank in range(3) for thread in range(2)]
    space = MetricSpace.of_columns({"a": np.array([9.0, 1, 8, 2, 7, 3])}, points)
    assert space.part([0, 2, 4]).labels == ("0.0", "1.0", "2.0")
    samples = MetricSpace.of(heat, heat, metrics=["wall_time"])
    assert samples.part([0, 1]).labels == ("0#0", "1#0")


def test_a_rank_that_is_left_out_changes_no_names():
    made = Builder()
    made.metric("t", "sec")
    main = made.call_path("main")
    for rank, thread in ((0, 0), (0, 1), (1, 0), (2, 0)):
        made.location(rank, thread)
    made.row("t", main, [1, 2, 3, 5])
    assert MetricSpace.of(made.experiment(), exclude_ranks=[0]).labels == ("1.0", "2.0")


@pytest.mark.parametrize(("roundings", "kept"), [(60, False), (70, True)])
def test_metrics_that_differ_by_64_roundings_are_constant(roundings, kept):
    eps = float(np.finfo(np.float64).eps)
    columns = {"a": np.array([1.0, 1.0 - roundings * eps]), "b": np.array([1.0, 2.0])}
    space = MetricSpace.of_columns(columns, [Point(0), Point(1)])
    assert ("a" in space.metrics) == kept


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_values_whose_squares_are_no_numbers_are_not_taken_as_they_are(size):
    space = MetricSpace.of_columns({"a": size * np.array([1.0, 2.0, 4.0])}, [Point(rank) for rank in range(3)])
    with pytest.raises(UsageError, match=r"between 1e-100 and 1e\+100.* in a; scale the metrics"):
        space.scaled("none")
    assert space.scaled()[:, 0] == pytest.approx([-1.0690449676496976, -0.2672612419124244, 1.3363062095621219])


def _wholes(**accesses: float) -> Experiment:
    made = Builder()
    made.metric("bytes", "bytes")
    made.metric("bytes_coll", "bytes", parent="bytes")
    made.metric("accesses", "occ")
    made.metric("misses", "occ", **accesses)
    main = made.call_path("main")
    loop = made.call_path("loop", main)
    for rank in range(3):
        made.location(rank)
    made.row("bytes", main, np.array([9e9, 1e9, 2e9]))
    made.row("bytes_coll", loop, np.array([1.0, 2, 3]))
    made.row("accesses", main, np.array([7e9, 1e9, 2e9]))
    made.row("misses", main, np.array([70.0, 10, 20]))
    made.row("misses", loop, np.array([1.0, 2, 3]))
    return made.experiment()


def test_the_most_that_a_location_has_in_the_program_is_of_those_that_are_compared():
    """For a part of the bytes, the total is that of all bytes; for misses, it is not that of accesses."""
    run = _wholes(parent="accesses")
    most = {"bytes": 9e9, "bytes_coll": 9e9, "accesses": 7e9, "misses": 71}
    assert dict(MetricSpace.of(run).wholes) == most
    found = MetricSpace.of(run, region="loop", exclude_ranks=[0], metrics=["bytes_coll", "misses"])
    assert dict(found.wholes) == {"bytes_coll": 2e9, "misses": 23}
    assert found.values.tolist() == [[2, 2], [3, 3]]


def test_samples_need_not_have_what_a_metric_is_a_part_of():
    whole = _wholes(parent="accesses")
    part = select(whole, metrics=["bytes_coll", "misses"])
    assert MetricSpace.of(whole, part).wholes["bytes_coll"] in (3.0, 9e9)
    assert MetricSpace.of(part, whole).metrics == ("bytes_coll", "misses")
