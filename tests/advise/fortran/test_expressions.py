"""Expressions: operator precedence, references, and what exceeds the limits."""

import random

import pytest
from fparser.two import Fortran2003
from fparser.two.parser import ParserFactory
from fparser.two.utils import BinaryOpBase, UnaryOpBase

from autoanalyzer.advise.expression import Opaque
from autoanalyzer.advise.nest import Assignment, OtherStatement

from .written import written

DECLARED = """\
subroutine s
  real a(10,0:20), b(5), c, d
  logical l, m
  character(len=8) t
"""


@pytest.fixture
def value(read):
    """Return the value of an assignment, as read."""

    def values(text):
        source = read(f"{DECLARED}  c = {text}\nend\n")
        (statement,) = source.procedures[0].body
        assert isinstance(statement, Assignment)
        return statement.value

    return values


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("c + d*2", "(c + (d * 2))"),
        ("-c**2 + d", "((-(c ** 2)) + d)"),
        ("c**d**2", "(c ** (d ** 2))"),
        ("c/d/2", "((c / d) / 2)"),
        ("-3.5d-1", "-0.35"),
        ("1.e3 + .5", "(1000.0 + 0.5)"),
        ("1_8 + 2.0_dp", "(1 + 2.0)"),
        ("l .or. .not. m .and. c > 1.and.d<=2", "(l || (((!m) && (c > 1)) && (d <= 2)))"),
        ("1.eq.2", "(1 == 2)"),
        ("l .neqv. c /= d", "(l != (c != d))"),
        ("t // 'it''s;' // t(2:3)", "((t // \"it''s;\") // t[2:3])"),
        ("a(1, 2)%x", "a[1, 2].x"),
        ("sin(c) + f(c, 2)", "(sin(c) + f!(c, 2))"),
        ("sum(a(:, 2)) + size(b(1:5:2))", "(sum(a[:, 2]) + size(b[1:5:2]))"),
        ("f(x=c, y=d)", "f!(c, d)"),
        ("c .cross. d", ".cross.!(c, d)"),
        ("(1.0, 2.0) * c", "(?(1.0, 2.0) * c)"),
        ("[1, 2, 3]", "?(1, 2, 3)"),
        ("(/ (i, i = 1, 3) /)", "?(?(i, 1, 3))"),
        ("[real :: 1, 2]", "?(1, 2)"),
        ("z'ff'", "?()"),
        ("((c))", "c"),
    ],
)
def test_an_expression_is_read_by_precedence(value, text, tree):
    assert written(value(text)) == tree


def test_an_expression_knows_its_place(read):
    source = read(f"{DECLARED}  c = b(1) + &\n      & a(2, 3)\nend\n")
    right = source.procedures[0].body[0].value.right
    assert (right.line, right.column) == (6, 9)


def test_an_element_knows_what_it_is_and_how_many_there_are(value):
    found = value("a(1,2)")
    assert (found.element.kind, found.element.bytes) == ("real", 4)
    assert [written(each) for each in found.extents] == ["10", "21"]


def test_texts_of_one_length_differ(value):
    assert value("f('ab')") != value("f('ac')")


@pytest.mark.parametrize("text", ["c +", "2 c", "a(1", "+ * 2", "f(" * 300 + "c" + ")" * 300, "+".join(["c"] * 500)])
def test_what_is_none_or_too_deep_is_some_other_statement(read, text):
    (statement,) = read(f"{DECLARED}  c = {text}\nend\n").procedures[0].body
    assert isinstance(statement, OtherStatement)
    assert isinstance(statement.expressions[0], Opaque)
    assert statement.expressions[0].changes


OPERATORS = ["+", "-", "*", "/", "**", "//", "<", "==", ".and.", ".or.", ".eqv."]
SPELLED = {".and.": "&&", ".or.": "||", ".eqv.": "=="}


def drawn(chance, depth):
    """Return a random expression; it need not make sense."""
    kind = chance.random()
    if depth == 0 or kind < 0.2:
        return chance.choice(["c", "d", "7", "2.5", "a(c, 1)", "b(d)", "f(c)"])
    if kind < 0.3:
        return f"({drawn(chance, depth - 1)})"
    if kind < 0.36:
        return f"(.not. {drawn(chance, depth - 1)})"
    if kind < 0.42:
        return f"(-{drawn(chance, depth - 1)})"
    return f"{drawn(chance, depth - 1)} {chance.choice(OPERATORS)} {drawn(chance, depth - 1)}"


def theirs(node):
    """Return fparser's tree in our notation."""
    if isinstance(node, Fortran2003.Parenthesis):
        return theirs(node.items[1])
    if isinstance(node, BinaryOpBase):
        left, operator, right = node.items
        return f"({theirs(left)} {SPELLED.get(operator.lower(), operator)} {theirs(right)})"
    if isinstance(node, UnaryOpBase):
        operator, operand = node.items
        inner = theirs(operand)
        if operator == "-" and inner.replace(".", "").isdigit():
            return f"-{inner}"
        return f"({'!' if operator.lower() == '.not.' else operator}{inner})"
    text = str(node).lower()
    return text if text.isidentifier() or text[0].isdigit() else text.replace("(", "[").replace(")", "]")


def test_fparser_reads_random_expressions_alike(value):
    ParserFactory().create(std="f2008")
    chance = random.Random(1)
    for _ in range(100):
        text = drawn(chance, 3)
        try:
            expected = theirs(Fortran2003.Expr(text))
        except Fortran2003.NoMatchError:  # not in the standard, such as a < b < c
            continue
        assert written(value(text)).replace("f!(c)", "f[c]") == expected
