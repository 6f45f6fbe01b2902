"""How a program scales, on synthetic runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest

from autoanalyzer.analyze.scaling import Scaling, find_scaling, series_of
from autoanalyzer.analyze.scaling.grids import dimensions
from autoanalyzer.analyze.scaling.predictions import models_of
from autoanalyzer.errors import InputError, UsageError
from autoanalyzer.experiment import Experiment, Topology
from autoanalyzer.experiment.delay import Delay
from autoanalyzer.view.scaling import evidence_of, ideal_speedup, scaling_document, scaling_lines

from ..conftest import MakeExperiment

RATE = 1e9  # instructions per second
MakeRun = Callable[..., Experiment]
PLACES = {"replicated": "all", "one_after_another": "chain", "imbalance": "master"}


@pytest.fixture
def run(make_experiment: MakeExperiment) -> MakeRun:
    """Make a run: 8 s of divided work, 1 s on every rank, 1 s one rank after another, and 1 s on rank 0 alone."""

    def make(
        ranks: int,
        *,
        counted: bool = True,
        beside: float = 0.0,
        slow: float = 1.0,
        by_messages: float | None = 1.0,
        **notes: Any,
    ) -> Experiment:
        master = [1.0, *[0.0] * (ranks - 1)]
        work = {"divided": [8 / ranks] * ranks, "all": [1.0] * ranks, "chain": [1 / ranks] * ranks, "master": master}
        times = {name: [slow * each for each in values] for name, values in work.items()}
        first = {name: [values[0], *[0.0] * (ranks - 1)] for name, values in times.items()}
        length = slow * (8 / ranks + 3)
        others: dict[str, Any] = {"path_time": {**first, "chain": times["chain"]}} if ranks > 1 else {}
        if by_messages is not None and ranks > 1:
            others["delay_time"] = {"chain": [1 / ranks] * ranks}
        if counted:
            others["instructions"] = {name: [RATE * each for each in values] for name, values in work.items()}
        made = make_experiment(
            {**times, "MPI_Wait": [0.0] * ranks},
            mpi_time={
                "MPI_Wait": [length + beside - sum(each[rank] for each in times.values()) for rank in range(ranks)]
            },
            wait_time={"MPI_Wait": [length - sum(each[rank] for each in times.values()) for rank in range(ranks)]},
            program_time={"": [length + beside] * ranks},
            **others,
        )
        facts = {"program": "app", "command": ("mpirun", "-n", str(ranks), "./app", "5"), "processors": 64, **notes}
        named = {each.region.name: each.region.descriptor for each in made.call_paths}
        if by_messages is not None:
            facts |= {"delays": (Delay(named["MPI_Wait"], named["chain"], 1.0, by_messages),)}
        return made.replaced(notes=replace(made.notes, **facts))

    return make


def judged(*runs: Experiment, mode: Any = None) -> Scaling:
    return repeated(*([each] for each in runs), mode=mode)


def repeated(*runs: list[Experiment], mode: Any = None) -> Scaling:
    return find_scaling(series_of(runs, [f"out{number}" for number in range(len(runs))]), mode)


def losses(scaling: Scaling) -> dict[str, float]:
    return {
        f"{each.kind} {each.region.name if each.region else ''}": each.rank_seconds for each in scaling.ledger.losses
    }


@pytest.mark.parametrize("counted", [True, False])
def test_factors_and_losses_are_those_worked_out_by_hand(run: MakeRun, counted: bool) -> None:
    found = judged(*(run(ranks, counted=counted) for ranks in (4, 1, 2)), mode=None if counted else "strong")
    assert (found.mode, found.by, found.is_of_path) == ("strong", "instructions" if counted else "option", False)
    factors = found.factors
    assert factors["load_balance"] == pytest.approx((1, 12 / 2 / 6.5, 14 / 4 / 4.25))
    assert factors["serialisation"] == pytest.approx((1, 6.5 / 7, 4.25 / 5))
    assert factors["transfer"] == pytest.approx((1, 1, 1))
    assert factors["computation"] == pytest.approx((1, 11 / 12, 11 / 14))
    if counted:
        assert factors["instructions"] == pytest.approx((1, 11 / 12, 11 / 14))
        assert factors["time_per_instruction"] == pytest.approx((1, 1, 1))
    else:
        assert factors["instructions"] == factors["time_per_instruction"] == (None,) * 3
    assert factors["efficiency"] == pytest.approx((1, 11 / 14, 11 / 20))
    assert found.falls_first == ("instructions" if counted else "computation")
    assert found.speedups == pytest.approx((1, 11 / 7, 11 / 5))
    assert (found.ledger.whole, found.ledger.ideal) == pytest.approx((20, 11))
    assert losses(found) == pytest.approx(
        {**{f"{kind} {name}": 3 for kind, name in PLACES.items()}, "not_explained ": 0}
    )


@pytest.mark.parametrize(("sample", "is_loss"), [(0.05, True), (0.5, False)])
def test_growth_that_sampling_error_may_cause_is_no_loss(run: MakeRun, sample: float, is_loss: bool) -> None:
    """The time grows from 1 to 4 rank-seconds: by 60 samples, or by 6, which is less than three standard deviations."""
    runs = (run(ranks, counted=False, samples={"cpu_time": sample}) for ranks in (1, 2, 4))
    assert ("replicated all" in losses(judged(*runs, mode="strong"))) == is_loss


def test_ranks_that_wait_for_what_is_unknown_are_late(run: MakeRun) -> None:
    """Only delays show whether ranks pass on results, and these runs have none."""
    found = judged(run(1), run(2), run(4, by_messages=None))
    assert "one_after_another chain" not in losses(found)
    assert losses(found)["late chain"] == pytest.approx(3)


def test_ranks_that_are_slow_in_turn_are_not_one_after_another(run: MakeRun) -> None:
    found = judged(run(1), run(2), run(4, by_messages=0.0))
    assert losses(found)["imbalance chain"] == pytest.approx(3)


def test_threads_that_are_slow_in_turn_lose_nothing_by_more_ranks(make_experiment: MakeExperiment) -> None:
    """On each rank, both threads have equal total work, but a different one is slowest each time."""

    def of_threads(ranks: int) -> Experiment:
        slowest = [16 / ranks, 0.0]
        made = make_experiment(
            {"team": [10 / ranks] * 2 * ranks},
            threads=2,
            path_time={"team": slowest + [0.0] * 2 * (ranks - 1)},
            team_time={"team": slowest * ranks},
            omp_time={"team": [6 / ranks] * 2 * ranks},
            off={"team": [6 / ranks] * 2 * ranks},
            visits={"team": [9.0] * 2 * ranks},
        )
        return made.replaced(notes=replace(made.notes, processors=64))

    found = judged(of_threads(1), of_threads(4), mode="strong")
    assert (found.ledger.whole, found.ledger.ideal) == pytest.approx((16, 16))
    assert losses(found) == pytest.approx({"not_explained ": 0})
    assert found.factors["load_balance"] == found.factors["serialisation"] == pytest.approx((1, 1))


@pytest.mark.parametrize("counted", [True, False])
def test_threads_that_become_idle_are_neither_slower_cores_nor_more_work(
    make_experiment: MakeExperiment, counted: bool
) -> None:
    """Of 16 pieces of work, one rank gives 4 to each of its four threads; 8 ranks give 1 to each of two threads."""

    def of_threads(ranks: int) -> Experiment:
        times = [4.0] * 4 if ranks == 1 else [1.0, 1.0, 0.0, 0.0] * ranks
        slowest = [times[0], 0.0, 0.0, 0.0]
        return make_experiment(
            {"team": times},
            threads=4,
            path_time={"team": [*slowest, *[0.0] * 4 * (ranks - 1)]},
            team_time={"team": slowest * ranks},
            visits={"team": [1.0] * 4 * ranks},
            **({"instructions": {"team": [RATE * each for each in times]}} if counted else {}),
        )

    found = judged(of_threads(1), of_threads(8), mode=None if counted else "strong")
    assert losses(found) == pytest.approx({"idle_threads team": 4, "not_explained ": 0})
    assert evidence_of(found, found.ledger.losses[0]) == "slowest threads 1 s, 500 ms if as balanced as at 1 rank"


def test_runs_with_different_numbers_of_threads_are_refused(make_experiment: MakeExperiment) -> None:
    def of_threads(ranks: int, threads: int, **environment: str) -> Experiment:
        columns = ranks * threads
        slowest = [8 / columns, *[0.0] * (threads - 1)]
        made = make_experiment(
            {"team": [8 / columns] * columns},
            threads=threads,
            path_time={"team": [*slowest, *[0.0] * (columns - threads)]},
            team_time={"team": slowest * ranks},
        )
        return made.replaced(notes=replace(made.notes, environment=environment))

    said = "out1: expected 4 threads per rank, as in out0, found 2; record all runs with the same OMP_NUM_THREADS"
    with pytest.raises(InputError, match=said):
        judged(of_threads(1, 4), of_threads(2, 2), mode="strong")
    with pytest.raises(InputError, match=said):
        judged(of_threads(1, 4, OMP_NUM_THREADS="4"), of_threads(2, 2, OMP_NUM_THREADS="2"), mode="strong")
    judged(of_threads(1, 4, OMP_NUM_THREADS="4"), of_threads(2, 2, OMP_NUM_THREADS="4"), mode="strong")
    judged(of_threads(1, 2), of_threads(2, 2), mode="strong")


def test_slower_cores_and_messages_are_losses_of_their_own(run: MakeRun) -> None:
    found = judged(run(1), run(4, beside=1.0, slow=1.5))
    assert found.factors["time_per_instruction"][1] == pytest.approx(1 / 1.5)
    assert found.factors["transfer"][1] == pytest.approx(7.5 / 8.5)
    ledger = losses(found)
    assert ledger["slow_core "] == pytest.approx(7)
    assert ledger["transfer MPI_Wait"] == pytest.approx(4)
    assert ledger["replicated all"] == pytest.approx(3)
    assert sum(ledger.values()) == pytest.approx(4 * 8.5 - 11) == found.ledger.lost


def test_a_region_that_only_larger_runs_execute_is_no_slower_core(make_experiment: MakeExperiment) -> None:
    """Its instructions take ten times as long as others, but in every run."""

    def with_halo(ranks: int) -> Experiment:
        work = {"divided": [8 / ranks] * ranks, "halo": [0.5 * (ranks > 1)] * ranks}
        path = {name: [each[0], *[0.0] * (ranks - 1)] for name, each in work.items()}
        counts = {"divided": [RATE * 8 / ranks] * ranks, "halo": [RATE * 0.05 * (ranks > 1)] * ranks}
        return make_experiment(work, path_time=path, instructions=counts)

    found = judged(*map(with_halo, (1, 2, 4)))
    assert losses(found) == pytest.approx({"grows halo": 2, "not_explained ": 0})


def test_numbers_of_a_loss_are_those_of_the_call_paths_that_lose_time(make_experiment: MakeExperiment) -> None:
    def of_kernel(ranks: int) -> Experiment:
        seconds = {"init": 0.0, "init/kernel": 1.0, "solve": 0.0, "solve/kernel": 8 / ranks}
        work = {name: [each] * ranks for name, each in seconds.items()}
        path = {name: [each, *[0.0] * (ranks - 1)] for name, each in seconds.items()}
        counts = {name: [RATE * each] * ranks for name, each in seconds.items()}
        made = make_experiment(work, path_time=path, instructions=counts)
        kernel = next(each.region for each in made.call_paths if each.region.name == "kernel")
        paths = [replace(each, region=kernel) if each.region.name == "kernel" else each for each in made.call_paths]
        return made.replaced(call_paths=paths)

    found = judged(*map(of_kernel, (1, 2, 4)))
    assert losses(found) == pytest.approx({"replicated kernel": 3, "not_explained ": 0})
    assert evidence_of(found, found.ledger.losses[0]) == "the same 1.0e9 instructions per rank"


@pytest.mark.parametrize("counted", [True, False])
def test_times_alone_do_not_tell_more_work_from_slower_cores(make_experiment: MakeExperiment, counted: bool) -> None:
    def searching(ranks: int) -> Experiment:
        work = {"divided": [8 / ranks] * ranks, "search": [0.5 * ranks] * ranks}
        path = {name: [each[0], *[0.0] * (ranks - 1)] for name, each in work.items()}
        counts = {name: [RATE * each for each in row] for name, row in work.items()}
        return make_experiment(work, path_time=path, **({"instructions": counts} if counted else {}))

    found = judged(*map(searching, (1, 2, 4)), mode="strong")
    assert losses(found) == pytest.approx({"grows search": 7.5, "not_explained ": 0})
    loss = next(each for each in scaling_document(found)["losses"] if each["kind"] == "grows")
    assert (loss["by_counts"], loss["uncertain"]) == (counted, not counted)
    lines = "\n".join(scaling_lines(found))
    assert ("GROWS? " in lines) == ("record with --counters simulated" in lines) == (not counted)


def test_processes_that_ranks_fork_are_no_ranks_but_spawned_ones_may_make_runs_differ(
    make_experiment: MakeExperiment,
) -> None:
    def forking(ranks: int) -> Experiment:
        made = make_experiment(
            {"divided": [*[8 / ranks] * ranks, 0.5]}, path_time={"divided": [8 / ranks, *[0.0] * ranks]}
        )
        return made.replaced(notes=replace(made.notes, started=(ranks,)))

    def spawning(workers: int) -> Experiment:
        work = {"divided": [0.1, *[8 / workers] * workers]}
        made = make_experiment(work, path_time={"divided": [0.0, 8 / workers, *[0.0] * (workers - 1)]})
        return made.replaced(notes=replace(made.notes, started=tuple(range(1, workers + 1))))

    found = judged(*map(forking, (1, 2, 4)), mode="strong")
    assert (found.series.ranks, found.speedups) == ((1, 2, 4), pytest.approx((1, 2, 4)))
    assert judged(*map(spawning, (1, 2, 4)), mode="strong").series.ranks == (2, 3, 5)


def test_a_run_without_counts_among_counted_ones_is_named(run: MakeRun) -> None:
    said = "instructions were not counted in out1, so causes are less certain"
    assert said in scaling_lines(judged(run(1), run(2, counted=False), run(4), mode="strong"))
    neither = scaling_lines(judged(run(1, counted=False), run(2, counted=False), mode="strong"))
    assert not any("not counted" in line for line in (*neither, *scaling_lines(judged(run(1), run(2)))))


def test_the_ideal_speedup_is_written_in_full(run: MakeRun) -> None:
    found = judged(run(1), run(2))
    written = [ideal_speedup(replace(found, series=replace(found.series, ranks=each))) for each in ((1, 1024), (8, 12))]
    assert written == ["1024", "1.5"]


def test_transfer_is_left_out_if_ranks_may_have_waited_for_cores(run: MakeRun) -> None:
    use = {"elapsed": 5.0, "busy": 200.0, "own": 20.0}
    found = judged(run(1), run(4, beside=1.0, processor_use=use))
    assert found.factors["transfer"] == (None, None)
    assert "because ranks may have waited for cores" in " ".join(" ".join(scaling_lines(found)).split())


def test_a_transfer_that_cannot_be_measured_is_left_out_and_reported(run: MakeRun) -> None:
    found = judged(run(1), run(2), run(4, processors=2, beside=9.0))
    assert found.factors["transfer"] == (None, None, None)
    assert (found.is_of_path, found.ledger.whole) == (True, pytest.approx(20))
    document = scaling_document(found)
    assert document["factors"]["transfer"] == [None, None, None]
    assert document["base"] == "critical_path"
    assert "transfer was not measured, because ranks waited for cores" in "\n".join(document["verdict"])
    assert not any(line.startswith("transfer  ") for line in document["verdict"])


def test_weak_scaling_is_told_by_instructions_per_rank(make_experiment: MakeExperiment) -> None:
    def grown(ranks: int) -> Experiment:
        values = {"own": [8.0] * ranks, "search": [0.1 * ranks] * ranks}
        first = {name: [each[0], *[0.0] * (ranks - 1)] for name, each in values.items()}
        counts = {name: [RATE * each for each in row] for name, row in values.items()}
        return make_experiment(values, instructions=counts, path_time=first)

    found = judged(*map(grown, (1, 2, 4, 8)))
    assert (found.mode, found.by) == ("weak", "instructions")
    assert found.factors["instructions"] == pytest.approx((1, 8.1 / 8.2, 8.1 / 8.4, 8.1 / 8.8))
    assert losses(found) == pytest.approx({"grows search": 8 * 0.7, "not_explained ": 0})
    assert found.falls_first is None
    assert found.speedups[-1] == pytest.approx(8 * 8.1 / 8.8)


@pytest.mark.parametrize(("growth", "mode"), [(1.3, "strong"), (2.5, "weak")])
def test_the_mode_is_the_nearer_one_where_no_count_stays_the_same(
    make_experiment: MakeExperiment, growth: float, mode: str
) -> None:
    def grid(ranks: int) -> Experiment:
        seconds = 8 * growth ** (ranks // 2) / ranks
        values = {"sweep": [seconds] * ranks}
        path = {"sweep": [seconds, *[0.0] * (ranks - 1)]}
        return make_experiment(values, instructions={"sweep": [RATE * seconds] * ranks}, path_time=path)

    found = judged(grid(1), grid(2), grid(4))
    assert (found.mode, found.by) == (mode, "instructions")


def test_the_largest_run_is_predicted_from_the_others_and_then_twice_its_ranks(run: MakeRun) -> None:
    found = judged(*map(run, (1, 2, 4)))
    held_out, beyond = (each for each in found.predictions if each.metric == "instructions")
    assert (held_out.ranks, held_out.fitted_to, held_out.measured) == (4, (1, 2), 14 * RATE)
    assert held_out.predicted == pytest.approx(14 * RATE)
    assert (beyond.ranks, beyond.measured) == (8, None)
    assert beyond.predicted == pytest.approx(18 * RATE)
    assert not judged(run(1), run(4)).predictions


@pytest.mark.parametrize("kind", ["made", "made after a chain", "sent", "unknown"])
def test_counts_of_a_grid_are_predicted_if_the_program_makes_it_or_its_edges_send_less(
    make_experiment: MakeExperiment, kind: str
) -> None:
    def on_grid(ranks: int) -> Experiment:
        sizes = dimensions(ranks, 2)
        places = [(rank // sizes[1], rank % sizes[1]) for rank in range(ranks)]
        made = make_experiment(
            {"rows": [8 / ranks] * ranks, "send": [0.0] * ranks},
            path_time={"rows": [8 / ranks, *[0.0] * (ranks - 1)]},
            visits={"rows": [24 / sizes[1]] * ranks},
            mpi_bytes_sent={
                "send": [
                    sum(
                        (at > 0) + (at < size - 1) if kind == "sent" else 1
                        for at, size in zip(place, sizes, strict=True)
                    )
                    for place in places
                ]
            },
        )
        grid = Topology(
            "MPI_Cart_create",
            tuple(("", size, False) for size in sizes),
            {(rank, 0): place for rank, place in enumerate(places)},
        )
        chain = Topology("for files", (("", ranks, False),), {(rank, 0): (rank,) for rank in range(ranks)})
        made_by = {"made": [grid], "made after a chain": [chain, grid]}
        return made.replaced(topologies=made_by.get(kind, []))

    found = judged(*map(on_grid, (2, 4, 8)), mode="strong")
    models = models_of(found.series, "visits", 3)[1]
    assert [round(each.at(16)) for each in models] == ([] if kind == "unknown" else [6])


def test_messages_that_do_not_shrink_are_named(make_experiment: MakeExperiment) -> None:
    def sending(ranks: int) -> Experiment:
        bytes_sent = {"halo": [4e6] * ranks, "share": [8e7 / ranks] * ranks, "few": [1.0] * ranks}
        return make_experiment(
            {name: [8 / ranks] * ranks for name in bytes_sent},
            path_time={name: [8 / ranks, *[0.0] * (ranks - 1)] for name in bytes_sent},
            mpi_bytes_sent=bytes_sent if ranks > 1 else {"share": [8e7]},
        )

    found = judged(*map(sending, (1, 2, 4)), mode="strong")
    assert [(each.region.name, each.ranks, each.per_rank) for each in found.messages] == [("halo", (2, 4), (4e6, 4e6))]
    line = "bytes per rank do not shrink in app.c:1  halo: 4 MB at 2 ranks, 4 MB at 4"
    assert [each for each in scaling_lines(found) if "shrink" in each] == [line]
    assert scaling_document(found)["messages"][0]["per_rank"] == [4e6, 4e6]
    assert judged(*map(sending, (1, 2, 4)), mode="weak").messages == ()


def test_predictions_need_models_that_agree(make_experiment: MakeExperiment) -> None:
    def with_neighbours(ranks: int) -> Experiment:
        made = make_experiment(
            {"work": [8 / ranks] * ranks},
            path_time={"work": [8 / ranks, *[0.0] * (ranks - 1)]},
            mpi_bytes_sent={"work": [1e3 * (ranks.bit_length() - 1)] * ranks},
        )
        return made.replaced(notes=replace(made.notes, program="app"))

    found = judged(*map(with_neighbours, (2, 4, 8, 16)), mode="strong")
    held_out = next(each for each in found.predictions if each.metric == "mpi_bytes_sent")
    assert (held_out.predicted, held_out.unclear, held_out.is_unclear, held_out.holds) == (None, 1, True, False)
    assert "bytes sent unknown, because several models fit" in "".join(scaling_lines(found))
    assert [each.predicted for each in found.predictions if each.ranks == 32] == pytest.approx([32])


def test_the_lines_fit_a_terminal_and_name_the_largest_losses(run: MakeRun) -> None:
    lines = scaling_lines(judged(*map(run, (1, 2, 4, 8, 16, 32, 64, 128, 256))))
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 100
    assert any("REPLICATED" in line and "all: the same 1.0e9 instructions per rank" in line for line in lines)
    assert [line for line in lines if "falls first" in line]
    found = judged(*map(run, (1, 2, 4)))
    assert "     try: divide the work among the ranks, and gather the result" in scaling_lines(found)
    assert len(scaling_lines(found)) == 20


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"missing": (1,)}, InputError, "complete run, but 1 rank did not reach MPI_Finalize"),
        ({"unfinished": (0, 1)}, InputError, "complete run, but 2 ranks did not reach MPI_Finalize"),
        ({"program_status": 137}, InputError, "exit status 0, found 137"),
        ({"program": "other"}, InputError, "the program app, as in out0, found other"),
        ({"command": ("mpirun", "./app", "7")}, UsageError, "if the work per rank is the same, add --mode weak"),
        ({"command": ("./app", "7")}, UsageError, "if the work per rank is the same, add --mode weak"),
        ({"history": ("select(subtree=divided)",)}, InputError, "the whole program, as in out0, found divided"),
        ({"history": ("difference(a, b)",)}, InputError, "the result of difference"),
        ({"calibrated": {"processor": "B", "caches": "L1"}}, InputError, "with A and L1, as in out0, found B and L1"),
    ],
)
def test_runs_that_cannot_be_judged_together_are_refused(
    run: MakeRun, changed: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        judged(run(1, calibrated={"processor": "A", "caches": "L1"}), run(2, **changed))


def test_counts_of_different_sources_are_not_judged_together(run: MakeRun) -> None:
    other = run(2)
    metrics = [
        replace(each, source="measured:papi:PAPI_TOT_INS") if each.name == "instructions" else each
        for each in other.metrics
    ]
    said = "out1: expected simulated instruction counts, as in out0, found measured counts; record all runs with"
    with pytest.raises(InputError, match=said):
        judged(run(1), other.replaced(metrics=metrics))


def test_programs_that_get_a_grid_of_ranks_as_arguments_are_judged_with_a_mode(run: MakeRun) -> None:
    runs = [run(ranks, command=("mpirun", "./app", str(ranks), "1")) for ranks in (1, 2)]
    assert judged(*runs, mode="strong").speedups == pytest.approx((1, 11 / 7))
    assert judged(*runs, mode="weak").mode == "weak"


def test_a_run_without_path_equal_sizes_and_an_unknown_mode_are_refused(
    run: MakeRun, make_experiment: MakeExperiment
) -> None:
    with pytest.raises(InputError, match="repeat that run with --path always"):
        judged(run(1), make_experiment({"divided": [1.0, 1.0]}))
    with pytest.raises(InputError, match="expected a critical path of the whole run"):
        judged(run(1), make_experiment({"divided": [1.0, 1.0]}, path_time={"divided": [0.5, 0.4]}))
    without = {"path_time": {"divided": [0.0]}}
    assert judged(make_experiment({"divided": [2.0]}, **without), run(2), mode="weak").speedups[0] == 1
    uncounted = make_experiment({"divided": [2.0]}, instructions={"divided": [0.0]})
    assert judged(uncounted, run(2), mode="weak").factors["instructions"] == (None, None)
    with pytest.raises(UsageError, match="different numbers of ranks, found only runs with 4 ranks;"):
        judged(run(4), run(4))
    with pytest.raises(UsageError, match="out1 has 2 ranks, like out0; "):
        judged(run(2), run(2), run(4))
    with pytest.raises(UsageError, match="add --mode strong or --mode weak"):
        judged(run(1, counted=False), run(4, counted=False))


def test_a_program_that_was_changed_between_runs_is_refused(make_experiment: MakeExperiment) -> None:
    def of_text(ranks: int, *texts: str) -> Experiment:
        made = make_experiment(
            {"divided": [8 / ranks] * ranks}, path_time={"divided": [8 / ranks, *[0.0] * (ranks - 1)]}
        )
        paths = [
            replace(each, region=each.region._replace(file="src/a.c", text=text))
            for each, text in zip(made.call_paths, cycle(texts))
        ]
        return made.replaced(call_paths=paths)

    with pytest.raises(InputError, match=r"out1: a\.c has changed since out0; record both runs with the same build"):
        judged(of_text(1, "1f"), of_text(2, "2e"))
    assert judged(of_text(1, "1f"), of_text(2, "1f"), mode="strong").speedups[-1] == pytest.approx(2)
    judged(of_text(1, "1f", "2e"), of_text(2, "2e", "1f"), mode="strong")  # the second file has the same name


def test_of_repeated_runs_the_median_is_judged_and_what_varies_is_no_loss(run: MakeRun) -> None:
    found = repeated([run(1, slow=each) for each in (1.3, 1.0, 1.1)], [run(4, slow=each) for each in (9.0, 1.1, 1.0)])
    assert found.speedups == pytest.approx((1, 11 / 5))
    assert found.series.intervals == (pytest.approx((11, 14.3)), pytest.approx((5, 45)))
    assert losses(found) == pytest.approx({"replicated all": 3.3, "not_explained ": 6.6})
    document = scaling_document(found)
    assert (document["repeats"], document["intervals"][0]) == ([3, 3], pytest.approx([11, 14.3]))
    assert ["range", "of", "3", "runs", "27", "%", "727", "%"] in [line.split() for line in document["verdict"]]
    one = repeated([run(1)], [run(4, slow=each) for each in (9.0, 1.1, 1.0)])
    assert ["range", "of", "3", "runs", "727", "%"] in [line.split() for line in scaling_lines(one)]


def test_whether_ranks_shared_cores_is_decided_over_all_runs(run: MakeRun) -> None:
    smaller = [run(1, beside=0.5), run(1, slow=1.02, beside=0.0), run(1, slow=1.04, beside=3.0)]
    larger = [run(4, processors=2), run(4, slow=1.1), run(4, slow=1.2)]
    found = repeated(smaller, larger)
    assert found.is_of_path
    assert found.series.lengths == pytest.approx([1.02 * 11, 1.1 * 5])
    assert found.factors["transfer"] == (None, None)


@pytest.mark.parametrize("counted", [True, False])
def test_a_rank_that_takes_longer_for_the_same_instructions_has_a_slow_core(
    make_experiment: MakeExperiment, counted: bool
) -> None:
    def slow(ranks: int) -> Experiment:
        times = [8 / ranks] * (ranks - 1) + [12 / ranks if ranks > 1 else 8.0]
        counts = {"instructions": {"work": [RATE * 8 / ranks] * ranks}} if counted else {}
        return make_experiment({"work": times}, path_time={"work": [*[0.0] * (ranks - 1), times[-1]]}, **counts)

    found = judged(slow(1), slow(8), mode="strong")
    kinds = {each.kind for each in found.ledger.losses}
    assert kinds == ({"slow_core", "not_explained"} if counted else {"imbalance", "not_explained"})
    assert {each.region.name for each in found.ledger.losses if each.region} == {"work"}
    assert sum(losses(found).values()) == pytest.approx(found.ledger.lost) == pytest.approx(4)


def test_a_slow_core_beside_the_critical_path_is_no_gain(make_experiment: MakeExperiment) -> None:
    def slow(ranks: int) -> Experiment:
        last = [16 / ranks] if ranks > 1 else []
        work = {"work": [8 / ranks] * (ranks - len(last)) + last, "alone": [2.0, *[0.0] * (ranks - 1)]}
        path = {name: [values[0], *[0.0] * (ranks - 1)] for name, values in work.items()}
        counts = {"work": [RATE * 8 / ranks] * ranks, "alone": [RATE * each for each in work["alone"]]}
        return make_experiment(work, path_time=path, instructions=counts)

    found = judged(slow(1), slow(8), mode="strong")
    assert not [each for each in found.ledger.losses if each.region and each.rank_seconds < 0]
    assert sum(losses(found).values()) == pytest.approx(found.ledger.lost)


@pytest.mark.parametrize("counted", [True, False])
def test_differences_within_noise_are_not_explained(make_experiment: MakeExperiment, counted: bool) -> None:
    def noisy(ranks: int) -> Experiment:
        work = {"a": 4 / ranks, "b": 2 / ranks}
        times = {name: [each * (1 + 0.08 * (rank % 2)) for rank in range(ranks)] for name, each in work.items()}
        path = {name: [max(each), *[0.0] * (ranks - 1)] for name, each in times.items()}
        counts = {"instructions": {name: [RATE * each] * ranks for name, each in work.items()}} if counted else {}
        return make_experiment(times, path_time=path, **counts)

    found = judged(*map(noisy, (1, 2, 4)), mode="strong")
    assert found.ledger.lost == pytest.approx(4 * 6 / 4 * 1.08 - 6)
    assert losses(found) == pytest.approx({"not_explained ": found.ledger.lost})
    assert found.falls_first is None
