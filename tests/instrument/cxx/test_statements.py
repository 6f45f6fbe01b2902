"""Statements of every form around and inside loops: of which statement a loop is the body, and where it ends."""

STATEMENTS = r"""
#include <cstdio>
int twice(int n) { return 2 * n; }
int main(int argc, char **) <%
    int n = argc, many[3] = {1, 2, 3};
    if (n == 7) while (n) --n;
    else if (n == 1) for (int i : many) n += i;
    else do --n; while (n);
    switch (n) { case 1: default: { } while (n < 20) n += 3; break; case 99: for (;;) ; }
    int value = ({ int k = 0; for (int i = 0; i < n; i++) k += i; k; });
    if (int k = twice(n); k > 3) for (; k > n; --k) ; else { while (k < 3) ++k; }
again:
    for (int i = 0; i < 2; i++) { if (i == 1 && n < 30) { n = 40; goto again; } }
    while (n > 30) { int k = n; do { if (k % 3 == 0) break; --k; } while (k); n -= 7; if (n % 2) continue; --n; }
    for (auto f = [](int k) { while (k > 3) k /= 2; return k; }; n > 5;) n -= f(n);
    for (int i = 0, *p = many; i < 3; ++i, ++p)
        value += <:&:> { int s = 0; for (int m : many) while (m--) s += *p; return s; }();
    try { for (int i = 0; ; i++) if (i == n) throw i; } catch (int e) { for (int i = 0; i < e; i++) value += i; }
    for (struct { int a, b; } s{0, 3}; s.a < s.b; s.a++) value += s.a;
    while (auto left = n - 1) { n = left; for (int i = 0; i < left; i++) value++; }
    do while (n < 4) n++; while (n < 3);
    for (;;) switch (n++) { case 6: goto out; default: continue; }
out:
    std::printf("%d %d %s\n", n, value, R"x(for (;;) { )" })x" "while (1) {"); // for (;;) {
    return n ? n > 2 ? 3 : 4 : 5;
%>
"""


def test_loops_end_where_the_language_ends_them(program, cxx):
    assert program(STATEMENTS, "-std=c++17", compiler=cxx).visits == {
        "main": 1,
        **{f"main:loop@{line}": 1 for line in (7, 9, 10, 11, 14, 15, 16, 19, 20, 21, 22)},
        "main:loop@13": 2,
        "main:loop@18": 2,
        "main::lambda:loop@15": 9,
        "main::lambda#2:loop@17": 3,
    }


INCLUDED = r"""
#include <cstdio>
int outer(int n) {
#include "body.inc"
    return n;
}
#define ENTRY(name) int name(int n) { while (n > __LINE__ % 3 + 3) --n; return n; }
#include "entries.def"
#undef ENTRY
#line 100 "renamed.cc"
int renamed(int n) { while (n > 3) --n; std::printf("%s:%d %s\n", __FILE__, __LINE__, __func__); return n; }
#line 13 "x.cc"
#include "unit.cc"
int main() { std::printf("%d %d\n", outer(9) + first(5) + second(6), renamed(5) + unit(8)); }
"""


def test_text_of_several_files_keeps_its_places(lab):
    lab.tool.write("body.inc", "for (int i = 0; i < 3; i++)\n    n += i;\n{\n    while (n > 4)\n        --n;\n}\n")
    lab.tool.write("entries.def", "ENTRY(first)\nENTRY(second)\n")
    lab.tool.write("unit.cc", "static int unit(int n) {\n    do --n;\n    while (n > 3);\n    return n;\n}\n")
    run = lab.run(INCLUDED, cc="g++", name="x.cc")
    assert run.visits == {
        **dict.fromkeys(("main", "outer", "outer:loop@1", "outer:loop@4", "first", "first:loop@1"), 1),
        **dict.fromkeys(("second", "second:loop@2", "renamed", "renamed:loop@100", "unit", "unit:loop@2"), 1),
    }
    files = {region.name: region.file for _, region in run.events if region.kind == "function"}
    assert files == {
        **dict.fromkeys(("main", "outer"), "x.cc"),
        **{"first": "entries.def", "second": "entries.def", "renamed": "renamed.cc", "unit": "unit.cc"},
    }
