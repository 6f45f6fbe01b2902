"""Advice from sources that are found where an experiment is."""

import os

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import load, save
from autoanalyzer.view.advice import advice_lines, find_advice
from autoanalyzer.view.findings_json import findings_document

from ..analyze.conftest import make_experiment

__all__ = ["make_experiment"]

SOURCE = "\n\nvoid work(double *a, int rank) { for (int i = 0; i < 8 * rank; i++) a[i] = 0; }\n"


@pytest.fixture
def measured(make_experiment, tmp_path):
    """Give findings, the experiment's file, and beside it the source, which is older."""
    times = {"other": [1, 1, 1, 1], "rest": [1, 1, 1, 1], "work": [1, 2, 4, 8]}
    instructions = {name: [1e9 * each for each in row] for name, row in times.items()}
    file, source = tmp_path / "experiment.cube", tmp_path / "app.c"
    source.write_text(SOURCE)
    save(make_experiment(times, instructions=instructions), file)
    os.utime(source, (1e9, 1e9))
    return analyze(load(file)), file, source


def test_advice_is_in_the_document_and_in_lines(measured):
    findings, file, _ = measured
    advised = find_advice(findings, file)
    document = findings_document(findings, file, advised=advised)
    ((advice,),) = [entry["advice"] for entry in document["dissimilarity"]["cccr"]]
    assert advice["places"] == ("app.c:3",)
    assert not document["no_advice"]
    _, region, line = advice_lines(findings, advised)
    assert "app.c:3" in region
    assert "app.c:3: the bounds of line 3 (8*rank - 1)" in line


def test_nothing_is_advised_on_what_was_changed_after_the_run(measured):
    findings, file, source = measured
    os.utime(source)
    os.utime(file, (1.5e9, 1.5e9))
    advised = find_advice(findings, file)
    assert not advised.of_ranks
    assert "app.c was changed after the run" in advice_lines(findings, advised)[-1]


def test_without_advice_the_document_has_none(measured):
    findings, file, _ = measured
    document = findings_document(findings, file)
    assert [entry["advice"] for entry in document["dissimilarity"]["cccr"]] == [[]]
