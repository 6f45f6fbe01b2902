"""Statements and groups that only C++ has, and headers read as sources."""

import pytest

from autoanalyzer.instrument.c_family.lexer import mask, statement_end


@pytest.mark.parametrize(
    "statement",
    [
        "for (auto &x : v) try { f(x); } catch (int) { } catch (...) { g({}); }",
        "if constexpr (sizeof(T) > 4) f(); else g();",
        "if consteval { f(); } else { g(); }",
        "if ! consteval { f(); }",
        "[[likely]] while (n) [[unlikely]] { --n; }",
        "std::for_each(a, b, [&](int x) { for (;;) ; });",
        "while (n) v = std::vector<int>{1, 2};",
        "for (int i = 0; auto x : v) ::f(x);",
        "here: std::f();",
    ],
)
def test_a_statement_ends_where_the_compiler_ends_it(statement):
    assert statement_end(statement + " m++; }", 0) == len(statement)


def test_two_colons_after_a_smaller_sign_are_no_bracket():
    assert mask("std::vector<::A> a; int b<:3:>;")[0] == "std::vector<::A> a; int b [3 ];"


def test_a_header_is_read_as_a_source(tool):
    tool.write(
        "sum.hpp", "template <class T> T sum(T n) {\n    while (n > 3)\n        --n;\n    g(n);\n    return n;\n}\n"
    )
    done = tool("autoanalyzer", "regions", "--cxx", "g++", "sum.hpp")
    assert done.stdout.decode().splitlines() == ["sum.hpp", "  sum<...>  1-6", "    loop@2  2-3"]


def test_instrumented_text_compiles_by_itself(tool):
    tool.write(
        "x.cc", "#include <vector>\nint main() { int s = 0; for (int x : std::vector<int>(3, 2)) s += x; return s; }\n"
    )
    done = tool("autoanalyzer", "instrument", "--cxx", "g++", "x.cc", "-o", "out")
    assert done.stdout == b"out/x.ii: 2 regions\n"
    assert tool("g++", "out/x.ii", "-o", "app").returncode == 0
    assert tool("./app").returncode == 6
