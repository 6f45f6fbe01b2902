from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.run.compute_time import compute_time
from autoanalyzer.analyze.run.foreign_metrics import in_own_names
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Builder, Experiment, select
from autoanalyzer.experiment.algebra import difference, mean, merge, ratio, stddev, total


def foreign(**metrics: str) -> Experiment:
    """Two ranks: the second one takes twice as long in ``work``, and both spend 1 s in MPI."""
    made = Builder()
    for name, unit in metrics.items():
        made.metric(name, unit, source="imported:Score-P 1.1")
    main = made.call_path("main")
    work, send = made.call_path("work", main), made.call_path("MPI_Send", main)
    for rank in range(2):
        made.location(rank)
    for name in metrics:
        made.row(name, work, [2.0, 4.0]).row(name, send, [1.0, 1.0])
    return made.experiment()


def test_time_is_wall_time_and_what_is_in_functions_of_mpi_is_time_in_mpi():
    ours = in_own_names(foreign(time="sec"))
    assert ours.exclusive("wall_time").tolist() == [[0, 0], [2, 4], [1, 1]]
    assert ours.exclusive("mpi_time").tolist() == [[0, 0], [0, 0], [1, 1]]
    assert ours.metric("wall_time").source == "imported:Score-P 1.1"


def test_the_volume_of_mpi_is_what_was_sent_and_received_unless_it_was_measured():
    apart = in_own_names(foreign(time="sec", bytes_sent="", bytes_rcvd="bytes"))
    assert apart.exclusive("mpi_bytes").tolist() == [[0, 0], [4, 8], [2, 2]]
    together = in_own_names(foreign(time="sec", bytes_sent="bytes", bytes="bytes"))
    assert together.exclusive("mpi_bytes").tolist() == together.exclusive("mpi_bytes_sent").tolist()


def test_the_analysis_finds_what_it_finds_in_our_own_and_says_what_is_lacking():
    findings = analyze(foreign(time="sec", visits="occ"))
    assert findings.dissimilarity.clusters == ((0,), (1,))
    assert findings.run.program_time == pytest.approx(5.0)
    assert findings.experiment.notes.remarks[0] == (
        "imported: wall time from time, CPU time from time, time in MPI from MPI regions; "
        "missing: MPI volume, I/O volume, counts of instructions and misses"
    )


def test_what_calls_no_mpi_lacks_time_in_it():
    made = foreign(time="sec")
    paths = [replace(path, region=path.region._replace(name=f"f{path.region.name}")) for path in made.call_paths]
    ours = in_own_names(made.replaced(call_paths=paths))
    assert not ours.exclusive("mpi_time").any()
    assert ours.notes.remarks[0].startswith("imported: wall time from time, CPU time from time; missing: time in MPI, ")


def test_an_experiment_of_ours_stays_as_it_is():
    ours = in_own_names(foreign(time="sec"))
    assert in_own_names(ours) is ours


def test_without_any_time_the_analysis_names_what_there_is():
    with pytest.raises(InputError, match="found visits"):
        analyze(foreign(visits="occ"))


def test_a_time_in_another_unit_is_not_taken_for_wall_time():
    with pytest.raises(InputError, match=r"expected wall time \(time, in sec\) .*, found time \(usec\)"):
        analyze(foreign(time="usec"))


def test_values_are_not_read_before_they_are_needed():
    experiment = foreign(time="sec", bytes="bytes")
    ours = in_own_names(experiment)
    experiment.exclusive("time")[:] = np.nan
    assert np.isnan(ours.exclusive("wall_time")).all()


@pytest.mark.parametrize(
    ("operation", "words"),
    [(difference, "a difference"), (ratio, "a ratio"), (stddev, "a standard deviation")],
)
@pytest.mark.parametrize("own", [False, True])
def test_what_is_no_run_gets_no_verdict(operation, words, own):
    run = foreign(time="sec", visits="occ")
    made = in_own_names(run) if own else run
    with pytest.raises(InputError, match=f"expected a run, found {words} of runs"):
        analyze(operation(made, made))


@pytest.mark.parametrize(
    ("operation", "words"), [(difference, "a difference"), (ratio, "a ratio"), (stddev, "a standard deviation")]
)
@pytest.mark.parametrize("own", [False, True])
def test_what_is_computed_from_what_is_no_run_is_none(operation, words, own):
    run = foreign(time="sec", visits="occ")
    made = in_own_names(run) if own else run
    found = operation(made, made)
    for again in (mean(found), select(total(found, found), processes=[0, 1])):
        with pytest.raises(InputError, match=f"expected a run, found {words} of runs"):
            analyze(again)


def test_a_mean_of_runs_and_a_run_with_deviations_beside_it_are_analysed():
    run = in_own_names(foreign(time="sec"))
    assert analyze(mean(run, run)).run.program_time == pytest.approx(5.0)
    assert analyze(merge(run, stddev(run, run))).run.program_time == pytest.approx(5.0)
    assert analyze(merge(mean(run, run), stddev(run, run))).run.program_time == pytest.approx(5.0)


def test_negative_time_is_refused():
    made = Builder()
    made.metric("wall_time")
    made.metric("cpu_time")
    made.metric("mpi_cpu_time", parent="cpu_time")
    main = made.call_path("main")
    work = made.call_path("work", main)
    for rank in range(2):
        made.location(rank)
    made.row("wall_time", main, [2.0, 2.0]).row("wall_time", work, [1.0, -0.5]).row("cpu_time", work, [1.0, 1.0])
    with pytest.raises(InputError, match="expected wall_time of a run, found a negative time on rank 1"):
        analyze(made.experiment())


def scalasca(barrier: float = 1.0) -> Experiment:
    """One process with two threads; the second one is idle while the first is outside the parallel region."""
    made = Builder()
    for name, parent in (
        ("time", None),
        ("execution", "time"),
        ("mpi", "execution"),
        ("omp_time", "execution"),
        ("omp_idle_threads", "time"),
    ):
        made.metric(name, "sec", parent=parent, source="imported:CUBE")
    main = made.call_path("main")
    parallel = made.call_path("!$omp parallel @a.f:3", main)
    waiting = made.call_path("!$omp implicit barrier @a.f:9", parallel)
    for thread in range(2):
        made.location(0, thread)
    for name in ("time", "execution"):
        made.row(name, parallel, [3.0, 2.0]).row(name, waiting, [0.0, barrier])
    made.row("time", main, [4.0, 4.0]).row("execution", main, [4.0, 0.0]).row("omp_idle_threads", main, [0.0, 4.0])
    return made.row("omp_time", parallel, [0.5, 0.0]).experiment()


def test_barriers_of_openmp_are_no_computing_whatever_the_tool_counts_as_openmp():
    ours = in_own_names(scalasca())
    assert compute_time(ours).tolist() == [[4, 0], [2.5, 2], [0, 0]]
    assert "time in OpenMP from omp_time and barriers" in ours.notes.remarks[0]
    bare = in_own_names(select(scalasca(), metrics=["time"]))
    assert bare.exclusive("omp_time").tolist() == [[0, 0], [0, 0], [0, 1]]


def test_time_that_idle_threads_are_in_is_not_taken_for_computing_where_a_cut_left_out_what_was_executed():
    cut = select(scalasca(), metrics=["time", "mpi"])
    assert cut.notes.left_out == {"execution": "time", "omp_time": "time", "omp_idle_threads": "time"}
    for part in (cut, select(cut, metrics=["time"]), mean(cut, cut)):
        assert "cpu_time" not in in_own_names(part)
        with pytest.raises(
            InputError,
            match=r"expected CPU time \(execution, in sec\).* cannot be derived from time, .*: repeat the cut",
        ):
            analyze(part)
    kept = in_own_names(select(scalasca(), metrics=["time", "execution"]))
    assert kept.exclusive("cpu_time")[0].tolist() == [4, 0]


def test_metrics_of_another_tool_that_lack_are_called_what_that_tool_calls_them():
    expected = r"expected wall time \(time, in sec\) and CPU time \(execution or time, in sec\), found mpi \(sec\)$"
    with pytest.raises(InputError, match=expected):
        analyze(select(scalasca(), metrics=["mpi"]))


def _cut_without_waiting(threads: int) -> Experiment:
    made = Builder()
    parents = {"wall_time": None, "cpu_time": None, "mpi_cpu_time": "cpu_time", "omp_cpu_time": "cpu_time"}
    for name, parent in parents.items():
        made.metric(name, parent=parent)
    work = made.call_path("work", made.call_path("main"))
    for thread in range(threads):
        made.location(0, thread)
    for name in ("wall_time", "cpu_time"):
        made.row(name, work, [1.0] * threads)
    return select(made.experiment(), metrics=["wall_time", "cpu_time", "mpi_cpu_time"])


def test_waiting_that_a_cut_left_out_of_our_own_cpu_time_is_not_taken_for_computing():
    with pytest.raises(InputError, match="missing: omp_cpu_time"):
        analyze(_cut_without_waiting(threads=2))


def test_one_thread_has_no_waiting_that_a_cut_can_leave_out():
    assert analyze(_cut_without_waiting(threads=1)).run.program_time == pytest.approx(1.0)


def test_what_the_library_does_below_a_call_of_mpi_is_the_calls_own():
    """The verdict names the MPI call in the program, and no function inside the library."""
    made = Builder()
    for name, unit in (("time", "sec"), ("visits", "occ")):
        made.metric(name, unit, source="imported:Score-P 1.1")
    main = made.call_path("main")
    work, send = made.call_path("work", main), made.call_path("MPI_Send", main)
    progress = made.call_path("progress", send)
    poll = made.call_path("poll", progress)
    made.location(0)
    for path, seconds, visits in ((work, 1.0, 1), (send, 0.5, 2), (progress, 0.5, 5), (poll, 3.0, 9)):
        made.row("time", path, [seconds]).row("visits", path, [visits])
    findings = analyze(made.experiment())
    assert findings.experiment.exclusive("wall_time")[:, 0].tolist() == [0, 1, 4, 0, 0]
    assert findings.experiment.exclusive("mpi_time")[:, 0].tolist() == [0, 0, 4, 0, 0]
    assert findings.experiment.exclusive("visits")[:, 0].tolist() == [0, 1, 2, 5, 9]
    named = [findings.run.weighed.regions[each].id for each in findings.culprits_by_weight]
    assert named == [send, work]
