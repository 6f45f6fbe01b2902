"""autoanalyzer regions --plan: prints an editable plan that creates the same regions."""

import tomllib

C = """
#include <math.h>
static double half(double x) { return x / 2; }
static double into(double n) {
    if (n > 2) goto middle;
    for (; n < 9; n++) {
    middle:
        n++;
    }
    return exp(n);
}
int main(void) {
    int n = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            n += (int)into(half(i));
    return n;
}
"""
FORTRAN = """program p
  integer :: i, j
  do i = 1, 3
    do j = 1, 3
      print *, i, j
    end do
  end do
end program
"""


def _regions(tool, *words, **env):
    done = tool("autoanalyzer", "regions", "--cc", "gcc", "--fc", "gfortran", *words, env=env)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def test_the_plan_read_back_gives_the_same(tool):
    tool.write("a.c", C)
    tool.write("b.f90", FORTRAN)
    for modes in ("", "functions,inner-loops,math"):
        first, said = _regions(tool, "--plan", "plan.toml", "a.c", "b.f90", AUTOANALYZER_MODES=modes)
        assert said == ""
        again, said = _regions(tool, "--plan", "again.toml", "a.c", "b.f90", AUTOANALYZER_PLAN="plan.toml")
        assert (again, said) == (first, "")
        plans = [(tool.folder / name).read_text().partition("\n")[2] for name in ("plan.toml", "again.toml")]
        assert plans[0] == plans[1]


def test_the_plan_says_what_is_made_and_why_the_rest_is_not(tool):
    tool.write("a.c", C)
    _regions(tool, "--plan", "plan.toml", "a.c")
    text = (tool.folder / "plan.toml").read_text()
    plan = tomllib.loads(text)
    assert plan["modes"] == ["functions", "outer-loops", "user", "openmp"]
    assert [(each["kind"], each["function"], each["ordinal"]) for each in plan["include"]] == [
        ("function", "into", 0),
        ("function", "main", 0),
        ("loop", "main", 0),
    ]
    assert {each["reason"].partition(":")[0] for each in plan["exclude"]} == {"tiny", "entered by goto middle"}
    assert "# a.c: mode inner-loops is off: loop@15 in main, lines 15-16\n" in text
    assert "# a.c: mode math is off: exp@10 in into, lines 10-10\n" in text
    assert "[[include]]  # loop@14 in main, lines 14-16\n" in text


def test_rules_that_match_nothing_in_all_sources_are_said_in_one_line(tool):
    tool.write("a.c", C)
    tool.write("plan.toml", 'version = 2\n[[exclude]]\nname = "inot"\n[[include]]\nfile = "a.cc"\nmodes = ["math"]\n')
    _, said = _regions(tool, "a.c", AUTOANALYZER_PLAN="plan.toml")
    assert said == (
        'autoanalyzer: 2 rules of the plan match nothing, for example include of file = "a.cc"; did you mean a.c?\n'
    )


def test_an_entry_is_turned_round_by_its_heading_whatever_paths_the_plan_and_the_build_name(tool):
    tool.write("src/a.c", C)
    for named, asked in (("src/a.c", str(tool.folder / "src/a.c")), (str(tool.folder / "src/a.c"), "src/a.c")):
        _regions(tool, "--plan", "plan.toml", named)
        text = (tool.folder / "plan.toml").read_text().replace("[[include]]  # into", "[[exclude]]  # into")
        tool.write("plan.toml", text.replace("[[exclude]]  # half", "[[include]]  # half"))
        said, problems = _regions(tool, asked, AUTOANALYZER_PLAN="plan.toml")
        assert "  half  3-3\n" in said
        assert "  into  4-11: left out by the plan\n" in said
        assert problems == ""


def test_members_that_a_merge_or_a_split_hides_are_matched(tool):
    tool.write("a.c", C)
    tool.write("b.f90", FORTRAN)
    tool.write(
        "plan.toml",
        'version = 2\nmodes = ["functions"]\n'
        '[[merge]]\nfunction = "into"\nregions = ["loop@6", "exp@10"]\nname = "end"\n'
        '[[split]]\nfunction = "main"\nkind = "loop"\nordinal = 0\n[[split]]\nname = "p"\ninto = "blocks"\n',
    )
    said, remarks = _regions(tool, "a.c", "b.f90", AUTOANALYZER_PLAN="plan.toml")
    assert remarks == ""
    assert "  end in into  6-10: " in said
    assert "    loop@15  15-16\n" in said
    assert "loop@14" not in said


def test_a_plan_that_cannot_be_written_is_one_line(tool):
    tool.write("a.c", C)
    done = tool("autoanalyzer", "regions", "--cc", "gcc", "--plan", "no/plan.toml", "a.c")
    assert done.returncode == 2
    assert b"cannot be written" in done.stderr
