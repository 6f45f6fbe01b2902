"""Unusual C text: braces in literals, comments, unusual line ends, other alphabets."""

import pytest

LITERALS = r"""
#include <assert.h>
#include <stdio.h>
/* { for (;;) { */ // } while (1) {
#define TEXT "} for (;;) { /* " /* } */
int main(void) {
    const char *s = TEXT "\"{\\", *t = "// not a comment", *u = u8"{" "a\
b";
    int c = '{' + '"' + '\'' + L'}', n = 0; // for (;;) {
    for (/* ( */ int i = 0; i < 3 /* ) { */; i++) { // }
        n += i; /* } */
    } // trailing \
       goes on {
    assert(n == 3 && "} {");
    printf("%s %s %s %d %d %s:%d %s\n", s, t, u, c, n, __FILE__, __LINE__, __func__);
    return 0;
}
"""


def each_by_one(*values):
    """Combine both compilers with both values; by day, each value is tested with one compiler."""
    pairs = [("gcc", values[0]), ("clang", values[1])]
    by_night = [("gcc", values[1]), ("clang", values[0])]
    return [*pairs, *(pytest.param(*each, marks=pytest.mark.nightly) for each in by_night)]


@pytest.mark.parametrize(("cc", "line_end"), each_by_one("\r\n", "\n"))
def test_braces_in_literals_and_comments(lab, cc, line_end):
    run = lab.run(LITERALS.replace("\n", line_end).encode(), cc=cc)
    assert run.visits == {"main": 1, "main:loop@10": 1}


@pytest.mark.parametrize(("cc", "code"), each_by_one("latin-1", "utf-8"))
def test_other_alphabets_in_text_names_and_files(lab, cc, code):
    name = "größe" if code == "utf-8" else "groesse"
    source = f"""#include <stdio.h>
    /* ä */ static int {name}(int n) {{ /* é */ while (n > 3) n -= 2; return n; }}
    int main(void) {{ printf("ü %d", {name}(9)); return 0; }}
    """
    run = lab.run(source.encode(code), cc=cc, name="übung 1.c", quiet=False)
    assert {(region.name, region.file) for _, region in run.events} == {
        ("main", "übung 1.c"),
        (name, "übung 1.c"),
        ("loop@2", "übung 1.c"),
    }


def test_digraphs_and_trigraphs(lab):
    source = """%:include <stdio.h>
    int main(void) <% int a<:2:> = ??<0, 1??>;
    for (int i = 0; i < 2; i++) <% a<:0:> += i; %>
    printf("%d", a[0]); return 0; %>
    """
    assert lab.run(source, "-std=c99").visits == {"main": 1, "main:loop@3": 1}


def test_very_long_lines_and_very_deep_nesting(lab):
    table = ", ".join(str(i % 10) for i in range(20000))
    total = "+".join(["n"] * 3000)
    chain = " else ".join(f"if (n == {i}) n = {i + 1};" for i in range(400))
    deep = "{" * 200 + " n++; " + "}" * 200
    run = lab.run(
        f"static int t[] = {{{table}}}; int main(void) {{ int n = 1; {chain} {deep} int sum = {total};"
        " for (int i = 0; i < 3; i++) sum += t[i]; return sum % 100; }"
    )
    assert run.visits == {"main": 1, "main:loop@1": 1}


def test_line_directives_of_generated_sources_are_believed(lab):
    run = lab.run('#line 100 "grammar.y"\nint main(void) {\n int n = 0;\n while (n < 3) n++;\n return n; }\n')
    assert {(region.file, region.first_line) for _, region in run.events} == {("grammar.y", 100), ("grammar.y", 102)}


def test_a_file_name_with_quotes_and_question_marks(lab):
    run = lab.run("int main(void) { return 3; }\n", name='a "b" ??) c%d.c')
    assert {region.file for _, region in run.events} == {'a "b" ??) c%d.c'}


def test_digit_separators(lab):
    source = "int f(int n) { while (n > 3) n--; return n + u8'\"'; } int main(void) { return f(1'000) + 1'0'0; }\n"
    assert set(lab.run(source, "-std=gnu2x").visits) == {"f", "main", "f:loop@1"}


def test_an_instrumented_unit_with_own_declarations_of_dlsym(lab):
    run = lab.run("static int dlsym(int x) { while (x > 3) x--; return x; } int main(void) { return dlsym(9); }\n")
    assert set(run.visits) == {"main", "dlsym", "dlsym:loop@1"}
