"""The critical path of a run, from the data that its ranks recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment.delay import Delay
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather import shard_layout as layout
from autoanalyzer.runtime.gather.critical_path import CriticalPath, PathRecords, said_of_path
from autoanalyzer.runtime.gather.merge import merge_shards
from autoanalyzer.runtime.gather.recorded_metrics import path_metrics
from autoanalyzer.runtime.gather.shard_reader import read_shard

from ..conftest import compiled, recorded

NOBODY = 0xFFFFFFFF
OFFSETS = (10, 20, 30)  # offsets of each process's nodes, all of its first thread

Entry = tuple[int, int, int, float]
Records = npt.NDArray[np.void]


def record(kind: str, *entries: Entry, **fields: Any) -> Records:
    """Return a record with entries (rank, node, what, work); each has up to 1000 visits."""
    made = np.zeros(1, layout.PATH_LAYOUT)
    made["kind"], made["count"] = layout.PATH_KINDS.index(kind), len(entries)
    for place, (rank, node, what, work) in enumerate(entries):
        made["entries"][0, place] = (rank, node, what, min(int(work), 1000), work)
    for name, value in fields.items():
        made[name] = value
    return made


def process(
    *records: Records, state: str = "known", counted: bool = True, lost: int = 0, left_out: str = ""
) -> PathRecords:
    return PathRecords(
        state=state,
        counted=counted,
        messages=0,
        seconds=0.0,
        lost=lost,
        left_out=frozenset(left_out.split()),
        records=np.concatenate([np.zeros(0, layout.PATH_LAYOUT), *records]),
        offsets=np.array(OFFSETS, np.int64),
        places=np.array([(0, node) for node in range(len(OFFSETS))], np.int32),
    )


def table(path: CriticalPath, which: int, field: str) -> dict[int, float]:
    """Return a field of a process's nodes by their numbers, if not 0."""
    return {int(row["node"]): float(row[field]) for row in path.of(which) if row[field]}


def test_parts_that_any_rank_keeps_are_given_to_the_ranks_whose_nodes_they_name() -> None:
    path = CriticalPath(
        {
            0: process(record("total", (0, 10, 0, 5), (1, 20, 0, 7))),
            1: process(record("total", (0, 10, 0, 1), (1, 20, 0, 2)), record("total", (1, 30, 0, 4))),
        }
    )
    assert path.is_known
    assert (table(path, 0, "path"), table(path, 1, "path")) == ({0: 6}, {1: 9, 2: 4})
    assert path.unknown == 0


def test_the_longest_chain_at_the_end_goes_on_in_segments_of_several_ranks() -> None:
    path = CriticalPath(
        {
            0: process(
                record("chain", (0, 10, 0, 3), length=3),
                record("segment", (0, 10, 0, 20), (1, 10, 0, 30), number=77),
                record("segment", (0, 30, 0, 1000), number=78),
            ),
            1: process(
                record("chain", (1, 20, 0, 6), length=256, rank=1, segment=99),
                record("segment", (0, 20, 0, 200), number=99, rank=0, segment=77),
            ),
        }
    )
    assert (table(path, 0, "path"), table(path, 1, "path")) == ({0: 20, 1: 200}, {0: 30, 1: 6})
    assert (table(path, 0, "visits"), table(path, 1, "visits")) == ({0: 20, 1: 200}, {0: 30, 1: 6})


def test_segments_that_name_each_other_are_read_once() -> None:
    path = CriticalPath(
        {
            0: process(
                record("chain", (0, 10, 0, 1), length=7, rank=0, segment=5),
                record("segment", (0, 20, 0, 2), number=5, rank=0, segment=6),
                record("segment", (0, 30, 0, 4), number=6, rank=0, segment=5),
            )
        }
    )
    assert table(path, 0, "path") == {0: 1, 1: 2, 2: 4}


def test_a_part_that_was_kept_goes_on_in_its_segment() -> None:
    path = CriticalPath(
        {
            0: process(record("total", (0, 10, 0, 3), (1, 0, 44, 0))),
            1: process(record("segment", (1, 10, 0, 5), number=44)),
        }
    )
    assert (table(path, 0, "path"), table(path, 1, "path")) == ({0: 3}, {0: 5})


def test_waiting_is_the_waiting_nodes_and_the_delay_of_the_late_ones() -> None:
    path = CriticalPath(
        {
            0: process(record("delay", (1, 20, 10, 8), (1, 30, 10, 2), (NOBODY, 0, 10, 1))),
            1: process(record("message_delay", (0, 30, 20, 4))),
        }
    )
    assert (table(path, 0, "wait"), table(path, 1, "wait")) == ({0: 11}, {1: 4})
    assert (table(path, 0, "delay"), table(path, 1, "delay")) == ({2: 4}, {1: 8, 2: 2})
    assert [(each.waiting, each.late, each.amount, each.by_message) for each in path.waits()] == [
        ((0, 0, 0), (1, 0, 1), 8, False),
        ((0, 0, 0), (1, 0, 2), 2, False),
        ((1, 0, 1), (0, 0, 2), 4, True),
    ]


def test_what_names_no_node_or_no_process_is_unknown() -> None:
    path = CriticalPath({0: process(record("total", (0, 10, 0, 5), (0, 11, 0, 1), (7, 10, 0, 2), (NOBODY, 0, 0, 4)))})
    assert table(path, 0, "path") == {0: 5}
    assert path.unknown == 7


@pytest.mark.parametrize(
    ("state", "counted", "stored"),
    [("known", False, True), ("missed", False, True), ("known", True, False), ("too_dear", False, False)],
)
def test_the_slowest_threads_of_teams_are_stored_if_they_were_timed_to_the_end(
    state: str, counted: bool, stored: bool
) -> None:
    teams = process(record("team", (0, 20, 0, 2e9), (0, 30, 0, 3e9)), state=state, counted=counted)
    path = CriticalPath({0: teams})
    names = [each.name for each in path_metrics(counted=path.counted, has_teams=path.has_teams)]
    assert table(path, 0, "team") == ({1: 2e9, 2: 3e9} if counted else {1: 2, 2: 3})
    assert ("team_time" in names) == stored


def test_a_path_that_was_given_up_is_partial() -> None:
    states = ("known", "missed", "too_dear")
    assert [process(state=each).is_partial for each in states] == [False, False, True]


def test_delays_are_read_once() -> None:
    read: list[str] = []

    class Watched(PathRecords):
        def entries(self, kind: str) -> Records:
            read.append(kind)
            return super().entries(kind)

    made = process(record("delay", (0, 20, 10, 8)), record("message_delay", (0, 30, 20, 4)))
    path = CriticalPath({0: Watched(**{each.name: getattr(made, each.name) for each in fields(made)})})
    assert len([*path.waits()]) == 2
    assert (read.count("delay"), read.count("message_delay")) == (1, 1)


def test_times_are_seconds_and_instructions_are_as_they_are() -> None:
    timed = CriticalPath({0: process(record("total", (0, 10, 0, 5e9)), counted=False)})
    counted = CriticalPath({0: process(record("total", (0, 10, 0, 5e9)))})
    assert table(timed, 0, "path") == {0: pytest.approx(5)}
    assert table(timed, 0, "visits") == {0: 1000}
    assert table(counted, 0, "path") == {0: 5e9}


@pytest.mark.parametrize(
    ("states", "state", "known"),
    [
        (["known", "known"], "known", True),
        (["known", "alone"], "alone", False),
        (["too_dear", "too_dear"], "too_dear", True),
        (["known", "missed"], "missed", True),
        (["missed", "alone"], "alone", False),
        ([], "not_asked", False),
    ],
)
def test_the_path_is_known_as_well_as_the_process_that_knows_least(
    states: Sequence[str], state: str, known: bool
) -> None:
    path = CriticalPath({number: process(state=each) for number, each in enumerate(states)})
    assert (path.state, path.is_known) == (state, known)


def test_it_is_said_why_the_path_is_not_known_or_not_all_of_it() -> None:
    known, alone = process(), process(state="alone", lost=3)
    assert list(said_of_path([])) == []
    assert list(said_of_path([known, known])) == []
    assert list(said_of_path([known, alone])) == [
        "the critical path is not known: some processes were not recorded, or the processes do not share a folder"
    ]
    assert list(said_of_path([process(state="sessions")])) == [
        "the critical path is not known: the program started MPI with MPI_Session_init alone, without MPI_Init"
    ]
    assert list(said_of_path([process(state="too_dear", lost=3), process(state="too_dear", lost=1)])) == [
        "the critical path is known only for the beginning of the run: it was recorded until the probe library's "
        "messages took more time than --max-overhead allows (to record the whole path, use --path always)",
        "entries on the critical path without a region, because memory ran short: 4",
    ]
    assert list(said_of_path([known, process(state="missed"), known])) == [
        "the critical path may be longer: on 1 of 3 ranks a message of the probe library did not arrive, so these"
        " ranks stopped following the messages that they received"
    ]
    assert list(said_of_path([known, process(left_out="locks"), process(left_out="strangers locks")])) == [
        "the critical path may be longer, because it does not follow one-sided communication with locks (MPI_Win_lock),"
        " communication with processes of another MPI_COMM_WORLD (MPI_Comm_spawn)"
    ]


# Rank 1 works for longer than either rank did before.
LATE = """
#include <mpi.h>
#include <time.h>
static double used(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}
int main(int argc, char **argv) {
    int rank;
    double before = used(), initialised, most;
    MPI_Init(&argc, &argv);
    initialised = used();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    before += used() - initialised;
    MPI_Allreduce(&before, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (double end = used() + 2 * most; rank == 1 && used() < end;)
        ;
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
"""


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record two ranks, one of which is late; return the folder."""
    folder = tmp_path_factory.mktemp("late")
    (folder / "late.c").write_text(LATE)
    program = compiled("mpicc.openmpi", str(folder / "late.c"), folder)
    recorded(["mpirun.openmpi", "-n", "2", str(program)], folder, AUTOANALYZER_PATH="always")
    return folder


def test_a_rank_that_is_late_is_on_the_path_of_a_recorded_run(late: Path) -> None:
    shards = [read_shard(path) for path in sorted((late / "shards").glob("*.shard"))]
    experiment = merge_shards(shards, RunFacts())
    totals = {name: experiment.inclusive(name).sum(axis=0)[:2] for name in ("path_time", "delay_time", "wait_time")}
    assert totals["path_time"].argmax() == totals["delay_time"].argmax() == 1
    assert totals["wait_time"].argmax() == 0
    assert isinstance(experiment.notes.delays[0], Delay)
    assert experiment.notes.remarks == ()


def test_processes_that_were_alone_leave_a_remark_and_no_metric(late: Path) -> None:
    shards = [read_shard(path) for path in sorted((late / "shards").glob("*.shard"))]
    assert shards[0].chains is not None
    shards[0] = replace(shards[0], chains=replace(shards[0].chains, state="alone"))
    experiment = merge_shards(shards, RunFacts())
    assert "path_time" not in experiment
    assert experiment.notes.delays == ()
    assert experiment.notes.remarks[-1].startswith("the critical path is not known: ")


def test_wrong_records_of_a_path_are_one_line(late: Path, tmp_path: Path) -> None:
    (shard, *_) = sorted((late / "shards").glob("*.shard"))
    data = bytearray(shard.read_bytes())
    found = data.find(
        np.array([layout.PATH_RECORD | layout.PATH_LAYOUT.itemsize // layout.ALIGNMENT << 16], "u4").tobytes(),
        layout.HEADER_LAYOUT.itemsize,
    )
    assert found > 0 and found % layout.ALIGNMENT == 0
    count = found + layout.PATH_LAYOUT.fields["count"][1]
    data[count : count + 4] = np.array([layout.PATH_ENTRIES + 1], "u4").tobytes()
    (tmp_path / "wrong.shard").write_bytes(data)
    with pytest.raises(InputError, match=r"expected a shard with valid parts of a critical path, .* 1 invalid"):
        read_shard(tmp_path / "wrong.shard")
