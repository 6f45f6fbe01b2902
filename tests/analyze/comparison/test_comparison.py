from collections.abc import Sequence

import numpy as np
import pytest

from autoanalyzer.analyze.comparison import Comparison, compare, metrics_to_compare
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region, flat, load, save, select
from autoanalyzer.experiment.algebra import difference, maximum, mean, merge, minimum, ratio, stddev, total
from autoanalyzer.experiment.metric import MPI_WAIT

MAIN = Region("program", "main", "a.c", "main", 0, 1, 99)
REGIONS = [
    Region("function", name, "a.c", name, 0, 10 * number, 10 * number + 9) for number, name in enumerate("xyz", 1)
]
NOISE = (1.0, 1.004, 1.001, 1.02, 1.3)


def experiment(
    values: Sequence[float], *, ranks: int = 2, regions: Sequence[Region] = REGIONS, **changes: object
) -> Experiment:
    """Return an experiment whose main takes 0.1 s of its own, and whose regions take the given times on every rank."""
    paths = [CallPath(MAIN), *(CallPath(region, 0) for region in regions[: len(values)])]
    times = np.repeat(np.array([0.1, *values])[:, None], ranks, axis=1)
    parts: dict[str, object] = {
        "metrics": [Metric("wall_time", "sec")],
        "call_paths": paths,
        "locations": [Location("m", "n", rank) for rank in range(ranks)],
        "severities": {"wall_time": times},
    }
    return Experiment(**(parts | changes))  # type: ignore[arg-type]


def series(*values: float) -> list[Experiment]:
    return [experiment([factor * value for value in values]) for factor in NOISE]


def verdicts(comparison: Comparison) -> dict[str, str]:
    return {
        comparison.joined.path_name(each.path): each.verdict for each in comparison.regions if each.path is not None
    }


def test_equal_runs_show_no_change():
    found = compare(series(1.0, 2.0, 0.5), series(1.0, 2.0, 0.5))
    assert found.program.verdict == "same"
    assert set(verdicts(found).values()) == {"same"}
    assert not found.slower


def test_a_slower_region_is_named_and_makes_the_program_slower():
    found = compare(series(1.0, 2.0, 0.5), series(1.0, 2.6, 0.5))
    assert found.program.verdict == "slower"
    assert verdicts(found) == {"x": "same", "y": "slower", "z": "same"}
    assert found.regions[0].shift.change == pytest.approx(0.3)
    assert found.slower


def test_a_loss_in_one_region_is_seen_where_another_gains_as_much():
    found = compare(series(1.0, 2.0, 0.5), series(1.2, 1.8, 0.5))
    assert found.program.verdict == "same"
    assert verdicts(found) == {"x": "slower", "y": "faster", "z": "same"}
    assert found.slower


@pytest.mark.parametrize("known", ["mpi_time", "kind"])
def test_waiting_that_moves_to_another_region_is_told_and_slows_nothing_unless_the_program_is_slower(known):
    """Region y waits, as shown by its kind or its time in MPI; its additional time is work."""

    def runs(work: float, waiting: float, more: float = 0.0) -> list[Experiment]:
        kind = "mpi" if known == "kind" else "function"
        regions = [REGIONS[0], REGIONS[1]._replace(kind=kind)]
        rows = np.array([[0.1] * 2, [work] * 2, [waiting + more] * 2])
        waits = np.array([[0.0] * 2, [0.0] * 2, [waiting] * 2])
        metrics = [Metric("wall_time", "sec"), Metric("mpi_time", "sec", "wall_time")]
        made = []
        for noise in NOISE:
            severities = {"wall_time": noise * rows, "mpi_time": noise * waits}
            whole = experiment([work, waiting], regions=regions, metrics=metrics, severities=severities)
            made.append(whole if known == "mpi_time" else select(whole, metrics=["wall_time"]))
        return made

    found = compare(runs(2.0, 0.2), runs(1.0, 0.8))
    assert (found.program.verdict, verdicts(found)["y"], found.slower) == ("faster", "waiting", False)
    found = compare(runs(2.0, 0.2), runs(2.0, 0.8))
    assert (found.program.verdict, verdicts(found)["y"], found.slower) == ("slower", "slower", True)
    if known == "mpi_time":
        assert verdicts(compare(runs(2.0, 0.2), runs(1.0, 0.8, 0.2)))["y"] == "slower"


def test_nothing_is_called_waiting_that_moved_while_it_is_unclear_whether_the_program_is_slower():
    regions = [REGIONS[0], REGIONS[1]._replace(kind="mpi")]
    base = [experiment([work, 0.5], regions=regions) for work in (3.0, 4.5, 6.6, 5.0, 4.0)]
    other = [experiment([work, 1.5], regions=regions) for work in (3.2, 5.7, 6.0, 4.1, 5.0)]
    found = compare(base, other)
    assert (found.program.verdict, verdicts(found)["y"]) == ("unclear", "slower")


def test_a_change_below_the_threshold_is_none_however_sure():
    assert compare(series(1.0, 2.0, 0.5), series(1.04, 2.08, 0.52)).program.verdict == "same"
    assert compare(series(1.0, 2.0, 0.5), series(1.04, 2.08, 0.52), threshold=0.02).program.verdict == "slower"


def test_a_change_is_one_of_as_many_as_are_not_surer():
    """If nothing had changed, the change of y would have a probability of 0.0071; doubled, this exceeds 0.01 (Holm)."""

    def runs(x: float, y: float) -> list[Experiment]:
        return [experiment([x * noise, y * noise]) for noise in np.exp([0, 0.01, 0.04, 0.05, 0.06])]

    assert verdicts(compare(runs(1.0, 1.0), runs(1.0, 1.104))) == {"x": "same", "y": "unclear"}
    assert verdicts(compare(runs(1.0, 1.0), runs(1.5, 1.104))) == {"x": "slower", "y": "slower"}


def test_a_change_that_noise_can_make_is_unclear():
    base = [experiment([value]) for value in (1.0, 1.5, 2.2)]
    other = [experiment([value]) for value in (1.2, 1.9, 2.0)]
    assert [len(each.call_paths) for each in base] == [2, 2, 2]
    assert compare(base, other).program.verdict == "unclear"


def test_light_regions_are_not_judged_and_new_and_lost_ones_are_listed():
    base = [experiment([2.0, 0.9, 0.001], regions=REGIONS) for _ in range(3)]
    other = [experiment([2.0, 0.8, 0.002], regions=[REGIONS[0], Region("function", "w", "w.c", "w"), REGIONS[2]])] * 3
    found = compare(base, other)
    assert verdicts(found) == {"x": "same"}
    assert [(found.joined.path_name(path), value) for path, value in found.appeared] == [("w", 0.8)]
    assert [(found.joined.path_name(path), value) for path, value in found.vanished] == [("y", 0.9)]


def test_a_region_that_some_runs_of_a_side_lack_is_not_new():
    base = [experiment([1.0, value]) for value in (0.5, 0.51, 0.49, 0.0)]
    other = [experiment([1.0, 0.5]) for _ in range(4)]
    for found, seen in ((compare(base, other), (3, 4)), (compare(other, base), (4, 3))):
        assert (found.appeared, found.vanished) == ((), ())
        assert verdicts(found) == {"main": "same", "x": "same"}
        assert [(found.joined.path_name(path), runs) for path, runs in found.partial] == [("y", seen)]


@pytest.mark.parametrize(("base", "other"), [(1, 1), (1, 5), (5, 1)])
def test_one_run_on_a_side_shows_large_changes_of_the_program_only(base: int, other: int):
    found = compare([experiment([1.0])] * base, [experiment([1.4])] * other)
    assert not found.noise_known
    assert found.program.verdict == "unclear"
    assert verdicts(found) == {"main": "same", "x": "unclear"}
    assert not found.slower
    found = compare([experiment([1.0])] * base, [experiment([2.0])] * other)
    assert found.program.verdict == "slower"
    assert verdicts(found) == {"main": "same", "x": "unclear"}


def test_one_run_is_enough_for_simulated_counts():
    def counted(name: str, count: float) -> Experiment:
        metrics = [Metric(name, "occ", source="simulated:tool L1=1K/1/64")]
        return experiment([1.0], metrics=metrics, severities={name: np.array([[1.0, 1.0], [count, count]])})

    found = compare([counted("instructions", 100)], [counted("instructions", 106)], metric="instructions")
    assert (found.program.verdict, verdicts(found)["x"]) == ("slower", "slower")
    found = compare([counted("mpi_instructions", 100)], [counted("mpi_instructions", 140)], metric="mpi_instructions")
    assert found.program.verdict == "unclear"


def test_a_loss_that_is_a_trifle_to_the_program_fails_nothing():
    light = series(10.0, 0.08), series(1.0, 0.12)
    assert verdicts(compare(*light)) == {"main": "same", "x": "faster", "y": "same"}
    assert not compare(*light).slower
    assert verdicts(compare(series(10.0, 0.08), series(1.0, 0.22))) == {"main": "same", "x": "faster", "y": "slower"}


def test_times_below_ten_milliseconds_are_too_short_to_judge():
    def short(value: float, own: float) -> list[Experiment]:
        rows = np.array([[own] * 2, [value] * 2])
        return [experiment([1.0], severities={"wall_time": factor * rows}) for factor in NOISE]

    found = compare(short(0.004, 0.001), short(0.008, 0.001))
    assert (found.program.verdict, found.regions, found.least) == ("unclear", (), 0.01)
    found = compare(short(0.004, 0.02), short(0.008, 0.02))
    assert (found.program.verdict, verdicts(found)) == ("slower", {"main": "same"})
    found = compare(short(0.004, 0.02), short(0.012, 0.02))
    assert verdicts(found) == {"main": "same", "x": "slower"}


def test_the_start_up_of_mpi_is_no_part_of_the_program():
    start = Region("mpi", "MPI_Init")
    base = [experiment([1.0, 1.0], regions=[REGIONS[0], start])]
    other = [experiment([1.0, 9.0], regions=[REGIONS[0], start])]
    assert compare(base, other).program.verdict == "same"


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (experiment([1.0], ranks=3), r"expected the same ranks as in 0 \(2 ranks\), found different ones \(3 ranks\)"),
        (experiment([1.0], regions=[Region("function", "other", "b.c", "other")]), "no region in common"),
        (experiment([-1.0]), "expected a run, but wall_time is negative on rank 0"),
        (experiment([1.0, -0.5]), "expected a run, but wall_time is negative on rank 0"),
        (experiment([1e308], ranks=2), "expected a positive, finite wall_time of the program, found inf"),
        (select(experiment([1.0]), subtree="x"), "expected the whole program, as in 0, found x; cut all runs"),
        (flat(experiment([1.0])), "expected the whole program, as in 0, found flat; cut all runs"),
        (
            experiment([], call_paths=[CallPath(REGIONS[0])], severities={"wall_time": np.ones((1, 2))}),
            "no region in common",
        ),
        (experiment([np.nan]), "some ranks are missing"),
        (experiment([1.0], notes=Notes(missing=(1,))), "but no data came back from rank 1; repeat"),
        (experiment([1.0], ranks=1, notes=Notes(missing=(1,))), "but no data came back from rank 1; repeat"),
        (experiment([1.0], notes=Notes(unfinished=(0, 1))), "but ranks 0, 1 never entered MPI_Finalize; repeat"),
        (experiment([1.0], notes=Notes(program_status=134)), "expected exit status 0, found 134; repeat"),
        (
            experiment([1.0], metrics=[Metric("time", "sec")], severities={"time": np.ones((2, 2))}),
            "no metric 'wall_time'",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(other: Experiment, message: str):
    with pytest.raises(InputError, match=message) as caught:
        compare([experiment([1.0], notes=Notes(program_status=0))], [other], labels=("0", "1"))
    assert str(caught.value).startswith("1: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("operation", [difference, maximum, mean, merge, minimum, ratio, stddev, total])
def test_what_is_computed_from_runs_is_no_run(operation, tmp_path):
    result = operation(experiment([2.0]), experiment([1.0]))
    saved = tmp_path / "r.cube"
    save(result, saved)
    name = {maximum: "max", minimum: "min", total: "sum"}.get(operation, operation.__name__)
    for made in (
        result,
        load(saved),
        select(result, processes=[0, 1]),
        mean(load(saved), load(saved), labels=["r", "r"]),
    ):
        with pytest.raises(
            InputError, match=f"^1: expected a run, found the result of {name}; name the runs themselves"
        ):
            compare([experiment([1.0])], [made], labels=("0", "1"))
    part = select(experiment([1.0]), processes=[0])
    assert compare([part] * 2, [part] * 2).program.verdict == "same"


def test_equal_parts_of_runs_are_compared_whatever_their_regions_are_called():
    named = Region("function", "residual = sum(a, b)", "a.c", "residual")
    part = select(experiment([1.0], regions=[named]), subtree=named.name, processes=[0], metrics=["wall_time"])
    assert part.notes.cut_to == (named.name,)
    assert compare([part] * 2, [part] * 2).program.verdict == "same"
    other = select(experiment([1.0], regions=[named]), subtree="main")
    with pytest.raises(InputError, match=r"^1: expected residual = sum\(a, b\), as in 0, found main; cut all"):
        compare([part], [select(other, processes=[0])], labels=("0", "1"))


def test_the_program_is_its_regions_together_whatever_there_is_outside_of_mpi():
    def run(outside: float, *, known: bool = True) -> Experiment:
        metrics = [Metric("wall_time", "sec"), Metric("program_time", "sec")]
        times = {"wall_time": np.array([[outside] * 2, [10.0] * 2]), "program_time": np.array([[10.0] * 2, [0.0] * 2])}
        made = experiment([10.0], metrics=metrics, severities=times)
        return made if known else select(made, metrics=["wall_time"])

    base = [run(0.98 + 0.003 * number) for number in range(5)]
    for known in (True, False):
        other = [run(1.002 + 0.003 * number, known=known) for number in range(5)]
        found = compare(base, other)
        assert (found.program.verdict, found.program.base, found.program.other) == ("same", 10.98, 11.002)
        assert not found.slower
    assert compare(base, base, metric="program_time").program.base == 10


def test_a_program_that_always_ends_with_a_status_is_compared():
    run = experiment([1.0], notes=Notes(program_status=3))
    assert compare([run] * 2, [run, experiment([1.0])]).program.verdict == "same"


def test_a_base_of_zero_is_refused():
    nothing = experiment([0.0], severities={"wall_time": np.zeros((2, 2))})
    with pytest.raises(InputError, match=r"expected a positive, finite .* of the program, found 0"):
        compare([nothing], [experiment([1.0])])


def test_other_metrics_are_summed_up():
    def counted(visits: float) -> Experiment:
        return experiment([1.0], metrics=[Metric("visits", "occ")], severities={"visits": np.full((2, 2), visits)})

    found = compare([counted(10)] * 2, [counted(12)] * 2, metric="visits")
    assert (found.program.base, found.program.other, found.unit) == (40, 48, "occ")
    assert found.program.verdict == "slower"


def test_of_another_tools_experiment_the_start_up_of_mpi_is_left_out_too():
    def imported(start: float) -> Experiment:
        return experiment(
            [1.0, start],
            regions=[REGIONS[0], Region("function", "MPI_Init_thread")],
            metrics=[Metric("time", "sec")],
            severities={"time": np.array([[0.1] * 2, [1.0] * 2, [start] * 2])},
        )

    assert metrics_to_compare([imported(1)]) == ("time",)
    found = compare([imported(1)] * 2, [imported(9)] * 2, metric="time")
    assert (found.program.base, found.program.other, found.of_ranks) == (1.1, 1.1, "mean")


def test_compute_time_is_cpu_time_outside_mpi():
    def computing(cpu: float, mpi: float) -> Experiment:
        names = ("cpu_time", "mpi_cpu_time")
        return experiment(
            [1.0],
            metrics=[Metric(names[0], "sec"), Metric(names[1], "sec", names[0])],
            severities={name: np.full((2, 2), value) for name, value in zip(names, (cpu, mpi), strict=True)},
        )

    assert metrics_to_compare([computing(3, 1)]) == ("compute_time", "busy_time")
    assert metrics_to_compare([experiment([1.0])]) == ("wall_time",)
    found = compare([computing(3, 1)] * 2, [computing(6, 4)] * 2, metric="compute_time")
    assert (found.program.base, found.program.other, found.unit) == (8, 8, "sec")
    with pytest.raises(InputError, match="no metric 'cpu_time'"):
        compare([experiment([1.0])], [experiment([1.0])], metric="compute_time")


def shared(work: Sequence[float], path: float | None = None) -> Experiment:
    """Return a run with 0.1 s per rank in main, and ``work`` in x; the critical path, if given, is all in x."""
    times = np.array([[0.1] * len(work), work])
    on_path = {} if path is None else {"path_time": np.array([[0.0] * len(work), [path, *[0.0] * (len(work) - 1)]])}
    severities = {"cpu_time": times, "mpi_cpu_time": np.zeros_like(times), **on_path}
    metrics = [Metric(name, "sec", "cpu_time" if name == "mpi_cpu_time" else None) for name in severities]
    return experiment([1.0], ranks=len(work), metrics=metrics, severities=severities)


def test_the_same_work_that_is_shared_better_is_faster_by_the_busiest_rank():
    uneven, even = [shared([3 * noise, 1, 0]) for noise in NOISE], [shared([1.5, 1.5 * noise, 1]) for noise in NOISE]
    assert metrics_to_compare([*uneven, *even]) == ("compute_time", "busy_time")
    assert compare(uneven, even, metric="compute_time").program.verdict == "same"
    found = compare(uneven, even, metric="busy_time")
    assert (found.of_ranks, found.program.verdict, verdicts(found)["x"]) == ("max", "faster", "faster")
    assert (found.program.base, found.program.other) == pytest.approx((3.1, 1.6))
    assert compare(even, uneven, metric="busy_time").slower


def test_the_critical_path_replaces_the_busiest_rank_if_all_runs_recorded_it_to_the_end():
    whole, longer, ended = shared([2, 1], 3), shared([2, 1], 4), shared([2, 1], 1.9)
    assert metrics_to_compare([whole, longer]) == ("compute_time", "path_time")
    assert metrics_to_compare([whole, ended]) == ("compute_time", "busy_time")
    assert metrics_to_compare([whole, shared([2, 1])]) == ("compute_time", "busy_time")
    found = compare([whole] * 2, [longer] * 2, metric="path_time")
    assert (found.program.verdict, verdicts(found)["x"]) == ("slower", "slower")
    for part in (ended, longer.replaced(notes=Notes(path_is_partial=True))):
        with pytest.raises(InputError, match=r"^1: expected the critical path of the whole run, .*--metric busy_time"):
            compare([longer], [part], metric="path_time", labels=("0", "1"))


def test_runs_with_barriers_before_collectives_are_not_compared_with_runs_without():
    plain, split = (
        series(1.0),
        [
            each.replaced(
                metrics=[*each.metrics, Metric(MPI_WAIT.name, "sec")],
                severities={"wall_time": each.exclusive("wall_time"), MPI_WAIT.name: np.zeros((2, 2))},
            )
            for each in series(1.0)
        ],
    )
    labels = [f"{side}{run}" for side in ("base", "new") for run in range(5)]
    said = "new0: recorded with --split-waiting, .* but base0 was not"
    with pytest.raises(InputError, match=said):
        compare(plain, split, labels=labels)
    with pytest.raises(InputError, match="base2: recorded with --split-waiting"):
        compare([*plain[:2], *split[2:]], plain, labels=labels)
    assert compare(split, split, labels=labels).program.verdict == "same"
