"""Which regions are created: by modes, then by a plan's inclusions, then by its exclusions."""

import pytest

from autoanalyzer.errors import UsageError
from autoanalyzer.experiment import Region
from autoanalyzer.experiment.plan import Exclude, Include, Merge, Pattern, Plan, Split
from autoanalyzer.instrument.choice import Choice, read_choice
from autoanalyzer.instrument.code_region import CodeRegion, CodeRegions

INNER = ("inner-loops",)


def _regions(*made: CodeRegion) -> CodeRegions:
    return CodeRegions(
        (
            CodeRegion(Region("function", "main", "a.c", "main"), 0, 100),
            CodeRegion(Region("loop", "loop@3", "a.c", "main", 0, 3), 10, 90),
            CodeRegion(Region("loop", "loop@4", "a.c", "main", 1, 4), 20, 50, of_modes=INNER),
            CodeRegion(Region("loop", "loop@5", "a.c", "main", 2, 5), 30, 40, of_modes=INNER),
            CodeRegion(Region("math", "exp@6", "a.c", "main", 0, 6), 60, 70),
            CodeRegion(Region("function", "half", "a.c", "half"), 110, 120, "tiny: no loop", yields=True),
            *made,
        )
    )


def _made(choice: Choice) -> list[str]:
    return [each.region.name for each in choice.applied(_regions()).regions if not each.reason]


def _planned(plan: Plan) -> list[str]:
    return _made(Choice(plan=plan))


def test_modes_say_what_is_made_and_the_whole_program_is_in_any():
    assert _made(Choice()) == ["main", "loop@3"]
    assert _made(Choice(())) == ["main"]
    assert _made(Choice(("inner-loops", "math"))) == ["main", "loop@4", "loop@5", "exp@6"]


def test_an_include_adds_to_the_modes_and_an_exclude_takes_away_from_both():
    inner = Include(Pattern(function="main", file="a.c"), INNER)
    assert _planned(Plan(include=(inner,))) == ["main", "loop@3", "loop@4", "loop@5"]
    gone = Exclude(Pattern(name="loop@[35]"))
    assert _planned(Plan(include=(inner,), exclude=(gone,))) == ["main", "loop@4"]
    assert _planned(Plan(include=(inner,), eliminate=(gone,))) == ["main", "loop@4"]


def test_what_is_tiny_is_made_if_it_is_included_itself():
    assert "half" in _planned(Plan(include=(Include(Pattern(name="half")),)))
    assert "half" not in _planned(Plan(include=(Include(Pattern(name="half"), ("functions",)),)))


def test_a_split_opens_a_region_into_the_loops_right_in_it():
    assert _planned(Plan(split=(Split(Pattern(name="loop@3")),))) == ["main", "loop@3", "loop@4"]


def test_outermost_loops_are_made_in_place_of_a_function_that_cannot_be():
    walk = Region("function", "walk", "a.c", "walk")
    small = Region("function", "small", "a.c", "small")
    found = _regions(
        CodeRegion(walk, 130, 190, "calls itself last"),
        CodeRegion(Region("parallel", "parallel@8", "a.c", "walk", 0, 8), 135, 170),
        CodeRegion(Region("loop", "loop@9", "a.c", "walk", 0, 9), 140, 160),
        CodeRegion(Region("loop", "loop@10", "a.c", "walk", 2, 10), 145, 150, of_modes=INNER),
        CodeRegion(Region("loop", "loop@11", "a.c", "walk", 1, 11), 172, 180, "a jump leads into it"),
        CodeRegion(small, 200, 290, "short: inline", yields=True),
        CodeRegion(Region("loop", "loop@20", "a.c", "small", 0, 20), 210, 220),
    )

    def made(choice: Choice) -> list[str]:
        return [each.region.name for each in choice.applied(found).regions if not each.reason]

    assert made(Choice(("functions",))) == ["main", "loop@9"]
    assert made(Choice(("user",))) == ["main"]
    gone = Plan(exclude=(Exclude(Pattern(name="loop@9")),))
    assert made(Choice(("functions",), gone)) == ["main"]
    left_out = Plan(exclude=(Exclude(Pattern(name="main")),))
    assert made(Choice(("functions",), left_out)) == ["loop@9"]


def test_reasons_name_the_plan():
    plan = Plan(exclude=(Exclude(Pattern(name="loop@3"), "hot"),), eliminate=(Exclude(Pattern(name="main")),))
    reasons = {each.region.name: each.reason for each in Choice((), plan).decided(_regions()).regions}
    assert reasons["loop@3"] == "mode outer-loops is off"
    assert reasons["main"] == "eliminated by the plan"
    reasons = {each.region.name: each.reason for each in Choice(plan=plan).decided(_regions()).regions}
    assert reasons["loop@3"] == "left out by the plan: hot"
    assert reasons["half"] == "tiny: no loop"


def test_only_what_is_wanted_need_be_looked_for():
    assert not Choice().wants("inner-loops", "math")
    assert Choice(("math",)).wants("math")
    assert Choice(plan=Plan(include=(Include(Pattern(file="a.c"), INNER),))).wants("inner-loops")
    assert not Choice(plan=Plan(include=(Include(Pattern(file="a.c"), INNER),))).wants("math")
    assert Choice(plan=Plan(split=(Split(Pattern(kind="loop")),))).wants("inner-loops")
    assert Choice(looks_for_all=True).wants("syscall")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (
            {"exclude": (Exclude(Pattern(name="hal", file="a.c")), Exclude(Pattern(file="b.c")))},
            'the plan\'s exclude of name = "hal", file = "a.c" matches nothing; did you mean half?',
        ),
        (
            {"merge": (Merge("a.c", "main", ("loop#0", "loop@9")),)},
            "the plan's merge of loop@9 in main matches nothing; did you mean loop@5, loop@4, loop@3?",
        ),
    ],
)
def test_a_rule_that_matches_nothing_is_said_with_the_nearest_names(rules, said):
    assert list(Choice(plan=Plan(**rules)).decided(_regions()).remarks) == [said]


def test_rules_that_match_nothing_are_said_in_one_line():
    plan = Plan(exclude=tuple(Exclude(Pattern(file=f"/elsewhere/{name}.c")) for name in ("ab", "b", "c")))
    said = list(Choice(plan=plan).remarks((each.region for each in _regions().regions), whole=True))
    assert said == ['3 rules of the plan match nothing, for example exclude of file = "/elsewhere/ab.c"; there are a.c']


def test_modes_are_read_from_the_environment_before_the_plan(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('version = 2\nmodes = ["math"]\n')
    environment = {"AUTOANALYZER_PLAN": str(plan)}
    assert read_choice({}).modes == ("functions", "outer-loops", "user", "openmp")
    assert read_choice(environment).modes == ("math",)
    assert read_choice({**environment, "AUTOANALYZER_MODES": "mpi, functions"}).modes == ("functions", "mpi")
    with pytest.raises(UsageError, match="AUTOANALYZER_MODES: expected modes, found 'inner'; did you mean inner-loops"):
        read_choice({"AUTOANALYZER_MODES": "inner"})
