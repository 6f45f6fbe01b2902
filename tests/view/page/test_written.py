"""The page writes numbers as the terminal does, digit for digit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import orjson
import pytest

from autoanalyzer.view.browser.tally import Value
from autoanalyzer.view.browser.written import written

TWIN = Path(__file__).with_name("written.mjs")


@pytest.mark.parametrize("unit", ["sec", "bytes", "occ", "J", "%", "", "occ/sec"])
def test_numbers_of_all_sizes_and_halves_are_the_same(unit):
    random = np.random.default_rng(4)
    sizes = 10.0 ** random.uniform(-14, 18, 4000)
    halves = random.integers(0, 20_000, 3000) / 2.0 ** random.integers(0, 5, 3000)
    edges = [0.0, 9.95, 9.949999, 0.05, 0.0499, 9994.5, 9995, 12500, 13500, 999.5, 0.9995, 999.4999, 1e20, 5e-324]
    values = [*sizes.tolist(), *(-sizes[:500]).tolist(), *halves.tolist(), *edges, *(1000 * halves[:500]).tolist()]
    given = orjson.dumps([[value, unit] for value in values])
    ran = subprocess.run(["node", TWIN], input=given, capture_output=True, check=True)
    for value, shown in zip(values, orjson.loads(ran.stdout), strict=True):
        assert (shown["text"], shown["sign"]) == written(Value(value), unit), value
