"""A database of HPCToolkit: inclusive times by call path and rank equal those that Hatchet reads."""

import json
import re
import shutil

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load

from .conftest import FOREIGN

FOLDER = FOREIGN / "hpctoolkit"


def test_inclusive_times_are_those_of_hatchet():
    expected = json.loads((FOREIGN / "hpctoolkit.expected.json").read_text())
    experiment = load(FOLDER)
    inclusive = experiment.inclusive("cpu_time")
    names, found = [], {}
    for row, path in enumerate(experiment.call_paths):
        names.append(f"{names[path.parent]}/{path.region.name}" if path.parent is not None else path.region.name)
        found[names[row]] = found.get(names[row], 0) + inclusive[row]
    assert len(found) == len(expected) > 20
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], np.array(values) / 1e6, atol=1e-12, err_msg=name)


def test_places_and_sites_are_those_of_the_database(assert_equal):
    experiment = load(FOLDER)
    main = next(path for path in experiment.call_paths if path.region.name == "main")
    start = next(path for path in experiment.call_paths if path.region.name == "MPI_Init")
    assert main.region[1:3] == ("main", "./src/cpi.c")
    assert (main.region.first_line, start.site, start.region.kind) == (19, 27, "mpi")
    assert_equal(load(FOLDER / "experiment.xml"), experiment)


def test_what_is_below_mpi_is_time_in_mpi(values):
    experiment = load(FOLDER)
    name = "<program root>/main"
    whole, inside = (values(experiment, each, inclusive=True)[name] for each in ("cpu_time", "mpi_cpu_time"))
    assert whole == pytest.approx(inside)
    assert analyze(experiment).run.program_time == 0  # all time is below MPI_Finalize


def test_a_file_of_values_that_is_cut_off_is_named(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "a")
    file = next((tmp_path / "a").glob("*000002*.metric-db"))
    file.write_bytes(file.read_bytes()[:500])
    with pytest.raises(
        InputError,
        match=rf"^{tmp_path}/a: {re.escape(file.name)}: expected values of 58 nodes, found values of 29 nodes",
    ):
        load(tmp_path / "a")


def test_a_database_without_call_paths_is_refused(tmp_path):
    for file in FOLDER.glob("*.metric-db"):
        shutil.copy(file, tmp_path)
    with pytest.raises(InputError, match=r"with experiment\.xml or meta\.db, found a folder without these files\Z"):
        load(tmp_path)


def test_the_file_that_is_given_is_read_whatever_it_is_called(tmp_path, assert_equal):
    shutil.copytree(FOLDER, tmp_path / "a")
    (tmp_path / "a" / "experiment.xml").rename(tmp_path / "a" / "db.xml")
    assert_equal(load(tmp_path / "a" / "db.xml"), load(FOLDER))
    (tmp_path / "a" / "experiment.xml").write_text("another one")
    assert_equal(load(tmp_path / "a" / "db.xml"), load(FOLDER))


@pytest.mark.parametrize("before", ["", f"<!--{'x' * 70_000}-->", "%unknown;"], ids=["at once", "far", "unknown"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_wherever_they_are_declared(before, encoding, tmp_path):
    shutil.copytree(FOLDER, tmp_path / "a")
    file = tmp_path / "a" / "experiment.xml"
    text = file.read_text().replace("<!ELEMENT Header", f'{before}<!ENTITY a "b"><!ELEMENT Header', 1)
    file.write_text(text, encoding=encoding)
    with pytest.raises(InputError, match="without entities"):
        load(tmp_path / "a")


def test_a_node_of_no_row_is_refused(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "a")
    file = tmp_path / "a" / "experiment.xml"
    file.write_text(re.sub(r'<PF i="\d+"', '<PF i="0"', file.read_text(), count=1))
    with pytest.raises(InputError, match="expected nodes numbered from 1, found node 0"):
        load(tmp_path / "a")


def test_nodes_that_share_a_row_are_refused(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "a")
    file = tmp_path / "a" / "experiment.xml"
    text = file.read_text()
    first, second = re.findall(r'<PF i="\d+"', text)[:2]
    file.write_text(text.replace(second, first))
    with pytest.raises(InputError, match=r"expected each node once, found node \d+ twice\Z"):
        load(tmp_path / "a")


def test_a_database_without_functions_has_nothing(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "a")
    file = tmp_path / "a" / "experiment.xml"
    start, end = "<SecCallPathProfileData>", "</SecCallPathProfileData>"
    file.write_text(re.sub(f"{start}.*{end}", start + end, file.read_text(), flags=re.S))
    with pytest.raises(InputError, match=r"expected functions and loops, found none\Z"):
        load(tmp_path / "a")


def test_a_sample_is_worth_the_least_time_that_was_measured():
    samples = load(FOREIGN / "hpctoolkit").notes.samples
    assert samples["cpu_time"] == pytest.approx(0.006, rel=1e-3)  # of a call site with one sample
