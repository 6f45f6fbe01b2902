"""The front end for Fortran.

Lines, statements and program units are found by the reader of ``instrument``, which knows the place of each to the
column, and goes on where one statement is unknown; expressions are read here. fparser, which knows the places of
statements alone, and refuses a file for one of them, checks expressions in the tests; it takes ten times as long, and
five times as long for each two calls that are within each other.
"""

from __future__ import annotations

from .source import read_fortran

__all__ = ["read_fortran"]
