"""Exceptions of other projects' readers on damaged files."""

import struct
from pathlib import Path

import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment.bridges.damage import damaged_parts

FILE = Path("a.tau")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            struct.error("unpack requires\na buffer"),
            "expected a profile, found a damaged one (error: unpack requires a buffer)",
        ),
        (AttributeError(), "expected a profile, found a damaged one (AttributeError: no reason given)"),
        (IndexError("x" * 300), f"expected a profile, found a damaged one (IndexError: {'x' * 200})"),
        (InputError("no times"), "no times"),
        (InputError("a.tau: no times"), "no times"),
    ],
)
def test_whatever_a_reader_raises_is_one_line_that_names_the_file(error: Exception, said: str) -> None:
    with pytest.raises(InputError) as raised, damaged_parts(FILE, "a profile"):
        raise error
    assert str(raised.value) == f"a.tau: {said}"


@pytest.mark.parametrize("error", [MemoryError(), FileNotFoundError(2, "none")])
def test_what_is_no_fault_of_the_file_stays_as_it_is(error: Exception) -> None:
    with pytest.raises(type(error)), damaged_parts(FILE, "a profile"):
        raise error
