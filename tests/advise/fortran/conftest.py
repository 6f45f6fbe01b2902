"""Sources of Fortran, read."""

from pathlib import Path
from textwrap import dedent

import pytest

from autoanalyzer.advise.fortran import read_fortran


@pytest.fixture
def read(tmp_path):
    """Read a text, in a folder that may have other files."""

    def reads(text, name="x.f90", **files):
        for other, content in files.items():
            (tmp_path / other.replace("__", "/").replace("_f90", ".f90").replace("_inc", ".inc")).write_text(content)
        return read_fortran(dedent(text).encode(), Path(tmp_path / name))

    return reads
