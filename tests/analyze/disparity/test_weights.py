import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.disparity.weights import cycles_per_instruction, weights
from autoanalyzer.analyze.run.code_regions import code_regions
from autoanalyzer.analyze.run.selection import Selection
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Experiment, Notes


def by_name(experiment: Experiment, metric: str = "crnm") -> dict[str, float]:
    selection = Selection.of(experiment)
    values = weights(selection, metric=metric)
    names = [experiment.path_name(each.id) or "(own)" for each in selection.regions]
    return dict(zip(names, values.tolist(), strict=True))


def test_crnm_is_the_share_times_the_cpi(make_experiment):
    experiment = make_experiment(
        {"fast": [3, 3], "slow": [1, 1]},
        instructions={"fast": [6e9, 6e9], "slow": [1e9, 1e9]},
        cycles={"fast": [3e9, 3e9], "slow": [4e9, 4e9]},
    )
    assert by_name(experiment) == pytest.approx({"fast": 0.75 * 0.5, "slow": 0.25 * 4, "(own)": 0.0})
    assert by_name(experiment, "cpi") == pytest.approx({"fast": 0.5, "slow": 4.0, "(own)": 1.0})
    assert by_name(experiment, "wall_time") == {"fast": 3.0, "slow": 1.0, "(own)": 0.0}


def test_crnm_is_a_mean_over_each_ranks_own_value(make_experiment):
    experiment = make_experiment(
        {"a": [1, 3], "b": [3, 1]},
        instructions={"a": [1e9, 1e9], "b": [2e9, 2e9]},
        ref_cycles={"a": [2e9, 6e9], "b": [2e9, 2e9]},
    )
    assert by_name(experiment)["a"] == pytest.approx((1 * 2 + 3 * 6) / 2 / 4)


def test_time_in_mpi_and_files_weighs_by_the_cpi_of_the_program(make_experiment):
    experiment = make_experiment(
        {"a": [2.0], "a/MPI_Send": [0.0], "b": [1.0]},
        mpi_time={"a/MPI_Send": [3.0]},
        io_time={"b": [2.0]},
        instructions={"a": [1e9], "b": [1e9]},
        cycles={"a": [1e9], "b": [3e9]},
    )
    assert by_name(experiment) == pytest.approx(
        {"a": (2 * 1 + 3 * 2) / 8, "a/MPI_Send": 3 * 2 / 8, "b": (1 * 3 + 2 * 2) / 8, "(own)": 0.0}
    )


def test_a_region_with_hardly_any_instructions_takes_the_cpi_of_the_program(make_experiment):
    experiment = make_experiment(
        {"work": [1, 1], "idle": [1, 1], "calm": [1, 1]},
        instructions={"work": [1e9, 1e9], "idle": [9e6, 9e6], "calm": [1.5e7, 1.5e7]},
        ref_cycles={"work": [2e9, 2e9], "idle": [1e9, 1e9], "calm": [3e8, 3e8]},
    )
    found = by_name(experiment, "cpi")
    assert (found["idle"], found["calm"]) == pytest.approx((3.3e9 / 1.024e9, 20))


@pytest.mark.parametrize(("in_files", "cpi"), [(19.0, 1.0), (4.0, 3.0)])
def test_cycles_leave_out_what_is_hardly_more_than_file_io(make_experiment, in_files, cpi):
    experiment = make_experiment(
        {"a": [1.0], "b": [1.0]},
        io_time={"b": [in_files]},
        instructions={"a": [1e9], "b": [1e9]},
        ref_cycles={"a": [1e9], "b": [3e9]},
    )
    of_regions, _ = cycles_per_instruction(Selection.of(experiment))
    assert of_regions[1] == pytest.approx(cpi)


def test_a_rank_that_does_nothing_has_the_cpi_of_the_program_not_none(make_experiment):
    experiment = make_experiment(
        {"work": [0, 1]}, instructions={"work": [0, 1e9]}, cycles={"work": [0, 3e9]}, mpi_time={"work": [1, 0]}
    )
    assert by_name(experiment)["work"] == pytest.approx(3.0)


@pytest.mark.parametrize(
    "counts",
    [{}, {"instructions": {"a": [1e9, 1e9]}}, {"cycles": {"a": [1e9, 1e9]}}],
    ids=["none", "no cycles", "no instructions"],
)
def test_without_counts_crnm_is_the_share_and_cpi_is_refused(make_experiment, counts):
    experiment = make_experiment({"a": [1, 1], "b": [3, 3]}, **counts)
    assert by_name(experiment) == pytest.approx({"a": 0.25, "b": 0.75, "(own)": 0.0})
    with pytest.raises(InputError, match="cpi needs counts of instructions and cycles"):
        by_name(experiment, "cpi")


def test_a_missing_count_is_no_count(make_experiment):
    experiment = make_experiment(
        {"a": [1, 1]}, instructions={"a": [1e9, np.nan]}, cycles={"a": [1e9, 1e9]}, mpi_bytes={"a": [np.nan, 0]}
    )
    assert by_name(experiment)["a"] == pytest.approx(1.0)


def test_counts_of_all_threads_of_a_rank_are_summed_up(make_experiment):
    experiment = make_experiment(
        {"a": [2, 2], "b": [2, 2]},
        threads=2,
        instructions={"a": [1e9, 3e9], "b": [1e9, 1e9]},
        cycles={"a": [2e9, 2e9], "b": [2e9, 2e9]},
    )
    assert by_name(experiment, "cpi")["a"] == pytest.approx(1.0)


def test_nothing_at_all_weighs_nothing(make_experiment):
    zero = {"a": [0.0, 0.0]}
    assert set(by_name(make_experiment(zero)).values()) == {0.0}
    assert set(by_name(make_experiment(zero, instructions=zero, cycles=zero)).values()) == {0.0}


@pytest.mark.parametrize("is_divided", [True, False])
def test_calls_are_measured_if_samples_only_divide_measured_times(make_experiment, is_divided):
    made = make_experiment({"work": [0.02] * 2, "MPI_Alltoall": [0.0] * 2}, mpi_time={"MPI_Alltoall": [0.06] * 2})
    sampled = {"samples": 2.0, "seconds": 0.02, "probes": 0.0} if is_divided else {}
    notes = Notes(samples={"wall_time": 0.02, "cpu_time": 0.02}, sampled=sampled)
    found = analyze(made.replaced(notes=notes)).weights.disparity
    names = [made.call_paths[code_regions(made)[each].id].region.name for each in found.culprits]
    assert ("MPI_Alltoall" in names) == is_divided
