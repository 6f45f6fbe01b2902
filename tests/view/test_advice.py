"""Advice from sources that are found near an experiment."""

import os
import signal
from pathlib import Path

import pytest

from autoanalyzer.advise import Advice, Advised, Limits, in_limited_process
from autoanalyzer.advise.advice import HIGH, LOW
from autoanalyzer.analyze import analyze
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load, save
from autoanalyzer.view.advice import find_advice, tries
from autoanalyzer.view.findings_json import findings_document
from autoanalyzer.view.verdict import verdict_lines

from ..analyze.conftest import make_experiment

__all__ = ["make_experiment"]

GENERAL = "    try: distribute the work evenly: give ranks parts of equal cost, or hand out parts on demand"
SOURCE = "\n\nvoid work(double *a, int rank) { for (int i = 0; i < 8 * rank; i++) a[i] = 0; }\n"


@pytest.fixture
def measured(make_experiment, tmp_path):
    """Return findings, the experiment's file, and the source beside it, which is older."""
    times = {"other": [1, 1, 1, 1], "rest": [1, 1, 1, 1], "work": [1, 2, 4, 8]}
    instructions = {name: [1e9 * each for each in row] for name, row in times.items()}
    file, source = tmp_path / "experiment.cube", tmp_path / "app.c"
    source.write_text(SOURCE)
    save(make_experiment(times, instructions=instructions), file)
    os.utime(source, (1e9, 1e9))
    return analyze(load(file)), file, source


def test_advice_is_in_the_document_and_below_the_cause(measured):
    findings, file, _ = measured
    advised = find_advice(findings, file)
    document = findings_document(findings, file, advised=advised)
    ((advice,),) = [entry["advice"] for entry in document["dissimilarity"]["cccr"]]
    assert advice["places"] == ("app.c:3",)
    assert not document["no_advice"]
    for everything in (False, True):
        lines = verdict_lines(findings, file, everything=everything, advised=advised)
        at = next(number for number, line in enumerate(lines) if line.startswith("    why: instructions differ"))
        assert lines[at + 1].startswith(
            "    try at app.c:3: give each rank a part of equal cost: the loop in line 3 runs"
        )
        assert GENERAL not in lines
        assert not any("no advice" in line for line in lines)


def test_a_defect_in_reading_sources_does_not_take_the_verdict_with_it(measured):
    findings, file, _ = measured

    def fails(what):
        raise KeyError(what)

    advised = find_advice(findings, file, tell=fails)
    lines = verdict_lines(findings, file, advised=advised)
    assert GENERAL in lines
    text = " ".join(" ".join(lines).split())
    assert "please report it: KeyError: 'looking for advice in app.c' (" in text


def test_what_is_read_is_told(measured):
    findings, file, _ = measured
    told = []
    find_advice(findings, file, tell=told.append)
    assert told == ["looking for advice in app.c"]


def test_without_advice_the_verdict_is_as_without_sources(measured):
    findings, file, _ = measured
    assert GENERAL in verdict_lines(findings, file)


@pytest.mark.parametrize("everything", [False, True])
def test_nothing_is_advised_on_what_was_changed_after_the_run(measured, everything):
    findings, file, source = measured
    os.utime(source)
    os.utime(file, (1.5e9, 1.5e9))
    advised = find_advice(findings, file)
    assert not advised.of_ranks
    lines = verdict_lines(findings, file, everything=everything, advised=advised)
    assert GENERAL in lines
    said = [line for line in lines if line.startswith("no advice on")]
    assert said == ["no advice on app.c: app.c was changed after the run: lines may have moved"]


def test_sources_that_are_not_there_take_one_line(measured, make_experiment):
    advised = Advised(lacking=("no advice on a.c: why", "no advice on b.c: why"), remarks=("x", "y", "z"))
    findings, file, _ = measured
    lines = verdict_lines(findings, file, advised=advised)
    assert [line for line in lines if "no advice" in line] == [
        "no advice on a.c: why (and 1 more: autoanalyzer analyze --all)"
    ]
    whole = verdict_lines(findings, file, everything=True, advised=advised)
    start = whole.index("x")
    assert whole[start : start + 3] == ["x", "y", "z"]


@pytest.fixture
def heavy(make_experiment):
    """Return findings with many hot spots, all due to their instructions."""
    times = {f"work{number}": [30 - number] * 4 for number in range(8)}
    counts = {name: [1e9 * each for each in row] for name, row in times.items()}
    return analyze(make_experiment(times, instructions=counts))


def test_fifteen_lines_are_filled_before_advice_is_left_out_and_the_first_finding_has_its_own(heavy):
    culprits = heavy.culprits_by_weight
    advice = {
        culprit: (Advice("a kind", f"seen {culprit}: cure", ("app.c:5",), (), None, LOW),) for culprit in culprits
    }
    advised = Advised(of_regions=advice)
    lines = verdict_lines(heavy, Path("out"), advised=advised)
    assert len(lines) == 15
    first = next(number for number, line in enumerate(lines) if line.startswith("1 HOT SPOT"))
    assert lines[first + 3] == f"    try at app.c:5: seen {culprits[0]}: cure (a guess from the source)"
    whole = verdict_lines(heavy, Path("out"), everything=True, advised=advised)
    assert sum("try at" in line for line in whole) == len(culprits) > 3
    assert not any("try: " in line for line in whole)


def test_advice_on_the_same_lines_is_said_once(heavy):
    advised = Advised(
        of_regions={culprit: (Advice("a kind", "seen: cure", ("app.c:5",)),) for culprit in heavy.culprits_by_weight}
    )
    lines = verdict_lines(heavy, Path("out"), advised=advised)
    assert sum("try at app.c:5" in line for line in lines) == 1
    assert sum("HOT SPOT" in line for line in lines) > 1
    whole = verdict_lines(heavy, Path("out"), everything=True, advised=advised)
    assert sum("try at app.c:5" in line for line in whole) == 1


def test_more_advice_on_a_finding_stands_in_lines_that_would_stay_free(heavy, make_experiment):
    few = analyze(make_experiment({"a": [30] * 4, "b": [1] * 4}, instructions={"a": [3e10] * 4, "b": [1e9] * 4}))
    for findings, found in ((heavy, [0]), (few, [0, 1, 2])):
        first = findings.culprits_by_weight[0]
        advice = tuple(Advice("a kind", f"{number}: cure", ("app.c:5",), confidence=HIGH) for number in range(3))
        lines = verdict_lines(findings, Path("out"), advised=Advised(of_regions={first: advice}))
        assert [number for number in range(3) if f"    try at app.c:5: {number}: cure" in lines] == found
        assert len(lines) <= 15


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a is seen: do so", "try at b.c:5: a is seen: do so"),
        ("from src/b.c:5, a", "try: from b.c:5, a"),
        ("from src/b.c:55, a", "try at b.c:5: from b.c:55, a"),
        (f"{'a' * 300}: do so", f"try at b.c:5: {'a' * 300}: do so"),
        (f"a; {'a' * 300}: do so", "try at b.c:5: a: do so (see autoanalyzer analyze --all)"),
        (f"a; b: {'c' * 200}; {'d' * 300}", f"try at b.c:5: a: {'c' * 200} (see autoanalyzer analyze --all)"),
        ("a" * 999, f"try at b.c:5: {'a' * 240}…{'a' * 239} (see autoanalyzer analyze --all)"),
        ("a\nb", "try at b.c:5: a\ufffdb"),
    ],
)
def test_a_line_is_short_and_keeps_what_to_try(text, line):
    advice = Advice("a kind", text, ("src/b.c:5",), confidence=HIGH)
    assert tries([advice], whole=False) == [line]
    (whole,) = tries([advice], whole=True)
    assert len(whole) >= len(text)


def test_all_of_a_verdict_has_its_advice_in_full(heavy):
    advice = Advice("a kind", f"a; {'b ' * 150}: do so", ("app.c:5",), confidence=HIGH)
    advised = Advised(of_regions={heavy.culprits_by_weight[0]: (advice,)})
    for everything in (False, True):
        text = " ".join(" ".join(verdict_lines(heavy, Path("out"), everything=everything, advised=advised)).split())
        assert ("a: do so (see autoanalyzer analyze --all)" in text) != everything
        assert (f"a; {'b ' * 150}: do so" in text) == everything


def test_without_advice_the_document_has_none(measured):
    findings, file, _ = measured
    document = findings_document(findings, file)
    assert [entry["advice"] for entry in document["dissimilarity"]["cccr"]] == [[]]


def test_a_source_that_never_ends_is_given_up_and_the_verdict_stands(measured):
    findings, file, source = measured
    os.mkfifo(source.parent / "pipe.h")
    source.write_text('#include "pipe.h"\n' + SOURCE[1:])
    os.utime(source, (1e9, 1e9))
    advised = find_advice(findings, file, limits=Limits(seconds=1))
    assert advised == _given_up("reading this file took more than 1 s")
    lines = verdict_lines(findings, file, advised=advised)
    assert GENERAL in lines
    assert advised.lacking[0] in lines


@pytest.fixture
def endless(measured):
    """Return the same for a source with macros that expand to a hundred million words."""
    findings, file, source = measured
    macros = [f"#define A{level} {f'A{level - 1} ' * 10}" for level in range(1, 9)]
    source.write_text("\n".join(("#define A0 1+", *macros, "int many = A8 0;", SOURCE)))
    os.utime(source, (1e9, 1e9))
    return findings, file


def test_macros_that_grow_without_end_are_given_up_after_some_time(endless):
    advised = find_advice(*endless, limits=Limits(processor_seconds=1))
    assert advised == _given_up("reading this file took more than 1 s of CPU time")


def test_macros_that_grow_without_end_are_given_up_by_their_memory(endless):
    (said,) = find_advice(*endless, limits=Limits(memory=128 << 20)).lacking
    assert said.startswith("no advice on app.c: ")
    assert said.endswith("the parser crashed or ran out of memory")


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (lambda _: os.kill(os.getpid(), signal.SIGKILL), "by signal 9"),
        (lambda _: os._exit(5), "with status 5"),
        (lambda _: bytearray(4 << 30), "more than 64 MiB of memory"),
    ],
)
def test_how_what_reads_has_ended_is_said(end, said):
    with pytest.raises(InputError, match=said):
        in_limited_process(end, str, Limits(memory=64 << 20))


def _given_up(why):
    said = f"no advice on app.c or any other file: {why}"
    return Advised(remarks=(said,), lacking=(said,))
