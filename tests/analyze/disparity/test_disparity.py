from autoanalyzer.analyze.disparity.disparity import Disparity, find_disparity
from autoanalyzer.analyze.run.code_regions import CodeRegion


def region(number: int, *children: int, depth: int = 1) -> CodeRegion:
    return CodeRegion(number, own_code=False, depth=depth, children=children)


def disparity(regions: list[CodeRegion], values: list[float]) -> Disparity:
    return find_disparity(regions, values=values, shares=values, least=0.03)


def test_a_heavy_leaf_is_critical_and_a_culprit():
    found = disparity([region(0), region(1)], [0.8, 0.02])
    assert (found.critical, found.culprits) == ((0,), (0,))


def test_the_deepest_of_a_chain_of_equal_weight_is_the_culprit():
    found = disparity([region(0, 1), region(1, 2), region(2), region(3)], [0.9, 0.89, 0.88, 0.02])
    assert found.critical == (0, 1, 2)
    assert found.culprits == (2,)


def test_a_loop_around_everything_is_no_culprit_of_its_own():
    found = disparity([region(0, 1, 2), region(1), region(2), region(3)], [0.95, 0.5, 0.46, 0.01])
    assert 0 in found.critical
    assert found.culprits == (1, 2)


def test_a_parent_with_much_work_of_its_own_is_a_culprit_beside_its_child():
    found = disparity([region(0, 1), region(1), region(2), region(3)], [0.9, 0.4, 0.04, 0.02])
    assert found.culprits == (0, 1)


def test_regions_under_three_percent_of_the_run_are_never_critical():
    found = disparity([region(0), region(1)], [0.02, 0.001])
    assert not found.exists
    assert found.classes == (4, 3)


def test_of_five_weights_the_two_heaviest_are_critical():
    found = disparity([region(number) for number in range(5)], [0.4, 0.3, 0.15, 0.08, 0.04])
    assert found.classes == (4, 3, 2, 1, 0)
    assert found.critical == (0, 1)


def test_regions_of_equal_weight_do_not_stand_out():
    assert not disparity([region(0), region(1)], [0.5, 0.5]).exists


def test_what_costs_enough_is_named_where_all_regions_weigh_alike():
    regions = [region(0), region(1, 2), region(2, depth=2)]
    found = find_disparity(regions, values=[0.5] * 3, shares=[0.5] * 3, least=0.03, costly=[1, 2])
    assert (found.classes, found.critical, found.culprits) == ((), (), (2,))


def test_one_region_does_not_stand_out():
    assert not disparity([region(0)], [0.97]).exists


def test_a_region_whose_child_holds_nearly_all_is_none_though_it_alone_is_critical():
    regions = [region(0, 1), region(1), region(2), region(3), region(4)]
    found = disparity(regions, [0.42, 0.37, 0.95, 0.1, 0.05])
    assert found.critical == (0, 2)
    assert found.culprits == (1, 2)


def test_of_a_loop_around_regions_of_weight_these_are_the_culprits_though_none_is_critical():
    regions = [region(0, 1, 2, 3), region(1), region(2, 5), region(3), region(4), region(5)]
    found = disparity(regions, [0.6, 0.26, 0.3, 0.02, 0.95, 0.29])
    assert found.critical == (0, 4)
    assert found.culprits == (1, 4, 5)


def test_a_region_of_small_parts_alone_is_a_culprit():
    regions = [region(0, *range(1, 11)), *(region(number) for number in range(1, 11)), region(11), region(12)]
    found = disparity(regions, [0.6, *[0.06] * 10, 0.95, 0.02])
    assert found.culprits == (0, 11)


def test_of_values_that_contain_no_others_each_critical_region_with_a_class_above_its_children_is_a_culprit():
    regions = [region(0, 1), region(1), region(2)]
    found = find_disparity(regions, values=[4.0, 3.0, 0.5], shares=[0.5, 0.45, 0.5], additive=False, least=0.03)
    assert found.culprits == (0, 1)
