"""Fixtures that make sites: regions in sources for which advice is requested."""

from pathlib import Path
from textwrap import dedent

import pytest

from autoanalyzer.advise.advice import Site
from autoanalyzer.advise.c_family import read_c_family
from autoanalyzer.advise.fortran import read_fortran

from ..analyze.conftest import make_experiment

__all__ = ["make_experiment"]

SAMPLES = Path(__file__).parents[2] / "samples"


def _read(text, path):
    read = read_fortran if path.suffix in (".f", ".f90") else read_c_family
    return read(text, path)


@pytest.fixture
def site(tmp_path):
    """Return a function that makes a site of the last procedure in a text, or of some of the procedure's lines."""

    def made(text, name="x.c", lines=None, causes=(), **numbers):
        source = _read(dedent(text).encode(), tmp_path / name)
        procedure = source.procedures[-1]
        first, last = lines or (procedure.line, procedure.last_line)
        sources = {source.path: source}
        return Site(source, procedure, first, last, frozenset(causes), 1.5, numbers, sources)

    return made


@pytest.fixture(scope="session")
def sample():
    """Return a function that makes a site of a procedure in a sample; the named other files of the sample are known."""
    known = {}

    def made(file, procedure, *others, causes=(), **numbers):
        for name in (file, *others):
            if name not in known:
                path = SAMPLES / name
                known[name] = _read(path.read_bytes(), path)
        source = known[file]
        (found,) = [each for each in source.procedures if each.name.rpartition("::")[2].lower() == procedure]
        sources = {name: known[name] for name in (file, *others)}
        return Site(source, found, found.line, found.last_line, frozenset(causes), 1.5, numbers, sources)

    return made
