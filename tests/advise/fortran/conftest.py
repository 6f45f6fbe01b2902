"""A fixture that reads Fortran sources."""

from pathlib import Path
from textwrap import dedent

import pytest

from autoanalyzer.advise.fortran import read_fortran


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a text as a source file, in a folder with the given other files.

    In the keywords that name these files, ``__`` stands for a slash, and ``_f90`` and ``_inc`` for suffixes.
    """

    def reads(text, name="x.f90", **files):
        for other, content in files.items():
            (tmp_path / other.replace("__", "/").replace("_f90", ".f90").replace("_inc", ".inc")).write_text(content)
        return read_fortran(dedent(text).encode(), Path(tmp_path / name))

    return reads
