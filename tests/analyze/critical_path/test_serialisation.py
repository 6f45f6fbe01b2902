"""Time on the critical path beyond each region's busiest rank: ranks work one after another, or are late in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.analyze.run.busy import busy_times
from autoanalyzer.analyze.verdict import Doubt, Finding, Gain, Kind, Lost, LostTo, Saved, Wait, Why
from autoanalyzer.analyze.verdict.gain import gain_of_balance, gain_of_weight
from autoanalyzer.analyze.verdict.lost import find_lost
from autoanalyzer.analyze.verdict.ranking import each_place_once
from autoanalyzer.analyze.verdict.waits import waits_for
from autoanalyzer.experiment import CallPath, Experiment, Region
from autoanalyzer.experiment.delay import Delay
from autoanalyzer.view.foremost import foremost_sentence
from autoanalyzer.view.verdict import verdict_lines
from autoanalyzer.view.verdict.reasons import reasons

from ..conftest import MakeExperiment

Times = Mapping[str, Sequence[float]]


def followed(
    make_experiment: MakeExperiment,
    times: Times,
    *,
    path: Times,
    waits: Times,
    delays: Times,
    who: Sequence[tuple[str, str, float, float]],
    **others: Times,
) -> Experiment:
    """Make a run that recorded its path; ``who``: waiting region, late region, seconds, seconds due to messages."""
    made = make_experiment(
        times, mpi_time=waits, mpi_bytes={}, path_time=path, wait_time=waits, delay_time=delays, **others
    )
    named = {each.region.name: each.region.descriptor for each in made.call_paths}
    found = tuple(Delay(named[waiting], named[late], *seconds) for waiting, late, *seconds in who)
    return made.replaced(notes=replace(made.notes, delays=found, processors=8))


@pytest.fixture
def chain(make_experiment: MakeExperiment) -> Experiment:
    """Return a run in which each of four ranks receives in ``sweep`` what the one before has computed in ``kernel``."""
    return followed(
        make_experiment,
        {"even": [8.0] * 4, "sweep": [0.0] * 4, "sweep/kernel": [1.0] * 4},
        path={"even": [8.0, 0, 0, 0], "sweep/kernel": [1.0] * 4},
        waits={"sweep": [3.0, 1.0 + 2.0, 2.0 + 1.0, 3.0]},
        delays={"sweep/kernel": [6.0, 3.0, 2.0, 1.0]},
        who=[("sweep", "kernel", 12.0, 6.0)],
    )


def culprit_named(found: Findings, name: str) -> int:
    return [found.experiment.path_name(each.id) for each in found.run.weighed.regions].index(name)


def test_the_region_in_which_ranks_wait_and_work_one_after_another_is_named_with_what_it_saves(
    chain: Experiment,
) -> None:
    found = analyze(chain)
    sweep = culprit_named(found, "sweep")
    assert sweep in found.disparity.culprits
    gain = gain_of_weight(found, sweep)
    assert gain is not None
    assert gain.seconds == pytest.approx(4 - 1)
    text = " ".join(" ".join(verdict_lines(found)).split())
    assert "why: each rank waits in sweep (app.c:2) for the rank before it" in text
    assert "1 s per rank; 4 s on the critical path, 3 s of it because ranks do this work at different times" in text
    assert "try: send smaller pieces, each when it is ready, so the next rank starts earlier" in text
    first = found.verdict.first
    assert first is not None
    assert foremost_sentence(found, first) == "The verdict names sweep (app.c:2): 33 % of the critical path."


def test_the_beginning_of_a_path_is_not_taken_for_all_of_it(chain: Experiment) -> None:
    """This holds even if the recorded beginning is longer than the busiest rank's time."""
    part = analyze(chain.replaced(notes=replace(chain.notes, path_is_partial=True)))
    assert part.explanation.serialisation is None
    assert part.critical_path is not None
    assert part.critical_path.efficiency is None
    assert not any(each.kind is Kind.ONE_AFTER_ANOTHER for each in part.verdict.findings)
    assert not part.verdict.base.is_path


def test_where_ranks_wait_is_said_with_the_efficiency_unless_a_finding_does(chain: Experiment, make_experiment) -> None:
    assert analyze(chain).verdict.longest_wait is None
    late = followed(
        make_experiment,
        {"work": [4.0] * 4, "rest": [0.0] * 4, "sync": [0.0] * 4},
        path={"work": [4.2, 0, 0, 0]},
        waits={"sync": [0.0, 0.2, 0.2, 0.2]},
        delays={"work": [0.48, 0, 0, 0], "rest": [0.12, 0, 0, 0]},
        who=[("sync", "work", 0.48, 0.0), ("sync", "rest", 0.12, 0.0)],
    )
    wait = "ranks 1-3 wait most in sync (app.c:3), while others are in work (app.c:1): 160 ms on average"
    lost = f"parallel efficiency 95 %; lost: 4.8 % because ranks are busy at different times; {wait}"
    said = f"{lost}; next: autoanalyzer analyze --path"
    assert said in " ".join(" ".join(verdict_lines(analyze(late), everything=True)).split())
    assert "next: " not in "".join(verdict_lines(analyze(late)))  # the findings suggest the next step
    found = analyze(late.replaced(notes=replace(late.notes, processors=2)))
    moved = Finding(Kind.TRANSFER, None, gain=Gain(4.2, 1.0, (Saved(Why.TRANSFER, 4.2),)))
    waiting, transfer = find_lost(found, [moved])
    assert (waiting.seconds, waiting.findings) == (pytest.approx(0.2), ())
    assert transfer == Lost(LostTo.TRANSFER, 4.2, pytest.approx(1.0), (1,), is_explained=True, is_all=True)
    verdict = found.verdict
    for some, said in (
        (waiting, lost),
        (replace(waiting, findings=(4, 2)), lost.replace(f"; {wait}", " (partly in findings 2, 4)")),
    ):
        vars(found)["verdict"] = replace(verdict, findings=(moved, *verdict.findings * 3), lost=(some, transfer))
        text = " ".join(" ".join(verdict_lines(found)).split())
        assert f"{said}; path + MPI 8.4 s: 4.2 s + 4.2 s in MPI (all in finding 1)" in text
    found = analyze(late)
    first, longest = found.verdict.findings[0], found.verdict.longest_wait
    assert longest is not None
    waited_for = replace(first, waits=(Wait(longest.region, 0.12),))
    assert any("ranks wait for this region: 120 ms on average" in line for line, _ in reasons(found, waited_for))
    part = analyze(late, exclude_ranks=[3])  # a part of the ranks has no efficiency
    assert (part.efficiency, part.verdict.longest_wait) == (None, None)


def test_unequal_work_done_one_after_another_is_saved_in_two_parts(make_experiment: MakeExperiment) -> None:
    found = analyze(
        followed(
            make_experiment,
            {"even": [8.0] * 4, "sweep": [1.0, 1.0, 1.0, 2.0]},
            path={"even": [8.0, 0, 0, 0], "sweep": [1.0, 1.0, 1.0, 2.0]},
            waits={"sweep": [4.0, 4.0, 4.0, 3.0]},
            delays={"sweep": [6.0, 3.0, 2.0, 1.0]},
            who=[("sweep", "sweep", 12.0, 6.0)],
        )
    )
    first = found.verdict.first
    assert first is not None and first.gain is not None
    parts = [(each.why, each.before, each.after) for each in first.gain.parts]
    assert parts == [(Why.AT_ONCE, 5.0, 2.0), (Why.EVEN, 2.0, 1.25)]
    text = " ".join(" ".join(verdict_lines(found)).split())
    who = "rank 3: 2 s; ranks 0-2: 1 s each; 1.25 s each if shared evenly"
    assert f" {who} why (3 s): each rank waits in sweep (app.c:2) for the rank before it try (saves 3 s): send" in text
    smaller = text.partition("try (saves 3 s): send smaller pieces, each when it is ready")[2]
    assert "why (750 ms): unknown; count instructions: autoanalyzer run --counters simulated" in smaller
    said = (
        "lost: 5.8 % because some ranks are busier in total (all in finding 1), "
        "23 % because ranks are busy at different times (all in finding 1)"
    )
    assert said in text
    lost = [(each.to, each.seconds, each.findings, each.is_explained) for each in found.verdict.lost]
    assert lost == [("unequal_busy_time", pytest.approx(0.75), (1,), True), ("waiting", pytest.approx(3.0), (1,), True)]
    assert first.bound == 5.0


def test_what_ranks_lose_by_unequal_work_inside_is_not_only_because_of_different_times(
    make_experiment: MakeExperiment,
) -> None:
    busy = {"even": [8.0] * 4, "sweep": [0.0] * 4, "sweep/kernel": [0.5, 0.5, 0.5, 2.5]}
    found = analyze(
        followed(
            make_experiment,
            busy,
            path={**busy, "even": [8.0, 0, 0, 0]},
            waits={"sweep": [3.5, 3.5, 3.5, 1.5]},
            delays={"sweep/kernel": [4.5, 3.0, 2.0, 2.5]},
            who=[("sweep", "kernel", 12.0, 6.0)],
        )
    )
    text = " ".join(" ".join(verdict_lines(found)).split())
    assert "1 s per rank; 4 s on the critical path, 3 s of it because ranks do unequal work at different times" in text


def test_no_rank_waits_for_itself(make_experiment: MakeExperiment) -> None:
    """Rank 1 waits longest in ``meet``, for rank 0's first work; then rank 0 waits there for rank 1."""
    found = analyze(
        followed(
            make_experiment,
            {"first": [9.0, 1.0], "second": [1.0, 2.0], "meet": [0.0] * 2},
            path={"first": [9.0, 0.0], "second": [0.0, 2.0]},
            waits={"meet": [1.0, 8.0]},
            delays={"first": [8.0, 0.0], "second": [0.0, 1.0]},
            who=[("meet", "first", 8.0, 0.0), ("meet", "second", 1.0, 0.0)],
        )
    )
    said = {each.region and found.experiment.path_name(each.region.id): each for each in found.verdict.findings}
    (wait,) = said["second"].waits
    assert (wait.waiting, wait.mean, wait.ranks) == ((0,), pytest.approx(1.0), (1,))
    text = " ".join(" ".join(verdict_lines(found, everything=True)).split())
    assert "rank 0 waits for rank 1: 1 s, in meet (app.c:3)" in text


def test_what_a_loop_around_the_program_costs_is_in_all_that_it_contains(make_experiment: MakeExperiment) -> None:
    inner = [f"loop@1/k{number}" for number in range(40)]
    found = analyze(
        followed(
            make_experiment,
            {"loop@1": [0.0] * 4, **{each: [1.0, 1.0, 1.0, 1.2] for each in inner}, "loop@1/sync": [0.0] * 4},
            path={each: [0.0, 0.0, 0.0, 1.2] for each in inner},
            waits={"loop@1/sync": [8.0, 8.0, 8.0, 0.0]},
            delays={each: [0.0, 0.0, 0.0, 0.6] for each in inner},
            who=[("sync", each.removeprefix("loop@1/"), 0.6, 0.0) for each in inner],
        )
    )
    first = found.verdict.findings[0]
    assert first.region and first.gain
    assert (first.kind, found.experiment.path_name(first.region.id)) == (Kind.IMBALANCE, "loop@1")
    assert (first.gain.seconds, first.bound) == (pytest.approx(6.0), pytest.approx(48.0))
    assert [(each.to, each.findings, each.is_explained) for each in found.verdict.lost] == [
        (LostTo.UNEQUAL, (1,), True)
    ]
    assert [(each.region.name, each.ranks, each.waiting) for each in first.waits] == [("sync", (3,), (0, 1, 2))]
    assert first.waits[0].mean == pytest.approx(8.0)


def test_no_finding_accounts_for_more_than_it_saves_and_none_for_what_one_inside_it_does(
    make_experiment: MakeExperiment,
) -> None:
    """The ranks' totals differ a little, and they are late in turn in ``kernel``."""
    found = analyze(
        followed(
            make_experiment,
            {"even": [6.0] * 2, "step": [0.0] * 2, "step/kernel": [3.0, 4.0], "meet": [0.0] * 2},
            path={"even": [6.0, 0.0], "step/kernel": [2.0, 4.0]},
            waits={"meet": [3.0, 2.0]},
            delays={"step/kernel": [2.0, 3.0]},
            who=[("meet", "kernel", 5.0, 0.0)],
        )
    )
    regions = {found.experiment.path_name(each.id): each for each in found.run.weighed.regions}
    even = Finding(Kind.IMBALANCE, None, gain=Gain(0.5, 0.0, (Saved(Why.EVEN, 10.0, 9.5),)))
    unknown = replace(even, gain=None)
    late = Finding(Kind.LATE, regions["step/kernel"], gain=Gain(2.5, 0.0, (Saved(Why.AT_ONCE, 6.0, 3.5),)))
    around = Finding(
        Kind.HOT_SPOT, regions["step"], share=0.5, waits=(Wait(found.experiment.call_paths[4].region, 2.5),)
    )
    assert [[wait.region.name for wait in each.waits] for each in each_place_once(found, [around])] == [["meet"]]
    waits = [[wait.region.name for wait in each.waits] for each in each_place_once(found, [around, late])]
    assert waits == [[], ["meet"]]  # named once, at the inner region
    step = Finding(Kind.LATE, regions["step"])
    for findings, tied in (
        ([even], [(1,), ()]),
        ([unknown], [(1,), ()]),
        ([even, late], [(1,), (2,)]),
        ([late, step], [(1,), (1,)]),
        ([step, late], [(1,), (1,)]),
        ([replace(late, gain=Gain(0.2, 0.0, (Saved(Why.AT_ONCE, 6.0, 5.8),)))], [(), ()]),
    ):
        unequal, waiting = find_lost(found, findings)
        assert (unequal.seconds, waiting.seconds) == (pytest.approx(0.5), pytest.approx(2.0))
        assert [unequal.findings, waiting.findings] == tied
        assert waiting.is_explained == bool(tied[1])


def test_of_equally_busy_ranks_a_millisecond_does_not_decide_which_region_they_wait_for(
    make_experiment: MakeExperiment,
) -> None:
    for more in (0.0, 0.001):
        found = analyze(
            followed(
                make_experiment,
                {"a": [6.0, 4.0], "b": [4.0, 6.0 + more], "meet": [0.0] * 2},
                path={"a": [6.0, 0.0], "b": [0.0, 6.0 + more]},
                waits={"meet": [2.0 + more, 2.0]},
                delays={"a": [2.0, 0.0], "b": [0.0, 2.0 + more]},
                who=[("meet", "a", 2.0, 0.0), ("meet", "b", 2.0 + more, 0.0)],
            )
        )
        regions = {found.experiment.path_name(each.id): each for each in found.run.weighed.regions}
        (waiting,) = find_lost(found, [Finding(Kind.LATE, regions[name]) for name in ("a", "b")])
        assert (waiting.to, sorted(waiting.findings), waiting.is_explained) == (LostTo.WAITING, [1, 2], True)


def test_of_a_finding_without_a_gain_short_waits_are_none_and_over_all_regions_ranks_wait_for_each_other(
    make_experiment: MakeExperiment,
) -> None:
    for delays, late in (([0.3, 0.1, 0.13, 0.1], (0, 2, 1, 3)), ([0.16] * 4, ()), ([0.63, 0, 0, 0], (0,))):
        found = analyze(
            followed(
                make_experiment,
                {"work": [4.0] * 4, "sync": [0.0] * 4, "short": [0.0] * 4},
                path={"work": [4.2, 0, 0, 0]},
                waits={"sync": [0.0, 0.2, 0.2, 0.2], "short": [0.0, 0.01, 0.01, 0.01]},
                delays={"work": delays},
                who=[("sync", "work", 0.6, 0.0), ("short", "work", 0.03, 0.0)],
            )
        )
        work = Finding(Kind.LATE, found.run.weighed.regions[0])
        assert [(each.region.name, each.ranks) for each in waits_for(found, work)] == [("sync", late)]
    spread = Finding(Kind.IMBALANCE, None, waits=(Wait(found.experiment.call_paths[2].region, 0.15),))
    assert ("ranks wait for each other: 150 ms on average, in sync (app.c:2)", Kind.LATE) in reasons(found, spread)
    every = replace(spread, waits=(replace(spread.waits[0], ranks=(3, 0, 1, 2)),))
    latest = "ranks wait for each other: 150 ms on average, in sync (app.c:2); longest for rank 3"
    assert (latest, Kind.LATE) in reasons(found, every)


def test_time_beside_the_base_is_in_mpi_or_asleep(make_experiment: MakeExperiment) -> None:
    made = followed(
        make_experiment,
        {"work": [4.0] * 2, "send": [0.0] * 2},
        path={"work": [4.0, 0.0]},
        waits={"send": [0.0] * 2},
        delays={},
        who=(),
        off={"work": [2.0] * 2},
    )
    severities = {each.name: made.exclusive(each.name) for each in made.metrics}
    for name in ("wall_time", "mpi_time"):
        severities[name] = severities[name].copy()
        severities[name][2] += 1.0
    use = {"elapsed": 10.0, "busy": 60.0, "own": 1.0}
    busy = replace(made.notes, processors=8, processor_use=use)
    unknown = analyze(made.replaced(severities=severities, notes=busy))  # the kernel reports no waiting for cores
    assert not unknown.verdict.lost
    assert unknown.efficiency is not None and unknown.efficiency.reliable == ("load_balance", "serialisation")
    found = analyze(made.replaced(severities=severities))
    waiting = Finding(Kind.LATE, None, gain=Gain(3.0, 0.75, (Saved(Why.WAITING, 3.0),)))
    beside = [(each.to, each.seconds, each.findings) for each in find_lost(found, [waiting])]
    assert beside == [(LostTo.TRANSFER, pytest.approx(1.0), ()), (LostTo.ASLEEP, pytest.approx(2.0), ())]
    text = " ".join(" ".join(verdict_lines(found)).split())
    assert "; path + MPI 5 s: 4 s + 1 s in MPI; 2 s neither busy nor in MPI" in text
    assert "4 s (100 %): the wall time with free cores, no sleep, and messages that take no time" in text


def test_of_ranks_whose_work_an_excluded_one_may_hand_out_none_is_in_turn(chain: Experiment) -> None:
    found = analyze(chain, exclude_ranks=[0])
    assert not found.in_turn.any()
    assert {each.kind for each in found.verdict.findings}.isdisjoint({Kind.ONE_AFTER_ANOTHER})
    assert analyze(chain).in_turn.any()


def test_the_loop_in_it_is_not_named_for_the_same(chain: Experiment) -> None:
    found = analyze(chain)
    assert found.explanation.seconds.chained[culprit_named(found, "sweep/kernel")] == 0


def test_what_is_around_the_region_is_not_named_for_the_same(make_experiment: MakeExperiment) -> None:
    found = analyze(
        followed(
            make_experiment,
            {"even": [6.0] * 2, "step": [0.0] * 2, "step/kernel": [3.0] * 2},
            path={"even": [6.0, 0.0], "step/kernel": [2.5] * 2},
            waits={"step": [2.0] * 2},
            delays={"step/kernel": [2.0] * 2},
            who=[("step", "kernel", 4.0, 0.0)],
        )
    )
    assert found.explanation.seconds.chained.nonzero()[0].tolist() == [culprit_named(found, "step/kernel")]
    assert culprit_named(found, "step") not in found.disparity.culprits


def late_in_turn(make_experiment: MakeExperiment, path: float, **others: Times) -> Findings:
    """Two ranks are busy for 3 s each in ``kernel``, for ``path`` seconds of the critical path, and meet afterwards."""
    return analyze(
        followed(
            make_experiment,
            {"even": [6.0] * 2, "kernel": [3.0] * 2, "meet": [0.0] * 2},
            path={"even": [6.0, 0.0], "kernel": [path / 2] * 2},
            waits={"meet": [path - 3.0] * 2},
            delays={"kernel": [path - 3.0] * 2},
            who=[("meet", "kernel", 2 * (path - 3.0), 0.0)],
            mpi_collective_time={"meet": [path - 3.0] * 2},
            **others,
        )
    )


def test_files_that_ranks_write_in_turn_are_first_a_matter_of_files(make_experiment: MakeExperiment) -> None:
    files = {"io_time": {"kernel": [2.8] * 2}, "io_cpu_time": {"kernel": [2.8] * 2}, "io_bytes": {"kernel": [1e9] * 2}}
    found = late_in_turn(make_experiment, 5.0, **files)
    assert found.verdict.findings[0].kind is Kind.FILE_IO
    text = " ".join(" ".join(verdict_lines(found, everything=True)).split())
    assert text.index("try (saves 2.8 s): read and write less") < text.index("try (saves 2 s): give ranks equal work")


def test_ranks_that_are_late_in_turn_are_named_though_their_sums_are_equal(make_experiment: MakeExperiment) -> None:
    found = late_in_turn(make_experiment, 5.0)
    assert not found.dissimilarity.exists
    kernel = culprit_named(found, "kernel")
    gain = gain_of_weight(found, kernel)
    assert gain is not None
    assert gain.seconds == pytest.approx(2)
    text = " ".join(" ".join(verdict_lines(found)).split())
    in_turn = "a different rank is slowest each time; the others wait in meet (app.c:3)"
    assert in_turn in text
    first = found.verdict.findings[0]
    longest = replace(first, waits=[replace(each, ranks=(1,)) for each in first.waits])
    assert (f"why: {in_turn}; longest for rank 1", Kind.LATE) in reasons(found, longest)
    assert "try: give ranks equal work each time the region runs" in text


@pytest.mark.parametrize(("path", "named"), [(3.3, False), (3.4, True)])
def test_a_path_that_is_longer_by_a_tenth_of_it_is_no_noise(
    path: float, named: bool, make_experiment: MakeExperiment
) -> None:
    found = late_in_turn(make_experiment, path)
    assert bool(found.explanation.seconds.chained[culprit_named(found, "kernel")]) == named


def test_a_slow_rank_off_the_critical_path_saves_nothing(make_experiment: MakeExperiment) -> None:
    """Rank 1 needs longer for ``uneven``, but rank 0 needs as much longer for ``other`` before they meet."""
    found = analyze(
        followed(
            make_experiment,
            {"uneven": [1.0, 5.0], "other": [5.5, 1.0], "rest": [2.0, 2.0]},
            path={"uneven": [1.0, 0.0], "other": [5.5, 0.0], "rest": [2.0, 0.0]},
            waits={"rest": [0.0, 0.5]},
            delays={"other": [0.5, 0.0]},
            who=[("rest", "other", 0.5, 0.0)],
        )
    )
    regions = [found.experiment.path_name(each.id) for each in found.vectors.regions]
    assert gain_of_balance(found, [regions.index("uneven")]) is None
    other = gain_of_balance(found, [regions.index("other")])
    assert other is not None
    assert (other.parts[0].before, other.parts[0].after) == (5.5, 3.25)
    assert other.seconds == pytest.approx(8.5 - 8.25)  # rank 1 is busy elsewhere
    text = " ".join(" ".join(verdict_lines(found, everything=True)).split())
    assert "saves up to 250 ms (2.9 % of run)" in text
    assert (
        "3.25 s each if shared evenly; ranks that take less time here are busy elsewhere, so balancing saves less"
        in text
    )
    uneven = next(each for each in found.verdict.findings if each.region and each.region.id == 1)
    assert (uneven.gain, uneven.bound) == (None, 1.0)
    off = replace(uneven, bound=0.0)
    vars(found)["verdict"] = replace(found.verdict, findings=(off,))
    assert verdict_lines(found)[3].endswith("saves nothing: not on the critical path")


@pytest.mark.parametrize(("late", "clusters"), [(0.0, 1), (0.9, 2)])
def test_a_difference_that_chance_can_make_is_left_out_where_nobody_waits_for_it(
    late: float, clusters: int, make_experiment: MakeExperiment
) -> None:
    """The path's time in the region is that of the other ranks, or that of the slow rank."""
    times = {"step": [3.0] * 3 + [3.9], "rest": [5.9] * 3 + [5.0]}
    experiment = followed(
        make_experiment,
        times,
        path={"step": [3.0 + late, 0, 0, 0], "rest": [5.9, 0, 0, 0]},
        waits={},
        delays={"step": [late, 0, 0, 0]},
        who=[],
    )
    found = analyze(experiment)
    assert len(found.dissimilarity.clusters) == clusters
    assert len(analyze(make_experiment(times)).dissimilarity.clusters) == 2


def test_waiting_is_what_was_recorded_and_for_whom(make_experiment: MakeExperiment) -> None:
    found = analyze(
        followed(
            make_experiment,
            {"kernel": [1.0, 1.0, 1.0, 3.0], "meet": [0.0] * 4},
            path={"kernel": [0.0, 0.0, 0.0, 3.0]},
            waits={"meet": [2.0, 2.0, 2.0, 0.0]},
            delays={"kernel": [0.0, 0.0, 0.0, 6.0]},
            who=[("meet", "kernel", 6.0, 0.0)],
        )
    )
    meet, kernel = culprit_named(found, "meet"), culprit_named(found, "kernel")
    waiting = found.explanation.waiting
    assert waiting.seconds[meet] == pytest.approx(1.5)
    assert waiting.shares[meet] == {kernel: pytest.approx(1.5)}


@pytest.mark.parametrize(("path", "whole"), [(9.95, True), (9.8, False)])
def test_a_path_that_is_shorter_than_ranks_are_busy_is_not_that_of_the_run(
    path: float, whole: bool, make_experiment: MakeExperiment
) -> None:
    """A path is too short if recording stopped because it cost too much; clock resolution makes no difference."""
    made = followed(make_experiment, {"kernel": [10.0] * 2}, path={"kernel": [path, 0.0]}, waits={}, delays={}, who=())
    found = analyze(made)
    assert bool(found.explanation.serialisation) == whole
    assert found.critical_path is not None
    assert bool(found.critical_path.efficiency) == whole


@pytest.mark.parametrize(
    ("on_path", "kind", "said"),
    [
        ({}, Kind.ONE_AFTER_ANOTHER, "each rank waits in exchange (app.c:2) for the rank before it try: send smaller"),
        ({"step": 45, "step/kernel": 450}, Kind.ONE_AFTER_ANOTHER, "for the rank before it try: send smaller pieces"),
        (
            {"step": 44, "step/kernel": 440},
            Kind.IMBALANCE,
            "a different rank is slowest each time; the others wait in ex",
        ),
        (
            {"step": 40, "step/kernel": 800},
            Kind.IMBALANCE,
            "a different rank is slowest each time; the others wait in ex",
        ),
        (
            {"step/kernel": 450},
            Kind.LATE,
            "for the rank before it, or a different rank is slowest each time try: send smaller pieces, each when it is"
            " ready, so the next rank starts earlier; or give ranks equal work each time",
        ),
    ],
)
def test_ranks_pass_on_results_only_if_the_path_has_more_visits_than_any_rank(
    on_path: Mapping[str, float], kind: Kind, said: str, make_experiment: MakeExperiment
) -> None:
    """A step has kernels and no messages; without visits on the path, all waits for messages count."""
    path_visits = {f"sweep/{name}": [each, 0, 0, 0] for name, each in on_path.items()}
    found = analyze(
        followed(
            make_experiment,
            {"sweep": [0.0] * 4, "sweep/exchange": [0.0] * 4, "sweep/step": [0.0] * 4, "sweep/step/kernel": [3.0] * 4},
            path={"sweep/step/kernel": [1.5, 1.5, 1.5, 0.0]},
            waits={"sweep/exchange": [1.5] * 4},
            delays={"sweep/step/kernel": [1.5] * 4},
            who=[("exchange", "kernel", 6.0, 6.0)],
            visits={"sweep": [1] * 4, "sweep/step": [40] * 4, "sweep/step/kernel": [400] * 4},
            **({"path_visits": path_visits} if on_path else {}),
        )
    )
    first = found.verdict.findings[0]
    assert first.kind is kind
    assert said in " ".join(" ".join(verdict_lines(found)).split())


def test_a_rank_is_busy_in_a_team_for_as_long_as_its_slowest_thread(make_experiment: MakeExperiment) -> None:
    made = make_experiment(
        {"serial": [1.0, 0.0, 2.0, 0.0], "team": [1.0, 4.0, 3.0, 2.0]},
        threads=2,
        omp_cpu_time={"team": [0.5, 0.0, 0.0, 0.0]},
    )
    paths = list(made.call_paths)
    paths[2] = CallPath(Region("parallel", "parallel@3", "app.c", "team", 0, 3, 3), 0)
    found = busy_times(made.replaced(call_paths=paths))
    assert found[1:].tolist() == [[1.0, 0.0, 2.0, 0.0], [4.0, 0.0, 3.0, 0.0]]


@pytest.mark.parametrize(("team_time", "late"), [({}, True), ({"team": [8.0, 0.0] * 2}, False)])
def test_threads_that_are_slowest_in_turn_are_no_ranks_that_work_in_turn(
    make_experiment: MakeExperiment, team_time: Times, late: bool
) -> None:
    """The path contains the slowest thread of each execution; no single thread is always the slowest."""
    made = followed(
        make_experiment,
        {"team": [5.0] * 4, "alone": [2.0, 0.0] * 2},
        path={"team": [4.0, 0.0] * 2, "alone": [2.0, 0.0, 0.0, 0.0]},
        waits={},
        delays={},
        who=(),
        threads=2,
        omp_time={"team": [0.0, 3.0] * 2},
        **({"team_time": team_time} if team_time else {}),
    )
    found = busy_times(made)
    assert found[1:].tolist() == [[5.0 if late else 8.0, 0.0] * 2, [2.0, 0.0] * 2]
    assert busy_times(made, of_path=False)[1:].tolist() == [[5.0, 0.0] * 2, [2.0, 0.0] * 2]  # to compare threads
    serialisation = analyze(made).explanation.serialisation
    assert (serialisation is not None and bool(serialisation.beyond.any())) == late


def test_serial_work_beside_a_team_without_a_probe_is_busy_time_of_the_rank(make_experiment: MakeExperiment) -> None:
    """The call path around the team contains serial and team work; without probes, this call path is the root."""
    made = followed(
        make_experiment,
        {"whole": [3.0, 0.0] * 2, "team": [2.0, 2.0] * 2, "team/within": [1.0, 1.0] * 2},
        path={"whole": [3.0, 0.0, 0.0, 0.0], "team": [3.0, 0.0, 0.0, 0.0], "team/within": [1.5, 0.0, 0.0, 0.0]},
        waits={},
        delays={},
        who=(),
        threads=2,
        visits={"whole": [1.0, 0.0] * 2, "team": [1.0] * 4, "team/within": [1.0, 0.0] * 2},
        omp_time={"whole": [0.0, 1.0] * 2},
        team_time={"whole": [1.0, 0.0] * 2, "team": [1.5, 1.5] * 2, "team/within": [0.75, 0.0] * 2},
    )
    assert busy_times(made)[1:].tolist() == [[3.0, 0.0] * 2, [3.0, 0.0] * 2, [0.75, 0.0] * 2]


def test_a_team_without_a_probe_is_known_by_the_threads_that_wait_in_it(
    make_experiment: MakeExperiment,
) -> None:
    rows = {"alone": [1.0, 2.0], "team": [1.0, 4.0], "team/inner": [2.0, 3.0]}
    made = make_experiment(rows, threads=2, omp_time={"alone": [0.5, 0.0], "team": [0.0, 0.5]})
    assert busy_times(made)[1:].tolist() == [[1.0, 0.0], [4.0, 0.0], [3.0, 0.0]]


@pytest.mark.parametrize(("length", "late"), [(3.3, False), (4.2, True)])
def test_work_that_is_handed_out_and_ends_at_different_times_is_late_once_for_each_place(
    length: float, late: bool, make_experiment: MakeExperiment
) -> None:
    """Ranks 1 to 3 do the same amount of work, but rank 3 begins its last piece when the others have finished."""
    end = length - 3.0
    handed = followed(
        make_experiment,
        {"deal": [0.0] * 4, "work": [0.0, 3.0, 3.0, 3.0], "take": [0.0] * 4},
        path={"work": [0.0, 0.0, 3.0, end]},
        waits={"deal": [length, 0, 0, 0], "take": [0.0, end, end, end]},
        delays={"work": [0.0, 0.0, 3.0, length + 3 * end - 3.0]},
        who=[("deal", "work", length, length), ("take", "work", 3 * end, 3 * end)],
        mpi_calls={"deal": [30.0, 0, 0, 0], "take": [0.0, 10.0, 10.0, 10.0]},
    )
    found = analyze(handed)
    assert found.verdict.master == 0
    (work,) = (each for each in found.verdict.findings if found.experiment.path_name(each.region.id) == "work")
    assert (work.kind is Kind.LATE, found.verdict.longest_wait) == (late, None)
    text = " ".join(" ".join(verdict_lines(found)).split())
    how_long = "1.2 s" if late else "300 ms"
    wait = f"ranks wait for each other: {how_long} on average, in take (app.c:3)"  # of two of three ranks
    assert (
        f"why: ranks finish this region at different times, so {wait} try: hand out" if late else f" {wait}"
    ) in text
    assert [(each.to, each.findings, each.is_explained) for each in found.verdict.lost] == [("waiting", (1,), True)]
    if late:
        assert work.gain is not None
        assert work.gain.seconds == pytest.approx(length - 3.0)
        assert (
            "on average without the master: 3 s per rank; 4.2 s on the critical path, 1.2 s of it because ranks do"
            " this work at different times" in text
        )
        assert (work.level, work.doubt, work.waits[0].ranks) == ("high", None, (3, 2))
        larger = Finding(Kind.IMBALANCE, work.region, gain=Gain(4.0, 1.0))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("autoanalyzer.analyze.verdict.verdict.uneven_regions", lambda _: [larger])
            merged = analyze(handed).verdict
        assert merged.findings[0].kind is Kind.IMBALANCE
        assert merged.findings[0].waits == work.waits
        shared = analyze(handed.replaced(notes=replace(handed.notes, processors=2))).verdict.findings[0]
        assert (shared.kind, shared.level, shared.doubt) == (Kind.LATE, "low", Doubt.CORES)


@pytest.mark.parametrize("known", [False, True])
def test_where_ranks_wait_is_late_only_if_they_are_known_to_wait_for_that(
    known: bool, make_experiment: MakeExperiment
) -> None:
    handed = followed(
        make_experiment,
        {"deal": [0.0] * 4, "work": [0.0, 3.0, 3.0, 3.0]},
        path={"work": [0.0, 0.0, 3.0, 1.2]},
        waits={"deal": [4.2, 0, 0, 0], "work": [0.0, 1.2, 1.2, 1.2]},
        delays={"work": [0.0, 0.0, 3.0, 4.8]},
        who=[("deal", "work", 4.2, 4.2), *([("work", "work", 3.6, 3.6)] if known else [])],
        mpi_calls={"deal": [30.0, 0, 0, 0], "work": [0.0, 10.0, 10.0, 10.0]},
    )
    verdict = analyze(handed).verdict
    assert [each.kind for each in verdict.findings] == [Kind.LATE if known else Kind.HOT_SPOT]
    assert (verdict.longest_wait is None) == known


@pytest.mark.parametrize(("in_mpi", "said"), [(0.24, False), (0.26, True)])
def test_where_much_is_in_mpi_and_ranks_are_alike_a_command_is_named_that_shows_who_waits(
    in_mpi: float, said: bool, make_experiment: MakeExperiment
) -> None:
    waits = {"mpi_time": {"turn": [in_mpi] * 4}, "mpi_bytes": {}}
    made = make_experiment({"work": [1 - in_mpi] * 4, "turn": [0.0] * 4}, **waits)
    text = " ".join(" ".join(verdict_lines(analyze(made))).split())
    assert "try: autoanalyzer run --path always (shows which ranks wait for which)" in text
    found = analyze(made.replaced(notes=replace(made.notes, processors=2)))  # ranks wait for a core, or for each other
    assert (found.verdict.balanced, found.verdict.not_followed > 0) == (True, said)
    text = " ".join(" ".join(verdict_lines(found)).split())
    assert (
        "26 % of the run is in MPI; next: autoanalyzer run --path always (shows which ranks wait for which)" in text
    ) == said


def test_a_run_that_is_too_short_has_no_efficiency(make_experiment):
    late = [0.0, 0.001, 0.001, 0.001]
    made = followed(
        make_experiment,
        {"a": [0.001] * 4, "b": [0.002, 0.001, 0.001, 0.001]},
        path={"a": [0.001, 0, 0, 0], "b": [0.002, 0, 0, 0]},
        waits={"b": late},
        delays={"b": [0.003, 0, 0, 0]},
        who=[("b", "b", 0.003, 0.0)],
    )
    found = verdict_lines(analyze(made))
    assert found[2].startswith("too short to judge")
    assert not any("efficiency" in line for line in found)


def test_a_saving_in_wall_time_is_at_most_the_regions_time_on_the_path(make_experiment: MakeExperiment) -> None:
    times = {"work": [1.0, 1.0, 1.0, 3.0], "rest": [4.0, 4.0, 4.0, 1.0]}
    nothing = {name: [0.0] * 4 for name in times}
    path = {"work": [1.0, 0.0, 0.0, 0.0], "rest": [4.0, 0.0, 0.0, 0.0]}
    waits = {**nothing, "work": [0.0, 0.0, 0.0, 1.0]}
    found = analyze(
        followed(make_experiment, times, path=path, waits=waits, delays=nothing, who=[]), metric="wall_time"
    )
    gain = gain_of_balance(found, [culprit_named(found, "work")])
    assert gain is not None
    assert gain.parts == (Saved(Why.EVEN, 1.0, 0.0, on_path=True),)  # 4 s become 1.75 s, but only 1 s is on the path


def test_a_region_without_busy_time_saves_none(chain: Experiment) -> None:
    found = analyze(chain)
    region = next(iter(found.run.weighed.top))
    path = found.explanation.serialisation
    assert path is not None
    path.mean[region] = 0.0
    assert path.on_path[region] > 0
    assert found.parts.followed(region, {"none": Saved(Why.FILES, 0.0)}) == {
        "none": Saved(Why.FILES, 0.0, 0.0, on_path=True)
    }


@pytest.mark.parametrize("beside", [0.0, 40.0])
def test_work_that_may_be_passed_on_keeps_its_saving_where_ranks_wait_for_a_part_of_it(
    beside: float, make_experiment: MakeExperiment
) -> None:
    """``solve`` calls MPI, so visits do not show whether ranks pass on results or are late in turn.

    If there is much other work, this loses less than a tenth of the run.
    """
    found = analyze(
        followed(
            make_experiment,
            {"sweep": [0.0] * 4, "sweep/solve": [3.0] * 4, "even": [beside] * 4},
            path={"sweep/solve": [1.5] * 4, "even": [beside, 0, 0, 0]},
            waits={"sweep": [1.5] * 4},
            delays={"sweep/solve": [1.5] * 4},
            who=[("sweep", "solve", 6.0, 6.0)],
            visits={"sweep": [1] * 4, "sweep/solve": [40] * 4},
            mpi_calls={"sweep": [40] * 4, "sweep/solve": [40] * 4},
            path_visits={"sweep/solve": [40, 0, 0, 0]},
        )
    )
    first = found.verdict.findings[0]
    assert first.kind is Kind.LATE
    assert first.gain is not None
    assert first.gain.seconds == pytest.approx(6 - 3)
