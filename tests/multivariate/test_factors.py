import numpy as np
import pytest

from autoanalyzer.errors import InputError, UsageError
from autoanalyzer.multivariate.factors import factors, kind_of, named_by_kinds, promax
from autoanalyzer.view.statistics import factors_report


def _two_factors(make_space, *, points=400, seed=3):
    drawn = np.random.default_rng(seed)
    first, second = drawn.standard_normal((2, points))
    columns = {f"fp{each}": 0.9 * first + 0.4 * drawn.standard_normal(points) for each in range(4)}
    columns |= {f"l{each}_misses": 0.8 * second + 0.6 * drawn.standard_normal(points) for each in range(4)}
    return make_space({**columns, "visits": drawn.standard_normal(points)})


@pytest.mark.parametrize("rotation", ["varimax", "promax"])
def test_two_factors_and_a_metric_alone_are_found_and_named(make_space, rotation):
    found = factors(_two_factors(make_space), rotation=rotation)
    assert [(each.name, len(each.metrics)) for each in found.factors] == [("computation", 4), ("memory", 4)]
    assert (found.alone, found.heywood, found.converged) == (("visits",), {}, True)
    assert np.abs(found.loadings[:4, 0] - 0.9 / np.hypot(0.9, 0.4)).max() < 0.05
    assert np.abs(found.communalities[4:8] - 0.64).max() < 0.1


def test_loadings_reproduce_the_correlations(make_space):
    space = _two_factors(make_space)
    for rotation in ("varimax", "promax", "none"):
        found = factors(space, rotation=rotation)
        common = found.loadings @ found.correlations @ found.loadings.T
        residue = np.corrcoef(space.values, rowvar=False) - common
        assert np.abs(residue - np.diag(np.diag(residue))).max() < 0.1


def test_the_number_of_locations_changes_nothing_but_what_chance_makes(make_space):
    space = _two_factors(make_space)
    twice = make_space({name: np.tile(column, 2) for name, column in zip(space.metrics, space.values.T, strict=True)})
    one, other = (factors(each, count=2) for each in (space, twice))
    assert np.allclose(one.loadings, other.loadings, atol=1e-6)


def test_promax_leaves_what_factors_explain_and_a_simple_structure_as_they_are():
    simple = np.kron(np.eye(2), np.full((3, 1), 0.8))
    pattern, correlations = promax(simple)
    assert np.allclose(pattern, simple)
    assert np.allclose(correlations, np.eye(2))
    mixed = np.random.default_rng(4).uniform(-0.2, 0.9, (8, 3))
    pattern, correlations = promax(mixed)
    assert np.allclose(np.diag(correlations), 1)
    assert np.allclose(pattern @ correlations @ pattern.T, mixed @ mixed.T)


@pytest.mark.parametrize("seeds", [20, pytest.param(100, marks=pytest.mark.nightly)])
def test_unrelated_metrics_have_a_factor_in_5_of_100_cases(make_space, seeds):
    found = 0
    for seed in range(seeds):
        noise = np.random.default_rng(seed).standard_normal((200, 8))
        space = make_space({f"m{column}": noise[:, column] for column in range(8)})
        found += bool(factors(space, seed=seed).factors)
    assert found <= 0.1 * seeds + (seeds < 100)


def test_a_metric_that_is_a_factor_by_itself_is_a_heywood_case(make_space):
    drawn = np.random.default_rng(3)
    shared = drawn.standard_normal(60)
    columns = {f"m{each}": shared + 1.5 * drawn.standard_normal(60) for each in range(6)}
    found = factors(make_space(columns), count=3)
    assert list(found.heywood) == ["m4"]
    assert found.heywood["m4"] < 0.9
    assert found.communalities[4] > 0.975
    assert any("m4 is a Heywood case" in each for each in factors_report(found).sentences)


def test_redundant_metrics_are_no_heywood_cases(make_space):
    drawn = np.random.default_rng(1)
    work = drawn.standard_normal(100)
    columns = {f"m{each}": work + 1e-3 * drawn.standard_normal(100) for each in range(5)}
    found = factors(make_space({**columns, "copy": columns["m0"], "free": drawn.standard_normal(100)}))
    assert (len(found.factors), found.heywood) == (1, {})


def test_fewer_locations_than_metrics_are_borne(make_space):
    data = np.random.default_rng(5).standard_normal((4, 12))
    found = factors(make_space({f"m{each}": data[:, each] for each in range(12)}))
    assert np.isfinite(found.loadings).all()
    assert np.isfinite(found.random).all()


def test_three_metrics_and_factors_that_they_can_bear_are_wanted(make_space):
    drawn = np.random.default_rng(6).standard_normal((20, 4))
    with pytest.raises(InputError, match="three metrics"):
        factors(make_space({"a": drawn[:, 0], "b": drawn[:, 1]}))
    with pytest.raises(UsageError, match="expected 1 to 1 factors"):
        factors(make_space({name: drawn[:, each] for each, name in enumerate("abcd")}), count=2)


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        ("PM_0INST_CMPL", "waiting"),
        ("PM_LSU_IDLE", "waiting"),
        ("PM_FXU0_PROD_RESULT", "computation"),
        ("PM_ST_L2MISS", "memory"),
        ("PM_CYC", "time"),
        ("PAPI_TLB_DM", "memory"),
        ("PAPI_FP_OPS", "computation"),
        ("PAPI_RES_STL", "waiting"),
        ("l2_misses", "memory"),
        ("mpi_bytes_sent", "communication"),
        ("io_time", "file I/O"),
        ("wall_time", "time"),
        ("sent", "communication"),
        ("comm_time", "communication"),
        ("instructions_committed", "computation"),
        ("uops_committed", "computation"),
        ("absent_pages", "memory"),
        ("presentations", None),
        ("points_3", None),
        ("visits", None),
    ],
)
def test_the_kind_of_a_metric_is_told_by_its_name(metric, kind):
    assert kind_of(metric) == kind


def test_a_factor_of_two_kinds_has_both_names_and_one_of_none_that_of_its_first_metric():
    assert named_by_kinds(["fp", "fma", "l1_misses", "tlb"]) == "computation and memory"
    assert named_by_kinds(["alpha", "beta"]) == "alpha"
