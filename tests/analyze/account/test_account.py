"""Every second of a region on a rank belongs to one part, and the parts add up to the wall time."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.account import Account
from autoanalyzer.analyze.account.splitting import Splitting
from autoanalyzer.experiment import Experiment, Location, Metric, Notes, load

DATA = Path(__file__).parents[2] / "data"
BLOCK = "autoanalyzer.experiment.experiment._BLOCK"  # number of values in a block
CALLS = {"mpi_call": 1e-3, "mpi_byte": 1e-9}
FILES = {"read_call": 1e-3, "read_byte": 1e-9, "write_call": 3e-3, "write_byte": 2e-9}


def account(experiment: Experiment, **notes: Any) -> Account:
    return analyze(experiment.replaced(notes=replace(experiment.notes, **notes)), metric="wall_time").account


def of_region(found: Account, path: str, *, own: bool = True) -> dict[str, list[float]]:
    """Return the seconds that each rank spends in a region, by part; parts that are 0 on all ranks are left out."""
    experiment = found.ranks.experiment
    place = [experiment.path_name(each.id) for each in found.ranks.regions].index(path)
    return {name: rows[0].tolist() for name, rows in found.by_rank([place], own=own).items() if rows.any()}


def assert_closes(found: Account) -> None:
    experiment, ranks = found.ranks.experiment, found.ranks
    first = [place.thread == 0 for place in experiment.locations]
    wall = np.where(first, experiment.exclusive("wall_time"), 0.0)
    everywhere = range(len(ranks.regions))
    for own, means, expected in (
        (True, found.own, ranks.own_by_rank(wall)),
        (False, found.inclusive, ranks.by_rank(wall)),
    ):
        rows = found.by_rank(everywhere, own=own)
        assert np.sum([*rows.values()], axis=0) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert np.sum([*means.values()], axis=0) == pytest.approx(expected.mean(axis=1), rel=1e-9, abs=1e-9)
        assert all((each >= -1e-9).all() for each in rows.values())
        between = found.own_intervals if own else found.inclusive_intervals
        for name, (low, high) in between.items():
            known = ~np.isnan(low)
            assert (low[known] >= -1e-9).all()
            if name in (*found.fitted, "unexplained"):
                most = sum(means[each] for each in (*found.fitted, *found.splitting.counted.events, "unexplained"))
                assert (high[known] <= most[known] + 1e-9).all()
            assert (low[known] <= means[name][known] + 1e-9).all()
            assert (means[name][known] <= high[known] + 1e-9).all()
        assert all(rows[name].mean(axis=1) == pytest.approx(means[name], rel=1e-9, abs=1e-12) for name in rows)


@pytest.fixture
def counted(make_experiment):
    """Prices of 1, 10 and 100 ns explain all busy time but half of rank 1's in ``odd``, and too much in ``quick``."""
    return make_experiment(
        {"plain": [1, 2], "near": [2, 2], "far": [4, 4], "far/odd": [0.01, 0.02], "quick": [0.01, 0.0]},
        instructions={
            "plain": [1e9, 2e9],
            "near": [1e9] * 2,
            "far": [1e9] * 2,
            "far/odd": [1e7] * 2,
            "quick": [2e7, 0],
        },
        l1_misses={"near": [1e8] * 2, "far": [1.2e8] * 2, "quick": [2e6, 0]},
        l2_misses={"far": [2e7] * 2},
    )


def test_computing_is_counts_at_prices_that_fit_and_a_rest(counted):
    found = account(counted)
    assert found.parts == ("instructions", "l1_misses", "l2_misses", "unexplained", "mpi", "off")
    assert [*found.fitted.values()] == pytest.approx([1e-9, 1e-8, 1e-7], rel=1e-4)
    far = of_region(found, "far")
    assert [far[name] for name in found.parts[:3]] == pytest.approx(np.array([[1, 1], [1, 1], [2, 2]]), rel=1e-3)
    odd = of_region(found, "far/odd")
    assert odd["unexplained"] == pytest.approx([0.0, 0.01], abs=1e-5)
    assert of_region(found, "far", own=False)["instructions"] == pytest.approx([1.01, 1.01], rel=1e-3)
    assert found.unexplained == pytest.approx(0.01 / 15.04, rel=1e-2)
    assert_closes(found)


def test_divisions_and_the_like_take_the_least_of_their_price_before_instructions_have_theirs(counted):
    """In ``near``, 1e8 divisions take 2 to 12 ns each; in ``odd``, rank 1 is slow because of denormal numbers."""
    zero = np.zeros_like(counted.exclusive("instructions"))
    divisions, denormals = zero.copy(), zero.copy()
    names = [counted.path_name(path) for path in range(len(zero))]
    divisions[names.index("near")], denormals[names.index("far/odd")] = 1e8, [0, 1e6]
    severities = {metric.name: counted.exclusive(metric.name) for metric in counted.metrics}
    run = counted.replaced(
        metrics=[*counted.metrics, Metric("divisions", "occ"), Metric("denormals", "occ")],
        severities=severities | {"divisions": divisions, "denormals": denormals},
    )
    prices = {"division_independent": 2e-9, "division_dependent": 12e-9, "denormal": 1e-8}
    found = account(run, prices=prices)
    assert found.parts[3:6] == ("divisions", "denormals", "unexplained")
    assert of_region(found, "near")["divisions"] == pytest.approx([0.2, 0.2], abs=1e-3)
    assert of_region(found, "far/odd")["denormals"] == pytest.approx([0.0, 0.01])
    assert of_region(found, "far/odd").get("unexplained", [0.0, 0.0]) == pytest.approx([0.0, 0.0], abs=1e-4)
    place = [run.path_name(each.id) for each in found.ranks.regions].index("near")
    assert found.own_intervals["divisions"][:, place] == pytest.approx([0.2, 1.2], abs=1e-2)
    odd = [run.path_name(each.id) for each in found.ranks.regions].index("far/odd")
    assert found.own_intervals["denormals"][:, odd] == pytest.approx([0.0, 0.005], abs=1e-6)  # some cost 0
    assert_closes(found)
    divisions[:], denormals[names.index("far/odd")] = 0, [0, 2e6]  # each waits for the one before, and takes 5 ns
    chain = run.replaced(metrics=run.metrics, severities=severities | {"divisions": denormals, "denormals": divisions})
    assert of_region(account(chain, prices=prices), "far/odd")["divisions"] == pytest.approx([0.0, 0.01], abs=1e-4)
    for rates in (True, False):  # whether the counts are of the same work as the times
        assert_closes(account(run, prices=prices, counts_by_rank=rates))


MACHINE = {
    "instruction_independent": 0.07e-9,
    "instruction_dependent": 0.6e-9,
    "l1_miss_streamed": 0.5e-9,
    "l1_miss_chased": 4e-9,
}


@pytest.mark.parametrize("each", [0.3e-9, 0.59e-9])
def test_misses_are_no_cause_where_instructions_may_take_their_time(make_experiment, each):
    """An instruction in a chain takes 0.6 ns, so a miss may take 0.5 ns; or an instruction takes at least 3.8 ns."""
    seconds = {"shared": [3e8 * each + 0.06] * 2, "calm": [0.5, 0.5], "rest": [0.1, 0.1]}
    run = make_experiment(
        seconds,
        instructions={"shared": [3e8] * 2, "calm": [2.5e9] * 2, "rest": [5e8] * 2},
        l1_accesses={"shared": [3e7] * 2, "calm": [1e9] * 2, "rest": [2e8] * 2},
        l1_misses={"shared": [1.5e7] * 2, "calm": [1e5] * 2, "rest": [1e4] * 2},
    )
    findings = analyze(run.replaced(notes=Notes(prices=MACHINE)))
    found = findings.account
    assert_closes(found)
    place = [found.ranks.experiment.path_name(each.id) for each in found.ranks.regions].index("shared")
    between = {name: rows[:, place].tolist() for name, rows in found.own_intervals.items()}
    computing, least, most = seconds["shared"][0], 1.5e7 * 0.5e-9, 1.5e7 * 4e-9
    assert between["l1_misses"] == pytest.approx([max(least, computing - 0.18), most])
    assert between["instructions"] == pytest.approx([min(computing - most, 0.18), min(computing - least, 0.18)])
    assert ("l1_miss_rate" in [one.attribute for one in findings.parts.causes(place)]) == (each > 0.5e-9)


def test_no_part_takes_more_than_all_computing_of_a_noisy_run(make_experiment):
    shares = [0.5, 0.5, 0.525, 0.475]
    seconds = {f"r{number}": shares[number % 4 :] + shares[: number % 4] for number in range(8)}
    found = account(make_experiment(seconds, instructions={name: [1e9] * 4 for name in seconds}))
    assert (found.own_intervals["instructions"][0] < found.own["instructions"]).any()
    assert_closes(found)


@pytest.mark.parametrize(("prices", "level"), [(MACHINE, "high"), ({}, "low")])
def test_misses_at_an_unknown_price_are_a_cause_of_low_confidence(make_experiment, prices, level):
    seconds = {"missing": [1.0, 1.0], "calm": [0.2, 0.2]}
    run = make_experiment(
        seconds,
        instructions={"missing": [3e8] * 2, "calm": [5e8] * 2},
        l1_accesses={"missing": [5e8] * 2, "calm": [2e8] * 2},
        l1_misses={"missing": [2.4e8] * 2, "calm": [1e4] * 2},
    )
    (found,) = [each for each in analyze(run.replaced(notes=Notes(prices=prices))).verdict.findings if each.gain]
    assert [each.attribute for each in found.causes] == ["l1_miss_rate"]
    assert found.level == level


def test_where_prices_explain_more_than_there_is_parts_are_scaled_down(counted):
    quick = of_region(account(counted), "quick")
    assert quick["instructions"] + quick["l1_misses"] == pytest.approx([0.005, 0, 0.005, 0], rel=1e-3, abs=1e-6)
    assert quick.get("unexplained", [0.0, 0.0]) == pytest.approx([0.0, 0.0], abs=1e-6)


def test_what_lies_outside_of_what_code_takes_is_unexplained(make_experiment):
    made = make_experiment(
        {"quick": [1.0, 1.0], "chained": [5.0, 5.0], "asks": [4.0, 4.0]},
        instructions={"quick": [1e10] * 2, "chained": [1e10] * 2, "asks": [1e9] * 2},
    )
    found = account(made, prices={"instruction_independent": 5e-11, "instruction_dependent": 8e-10})
    assert of_region(found, "chained") == {"instructions": pytest.approx([5.0, 5.0])}
    assert of_region(found, "asks")["unexplained"] == pytest.approx([3.2, 3.2])
    assert found.unexplained == pytest.approx(0.32)
    names = [found.ranks.experiment.path_name(each.id) for each in found.ranks.regions]
    assert found.instruction[names.index("chained")] == pytest.approx(5e-10)
    assert_closes(found)


def test_without_counts_computing_is_one_part(make_experiment):
    found = account(make_experiment({"work": [1.0, 2.0]}, off={"work": [0.5, 0.0]}))
    assert (found.parts, found.fitted, found.unexplained) == (("computing", "mpi", "off"), {}, None)
    assert of_region(found, "work") == {"computing": [1.0, 2.0], "off": [0.5, 0.0]}


def test_time_in_the_kernel_is_page_faults_at_their_price_and_a_rest(make_experiment):
    """In ``touch``, page faults explain all system time, because a fault may take up to twice its calibrated price."""
    run = make_experiment(
        {"touch": [1.0, 2.0], "call": [1.0, 1.0], "work": [4.0, 4.0]},
        system_time={"touch": [0.5, 1.0], "call": [0.5, 0.5]},
        page_faults={"touch": [1e5, 2e5], "call": [1e3, 1e3], "": [5e3, 5e3]},
        instructions={"touch": [5e8, 1e9], "call": [5e8, 5e8], "work": [4e9, 4e9]},
    )
    found = account(run, prices={"page_fault": 3e-6})
    assert found.parts[:4] == ("instructions", "unexplained", "page_faults", "system")
    assert found.fitted["instructions"] == pytest.approx(1e-9, rel=1e-3)
    assert_closes(found)
    touch, call = of_region(found, "touch"), of_region(found, "call")
    assert touch["page_faults"] == pytest.approx([0.5, 1.0])
    assert call["page_faults"] == pytest.approx([0.005] * 2, rel=0.01)
    assert call["system"] == pytest.approx([0.495] * 2, rel=0.01)
    for price, taken in ((1e-6, [0.2, 0.4]), (4e-6, [0.5, 1.0])):
        touch = of_region(account(run, prices={"page_fault": price}), "touch")
        assert touch["page_faults"] == pytest.approx(taken)
    assert "page_faults" not in of_region(account(run), "touch")
    calibrated = run.replaced(notes=Notes(prices={"page_fault": 3e-6}))
    of_threads = dict(Splitting.of(calibrated).computing(calibrated))
    assert of_threads["page_faults"][1] == pytest.approx([0.5, 1.0])
    assert of_threads["system"][2] == pytest.approx([0.495] * 2, rel=0.01)


def test_allocations_take_their_price_of_computing_and_instructions_the_rest(make_experiment):
    run = make_experiment(
        {"take": [1.0, 1.0], "work": [4.0, 4.0]},
        allocations={"take": [5e7, 5e7]},
        instructions={"take": [1e9] * 2, "work": [4e9] * 2},
    )
    for counts in (["allocations"], ["allocations", "frees"]):
        freed = run.exclusive("allocations")[:, ::-1]
        made = (
            run
            if len(counts) == 1
            else run.replaced(
                metrics=[*run.metrics, replace(run.metric("allocations"), name="frees")],
                severities={each.name: run.exclusive(each.name) for each in run.metrics} | {"frees": freed},
            )
        )
        found = account(made, prices={"allocation": 1e-8})
        assert_closes(found)
        assert of_region(found, "take") == {
            "allocations": pytest.approx([0.5, 0.5]),
            "instructions": pytest.approx([0.5, 0.5]),
        }
    assert "allocations" not in account(run).parts


def test_without_cpu_time_all_but_calls_is_computing(make_experiment):
    made = make_experiment({"work": [1.0]}, mpi_time={"work": [2.0]})
    names = ("wall_time", "mpi_time")
    kept = made.replaced(
        metrics=[each for each in made.metrics if each.name in names],
        severities={name: made.exclusive(name) for name in names},
    )
    assert of_region(account(kept), "work") == {"computing": [1.0], "mpi": [2.0]}


def test_a_call_is_its_latency_its_bytes_and_waiting(make_experiment):
    made = make_experiment(
        {"meet": [0.0, 0.0]},
        mpi_time={"meet": [1.0, 0.15]},
        mpi_calls={"meet": [100] * 2},
        mpi_bytes={"meet": [2e8] * 2},
    )
    assert of_region(account(made), "meet") == {"mpi": [1.0, 0.15]}
    assert of_region(account(made, prices={"mpi_call": 1e-3}), "meet") == {"mpi": [1.0, 0.15]}
    found = account(made, prices=CALLS)
    meet = of_region(found, "meet")
    assert meet["mpi_calls"] == pytest.approx([0.1, 0.05])
    assert meet["mpi_bytes"] == pytest.approx([0.2, 0.1])
    assert meet["mpi_waiting"] == pytest.approx([0.7, 0.0])
    assert_closes(found)


def test_calls_between_nodes_have_their_own_price(make_experiment):
    made = make_experiment(
        {"meet": [0.0] * 4}, mpi_time={"meet": [1.0] * 4}, mpi_calls={"meet": [90] * 4}, mpi_bytes={}
    )
    apart = made.replaced(locations=[Location("m", "ab"[rank > 2], rank) for rank in range(4)])
    assert of_region(account(made, prices=CALLS | {"mpi_call_across": 4e-3}), "meet")["mpi_calls"] == [0.09] * 4
    across = of_region(account(apart, prices=CALLS | {"mpi_call_across": 4e-3}), "meet")["mpi_calls"]
    assert across == pytest.approx([0.18, 0.18, 0.18, 0.36])  # 1 of the 3 other ranks is on another node, or all are
    assert of_region(account(apart, prices=CALLS), "meet")["mpi_calls"] == pytest.approx([0.09] * 4)


def test_files_are_calls_bytes_and_a_rest(make_experiment):
    made = make_experiment(
        {"dump": [0.0, 0.0, 0.0]},
        io_time={"dump": [1.0] * 3},
        io_calls={"dump": [100] * 3},
        io_bytes_read={"dump": [1e8, 0.0, 0.0]},
        io_bytes_written={"dump": [1e8, 1e8, 0.0]},
    )
    assert of_region(account(made), "dump") == {"io": [1.0] * 3}
    dump = of_region(account(made, prices=FILES), "dump")
    assert dump["io_calls"] == pytest.approx([0.2, 0.3, 0.2])
    assert dump["io_bytes"] == pytest.approx([0.3, 0.2, 0.0])
    assert dump["io_rest"] == pytest.approx([0.5, 0.5, 0.8])


@pytest.mark.parametrize(("calls", "rest"), [(1.1e4, 0.0), (0.9e4, 0.991)])
def test_small_calls_take_all_of_the_time_in_files_unless_they_wait(calls, rest, make_experiment):
    """A call takes longer in MPI-IO than in the system; time beyond 100 us per call is waiting."""
    made = make_experiment(
        {"dump": [0.0]},
        io_time={"dump": [1.0]},
        io_calls={"dump": [calls]},
        io_bytes_read={},
        io_bytes_written={"dump": [96 * calls]},
    )
    prices = {"read_call": 1e-6, "read_byte": 0.0, "write_call": 1e-6, "write_byte": 0.0}
    assert of_region(account(made, prices=prices), "dump").get("io_rest", [0.0]) == pytest.approx([rest])


def test_turns_of_others_are_shared_out_by_computing_as_far_as_there_is_time_off(make_experiment):
    times = {"a": [1.0] * 3, "b": [1.0] * 3, "sleep": [0.0] * 3}
    made = make_experiment(times, off={"a": [1.0] * 3, "b": [3.0] * 3, "sleep": [5.0] * 3})
    found = account(made, run_delay={"0": 3.0, "1": 9.0})
    assert of_region(found, "a") == {"computing": [1.0] * 3, "turns": [1.0, 1.0, 0.0], "asleep": [0.0, 0.0, 1.0]}
    assert of_region(found, "b") == {"computing": [1.0] * 3, "turns": [2.0, 3.0, 0.0], "asleep": [1.0, 0.0, 3.0]}
    assert of_region(found, "sleep") == {"asleep": [5.0] * 3}
    assert_closes(found)


def test_who_polls_in_mpi_waits_for_a_processor_there_too(make_experiment):
    made = make_experiment(
        {"work": [1.0], "meet": [1.0]}, off={"work": [2.0]}, mpi_time={"meet": [2.0]}, mpi_cpu_time={"meet": [1.0]}
    )
    found = account(made, run_delay={"0": 2.0})
    assert of_region(found, "work") == {"computing": [1.0], "turns": [1.0], "asleep": [1.0]}
    assert of_region(found, "meet") == {"mpi": [2.0], "asleep": [1.0]}


def test_time_is_that_of_first_threads_and_prices_are_of_all(make_experiment):
    made = make_experiment(
        {"work": [1.0, 4.0, 2.0, 0.0]},
        threads=2,
        instructions={"work": [1e9, 4e9, 2e9, 0.0]},
        mpi_time={"work": [1, 1, 0, 0]},
    )
    found = account(made)
    assert of_region(found, "work") == {
        "instructions": pytest.approx([1.0, 2.0]),
        "mpi": [1.0, 0.0],
    }
    assert_closes(found)


def test_counts_of_other_work_than_what_was_timed_are_shared_out_by_time(make_experiment):
    made = make_experiment({"work": [1.0, 3.0]}, instructions={"work": [3e9, 1e9]})
    found = account(made, counts_by_rank=False)
    assert of_region(found, "work") == {"instructions": pytest.approx([1.0, 3.0])}


def test_instructions_in_calls_for_files_explain_no_computing_elsewhere(make_experiment):
    made = make_experiment(
        {"work": [2.0], "print": [1.0]},
        io_time={"print": [0.5]},
        io_cpu_time={"print": [0.5]},
        instructions={"work": [2e9], "print": [1e9]},
    )
    found = account(made)
    assert found.fitted == {"instructions": pytest.approx(1e-9)}
    assert of_region(found, "print")["instructions"] == pytest.approx([0.5])


def test_a_run_of_no_time_has_an_account(make_experiment):
    found = account(make_experiment({"work": [0.0]}, instructions={"work": [0.0]}), prices=CALLS | FILES)
    assert (found.unexplained, of_region(found, "work")) == (None, {})


def test_a_region_that_does_not_exist_is_refused(counted):
    with pytest.raises(IndexError):
        account(counted).by_rank([99])


@pytest.mark.parametrize("name", ["rays", "rays_dynamic", "hybrid", "profile", "summary", "trace"])
def test_the_account_of_a_file_closes(name, tmp_path):
    packed = next(DATA.glob(f"{name}.cube*.gz"))
    file = tmp_path / packed.stem
    file.write_bytes(gzip.decompress(packed.read_bytes()))
    experiment = load(file)
    assert_closes(account(experiment, prices=CALLS | FILES))


def made_up(make_experiment, ranks: int, seed: int) -> Experiment:
    """Draw an experiment with all metrics that an account uses, and some zeros."""
    chance = np.random.default_rng(seed)
    paths = ("a", "a/b", "a/b/c", "d", "MPI_Init")

    def some(size: float) -> dict[str, Any]:
        return {path: size * chance.random(ranks) * chance.integers(0, 2, ranks) for path in paths}

    in_mpi, in_files = some(1.0), some(1.0)
    times = some(2.0)
    cpu_in_mpi = {path: 0.5 * np.minimum(in_mpi[path], times[path]) for path in paths}
    read, misses = some(1e7), some(1e7)
    return make_experiment(
        times,
        off=some(1.0),
        mpi_time=in_mpi,
        mpi_cpu_time=cpu_in_mpi,
        io_time=in_files,
        io_cpu_time={path: 0.3 * values for path, values in in_files.items()},
        mpi_calls=some(1e3),
        mpi_bytes=some(1e8),
        io_calls=some(1e2),
        io_bytes_read=read,
        io_bytes_written=some(1e8),
        system_time=some(0.1),
        page_faults=some(1e5),
        instructions=some(4e9),
        l1_misses=misses,
        l2_misses={path: 0.5 * values for path, values in misses.items()},
    )


@given(ranks=st.integers(1, 4), seed=st.integers(0, 2**32 - 1), calibrated=st.booleans())
@example(ranks=4, seed=623, calibrated=True)  # prices need many iterations
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_account_closes_and_does_not_depend_on_blocks(make_experiment, ranks, seed, calibrated):
    experiment = made_up(make_experiment, ranks, seed)
    prices = CALLS | FILES | {"instruction": 3e-10, "l1_miss_streamed": 1e-9, "l1_miss_chased": 4e-9}
    notes = {"prices": prices if calibrated else {}, "run_delay": {str(rank): 0.7 for rank in range(ranks)}}
    found = account(experiment, **notes)
    assert_closes(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BLOCK, 1)
        cut = account(experiment.replaced(), **notes)
        rows, expected = (each.by_rank(range(len(each.ranks.regions))) for each in (cut, found))
        assert cut.fitted == pytest.approx(found.fitted, rel=1e-6)
        for name in found.parts:  # parts are small differences of large times, so their last digits are rounded
            assert cut.own[name] == pytest.approx(found.own[name], rel=1e-6, abs=1e-6)
            assert rows[name] == pytest.approx(expected[name], rel=1e-6, abs=1e-6)


def test_seconds_of_groups_are_without_what_is_left_out(counted):
    found = analyze(counted, exclude_regions=["near"])
    top, selection = found.vectors.top, found.differences.selection
    both = found.account.of_groups([(top, (0, 1))], selection)[0]
    everything = found.account.of_groups([(top, (0, 1))], found.run.weighed)[0]
    assert sum(everything.values()) - sum(both.values()) == pytest.approx(2.0, rel=1e-6)
