"""Every number in the page's trees equals that of the model, as printed by ``dump``, up to the shown digits."""

from __future__ import annotations

from urllib.parse import quote

import numpy as np
import pytest

from autoanalyzer.view.browser import rows
from autoanalyzer.view.browser.written import written

from ..conftest import FEW, FOREIGN, OWN, STATES, wandering
from .conftest import DIMENSIONS

VALUES = {"abs": None, "pct": "root", "sel": "selection"}
KEYS = {"metrics": "m", "program": "c", "system": "s"}


def fragment(browser, values: str, *, flat: bool) -> str:
    """Return a state as in the page's URL."""
    parts = [f"v={values}", *(["f=flat"] if flat else [])]
    for dimension, key in KEYS.items():
        pane = browser.pane(dimension)
        for suffix, nodes in (("", pane.selected), ("o", pane.open)):
            names = ",".join(quote(pane.tree.identities[node], safe="") for node in sorted(nodes))
            parts.append(f"{key}{suffix}={names}")
    return "&".join(parts)


def _compare_states(shown, experiment, count: int) -> None:
    random = np.random.default_rng(5)
    shown.tall()
    for number, browser in enumerate(wandering(experiment, 11)):
        if number == count:
            break
        values = [*VALUES][random.integers(3)]
        flat = browser.program.tree.parents != tuple(path.parent for path in experiment.call_paths)
        shown.go(fragment(browser, values, flat=flat))
        found = shown.rows()
        for dimension in DIMENSIONS:
            expected = [*rows(browser, dimension, VALUES[values])]
            assert [row["label"] for row in found[dimension]] == [row.label for row in expected]
            assert [row["selected"] for row in found[dimension]] == [row.selected for row in expected]
            for row, own in zip(found[dimension], expected, strict=True):
                text, sign = written(own.value, own.unit)
                text = text.removeprefix("-") if experiment.notes.is_difference else text  # the mark replaces the sign
                assert row["value"].strip("▲▼~") == text, (dimension, row, own)
                if experiment.notes.is_difference and own.value.amount is not None:
                    assert row["value"][:1].strip("0123456789<") == {1: "▼", -1: "▲", 0: ""}[sign]
                if own.value.amount is not None:
                    assert row["relief"] == {1: "raised", -1: "sunken", 0: "flat"}[sign]
                assert row["hatched"] == (own.value.gap == "not measured")
                assert row["value"].endswith("~") == (own.value.gap == "partial")


@pytest.mark.parametrize("name", ["rays", "rays - rays_dynamic", "gaps 3"])
def test_a_few_states_show_the_numbers_of_the_model(name, experiments, show):
    _compare_states(show(experiments[name]), experiments[name], FEW)


@pytest.mark.long
@pytest.mark.by_day(name=["hybrid"])
@pytest.mark.parametrize("name", [*OWN, "rays - rays_dynamic", *FOREIGN])
def test_many_states_show_the_numbers_of_the_model(name, experiments, show):
    _compare_states(show(experiments[name]), experiments[name], STATES)
