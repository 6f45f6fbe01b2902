"""Integration of metrics, systems and call paths of several experiments, on small examples."""

import functools
import operator

import numpy as np
import pytest

from autoanalyzer.errors import UsageError
from autoanalyzer.experiment import (
    CallPath,
    Experiment,
    Location,
    Metric,
    Notes,
    Region,
    Topology,
    flat,
    load,
    save,
    select,
)
from autoanalyzer.experiment.algebra import difference, maximum, mean, merge, minimum, ratio, stddev, total
from autoanalyzer.experiment.metric import STORED_METRICS, UNTIMED_VISITS
from autoanalyzer.experiment.throttling import folded_paths

from .conftest import simple

MAIN = Region("program", "main", "a.c", "main", 0, 1, 9)
WORK = Region("function", "work", "a.c", "work", 0, 11, 19)
SEND = Region("mpi", "MPI_Send")


def of_metrics(*metrics: Metric) -> Experiment:
    values = {metric.name: np.full((1, 1), float(number)) for number, metric in enumerate(metrics, 1)}
    return simple([[0.0]], [CallPath(MAIN)], metrics=metrics, severities=values)


def test_metrics_match_by_name_unit_and_place():
    a = of_metrics(Metric("time", "sec"), Metric("mpi", "sec", "time"), Metric("visits", "occ"))
    b = of_metrics(Metric("visits", "occ"), Metric("time", "sec"), Metric("io", "sec", "time"))
    merged = merge(a, b)
    assert [(each.name, each.parent) for each in merged.metrics] == [
        ("time", None), ("mpi", "time"), ("io", "time"), ("visits", None)
    ]  # fmt: skip
    assert [merged.exclusive(each.name)[0, 0] for each in merged.metrics] == [1, 2, 3, 3]


def test_two_metrics_of_one_name_in_different_places_are_told_apart_whatever_their_order():
    a = of_metrics(Metric("bytes_sent", ""))
    b = of_metrics(Metric("bytes", "bytes"), Metric("bytes_sent", "bytes", "bytes"))
    assert {each.name for each in merge(a, b).metrics} == {"bytes_sent", "bytes", "bytes/bytes_sent"}
    assert {each.name for each in merge(b, a).metrics} == {"bytes_sent", "bytes", "bytes/bytes_sent"}
    assert merge(merge(a, b), b).metrics == merge(a, b).metrics


def test_a_result_of_which_a_part_was_cut_out_is_an_operand_again():
    a = of_metrics(Metric("bytes_sent", ""))
    b = of_metrics(Metric("bytes", "bytes"), Metric("bytes_sent", "bytes", "bytes"))
    both = merge(a, b)
    part = select(both, metrics=["bytes/bytes_sent"])
    for operands in ((part, both), (both, part)):
        result = merge(*operands)
        result.check()
        assert {each.name for each in result.metrics} == {
            "bytes_sent",
            "bytes",
            "bytes/bytes_sent",
            "bytes/bytes_sent'",
        }
        assert merge(result, both).metrics == result.metrics == merge(result, result).metrics


@pytest.mark.parametrize("names", [("mpi", "time/mpi"), ("time/mpi", "mpi")])
def test_metrics_that_a_tool_itself_calls_after_their_parents_are_kept(names):
    metrics = [Metric("time", "sec"), *(Metric(name, "sec", "time") for name in names)]
    a = of_metrics(*metrics)
    result = mean(a, a)
    assert {each.name: result.exclusive(each.name)[0, 0] for each in result.metrics} == {
        "time": 1,
        names[0]: 2,
        names[1]: 3,
    }


def test_a_unit_that_is_not_stated_goes_with_any():
    a, b = of_metrics(Metric("x", "")), of_metrics(Metric("x", "bytes"))
    assert [each.unit for each in merge(a, b).metrics] == ["bytes"]


def test_two_metrics_of_one_name_and_different_units_are_both_kept_with_a_remark():
    a = of_metrics(Metric("time", "sec"), Metric("mpi", "sec", "time"))
    b = of_metrics(Metric("time", "ticks"), Metric("mpi", "ticks", "time"))
    result = merge(a, b, labels=("a.cube", "b.cube"))
    assert [(each.name, each.unit, each.parent) for each in result.metrics] == [
        ("time", "sec", None),
        ("time/mpi", "sec", "time"),
        ("time (ticks)", "ticks", None),
        ("time (ticks)/mpi", "ticks", "time (ticks)"),
    ]
    said = "time: unit sec in a.cube, unit ticks in b.cube, so these are different metrics: time, time (ticks)"
    assert said in result.notes.remarks
    assert result.exclusive("time (ticks)")[0, 0] == 1
    gone = difference(a, b)
    assert (gone.exclusive("time")[0, 0], gone.exclusive("time (ticks)")[0, 0]) == (1, -1)


def test_metrics_that_were_told_apart_by_their_units_match_again():
    a, b, unstated = (of_metrics(Metric("x", unit)) for unit in ("sec", "ticks", ""))
    both = merge(a, b)
    for again in (merge(both, b), merge(both, both), mean(both, a)):
        assert {(each.name, each.unit) for each in again.metrics} == {("x", "sec"), ("x (ticks)", "ticks")}
    turned = merge(b, both)
    assert {(each.name, each.unit) for each in turned.metrics} == {("x", "ticks"), ("x (sec)", "sec")}
    for three in (merge(a, b, unstated), merge(unstated, b, a)):
        three.check()
        assert {each.unit for each in three.metrics} == {"sec", "ticks", ""}


@pytest.mark.parametrize(
    "names",
    [
        {"t": "sec", "t'": "ticks", "t''": "ticks"},
        {"t": "sec", "t (ticks)": "ticks", "t (ticks)'": "ticks"},
        {"x": "m", "x'": "m/s"},
        {"t": "", "t (ticks)": "ticks"},
        {"t": "sec", "t (no unit)": ""},
    ],
)
def test_no_metric_of_an_operand_is_taken_for_another(names):
    one = of_metrics(*(Metric(name, unit) for name, unit in names.items()))
    for result in (merge(one, one), mean(one, one), difference(one, one)):
        assert {each.name: each.unit for each in result.metrics} == names


def test_a_name_that_ends_in_its_unit_by_itself_is_left_alone():
    latency, taken = of_metrics(Metric("latency (us)", "us")), of_metrics(Metric("x", "sec"), Metric("x (occ)", "occ"))
    assert [each.name for each in mean(latency, latency).metrics] == ["latency (us)"]
    result = merge(of_metrics(Metric("x (occ)", "occ")), of_metrics(Metric("x", "sec")), of_metrics(Metric("x", "occ")))
    result.check()
    assert {each.name for each in result.metrics} == {"x (occ)", "x", "x (occ)'"}
    assert merge(taken, taken).metrics == taken.metrics


SMALL, LARGE = (Region("function", name, "a.c", name, 0, line, line) for name, line in (("small", 31), ("large", 33)))
BY_TWO_WAYS = [CallPath(MAIN), CallPath(SMALL, 0), CallPath(WORK, 1), CallPath(LARGE, 0), CallPath(WORK, 3)]


def throttled_below_small(times: list[float], untimed: float, notes: Notes) -> Experiment:
    metrics = [*STORED_METRICS[:2], *([UNTIMED_VISITS] if untimed else [])]
    rows = ([1.0, 1.0, 8.0, 1.0, 2.0], times, [0, 0, untimed, 0, 0])
    return simple(
        [times],
        BY_TWO_WAYS,
        locations=[Location("m", "n", 0)],
        metrics=metrics,
        severities={each.name: np.array(row)[:, None] for each, row in zip(metrics, rows, strict=False)},
        notes=notes,
    )


@pytest.fixture
def timed() -> Experiment:
    return throttled_below_small([1.0, 1.0, 2.0, 1.0, 4.0], 0, Notes(throttled_ns=3.0))


@pytest.fixture
def folded() -> Experiment:
    notes = Notes(throttled={WORK.descriptor: "often"}, untimed=6, throttled_ns=5.0)
    return throttled_below_small([1.0, 3.5, 0.0, 1.0, 4.5], 6, notes)


def test_what_one_operand_has_folded_goes_to_its_caller_in_all_but_on_no_other_call_path(timed, folded):
    expected = {
        difference: [0, -0.5, 0, 0, -0.5],
        mean: [1, 3.25, 0, 1, 4.25],
        total: [2, 6.5, 0, 2, 8.5],
        minimum: [1, 3, 0, 1, 4],
        merge: [1, 3, 0, 1, 4],
    }
    for operation, times in expected.items():
        result = operation(timed, folded, labels=["a.cube", "b.cube"])
        assert result.exclusive("wall_time")[:, 0].tolist() == times
        assert result.exclusive("visits")[2, 0] == (0 if operation is difference else 16 if operation is total else 8)
        assert result.notes.throttled == {WORK.descriptor: "often"}
        assert (result.notes.untimed, result.notes.throttled_ns) == (3 if operation is mean else 6, 5)
        assert (
            "some regions are too small to measure separately in b.cube, so their time is attributed to their "
            "callers in all experiments: small/work" in result.notes.remarks
        )
        assert timed.exclusive("wall_time")[:, 0].tolist() == [1, 1, 2, 1, 4]
    again = mean(folded, folded)
    assert (again.exclusive("wall_time")[:, 0].tolist(), again.notes.remarks) == ([1, 3.5, 0, 1, 4.5], ())


def test_what_is_folded_is_known_of_results_and_parts_and_from_files(timed, folded, tmp_path):
    save(folded, tmp_path / "folded.cube")
    read = load(tmp_path / "folded.cube")
    other = throttled_below_small([1.0, 3.0, 0.0, 1.0, 5.0], 6, folded.notes)
    assert read.exclusive(UNTIMED_VISITS.name).tolist() == folded.exclusive(UNTIMED_VISITS.name).tolist()
    for operand in (
        read,
        select(read, metrics=["wall_time"]),
        difference(folded, other),
        minimum(timed, folded),
        folded.replaced(notes=Notes()),
    ):
        assert folded_paths(operand).tolist() == [False, False, True, False, False]
        assert mean(timed, operand).exclusive("wall_time")[2, 0] == 0
    visits = np.array([1.0, 1.0, 8.0, 0.0, 0.0])[:, None]
    times = np.array([1.0, 3.5, 0.0, 0.0, 0.0])[:, None]
    unvisited = select(read, metrics=["visits", "wall_time"]).replaced(
        severities={"visits": visits, "wall_time": times}
    )
    assert folded_paths(unvisited).tolist() == [False, False, True, False, False]


def placed(*nodes: str, threads: tuple[int, ...] = (0,)) -> Experiment:
    locations = [Location("m", node, process, thread + 0) for process, node in enumerate(nodes) for thread in threads]
    return simple([[1.0] * len(locations)], [CallPath(MAIN)], locations=locations)


def nodes(experiment: Experiment) -> list[str]:
    return [place.node for place in experiment.locations]


def test_nodes_are_copied_from_the_first_operand_where_all_agree_which_processes_share_one():
    assert nodes(mean(placed("n1", "n1", "n2"), placed("x", "x", "y"))) == ["n1", "n1", "n2"]
    assert nodes(mean(placed("n1", "n1"), placed("n1", "n1", "n2"))) == ["n1", "n1", "n2"]


def test_nodes_are_collapsed_where_operands_disagree_unless_one_is_chosen():
    a, b = placed("n1", "n1", "n2", "n2"), placed("n1", "n2", "n1", "n2")
    assert {(place.machine, place.node) for place in mean(a, b).locations} == {("machine", "node")}
    assert nodes(mean(a, b, system=1)) == ["n1", "n2", "n1", "n2"]
    assert set(nodes(mean(a, a, system="collapse"))) == {"node"}
    assert nodes(mean(placed("n1"), placed("x", "y"), system=0)) == ["n1", "y"]
    with pytest.raises(UsageError, match="from 1 to 2, found 3"):
        mean(a, b, system=2)


def test_processes_and_threads_match_by_their_numbers_and_absent_ones_count_as_zero():
    a, b = placed("n", threads=(0, 1)), placed("n", "n")
    result = a - b
    assert [(place.process, place.thread) for place in result.locations] == [(0, 0), (0, 1), (1, 0)]
    assert result.exclusive("time").tolist() == [[0, 1, -1]]


def test_threads_numbered_throughout_the_program_match_those_numbered_within_processes():
    locations = [Location("m", "n", 0, 0), Location("m", "n", 0, 1), Location("m", "n", 1, 2), Location("m", "n", 1, 3)]
    throughout = simple([[1.0, 2, 3, 4]], [CallPath(MAIN)], locations=locations)
    result = throughout - placed("n", "n", threads=(0, 1))
    assert result.exclusive("time").tolist() == [[0, 1, 2, 3]]


def test_a_process_without_its_first_thread_is_matched_by_the_numbers_of_the_others():
    whole = placed("n", "n", threads=(0, 1, 2))
    for threads in ([(0, 1), (0, 2), (1, 0), (1, 1), (1, 2)], [(0, 1), (0, 2)], [(1, 1), (1, 2)]):
        part = simple(
            [[1.0] * len(threads)], [CallPath(MAIN)], locations=[Location("m", "n", *each) for each in threads]
        )
        for result in (whole - part, (whole - part) - (whole - whole)):
            found = dict(zip(result.locations, result.exclusive("time")[0].tolist(), strict=True))
            assert {(place.process, place.thread) for place, value in found.items() if not value} == {*threads}
            assert len(found) == 6


def test_a_topology_is_copied_with_the_system_and_dropped_where_it_is_collapsed():
    grid = Topology("grid", (("x", 2, False),), {(0, 0): (0,), (1, 0): (1,)})
    a = simple([[1.0, 2]], [CallPath(MAIN)], topologies=[grid])
    assert mean(placed("m", "m"), a).topologies == (grid,)
    assert mean(a, a, system="collapse").topologies == ()


def test_below_a_call_path_that_matches_nothing_nothing_matches():
    a = simple([[1.0], [2], [3]], [CallPath(MAIN), CallPath(WORK, 0), CallPath(SEND, 1)])
    b = simple([[1.0], [5]], [CallPath(MAIN), CallPath(SEND, 0)])
    result = a - b
    assert [result.path_name(path) for path in range(4)] == ["", "work", "work/MPI_Send", "MPI_Send"]
    assert result.exclusive("time")[:, 0].tolist() == [0, 2, 3, -5]


def test_calls_of_one_region_match_by_call_site_and_then_in_order():
    a = simple([[0.0], [1], [2]], [CallPath(MAIN), CallPath(SEND, 0, 5), CallPath(SEND, 0, 7)])
    b = simple([[0.0], [10], [20], [30]], [CallPath(MAIN), *(CallPath(SEND, 0, line) for line in (7, 9, 11))])
    assert (a + b).exclusive("time")[:, 0].tolist() == [0, 1 + 20, 2 + 10, 30]


def test_several_roots_stand_side_by_side():
    a, b = simple([[1.0]], [CallPath(MAIN)]), simple([[2.0]], [CallPath(WORK)])
    assert (a + b).roots == (0, 1)


def test_what_is_missing_stays_missing():
    a, b = simple([[np.nan, 1]], [CallPath(MAIN)]), simple([[1.0, 1]], [CallPath(MAIN)])
    for result in (a - b, b - a, mean(a, b), minimum(a, b)):
        np.testing.assert_array_equal(np.isnan(result.exclusive("time")), [[True, False]])


def test_the_values_of_a_rank_that_was_lost_are_missing_and_that_is_said():
    whole = simple([[4.0, 4, 4]], [CallPath(MAIN)], notes=Notes(program="whole"))
    lost = simple([[4.0, 4]], [CallPath(MAIN)], notes=Notes(program="lost", missing=(2,)))
    for result in (mean(whole, lost), whole - lost, lost - whole):
        np.testing.assert_array_equal(np.isnan(result.exclusive("time")), [[False, False, True]])
        assert result.notes.remarks == ("rank 2 is missing in lost, and therefore in the result",)
    assert merge(whole, lost).exclusive("time").tolist() == [[4, 4, 4]]
    assert mean(lost, lost).exclusive("time").tolist() == [[4, 4]]


def test_a_ratio_by_zero_is_missing_and_a_metric_of_its_own():
    a, b = simple([[1.0, 1, 0]], [CallPath(MAIN)]), simple([[2.0, 0, 0]], [CallPath(MAIN)])
    quotient = ratio(a, b)
    np.testing.assert_array_equal(quotient.exclusive("time.ratio"), [[0.5, np.nan, np.nan]])
    assert [each.unit for each in quotient.metrics] == ["1"]
    assert {each.name for each in merge(a, quotient).metrics} == {"time", "time.ratio"}


@pytest.mark.parametrize("operation", [difference, mean, merge, total, minimum, maximum, stddev, ratio])
def test_what_is_made_of_what_does_not_add_up_does_not_either(operation):
    paths = [CallPath(MAIN), CallPath(WORK, 0)]
    a, b = simple([[1.0], [2]], paths), simple([[2.0], [2]], paths)
    quotient = ratio(a, b)
    for operand in (quotient, stddev(a, b)):
        result = operation(operand, operand)
        assert [each.aggregation for each in result.metrics] == ["none"]
        assert np.isnan(result.inclusive(result.metrics[0].name)[0, 0])


def test_a_ratio_that_is_not_defined_is_missing_not_zero():
    paths = [CallPath(MAIN), CallPath(WORK, 0)]
    a, b = simple([[1.0], [2]], paths), simple([[3.0]], paths[:1])
    result = mean(ratio(a, a), ratio(b, b))
    np.testing.assert_array_equal(result.exclusive("time.ratio"), [[1], [np.nan]])


def test_the_standard_deviation_is_that_of_a_sample():
    runs = [simple([[value]], [CallPath(MAIN)]) for value in (1.0, 2, 6)]
    assert stddev(*runs).exclusive("time.stddev")[0, 0] == pytest.approx(np.std([1, 2, 6], ddof=1))
    with pytest.raises(UsageError, match="at least two experiments"):
        stddev(runs[0])


def test_a_result_tells_how_it_came_about():
    runs = [simple([[1.0]], [CallPath(MAIN)], notes=Notes(program=name, command=("x",), missing=(2,))) for name in "ab"]
    result = mean(*runs, labels=("a1.cube", "a2.cube")) - runs[1]
    assert result.notes.history == ("mean(a1.cube, a2.cube)", "difference(mean(a1.cube, a2.cube), b)")
    assert result.notes.missing == (2,)
    assert result.notes.command == ("x",)
    assert result.notes.program == ""
    saved = difference(mean(*runs), runs[0], labels=("m.cube", "a.cube"))
    assert saved.notes.history == ("m.cube = mean(a, b)", "difference(m.cube, a.cube)")
    assert [each.source for each in result.metrics] == ["derived:difference of measured"]
    assert [each.source for each in merge(*runs).metrics] == ["measured"]


def test_long_chains_of_operations_are_computed_and_named_shortly():
    run = simple([[1.0]], [CallPath(MAIN)], notes=Notes(program="a"))
    chain = functools.reduce(operator.add, [run] * 300)
    assert chain.exclusive("time").tolist() == [[300]]
    nested = run
    for _ in range(20):
        nested = mean(nested, nested)
    assert nested.exclusive("time").tolist() == [[1]]
    assert len(nested.notes.history[-1]) < 130
    assert len("".join(nested.notes.history)) < 1000
    assert run.exclusive("time").flags.writeable


def test_a_sample_is_worth_as_much_in_a_sum_and_a_part_of_it_in_a_mean():
    one, other = (simple([[1.0]], [CallPath(MAIN)], notes=Notes(samples={"time": each})) for each in (0.01, 0.02))
    plain = simple([[1.0]], [CallPath(MAIN)])
    assert total(one, other).notes.samples == {"time": 0.02}
    assert mean(one, other).notes.samples == {"time": 0.01}
    assert merge(plain, one).notes.samples == {"time": 0.01}


def test_values_from_different_sources_are_not_put_together_silently():
    a = of_metrics(Metric("instructions", "occ", source="measured"))
    b = of_metrics(Metric("instructions", "occ", source="simulated:rtcount"))
    assert mean(a, b).notes.remarks == ("the mean combines values that were measured in different ways: instructions",)
    assert [each.source for each in mean(a, a).metrics] == ["derived:mean of measured"]


def test_whole_numbers_stay_whole_only_where_they_do():
    a = of_metrics(Metric("visits", "occ", dtype="UINT64"))
    assert [(a - a).metric("visits").dtype, mean(a, a).metric("visits").dtype] == ["INTEGER", "FLOAT"]


def test_numbers_of_which_some_are_no_whole_ones_are_none():
    a, b = (of_metrics(Metric("x", "occ", dtype=dtype)) for dtype in ("INTEGER", "FLOAT"))
    assert [total(*pair).metric("x").dtype for pair in ((a, b), (b, a), (a, a))] == ["FLOAT", "FLOAT", "INTEGER"]


@pytest.mark.parametrize(("dtype", "least"), [("MINDOUBLE", 3), ("MAXDOUBLE", 7)])
def test_a_minimum_or_maximum_is_of_those_that_have_the_call_path(dtype, least):
    metric = [Metric("time", "sec", dtype=dtype)]
    a = simple([[7.0], [3]], [CallPath(MAIN), CallPath(WORK, 0)], metrics=metric)
    b = simple([[7.0]], [CallPath(MAIN)], metrics=metric)
    for result in (mean(a, b), mean(b, a), minimum(a, b), maximum(a, b)):
        assert result.exclusive("time").tolist() == [[7], [3]]
        assert result.inclusive("time")[0, 0] == least
    assert merge(b, a).inclusive("time")[0, 0] == 7
    np.testing.assert_array_equal((a - b).exclusive("time"), [[0], [np.nan]])


@pytest.mark.parametrize("dtype", ["MINDOUBLE", "MAXDOUBLE"])
def test_minima_and_maxima_that_an_operand_lacks_are_those_of_the_other(dtype):
    paths = [CallPath(MAIN), CallPath(WORK, 0)]
    metrics = [Metric("time", "sec"), Metric("extreme", "sec", dtype=dtype)]
    values = {"time": np.array([[7.0], [3]]), "extreme": np.array([[7.0], [-3]])}
    a = simple([[7.0], [3]], paths, metrics=metrics, severities=values)
    b = simple([[1.0], [2]], paths)
    for operation in (merge, minimum, maximum):
        for result in (operation(a, b), operation(b, a)):
            assert result.exclusive("extreme").tolist() == [[7], [-3]]
            assert not result.notes.remarks
    # A mean counts it as 0, like the reference, and reports this.
    assert mean(a, b).exclusive("extreme").tolist() == mean(b, a).exclusive("extreme").tolist() == [[3.5], [-1.5]]
    assert mean(a, b, labels="ab").notes.remarks == ("extreme: not in b, and counted as 0 there",)


def test_labels_are_wanted_for_all_and_operands_are_experiments():
    a = simple([[1.0]], [CallPath(MAIN)])
    with pytest.raises(UsageError, match="expected 2 labels, one per experiment, found 1"):
        mean(a, a, labels=["x"])
    for wrong in (operator.add, operator.sub):
        with pytest.raises(TypeError, match="unsupported operand"):
            wrong(a, 1)


def test_no_experiment_at_all_is_refused():
    with pytest.raises(UsageError, match="at least one experiment"):
        mean()


def test_a_metric_that_an_operand_lacks_is_said_unless_nothing_is_put_together():
    counted = of_metrics(Metric("time", "sec"), Metric("instructions", "occ"))
    plain = of_metrics(Metric("time", "sec"))
    said = mean(counted, plain, labels=["a.cube", "b.cube"]).notes.remarks
    assert said == ("instructions: not in b.cube, and counted as 0 there",)
    assert not merge(counted, plain).notes.remarks
    assert not mean(plain, plain).notes.remarks


@pytest.mark.parametrize("operation", [mean, merge, difference])
def test_ranks_that_an_operand_has_not_are_said(operation):
    two, four = (simple([[1.0] * ranks], [CallPath(MAIN)]) for ranks in (2, 4))
    assert operation(two, four, labels=["a.cube", "b.cube"]).notes.remarks == (
        "a.cube has 2 of 4 ranks: missing values count as 0",
    )


def test_programs_without_a_region_in_common_are_doubted():
    other = Region("function", "sort", "b.c", "sort", 0, 1, 9)
    paths = [CallPath(MAIN), CallPath(WORK, 0)], [CallPath(MAIN), CallPath(other, 0)]
    a, b = (simple([[1.0], [2.0]], each) for each in paths)
    assert mean(a, b, labels=["a", "b"]).notes.remarks == (
        "a and b have no regions in common except their main programs; are they runs of the same program?",
    )
    assert not mean(a, a).notes.remarks


def test_different_parts_of_a_program_are_doubted_even_if_they_are_single_regions():
    idle = Region("function", "idle", "a.c", "idle", 0, 21, 29)
    whole = simple([[1.0], [2.0], [3.0]], [CallPath(MAIN), CallPath(WORK, 0), CallPath(idle, 0)])
    work, other = (select(whole, subtree=name) for name in ("work", "idle"))
    for one, two in ((work, other), (work, whole), (whole, other)):
        assert mean(one, two, labels=["a", "b"]).notes.remarks == (
            "a and b have no regions in common except their main programs; are they runs of the same program?",
        )
    for one in (work, whole, flat(whole), select(whole, subtree=0)):
        assert not mean(one, one).notes.remarks
    assert not mean(simple([[1.0]], [CallPath(MAIN)]), whole).notes.remarks


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ({"additive": False}, {}, "x: not additive in a, additive in b, so it is not summed in the result"),
        (
            {"dtype": "MINDOUBLE"},
            {"dtype": "DOUBLE"},
            "x: a minimum in a, additive in b, so it is not summed in the result",
        ),
        (
            {"dtype": "MINDOUBLE"},
            {"dtype": "MAXDOUBLE"},
            "x: a minimum in a, a maximum in b, so it is not summed in the result",
        ),
    ],
)
def test_a_metric_of_which_operands_disagree_what_it_is_does_not_add_up_and_that_is_said(one, other, said):
    paths = [CallPath(MAIN), CallPath(WORK, 0)]
    a, b = (
        simple([[1.0], [2.0]], paths, metrics=[Metric("x", "occ", **kind)], severities={"x": np.array([[1.0], [2]])})
        for kind in (one, other)
    )
    for operation in (merge, mean, total, minimum, maximum, difference):
        result = operation(a, b, labels="ab")
        assert result.notes.remarks == (said,)
        assert result.metric("x").aggregation == "none"
        assert np.isnan(result.inclusive("x")[0, 0])
        assert result.metric("x") == operation(b, a).metric("x")


def test_units_that_a_file_does_not_state_make_no_other_kind():
    a, b = of_metrics(Metric("share", "")), of_metrics(Metric("share", "%"))
    for result in (mean(a, b), mean(b, a)):
        assert result.metric("share").aggregation == "none"
        assert not result.notes.remarks


def test_what_does_not_add_up_and_one_operand_lacks_is_missing_and_that_is_said():
    values = {"time": np.ones((1, 1)), "rate": np.full((1, 1), 0.5)}
    a = simple(
        [[1.0]],
        [CallPath(MAIN)],
        metrics=[Metric("time", "sec"), Metric("rate", "1", additive=False)],
        severities=values,
    )
    b = simple([[1.0]], [CallPath(MAIN)])
    for operation in (mean, total, difference, ratio, stddev):
        result = operation(a, b, labels="ab")
        assert result.notes.remarks == ("rate: not in b, and missing in the result",)
        assert np.isnan(result.exclusive(result.metrics[1].name)).all()
    for operation in (minimum, maximum, merge):
        for result in (operation(a, b), operation(b, a)):
            assert result.exclusive("rate").tolist() == [[0.5]]
            assert not result.notes.remarks


@pytest.mark.parametrize(("dtype", "means"), [("FLOAT", [2.5, np.nan]), ("MINDOUBLE", [2.5, 7])])
def test_a_rank_that_was_lost_is_not_zero_of_a_metric_that_the_run_lacks_either(dtype, means):
    metrics = [Metric("time", "sec"), Metric("x", "occ", dtype=dtype)]
    values = {"time": np.ones((1, 2)), "x": np.array([[5.0, 7]])}
    whole = simple([[1.0, 1]], [CallPath(MAIN)], metrics=metrics, severities=values)
    lost = simple([[1.0]], [CallPath(MAIN)], notes=Notes(missing=(1,)))
    np.testing.assert_array_equal((whole - lost).exclusive("x"), [[5, np.nan]])
    np.testing.assert_array_equal((lost - whole).exclusive("x"), [[-5, np.nan]])
    np.testing.assert_array_equal(mean(whole, lost).exclusive("x"), [means])


def test_what_is_not_added_up_is_not_said_to_be_zero_on_ranks_that_an_operand_has_not():
    two, four = (
        simple(
            [[1.0] * ranks],
            [CallPath(MAIN)],
            metrics=[Metric("time", "sec"), Metric("x", "1", additive=False)],
            severities={name: np.ones((1, ranks)) for name in ("time", "x")},
        )
        for ranks in (2, 4)
    )
    assert mean(two, four, labels="ab").notes.remarks == (
        "a has 2 of 4 ranks: missing values count as 0, except for x, for which they stay missing",
    )


def test_how_many_processes_are_expected_is_unknown_where_one_operand_does_not_know():
    paths = [CallPath(MAIN)]
    known, unknown = (simple([[1.0]], paths, notes=Notes(expected_processes=each)) for each in (1, None))
    assert mean(known, known).notes.expected_processes == 1
    assert mean(known, unknown).notes.expected_processes is None


def test_what_was_said_of_one_run_says_of_which():
    one, other = (simple([[1.0]], [CallPath(MAIN)], notes=Notes(remarks=each)) for each in (("a", "b"), ("b",)))
    assert mean(one, other, labels=["1.cube", "2.cube"]).notes.remarks == ("1.cube: a", "b")


def test_what_is_known_of_functions_without_probes_in_any_operand_is_known_of_the_result():
    notes = (Notes(unprobed={"a": "get\nput"}), Notes(unprobed={"b": "get"}))
    operands = [throttled_below_small([1.0] * 5, 0, each) for each in notes]
    for operation in (difference, mean, total, minimum, merge):
        assert operation(*operands).notes.unprobed == {"a": "get\nput", "b": "get"}
