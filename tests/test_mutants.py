"""The faults that ``make mutants`` plants, one at a time, fit the current product and tests."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MUTANTS = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text())["mutant"]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant["name"])
def test_a_fault_changes_one_place_and_its_tests_are_there(mutant):
    assert (ROOT / mutant["file"]).read_text().count(mutant["find"]) == 1
    assert mutant["find"] != mutant["replace"]
    assert mutant["tests"]
    assert all((ROOT / each).exists() for each in mutant["tests"])


def test_each_room_has_a_fault_and_names_occur_once():
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert {Path(mutant["file"]).parts[0] for mutant in MUTANTS} == rooms
    assert len({mutant["name"] for mutant in MUTANTS}) == len(MUTANTS)
