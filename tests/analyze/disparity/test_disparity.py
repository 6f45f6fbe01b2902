from autoanalyzer.analyze.code_regions import CodeRegion
from autoanalyzer.analyze.disparity.disparity import Disparity, find_disparity


def region(number: int, *children: int, depth: int = 1) -> CodeRegion:
    return CodeRegion(number, own_code=False, depth=depth, children=children)


def disparity(regions: list[CodeRegion], values: list[float]) -> Disparity:
    return find_disparity(regions, values=values, shares=values)


def test_a_heavy_leaf_is_critical_and_a_core():
    found = disparity([region(0), region(1)], [0.8, 0.02])
    assert (found.ccr, found.cccr) == ((0,), (0,))


def test_the_deepest_of_a_chain_of_equal_weight_is_the_core():
    found = disparity([region(0, 1), region(1, 2), region(2), region(3)], [0.9, 0.89, 0.88, 0.02])
    assert found.ccr == (0, 1, 2)
    assert found.cccr == (2,)


def test_a_loop_around_everything_is_no_core_of_its_own():
    found = disparity([region(0, 1, 2), region(1), region(2), region(3)], [0.95, 0.5, 0.46, 0.01])
    assert 0 in found.ccr
    assert found.cccr == (1, 2)


def test_a_parent_with_much_work_of_its_own_is_a_core_beside_its_child():
    found = disparity([region(0, 1), region(1), region(2), region(3)], [0.9, 0.4, 0.04, 0.02])
    assert found.cccr == (0, 1)


def test_regions_under_three_percent_of_the_run_are_never_critical():
    found = disparity([region(0), region(1)], [0.02, 0.001])
    assert not found.exists
    assert found.classes == (4, 3)


def test_of_five_weights_the_two_heaviest_are_critical():
    found = disparity([region(number) for number in range(5)], [0.4, 0.3, 0.15, 0.08, 0.04])
    assert found.classes == (4, 3, 2, 1, 0)
    assert found.ccr == (0, 1)


def test_regions_of_equal_weight_do_not_stand_out():
    assert not disparity([region(0), region(1)], [0.5, 0.5]).exists


def test_one_region_does_not_stand_out():
    assert not disparity([region(0)], [0.97]).exists
