"""A compiler command has the same results with probes: files, dependencies, messages, exit status."""

import re
import shlex
import shutil

import pytest

from .conftest import assert_the_same_with_probes

SOURCES = {
    "inc/k.h": "int k(int);\n#define UNUSED 1\n",
    "src/k.c": '#include "k.h"\n#include <stdio.h>\n#define HERE 1\nint k(int n) { while (n > 3) n--; return n; }\n',
    "m.c": '#include "k.h"\nint main(void) { for (int i = 0; i < 2; i++) k(i); return k(9); }\n',
    "other/m.c": "int other(int n) { while (n > 3) n--; return n; }\n",
    "bad.c": "#include <stdio.h>\nint f(void) { return 1 + ; }\nint g(void) { return missing; }\n",
    "nohead.c": '#include "nowhere.h"\nint f(void) { return 1; }\n',
    "undefined.c": "int elsewhere(void);\nint main(void) { return elsewhere(); }\n",
    "warns.c": """#include <stdio.h>
#warning "by the user"
#define TWICE(x) ((x) + (x)) /* comment */
static int unused;
int f(int n, char *s) {
    switch (n) {
    case 1: n++; /* FALLTHRU */
    case 2: n++; break;
    case 3: n = TWICE(s == 0);
    case 4: n = 1;
    }
    for (unsigned i = 0; i < n; i++) {
        int n = i;
        if (n) printf("%s\\n", n);
    }
    if (n = 2) return 1;
}
#pragma unknown thing
""",
    "two words.c": "int words(int n) { while (n > 3) n--; return n; }\n",
    "flags.rsp": "-Iinc -DN=2\n-O1 'src/k.c'\n",
    "text": "int t(int n) { while (n > 3) n--; return n; }\n",
}

COMMANDS = """
-Iinc -S src/k.c
-Iinc -MD -c src/k.c
-Iinc -MMD -MP -c src/k.c -o src/k.o
-Iinc -MD -MF dep.x -MT 'a b' -c src/k.c -o src/k.o
-Iinc -MD -MFdep.x -MTab -c src/k.c
-Iinc -Wp,-MD,foo.d -c src/k.c -o src/kk.o
-Iinc -Wp,-MMD,foo.d,-MT,zz -c src/k.c
-Iinc -Wp,-MF,foo.d -MD -c src/k.c
-Iinc -Xpreprocessor -MT -Xpreprocessor zz -MMD -c src/k.c
-Iinc -MMD -MF dep.x -MT a -MQ 'b$c' -MT d -c src/k.c
-Iinc -MMD -c src/k.c -o 'src/k$k.o'
--include-directory=inc --write-user-dependencies -c src/k.c --output src/kk.o
--include-directory inc --user-dependencies src/k.c
-Iinc -MD -MF - -c src/k.c
-Iinc -MMD -MF /dev/stdout -c src/k.c
-Iinc -MD src/k.c m.c -o prog
-Iinc -MD -MF x.d m.c src/k.c -o prog
-Iinc -M -MF x.d src/k.c
-Iinc -E src/k.c
-Iinc -fsyntax-only src/k.c
-Iinc -c m.c other/m.c
-Iinc -c m.c src/k.c -o k.o
-Iinc --coverage m.c src/k.c -o prog
-Iinc --coverage -c src/k.c -o src/k.o
-Iinc -g -gsplit-dwarf -c src/k.c -o src/z.o
-Iinc -x c -c src/k.c
-Iinc -x c text m.c -x none src/k.c -o prog
-Iinc -pipe -include inc/k.h -DX=1 -imacros inc/k.h m.c src/k.c -lm -Wl,-O1 -o prog -Wall -Wextra
-Iinc -Werror -Wunused-macros -Wall -c src/k.c
@flags.rsp -c -o k.o
-c 'two words.c' -o 'two words.o'
-Wall -Wextra -c warns.c
-Wall -Wextra -Werror -c warns.c
-c bad.c
-c nohead.c
-c missing.c
undefined.c -o undefined
--version
-dumpmachine
-print-file-name=libc.a
-v
-c
""".strip().splitlines()

# Each of these is similar to one of the commands above.
SIMILAR = """
-Iinc -c src/k.c
-Iinc -c src/k.c -o src/k.o
-Iinc -MMD -MF dep.x -c src/k.c -o src/k.o
-Iinc -MD -MQ 'a$b' -c src/k.c
-Iinc -Wp,-MT,zz -MMD -c src/k.c -o src/kk.o
-Iinc -Wp,-DX,-MD,foo.d -c src/k.c
-Iinc -MM src/k.c
-Iinc -c m.c src/k.c
-Iinc m.c src/k.c
""".strip().splitlines()


# By day, gcc runs all commands that request no dependencies; gcc and clang share the others.
@pytest.mark.parametrize(
    ("cc", "words"),
    [
        pytest.param(cc, words, marks=[] if by_day else pytest.mark.nightly)
        for place, words in enumerate(COMMANDS + SIMILAR)
        for cc, by_day in (
            ("gcc", words in COMMANDS and ("-M" not in words or place % 2 == 0)),
            ("clang", words in COMMANDS and "-M" in words and place % 2 == 1),
        )
    ],
)
def test_a_command_gives_what_it_gives_without_probes(tool, cc, words):
    assert_the_same_with_probes(tool, SOURCES, cc, *shlex.split(words))


ASKED = {
    "of a target": {"DEPENDENCIES_OUTPUT": "made.d src/k.o"},
    "without a target": {"DEPENDENCIES_OUTPUT": "made.d"},
    "of systems": {"SUNPRO_DEPENDENCIES": "made.d k"},
    "of clang": {"CC_PRINT_HEADERS": "1", "CC_PRINT_HEADERS_FILE": "made.d"},
}
# gcc and the drivers of other languages respect GCC's variables; clang respects its own.
HEEDED = [*(("gcc", each) for each in [*ASKED][:3]), ("g++", "of a target"), ("gfortran", "of a target")]
HEEDED += [("clang", "of clang")]
ASKING = [
    "-Iinc -c m.c src/k.c",
    "-Iinc -MMD -c src/k.c -o k.o",
    "-c bad.c",
    "-c read.i",
    "-fsyntax-only -Iinc m.c",
    "-Iinc -c src/k.c",
    "-Iinc -Wall -c warns.c",
]


def is_asked_by_day(cc, each, words):
    """Return whether a case runs by day: gcc's variables in turn after two commands, clang's always, others once."""
    place = ASKING.index(words)
    if (cc, each) in HEEDED[:3]:
        return place < 2 or place % 3 == HEEDED.index((cc, each))
    return (cc, each) in HEEDED and (place == 0 or cc == "clang")


@pytest.mark.parametrize(
    ("cc", "each", "words"),
    [
        pytest.param(cc, each, words, marks=[] if is_asked_by_day(cc, each, words) else pytest.mark.nightly)
        for cc in ("gcc", "g++", "gfortran", "clang")
        for each in ASKED
        for words in ASKING
    ],
)
def test_what_the_environment_asks_each_compile_to_write_is_written_once(tool, cc, each, words):
    read = {"read.i": '# 1 "read.c"\nint k(int n) { while (n > 3) n--; return n; }\n'}
    fresh = {"AUTOANALYZER_CACHE": str(tool.folder / "cache")}
    assert_the_same_with_probes(tool, SOURCES | read, cc, *words.split(), env=ASKED[each] | fresh)


def test_a_source_that_is_only_read_writes_no_dependencies(tool):
    tool.write("k.c", "int k(int n) { while (n > 3) n--; return n; }\n")
    done = tool(
        *("autoanalyzer", "regions", "--cc", "gcc", "k.c", "--", "-MMD"),
        env={"DEPENDENCIES_OUTPUT": "made.d", "AUTOANALYZER_CACHE": str(tool.folder / "cache")},
    )
    assert done.returncode == 0
    assert not list(tool.folder.glob("*.d"))


def test_debug_information_names_source_and_folder_as_ever(tool):
    tool.write("src/k.c", SOURCES["src/k.c"].replace('#include "k.h"', ""))
    for cc in ("gcc", "clang"):
        found = []
        for prefix in ([], ["autoanalyzer", "compile", "--"]):
            assert tool(*prefix, cc, "-g", "-c", "src/k.c", "-o", "k.o").returncode == 0
            text = tool("readelf", "--debug-dump=info", "--dwarf-depth=1", "k.o").stdout.decode()
            found.append(
                [
                    line.rpartition(": ")[2]
                    for line in text.splitlines()
                    if "DW_AT_name" in line or "DW_AT_comp_dir" in line
                ]
            )
        assert found[0] == found[1]
        assert found[0][0].strip() == "src/k.c"


def places(assembly):
    """Return the line and column of each location in k.c."""
    number = re.findall(r'\.file (\d+) "k.c"', assembly)[-1]
    return set(re.findall(rf"\.loc {number} (\d+) (\d+)", assembly))


def test_lines_and_columns_of_debug_information_stay(tool):
    tool.write("k.c", "int k(int n) {\n    int s = 0; while (n > 3) s += n--; return s;\n}\n")
    found = []
    for prefix in ([], ["autoanalyzer", "compile", "--"]):
        tool(*prefix, "gcc", "-g", "-O0", "-S", "k.c", "-o", "k.s")
        found.append(places((tool.folder / "k.s").read_text()))
    assert len(found[0]) > 5
    assert found[0] <= found[1]


def test_coverage_counts_the_users_lines(tool):
    if not shutil.which("gcov"):
        pytest.skip("gcov is not installed")
    tool.write(
        "m.c", "int main(void) {\n    int n = 0;\n    for (int i = 0; i < 7; i++)\n        n += i;\n    return n;\n}\n"
    )
    tool("autoanalyzer", "compile", "--", "gcc", "--coverage", "m.c", "-o", "m")
    tool("./m")
    done = tool("gcov", "m.c")
    assert b"autoanalyzer" not in done.stdout
    text = (tool.folder / "m.c.gcov").read_text()
    assert "        7:    4:        n += i;" in text


# The function has just the size up to which GNU's compilers inline into it; with one more call of part, they inline
# less.
PART = """static inline double part(double a, double b, double c) {
    double d = a * b + c, e = a - d * b;
    if (d < e)
        d = e * e - a / (b + c);
    if (e < c)
        e = d * c + b / (a - c);
    if (a < e)
        d = d * a - (b - e) * (c + a) / (d * e - b);
    if (b < d)
        e = e / b + (a + d) * (b - c) * (a - e) + c / d;
    return d * e + a;
}
"""


def test_a_compiler_inlines_with_probes_what_it_inlines_without(tool):
    calls = [f"s += part(x[i + {k}], x[{k} * i], {k}.5);" for k in range(54)]
    loops = "".join(f"for (int i = 0; i < n; i++) {{ {' '.join(calls[k::12])} }}\n" for k in range(12))
    tool.write("large.c", f"{PART}double whole(const double *x, int n) {{\ndouble s = 0;\n{loops}return s;\n}}\n")

    def left_over(*command):
        tool(*command, "-O3", "-c", "large.c", "-o", "large.o")
        symbols = tool("nm", "large.o").stdout.decode().split()
        assert "whole" in symbols
        return "part" in symbols

    assert not left_over("gcc")
    assert not left_over("autoanalyzer", "compile", "--", "gcc")
    limit = ("--param", "large-function-insns=2700")  # the user's own limit applies, so probes use some of it
    assert left_over("autoanalyzer", "compile", "--", "gcc", *limit)
