"""Threads that queue for a lock or meet too often, judged by counts and busy time, so the load does not matter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.analyze.run.thread_waits import waits_by_path
from autoanalyzer.experiment import Experiment, Notes
from autoanalyzer.experiment.algebra import mean
from autoanalyzer.experiment.thread_wait import ThreadWait
from autoanalyzer.view.findings_json import findings_document
from autoanalyzer.view.verdict import verdict_lines

THREADS = 4
EACH = dict.fromkeys(range(THREADS))


def team(make_experiment: Any, *, waited: float, visits: float = 1, busy: float = 1.0) -> Experiment:
    """Return a process with a parallel region, in which each thread is busy and waits for the given times."""
    everyone = [1.0] * THREADS
    made = make_experiment(
        {"serial": [1.0, 0, 0, 0], "team": [busy + waited] * THREADS},
        threads=THREADS,
        omp_time={"team": [waited] * THREADS},
        omp_cpu_time={"team": [waited] * THREADS},
        visits={"": [1, 0, 0, 0], "serial": [1, 0, 0, 0], "team": [visits * each for each in everyone]},
    )
    root, serial, inside = made.call_paths
    inside = replace(inside, region=inside.region._replace(kind="parallel", name="parallel@2"))
    return made.replaced(call_paths=(root, serial, inside))


def wait(made: Experiment, kind: str, *, entries: int, contended: int = 0, seconds: float = 0.0) -> ThreadWait:
    """Return waits that are the same in each thread."""

    def of_each(value: float) -> tuple[float, ...]:
        return tuple(value for _ in EACH)

    region = made.call_paths[2].region.descriptor
    counts = of_each(entries), of_each(contended)
    return ThreadWait(region, kind, "app.c", 7, 1, tuple(EACH), *counts, of_each(seconds), of_each(seconds))


def found(
    made: Experiment, *waits: ThreadWait, processors: int = THREADS, cores: int = THREADS, **prices: float
) -> Findings:
    calibrated = {"cores": str(cores)}
    notes = Notes(thread_waits=waits, processors=processors, prices=prices, calibrated=calibrated)
    return analyze(made.replaced(notes=notes))


def two_teams(make_experiment: Any) -> Experiment:
    """Return two parallel regions: an uneven one that is entered 10 times, and a short one, entered 100,000 times."""
    uneven, short = [4.0, 1, 1, 1], [0.5] * THREADS
    rest, brief = [0.0, 3, 3, 3], [0.1] * THREADS
    waited = {"long/meet": rest, "short/meet": brief}
    made = make_experiment(
        {"long": short, "long/meet": [4.0] * THREADS, "short": short, "short/meet": [0.6] * THREADS},
        threads=THREADS,
        omp_time=waited,
        omp_cpu_time=waited,
        visits={
            "": [1, 0, 0, 0],
            **{path: [10.0] * THREADS for path in ("long", "long/meet")},
            **{path: [1e5] * THREADS for path in ("short", "short/meet")},
        },
    )
    assert (made.exclusive("cpu_time")[2] - rest).tolist() == uneven
    root, *paths = made.call_paths
    paths = [replace(each, region=each.region._replace(kind="parallel")) for each in paths[::2]]
    return made.replaced(
        call_paths=(root, paths[0], made.call_paths[2], paths[1], replace(made.call_paths[2], parent=3))
    )


def kinds(findings: Findings) -> list[str]:
    return [each.kind for each in findings.verdict.findings if each.kind in ("lock", "barriers")]


@pytest.mark.parametrize(("contended", "expected"), [(249, []), (250, ["lock"])])
def test_a_lock_is_a_queue_if_a_quarter_of_the_entries_find_it_taken(make_experiment, contended, expected):
    made = team(make_experiment, waited=0.5)
    findings = found(made, wait(made, "critical", entries=1000, contended=contended, seconds=0.5))
    assert kinds(findings) == expected


def test_a_queue_says_where_how_often_and_what_it_saves(make_experiment):
    made = team(make_experiment, waited=0.5)
    findings = found(made, wait(made, "critical", entries=1000, contended=900, seconds=0.5))
    (queue,) = (each for each in findings.verdict.findings if each.kind == "lock")
    assert queue.gain is not None
    assert queue.gain.seconds == pytest.approx(0.5)
    assert [(each.attribute, each.seconds) for each in queue.causes] == [("locks", pytest.approx(0.5))]
    said = " ".join(" ".join(verdict_lines(findings)).split())
    assert "why: threads queue at critical (app.c:7): 3600 of 4000 entries had to wait" in said
    assert "try: combine the threads' results" in said
    assert "a thread waits 500 ms on average" in said


def test_where_threads_share_cores_a_queue_stays_a_finding_without_a_saving(make_experiment):
    made = team(make_experiment, waited=0.5)
    waits = wait(made, "lock", entries=1000, contended=900, seconds=0.5)
    findings = found(made, waits, processors=2)
    (queue,) = (each for each in findings.verdict.findings if each.kind == "lock")
    assert (queue.gain, queue.level) == (None, "medium")
    few = wait(made, "lock", entries=9, contended=9, seconds=0.5)  # others may have had the holder's core meanwhile
    assert kinds(found(made, few, processors=2)) == []
    assert kinds(found(made, few)) == ["lock"]


@pytest.mark.parametrize("processors", [2, THREADS])
@pytest.mark.parametrize(("barriers", "expected"), [(30_000, []), (36_000, ["barriers"])])
def test_barriers_are_too_many_by_the_work_between_them(make_experiment, barriers, expected, processors):
    made = team(make_experiment, waited=0.5)
    waits = wait(made, "barrier", entries=barriers, seconds=0.5)
    assert kinds(found(made, waits, processors=processors)) == expected
    for price, of_machine in ((1e-6, []), (2e-5, ["barriers"])):
        for cores in (2, THREADS, 8):
            assert kinds(found(made, waits, processors=processors, cores=cores, omp_barrier=price)) == of_machine
        for cores in (1, 64):  # barriers take a different time there
            assert kinds(found(made, waits, processors=processors, cores=cores, omp_barrier=price)) == expected


def test_ends_of_parallel_regions_are_barriers(make_experiment):
    made = team(make_experiment, waited=0.5, visits=40_000)
    findings = found(made)
    assert kinds(findings) == ["barriers"]
    assert "why: 4.0e4 barriers per thread, 25 us of work before each" in " ".join(
        " ".join(verdict_lines(findings)).split()
    )


def test_barriers_of_a_function_belong_to_the_regions_that_call_it_as_often(make_experiment):
    made = two_teams(make_experiment)
    findings = found(made, wait(made, "barrier", entries=100_010, seconds=3.1 / THREADS))
    (barriers,) = (each for each in findings.verdict.findings if each.kind == "barriers")
    assert barriers.region is not None
    assert barriers.region.id == 3
    assert "why: 2.0e5 barriers per thread, 5 us of work before each" in " ".join(
        " ".join(verdict_lines(findings)).split()
    )


@pytest.mark.parametrize(("kind", "entries"), [("barrier", {2: 100_010}), ("lock", {2: 10, 4: 100_000})])
def test_a_barrier_counts_only_where_threads_wait(make_experiment, kind, entries):
    made = two_teams(make_experiment)
    waited = made.exclusive("omp_time").copy()
    waited[4] = 0
    made = made.replaced(
        severities={each.name: made.exclusive(each.name) for each in made.metrics} | {"omp_time": waited},
        notes=Notes(thread_waits=(wait(made, kind, entries=100_010, seconds=1.0),)),
    )
    shared = waits_by_path(made)
    assert {path: each.entries[0] for path, (each,) in shared.items()} == pytest.approx(entries)
    assert {path: each.seconds[0] for path, (each,) in shared.items()} == {**dict.fromkeys(entries, 0.0), 2: 1.0}


def test_a_queue_at_a_lock_of_a_function_is_one_finding_of_all_its_call_paths(make_experiment):
    made = two_teams(make_experiment)
    findings = found(made, wait(made, "lock", entries=100_010, contended=50_000, seconds=2.3))
    (queue,) = (each for each in findings_document(findings, Path("x.cube"))["findings"] if each["kind"] == "lock")
    assert queue["call_paths"] == [2, 4]
    (lock,) = queue["thread_waits"]
    assert {name: lock[name] for name in ("entries", "contended", "seconds", "mean")} == pytest.approx(
        {"entries": 400_040, "contended": 200_000, "seconds": 9.2, "mean": 2.3}
    )


def test_an_imbalance_of_threads_says_which_wait_and_where(make_experiment):
    made = team(make_experiment, waited=2.0)
    busy, waited = np.array([3.0, 1.0, 1.0, 1.0]), np.array([0.0, 2.0, 2.0, 0.1])
    rows = {"cpu_time": busy + waited, "wall_time": busy + waited, "omp_time": waited, "omp_cpu_time": waited}
    severities = {name: made.exclusive(name).copy() for name in (metric.name for metric in made.metrics)}
    for name, row in rows.items():
        severities[name][2] = row
    made = made.replaced(severities=severities)
    document = findings_document(found(made), Path("x.cube"))
    assert [each["waiting_threads"] for each in document["findings"][:1]] == [{"0.1": 2.0, "0.2": 2.0}]
    said = " ".join(" ".join(document["verdict"]).split())
    assert "threads 0.1-0.2 wait for thread 0.0: 2 s on average, at the region's end" in said
    shared = " ".join(" ".join(verdict_lines(found(made, processors=2))).split())
    assert "threads 0.1-0.2 wait for thread 0.0, at the region's end" in shared  # or for a core
    barrier = found(made, wait(made, "barrier", entries=9, seconds=1.0))
    assert "2 s on average, at barrier (app.c:7)" in " ".join(" ".join(verdict_lines(barrier)).split())


def test_waiting_in_openmp_is_split_in_the_account(make_experiment):
    made = team(make_experiment, waited=0.5)
    account = found(
        made, wait(made, "critical", entries=9, seconds=0.25), wait(made, "barrier", entries=9, seconds=0.125)
    ).account
    parts = {name: float(account.own[name].sum()) for name in account.parts if name.startswith("omp")}
    assert parts == pytest.approx({"omp_locks": 0.25, "omp_barriers": 0.125, "omp_waiting": 0.125})
    assert [name for name in found(made).account.parts if name.startswith("omp")] == ["omp_waiting"]


def test_the_mean_of_runs_has_the_mean_of_their_waits(make_experiment):
    made = team(make_experiment, waited=0.5)
    runs = [
        made.replaced(notes=Notes(thread_waits=(wait(made, "critical", entries=entries, seconds=seconds),)))
        for entries, seconds in ((10, 0.5), (30, 1.5))
    ]
    (of_mean,) = mean(*runs).notes.thread_waits
    assert (of_mean.entries, of_mean.seconds, of_mean.processes) == ((20.0,) * 4, (1.0,) * 4, 1)


def test_a_queue_whose_saving_is_unknown_is_sorted_by_the_time_of_its_region(make_experiment):
    made = team(make_experiment, waited=0.5, busy=2.0)
    findings = found(made, wait(made, "critical", entries=1000, contended=900, seconds=0.5), processors=2)
    first, second = findings.verdict.findings
    assert (first.kind, first.share) == ("lock", pytest.approx(2.5 / 3.5))
    assert second.kind == "hot_spot"
    said = " ".join(verdict_lines(findings))
    assert "saving unknown; threads wait for 14 % of run" in said
    assert "takes 14 % of run" not in said
