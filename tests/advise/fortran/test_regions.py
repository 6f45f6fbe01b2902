"""The reader for advice finds each region under the same name and at the same line as the instrumentation does."""

from pathlib import Path

import pytest

from autoanalyzer.advise.fortran import read_fortran
from autoanalyzer.advise.nest import Loop, statements
from autoanalyzer.instrument.reading import read_sources

ROOT = Path(__file__).parents[3]
FILES = sorted(path for suffix in ("f", "f90") for path in (ROOT / "samples").glob(f"*/*.{suffix}"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_regions_are_found_again(path):
    (source,) = read_sources(["mpicc"], ["mpicxx"], ["mpifort"], [str(path)], [])
    model = read_fortran(path.read_bytes(), path)
    procedures = {each.name: each for each in model.procedures}
    for each in (each for each in source.regions().regions if Path(each.region.file).name == path.name):
        region = each.region
        procedure = procedures[region.function or region.name]
        assert model.procedure_at(region.first_line) == procedure
        if region.kind == "loop":
            found = (loop for loop, _ in statements(procedure.body) if isinstance(loop, Loop))
            assert (region.first_line, region.last_line) in {(loop.line, loop.last_line) for loop in found}
        else:
            assert region.first_line == procedure.line
