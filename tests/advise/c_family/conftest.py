"""A fixture that reads C and C++ sources."""

from pathlib import Path
from textwrap import dedent

import pytest

from autoanalyzer.advise.c_family import read_c_family


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a text as a source file, in a folder with the given headers (``name_h=content``)."""

    def reads(text, name="x.c", **files):
        for other, content in files.items():
            (tmp_path / other.replace("_h", ".h")).write_text(content)
        return read_c_family(dedent(text).encode(), Path(tmp_path / name))

    return reads
