"""Plans: a written plan is read back unchanged, and invalid text is refused with one line."""

from pathlib import Path

import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Region
from autoanalyzer.experiment.plan import Exclude, Include, Merge, Pattern, Plan, Split, build_line, load_plan, save_plan

LOOP = Region("loop", "loop@41", "src/a.c", "solve", 1, 41, 60)


def test_what_is_written_is_read_back(tmp_path):
    plan = Plan(
        ("functions", "math"),
        (Include(Pattern(file="a.c", function="solve"), ("inner-loops",)), Include(Pattern(name='od"d\n\x7fname'))),
        (Exclude(Pattern.of(LOOP), "entered 9 times", "loop@41"), Exclude(Pattern(kind="function", name="d?bug_*"))),
        (Exclude(Pattern(name="loop@7"), "small"),),
        (Merge("a.c", "f", ("loop#0", "loop@9"), "both"), Merge(None, "g", ("loop#0", "loop#1"))),
        (Split(Pattern(ordinal=0, function="main"), "blocks"), Split(Pattern(kind="loop"))),
    )
    save_plan(tmp_path / "plan.toml", plan, "# why\n")
    assert (tmp_path / "plan.toml").read_text().startswith("# why\nversion = 2\n")
    assert load_plan(tmp_path / "plan.toml") == plan


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        (Pattern.of(LOOP), True),
        (Pattern(kind="loop", file="src/*.c", ordinal=1), True),
        (Pattern(name="loop@4?"), True),
        (Pattern(function="sol"), False),
        (Pattern(file="a.c"), True),
        (Pattern(file="../src/a.c"), True),
        (Pattern(file=f"{Path.cwd()}/src/[ab].c"), True),
        (Pattern(file="/elsewhere/src/a.c"), False),
        (Pattern(file="c"), False),
        (Pattern(kind="loop", ordinal=0), False),
    ],
)
def test_a_pattern_means_the_regions_that_match_all_of_its_keys(pattern, matches):
    assert pattern.matches(LOOP) is matches


def test_names_of_fortran_are_the_same_in_upper_and_lower_case():
    flux = Region("function", "Flux", "a.f90", "mod::Flux")
    assert Pattern(name="FLUX", function="mod::f*").matches(flux)
    assert not Pattern(name="flux").matches(Region("function", "Flux", "a.c", "Flux"))
    assert not Pattern(file="A.f90", name="flux").matches(flux)


def test_the_pattern_of_an_identity_means_that_region_alone():
    starred = Region("function", "operator*", "a[1].cc", "operator*")
    assert Pattern.of(starred).matches(starred)
    assert not Pattern.of(starred).matches(Region("function", "operator*=", "a[1].cc", "operator*="))
    assert not Pattern.of(starred).matches(Region("function", "operator*", "a1.cc", "operator*"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version = 3", "expected a plan of version 2, found version 3"),
        ("exclude = []", "expected a plan of version 2, found no version"),
        ("version = [2]", "expected a plan of version 2, found version [2]"),
        ("version = 2\nexlude = []", "a plan has no key 'exlude'; did you mean exclude"),
        ("version = 2\nmodes = ['loops']", "expected modes, found 'loops'; did you mean outer-loops, inner-loops?"),
        (
            "version = 2\n[[include]]\nmodes = []",
            "include: modes: expected at least one mode, or no modes key, which means all modes",
        ),
        ("version = 2\nmodes = 3", "modes: expected a list of names, found 3"),
        ("version = 2\nexclude = 3", "exclude: expected a list of rules, found 3"),
        ("version = 2\n[[exclude]]", "exclude: expected kind, name, file, function or ordinal, found {}"),
        ("version = 2\n[[exclude]]\nkind = 'lop'", "exclude: no region kind 'lop'; did you mean loop"),
        ("version = 2\n[[exclude]]\nordinal = true", "exclude: ordinal: expected a number, found True"),
        ("version = 2\n[[exclude]]\nline = 3", "exclude: a plan has no key 'line'"),
        ("version = 2\n[[split]]\nname = 'f'\ninto = 'halves'", 'split: into: expected "loops" or "blocks"'),
        (
            "version = 2\n[[merge]]\nfunction = 'f'\nregions = ['loop#0']",
            "merge: regions: expected a list of two or more names",
        ),
        ("version = 2\n[[merge]]\nregions = ['a', 'b']", "merge: expected the function of the regions"),
        ("a" * 3 + " = " + "[" * 5000, "expected a plan in TOML"),
    ],
)
def test_what_is_no_plan_is_refused(tmp_path, text, said):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        load_plan(path, "the plan")
    assert str(error.value).startswith("the plan: ")
    assert said in str(error.value)


def test_the_line_that_builds_by_a_plan_holds_in_any_folder(tmp_path, monkeypatch):
    (tmp_path / "my run").mkdir()
    monkeypatch.chdir(tmp_path)
    assert build_line(Path("my run/plan.toml")) == f"AUTOANALYZER_PLAN='{tmp_path}/my run/plan.toml' make CC=aa-mpicc"
    assert "\n" not in build_line(Path("two\nlines"))


def test_the_line_that_builds_names_the_compilers_of_the_plans_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    start = f"AUTOANALYZER_PLAN={tmp_path}/plan.toml make"
    for files, compilers in (
        (["src/a.cpp"], "CXX=aa-mpicxx"),
        (["a.f90", "b.F"], "FC=aa-mpifort"),
        (["c.f", "a.c", "b.hh"], "CC=aa-mpicc CXX=aa-mpicxx FC=aa-mpifort"),
        (["*"], "CC=aa-mpicc"),
    ):
        plan = Plan(exclude=tuple(Exclude(Pattern(file=each)) for each in files))
        assert build_line(Path("plan.toml"), plan) == f"{start} {compilers}"
        of_texts = Plan(exclude=tuple(rule._replace(texts=("0" * 16,)) for rule in plan.exclude))
        assert build_line(Path("plan.toml"), of_texts) == f"{start} {compilers}"
