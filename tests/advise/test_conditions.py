"""What ran tells which arms of a preprocessor's conditions were built."""

import pytest

from autoanalyzer.advise.conditions import settled

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
