"""Generated programs have the specified faults, whatever the load of the machine; and scores are right."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autoanalyzer.experiment import Experiment, load

from .case import CONTROL, PRINTERS, Case, case_of, case_of_kinds, kind_of, language_of
from .faults import KINDS
from .job import Job, environment
from .judge import judged
from .kept import Kept, kept_in
from .key import Key
from .program import FIELD, RECORD, Place, Position, Printed, Work, messages
from .score import score

TINY = 0.01  # seconds that a rank computes
RANKS, STEPS = 2, 4
CACHE = "L1=32K/8/64,L2=1M/8/64"  # for the same misses on every machine


def run_with_probes(folder: Path, case: Case, counters: str = "none", cache: str = "") -> tuple[str, Experiment]:
    """Run a case with probes; return its output and the recorded experiment."""
    printed = case.printed()
    job = Job(folder, case.faulty, case.language)
    job.write(printed)
    job.build(printed)
    said = job.record(counters=counters, cache=cache)
    return said, load(folder / "out" / "experiment.cube")


def rows(experiment: Experiment, printed: Printed, phase: str, loop: int | None) -> list[int]:
    """Return the rows of the call paths of a procedure, or of a loop in it."""
    places = {Position(Path(each.file).name, each.line) for each in printed.positions[phase, loop]}
    regions = [each.region for each in experiment.call_paths]
    return [row for row, each in enumerate(regions) if Position(Path(each.file).name, each.first_line) in places]


@pytest.fixture
def forked(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a job's commands of the tool in forks, which saves the time that Python takes to start."""

    def do(job: Job, words: Sequence[str]) -> str:
        own = dict(environment(job.program.threads).items() - os.environ.items())
        done = replace(tool, folder=job.folder)(*words, env=own)
        assert done.returncode == 0, done.stderr.decode()
        printed: str = done.stdout.decode()
        return printed

    monkeypatch.setattr(Job, "do", do)


@pytest.mark.parametrize("language", PRINTERS)
@pytest.mark.nightly  # by day, the counts of one program in C
@pytest.mark.usefixtures("forked")
def test_a_program_prints_the_same_with_probes_and_holds_each_fault_where_it_is_said_to_be(tmp_path, language):
    case = case_of_kinds((*KINDS,), language, seed=len(language), seconds=TINY, steps=STEPS, ranks=RANKS)
    printed = case.printed()
    (tmp_path / "plain").mkdir()
    plain = Job(tmp_path / "plain", case.faulty, language)
    plain.write(printed)
    plain.build(printed, probes=False)
    said, experiment = run_with_probes(tmp_path, case)
    assert said == plain.run()
    assert said.startswith("total ")
    regions = {Position(Path(each.region.file).name, each.region.first_line) for each in experiment.call_paths}
    key = Key.of(case, printed, cured=False, counted=False)
    for truth, places in zip(case.truths, key.places, strict=True):
        assert regions & {*places}, truth
        assert truth.loop is None or rows(experiment, printed, truth.phase, truth.loop), truth
    moved, read = experiment.inclusive("mpi_bytes"), experiment.inclusive("io_bytes")
    by_kind = {truth.kind: (truth, rows(experiment, printed, truth.phase, truth.loop)) for truth in case.truths}
    first_threads = [column for column, each in enumerate(experiment.locations) if each.thread == 0]
    for kind, values, once in (
        ("volume", moved, 2 * 8 * FIELD),
        ("small-messages", moved, 2 * 8),
        ("file-io", read, 2 * 8 * RECORD),
    ):
        truth, here = by_kind[kind]
        (phase,) = (each for each in case.faulty.phases if each.name == truth.phase)
        assert truth.loop is not None
        turns = phase.loops[truth.loop].turns[0]
        sums = [values[here, column].sum() for column in first_threads]
        planted = [turns * case.faulty.steps * once] * RANKS
        if kind == "file-io" and language.startswith("f"):  # Fortran's library reads ahead
            assert planted <= sums <= [2 * each for each in planted]
        else:
            assert sums == planted, kind
    for phase in case.faulty.phases:
        passed = [each for some in messages(phase.tail, RANKS) for each in some]
        if not passed or phase.place is Place.HEADER:  # such a procedure may be inlined
            continue
        here = rows(experiment, printed, phase.name, None)
        for name, sends in (("mpi_bytes_sent", True), ("mpi_bytes_received", False)):
            peers = [each.peers for each in passed if each.sends is sends]
            planted = [
                8 * STEPS * sum(each[of % 2 * RANKS + rank] >= 0 for each in peers for of in range(phase.passes))
                for rank in range(RANKS)
            ]
            assert [*experiment.inclusive(name)[here].sum(axis=0)[first_threads]] == planted, phase


def test_ranks_execute_and_miss_what_was_planted(tmp_path):
    kinds = ("slow", "groups", "ramp", "uneven", "growing", "serial", "late-sender", "l1")
    case = case_of_kinds(kinds, "c", seed=3, seconds=TINY, steps=STEPS, ranks=RANKS)
    printed = case.printed()
    _, experiment = run_with_probes(tmp_path, case, "simulated", CACHE)
    executed, misses, accesses = (experiment.inclusive(each) for each in ("instructions", "l1_misses", "l1_accesses"))
    for truth in case.truths:
        (row,) = rows(experiment, printed, truth.phase, truth.loop)
        (phase,) = (each for each in case.faulty.phases if each.name == truth.phase)
        assert truth.loop is not None
        loop = phase.loops[truth.loop]
        steps = case.faulty.steps
        turns = [
            steps * each + more * steps * (steps - 1) // 2
            for each, more in zip(loop.turns, loop.more or (0,) * RANKS, strict=True)
        ]
        each_turn = max(executed[row]) / max(turns)
        assert list(executed[row]) == pytest.approx([each * each_turn for each in turns], rel=0.05, abs=2000), truth
        rate = misses[row].sum() / accesses[row].sum()
        assert rate > 0.5 if loop.work is Work.CHASE else rate < 0.15
    key = Key.of(case, printed, cured=False, counted=True)
    key.save(tmp_path)
    assert tmp_path in kept_in(tmp_path.parent)
    run = Kept.opened(tmp_path, counts=False)
    assert "l1_misses" not in run.experiment
    with_counts, without = judged(Kept.opened(tmp_path)), judged(run)
    assert with_counts.key == key
    assert [hit.truth for hit in with_counts.score.hits] == [*case.truths]
    assert [hit.truth for hit in without.score.hits] == [each for each in case.truths if each.kind != "l1"]
    assert not any(each["root_causes"] for each in without.found["disparity"]["classes"])
    assert 0 < run.busiest([key.steps]) <= run.elapsed([key.steps])
    assert run.has_path
    assert all(0 < run.on_path(places) < run.path for places in key.places)


def test_seeds_go_through_all_kinds_in_all_languages():
    pairs = {(kind_of(seed), language_of(seed)) for seed in range(4 * (len(KINDS) + 1))}
    assert pairs == {(kind, language) for kind in (*KINDS, CONTROL) for language in PRINTERS}


@pytest.mark.parametrize(("language", "most"), [("f90", 132), ("f77", 72)])
def test_no_statement_is_longer_than_a_line_may_be(language, most):
    seeds = [seed for seed in range(400, 600) if language_of(seed) == language]
    assert {kind_of(seed) for seed in seeds} == {*KINDS, CONTROL}
    texts = [text for seed in seeds for text in case_of(seed).printed().texts.values()]
    assert max(len(line) for text in texts for line in text.splitlines()) <= most


@pytest.mark.parametrize("seed", range(2 * (len(KINDS) + 1)))
def test_a_cure_changes_nothing_but_the_fault_and_no_place(seed):
    case = case_of(seed)
    assert case == case_of(seed)
    faulty, cured = case.printed(), case.printed(cured=True)
    assert (faulty == cured) is (not case.truths)
    chosen = {truth.phase for truth in case.truths}
    for before, after in zip(case.faulty.phases, case.cured.phases, strict=True):
        assert (before == after) is (before.name not in chosen)
        assert (before.name, before.place, len(before.loops)) == (after.name, after.place, len(after.loops))


def region(place: Position, *causes: str, **marks: Any) -> dict[str, Any]:
    return {
        "file": place.file,
        "line": place.line,
        "name": "loop",
        "root_causes": [*causes],
        "kind": "hot_spot",
        "clusters": [],
        "causes": [{"attribute": each} for each in causes],
        "same_work": False,
        "may_be_speed": False,
        "confidence": {"level": "high"},
        **marks,
    }


def verdict(apart: list[dict[str, Any]], clusters: list[list[int]], heavy: list[dict[str, Any]]) -> dict[str, Any]:
    differences = {"exists": bool(apart), "cccr": apart, "clusters": clusters, "severity": 0.5, "noise": False}
    disparity = {"exists": bool(heavy), "cccr": heavy}
    return {"dissimilarity": differences, "disparity": disparity, "findings": [*apart, *heavy]}


def test_a_verdict_is_right_only_with_place_ranks_and_cause():
    case = case_of(next(seed for seed in range(1000) if len(case_of(seed).truths) == 1 and kind_of(seed) == "groups"))
    (truth,) = case.truths
    key = Key.of(case, case.printed(), cured=False, counted=True)
    place = key.places[0][0]
    clusters = [[int(rank) for rank in each] for each in truth.groups]

    def scored(*found: Any) -> Any:
        return score(verdict(*found), key)

    here = region(place, "instructions")
    assert scored([here], clusters, []).faultless
    assert not scored([here], [[0], [1, 2, 3]], []).faultless
    assert not scored([region(place, "l1_miss_rate")], clusters, []).faultless
    assert not scored([region(Position(place.file, 1), "instructions")], clusters, []).faultless
    assert not scored([], [[0, 1, 2, 3]], []).faultless
    assert scored([here], clusters, [region(Position(place.file, 1), kind="memory")]).causes
    assert not scored([here], clusters, [region(Position(place.file, 1), "l2_miss_rate")]).causes
    elsewhere = Position(place.file, 1)
    assert scored([here, region(elsewhere)], clusters, []).imbalances
    unsure = scored([here, region(elsewhere, confidence={"level": "low"})], clusters, [])
    assert unsure.hedged
    assert not unsure.imbalances


def test_misses_of_all_ranks_are_not_asked_of_times():
    case = case_of(next(seed for seed in range(1000) if len(case_of(seed).truths) == 1 and kind_of(seed) == "l1"))
    for counted in (True, False):
        key = Key.of(case, case.printed(), cured=False, counted=counted)
        assert [hit.found for hit in score(verdict([], [], []), key).hits] == [False] * counted


def test_of_the_places_of_a_fault_the_one_that_has_a_gain_is_judged():
    kind = "alternating"
    case = case_of(next(seed for seed in range(1000) if kind_of(seed) == kind and case_of(seed).truths[0].alone))
    key = Key.of(case, case.printed(), cured=False, counted=False)
    (loop, around), *_ = key.places
    waits, works = region(around, waiting=True), region(loop, one_after_another=True, gain=0.1)
    (hit,) = score(verdict([], [], [waits, works]), key).hits
    assert (hit.cause, hit.gain) == (True, 0.1)
