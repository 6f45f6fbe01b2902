"""Sources of C and C++, read."""

from pathlib import Path
from textwrap import dedent

import pytest

from autoanalyzer.advise.c_family import read_c_family


@pytest.fixture
def read(tmp_path):
    """Read a text, in a folder that may have other files."""

    def reads(text, name="x.c", **files):
        for other, content in files.items():
            (tmp_path / other.replace("_h", ".h")).write_text(content)
        return read_c_family(dedent(text).encode(), Path(tmp_path / name))

    return reads
