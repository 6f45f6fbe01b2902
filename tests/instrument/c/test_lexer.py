"""Where statements and groups end, and which text is masked."""

import pytest

from autoanalyzer.instrument.c_family.lexer import LexicalError, group_end, mask, statement_end


@pytest.mark.parametrize(
    "statement",
    [
        "for (i = 0; i < (2); i++) n++;",
        "while (n) { if (n) ; else { } }",
        "do { } while (f(n));",
        "do n--; while (n); ",
        "if (a) for (;;) if (b) x; else y; else do z; while (0);",
        "switch (n) { case 1: break; default: ; }",
        "case 1: label: n = (int[]){1, 2}[0];",
        "n = ({ int k = 1; k; });",
    ],
)
def test_a_statement_ends_where_the_compiler_ends_it(statement):
    assert statement_end(statement + " m++; }", 0) == len(statement.rstrip())


def test_what_is_masked_keeps_its_length_and_its_lines():
    text = '# 1 "x.c"\nint a = \'{\'; /* {\n */ char *s = "}\\""; // {\n<% R"x({)x" %>\n'
    masked, directives = mask(text)
    assert len(masked) == len(text)
    assert masked.count("\n") == text.count("\n")
    assert [character for character in masked if character in "{}"] == ["{", "}"]
    assert directives == (0,)


def test_separators_of_hexadecimal_digits_begin_no_character():
    text = "f(0xAB'CD) || n == 0xFFFF'FFFF'FFFFu || c == '}';"
    masked, _ = mask(text)
    assert masked.split() == ["f(0", ")", "||", "n", "==", "0", "||", "c", "==", "00", ";"]
    assert len(masked) == len(text)


def test_what_does_not_close_is_told_with_its_place():
    with pytest.raises(LexicalError) as raised:
        group_end("f(x; {}", 1)
    assert raised.value.offset == 1
