"""autoanalyzer regions: the tree, and the regions without probes."""

SOURCE = """
static int half(int n) { return n / 2; }
static int into(int n) {
    if (n > 2) goto middle;
    for (; n < 9; n++) {
    middle:
        n++;
    }
    while (n > 100) n--;
    return n;
}
int main(void) {
    int n = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            n += into(half(i));
    return n;
}
"""
HEADER = "static int deep(int n) {\n    while (n > 3) n--;\n    return n;\n}\n"


def test_the_tree_with_lines_and_what_is_left_out_with_the_reason(tool):
    tool.write("src/x.c", '#include "deep.h"' + SOURCE)
    tool.write("inc/deep.h", HEADER)
    done = tool("autoanalyzer", "regions", "src/x.c", "-I", "inc")
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert lines[:8] == [
        "src/x.c",
        "  deep  inc/deep.h:1-4",
        "    loop@2  inc/deep.h:2-2",
        "  into  3-11",
        "    loop@9  9-9",
        "  main  12-18",
        "    loop@14  14-16",
        "left out",
    ]
    assert lines[8].startswith("  half  2-2: tiny: no loop, no call")
    assert lines[9:] == ["  loop@5 in into  5-8: entered by goto middle"]


def test_several_sources_with_flags_after_dashes(tool):
    tool.write("a.c", "int a(int n) { while (n > N) n--; return n; }\n")
    tool.write("b.c", "int b(int n) { while (n > N) n--; return n; }\n")
    done = tool("autoanalyzer", "regions", "a.c", "b.c", "--", "-DN=3", "-std=c11")
    assert done.stdout.decode() == "a.c\n  a  1-1\n    loop@1  1-1\nb.c\n  b  1-1\n    loop@1  1-1\n"


def test_what_a_header_has_is_printed_once(tool):
    tool.write(
        "deep.h",
        HEADER
        + "static int half(int n) { return n / 2; }\n#ifdef B\nstatic int b2(void) { return half(4); }\n#endif\n",
    )
    tool.write("a.c", '#include "deep.h"\nint a(int n) { return deep(half(n)); }\n')
    tool.write("b.c", '#define B\n#include "deep.h"\nint b(int n) { return deep(b2()); }\n')
    done = tool("autoanalyzer", "regions", "a.c", "b.c")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines() == [
        *("a.c", "  deep  deep.h:1-4", "    loop@2  deep.h:2-2", "  a  2-2", "left out"),
        "  half  deep.h:5-5: tiny: no loop, no call, at most 20 statements",
        *("b.c", "  b  3-3", "left out", "  b2  deep.h:7-7: short: at most 200 statements are executed"),
    ]


def test_fortran_beside_c(tool):
    tool.write(
        "m.f90",
        """module m
contains
  subroutine s(n)
    include 'limit.inc'
    integer :: n
    do while (n > limit)
      n = n - 1
    end do
  end subroutine
end module
program p
  use m
  integer :: n = 9
  call s(n)
end program
""",
    )
    tool.write("inc/limit.inc", "integer, parameter :: limit = 3\n")
    tool.write("c.c", "int c(int n) { while (n > 3) n--; return n; }\n")
    done = tool("autoanalyzer", "regions", "m.f90", "c.c", "-I", "inc")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines() == [
        "m.f90",
        "  m::s  3-9",
        "    loop@6  6-8",
        "  p  11-15",
        "c.c",
        "  c  1-1",
        "    loop@1  1-1",
    ]


def test_a_missing_source_is_one_line(tool):
    done = tool("autoanalyzer", "regions", "missing.c")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"autoanalyzer: missing.c: expected a C, C++ or Fortran source, found nothing\n"


def test_why_prints_what_is_left_out_alone(tool):
    tool.write(
        "a.c", "int f(int a) { return a + 1; }\nint g(int a) { int s = 0; for (; a; a--) s += f(a); return s; }\n"
    )
    done = tool("autoanalyzer", "regions", "--why", "a.c")
    assert done.stdout.decode() == "a.c\nleft out\n  f  1-1: tiny: no loop, no call, at most 20 statements\n"


def test_a_rule_of_a_mode_that_is_off_is_no_rule_for_nothing(tool):
    tool.write(
        "x.c",
        "int main(void) { int n = 0; for (; n < 3;) n++; return 0; }\nint work(int n) { while (n) n--; return n; }\n",
    )
    tool.write(
        "y.f90", "subroutine Flux(n)\n  integer :: n\n  do while (n > 2)\n    n = n - 1\n  end do\nend subroutine\n"
    )
    tool.write(
        "plan.toml",
        'version = 2\nmodes = ["outer-loops"]\n[[exclude]]\nname = "work"\n[[exclude]]\nname = "flux"\n'
        '[[exclude]]\nname = "Flx"\n',
    )
    done = tool("autoanalyzer", "regions", "--fc", "gfortran", "x.c", "y.f90", env={"AUTOANALYZER_PLAN": "plan.toml"})
    assert done.returncode == 0
    assert done.stderr.decode().splitlines() == [
        'autoanalyzer: the plan\'s exclude of name = "Flx" matches nothing; did you mean Flux?'
    ]
