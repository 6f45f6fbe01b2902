"""The page shows the same as the model, whatever is opened, closed and selected."""

from __future__ import annotations

import math
import subprocess
from dataclasses import asdict
from pathlib import Path

import numpy as np
import orjson
import pytest

from autoanalyzer.view.browser import legend, rows
from autoanalyzer.view.page import dataset_of

from ..conftest import ALL, DIMENSIONS, OF_PROCESSES, PARTS_ALONE, wandering

SHOW = Path(__file__).with_name("rows.mjs")


@pytest.mark.parametrize("name", (*ALL, *PARTS_ALONE, OF_PROCESSES))
@pytest.mark.by_day(name=[*ALL[:6], *PARTS_ALONE[:2], OF_PROCESSES])
def test_states_show_what_the_model_shows(name, experiments):
    experiment = experiments[name]
    random = np.random.default_rng(7)
    states, expected = [], []
    for browser in wandering(experiment, 7):
        basis = (None, "root", "selection", "other")[random.integers(4)]
        for dimension in ("metrics", "program"):
            if random.random() < 0.1:
                browser = browser.unfolding(dimension, None)  # noqa: PLW2901 - another state
        flat = browser.program.tree.parents != tuple(path.parent for path in experiment.call_paths)
        panes = {dimension: _state(browser.pane(dimension)) for dimension in DIMENSIONS}
        states.append({"flat": flat, "basis": basis, "panes": panes})
        whole = browser.sums if basis == "other" else basis
        expected.append([([*rows(browser, each, whole)], legend(browser, each, whole)) for each in DIMENSIONS])
    made = dataset_of(experiment)
    numbers = {key: asdict(packed) for key, packed in made.numbers.items()}
    given = orjson.dumps({"head": made.head, "numbers": numbers, "states": states})
    ran = subprocess.run(["node", SHOW], input=given, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    lines = ran.stdout.splitlines()
    assert len(lines) == len(expected)
    for line, of_all in zip(lines, expected, strict=True):
        for shown, (own, scale) in zip(orjson.loads(line), of_all, strict=True):
            _compare(shown["rows"], own)
            assert (shown["legend"] is None) == (scale is None)
            assert scale is None or _same(shown["legend"]["top"], scale.top)


def _state(pane):
    unfolded = [-1 if node is None else node for node in pane.unfolded]
    return {"open": [*pane.open], "selected": [*pane.selected], "unfolded": unfolded}


def _compare(shown, expected):
    assert [row["label"] for row in shown] == [row.label for row in expected]
    for row, own in zip(shown, expected, strict=True):
        for key in ("depth", "state", "selected", "unit"):
            assert row[key] == getattr(own, key)
        assert row["nodes"] == [*own.nodes]
        assert row["value"]["gap"] == own.value.gap
        assert _same(row["value"]["amount"], own.value.amount)
        assert _same(row["colour"], own.colour)


def _same(one, other):
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
