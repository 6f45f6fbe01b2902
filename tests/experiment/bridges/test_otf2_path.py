"""The critical path of OTF2 archives: known results, and synthetic programs with naively copied chains."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from random import Random

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.verdict import Kind
from autoanalyzer.experiment import Experiment, load

from .otf2_program import collective, naive, of_ranks, receive, run, send, work, write

ALL = range(4)


def _loaded(folder: Path, programs: list[list[tuple]]) -> Experiment:
    return load(write(folder / "archive", of_ranks(run(programs))))


def _by_place(experiment: Experiment, metric: str) -> dict[tuple[str, int], float]:
    """Return the values other than zero by region and rank."""
    found: defaultdict[tuple[str, int], float] = defaultdict(float)
    for path, row in zip(experiment.call_paths, experiment.exclusive(metric), strict=True):
        for place, seconds in zip(experiment.locations, row, strict=True):
            if seconds > 0:
                found[path.region.name, place.process] += float(seconds)
    return dict(found)


def _random_program(seed: int) -> list[list[tuple]]:
    """Return a random program of up to six ranks; all steps are in one order, so it cannot deadlock."""
    chance = Random(seed)
    ranks = range(chance.randint(2, 6))
    programs: list[list[tuple]] = [[] for _ in ranks]
    for _ in range(chance.randint(5, 60)):
        for rank in ranks:
            if chance.random() < 0.7:
                programs[rank].append(work(chance.choice("abc"), chance.uniform(0.001, 1.0)))
        kind = chance.choice(["message", "message", "message", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Scan"])
        if kind == "message":
            one, other = chance.sample(ranks, 2)
            programs[one].append(send(other, chance.randint(0, 1)))
            programs[other].append(receive(one, programs[one][-1][2]))
        else:
            members = sorted(chance.sample(ranks, chance.randint(2, len(ranks))))
            root = chance.randrange(len(members))
            for rank in members:
                programs[rank].append(collective(kind, members, root))
    return programs


@pytest.mark.parametrize("seed", range(12))
def test_path_delays_and_waits_are_those_of_naive_copying(tmp_path: Path, seed: int) -> None:
    programs = _random_program(seed)
    path, late, waits = naive(programs)
    experiment = _loaded(tmp_path, programs)
    assert _by_place(experiment, "path_time") == pytest.approx(path, abs=1e-6)
    assert _by_place(experiment, "wait_time") == pytest.approx(dict(waits), abs=1e-6)
    found: defaultdict[str, float] = defaultdict(float)
    for (region, _), seconds in _by_place(experiment, "delay_time").items():
        found[region] += seconds
    assert dict(found) == pytest.approx(dict(late), abs=1e-6)


def _length(experiment: Experiment) -> float:
    return float(experiment.exclusive("path_time").sum())


def _delays(experiment: Experiment) -> dict[tuple[str, str], float]:
    """Return the delays by the names of regions."""
    pairs = {(delay.waiting, delay.late): delay.seconds for delay in experiment.notes.delays}
    names = {path.region.descriptor: path.region.name for path in experiment.call_paths}
    return {(names[waiting], names[late]): seconds for (waiting, late), seconds in pairs.items()}


def test_a_chain_is_on_the_path_as_a_whole_and_each_rank_waits_for_those_before(tmp_path: Path) -> None:
    programs = [
        [
            *([receive(rank - 1)] if rank else []),
            work("link", 1.0),
            *([send(rank + 1)] if rank < 3 else []),
            collective("MPI_Barrier", ALL),
        ]
        for rank in ALL
    ]
    experiment = _loaded(tmp_path, programs)
    assert _by_place(experiment, "path_time") == pytest.approx({("link", rank): 1.0 for rank in ALL})
    waits = {("MPI_Recv", 1): 1.0, ("MPI_Recv", 2): 2.0, ("MPI_Recv", 3): 3.0}
    waits |= {("MPI_Barrier", rank): 3.0 - rank for rank in range(3)}
    assert _by_place(experiment, "wait_time") == pytest.approx(waits)
    assert _delays(experiment) == pytest.approx({("MPI_Recv", "link"): 6.0, ("MPI_Barrier", "link"): 6.0})
    assert sorted(delay.by_messages for delay in experiment.notes.delays) == pytest.approx([0.0, 6.0])
    found = analyze(experiment).critical_path
    assert found is not None
    efficiency = found.efficiency
    numbers = (efficiency.load_balance, efficiency.serialisation, efficiency.transfer)
    assert numbers == pytest.approx((1, 0.25, 1), abs=1e-5)


def test_a_late_sender_is_waited_for_and_a_late_receiver_is_not(tmp_path: Path) -> None:
    late_sender = _loaded(tmp_path / "sender", [[work("slow", 3.0), send(1)], [work("fast", 1.0), receive(0)]])
    assert _by_place(late_sender, "path_time") == pytest.approx({("slow", 0): 3.0})
    assert _by_place(late_sender, "wait_time") == pytest.approx({("MPI_Recv", 1): 2.0})
    assert _by_place(late_sender, "delay_time") == pytest.approx({("slow", 0): 2.0})
    late_receiver = _loaded(tmp_path / "receiver", [[work("fast", 1.0), send(1)], [work("slow", 3.0), receive(0)]])
    assert _by_place(late_receiver, "path_time") == pytest.approx({("slow", 1): 3.0})
    assert not _by_place(late_receiver, "wait_time")
    assert not late_receiver.notes.delays


def test_a_wavefront_is_as_long_as_its_steps_and_the_ranks_that_fill_it(tmp_path: Path) -> None:
    blocks = 5
    programs = [
        [
            step
            for _ in range(blocks)
            for step in (
                *([receive(rank - 1)] if rank else []),
                work("block", 0.1),
                *([send(rank + 1)] if rank < 3 else []),
            )
        ]
        for rank in ALL
    ]
    experiment = _loaded(tmp_path, programs)
    assert _length(experiment) == pytest.approx(0.1 * (blocks + 3))
    # Each rank waits until those before it have done one block; then the pipeline is full.
    assert _by_place(experiment, "wait_time") == pytest.approx({("MPI_Recv", rank): 0.1 * rank for rank in (1, 2, 3)})


def test_ranks_that_are_late_in_turn_are_all_on_the_path(tmp_path: Path) -> None:
    programs = [
        [
            step
            for turn in range(4)
            for step in (work("uneven", 1.0 if turn % 2 == rank else 0.25), collective("MPI_Allreduce", range(2)))
        ]
        for rank in range(2)
    ]
    experiment = _loaded(tmp_path, programs)
    assert _by_place(experiment, "path_time") == pytest.approx({("uneven", 0): 2.0, ("uneven", 1): 2.0})
    assert _by_place(experiment, "wait_time") == pytest.approx({("MPI_Allreduce", rank): 1.5 for rank in range(2)})
    assert _delays(experiment) == pytest.approx({("MPI_Allreduce", "uneven"): 3.0})


@pytest.mark.parametrize(
    ("name", "waits"),
    [
        ("MPI_Barrier", {0: 1.0, 1: 2.0, 2: 3.0}),
        ("MPI_Allreduce", {0: 1.0, 1: 2.0, 2: 3.0}),
        ("MPI_Bcast", {1: 1.0, 2: 2.0}),  # from rank 0, which is late itself
        ("MPI_Reduce", {0: 1.0}),  # only rank 0 needs the last rank's data
        ("MPI_Scan", {1: 1.0, 2: 2.0}),  # from lower ranks only, so rank 3 does not matter
    ],
)
def test_who_waits_in_a_collective_is_told_by_its_kind(tmp_path: Path, name: str, waits: dict[int, float]) -> None:
    seconds = (4.0 - 1.0, 2.0, 1.0, 4.0)
    experiment = _loaded(tmp_path, [[work("w", seconds[rank]), collective(name, ALL)] for rank in ALL])
    assert _by_place(experiment, "wait_time") == pytest.approx({(name, rank): each for rank, each in waits.items()})
    assert _by_place(experiment, "path_time") == pytest.approx({("w", 3): 4.0})


def test_a_communicator_of_some_ranks_has_ranks_and_roots_of_its_own(tmp_path: Path) -> None:
    programs = [
        [work("w", 1.0 + rank), collective("MPI_Bcast", (3, 1) if rank % 2 else (0, 2), root=0)] for rank in ALL
    ]
    experiment = _loaded(tmp_path, programs)
    assert _by_place(experiment, "wait_time") == pytest.approx({("MPI_Bcast", 1): 2.0})


def _instant(*events: tuple) -> list[tuple]:
    return [(0.0, "enter", ("main",)), *events]


def test_what_completes_later_is_waited_for_where_it_completes(tmp_path: Path) -> None:
    events = {
        (0, 0): _instant(
            (2.0, "enter", ("MPI_Isend",)),
            (2.0, "isent", (1, 7, 1)),
            (2.1, "leave", ("MPI_Isend",)),
            (3.0, "enter", ("MPI_Wait",)),
            (3.1, "isend_complete", (1,)),
            (3.1, "leave", ("MPI_Wait",)),
            (4.0, "leave", ("main",)),
        ),
        (1, 0): _instant(
            (0.5, "enter", ("MPI_Irecv",)),
            (0.5, "irequested", (9,)),
            (0.6, "leave", ("MPI_Irecv",)),
            (1.0, "enter", ("MPI_Wait",)),
            (2.2, "ireceived", (0, 7, 9)),
            (2.3, "leave", ("MPI_Wait",)),
            (2.4, "leave", ("main",)),
        ),
    }
    experiment = load(write(tmp_path / "archive", events))
    assert _by_place(experiment, "wait_time") == pytest.approx({("MPI_Wait", 1): 2.0 - 0.9})
    assert _by_place(experiment, "path_time") == pytest.approx({("main", 0): 3.8})


@pytest.mark.parametrize("request_", [False, True])
def test_a_message_that_was_probed_is_waited_for_where_it_is_received(tmp_path: Path, request_: bool) -> None:
    sent = _instant((2.0, "sent", (1, 7)), (2.0, "sent", (1, 8)), (2.5, "leave", ("main",)))
    probed = [(2.1, "enter", ("MPI_Mrecv",)), (2.1, "probed", (0, 8, 5)), (2.1, "probed", (0, 7, 6))]
    received = [(2.2, "irequested_matched", (5, 3)), (2.2, "ireceived_matched", (3,))] if request_ else []
    received = received or [(2.2, "matched", (5,))]
    waits = _instant((0.5, "enter", ("MPI_Mprobe",)), (2.1, "leave", ("MPI_Mprobe",)), *probed, *received)
    waits += [(2.2, "matched", (6,)), (2.2, "leave", ("MPI_Mrecv",)), (2.2, "leave", ("main",))]
    experiment = load(write(tmp_path / "archive", {(0, 0): sent, (1, 0): waits}))
    assert _by_place(experiment, "wait_time") == pytest.approx({("MPI_Mrecv", 1): 1.5})
    assert not any("critical path" in each for each in experiment.notes.remarks)


def test_work_beside_a_collective_that_does_not_block_makes_nobody_late(tmp_path: Path) -> None:
    def events(before: float, beside: float) -> list[tuple]:
        began, comes = before, before + beside
        return _instant(
            (began, "enter", ("MPI_Iallreduce",)),
            (began, "ibegun", (4,)),
            (began, "leave", ("MPI_Iallreduce",)),
            (comes, "enter", ("MPI_Wait",)),
            (5.0, "iended", ("MPI_Allreduce", (0, 1), 0, 4)),
            (5.0, "leave", ("MPI_Wait",)),
            (5.0, "leave", ("main",)),
        )

    experiment = load(write(tmp_path / "archive", {(0, 0): events(1.0, 3.0), (1, 0): events(2.0, 1.0)}))
    assert _by_place(experiment, "path_time") == pytest.approx({("main", 0): 4.0})
    assert not _by_place(experiment, "wait_time")
    later = load(write(tmp_path / "later", {(0, 0): events(1.0, 0.5), (1, 0): events(3.0, 1.0)}))
    assert _by_place(later, "wait_time") == pytest.approx({("MPI_Wait", 0): 1.5})


def test_the_slowest_thread_of_a_team_is_on_the_path(tmp_path: Path) -> None:
    def master(rank: int) -> list[tuple]:
        return _instant(
            (1.0, "forked", (2,)),
            (1.0, "enter", ("!$omp parallel",)),
            (2.0, "enter", ("!$omp implicit barrier",)),
            (4.0, "leave", ("!$omp implicit barrier",)),
            (4.0, "leave", ("!$omp parallel",)),
            (4.0, "joined", ()),
            (4.5, "enter", ("MPI_Barrier",)),
            (4.5, "begun", ()),
            (5.0, "ended", ("MPI_Barrier", (0, 1), 0)),
            (5.0, "leave", ("MPI_Barrier",)),
            (5.0, "leave", ("main",)),
        )

    def worker(rank: int) -> list[tuple]:
        busy = 4.0 - rank
        return [
            (1.0, "enter", ("!$omp parallel",)),
            (busy, "enter", ("!$omp implicit barrier",)),
            (4.0, "leave", ("!$omp implicit barrier",)),
            (4.0, "leave", ("!$omp parallel",)),
        ]

    events = {(rank, 0): master(rank) for rank in range(2)} | {(rank, 1): worker(rank) for rank in range(2)}
    experiment = load(write(tmp_path / "archive", events))
    values = experiment.exclusive("path_time")
    found = {
        (path.region.name, place.process, place.thread): pytest.approx(seconds)
        for path, row in zip(experiment.call_paths, values.tolist(), strict=True)
        for place, seconds in zip(experiment.locations, row, strict=True)
        if seconds
    }
    assert found == {("main", 0, 0): 1.5, ("!$omp parallel", 0, 1): 3.0}
    assert _by_place(experiment, "wait_time") == pytest.approx({("MPI_Barrier", 1): 1.0})


PARALLEL, BARRIER = ("!$omp parallel",), ("!$omp implicit barrier",)


def _in_team(start: float, busy: float, end: float) -> list[tuple]:
    """Return what a thread does in a parallel region, in which it is busy for some seconds and then waits."""
    return [
        (start, "enter", PARALLEL),
        (start + busy, "enter", BARRIER),
        (end, "leave", BARRIER),
        (end, "leave", PARALLEL),
    ]


def test_threads_that_are_slow_in_turn_are_no_imbalance_of_ranks(tmp_path: Path) -> None:
    """Both threads work for 8 s in total; in each of 4 parallel regions, one is busy for 3 s, the other for 1 s."""
    starts = [1.0 + 3.0 * number for number in range(4)]

    def events(rank: int, thread: int) -> list[tuple]:
        found = []
        for number, start in enumerate(starts):
            team = _in_team(start, 3.0 if (number + rank) % 2 == thread else 1.0, start + 3.0)
            found += team if thread else [(start, "forked", (2,)), *team, (start + 3.0, "joined", ())]
        if thread:
            return found
        barrier = (("begun", ()), ("ended", ("MPI_Barrier", (0, 1), 0)), ("leave", ("MPI_Barrier",)))
        last = [(13.0, "enter", ("MPI_Barrier",)), *((13.0, *each) for each in barrier)]
        return _instant(*found, *last, (13.0, "leave", ("main",)))

    everyone = ((rank, thread) for rank in (0, 1) for thread in (0, 1))
    experiment = load(write(tmp_path / "archive", {each: events(*each) for each in everyone}))
    assert sum(_by_place(experiment, "path_time").values()) == pytest.approx(13.0)
    assert _by_place(experiment, "team_time") == pytest.approx({(*PARALLEL, rank): 12.0 for rank in (0, 1)})
    found = analyze(experiment)
    path = found.explanation.serialisation
    assert path is not None
    assert not path.beyond.any()
    assert [each.is_of_teams for each in found.verdict.findings if each.kind is Kind.IMBALANCE] == [True]


def test_ranks_that_are_slow_in_turn_are_not_one_after_another(tmp_path: Path) -> None:
    """The ranks exchange messages after each step; the path has no more steps than each rank has."""
    programs = []
    for rank in (0, 1):
        steps = (
            (work("w", 2.0 if (step + rank) % 2 else 1.0), send(1 - rank), receive(1 - rank)) for step in range(20)
        )
        programs.append([each for step in steps for each in step])
    experiment = _loaded(tmp_path, programs)
    assert sum(_by_place(experiment, "path_time").values()) == pytest.approx(40.0)
    assert sum(each for (name, _), each in _by_place(experiment, "path_visits").items() if name == "w") == 20
    assert [each.kind for each in analyze(experiment).verdict.findings] == [Kind.IMBALANCE]


def test_what_a_thread_did_in_its_team_before_it_called_mpi_is_on_the_path_once(tmp_path: Path) -> None:
    """The first thread works for 3 s, of which 2 s are before the ranks' barrier; the second one works for 4 s."""

    def master(rank: int) -> list[tuple]:
        return _instant(
            (1.0, "forked", (2,)),
            (1.0, "enter", PARALLEL),
            (3.0, "enter", ("MPI_Barrier",)),
            (3.0, "begun", ()),
            (3.0, "ended", ("MPI_Barrier", (0, 1), 0)),
            (3.0, "leave", ("MPI_Barrier",)),
            (4.0, "enter", BARRIER),
            (5.0, "leave", BARRIER),
            (5.0, "leave", PARALLEL),
            (5.0, "joined", ()),
            (5.0, "leave", ("main",)),
        )

    events = {(rank, 0): master(rank) for rank in range(2)}
    experiment = load(write(tmp_path / "archive", events | {(rank, 1): _in_team(1.0, 4.0, 5.0) for rank in range(2)}))
    assert sum(_by_place(experiment, "path_time").values()) == pytest.approx(5.0)
    assert _by_place(experiment, "team_time") == pytest.approx({(*PARALLEL, rank): 4.0 for rank in (0, 1)})


def test_clocks_that_contradict_each_other_leave_no_path_and_one_line(tmp_path: Path) -> None:
    events = of_ranks(run([[work("w", 1.0), send(1)], [receive(0)]]))
    file = write(tmp_path / "archive", events, shift=(0.5, 0.0))
    experiment = load(file)
    assert "path_time" not in experiment
    (said,) = [each for each in experiment.notes.remarks if "critical path" in each]
    assert "the ranks' clocks differ: a message was received 500 ms before it was sent" in said


def test_what_is_received_at_the_moment_at_which_it_is_sent_is_followed(tmp_path: Path) -> None:
    received = _instant((1.0, "received", (1, 0)), (3.0, "leave", ("main",)))  # read before the other rank's events
    sent = _instant((1.0, "sent", (0, 0)), (2.0, "leave", ("main",)))
    experiment = load(write(tmp_path / "archive", {(0, 0): received, (1, 0): sent}))
    assert _length(experiment) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("programs", "expected"),
    [
        ([[work("w", 1.0)], [work("w", 2.0)]], "contains neither received messages nor collectives"),
        ([[work("w", 1.0), send(1)], [work("w", 2.0)]], "contains neither received messages nor collectives"),
    ],
)
def test_an_archive_without_messages_has_no_path_and_says_so(
    tmp_path: Path, programs: list[list[tuple]], expected: str
) -> None:
    experiment = _loaded(tmp_path, programs)
    assert "path_time" not in experiment
    (said,) = [each for each in experiment.notes.remarks if "critical path" in each]
    assert said.startswith("the critical path is not known: the archive") and expected in said


def test_a_send_or_a_member_without_a_record_leaves_no_path(tmp_path: Path) -> None:
    events = run([[work("w", 1.0), send(1), collective("MPI_Barrier", (0, 1))], [receive(0), *_BARRIER]])
    for kind, waiting in {"sent": 2, "ended": 1}.items():
        left = of_ranks([[each for each in events[0] if each[1] != kind], events[1]])
        experiment = load(write(tmp_path / kind, left))
        assert "path_time" not in experiment
        (said,) = [each for each in experiment.notes.remarks if "critical path" in each]
        assert said.endswith(f"messages or ranks that are not in the archive: {waiting}")


_BARRIER = [collective("MPI_Barrier", (0, 1))]


def test_messages_that_nobody_received_are_told_of(tmp_path: Path) -> None:
    experiment = _loaded(tmp_path, [[work("w", 1.0), send(1), *_BARRIER], _BARRIER])
    assert _length(experiment) == pytest.approx(1.0)
    said = "the critical path may be longer: in the archive, 1 message has no matching receive"
    assert said in experiment.notes.remarks


def test_one_process_has_no_path_and_nothing_is_said(tmp_path: Path) -> None:
    experiment = _loaded(tmp_path, [[work("w", 1.0)]])
    assert "path_time" not in experiment
    assert not any("critical path" in each for each in experiment.notes.remarks)


def test_the_source_says_what_busy_time_is(tmp_path: Path) -> None:
    experiment = _loaded(tmp_path, [[work("w", 1.0), *_BARRIER], _BARRIER])
    assert experiment.metric("path_time").source.startswith("derived:wall_time outside MPI and OpenMP waits")
