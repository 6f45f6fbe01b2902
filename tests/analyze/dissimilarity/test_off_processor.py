"""Ranks with equal busy time, one of which delays the others while it is off the core."""

from dataclasses import replace

import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.analyze.verdict import Kind, LostTo
from autoanalyzer.experiment import Experiment
from autoanalyzer.view.verdict import verdict_lines
from autoanalyzer.view.verdict.reasons import reasons

ALIKE = {"compute": [1.0] * 4, "compress": [0.001] * 4}
WAITS = {"compute": [2.0, 0.0, 2.0, 2.0]}
ASLEEP = {"compress": [0.0, 2.0, 0.0, 0.0]}


def sleeping(make_experiment, times=ALIKE, *, off=ASLEEP, mpi_time=WAITS, delay=(0.0,) * 4, **others) -> Experiment:
    known = {"mpi_start_end_time": {"compute": [0.0] * 4}, **others}
    made = make_experiment(times, off=off, mpi_time=mpi_time, **known)
    return made.replaced(notes=replace(made.notes, run_delay={str(rank): each for rank, each in enumerate(delay)}))


def found(findings: Findings) -> tuple[str, list[str]]:
    paths = [findings.vectors.regions[culprit].id for culprit in findings.dissimilarity.culprits]
    return findings.vectors.metric, [findings.experiment.path_name(path) for path in paths]


def test_a_rank_that_sleeps_while_others_wait_is_found_where_it_does(make_experiment):
    findings = analyze(sleeping(make_experiment))
    assert found(findings) == ("off_processor_time", ["compress"])
    assert findings.dissimilarity.clusters == ((0, 2, 3), (1,))
    lines = verdict_lines(findings)
    assert any("off the core: rank 1: 2 s; ranks 0, 2-3: nearly nothing" in line for line in lines)
    assert "    why: asleep, or waiting for a child process or a slow device" in lines
    assert not any("--exclude-rank" in line for line in lines)


@pytest.mark.parametrize(
    "changed",
    [
        {"off": {"compress": [2.0] * 4}},
        {"off": {"compute": [0.0, 1.0, 0.0, 0.0]}, "delay": (0.0, 1.0, 0.0, 0.0)},
        {"off": {"compute": [2.0] * 4, "compress": [0.0, 0.005, 0.0, 0.0]}, "delay": (2.0, 2.005, 2.0, 2.0)},
        {"off": {"compress": [0.0, 0.04, 0.0, 0.0]}},
        {"mpi_time": {"compute": [0.1] * 4}},
    ],
    ids=["all alike", "another is on its processor", "all computing is stretched", "not for long", "nobody waits"],
)
def test_other_ranks_are_alike(make_experiment, changed):
    findings = analyze(sleeping(make_experiment, **changed))
    assert (findings.vectors.metric, findings.dissimilarity.exists) == ("compute_time", False)


def test_a_rank_whose_processor_is_shared_throughout_is_not_asleep(make_experiment):
    times = {"compute": [1.0] * 4, "compress": [0.2] * 4}
    off = {"compute": [0.0, 2.0, 0.0, 0.0], "compress": [0.0, 0.6, 0.0, 0.0]}
    assert not analyze(sleeping(make_experiment, times, off=off, delay=(0.0, 2.6, 0.0, 0.0))).dissimilarity.exists


def test_who_sleeps_is_found_where_all_take_turns(make_experiment):
    off = {"compute": [3.0, 2.5, 2.0, 4.0], "compress": [0.0, 2.0, 0.0, 0.0]}
    made = sleeping(make_experiment, off=off, delay=(3.2, 2.6, 2.1, 4.1))
    findings = analyze(made.replaced(notes=replace(made.notes, processors=2)))
    assert found(findings) == ("off_processor_time", ["compress"])
    assert any("off the core: rank 1: 1.9 s; " in line for line in verdict_lines(findings))


def test_what_polls_in_mpi_had_its_part_of_others_turns(make_experiment):
    polls = {"mpi_cpu_time": {"MPI_Wait": [1.0] * 4}}
    off = {"MPI_Wait": [-1.0] * 4, "compute": [2.0] * 4, **ASLEEP}  # CPU time in MPI is part of MPI time
    times, mpi_time = {"MPI_Init": [0.0] * 4, "MPI_Wait": [1.0] * 4, **ALIKE}, {"MPI_Wait": [4.5, 2.5, 4.5, 4.5]}
    findings = analyze(
        sleeping(make_experiment, times, off=off, mpi_time=mpi_time, delay=(5.5, 3.5, 5.5, 5.5), **polls)
    )
    assert found(findings) == ("off_processor_time", ["compress"])
    assert any("off the core: rank 1: 2 s; " in line for line in verdict_lines(findings))


def test_what_all_do_is_no_difference_where_others_turns_may_have_been_while_mpi_started(make_experiment):
    calls = {"mpi_time": {"MPI_Init": [1.0] * 4, **WAITS}, "mpi_start_end_time": {"MPI_Init": [1.0] * 4}}
    times, off = {"MPI_Init": [0.0] * 4, **ALIKE}, {"compress": [1.0] * 4, "compute": [4.0] * 4}
    made = sleeping(make_experiment, times, off=off, delay=(4.8, 4.1, 4.8, 4.8), **calls)
    assert not analyze(made).dissimilarity.exists


def test_who_sleeps_while_mpi_starts_is_asleep_nowhere_else(make_experiment):
    start = [0.5, 2.5, 0.5, 0.5]
    calls = {"mpi_time": {"MPI_Init": start, **WAITS}, "mpi_start_end_time": {"MPI_Init": start}}
    times = {"MPI_Init": [0.5] * 4, "compute": [1.0] * 4}
    off = {"MPI_Init": [-0.5] * 4, "compute": [2.0] * 4}  # CPU time in MPI is part of MPI time
    polls = {"mpi_cpu_time": {"MPI_Init": [0.5] * 4}}
    made = sleeping(make_experiment, times, off=off, delay=(2.0,) * 4, **calls, **polls)
    assert not analyze(made).dissimilarity.exists


def test_who_alone_waits_for_its_files_holds_others_up(make_experiment):
    io = {"io_time": {"compress": [0.0, 2.0, 0.0, 0.0]}, "io_cpu_time": {"compress": [0.0] * 4}}
    alone = sleeping(make_experiment, off={}, **io, io_bytes={"compress": [0.0, 1e8, 0.0, 0.0]})
    assert found(analyze(alone)) == ("off_processor_time", ["compress"])
    all_of_them = sleeping(make_experiment, off={}, **io, io_bytes={"compress": [1e8] * 4})
    assert not analyze(all_of_them).dissimilarity.exists


def test_who_may_have_taken_turns_is_not_judged_which_is_said(make_experiment):
    plain = sleeping(make_experiment)
    findings = analyze(plain.replaced(notes=replace(plain.notes, processors=3, run_delay={"0": 0.0})))
    assert not findings.dissimilarity.exists
    assert any(
        line.startswith("not judged: rank 1 is off the core for 2 s in compress (app.c:2), ")
        for line in verdict_lines(findings)
    )


def test_a_main_thread_that_waits_for_its_own_threads_is_not_asleep(make_experiment):
    times = {"join": [0.0] * 4, "worker": [0.0, 1.0, 0.0, 1.0]}
    experiment = make_experiment(times, threads=2, off={"join": [1.0, 0, 2.0, 0]}, mpi_time={"join": [1.0, 0, 0, 0]})
    assert not analyze(experiment).dissimilarity.exists


def test_what_is_asked_for_is_compared(make_experiment):
    assert not analyze(sleeping(make_experiment), metric="compute_time").dissimilarity.exists


def test_a_rank_that_sleeps_accounts_for_all_that_is_not_busy_and_its_reason_is_known(make_experiment):
    path = {"compute": [1.0, 0.0, 0.0, 0.0], "compress": [0.001, 0.0, 0.0, 0.0]}
    followed = {name: {"compute": [0.0] * 4} for name in ("wait_time", "delay_time")}
    made = sleeping(
        make_experiment, mpi_time={"compute": [2.0, 0.0, 2.0, 2.0]}, path_time=path, mpi_bytes={}, **followed
    )
    findings = analyze(made.replaced(notes=replace(made.notes, processors=8)))
    assert findings.vectors.metric == "off_processor_time"
    (asleep,) = (each for each in findings.verdict.findings if each.kind is Kind.IMBALANCE)
    number = findings.verdict.findings.index(asleep) + 1
    assert [(each.to, each.seconds, each.findings, each.is_all) for each in findings.verdict.lost] == [
        (LostTo.TRANSFER, pytest.approx(1.5), (number,), True),
        (LostTo.ASLEEP, pytest.approx(0.5), (number,), True),
    ]
    assert [line for line, _ in reasons(findings, asleep) if line.startswith("why: ")] == [
        "why: asleep, or waiting for a child process or a slow device"
    ]
    assert "next: autoanalyzer analyze --account" not in " ".join(verdict_lines(findings, everything=True))


def test_a_rank_that_is_off_the_core_in_file_io_is_not_asleep(make_experiment):
    files = {"io_time": {"compress": [0.0, 2.0, 0.0, 0.0]}, "io_bytes": {"compress": [0.0, 2e9, 0.0, 0.0]}}
    findings = analyze(sleeping(make_experiment, off={}, io_cpu_time={"compress": [0.0] * 4}, **files))
    assert findings.vectors.metric == "off_processor_time"
    first, *_ = (line for line, _ in reasons(findings, findings.verdict.findings[0]) if line.startswith("why: "))
    assert first.startswith("why: file I/O differs")
