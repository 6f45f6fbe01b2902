"""Numbers of the analysis are changed temporarily, in all modules that have them."""

from __future__ import annotations

import pytest

from autoanalyzer.analyze import analyze

from .ablation import beyond_criteria, criteria


@pytest.mark.parametrize("numbers", [criteria, beyond_criteria])
def test_a_number_is_another_one_only_while_it_is_tried(numbers):
    assert callable(analyze)  # the modules that it imports are searched
    before = {each.name: each.value for each in numbers()}
    for number in numbers():
        with number.set_to(7):
            assert {each.name: each.value for each in numbers()} == {**before, number.name: 7}
    assert {each.name: each.value for each in numbers()} == before
