import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.advise import Advice, Advised
from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.critical_path.critical_path import Efficiency
from autoanalyzer.analyze.dissimilarity.work import SameWork
from autoanalyzer.analyze.verdict import Doubt, Gain, Kind, Lost, LostTo, Saved, Wait, Why
from autoanalyzer.analyze.verdict.base import Base
from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region, load
from autoanalyzer.experiment.inside import Inside, InsidePart
from autoanalyzer.experiment.throttling import reason_of
from autoanalyzer.view.account import AccountSection
from autoanalyzer.view.causes import _EVENTS as TO_TRY
from autoanalyzer.view.causes import ALONE, ONLY_HERE, SAME_WORK
from autoanalyzer.view.causes import NAMES as CAUSES
from autoanalyzer.view.explain import explanation_lines
from autoanalyzer.view.findings_json import findings_document
from autoanalyzer.view.sections import SECTIONS
from autoanalyzer.view.terminal import print_verdict
from autoanalyzer.view.units import count
from autoanalyzer.view.verdict import entries, verdict_lines
from autoanalyzer.view.verdict.waiting import who_for_whom

DATA = Path(__file__).parents[1] / "data"
NAMES = ("wall_time", "cpu_time", "mpi_cpu_time")


def experiment(*rows: list[float], notes: Notes | None = None) -> Experiment:
    """Return one loop of ``work`` per row, which contains each rank's busy time."""
    values = np.array([[0.0] * len(rows[0]), *rows])
    paths = [CallPath(Region("function", "main", "src/app.c", "main", 0, 1, 9))]
    paths += [CallPath(Region("loop", f"loop@{n}", "src/work.c", "work", n, n, n), 0) for n in range(len(rows))]
    return Experiment(
        metrics=[Metric(name, "sec") for name in NAMES],
        call_paths=paths,
        locations=[Location("m", "n", rank) for rank in range(len(rows[0]))],
        severities={"wall_time": values, "cpu_time": values, "mpi_cpu_time": np.zeros_like(values)},
        notes=notes or Notes(program="app"),
    )


def whole_lines(findings, *arguments, **options) -> list[str]:
    """Return the lines of the verdict, with wrapped lines joined."""
    lines = "\n".join(verdict_lines(findings, *arguments, **options))
    return re.sub(r"\n(?:      |  (?! ))", " ", lines).splitlines()


def test_an_imbalance_names_the_place_the_ranks_and_their_times():
    lines = verdict_lines(analyze(experiment([0.41, 0.41, 0.83, 0.83], [1.0] * 4)))
    assert lines[0] == "app   4 ranks   run 1.83 s"
    where, saved = "1 IMBALANCE   work.c  loop in work, called from app.c:1", "saves up to 210 ms (11 % of run)"
    assert lines[2] == f"{where}{saved:>{100 - len(where)}}"
    who = "ranks 2-3: 830 ms each; ranks 0-1: 410 ms each; 620 ms each if shared evenly"
    assert lines[3] == f"    {who}"
    assert lines[4] == "    why: unknown; count instructions: autoanalyzer run --counters simulated (5-20 times slower)"
    lines = verdict_lines(analyze(experiment([0.42, 0.40, 0.82, 0.84], [1.0] * 4)))
    assert lines[3] == "    ranks 2-3: 820-840 ms; ranks 0-1: 400-420 ms; 620 ms each if shared evenly"
    many = verdict_lines(analyze(experiment([0.01, 3.0, 6.0, 9.0, 12.0, 16.0], [1.0] * 6)))
    assert many[3] == "    rank 5: 16 s; rank 0: 10 ms; others in between; 7.67 s each if shared evenly"


def test_balanced_ranks_and_equal_regions_are_a_verdict_too():
    lines = verdict_lines(analyze(experiment([1.0, 1.0, 1.0])))
    assert any(line.startswith("1 HOT SPOT    work.c  loop in work") for line in lines)
    assert lines[2] == "balanced: ranks do not differ enough to matter in any region"
    assert lines[4] == "    all ranks alike: 1 s per rank"
    lines = verdict_lines(analyze(experiment([1.0, 1.0], [1.0, 1.0], [1.0, 1.0])))
    assert lines[2] == "balanced: ranks do not differ enough to matter in any region"


def test_ranks_that_are_missing_are_acquitted_of_nothing():
    lines = verdict_lines(analyze(experiment([1.0, 1.0], notes=Notes(program="app", missing=(2, 3)))))
    assert lines[0].startswith("app   2 of 4 ranks   ")
    assert (
        lines[2]
        == "balanced as far as the data of 2 of 4 ranks show: ranks do not differ enough to matter in any region"
    )
    (line,) = (each for each in verdict_lines(analyze(experiment([1.0], notes=Notes(missing=(1,)))))[:1])
    assert "1 of 2 ranks" in line


def test_a_run_in_which_nothing_weighs_has_a_document_too():
    idle = experiment([1.0, 1.0], [0.5, 0.5])
    counts = {name: np.zeros((3, 2)) for name in ("cycles", "instructions")}
    metrics = [*idle.metrics, *(Metric(name, "occ") for name in counts)]
    severities = {**{name: idle.exclusive(name) for name in NAMES}, **counts}
    nothing = {name: np.zeros((3, 2)) for name in NAMES}
    for found in (
        analyze(idle.replaced(severities=nothing)),
        analyze(idle.replaced(metrics=metrics, severities=severities), disparity_metric="cpi"),
    ):
        assert findings_document(found, Path("x"))["disparity"]["cccr"] == []


def test_a_run_too_short_is_not_judged():
    lines = verdict_lines(analyze(experiment([1e-3, 2e-3])))
    assert lines[2] == "too short to judge: expected a run of at least 10 ms; use a larger input"


def test_a_rank_that_computes_more_is_no_master():
    verdict = analyze(experiment([1.0, 3.0, 1.0])).verdict
    assert (verdict.findings[0].kind, verdict.master, verdict.computes_least) == (Kind.IMBALANCE, None, None)


def test_a_small_difference_is_put_carefully():
    lines = verdict_lines(analyze(experiment([1.0, 1.15])))
    assert lines[2].startswith("1 IMBALANCE?")
    assert any("a noisy machine can cause a difference of this size, too" in line for line in lines)


def test_a_lone_master_is_hinted_at_with_the_option_to_leave_it_out():
    lines = verdict_lines(analyze(experiment([0.0, 2.0, 2.0])))
    assert any("rank 0 computes the least" in line and "--exclude-rank 0" in line for line in lines)


def test_of_a_difference_that_noise_can_make_no_rank_is_taken_for_a_master():
    verdict = analyze(experiment([1.0, 1.0, 0.76], [1.0, 1.0, 1.0])).verdict
    assert verdict.findings[0].is_doubtful
    assert (verdict.master, verdict.computes_least) == (None, None)


def test_who_computes_most_where_ranks_differ_is_no_master():
    lines = verdict_lines(analyze(experiment([1.0, 2.0, 1.0], [9.0, 7.0, 9.0])))
    assert not any("--exclude-rank" in line for line in lines)


def test_what_is_missing_is_said():
    notes = Notes(program="app", expected_processes=4, missing=(3,), unfinished=(1, 2), repairs=7, remarks=("a", "b"))
    findings = analyze(experiment([1.0, 1.0, 1.0], notes=notes))
    first = [
        "sums are too small, because rank 3 (of 4) wrote no data",
        "the data end early: ranks 1-2 never entered MPI_Finalize",
    ]
    assert verdict_lines(findings)[-3:] == [*first, "… and 3 more warnings: autoanalyzer analyze --all"]
    third = "callers may be wrong: 7 regions were left by a jump and closed afterwards"
    assert verdict_lines(findings, everything=True)[-5:] == [*first, "a", "b", third]


@pytest.mark.parametrize("ranks", [8, 200])
def test_a_verdict_has_at_most_fifteen_lines_unless_all_are_asked_for(ranks: int):
    rng = np.random.default_rng(1)
    rows = [[float(x) for x in rng.uniform(1, 9, ranks) * (1 + row // 6)] for row in range(12)]
    findings = analyze(experiment(*rows))
    lines = verdict_lines(findings, Path("out"))
    assert len(lines) <= 15
    rest = r"… [\d-]+ not shown \(largest: IMBALANCE work\.c:\d+, saves up to [0-9.]+ m?s\): autoanalyzer analyze --all"
    assert any(re.fullmatch(rest, line) for line in lines)
    assert lines[-1] == "data: autoanalyzer view out"
    full = verdict_lines(findings, Path("out"), everything=True)
    titles = [line for line in full if re.match("[0-9]", line)]
    assert len(titles) == len(findings.verdict.findings) == len(findings.dissimilarity.culprits) > 4
    assert not any("more: analyze" in line for line in full)
    shown = [line for line in lines if re.match("[0-9]", line)]
    assert shown == titles[: len(shown)]
    assert max(map(len, full)) <= 100


def test_the_best_advice_stands_though_findings_are_left_out():
    rows = [[float(2 * row), float(row)] for row in range(1, 9)]
    lines = verdict_lines(analyze(counted(*rows, instructions=[[1e9 * each for each in row] for row in rows])))
    assert len(lines) == 15
    assert (
        lines[5] == "    try: distribute the work evenly: give ranks parts of equal cost, or hand out parts on demand"
    )


MANY = Notes(
    program="app",
    expected_processes=9,
    missing=(8,),
    unfinished=(1,),
    not_instrumented=("x", "y"),
    repairs=7,
    clocks={"cpu": "rdpmc, syscall"},
    throttled={Region("function", "tiny").descriptor: "often"},
    remarks=tuple("abcdefgh"),
)


def test_the_first_finding_and_its_advice_stand_beside_any_notes():
    rows = [[0.1, 1.0, 1.0, 1.3, 1.3], *[[0.05 * row] * 3 + [0.06 * row] * 2 for row in range(8)]]
    counts = [[1e8, 2e9, 2e9, 2e9, 2e9], *[[1e9 * each for each in row] for row in rows[1:]]]
    findings = analyze(counted(*rows, instructions=counts).replaced(notes=MANY))
    (first, *_) = entries(findings)
    lines = verdict_lines(findings, Path("out"))
    assert len(lines) <= 15
    whole = whole_lines(findings, Path("out"))
    assert whole[3:6] == [f"    {line}" for line in first.lines]
    assert first.lines[-1].startswith("try: ")
    assert lines[-2].endswith(" more warnings: autoanalyzer analyze --all")


@pytest.mark.parametrize("length", [10, 60, 90])
@pytest.mark.parametrize("warnings", [0, 2, 9])
@pytest.mark.parametrize("numbers", [(), (1,), (1, 2, 4, 6, 9)])
def test_no_verdict_has_more_than_fifteen_lines_whatever_its_names_losses_and_warnings(
    length: int, warnings: int, numbers: tuple[int, ...]
):
    name, file = "n" * length, f"{'n' * min(length, 20)}.c"
    made = counted([0.0, 1.0, 1.0, 3.0], [0.0, 2.0, 2.0, 2.0], instructions=[[0.0, 1e9, 1e9, 3e9], [0.0, *[2e9] * 3]])
    paths = [replace(each, region=each.region._replace(function=name, file=file)) for each in made.call_paths]
    remarks = tuple(f"{number} {'a long warning ' * 12}" for number in range(warnings))
    found = analyze(made.replaced(call_paths=paths, notes=Notes(program=name, remarks=remarks)))
    vars(found)["efficiency"] = Efficiency(0.3, 0.5, 0.6, 0.5, ("load_balance", "serialisation"))
    first = found.verdict.findings[0]
    large = replace(first, kind=Kind.HOT_SPOT, gain=None, groups=(), bound=1.9)
    vars(found)["verdict"] = replace(
        found.verdict,
        findings=(*[first] * 7, large, first),
        master=0,
        base=Base(4.0, is_path=True),
        lost=tuple(Lost(to, 1.0, 0.25, numbers) for to in LostTo),
        longest_wait=Wait(paths[1].region, 1.0, paths[2].region._replace(first_line=9), (1, 3), (2,), 1.0),
    )
    lines = verdict_lines(found, Path("folder") / name / "experiment.cube", "the counting run failed: " + name)
    assert len(lines) <= 15, "\n" + "\n".join(lines)
    assert any(re.match(rf"1 IMBALANCE   {file} ", line) for line in lines)
    assert any(line.startswith("    try: ") for line in lines)
    assert max(map(len, lines)) <= 100
    if length == 10 and (numbers == (1,) or not (numbers or warnings)):  # ranks come before the longest wait
        assert any(line.startswith("    rank 3: 3 s; ") for line in verdict_lines(found, Path("out")))
    whole = replace(found.verdict, findings=(*[first] * 7, replace(large, bound=3.9), first))
    vars(found)["verdict"], most = whole, found.verdict
    if warnings < 2 and not numbers:  # the finding with most of the path is shown, whatever it saves
        assert any(line.startswith("8 HOT SPOT    ") for line in verdict_lines(found, Path("out")))
    assert len(verdict_lines(found, Path("out"))) <= 15
    vars(found)["verdict"] = most
    text, shown = " ".join(" ".join(lines).split()), sum(bool(re.match("[0-9] ", line)) for line in lines)
    assert f"… {1 + shown}-9 not shown (largest: HOT SPOT {file}, takes 1.9 s): autoanalyzer analyze --all" in lines
    for part in re.findall(r"\((?:all|mostly|partly) in (.*?)\)", text):  # findings that are not shown have no number
        assert all(int(number) <= shown for number in re.findall(r"\b[0-9]\b(?! more)", part))
        hidden = sum(number > shown for number in numbers)
        assert part.count(file) == min(hidden, 2) or re.fullmatch(rf"findings? [0-9, -]+ and {hidden} more", part)


@pytest.mark.parametrize("kind", [Kind.IMBALANCE, Kind.SLOW_CORE])
def test_the_reason_for_a_question_mark_is_a_main_line_beside_other_causes(kind: Kind):
    misses = {"l1_accesses": [[4e8] * 4, [1e8] * 4], "l1_misses": [[2e8] * 4, [1e6] * 4]}
    counts = {"instructions": [[1e9] * 4, [1e8] * 4], "ref_cycles": [[2e9] * 4, [1e8] * 4], **misses}
    found = analyze(counted([0.5, 0.5, 0.5, 1.0], [0.02] * 4, **counts))
    first = next(each for each in found.verdict.findings if each.groups and each.weight is not None)
    uncertain = replace(first, kind=kind, doubt=Doubt.CHANCE)
    vars(found)["verdict"] = replace(found.verdict, findings=(uncertain,))
    vars(found)["same_work"] = SameWork()
    (entry,) = entries(found)
    assert entry.kind.endswith("?")
    assert sum(line.startswith("uncertain: ") for line in entry.lines) == 1


def test_a_finding_for_whose_causes_there_is_no_room_is_named():
    rows = [[float(2 * row), float(row)] for row in range(1, 9)]
    kinds = {"instructions": [[1e9 * each for each in row] for row in rows]}
    made = counted(*rows, **kinds)
    for notes in (Notes(), Notes(repairs=1), Notes(repairs=1, missing=(7,))):
        assert len(verdict_lines(analyze(made.replaced(notes=notes)), Path("out"))) == 15


def test_no_line_is_kept_for_findings_that_are_left_out_where_none_is():
    rows = [[9.0, 9.0], [0.1, 0.1]]
    findings = analyze(counted(*rows, io_bytes=[[1e9 * time for time in row] for row in rows]))
    assert len(verdict_lines(findings, everything=True)) == 9
    assert verdict_lines(findings) == verdict_lines(findings, everything=True)


SIMULATED = "simulated:rtcount L1=32K/8/64 L2=1M/8/64"


def counted(*rows: list[float], **counts: list[list[float]]) -> Experiment:
    """Return the same with other metrics by name: one list per loop, with each rank's value."""
    plain = experiment(*rows)
    found = {name: np.array([[0.0] * len(rows[0]), *values]) for name, values in counts.items()}
    own = {name: plain.exclusive(name).copy() for name in NAMES}
    own["wall_time"] += found.get("mpi_time", 0.0) + found.get("io_time", 0.0)
    units = {"mpi_time": "sec", "io_time": "sec", "mpi_bytes": "bytes", "io_bytes": "bytes"}
    parents = {"mpi_time": "wall_time", "io_time": "wall_time"}
    return plain.replaced(
        metrics=[
            *plain.metrics,
            *(Metric(name, units.get(name, "occ"), parents.get(name), "", SIMULATED) for name in found),
        ],
        severities={**own, **found},
    )


def test_causes_come_with_their_evidence_and_what_to_try():
    lines = verdict_lines(
        analyze(
            counted(
                [0.5, 0.5, 1.0, 1.0],
                [0.02] * 4,
                [0.01] * 4,
                instructions=[[1e9, 1e9, 2.1e9, 2.1e9], [1e8] * 4, [1e8] * 4],
                ref_cycles=[[2e9, 2e9, 4e9, 4e9], [1e8] * 4, [1e8] * 4],
                l1_accesses=[[4e8, 4e8, 8e8, 8e8], [1e8] * 4, [1e8] * 4],
                l1_misses=[[2e8, 2e8, 4e8, 4e8], [1e6] * 4, [1e6] * 4],
            )
        )
    )
    where, saved = "1 MEMORY      work.c  loop in work, called from app.c:1", "saves up to 310 ms (30 % of run)"
    assert lines[2] == f"{where}{saved:>{100 - len(where)}}"
    who = "ranks 2-3: 1.02 s each; ranks 0-1: 484 ms each; 310 ms in cache misses on average"
    assert lines[3] == f"    {who}"
    said = "why uneven: instructions differ: 2.1e9 on ranks 2-3 against 1.0e9 on ranks 0-1; explains the difference"
    slow = "L1 misses: 50 % of accesses, 38 % in the whole program; the time per miss is not known"
    assert lines[4] == f"    why slow: {slow}"
    assert lines[5].startswith("    try: access arrays")
    assert " ".join(each.strip() for each in lines[6:8]) == said
    assert lines[8].startswith("    try: distribute the work")


def test_what_only_some_ranks_execute_is_said_to_be_without_counts_and_how_to_share_it():
    rows = [0.5, 0.0, 0.0, 0.0], [1.0] * 4
    found = analyze(counted(*rows, visits=[[3.0, 0.0, 0.0, 0.0], [1.0] * 4]))
    (first, *_) = found.verdict.findings
    assert (first.kind, first.alone) == (Kind.IMBALANCE, (0,))
    (entry, *_) = entries(found)
    assert entry.lines[0].endswith("125 ms each if all ranks shared it evenly")
    assert entry.lines[1:] == ["why: only rank 0 executes this region", f"try: {ALONE}"]
    for visits in ([3.0] * 4, [3.0, np.nan, 0.0, 0.0]):
        assert analyze(counted(*rows, visits=[visits, [1.0] * 4])).verdict.findings[0].alone == ()


def test_volumes_are_compared_with_the_programs():
    lines = verdict_lines(analyze(counted([1.0, 1.0], [0.01, 0.01], io_bytes=[[6e8, 6e8], [5e7, 5e7]])))
    assert "    why: file I/O: 1.2 GB of the program's 1.3 GB" in lines
    assert lines[-1] == "instructions and cache misses were not counted: autoanalyzer run --counters simulated"


def test_equal_work_at_different_speed_is_not_called_imbalance():
    findings = analyze(counted([1.0, 1.7, 1.0], instructions=[[2e9, 2e9, 2e9]]))
    lines = whole_lines(findings)
    assert lines[2].startswith("1 SLOW CORE   work.c  loop in work, called from app.c:1")
    assert f"    why: {SAME_WORK.format(who='rank')}" in lines
    assert not any("IMBALANCE" in line or line.startswith("2 ") for line in lines)
    (*_, counts) = verdict_lines(findings, everything=True)
    assert counts.startswith(
        "counts simulated (L1 32K/8/64, L2 1M/8/64), no cycles, not counted: L1 misses, L2 misses, f"
    )


@pytest.mark.parametrize("elsewhere", [1.0, 1.5])
def test_a_rank_that_is_slower_in_one_region_alone_has_no_slow_core(elsewhere):
    found = analyze(counted([1.0, 1.7, 1.0], [1.0, elsewhere, 1.0], instructions=[[2e9] * 3, [2e9] * 3]))
    assert found.verdict.findings[0].kind is Kind.SLOW_CORE
    why = entries(found)[0].lines[1]
    assert why == f"why: {ONLY_HERE if elsewhere == 1.0 else SAME_WORK.format(who='rank')}"


@pytest.mark.parametrize("price", [None, 1e-10])
@pytest.mark.parametrize("event", ["denormals", "divisions", "branch_misses", "allocations", "page_faults"])
def test_events_that_slow_ranks_alone_have_are_named_though_their_time_is_unknown(event: str, price: float | None):
    most = 9.8e8 if event in EVENTS else 9.8e6
    counts = {"instructions": [[2e9] * 4] * 2, event: [[0.0, 0.0, most, most], [0.0] * 4]}
    made = counted([1.0, 1.0, 1.7, 1.7], [0.5] * 4, **counts)
    prices = {"denormal": price, "branch_miss": price, "page_fault": price} if price else {}
    findings = analyze(made.replaced(notes=replace(made.notes, prices=prices)))
    (first, *_), lines = findings.verdict.findings, whole_lines(findings)
    assert (first.kind, first.doubt, first.slowest) == (Kind.IMBALANCE, None, (2, 3))
    assert first.gain and first.gain.seconds == pytest.approx(0.7)  # at the speed of the fastest rank
    numbers = f"{count(most)} on ranks 2-3 against 0 on ranks 0-1"
    assert f"    why: {CAUSES[event]} differ: {numbers}" in lines
    assert any(line.startswith(f"    try: {TO_TRY[event][:30]}") for line in lines)
    assert not any("same work" in line or "unknown: " in line for line in lines)
    by_rough_sets = findings.dissimilarity_causes
    assert event not in by_rough_sets.table.attributes
    assert event not in {each.attribute for each in by_rough_sets.differences}


@pytest.mark.parametrize(
    ("denormals", "misses"),
    [
        ([9.8e8] * 4, [4e7] * 4),
        ([0.0] * 4, [1e5, 1e5, 3e5, 3e5]),  # too few to matter
        ([0.0] * 4, [4e8, 4e8, 4.2e8, 4.2e8]),  # hardly more
        ([0.0] * 4, [4e7, 4e7, 4.6e7, 4.6e7]),  # more, but they take at most 60 ms of 700 ms
        ([9.8e8, 9.8e8, 0.0, 0.0], [4e7] * 4),  # on the fast ranks
    ],
)
def test_ranks_with_the_same_events_may_have_slow_cores(denormals: list[float], misses: list[float]):
    counts = {"denormals": [denormals] * 2, "branch_misses": [misses] * 2}
    findings = analyze(counted([1.0, 1.0, 1.7, 1.7], [0.5] * 4, instructions=[[2e9] * 4] * 2, **counts))
    assert whole_lines(findings)[2].startswith("1 SLOW CORE   ")


def test_events_are_named_where_ranks_take_longer_than_a_slow_core_would_with_the_time_that_they_explain():
    counts = {"instructions": [[2e9] * 4] * 2, "denormals": [[0.0, 0.0, 9.8e8, 9.8e8], [0.0] * 4]}
    made = counted([1.0, 1.0, 4.0, 4.0], [0.5] * 4, **counts)
    why = "    why: operations on denormal numbers differ: 9.8e8 on ranks 2-3 against 0 on ranks 0-1"
    for price, explained in (
        (None, ""),
        (2e-10, ""),
        (2e-9, "; explains 1.96 s of the 3 s difference"),
    ):
        findings = analyze(made.replaced(notes=replace(made.notes, prices={"denormal": price} if price else {})))
        assert why + explained in whole_lines(findings)


def test_events_in_proportion_to_the_work_are_no_reason_of_their_own():
    executed = [1e9, 1e9, 2e9, 2e9]
    counts = {"instructions": [executed, [1e8] * 4], "divisions": [[each / 10 for each in executed], [0.0] * 4]}
    lines = whole_lines(analyze(counted([1.0, 1.0, 2.0, 2.0], [0.1] * 4, **counts)))
    assert any("instructions differ" in line for line in lines)
    assert not any("divisions differ" in line for line in lines)


def test_workers_that_did_the_same_work_are_named_beside_their_master():
    lines = whole_lines(analyze(counted([0.0, 1.0, 1.7, 1.0], instructions=[[0.0, 2e9, 2e9, 2e9]])))
    assert lines[2].startswith("1 IMBALANCE   ")
    why = (
        "instructions differ: from 0 on rank 0 to 2.0e9 on ranks 1, 3; explains 333 ms of the 1.03 s that rank 2 takes"
    )
    assert lines[4] == f"    why: {why} longer than the others on average"
    assert any(line.startswith("    ranks 1-3: same work, more time") for line in lines)


SHOWS = "next: autoanalyzer run --usage page_faults (shows whether the region waits for new pages)"


def test_ranks_that_nothing_tells_apart_are_said_to_be_unexplained():
    of_paths = counted([1.0, 1.7, 1.0], instructions=[[2e9, 2.1e9, 2e9]], page_faults=[[100.0] * 3])
    lines = whole_lines(analyze(of_paths))
    assert "    why: unknown: neither counts nor page faults match the differences in time" in lines
    values = {each.name: of_paths.exclusive(each.name) for each in of_paths.metrics}
    of_ranks = of_paths.replaced(severities={**values, "page_faults": values["page_faults"][::-1].copy()})
    assert f"    why: unknown: no count matches the differences in time; {SHOWS}" in whole_lines(analyze(of_ranks))
    found = analyze(counted([1.0, 1.7, 1.0], instructions=[[2e9, 2.1e9, 2e9]]))
    assert f"    why: unknown: no count matches the differences in time; {SHOWS}" in whole_lines(found)


def test_a_region_that_no_counter_explains_is_said_to_be_so():
    counts = [[1e7, 1e7], [1e9, 1e9], [1e9, 1e9]]
    lines = verdict_lines(analyze(counted([1.0, 1.0], [0.01, 0.01], [0.01, 0.01], instructions=counts)))
    heavy = next(number for number, line in enumerate(lines) if "HOT SPOT" in line)
    assert lines[heavy + 1 : heavy + 3] == [
        "    all ranks alike: 1 s per rank",
        "    why: unknown: no count explains the time",
    ]


def test_of_regions_that_are_nearly_alike_none_is_heavy_without_a_cause():
    rows = [[1.1, 1.1]] * 10 + [[0.9, 0.9]] * 10
    plain = analyze(experiment(*rows))
    assert len(plain.disparity.culprits) == 20
    assert (
        verdict_lines(plain)[2] == "balanced: ranks do not differ enough to matter in any region; no region stands out"
    )
    assert not any(each["heavy"] for each in findings_document(plain, Path("x"))["disparity"]["cccr"])
    files = [[1e9, 1e9] if row == 3 else [0.0, 0.0] for row in range(20)]
    (found,) = analyze(counted(*rows, io_bytes=files)).verdict.findings
    assert found.kind is Kind.FILE_IO
    assert found.gain.share == pytest.approx(1.1 / 20)


def test_what_takes_a_tenth_of_the_run_or_twice_what_is_common_is_heavy_without_a_cause():
    lines = verdict_lines(analyze(experiment([1.0], [0.8])))
    assert sum("HOT SPOT" in line for line in lines) == 2
    lines = verdict_lines(analyze(experiment([0.9], *[[0.4]] * 20, *[[0.35]] * 10)))
    assert [line.partition("%")[0][-4:] for line in lines if "HOT SPOT" in line] == ["7.3 "]


def test_a_region_on_several_call_paths_is_one_finding():
    made = experiment([0.0], [0.3], [0.0], [0.25], [0.01], [0.01])
    first, second = (Region("function", name, "src/a.c", name, 0, 1, 9) for name in ("first", "second"))
    main, _, _, _, _, *others = made.call_paths
    ship = Region("loop", "loop@20", "src/ship.c", "ship", 0, 20, 29)
    paths = [main, CallPath(first, 0), CallPath(ship, 1), CallPath(second, 0), CallPath(ship, 3), *others]
    findings = analyze(made.replaced(call_paths=paths))
    for everything in (False, True):
        titles = [line for line in verdict_lines(findings, everything=everything) if re.match("[0-9]", line)]
        assert [" ".join(line.split()) for line in titles] == [
            "1 HOT SPOT ship.c:20 loop in ship saving unknown; takes 550 ms (96 % of run)"
        ]
        assert any("called by first and second" in line for line in verdict_lines(findings, everything=everything))
    (found,) = findings_document(findings, Path("x"))["findings"]
    assert found["call_paths"] == [2, 4]


def test_a_loop_that_merely_leads_to_a_hot_spot_is_none_itself():
    made = counted([0.02] * 2, [1.0] * 2, [0.01] * 2, mpi_time=[[0.8] * 2, [0.0] * 2, [0.9] * 2])
    main, around, inner, other = made.call_paths
    nested = made.replaced(call_paths=[main, around, CallPath(inner.region, 1), other])
    titles = [line for line in verdict_lines(analyze(nested)) if re.match("[0-9] HOT SPOT", line)]
    assert [line.split("  ")[-1].strip() for line in titles] == ["saving unknown; takes 1 s (97 % of busy time)"]


def test_a_program_without_probes_is_to_be_built_with_them():
    notes = Notes(program="app", not_instrumented=("app: no probes, only MPI calls and file I/O",))
    made = experiment([0.0] * 2, notes=notes)
    seconds = np.array([[1.0, 1.0], [0.02, 0.02]])
    severities = {**dict.fromkeys(("wall_time", "cpu_time"), seconds), "mpi_cpu_time": 0 * seconds}
    bare = Experiment(
        metrics=made.metrics,
        call_paths=[CallPath(Region("program", "app")), CallPath(Region("mpi", "MPI_Barrier"), 0)],
        locations=made.locations,
        severities=severities,
        notes=notes,
    )
    lines = verdict_lines(analyze(bare))
    assert any(line.startswith("1 NO DETAIL   own code of app ") for line in lines)
    assert "    why: unknown: the program has no probes, so only its MPI calls and file I/O were measured" in lines
    sample = "sample the program: autoanalyzer run --sample auto (or rebuild with aa-mpicc or aa-mpifort)"
    assert f"    try: {sample}" in lines
    assert not any("--counters" in line or "counted" in line for line in lines)


def test_regions_by_samples_have_no_counts_without_a_rebuild():
    notes = Notes(program="app", samples={"cpu_time": 0.001, "wall_time": 0.001})
    lines = whole_lines(analyze(experiment([1.0, 1.0, 1.0, 3.0], [1.0] * 4, notes=notes)))
    assert any(line.endswith("unknown; to count instructions, rebuild with aa-mpicc or aa-mpifort") for line in lines)
    assert not any("--counters" in line for line in lines)


def test_counts_confirm_advice_that_depends_on_them():
    found = analyze(experiment([1.0, 1.0, 1.0, 3.0], [1.0] * 4))
    (first, *_) = found.verdict.findings
    text = "if iterations differ in cost, deal them out: line 1 runs to n, so ranks get equally many iterations"
    assert first.difference is not None
    advice = Advice("division of work", text, ("src/work.c:1",), (), None, "medium")
    advised = Advised(of_ranks={first.difference: (advice,)})
    lines = whole_lines(found, advised=advised)
    at = next(number for number, line in enumerate(lines) if line.startswith("    try"))
    assert lines[at + 1] == "    to confirm: autoanalyzer run --counters simulated (5-20 times slower)"
    assert sum("autoanalyzer" in line for line in lines) == 1


@pytest.mark.parametrize(("base", "said"), [(1.0, "(38 % of run)"), (0.5, "(50 % of path + MPI)")])
def test_a_saving_in_mpi_is_a_share_of_a_time_that_contains_it(base: float, said: str):
    """The run takes 1.3 s; with a core per rank it would take 1 s, and 0.5 s is the length of the path."""
    found = analyze(experiment([1.0, 1.0], [0.3, 0.3]))
    (first, *_) = found.verdict.findings
    moved = replace(first, gain=Gain(0.5, 0.5 / base, (Saved(Why.TRANSFER, 0.5),)))
    lost = (Lost(LostTo.TRANSFER, 0.5, 0.5 / base, (1,)),)
    vars(found)["verdict"] = replace(found.verdict, findings=(moved,), lost=lost, base=Base(base, is_path=True))
    (entry,) = entries(found)
    assert entry.saving == f"saves up to 500 ms {said}"
    assert entry.lines[0] == "all ranks alike: 500 ms per rank in data transfer"


@pytest.mark.parametrize(
    ("late", "waiting", "said"),
    [
        ((0, 2, 3), (0,), "rank 0 waits for ranks 2-3: 1 s, in MPI_Recv"),
        ((0, 1, 2, 3), (1,), "rank 1 waits for the others: 1 s, in MPI_Recv; longest for rank 0"),
        ((1, 0, 2, 3), (1,), "rank 1 waits for the others: 1 s, in MPI_Recv; longest for rank 0"),
        ((0, 1, 2), (), "ranks wait for each other: 1 s on average, in MPI_Recv"),  # of most of them
        ((1, 2, 3), (1, 2, 3), "ranks 1-3 wait for each other: 1 s on average, in MPI_Recv"),
        ((1, 2, 3), (1, 2), "ranks 1-2 wait for each other and rank 3: 1 s on average, in MPI_Recv"),
        ((1, 3), (1, 2), "ranks 1-2 wait for rank 3: 1 s on average, in MPI_Recv"),
        ((0, 1, 2, 3), (1, 2), "ranks 1-2 wait for other ranks: 1 s on average, in MPI_Recv; longest for rank 0"),
    ],
)
def test_no_rank_waits_for_itself(late: tuple[int, ...], waiting: tuple[int, ...], said: str):
    found = analyze(experiment([1.0] * 4))
    wait = Wait(Region("mpi", "MPI_Recv"), 0.25, ranks=late, waiting=waiting, mean=1.0)
    assert who_for_whom(found, wait, "it") == said


def test_advice_with_its_part_of_the_saving_is_given_once():
    found = analyze(experiment([1.0, 1.0, 1.0, 3.0], [1.0] * 4))
    (first, *_) = found.verdict.findings
    assert first.difference is not None
    gain = Gain(1.5, 0.4, (Saved(Why.EVEN, 2.0, 1.0), Saved(Why.MISSES, 1.0, 0.5)))
    advice = Advice("indirection", "sort the list", ("src/work.c:1",), (), None, "medium")
    vars(found)["verdict"] = replace(found.verdict, findings=(replace(first, gain=gain),) * 2)
    one, two = entries(found, advised=Advised(of_ranks={first.difference: (advice,)}))
    assert [each for each in one.lines if "sort" in each] == ["try (saves 500 ms) at work.c:1: sort the list"]
    assert not any(
        "sort" in each or "to confirm" in each or "count instructions" in each for each in (*two.lines, *two.more)
    )


STEADY = "    try: execute fewer instructions (better algorithm or SIMD): the region hardly waits for memory"
INSIDE = "    next: autoanalyzer debug --build 'make' (measures loops inside the region)"


def test_of_a_region_that_is_most_of_the_run_it_is_said_how_to_look_inside():
    assert INSIDE in verdict_lines(analyze(experiment([1.0, 1.0], [0.3, 0.3])), everything=True)
    run = Notes(program="app", command=("mpirun", "-n", "2", "./app"))
    whole = verdict_lines(analyze(experiment([1.0, 1.0], [0.3, 0.3], notes=run)), everything=True)
    assert INSIDE.replace("'make'", "'make' -- mpirun -n 2 ./app") in whole
    commands = [line for line in verdict_lines(analyze(experiment([1.0, 1.0], [0.3, 0.3]))) if "autoanalyzer" in line]
    assert commands == [
        "    why: unknown; count instructions: autoanalyzer run --counters simulated (5-20 times slower)"
    ]
    assert INSIDE not in verdict_lines(analyze(experiment([1.0, 1.0], [0.9, 0.9], [0.3, 0.3])))
    counts = {"instructions": [[4e9] * 2, [4e8] * 2], "cycles": [[1.5e9] * 2, [3e8] * 2]}
    lines = verdict_lines(analyze(counted([1.0, 1.0], [0.2, 0.2], **counts)))
    assert INSIDE.replace("next", "first") in lines  # before the line STEADY
    assert lines.index(INSIDE.replace("next", "first")) < lines.index(STEADY)
    assert "    no cheap fix is known" in lines
    uncounted = verdict_lines(analyze(experiment(*[[1.0] * 2] * 4)), everything=True)
    assert sum("HOT SPOT" in line for line in uncounted) > 1
    assert "    no cheap fix is known" not in uncounted


@pytest.mark.parametrize(
    "beside",
    [
        [
            Region("loop", "loop@0", "src/work.c", "work", 0, 0, 9),
            Region("loop", "loop@2", "src/work.c", "work", 2, 2, 3),
        ],
        [Region("user", "block@4", "src/work.c", "work", 0, 4, 5)],
    ],
    ids=["inner loop", "block"],
)
def test_what_was_opened_already_is_not_proposed_to_be(beside: list[Region]):
    plain = experiment([1.0, 1.0], *[[0.1, 0.1]] * len(beside))
    paths = [*plain.call_paths[:2], *(CallPath(each, (0, 2)[number]) for number, each in enumerate(beside))]
    assert INSIDE not in verdict_lines(analyze(plain.replaced(call_paths=paths)))


def test_all_rows_of_a_list_are_printed_if_all_are_asked_for(capsys):
    findings = analyze(experiment(*[[1.0 + row, 1.0] for row in range(25)]))
    for section in SECTIONS[:2]:
        rows = (section.printed or section.find)(findings)
        assert len(rows) > 20
        notes = [*filter(None, [section.note(findings)])]
        section.print(findings)
        more = f"… and {len(rows) - 20} more: --all or --json lists all"
        assert capsys.readouterr().out.splitlines()[21:] == [more, *notes]
        section.print(findings, everything=True)
        assert len(capsys.readouterr().out.splitlines()) == 1 + len(rows) + len(notes)


def test_all_says_what_to_try_against_each_cause():
    rows, kinds = [[1.0, 1.0], [9.0, 9.0], [0.1, 0.1]], {"io_bytes": 1e9, "mpi_bytes": 1e9}
    made = counted(*rows, **{name: [[size * time for time in row] for row in rows] for name, size in kinds.items()})
    tries = [line for line in verdict_lines(analyze(made), everything=True) if line.startswith("    try: ")]
    assert [line[9:16] for line in tries[:1]] == ["read an"]


def test_waiting_names_the_imbalance_that_makes_it():
    lines = verdict_lines(
        analyze(
            counted(
                [1.0, 1.0, 2.0, 2.0],
                [0.0] * 4,
                mpi_time=[[0.0] * 4, [1.0, 1.0, 0.0, 0.0]],
                mpi_bytes=[[0.0] * 4, [8e3] * 4],
            )
        )
    )
    assert "    ranks 0-1 wait for ranks 2-3: 1 s on average, in the loop in work (work.c:1)" in lines
    one = analyze(counted([1.0] + [2.0] * 3, [0.0] * 4, mpi_time=[[0.0] * 4, [1.0] + [0.0] * 3]))
    said = "    rank 0 waits for ranks 1-3: 1 s, in the loop in work (work.c:1)"
    assert any(said in each for each in verdict_lines(one))
    (wait,) = findings_document(one, Path("x"))["findings"][0]["waits"]
    assert (wait["seconds"], wait["mean"], wait["waiting"], wait["ranks"]) == (0.25, 1.0, [0], [1, 2, 3])
    few = counted([1.0] + [2.0] * 3, [0.0] * 4, mpi_time=[[0.0] * 4, [1.0] + [1e-6] * 3])  # calls of the late ranks
    assert [each.waiting for each in analyze(few).verdict.findings[0].waits] == [(0,)]
    led = analyze(load(DATA / "rays.cube.gz"))  # its master waits longest, which is its work
    assert (led.master is not None, led.verdict.findings[0].waits) == (True, ())
    assert not any(line.startswith("2 ") for line in lines)
    waiting = whole_lines(
        analyze(counted([0.1] * 4, [0.0] * 4, mpi_time=[[0.0] * 4, [1.0] * 4], mpi_bytes=[[0.0] * 4, [8e3] * 4]))
    )
    assert "    why: 1 s in MPI calls that transfer 32 kB: latency, or ranks that arrive late" in waiting


def test_regions_can_be_classed_by_another_metric():
    counts = {"instructions": [[1e9] * 2, [1e9] * 2], "cycles": [[1e9] * 2, [4e9] * 2]}
    made = counted([3.0, 3.0], [1.0, 1.0], **counts)
    lines = explanation_lines(analyze(made, disparity_metric="cpi"))
    start = lines.index("DISPARITY by cpi: cycles per instruction")
    assert lines[start + 2 : start + 4] == ["very high: 1 region", "  2  work.c:1  loop in work  4.00"]
    assert findings_document(analyze(made, disparity_metric="cpi"), Path("x"))["disparity"]["metric"] == "cpi"


@pytest.mark.parametrize(("waited", "said"), [(8.9, True), (0.4, False)])
def test_ranks_that_waited_for_a_processor_are_said_to(waited: float, said: bool):
    notes = Notes(program="app", run_delay={"0": 0.01, "1": waited})
    line = "trust busy time, not wall time: rank 1 waited for a core for 85 % of its time"
    assert any(line in each for each in whole_lines(analyze(experiment([10.5, 10.5], notes=notes)))) == said


@pytest.mark.parametrize(
    ("own", "said"),
    [(2.0, "trust busy time, not wall time: other programs took 40 % of the cores' time"), (9.0, "")],
)
def test_what_other_programs_took_of_the_processors_is_said(own: float, said: str):
    use = {"elapsed": 10.0, "busy": 10.0, "own": own}
    notes = Notes(program="app", processors=2, processor_use=use, run_delay={"0": 0.0, "1": 0.0})
    lines = verdict_lines(analyze(experiment([1.0, 1.0], notes=notes)))
    assert [line for line in lines if "other programs" in line] == [said] * bool(said)
    two = verdict_lines(analyze(experiment([4.9, 4.9], notes=replace(notes, processor_use={**use, "own": 0.1}))))
    assert not any("other programs" in line for line in two)  # the launcher may not be an ancestor of the ranks
    unknown = whole_lines(analyze(experiment([1.0, 1.0], notes=replace(notes, run_delay={}))))
    gap = "; MPI transfer is not known, because the kernel does not report waiting for cores"
    assert ([said + gap] if said else []) == [line for line in unknown if "other programs" in line]
    shared = whole_lines(analyze(experiment([1.0] * 4, notes=replace(notes, run_delay=dict.fromkeys("0123", 0.0)))))
    both = "4 ranks share 2 cores, of which other programs took 30 %"
    assert any(both in line for line in shared) == bool(said)


@pytest.mark.parametrize(("delay", "said"), [(0.1, True), (2.5, False)])
def test_a_run_that_took_far_longer_than_it_did_anything_is_said_to(delay: float, said: bool):
    plain = counted([1.0, 1.0], mpi_time=[[0.5, 0.5]])
    wall = plain.exclusive("wall_time") + np.array([[3.0], [0.0]])
    own = {each.name: plain.exclusive(each.name) for each in plain.metrics}
    made = plain.replaced(
        severities={**own, "wall_time": wall}, notes=Notes(program="app", run_delay={"0": delay, "1": delay})
    )
    line = (
        "2.9 s of 4.5 s per rank are not covered by any finding: time asleep, or waiting for a child process, a device"
        " or a thread"
    )
    assert any(each.startswith(line) for each in whole_lines(analyze(made))) == said


@pytest.mark.parametrize("ranks", [4, 64])
def test_a_verdict_with_causes_has_at_most_fifteen_lines(ranks: int):
    rng = np.random.default_rng(2)
    rows = [[float(x) for x in rng.uniform(1, 9, ranks)] for _ in range(9)]
    counts = [[1e9 * x for x in row] for row in rows]
    notes = Notes(program="app", expected_processes=99, missing=(98,), unfinished=(1,), repairs=1, remarks=("a", "b"))
    made = counted(*rows, instructions=counts, ref_cycles=counts, io_bytes=counts, mpi_bytes=counts)
    for run in (made, made.replaced(notes=notes)):
        assert len(verdict_lines(analyze(run), Path("out"))) <= 15


def test_the_document_holds_tables_reducts_and_evidence():
    made = counted([1.0, 1.0, 2.0], [0.01] * 3, instructions=[[1e9, 1e9, 2e9], [1e6] * 3])
    document = findings_document(analyze(made), Path("x"))
    found = document["dissimilarity"]
    assert (found["reducts"], found["root_causes"]) == ([["instructions"]], ["instructions"])
    assert found["decision_table"] == {
        "attributes": ["instructions"],
        "lacking": ["l1_miss_rate", "l2_miss_rate", "io_bytes", "mpi_bytes"],
        "rows": [
            {"id": 0, "values": [0], "decision": 0},
            {"id": 1, "values": [0], "decision": 0},
            {"id": 2, "values": [1], "decision": 1},
        ],
        "inconsistent": [],
    }
    evidence = found["cccr"][0]["evidence"]
    assert evidence == found["evidence"]
    assert (evidence[0]["attribute"], list(evidence[0]["values"])) == ("instructions", [1e9, 2e9])
    found = document["disparity"]
    assert found["root_causes"] == found["cccr"][0]["root_causes"] == ["instructions"]
    assert found["decision_table"]["rows"][0] == {"id": 1, "values": [1], "decision": 1}
    assert found["cccr"][0]["evidence"][0]["value"] == 4e9


def test_the_document_has_the_keys_of_the_schema():
    document = findings_document(analyze(experiment([1, 2, 2], [1, 1, 1])), Path("out/experiment.cube"))
    assert document["schema"] == "autoanalyzer.findings/2"
    assert set(document["experiment"]) >= {"file", "processes", "locations", "call_paths", "wall_time", "sources"}
    assert set(document["dissimilarity"]) >= {
        *("exists", "metric", "threshold", "clusters", "severity", "ccr", "cccr"),
        *("reducts", "root_causes", "decision_table"),
    }
    entry = document["dissimilarity"]["cccr"][0]
    assert entry == {
        "id": 1,
        "path": "loop@0",
        "name": "loop@0",
        "kind": "loop",
        "function": "work",
        "file": "src/work.c",
        "line": 0,
        "depth": 1,
        "root_causes": [],
        "evidence": [],
        "same_work": False,
        "may_be_speed": False,
        "may_be_measuring": False,
        "gain": pytest.approx(1 / 3),
        "gain_share": pytest.approx(1 / 9),
        "confidence": {"level": "medium", "reason": "nothing was counted"},
        "in_runs": 1,
        "interval": None,
        "advice": [],
    }
    assert document["verdict"][0].startswith("app")


@pytest.mark.parametrize(("processors", "said"), [(2, True), (4, False), (None, False)])
@pytest.mark.parametrize("in_mpi", [0.1, 0.0])
def test_ranks_that_take_turns_are_said_to(processors, said, in_mpi):
    plain = counted([1.0, 1.0, 1.0, 1.0], mpi_time=[[in_mpi] * 4])
    crowded = plain.replaced(notes=replace(plain.notes, processors=processors))
    line = "trust busy time, not wall time: 4 ranks share 2 cores"
    lines = verdict_lines(analyze(crowded))
    assert (line in lines) == lines[0].startswith("app   4 ranks on 2 cores   ") == said


def test_where_ranks_take_turns_what_computes_comes_before_what_waits_for_one():
    rows, in_mpi = ([1.0] * 4, [0.2] * 4, [0.1] * 4), ([0.0] * 4, [4.0] * 4, [0.0] * 4)
    plain = counted(*rows, mpi_time=[*in_mpi])
    for processors in (4, 2):
        made = plain.replaced(notes=replace(plain.notes, processors=processors))
        first = analyze(made).verdict.findings[0]
        assert (first.kind is Kind.LATE) == (processors == 4)
        assert (first.share == pytest.approx(1 / 1.3)) == (processors == 2)


def test_of_what_was_not_run_as_it_is_it_is_said_how_it_came_about():
    lines = verdict_lines(analyze(experiment([1.0, 1.0], notes=Notes(program="app", history=("sum(a, b)",)))))
    assert "derived: sum(a, b)" in lines


@pytest.mark.parametrize(
    ("environment", "printed"),
    [
        ({"FORCE_COLOR": "1", "TERM": "xterm"}, "1 \x1b[1;35mHOT SPOT\x1b[0m  work\n"),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, "1 HOT SPOT  work\n"),
        ({"FORCE_COLOR": "1", "TERM": "xterm", "NO_COLOR": "1"}, "1 HOT SPOT  work\n"),
        ({"FORCE_COLOR": "", "TERM": "xterm"}, "1 HOT SPOT  work\n"),
    ],
)
def test_a_terminal_shows_kinds_of_findings_in_colours_unless_they_are_unwanted(
    environment, printed, capsys, monkeypatch
):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    print_verdict(["1 HOT SPOT  work"])
    assert capsys.readouterr().out == printed


def test_colours_are_told_from_white_and_from_black(capsys, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    print_verdict(["1 IMBALANCE   a.c", "2 HOT SPOT    a.c", "balanced: ranks", "one in HOT SPOT"])
    printed = capsys.readouterr().out
    assert printed.count("\x1b[1m") + printed.count("\x1b[1;") == 3
    for colour in re.findall(r"\x1b\[1;3(.)m", printed):
        for part in (205, 255):  # xterm's colours, and its bright ones, which many terminals use for bold text
            shade = _luminance([part * (int(colour) >> bit & 1) for bit in range(3)])
            assert (1.05) / (shade + 0.05) >= 3, f"colour {colour} on white"
            assert (shade + 0.05) / 0.05 >= 3, f"colour {colour} on black"


def _luminance(colour):
    """Return the relative luminance of red, green and blue, by WCAG 2.1, which requires 3:1 for bold text."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (c / 255 for c in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["get"], "get"),
        (list("abcde"), "a, b, c, d and 1 more"),
    ],
)
def test_a_hot_spot_names_the_functions_that_are_too_small_to_measure(names: list[str], said: str) -> None:
    loops = [Region("loop", f"loop@{n}", "src/work.c", "work", n, n, n).descriptor for n in range(2)]
    findings = analyze(experiment([1.0], [0.01], notes=Notes(unprobed=dict.fromkeys(loops, "\n".join(names)))))
    assert f"    includes {said}, too small to measure separately" in verdict_lines(findings)
    heavy, light, _ = findings_document(findings, Path("a.cube"))["disparity"]["classes"]
    assert (heavy["without_probes"], light["without_probes"]) == (names, [])


@pytest.mark.parametrize(
    ("parts", "paths", "said"),
    [
        # two more of each kind of 29: 2 sqrt(27/29 * 2/29 / 29) = 9.4 %
        ([("get", "a.c", 25.0)], 1, "get 100 % (25 samples; each share ±9 %)"),
        (
            [("get", "a.c", 15.0), ("get", "b.c", 10.0)],
            2,
            "get 100 % (25 samples, over all its calls; each share ±9 %)",
        ),
    ],
)
def test_samples_that_all_agree_still_have_an_error(parts: list[tuple[str, str, float]], paths: int, said: str) -> None:
    run = experiment([1.0], [0.01])
    heavy = run.call_paths[1]
    seen = tuple(InsidePart(name, "", file, 3, samples) for name, file, samples in parts)
    notes = Notes(inside=(Inside(heavy.region.descriptor, 25.0, 0.0, seen),), sampled={"samples": 25, "seconds": 0.004})
    rows = (run.call_paths[0], heavy, CallPath(heavy.region if paths == 2 else run.call_paths[2].region, 0))
    findings = analyze(run.replaced(call_paths=rows, notes=notes))
    assert f"    inside: {said}" in whole_lines(findings)


@pytest.mark.parametrize("is_known", [False, True])
def test_code_that_samples_show_is_a_main_line_where_no_reason_is_known(is_known: bool) -> None:
    files = {"io_time": [[0.9] * 2, [0.0] * 2], "io_bytes": [[1e9] * 2, [0.0] * 2]}
    run = counted([1.0] * 2, [0.01] * 2, **files) if is_known else experiment([1.0], [0.01])
    heavy = run.call_paths[1].region.descriptor
    inside = Inside(heavy, 100.0, 0.0, (InsidePart("_Unwind_Find_FDE", "libgcc_s.so.1", "", 0, 100.0),))
    sampled = {"samples": 100, "seconds": 0.004}
    findings = analyze(run.replaced(notes=replace(run.notes, inside=(inside,), sampled=sampled)))
    first = entries(findings)[0]
    is_main, is_further = (
        [line for line in lines if line.startswith("inside: _Unwind_Find_FDE")] for lines in (first.lines, first.more)
    )
    assert (len(is_main), len(is_further)) == ((0, 1) if is_known else (1, 0)), first


def test_a_region_s_parts_and_the_probes_are_told_by_their_samples():
    run = experiment([1.0], [0.01])
    parts = (InsidePart("get", "", "a.c", 3, 60.0), InsidePart("", "", "a.c", 5, 10.0))
    inside = Inside(run.call_paths[1].region.descriptor, 100.0, 30.0, parts)
    sampled = {"samples": 100, "seconds": 0.004}
    findings = analyze(run.replaced(notes=replace(run.notes, inside=(inside,), sampled=sampled)))
    (spot,) = findings_document(findings, Path("x"))["findings"]
    assert [(each["name"], each["share"]) for each in spot["inside"]] == [("get", 0.6), ("the probes", 0.3), ("", 0.1)]


def test_ranks_are_acquitted_of_what_noise_can_make_without_a_bound_that_it_may_exceed():
    chance = np.random.default_rng(4)
    noisy = [(1.0 + 0.15 * chance.standard_normal(4)).tolist() for _ in range(12)]
    findings = analyze(experiment(*noisy))
    assert not findings.dissimilarity.exists
    assert findings.dissimilarity.severity > 0.1
    assert "balanced: ranks do not differ enough to matter in any region; no region stands out" in verdict_lines(
        findings
    )


def test_what_is_mostly_in_mpi_has_no_inner_loops_to_look_for():
    waits = counted([0.1, 0.1], [0.01, 0.01], mpi_time=[[9.0, 9.0], [0.0, 0.0]])
    lines = verdict_lines(analyze(waits))
    assert any("99 % of its time in MPI" in line for line in lines)
    assert INSIDE not in lines


def test_of_files_and_messages_it_is_said_how_many_bytes_a_call_moves():
    made = counted([1.0, 1.0], [0.01, 0.01], io_bytes=[[6e8, 6e8], [5e7, 5e7]], io_calls=[[3e5, 3e5], [100, 100]])
    lines = verdict_lines(analyze(made))
    assert "    why: file I/O: 6.0e5 calls of 2 kB" in lines
    few = counted([1.0, 1.0], [0.01, 0.01], io_bytes=[[6e8, 6e8], [5e7, 5e7]], io_calls=[[3e3, 3e3], [100, 100]])
    assert "    why: file I/O: 1.2 GB of the program's 1.3 GB, 200 kB per I/O call" in verdict_lines(analyze(few))
    assert {each["io_calls"] for each in findings_document(analyze(made), Path("x"))["costs"]} >= {3e5, 100}


@pytest.mark.parametrize(("slowest", "who"), [(2.1, "all ranks alike"), (3.0, "most on rank 3: 3.1 s; on average")])
def test_ranks_that_compute_alike_but_differ_in_file_io_are_not_alike(slowest: float, who: str):
    files = {"io_time": [[2.0] * 3 + [slowest], [0.0] * 4], "io_bytes": [[1e9] * 4, [0.0] * 4]}
    lines = verdict_lines(analyze(counted([0.1] * 4, [0.1] * 4, **files)))
    assert any(line.startswith(f"    {who}: ") and "in file I/O" in line for line in lines)


def test_a_wait_of_milliseconds_a_call_is_no_latency():
    made = {"mpi_bytes": [[0.0] * 4, [8e3] * 4], "mpi_time": [[0.0] * 4, [1.0] * 4]}
    few = counted([0.1] * 4, [0.0] * 4, **made, mpi_calls=[[0.0] * 4, [100.0] * 4])
    said = "    why: 1 s in 400 MPI calls that transfer 32 kB, 10 ms per call: ranks that arrive late"
    assert said in whole_lines(analyze(few))
    busy = replace(few.notes, processors=8, processor_use={"elapsed": 10.0, "busy": 60.0, "own": 1.0})
    for notes in (replace(few.notes, processors=2), busy):  # ranks may have waited for cores
        assert not [each for each in analyze(few.replaced(notes=notes)).verdict.findings if each.kind is Kind.LATE]
    waits = analyze(few.replaced(notes=replace(busy, run_delay={str(rank): 0.0 for rank in range(4)})))
    assert waits.verdict.findings[0].kind is Kind.LATE  # ranks never waited for cores


@pytest.mark.parametrize(("wait", "named"), [(0.9, "waits"), (2.0, "hinted"), (2.4, "nobody")])
def test_whom_ranks_wait_for_is_said_though_most_of_it_may_be_for_a_turn(wait, named):
    """Rank 3 is 0.3 s late, 0.225 s on average: this is a quarter, a tenth, or less of the time in MPI."""
    made = {"mpi_bytes": [[0.0] * 4, [8e3] * 4], "mpi_time": [[0.0] * 4, [wait, wait, wait, wait - 0.3]]}
    run = counted([0.1, 0.1, 0.1, 0.4], [0.0] * 4, **made, mpi_calls=[[0.0] * 4, [100.0] * 4])
    found = analyze(run.replaced(notes=replace(run.notes, processors=2)))
    text = " ".join(whole_lines(found, everything=True))
    assert ("ranks 0-2 wait for rank 3: 300 ms on average, in the loop in work (work.c:1)" in text) == (
        named == "waits"
    )
    assert [each.kind for each in found.verdict.findings if each.kind is not Kind.HOT_SPOT] == [Kind.IMBALANCE]


def test_misses_say_how_many_l3_and_the_tlb_miss_too():
    run = counted(
        [1.0] * 2,
        [0.1] * 2,
        [0.1] * 2,
        instructions=[[1e8] * 2] * 3,
        l1_accesses=[[4e7] * 2] * 3,
        l1_misses=[[2e7] * 2, [1e5] * 2, [1e5] * 2],
        l2_accesses=[[2e7] * 2, [1e5] * 2, [1e5] * 2],
        l2_misses=[[1e7] * 2, [1e4] * 2, [1e4] * 2],
        l3_misses=[[9e6] * 2, [0.0] * 2, [0.0] * 2],
        tlb_misses=[[5e6] * 2, [0.0] * 2, [0.0] * 2],
    )
    said = "50 % of accesses, 17 % in the whole program; 90 % of L2 misses also miss L3; 1.0e7 TLB misses"
    assert f"why: L1 misses: {said}" in " ".join(whole_lines(analyze(run)))


def test_many_cycles_an_instruction_are_said_to_be_what_no_counter_tells():
    counts = {"instructions": [[1e8] * 2, [1e9] * 2, [1e9] * 2], "cycles": [[1e9] * 2] * 3}
    made = counted([1.0, 1.0], [0.01, 0.01], [0.01, 0.01], **counts)
    lines = whole_lines(analyze(made))
    why = "unknown; 0.1 instructions per cycle: long latencies (memory, divisions, mispredicted branches)"
    assert f"    why: {why}" in lines
    (found,) = analyze(made).verdict.findings
    assert [each.attribute for each in found.causes] == ["unexplained"]
    for faults, said in (
        (0.0, "first: autoanalyzer run --usage page_faults"),
        (3e5, "the region has 6.0e5 page faults"),
    ):
        counts["page_faults"] = [[faults] * 2, [0.0] * 2, [0.0] * 2]
        text = " ".join(whole_lines(analyze(counted([1.0, 1.0], [0.01, 0.01], [0.01, 0.01], **counts))))
        assert f" {said} " in f"{text} "


EVENTS = {
    "instructions": [[1e8] * 2, [1e9] * 2],
    "cycles": [[1e9] * 2] * 2,
    "branches": [[4e7] * 2, [4e7] * 2],
    "branch_misses": [[2e5] * 2, [0.0] * 2],
    "denormals": [[0.0] * 2] * 2,
}


@pytest.mark.parametrize(
    ("divisions", "said"),
    [
        (4e7, "perhaps 8.0e7 divisions; to measure the time per event: autoanalyzer calibrate"),
        (4e5, "long latencies; too few divisions, mispredicted branches or operations on denormal numbers to"),
    ],
)
def test_what_may_take_long_is_named_by_its_number_and_not_where_there_is_none(divisions, said):
    made = counted([1.0] * 2, [0.01] * 2, **EVENTS, divisions=[[divisions] * 2, [0.0] * 2])
    lines = whole_lines(analyze(made))
    assert f"why: unknown; 0.1 instructions per cycle: {said}" in " ".join(lines)
    assert any("multiply by a reciprocal" in line for line in lines) == (divisions > 1e6)


def test_what_takes_long_is_a_cause_with_its_number_and_its_time_at_the_machines_price():
    counts = {**EVENTS, "branch_misses": [[2e7] * 2, [0.0] * 2], "divisions": [[0.0] * 2] * 2}
    run = counted([1.0] * 2, [0.01] * 2, **counts)
    found = analyze(run.replaced(notes=replace(run.notes, prices={"branch_miss": 2.5e-8})))
    lines, (first, *_) = whole_lines(found), found.verdict.findings
    assert "    why: 4.0e7 mispredicted branches of 8.0e7 take 500 ms of the region's 1 s" in lines
    assert any(line.startswith("    try: make branches predictable by sorting the data") for line in lines)
    assert {each.attribute: each.seconds for each in first.causes}["branch_misses"] == pytest.approx(0.5)
    document = AccountSection().document(found)
    assert document["prices"]["branch_miss"] == 2.5e-8
    assert "branch_misses" in document["parts"]
    counts["instructions"] = [[6e8] * 2, [1e9] * 2]  # these may take all the time if the processor predicts better
    run = counted([1.0] * 2, [0.01] * 2, **counts)
    found = analyze(run.replaced(notes=replace(run.notes, prices={"branch_miss": 2.5e-8})))
    assert "branch_misses" not in {each.attribute for each in found.verdict.findings[0].causes}
    why = "    why: unknown; 0.6 instructions per cycle: perhaps 4.0e7 mispredicted branches of 8.0e7"
    assert why in whole_lines(found)


def test_page_faults_are_a_cause_with_their_number_what_they_take_and_what_to_try():
    counts = {"page_faults": [[2.5e5] * 4, [0.0] * 4, [0.0] * 4], "system_time": [[0.31] * 4, [0.0] * 4, [0.0] * 4]}
    for more in ({}, {"instructions": [[1e9] * 4, [1e8] * 4, [1e8] * 4]}):
        run = counted([1.0] * 4, [0.01] * 4, [0.01] * 4, **counts, **more)
        found = analyze(run.replaced(notes=replace(run.notes, prices={"page_fault": 1e-6})))
        lines, (first, *_) = whole_lines(found), found.verdict.findings
        assert first.kind is Kind.PAGE_FAULTS
        assert first.gain and first.gain.seconds == pytest.approx(0.31)
        assert {each.attribute: each.seconds for each in first.causes}["page_faults"] == pytest.approx(0.31)
        assert any(line.startswith("1 PAGE FAULTS  work.c") for line in lines)
        account = AccountSection().document(found)
        assert account["prices"]["page_fault"] == pytest.approx(1.24e-6)
        assert "page_fault" in account["fitted"]
        assert (
            "    why: page faults: 1.0e6 (at least 4.1 GB touched for the first time); 310 ms of the region's 1 s"
            in lines
        )
        assert any(line.startswith("    try: allocate memory once, outside the loop, and reuse it") for line in lines)
    counts["page_faults"] = [[10.0] * 4, [0.0] * 4, [0.0] * 4]
    run = counted([1.0] * 4, [0.01] * 4, [0.01] * 4, **counts)
    run = run.replaced(notes=replace(run.notes, prices={"page_fault": 1e-6}))
    assert "    why: system time: 310 ms of the region's 1 s" in whole_lines(analyze(run))


def test_allocations_are_a_cause_with_their_number_each_time_and_what_to_try():
    run = counted([1.0] * 4, [0.01] * 4, [0.01] * 4, allocations=[[3e7] * 4, [0.0] * 4, [0.0] * 4])
    found = analyze(run.replaced(notes=replace(run.notes, prices={"allocation": 2e-8})))
    first, lines = found.verdict.findings[0], whole_lines(found)
    assert (first.kind, first.gain and first.gain.seconds) == (Kind.ALLOCATION, pytest.approx(0.6))
    assert "    why: allocations: 1.2e8; 600 ms of the region's 1 s" in lines
    account = AccountSection().document(found)
    assert (account["prices"], account["fitted"]) == ({"allocation": 2e-8}, [])
    assert "    try: allocate once before the loop, or many elements at a time: each allocation costs time" in lines


def test_of_what_is_mostly_waiting_that_is_said_before_what_it_computes():
    for in_mpi, first in ((4.0, "why: 4 s in 200 MPI"), (1.5, "why: the region executes all of the program's 1.6e10")):
        made = counted(
            *([2.0, 2.0], [0.01, 0.01], [0.01, 0.01]),
            instructions=[[8e9, 8e9], [1e7, 1e7], [1e7, 1e7]],
            mpi_time=[[in_mpi] * 2, [0.0] * 2, [0.0] * 2],
            mpi_bytes=[[8e3] * 2, [0.0] * 2, [0.0] * 2],
            mpi_calls=[[100.0] * 2, [0.0] * 2, [0.0] * 2],
        )
        said = [line for line in verdict_lines(analyze(made)) if re.match("    (why|the region executes)", line)]
        assert first in said[0]


def test_a_throttled_region_is_named_in_the_one_that_has_its_time():
    made = experiment([1.0] * 4)
    find = Region("loop", "loop@25", "src/table.c", "find", 0, 25, 27)
    zeros = np.zeros((1, 4))
    seconds = {name: np.vstack([made.exclusive(name), zeros]) for name in NAMES}
    throttled = Experiment(
        metrics=[*made.metrics, Metric("visits", "occ")],
        call_paths=[*made.call_paths, CallPath(find, 1)],
        locations=made.locations,
        severities=seconds | {"visits": np.array([[1.0] * 4, [1.0] * 4, [2e6] * 4])},
        notes=Notes(program="app", throttled={find.descriptor: reason_of(8_000_000, 1000, 4.3e-4)}),
    )
    findings = analyze(throttled)
    said = "about 86 % of its own time is in the loop in find (table.c:25), too small to measure separately"
    assert f"    {said} (--max-overhead off measures it)" in whole_lines(findings)
    (region,) = findings_document(findings, Path("x"))["disparity"]["cccr"]
    assert [(each["function"], each["share"]) for each in region["throttled"]] == [("find", pytest.approx(0.86))]


def test_ranks_that_execute_more_and_take_no_longer_are_doubted_and_nothing_is_saved():
    calm = [[0.1] * 4] * 4
    made = experiment([0.98, 1.02, 1.02, 0.98], *calm)
    counts = np.array([[0.0] * 4, [1.06e9, 1e9, 1e9, 1.06e9], *[[1e8] * 4] * 4])
    counted = Experiment(
        metrics=[*made.metrics, Metric("instructions", "occ")],
        call_paths=made.call_paths,
        locations=made.locations,
        severities={name: made.exclusive(name) for name in NAMES} | {"instructions": counts},
        notes=Notes(program="app"),
    )
    (found, *_) = analyze(counted).verdict.findings
    assert (found.kind, found.gain, found.difference) == (Kind.HOT_SPOT, None, 0)
    assert "    ranks 1-2: 1.02 s each; ranks 0, 3: 980 ms each" in verdict_lines(analyze(counted))


@pytest.mark.parametrize("file", ["work.c", f"src/{'deep' * 12_500}.c"], ids=["name", "name and file"])
def test_a_name_of_many_pages_is_shortened_in_the_middle_and_whole_in_the_document(file: str) -> None:
    name = f"first<{'int, ' * 10_000}int>::last"
    times = np.array([[0.0, 0.0], [1.0, 4.0], [0.01, 0.01]])
    main = Region("function", "main", "src/app.c", "main", 0, 1, 9)
    loops = [Region("loop", f"loop@{n}", file, name, n, n, n) for n in (1, 2)]
    made = Experiment(
        metrics=[Metric(each, "sec") for each in NAMES],
        call_paths=[CallPath(main), *(CallPath(each, 0) for each in loops)],
        locations=[Location("m", "n", rank) for rank in range(2)],
        severities={"wall_time": times, "cpu_time": times, "mpi_cpu_time": np.zeros_like(times)},
        notes=Notes(program="app", unprobed={loops[0].descriptor: name}),
    )
    findings = analyze(made)
    lines = verdict_lines(findings, everything=True)
    assert any("int>::last" in line for line in lines)
    assert any("includes first<int, " in line for line in lines)
    assert max(map(len, lines)) <= 100
    (heavy, *_) = findings_document(findings, Path("a.cube"))["disparity"]["classes"]
    assert (heavy["function"], heavy["file"]) == (name, file)
