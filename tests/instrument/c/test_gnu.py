"""Code that GCC accepts, but the parser, which is another compiler's, treats differently or rejects."""

import pytest

from autoanalyzer.instrument.c_family.clang.tree import parse

ATOMICS = """
#include <stdatomic.h>
#include <stdio.h>
static atomic_flag busy = ATOMIC_FLAG_INIT;
static _Atomic(int) counted;
static int _Atomic twice;
static int count(int n) {
    for (int i = 0; i < n; i++) { atomic_fetch_add(&counted, 1); atomic_store(&twice, 2 * atomic_load(&counted)); }
    return atomic_flag_test_and_set(&busy) + twice;
}
int main(void) { printf("%d\\n", count(30)); return 0; }
"""

GLOBALS = """
#include <stdio.h>
register long kept asm("r15");
_Decimal64 price = 2.50dd;
static int count(int n) {
    for (int i = 0; i < n; i++) { kept += i; price += 1.DD; }
    return (int)price;
}
int main(void) { kept = 0; printf("%d\\n", count(30)); return 0; }
"""


@pytest.mark.parametrize("standard", ["-std=c99", "-std=gnu17"])
def test_atomic_objects_of_its_own_header(lab, standard):
    assert lab.run(ATOMICS, standard).visits == {"main": 1, "count": 1, "count:loop@8": 1}


def test_names_that_are_keywords_of_gnu_c_alone(lab):
    source = "int main(void) { int typeof = 0; for (int asm = 0; asm < 3; asm++) typeof += asm; return typeof; }\n"
    assert lab.run(source, "-std=c99").visits == {"main": 1, "main:loop@1": 1}


def test_registers_and_decimal_numbers_outside_of_functions(lab):
    assert lab.run(GLOBALS).visits == {"main": 1, "count": 1, "count:loop@6": 1}


def test_a_pragma_that_makes_errors_of_warnings(lab):
    source = '#pragma GCC diagnostic error "-Wall"\n#pragma what is this\n' + ATOMICS
    assert lab.run(source, "-Wno-unknown-pragmas", quiet=False).visits["count:loop@10"] == 1


@pytest.mark.parametrize("machine", ["x86_64", "aarch64", "ppc64le"])
def test_numbers_of_128_bits_are_known_on_every_processor(monkeypatch, machine):
    monkeypatch.setattr("autoanalyzer.instrument.c_family.clang.digest.MACHINE", machine)
    text = b"_Float128 f(_Float128);\nint g(int n) { while (n > 3) n--; return n; }\n"
    target = f"--target={machine.replace('ppc', 'powerpc')}-linux-gnu"
    for language in ("c", "c++"):
        found = parse(text, (target,), lambda _: False, language=language)
        assert ([loop.offset for loop in found.loops], found.unread) == ([text.index(b"while")], [])


IN_A_FUNCTION = """
#include <stdio.h>
static int f(int n) {
    int sum = 0;
    void add(int by) { while (by > 0) { if (by % 7 == 6) return; sum += by--; } }
    for (int i = 0; i < n; i++) add(i);
    if (sum == 10) return 1;
    return sum;
}
int main(void) { for (int i = 0; i < 3; i++) printf("%d\\n", f(4 * i)); return 0; }
"""


def test_a_function_in_a_function_is_left_as_it_is_by_pycparser(lab, monkeypatch):
    monkeypatch.setenv("AUTOANALYZER_C_READER", "pycparser")
    run = lab.run(IN_A_FUNCTION, quiet=False)
    assert run.visits == {"main": 1, "main:loop@10": 1, "f": 3, "f:loop@6": 3}
    assert ":5:22: calls and some loops of f may not be instrumented: a nested function is left out" in run.messages


LATER = "static int later(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; }\n"


def _nested(inner: str) -> str:
    return f"static int f(int n) {{\n{inner}\nreturn n;\n}}\n{LATER}int main(void) {{ return f(3) + later(9); }}\n"


def _else_ifs(count: int) -> str:
    return "if (n == -1) n = 7;\n" + "\n".join(f"else if (n == -{i}) n = {i};" for i in range(2, count))


# gcc's time grows with the square of the number of else-ifs. A long sum does not have this problem, but also needs a
# deep stack.
@pytest.mark.parametrize(
    "inner",
    [
        pytest.param("{" * 1000 + "n++;" + "}" * 1000, id="blocks"),
        pytest.param("n = " + "(" * 1000 + "n" + ")" * 1000 + ";", id="parentheses"),
        pytest.param(_else_ifs(2000), id="else if"),
        pytest.param(_else_ifs(9000), id="else if, deeper", marks=pytest.mark.nightly),
        pytest.param("n = 1" + "+ n" * 20_000 + ";", id="sum"),
        pytest.param("n = 1" + "+ n" * 30_000 + ";", id="sum, longer", marks=pytest.mark.nightly),
    ],
)
def test_text_that_is_nested_as_deep_as_generators_write_it(tool, inner):
    tool.write("x.c", _nested(inner))
    plain = tool("gcc", "-O0", "x.c", "-o", "plain")
    done = tool("autoanalyzer", "compile", "--", "gcc", "-O0", "x.c", "-o", "probed")
    assert (plain.returncode, done.returncode, done.stderr) == (0, 0, b"")
    assert tool("./probed").returncode == tool("./plain").returncode
    assert b"later" in tool("autoanalyzer", "regions", "--cc", "gcc", "x.c").stdout


WRONG_TYPES = """
typedef int four __attribute__((vector_size(16)));
static int f(int n) {
    four a = {1, 2, 3, 4}, b = {3, 2, 1, 0};
    for (int i = 0; i < n; i++) a = __builtin_shuffle(a, b);
    for (int i = 0; i < n; i++) a += b;
    {BEHIND}
    return a[0];
}
int main(void) { return f(9); }
"""


def test_where_types_are_wrong_to_the_parser_loops_are_regions_and_the_build_says_what_may_be_missing(lab):
    run = lab.run(WRONG_TYPES.replace("{BEHIND}", ""), quiet=False)
    assert run.visits == {"main": 1, "f": 1, "f:loop@5": 1, "f:loop@6": 1}
    assert run.messages.startswith("autoanalyzer: x.c:5:")
    assert "calls and some loops of f may not be instrumented: assigning to 'four'" in run.messages


def test_where_types_are_wrong_to_the_parser_no_loop_is_one_that_a_lost_label_could_be_in(lab):
    run = lab.run(WRONG_TYPES.replace("{BEHIND}", "if (n < 0) goto out; out:;"), quiet=False)
    assert run.visits == {"main": 1, "f": 1}
    assert "the loops of f are not instrumented: assigning to 'four'" in run.messages
