import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.dissimilarity.dissimilarity import Dissimilarity, find_dissimilarity
from autoanalyzer.analyze.dissimilarity.rank_vectors import RankVectors
from autoanalyzer.analyze.run.selection import Selection
from autoanalyzer.errors import UsageError
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region


def search(experiment: Experiment, floor: float = 0.0, **options: object) -> tuple[Dissimilarity, RankVectors]:
    vectors = RankVectors.selected(Selection.of(experiment, **options))  # type: ignore[arg-type]
    return find_dissimilarity(vectors, floor=floor), vectors


def names(vectors: RankVectors, positions: tuple[int, ...]) -> list[str]:
    experiment = vectors.experiment
    return [experiment.path_name(vectors.regions[each].id) or "(own)" for each in positions]


def test_a_difference_is_measured_by_what_is_compared_not_by_the_time_the_machine_took(make_experiment):
    seconds = {"shots": [0.01, 1.31, 1.34, 1.91]}
    busy = analyze(make_experiment(seconds, off={"shots": [108.9, 107.6, 107.6, 107.0]}), exclude_ranks=[0])
    assert busy.dissimilarity.clusters == analyze(make_experiment(seconds), exclude_ranks=[0]).dissimilarity.clusters
    assert busy.dissimilarity.clusters == ((0, 1), (2,))


def test_balanced_ranks_are_one_cluster_and_nothing_is_searched(make_experiment):
    found, _ = search(make_experiment({"a": [1, 1.02, 0.99], "a/b": [2, 2, 2]}))
    assert (found.exists, found.critical, found.culprits, found.odd_one) == (False, (), (), None)


def test_the_culprit_is_the_deepest_region_that_alone_gives_the_clusters_back(make_experiment):
    found, vectors = search(
        make_experiment(
            {"calm": [1, 1, 1, 1], "work": [0.1, 0.1, 0.1, 0.1], "work/rays": [1, 1, 2, 2], "work/io": [1] * 4}
        )
    )
    assert found.clusters == ((0, 1), (2, 3))
    assert names(vectors, found.critical) == ["work", "work/rays"]
    assert names(vectors, found.culprits) == ["work/rays"]


def test_two_children_that_differ_in_their_own_way_are_both_culprits(make_experiment):
    found, vectors = search(make_experiment({"work": [0, 0, 0], "work/a": [1, 2, 2], "work/b": [1, 1, 2]}))
    assert names(vectors, found.critical) == ["work", "work/a", "work/b"]
    assert names(vectors, found.culprits) == ["work/a", "work/b"]
    assert found.clusters == ((0,), (1,), (2,))


def test_many_small_differences_below_a_region_stay_with_it(make_experiment):
    times = {"work": [0.0] * 4} | {f"work/part{number}": [0.009, 0.009, 0.009, 0.018] for number in range(20)}
    found, vectors = search(make_experiment(times | {"calm": [1.0] * 4}), floor=0.01)
    assert names(vectors, found.culprits) == ["work"]


def test_imbalances_that_cancel_in_the_totals_are_found(make_experiment):
    calm = {f"calm{number}": [1.0, 1.01, 0.99, 1.0] for number in range(6)}
    found, vectors = search(make_experiment({"a": [1.0, 2.0, 1.0, 1.0], "b": [2.0, 1.0, 2.0, 2.0], **calm}), floor=0.01)
    assert names(vectors, found.culprits) == ["a", "b"]
    assert found.clusters == ((0, 2, 3), (1,))


def test_an_imbalance_that_is_a_small_part_of_the_run_is_found_where_other_regions_tell_how_small_noise_is(
    make_experiment,
):
    calm = {f"calm{number}": [1.0, 1.01, 0.99, 1.0] for number in range(9)}
    found, vectors = search(make_experiment({"a": [0.6, 0.6, 0.8, 0.6], **calm}), floor=0.1)
    assert names(vectors, found.culprits) == ["a"]
    assert found.clusters == ((0, 1, 3), (2,))


def test_what_other_regions_of_the_run_part_by_is_noise(make_experiment):
    chance = np.random.default_rng(3)
    noisy = {f"r{number}": (1.0 + 0.1 * chance.standard_normal(4)).tolist() for number in range(12)}
    assert not search(make_experiment(noisy), floor=0.12)[0].exists


SET_UP = {"set_up": [0.005, 0.005, 0.03, 0.005]}


@pytest.mark.parametrize(
    ("seconds", "entries", "faults", "found"),
    [
        pytest.param(SET_UP, 1, 5000, [], id="memory may be why"),
        pytest.param(SET_UP, 20, 5000, ["set_up"], id="many times"),
        pytest.param(SET_UP, 1, 0, ["set_up"], id="no memory is touched"),
        pytest.param({"set_up": [0.005, 0.005, 0.11, 0.005]}, 1, 5000, ["set_up"], id="longer than a burst"),
        pytest.param({"once": [0.82, 0.82, 0.915, 0.82]}, 1, 5000, ["once"], id="most of the run"),
        pytest.param(
            {"once": SET_UP["set_up"], "once/again": [0.1, 0.1, 0.1, 0.12]},
            1,
            5000,
            ["once", "once/again"],
            id="around what is done again and again, such as the loop over time steps",
        ),
    ],
)
def test_what_is_done_once_may_take_one_rank_longer_as_memory_is_touched_first(
    make_experiment, seconds, entries, faults, found
):
    calm = {f"calm{number}": [0.1] * 4 for number in range(8)}
    visits = {each: [entries if each in ("set_up", "once") else 20] * 4 for each in {**seconds, **calm}}
    experiment = make_experiment({**seconds, **calm}, visits=visits, page_faults={"": [faults] * 4})
    dissimilarity, vectors = search(experiment, floor=0.01)
    assert names(vectors, dissimilarity.culprits) == found


def test_set_up_of_a_short_run_that_has_too_few_regions_is_no_difference_either(make_experiment):
    seconds = {**SET_UP, "work": [0.1] * 4}
    visits = {"set_up": [1] * 4, "work": [20] * 4}
    parted = [
        search(make_experiment(seconds, visits=visits, page_faults={"": [faults] * 4}))[0].exists
        for faults in (5000, 0)
    ]
    assert parted == [False, True]


def test_what_counts_vouch_for_differs_though_it_is_done_once(make_experiment):
    calm = {f"calm{number}": [0.1] * 4 for number in range(8)}
    executed = {"set_up": [5e6, 5e6, 3e7, 5e6], **{each: [1e8] * 4 for each in calm}}
    experiment = make_experiment(
        {**SET_UP, **calm}, page_faults={"": [5000] * 4}, visits={"set_up": [1] * 4}, instructions=executed
    )
    found, vectors = search(experiment, floor=0.01)
    assert names(vectors, found.culprits) == ["set_up"]


def test_the_own_code_of_the_entry_procedure_can_be_the_culprit(make_experiment):
    experiment = make_experiment({"a": [1, 1, 1, 1]})
    experiment.exclusive("cpu_time")[0] = [1, 1, 3, 3]
    found, vectors = search(experiment)
    assert [vectors.regions[each].own_code for each in found.culprits] == [True]


def test_equal_imbalance_in_two_regions_is_found_as_a_composite(make_experiment):
    found, vectors = search(make_experiment({"a": [1, 1, 2, 2], "b": [1, 1, 2, 2], "c": [1, 1, 1, 1]}))
    assert found.composite
    assert names(vectors, found.critical) == ["a", "b"]


def test_a_composite_is_searched_below_its_members_too(make_experiment):
    found, vectors = search(make_experiment({"a": [0] * 4, "a/x": [1, 1, 2, 2], "a/y": [0.5] * 4, "b": [1, 1, 2, 2]}))
    assert names(vectors, found.culprits) == ["a/x", "b"]


def test_a_large_balanced_region_is_not_blamed_for_noise_elsewhere(make_experiment):
    found, vectors = search(
        make_experiment({"big": [10, 10, 10, 10], "uneven": [1, 1, 3, 3], "noisy": [0.5, 0.58, 0.5, 0.58]})
    )
    assert names(vectors, found.critical) == ["uneven"]


def test_a_lone_master_is_named_and_can_be_left_out(make_experiment):
    experiment = make_experiment({"work": [0.1, 2, 2.05, 2]})
    found, vectors = search(experiment)
    assert vectors.ranks[found.odd_one] == 0
    found, _ = search(experiment, exclude_ranks=[0])
    assert not found.exists


def test_management_regions_of_a_master_can_be_left_out(make_experiment):
    experiment = make_experiment({"manage": [3, 0, 0, 0], "work": [2, 2, 2, 2]})
    assert search(experiment)[0].exists
    assert not search(experiment, exclude_regions=["manage@0"])[0].exists


def test_two_ranks_that_differ_are_two_clusters_without_a_master(make_experiment):
    found, _ = search(make_experiment({"work": [1, 2]}))
    assert found.clusters == ((0,), (1,))
    assert found.odd_one is None


def test_ranks_that_all_differ_are_clusters_of_one(make_experiment):
    found, _ = search(make_experiment({"work": [1, 2, 4, 8]}))
    assert found.clusters == ((0,), (1,), (2,), (3,))


def test_one_rank_is_one_cluster(make_experiment):
    assert not search(make_experiment({"work": [1]}))[0].exists


def test_start_up_is_no_part_of_the_comparison(make_experiment):
    found, vectors = search(make_experiment({"MPI_Init": [5, 1, 1], "work": [1, 1, 1]}))
    assert not found.exists
    assert names(vectors, vectors.top) == ["work", "(own)"]


def test_the_threads_of_a_rank_are_summed_up(make_experiment):
    experiment = make_experiment({"wait": [1, 0, 1, 0], "job": [0, 3, 0, 3]}, threads=2)
    assert not search(experiment)[0].exists
    found, vectors = search(make_experiment({"job": [0, 3, 0, 3, 0, 9]}, threads=2))
    assert found.clusters == ((0, 1), (2,))
    assert vectors.ranks == (0, 1, 2)


def test_what_the_first_region_leaves_unexplained_is_searched_on(make_experiment):
    found, vectors = search(
        make_experiment({"ocean": [6, 6, 6, 0], "ice": [0, 0, 0, 6], "physics": [1, 3.5, 1, 1], "calm": [1] * 4})
    )
    assert set(names(vectors, found.culprits)) == {"physics", "ocean", "ice"}


def test_what_runs_inside_mpi_init_is_start_up_too(make_experiment):
    found, vectors = search(make_experiment({"MPI_Finalize": [1, 1], "MPI_Finalize/clean": [5, 1], "work": [2, 2]}))
    assert not found.exists
    assert names(vectors, vectors.top) == ["work", "(own)"]


def test_every_composite_of_the_smallest_size_is_searched(make_experiment):
    found, vectors = search(
        make_experiment(
            {"a": [1, 1, 2, 2], "b": [1, 1, 2, 2], "c": [1] * 4, "d": [1] * 4, "e": [1, 1, 2, 2], "f": [1, 1, 2, 2]}
        )
    )
    assert set(names(vectors, found.critical)) >= {"a", "b", "e", "f"}


def test_a_region_is_left_out_by_its_path_too_and_the_whole_program_cannot_be(make_experiment):
    experiment = make_experiment({"loop@41": [3, 0, 0], "work": [2, 2, 2]})
    assert not search(experiment, exclude_regions=["loop@41"])[0].exists
    assert not search(experiment, exclude_regions=["loop@41@0"])[0].exists
    assert search(experiment, exclude_regions=["loop@41@1"])[0].exists
    with pytest.raises(UsageError, match="found the whole program"):
        search(experiment, exclude_regions=["main"])
    with pytest.raises(UsageError, match=r"no region .*; did you mean work\?"):
        search(experiment, exclude_regions=["wrok"])


def test_noise_beside_a_wide_difference_does_not_end_the_search(make_experiment):
    times = {"steps": [0.0] * 4, "steps/serial": [0.2, 0.0, 0.0, 0.0], "steps/even": [0.1, 0.1, 0.109, 0.085]}
    found, vectors = search(make_experiment(times))
    assert found.clusters == ((0,), (1, 2, 3))
    assert names(vectors, found.culprits) == ["steps/serial"]


def two_programs(first: list[float], second: list[float]) -> Experiment:
    """Return two ranks of one program and two of another; each program has its own region."""
    paths = []
    for number, name in enumerate(("ocean", "ice")):
        paths.append(CallPath(Region("function", "main", f"{name}.c", "main", 0, 1, 9)))
        paths.append(CallPath(Region("function", name, f"{name}.c", name, 0, 2, 3), 2 * number))
    times = np.zeros((4, 4))
    times[1, :2], times[3, 2:] = first, second
    severities = {"visits": np.sign(times), "wall_time": times, "cpu_time": times, "mpi_cpu_time": 0 * times}
    metrics = [Metric(name, "occ" if name == "visits" else "sec") for name in severities]
    return Experiment(
        metrics=[*metrics[:-1], Metric("mpi_cpu_time", "sec", "cpu_time")],
        call_paths=paths,
        locations=[Location("machine", "node", rank) for rank in range(4)],
        severities=severities,
    )


@pytest.mark.parametrize(
    ("second", "clusters", "culprits"),
    [([3.0, 3.0], ((0, 1), (2, 3)), []), ([1.0, 3.0], ((0, 1), (2,), (3,)), ["ice"])],
    ids=["each balanced", "one is not"],
)
def test_ranks_of_different_programs_are_not_compared(second, clusters, culprits):
    found, vectors = search(two_programs([1.0, 1.0], second))
    assert found.clusters == clusters
    assert found.exists == bool(culprits)
    assert names(vectors, found.culprits) == culprits


def test_a_region_that_all_ranks_of_its_program_enter_is_not_of_some_ranks_alone():
    (finding,) = (each for each in analyze(two_programs([1.0, 1.0], [1.0, 3.0])).verdict.findings if each.groups)
    assert finding.alone == ()


def test_processes_that_ranks_started_are_compared_among_themselves(make_experiment):
    experiment = make_experiment({"work": [1.0, 1.0, 5.0, 5.0]})
    assert search(experiment)[0].exists
    assert not search(experiment.replaced(notes=Notes(started=(2, 3))))[0].exists


def test_what_no_process_moves_is_no_cause_where_processes_were_started(make_experiment):
    times = {"work": [1.0, 1.0, 5.0]}
    nothing = {"io_bytes": {"work": [0.0] * 3}, "mpi_bytes": {"work": [0.0] * 3}}
    experiment = make_experiment(times, **nothing)
    findings = analyze(experiment.replaced(notes=Notes(started=(1, 2))))
    assert findings.dissimilarity.exists
    assert not findings.dissimilarity_causes.differences
    assert not any(findings.dissimilarity_causes.of_culprit.values())


@pytest.mark.parametrize(("more", "parted"), [(16, False), (23, False), (25, True)])
def test_ranks_whose_samples_are_within_three_deviations_are_alike(make_experiment, more, parted):
    """20 and 43 samples differ by 23, and three times the square root of their sum is 23.8."""
    sample = 0.05
    times = {"work": [20 * sample, 20 * sample, (20 + more) * sample], "calm": [1.0] * 3}
    experiment = make_experiment(times)
    sampled = experiment.replaced(notes=Notes(samples={"cpu_time": sample}))
    assert analyze(experiment).dissimilarity.exists
    assert analyze(sampled).dissimilarity.exists == parted


@pytest.mark.parametrize("clock", [1.0, 1.002], ids=["exact", "a little fast"])
def test_none_and_nine_samples_are_alike_whatever_the_samplers_clock(make_experiment, clock):
    sample = 0.05
    times = {"work": [0.0, 0.0, 9 * sample * clock], "calm": [1.0] * 3}
    experiment = make_experiment(times)
    assert not analyze(experiment.replaced(notes=Notes(samples={"cpu_time": sample}))).dissimilarity.exists
    assert analyze(experiment).dissimilarity.exists


def test_ranks_that_sampling_alone_parts_share_a_cluster(make_experiment):
    sample = 0.05
    times = {"work": [20 * sample, 42 * sample, 200 * sample], "calm": [1.0] * 3}
    experiment = make_experiment(times).replaced(notes=Notes(samples={"cpu_time": sample}))
    assert analyze(make_experiment(times)).dissimilarity.clusters == ((0,), (1,), (2,))
    assert analyze(experiment).dissimilarity.clusters == ((0, 1), (2,))


@pytest.mark.parametrize("is_divided", [True, False])
def test_measured_totals_differ_even_if_too_few_samples_show_where(make_experiment, is_divided):
    sample = 0.05
    times = {name: [few * sample, (few + 5) * sample] for name, few in (("a", 3), ("b", 4), ("c", 3))}
    sampled = {"samples": 35.0, "seconds": sample, "probes": 0.0} if is_divided else {}
    findings = analyze(make_experiment(times).replaced(notes=Notes(samples={"cpu_time": sample}, sampled=sampled)))
    assert (findings.dissimilarity.clusters, findings.dissimilarity.culprits) == (
        ((0,), (1,)) if is_divided else ((0, 1),),
        (),
    )
    assert any(each.groups for each in findings.verdict.findings) == is_divided


def test_a_second_culprit_beside_a_wide_one_is_kept(make_experiment):
    times = {"a": [0.0] * 4, "a/x": [4.36, 0, 0, 0], "a/y": [0.92, 0.88, 1.13, 0.87], "b": [1.03, 1.03, 1.03, 1.84]}
    found, vectors = search(make_experiment(times))
    assert names(vectors, found.culprits) == ["a/x", "b"]
