"""Models of counts as functions of the number of ranks."""

import pytest

from autoanalyzer.analyze.scaling.models import fitted

RANKS = (2, 4, 8, 16)


@pytest.mark.parametrize(
    ("values", "terms"),
    [
        ((7, 7, 7, 7), {"1": 7}),
        ((80, 40, 20, 10), {"1/P": 160}),
        ((3, 6, 9, 12), {"log P": 3}),
        ((10, 20, 40, 80), {"P": 5}),
        ((85, 45, 25, 15), {"1": 5, "1/P": 160}),
        ((4, 10, 22, 46), {"1": -2, "P": 3}),
        ((0, 0, 0, 0), {}),
    ],
)
def test_the_simplest_exact_model_is_found(values: tuple[float, ...], terms: dict[str, float]) -> None:
    found = fitted(RANKS, values)
    assert found is not None
    assert dict(found.terms) == pytest.approx(terms)
    assert found.at(32) == pytest.approx(fitted((*RANKS, 32), (*values, found.at(32))).at(32))


def test_noise_gets_no_model_nor_do_two_values_one_with_two_terms() -> None:
    assert fitted(RANKS, (100, 97, 103, 99)) is None
    assert fitted((2, 4), (85, 45)) is None
    assert fitted((1, 2), (0, 8)) is None
    assert dict(fitted((2, 4), (50, 50.4)).terms).keys() == {"1"}
