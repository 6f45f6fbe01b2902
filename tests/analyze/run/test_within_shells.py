"""Regions around the whole program: only their own code and the regions below them are compared."""

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.run.code_regions import CodeRegion, within_shells


def region(number: int, *children: int, depth: int = 1) -> CodeRegion:
    return CodeRegion(number, own_code=False, depth=depth, children=children)


def alike(value: float) -> list[float]:
    return [value] * 4


def test_below_a_chain_around_the_program_are_the_one_code_regions():
    regions = (region(0, 1), region(1, 2, 3, depth=2), region(2, depth=3), region(3, 4, depth=3), region(4, depth=4))
    opened = within_shells((*regions, region(5)), [0.97, 0.96, 0.5, 0.4, 0.3, 0.02])
    assert [each.own_code for each in opened] == [True, True, False, False, False, False]
    assert [each.depth for each in opened] == [1, 1, 1, 1, 2, 1]
    assert [each.children for each in opened] == [(), (), (), (4,), (), ()]
    assert [each.id for each in opened] == list(range(6))


def test_a_region_that_does_nearly_all_itself_is_around_nothing():
    regions = (region(0, 1), region(1, depth=2), region(2))
    assert within_shells(regions, [0.97, 0.02, 0.02]) == regions


def test_a_region_that_holds_less_than_nine_tenths_is_around_nothing():
    regions = (region(0, 1), region(1, depth=2), region(2))
    assert within_shells(regions, [0.89, 0.88, 0.1]) == regions


def test_a_leaf_that_holds_the_program_is_heavy(make_experiment):
    findings = analyze(make_experiment({"follow": alike(0.0), "follow/loop@2": alike(5.0), "end": alike(0.1)}))
    assert [findings.run.weighed.regions[each].id for each in findings.disparity.culprits] == [2]


def test_a_third_of_a_time_loop_is_very_heavy(make_experiment):
    parts = {"a": 3.0, "b": 1.6, "c": 1.3, "d": 1.0, "e": 0.8, "f": 0.5}
    seconds = {f"loop@1/{name}": alike(each) for name, each in parts.items()}
    findings = analyze(make_experiment({"loop@1": alike(0.1), **seconds}))
    classes = {
        findings.experiment.path_name(each.id): severity
        for each, severity in zip(findings.run.weighed.regions, findings.disparity.classes, strict=True)
    }
    assert [name for name, severity in classes.items() if severity == 4] == ["loop@1/a"]
    assert classes["loop@1"] == 0


def test_much_own_code_of_a_time_loop_is_named_as_that(make_experiment):
    seconds = {"loop@1": alike(4.0), "loop@1/a": alike(3.0), "loop@1/b": alike(2.0), "loop@1/c": alike(0.3)}
    findings = analyze(make_experiment(seconds))
    (heaviest,) = (each for each in findings.disparity.culprits if findings.disparity.classes[each] == 4)
    assert (findings.run.weighed.regions[heaviest].id, findings.run.weighed.regions[heaviest].own_code) == (1, True)
    assert findings.run.weighed_costs[heaviest].share < 0.5 < findings.run.costs[heaviest].share
