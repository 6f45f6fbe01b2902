"""The front end for Fortran.

Lines, statements and program units are found by the reader of ``instrument``, which knows the place of each to the
column, and goes on where one statement is unknown; expressions are read here. fparser checks both in tests: of some
programs it reads a hundred lines a second, and a dozen calls within each other take it a quarter of a minute.
"""

from __future__ import annotations

from .source import read_fortran

__all__ = ["read_fortran"]
