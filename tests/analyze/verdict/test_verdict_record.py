"""The record of a verdict: its order, its kinds, and the parts of each finding's time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.verdict import Finding, Gain, Kind, Wait, Why
from autoanalyzer.analyze.verdict.ranking import each_place_once
from autoanalyzer.experiment import Region
from autoanalyzer.view.verdict import verdict_lines
from autoanalyzer.view.verdict.reasons import reasons

PRICES = {
    "instruction_independent": 0.1e-9,
    "instruction_dependent": 0.6e-9,
    "l1_miss_chased": 4e-9,
    "l2_miss_chased": 100e-9,
}


def chase(make_experiment, load=1.0, missing=0.1, cycles=1.4e9):
    """Return a hash join, which has few instructions and mostly misses both caches, beside code that only computes."""
    counts = {
        "instructions": {"join": [2e8] * 2, "calm": [2e9] * 2},
        "ref_cycles": {"join": [cycles * load] * 2, "calm": [1e9 * load] * 2},
        "l1_accesses": {"join": [1e8] * 2, "calm": [5e8] * 2},
        "l1_misses": {"join": [missing * 1e8] * 2, "calm": [1e5] * 2},
        "l2_accesses": {"join": [missing * 1e8] * 2, "calm": [1e5] * 2},
        "l2_misses": {"join": [missing * 0.5e8] * 2, "calm": [1e4] * 2},
    }
    made = make_experiment({"join": [0.7 * load] * 2, "calm": [0.5 * load] * 2}, **counts)
    return made.replaced(notes=replace(made.notes, prices=PRICES))


@pytest.mark.parametrize("load", [1.0, 1.3])
def test_what_mostly_waits_for_memory_is_that_on_a_busy_machine_too_and_nothing_is_said_of_instructions(
    load, make_experiment
):
    findings = analyze(chase(make_experiment, load))
    first = findings.verdict.findings[0]
    assert (first.kind, first.causes[0].attribute) == (Kind.MEMORY, "l2_miss_rate")
    assert first.gain is not None
    seconds = {each.attribute: each.seconds for each in first.causes}
    (join,) = [i for i, each in enumerate(findings.run.weighed.regions) if each.id == first.region.id]
    account = findings.account
    assert seconds["l2_miss_rate"] == pytest.approx(account.inclusive["l2_misses"][join])
    text = " ".join(" ".join(verdict_lines(findings)).split())
    assert " in cache misses why: L2 misses: " in text
    assert "do less work" not in text


@pytest.mark.parametrize(("cycles", "kind"), [(1.9, Kind.HOT_SPOT), (2.1, Kind.MEMORY)])
def test_a_walk_whose_misses_are_fetched_ahead_is_no_matter_of_memory(cycles, kind, make_experiment):
    findings = analyze(chase(make_experiment, cycles=cycles * 2e8))
    kinds = {findings.experiment.path_name(each.region.id): each.kind for each in findings.verdict.findings}
    assert kinds["join"] is kind


def test_what_hardly_misses_is_a_hot_spot_whose_instructions_are_said(make_experiment):
    findings = analyze(chase(make_experiment, missing=0.002))
    kinds = {each.region.id: each.kind for each in findings.verdict.findings}
    assert set(kinds.values()) == {Kind.HOT_SPOT}
    assert "of the program's 4.4e9 instructions" in " ".join(verdict_lines(findings, everything=True))


def test_the_largest_gain_is_first_then_the_largest_share_and_each_place_is_there_once(make_experiment):
    times = {"a": [1.0, 1.4], "b": [1.0, 3.0], "c": [5.0, 5.0], "d": [4.0, 4.0]}
    counts = {name: [1e9 * each for each in row] for name, row in times.items()}
    found = analyze(make_experiment(times, instructions=counts)).verdict.findings
    assert [each.region.id for each in found] == [2, 1, 3, 4]
    assert [each.gain is None for each in found] == [False, False, True, True]


@pytest.mark.parametrize(
    ("instructions", "misses", "causes"),
    [
        ([2e8, 2e8, 2e8, 4e8], [1e7, 1e7, 1e7, 2e7], ["instructions"]),  # twice the work has twice the misses
        ([2e8] * 4, [1e6, 1e6, 1e6, 6e7], ["l2_miss_rate"]),
        ([2e8, 2e8, 2e8, 4e8], [1e6, 1e6, 1e6, 2e7], ["l2_miss_rate"]),  # both differ, but misses take longer
        ([0.0, 0.0, 0.0, 4e8], [0.0, 0.0, 0.0, 6e7], ["instructions"]),  # the other ranks do nothing here
    ],
)
def test_more_work_is_told_from_slower_work_by_seconds(instructions, misses, causes, make_experiment):
    time = [1e-10 * work + 1e-8 * miss for work, miss in zip(instructions, misses, strict=True)]
    counts = {
        "instructions": {"join": instructions, "calm": [2e9] * 4},
        "ref_cycles": {"join": [each * 2e9 for each in time], "calm": [4e8] * 4},
        "l1_accesses": {"join": [each / 2 for each in instructions], "calm": [5e8] * 4},
        "l1_misses": {"join": misses, "calm": [1e5] * 4},
        "l2_accesses": {"join": misses, "calm": [1e5] * 4},
        "l2_misses": {"join": misses, "calm": [1e4] * 4},
    }
    made = make_experiment({"join": time, "calm": [0.2] * 4}, **counts)
    findings = analyze(made.replaced(notes=replace(made.notes, prices=PRICES)))
    (uneven,) = [each for each in findings.verdict.findings if each.groups]
    assert [each.attribute for each in findings.causes_of_differences[uneven.difference]][: len(causes)] == causes
    largest = findings.causes_of_differences[uneven.difference][0]
    assert largest.seconds is not None and largest.share is not None
    more = time[3] - sum(time[:3]) / 3
    assert largest.seconds / largest.share == pytest.approx(more, rel=0.05)
    assert largest.share >= 0.7


def test_what_tells_ranks_apart_at_an_unknown_price_comes_before_time_that_no_price_explains(make_experiment):
    misses = [1e6, 1e6, 1e6, 6e7]
    time = [2e-2 + 1e-8 * miss for miss in misses]
    counts = {
        "instructions": {"join": [2e8] * 4, "calm": [2e9] * 4},
        "ref_cycles": {"join": [each * 2e9 for each in time], "calm": [4e8] * 4},
        "l1_accesses": {"join": [1e8] * 4, "calm": [5e8] * 4},
        "l1_misses": {"join": misses, "calm": [1e5] * 4},
    }
    made = make_experiment({"join": time, "calm": [0.2] * 4}, **counts)
    cheap = {**PRICES, "l1_miss_chased": 1e-10, "l2_miss_chased": 1e-10}
    findings = analyze(made.replaced(notes=replace(made.notes, prices=cheap)))
    (uneven,) = [each for each in findings.verdict.findings if each.groups]
    assert [(each.attribute, each.seconds is None) for each in findings.causes_of_differences[uneven.difference]] == [
        ("l1_miss_rate", True),
        ("unexplained", False),
    ]
    assert uneven.gain is not None
    assert uneven.gain.parts[0].why is Why.FASTEST
    assert "why: L1 miss rates differ: 60 % on rank 3 against 1.0 % on ranks 0-2" in " ".join(verdict_lines(findings))


def test_what_a_region_does_is_its_largest_parts_in_order_and_no_decision_table_is_asked(make_experiment):
    findings = analyze(chase(make_experiment, cycles=3.8e8))  # a walk, which does not stall
    (join,) = [each for each in findings.verdict.findings if findings.experiment.path_name(each.region.id) == "join"]
    (region,) = [i for i, each in enumerate(findings.run.weighed.regions) if each.id == join.region.id]
    of_account = {"l2_miss_rate": "l2_misses", "l1_miss_rate": "l1_misses", "instructions": "instructions"}
    parts = {name: findings.account.inclusive[part][region] for name, part in of_account.items()}
    largest = sorted((name for name in parts if parts[name] >= 0.25 * 0.7), key=lambda name: -parts[name])
    assert [(each.attribute, each.seconds) for each in join.causes] == [(name, parts[name]) for name in largest]
    assert (join.kind, join.gain, join.level) == (Kind.HOT_SPOT, None, "high")
    verdict_lines(findings, everything=True)
    assert not {"disparity_causes", "dissimilarity_causes"} & findings.__dict__.keys()


def test_threads_have_seconds_of_what_they_differ_by(make_experiment):
    times = {"serial": [1.0, 0.0, 1.0, 0.0], "loop@3": [2.0, 2.0, 2.0, 6.0]}
    counts = {path: [1e9 * each for each in row] for path, row in times.items()}
    uneven = analyze(make_experiment(times, threads=2, instructions=counts)).verdict.findings[0]
    (cause,) = uneven.causes
    assert (uneven.slowest, cause.attribute, cause.seconds, cause.share) == (("1.1",), "instructions", 4.0, 1.0)


@pytest.mark.parametrize("waits", [False, True])
def test_a_hot_spot_around_another_one_is_kept_if_ranks_wait_for_it(waits, make_experiment):
    found = analyze(make_experiment({"work": [9.0] * 2, "step": [0.1] * 2, "step/kernel": [1.0] * 2}))
    regions = {found.experiment.path_name(each.id): each for each in found.run.weighed.regions}
    step, kernel = (Finding(Kind.HOT_SPOT, regions[name], share=1.0) for name in ("step", "step/kernel"))
    step = replace(step, waits=(Wait(Region("mpi", "MPI_Barrier"), 0.1),) if waits else ())
    kept = each_place_once(found, [step, kernel])
    assert [each.region.id for each in kept if each.region] == ([2, 3] if waits else [3])
    slow = replace(kernel, gain=Gain(5.0, 0.5))
    late = replace(kernel, kind=Kind.LATE, gain=Gain(1.0, 0.1), waits=step.waits)
    (merged,) = each_place_once(found, [slow, late])
    assert (merged.kind, merged.waits) == (Kind.HOT_SPOT, step.waits)


def test_a_time_that_is_said_of_one_call_path_is_not_the_gain_of_all(make_experiment):
    times = {"a": [0.0] * 2, "a/send": [0.0] * 2, "b": [0.0] * 2, "b/send": [0.0] * 2, "calm": [1.0] * 2}
    of = {"a/send": 0.6, "b/send": 0.5}
    wall, volume = ({path: [scale * each] * 2 for path, each in of.items()} for scale in (1.0, 4e8))
    calls = {path: [2.0] * 2 for path in of}
    made = make_experiment(times, mpi_time=wall, mpi_calls=calls, mpi_bytes=volume)
    paths = list(made.call_paths)
    paths[4] = replace(paths[4], region=paths[2].region)
    text = " ".join(" ".join(verdict_lines(analyze(made.replaced(call_paths=paths)))).split())
    assert "600 ms of wall time per rank; one of 2 call paths; for all: 1.1 s in data transfer on average" in text


def test_a_transfer_names_the_call_that_moves_most_and_its_bytes_per_call(make_experiment):
    times = {"move": [0.0] * 2, "move/MPI_Bcast": [0.0] * 2, "move/MPI_Barrier": [0.0] * 2, "calm": [1.0] * 2}
    calls = {"move/MPI_Bcast": [20.0] * 2, "move/MPI_Barrier": [20.0] * 2}
    volume, wall = {"move/MPI_Bcast": [2e8] * 2}, {"move/MPI_Bcast": [0.5] * 2}
    made = make_experiment(times, mpi_time=wall, mpi_calls=calls, mpi_bytes=volume, mpi_cpu_time=wall)
    without = [
        replace(each, region=Region("mpi", each.region.name)) if each.region.kind == "mpi" else each
        for each in made.call_paths
    ]
    with_lines = [replace(each, line=41) for each in without]
    for paths, said in ((made.call_paths, ""), (with_lines, "; MPI_Bcast (app.c:41) transfers 400 MB"), (without, "")):
        findings = analyze(made.replaced(call_paths=paths))
        assert findings.verdict.findings[0].kind is Kind.TRANSFER
        text = " ".join(" ".join(verdict_lines(findings)).split())
        assert f", 10 MB per MPI call{said} try: " in text  # the title contains the place, if known


@pytest.mark.parametrize(
    ("cycles", "level", "said"), [(1.9, "high", "the region executes"), (2.1, "medium", "why: unknown")]
)
def test_instructions_that_hardly_wait_explain_a_hot_spot_in_its_record_and_in_words(
    cycles, level, said, make_experiment
):
    counts = {
        "instructions": {"slow": [2e8] * 2, "calm": [2e9] * 2},
        "cycles": {"slow": [cycles * 2e8] * 2, "calm": [1e9] * 2},
    }
    found = analyze(make_experiment({"slow": [1.0] * 2, "calm": [1.0] * 2}, **counts))
    (slow,) = (each for each in found.verdict.findings if found.experiment.path_name(each.region.id) == "slow")
    assert (slow.kind, slow.level) == (Kind.HOT_SPOT, level)
    assert any(said in line for line, _ in reasons(found, slow))


@pytest.mark.parametrize(("size", "cause"), [(9.9e3, "io_calls"), (10.1e3, "io_bytes")])
def test_files_are_a_matter_of_calls_where_these_move_little_each(size, cause, make_experiment):
    files = {"io_time": {"dump": [1.0] * 2}, "io_calls": {"dump": [2e4] * 2}, "io_bytes": {"dump": [2e4 * size] * 2}}
    written = {"io_bytes_written": files["io_bytes"], "io_bytes_read": {}}
    found = analyze(make_experiment({"dump": [0.1] * 2, "calm": [1.0] * 2}, **files, **written))
    first = found.verdict.findings[0]
    assert (first.kind, [each.attribute for each in first.causes]) == (Kind.FILE_IO, [cause])
    said = " ".join(" ".join(verdict_lines(found, everything=True)).split())
    assert ("why: file I/O: 4.0e4 writes of 9.9 kB try: collect the pieces in a buffer" in said) == (
        cause == "io_calls"
    )


@pytest.mark.parametrize(("seconds", "is_slow"), [(1.9, False), (2.1, True)])
def test_files_that_take_longer_than_their_calls_and_bytes_are_synchronised_too_often(
    seconds, is_slow, make_experiment
):
    """On the slowest disk, 1,000 calls take 0.1 s, and 90 MB take 0.9 s."""
    for written, is_advised in ((9e7, is_slow), (0.0, False)):
        files = {"io_time": seconds, "io_calls": 1e3, "io_bytes": 9e7, "io_bytes_written": written}
        of_dump = {name: {"dump": [each] * 2} for name, each in files.items()}
        made = make_experiment({"dump": [0.1] * 2, "calm": [1.0] * 2}, **of_dump)
        said = " ".join(" ".join(verdict_lines(analyze(made), everything=True)).split())
        assert ("try: close, flush and synchronise files less often" in said) == is_advised
        assert ("try: read and write less data, in larger pieces" in said) == (not is_advised)


@pytest.mark.parametrize(("files", "kind"), [(0.01, Kind.HOT_SPOT), (0.03, Kind.FILE_IO)])
def test_what_is_called_from_everywhere_and_mostly_reads_or_writes_says_so(files, kind, make_experiment):
    """A function has 40 callers, each of which takes little time."""
    callers = [f"f{number}" for number in range(40)]
    times = {name: [0.1] * 2 for name in callers} | {f"{name}/log": [0.02] * 2 for name in callers}
    of = {"io_time": files, "io_calls": 1e3, "io_bytes": 96e3, "io_bytes_written": 96e3}
    more = {metric: {f"{name}/log": [each] * 2 for name in callers} for metric, each in of.items()}
    made = make_experiment(times, **more)
    paths = [
        replace(each, region=Region("function", "log", "app.c", "log", 0, 9, 9)) if each.region.name == "log" else each
        for each in made.call_paths
    ]
    found = analyze(made.replaced(call_paths=paths))
    (log,) = (each for each in found.verdict.findings if each.procedure)
    assert log.kind is kind
    if kind is Kind.FILE_IO:
        assert log.gain is not None
        assert log.gain.seconds == pytest.approx(40 * files)
        assert ("why: file I/O: 8.0e4 writes of 96 B", Kind.FILE_IO) in reasons(found, log)


@pytest.mark.parametrize(("kernel", "is_known"), [([0.02, 0.02, 0.02, 0.15], True), ([0.02, 0.02, 0.02, 0.05], False)])
def test_time_in_the_kernel_is_a_cause_without_counts_where_it_is_most_of_the_difference(
    kernel, is_known, make_experiment
):
    time = [0.1, 0.1, 0.1, 0.26]
    findings = analyze(make_experiment({"join": time, "calm": [0.2] * 4}, system_time={"join": kernel}, page_faults={}))
    (uneven,) = [each for each in findings.verdict.findings if each.groups]
    causes = [(each.attribute, each.seconds) for each in findings.causes_of_differences[uneven.difference]]
    assert causes == ([("system_time", pytest.approx(0.13, rel=0.01))] if is_known else [])
