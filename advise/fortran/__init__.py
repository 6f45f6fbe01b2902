"""The front end for Fortran.

The reader in ``instrument`` finds lines, statements and program units. It provides lines and columns, and continues
after an unknown statement. Expressions are parsed here. Only the tests use fparser, to check expressions. It provides
only the positions of whole statements, rejects a whole file because of one statement, and takes ten times as long, or
much longer if calls are nested.
"""

from __future__ import annotations

from .source import read_fortran

__all__ = ["read_fortran"]
