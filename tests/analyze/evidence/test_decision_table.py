"""Tables 2, 3 and 4 of paper 001, and edge cases of rough sets."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoanalyzer.analyze.evidence.decision_table import DecisionTable, Row

A = ("a1", "a2", "a3", "a4", "a5")

TABLE_2 = DecisionTable(
    A[:4],
    (
        Row(0, ("sunny", "hot", "high", False), "N"),
        Row(1, ("sunny", "hot", "high", True), "N"),
        Row(2, ("overcast", "hot", "high", False), "P"),
        Row(3, ("sunny", "cool", "low", False), "P"),
    ),
)


def table(*lines: str) -> DecisionTable:
    """Return a table from lines of ``ID values… decision``."""
    numbers = [[int(word) for word in line.split()] for line in lines]
    rows = tuple(Row(first, tuple(values), decision) for first, *values, decision in numbers)
    return DecisionTable(A[: len(numbers[0]) - 2], rows)


TABLE_3 = table(
    "0  0 0 0 0 0  0",
    "1  0 0 0 0 1  1",
    "2  0 0 0 0 1  1",
    "3  1 0 0 0 2  2",
    "4  0 1 0 0 3  3",
    "5  1 1 0 1 4  4",
    "6  1 2 0 1 3  3",
    "7  1 2 0 0 4  4",
)

TABLE_4 = table(
    "1   0 0 0 0 0  0",
    "2   1 0 0 0 0  0",
    "3   0 0 0 0 0  0",
    "4   0 0 0 0 0  0",
    "5   1 1 0 0 1  0",
    "6   1 0 0 0 1  0",
    "7   0 0 0 0 0  0",
    "8   0 0 1 0 1  1",
    "9   1 0 0 0 0  0",
    "10  1 0 0 0 0  0",
    "11  1 1 0 0 1  1",
    "12  0 0 0 0 0  0",
    "13  0 0 0 0 0  0",
    "14  1 1 0 0 1  1",
)


def test_table_2_has_two_reducts():
    assert TABLE_2.reducts == (("a1", "a2"), ("a1", "a3"))


def test_the_matrix_of_table_2_is_that_of_figure_3():
    none = ()
    first, second = ("a1",), ("a2", "a3")
    third, fourth = ("a1", "a4"), ("a2", "a3", "a4")
    assert DecisionTable.matrix(TABLE_2.attributes, TABLE_2.rows) == [
        [none, none, first, second],
        [none, none, third, fourth],
        [first, third, none, none],
        [second, fourth, none, none],
    ]


def test_the_function_of_table_2_is_that_of_equation_5_after_absorption():
    assert TABLE_2.function == (("a1",), ("a2", "a3"))


def test_table_3_blames_the_instructions():
    assert TABLE_3.reducts == (("a5",),)
    assert TABLE_3.function == (("a5",),)
    assert TABLE_3.inconsistent == ()


def test_the_matrix_of_table_3_has_the_entries_of_figure_10():
    found = DecisionTable.matrix(TABLE_3.attributes, TABLE_3.rows)
    assert found[0][1:] == [
        ("a5",),
        ("a5",),
        ("a1", "a5"),
        ("a2", "a5"),
        ("a1", "a2", "a4", "a5"),
        ("a1", "a2", "a4", "a5"),
        ("a1", "a2", "a5"),
    ]
    assert found[4][5] == ("a1", "a4", "a5")
    assert found[4][6] == found[5][7] == ()
    assert found[6][7] == ("a4", "a5")


def test_table_4_blames_second_level_misses_and_disk_io():
    assert TABLE_4.reducts == (("a2", "a3"),)


def test_region_8_of_table_4_is_blamed_on_disk_io_and_region_11_on_second_level_misses():
    causes = {row.id: TABLE_4.causes(row) for row in TABLE_4.rows if row.decision}
    assert causes == {8: ("a3",), 11: ("a2",), 14: ("a2",)}


def test_a_row_that_raises_no_telling_attribute_is_blamed_on_all_that_it_raises():
    alone = DecisionTable(A[:2], (Row(0, (1, 0), 1), Row(1, (1, 0), 0)))
    assert alone.causes(alone.rows[0]) == ("a1",)
    assert alone.causes(Row(9, (0, 0), 1)) == ()


def test_what_all_culprits_raise_does_not_hide_what_one_raises():
    both = table("3  0 0 0 0 1  1", "12  0 0 0 1 1  1", "5  0 0 0 0 0  0")  # regions 3 and 12 of section 6.2
    assert both.reducts == (("a5",),)
    assert [both.causes(row) for row in both.rows[:2]] == [("a5",), ("a4", "a5")]


def test_alike_rows_of_table_4_with_different_decisions_are_named():
    assert TABLE_4.inconsistent == ((5, 11, 14),)


def test_without_the_mixture_14_table_4_comes_to_the_same():
    assert DecisionTable(A, TABLE_4.rows[:-1]).reducts == (("a2", "a3"),)


def test_a_reduct_of_the_smallest_size_is_wanted_even_where_a_longer_one_is_minimal():
    assert table("0 0 0 0 0", "1 1 0 1 1", "2 0 1 1 1").reducts == (("a3",),)


@pytest.mark.parametrize(
    "empty",
    [
        DecisionTable(A),
        DecisionTable((), (Row(0, (), 0), Row(1, (), 1))),
        table("7 1 1 0"),
        table("0 0 1 0", "1 1 0 0"),
        table("0 1 1 0", "1 1 1 1"),
    ],
    ids=["no rows", "no attributes", "one row", "one decision", "only inconsistent rows"],
)
def test_where_nothing_can_be_told_apart_there_is_no_reduct(empty: DecisionTable):
    assert empty.reducts == ()
    assert empty.function == ()


def test_rows_that_are_inconsistent_are_still_told_from_others():
    found = table("0 1 0 0", "1 1 0 1", "2 0 0 0")
    assert found.reducts == (("a1",),)
    assert found.inconsistent == ((0, 1),)


def test_rows_that_do_not_differ_are_listed_once():
    assert [ids for _, ids in TABLE_3.distinct] == [(0,), (1, 2), (3,), (4,), (5,), (6,), (7,)]


def test_ten_thousand_regions_come_to_the_same_as_their_different_rows():
    rng = random.Random(3)
    rows = tuple(Row(i, tuple(rng.randint(0, 1) for _ in A), rng.randint(0, 1)) for i in range(10_000))
    found = DecisionTable(A, rows)
    assert found.reducts == DecisionTable(A, tuple(row for row, _ in found.distinct)).reducts


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4, st.integers(0, 1)), max_size=9))
def test_reducts_are_the_smallest_hitting_sets_of_the_matrix(lines: list[tuple[int, ...]]):
    rows = tuple(Row(i, line[:4], line[4]) for i, line in enumerate(lines))
    found = DecisionTable(A[:4], rows)
    entries = [set(entry) for line in DecisionTable.matrix(A[:4], rows) for entry in line if entry]
    hitting = [
        each for size in range(1, 5) for each in combinations(A[:4], size) if all(e & set(each) for e in entries)
    ]
    smallest = [each for each in hitting if len(each) == len(hitting[0])] if entries else []
    assert list(found.reducts) == smallest
    minimal = {frozenset(each) for each in entries if not any(other < each for other in entries)}
    assert set(map(frozenset, found.function)) == minimal
