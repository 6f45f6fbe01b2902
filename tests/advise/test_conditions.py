"""The lines that were executed show which branches of preprocessor conditions were compiled."""

import pytest

from autoanalyzer.advise.conditions import defined_in, doubtful, settled

TWO = b"a\n#ifdef X\nb\n#else\nc\n#endif\nd\n"


@pytest.mark.parametrize(
    ("text", "lines", "expected"),
    [
        (TWO, [3], b"a\n\nb\n\n\n\nd\n"),
        (TWO, [1, 5, 7], b"a\n\n\n\nc\n\nd\n"),
        (TWO, [3, 5], TWO),
        (TWO, [1], TWO),
        (TWO, [], TWO),
        (b"#if A \\\n && B\nb\n#elif C\nc\n#else\nd\n#endif\n", [5], b"\n\n\n\nc\n\n\n\n"),
        (b"#ifdef X\n#ifdef Y\ny\n#else\nn\n#endif\n#else\ne\n#endif\n", [5], b"\n\n\n\nn\n\n\n\n\n"),
        (b"#ifdef X\nx\n#ifdef Y\ny\n#endif\n#else\ne\n#endif\n", [2], b"\nx\n#ifdef Y\ny\n#endif\n\n\n\n"),
        (b"#ifdef X\nx\n", [2], b"#ifdef X\nx\n"),
        (b"#endif\nx\n#else\n", [2], b"#endif\nx\n#else\n"),
    ],
    ids=["first", "second", "both", "none", "nothing", "continued", "inner", "outer", "open", "stray"],
)
def test_the_arm_that_holds_what_ran_is_left(text, lines, expected):
    assert settled(text, lines) == expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (TWO, [2, 3, 4, 5, 6]),
        (TWO.replace(b"ifdef X", b"if 0"), []),
        (TWO.replace(b"ifdef X", b"ifdef KNOWN // X"), []),
        (TWO.replace(b"ifdef X", b"if defined(KNOWN) && KNOWN > 2 /* X */"), []),
        (TWO.replace(b"ifdef X", b"if defined(KNOWN) \\\n || X"), [2, 3, 4, 5, 6, 7]),
        (TWO.replace(b"else", b"elif KNOWN"), [2, 3, 4, 5, 6]),
        (TWO.replace(b"ifdef X", b"ifdef __cplusplus"), []),
        (TWO.replace(b"ifdef X", b"ifdef __AVX2__"), [2, 3, 4, 5, 6]),
        (b"#ifndef X_H\n#define X_H\na\n#ifdef X\nb\n#endif\n#endif\n", [4, 5, 6]),
        (b"#ifndef X\n#define X 1\na\n#else\nb\n#endif\n", [1, 2, 3, 4, 5, 6]),
    ],
    ids=["open", "zero", "known", "compared", "both", "elif", "language", "processor", "guard", "default"],
)
def test_lines_are_in_doubt_that_a_build_may_choose(text, lines):
    assert sorted(doubtful(text, ["KNOWN"])) == lines


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (b"#define A 1\n", {"A"}),
        (b"#ifndef A\n#define A 1\n#endif\n", set()),
        (b"#if !defined(A)\n# define A 1\n#endif\n", set()),
        (b"#ifdef X\n#define A 1\n#endif\n", set()),
        (b"#ifdef KNOWN\n#define A 1\n#endif\n", {"A"}),
        (b"#ifdef B\n#define A 1\n#endif\n#define B\n", {"A", "B"}),
        (b"#ifndef X_H\n#define X_H\n#define A 1\n#endif\n", {"A"}),
    ],
)
def test_macros_are_known_that_a_source_defines_in_any_build(text, names):
    assert defined_in(text, ["KNOWN"]) == names | {"KNOWN"}
