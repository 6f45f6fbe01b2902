"""What a difference of two runs says: how much, where, and on which ranks."""

from __future__ import annotations

from collections.abc import Sequence

from autoanalyzer.experiment import Builder, Experiment, Region
from autoanalyzer.experiment.algebra import difference
from autoanalyzer.view.gains import gain_entries, is_difference, total_gains

LOOP = Region("loop", "loop@28", "a.c", "work", 0, 28, 40)


def run(busy: Sequence[float], *, path: int | None, small: float = 0.0, waits: float = 0.0) -> Experiment:
    """Return ranks that are busy in a loop, one of them on the critical path, and wait in main."""
    builder = Builder()
    main = builder.call_path("main")
    loop = builder.call_path(LOOP, main)
    for rank in range(len(busy)):
        builder.location(rank)
    for name, parent in (("wall_time", None), ("cpu_time", None), ("mpi_cpu_time", "cpu_time"), ("path_time", None)):
        builder.metric(name, "sec", parent=parent)
    builder.row("wall_time", loop, busy)
    builder.row("wall_time", main, [waits] * len(busy))
    builder.row("cpu_time", loop, busy)
    for name in ("cpu_time", "mpi_cpu_time"):  # spinning is no busy time
        builder.row(name, main, [waits + small * (name == "cpu_time")] * len(busy))
    if path is not None:
        builder.row("path_time", loop, [each * (rank == path) for rank, each in enumerate(busy)])
    return builder.experiment()


def test_the_change_of_the_critical_path_comes_first_and_ranks_by_their_busy_time():
    balanced = difference(run([3, 1, 2], path=0, waits=1), run([2, 2, 2], path=1, waits=4))
    assert is_difference(balanced)
    assert total_gains(balanced) == [
        "critical path: 1 s less than before",
        "CPU time outside MPI: unchanged in total; rank 0 1 s less, rank 1 1 s more",
        "wall_time: 9 s more in total than before",
    ]
    (entry,) = gain_entries(balanced)
    assert (entry.kind, entry.where) == ("GAIN", "a.c:28  loop@28")
    assert entry.saving == "critical path: 1 s less than before"
    assert entry.lines == ["CPU time outside MPI: rank 0 1 s less, rank 1 1 s more"]
    assert (entry.highlight.metric, entry.highlight.path) == ("path_time", 1)


def test_without_a_path_what_changed_most_on_a_rank_comes_first_even_if_the_sum_is_the_same():
    balanced = difference(run([3, 1, 2], path=None, small=0.1), run([2, 2, 2], path=None))
    first, second = gain_entries(balanced)
    assert (first.kind, first.where) == ("CHANGE", "a.c:28  loop@28")
    assert first.saving == "CPU time outside MPI: unchanged in total"
    assert first.lines == ["rank 0 1 s less, rank 1 1 s more"]
    assert (second.where, second.lines) == ("main", ["ranks 0-2: 100 ms less each"])
    assert (second.highlight.metric, second.highlight.without_parts) == ("cpu_time", True)
