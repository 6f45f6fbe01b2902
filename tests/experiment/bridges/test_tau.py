"""Profiles of TAU: a folder of four ranks, one folder per metric, and truncated call chains."""

import re
from collections import defaultdict

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Region, load
from autoanalyzer.runs.open_experiment import open_experiment

from .conftest import FOREIGN

FOLDER = FOREIGN / "tau"
ROW = re.compile(r'^"([^"]*)" (\S+) \S+ (\S+) (\S+) \S+ GROUP', re.M)


def _flat(rank):
    rows = ROW.findall((FOLDER / f"profile.{rank}.0.0").read_text())
    return {name.strip().removesuffix("()"): tuple(map(float, numbers)) for name, *numbers in rows if "=>" not in name}


def test_calls_own_and_inclusive_times_are_those_of_the_functions_of_each_rank():
    experiment = load(FOLDER)
    assert [each.process for each in experiment.locations] == [0, 1, 2, 3]
    for rank in range(4):
        calls, own = defaultdict(float), defaultdict(float)
        for path, visits, seconds in zip(
            experiment.call_paths, experiment.exclusive("visits"), experiment.exclusive("wall_time"), strict=True
        ):
            calls[path.region.name] += visits[rank]
            own[path.region.name] += seconds[rank]
        flat = _flat(rank)
        assert calls == {name: counted for name, (counted, _, _) in flat.items()}
        assert own == pytest.approx({name: alone / 1e6 for name, (_, alone, _) in flat.items()})
        whole = experiment.inclusive("wall_time")[0, rank]
        assert whole == pytest.approx(flat[".TAU application"][2] / 1e6, abs=3e-6)


def test_the_folder_is_opened_as_an_experiment_and_its_parts_are_told():
    experiment, file = open_experiment(FOLDER)
    assert file == FOLDER
    kinds = {path.region.name: path.region.kind for path in experiment.call_paths}
    assert (kinds["MPI_Bcast"], kinds["MPI_File_open"], kinds[".TAU application"]) == ("mpi", "io", "function")
    assert experiment.exclusive("io_time").sum() > 0
    assert analyze(experiment).experiment.exclusive("mpi_time").sum() > 0


def _write(file, rows, metric=""):
    file.parent.mkdir(exist_ok=True)
    text = "".join(f'"{name}" {calls} 0 {own} {own} 0 GROUP="TAU_USER" \n' for name, calls, own in rows)
    head = f"{len(rows)} templated_functions{f'_MULTI_{metric}' if metric else ''}"
    file.write_text(f"{head}\n# Name Calls Subrs Excl Incl ProfileCalls\n{text}0 aggregates\n0 userevents\n")


def test_a_folder_a_metric_makes_one_experiment_with_files_and_lines(tmp_path, values):
    names = ("main", "main => solve [{solve.f90} {12,1}-{40,9}]", "solve [{solve.f90} {12,1}-{40,9}]")
    for metric, scale in (("TIME", 1_000_000), ("PAPI_TOT_INS", 10)):
        for thread in range(2):
            rows = [(name, 1, scale * (thread + 1)) for name in names]
            _write(tmp_path / f"MULTI__{metric}" / f"profile.0.0.{thread}", rows, metric)
    experiment = load(tmp_path)
    assert values(experiment, "wall_time") == {"main": [1, 2], "main/solve": [1, 2]}
    assert values(experiment, "PAPI_TOT_INS") == {"main": [10, 20], "main/solve": [10, 20]}
    assert values(experiment, "visits") == {"main": [1, 1], "main/solve": [1, 1]}
    assert experiment.call_paths[1].region == Region("function", "solve", "solve.f90", "solve", 0, 12, 40)


def test_functions_are_listed_flat_where_chains_are_cut_off(tmp_path, values):
    rows = [("main", 1, 5e6), ("a", 1, 1e6), ("b", 2, 2e6), ("main => a", 1, 1e6), ("a => b", 2, 2e6)]
    _write(tmp_path / "profile.0.0.0", rows)
    experiment = load(tmp_path)
    assert values(experiment, "wall_time") == {"program": [0], "program/main": [5], "program/a": [1], "program/b": [2]}
    assert "shown without callers" in experiment.notes.remarks[0]


CHAINS = [("main", 1, 3e6), ("work", 1, 1e6), ("main => work", 1, 1e6)]


@pytest.mark.parametrize("idle", ["main", "OpenMP thread"])
def test_a_thread_without_calls_leaves_the_call_paths_of_others(idle, tmp_path, values):
    _write(tmp_path / "profile.0.0.0", CHAINS)
    _write(tmp_path / "profile.0.0.1", [(idle, 1, 2e6)])
    experiment = load(tmp_path)
    paths = {name.removeprefix("program/"): row for name, row in values(experiment, "wall_time").items()}
    assert paths["main/work"] == [1, 0]
    assert paths[idle][1] == 2
    assert not any("shown without callers" in each for each in experiment.notes.remarks)


def test_functions_are_listed_flat_where_a_thread_lacks_the_chains_that_others_have(tmp_path, values):
    _write(tmp_path / "profile.0.0.0", CHAINS)
    _write(tmp_path / "profile.1.0.0", [("main", 1, 3e6), ("work", 1, 2e6)])
    assert values(load(tmp_path), "wall_time") == {"program": [0, 0], "program/main": [3, 3], "program/work": [1, 2]}


def test_a_folder_of_other_names_is_none_of_tau(tmp_path):
    (tmp_path / "profile.a.b.c").write_text("hi\n")
    with pytest.raises(InputError) as refused:
        open_experiment(tmp_path)
    assert "TAU" not in str(refused.value)


def test_profiles_are_found_beside_a_folder_of_a_metric_without_any(tmp_path, values):
    (tmp_path / "MULTI__TIME").mkdir()
    _write(tmp_path / "profile.0.0.0", CHAINS)
    assert values(load(tmp_path), "wall_time") == {"main": [3], "main/work": [1]}


def test_a_damaged_file_of_a_folder_is_named(tmp_path):
    _write(tmp_path / "profile.0.0.0", [("main", 1, 5e6)])
    (tmp_path / "profile.1.0.0").write_text("3 templated_functions_MULTI_TIME\n# Name\n")
    with pytest.raises(InputError, match=r"profile\.1\.0\.0: expected 3 functions"):
        load(tmp_path)
