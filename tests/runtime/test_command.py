import os
from pathlib import Path

import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.runtime.command import find_program, launcher_words
from autoanalyzer.runtime.launch import _export, kept_environment, launch, measured_environment
from autoanalyzer.runtime.mpi.detection import find_mpi


@pytest.mark.parametrize(
    ("command", "place"),
    [
        (["mpirun", "-n", "4", "/bin/true"], 3),
        (["mpirun", "--map-by", "sh", "--mca", "btl", "self", "-x", "A=1", "/bin/true", "-n", "3"], 8),
        (["mpirun", "-n", "1", "env", "A=1", "/bin/true", ":", "-n", "2", "/bin/false"], 3),
        (["mpirun", "--oversubscribe", "sh", "-c", "true"], 2),
        (["mpirun", "-app", "file"], None),
    ],
)
def test_the_program_is_found_behind_the_launchers_own_words(command: list[str], place: int | None):
    assert find_program(command, "mpirun") == place


def test_the_launchers_words_start_another_program_in_the_same_way():
    assert launcher_words(["mpirun", "-n", "3", "/bin/true", "x"], "mpirun") == ["mpirun", "-n", "3"]


def test_a_program_that_is_named_by_a_path_must_exist():
    with pytest.raises(InputError, match=r"\./none: no such program"):
        find_program(["mpirun", "-n", "2", "./none"], "mpirun")


def _launched(tmp_path: Path, *command: str, launcher: str, **variables: str) -> list[str]:
    """Launch a script instead of mpirun; return its arguments and Open MPI's list of variables."""
    script = tmp_path / "mpirun"
    script.write_text(f'#!/bin/sh\nprintf "%s " "$@" "list=$OMPI_MCA_mca_base_env_list" > {tmp_path}/words\nexit 3\n')
    script.chmod(0o755)
    words = [str(script) if word == "mpirun" else word for word in command]
    environment = {**measured_environment(Path("libm.so.6"), tmp_path), **variables}
    assert launch(words, environment, launcher=str(script) if launcher else "") == 3
    return (tmp_path / "words").read_text().split()


def test_variables_are_forwarded_to_each_part_of_an_open_mpi_job(tmp_path: Path):
    words = _launched(tmp_path, "env", "mpirun", "-n", "1", "a", ":", "-n", "1", "b", launcher="mpirun")
    flags = ["-x", "LD_PRELOAD", "-x", "AUTOANALYZER_SHARDS", "-x", "AUTOANALYZER_NODE"]
    flags += ["-x", "AUTOANALYZER_MAX_OVERHEAD", "-x", "AUTOANALYZER_SAMPLE"]
    assert words == [*flags, "-n", "1", "a", ":", *flags, "-n", "1", "b", "list="]


def test_variables_join_the_users_own_list(tmp_path: Path):
    words = _launched(tmp_path, "mpirun", "a", launcher="mpirun", OMPI_MCA_mca_base_env_list="HOME")
    ours = "LD_PRELOAD;AUTOANALYZER_SHARDS;AUTOANALYZER_NODE;AUTOANALYZER_MAX_OVERHEAD;AUTOANALYZER_SAMPLE"
    assert words == ["a", f"list=HOME;{ours}"]


def test_other_launchers_get_no_words_of_ours(tmp_path: Path):
    assert _launched(tmp_path, "mpirun", "-n", "1", "a", launcher="") == ["-n", "1", "a", "list="]
    assert find_mpi(["srun", "-n", "2", "/bin/true"], dict(os.environ)).openmpi_launcher == ""


def test_few_variables_are_kept():
    found = kept_environment({"OMP_NUM_THREADS": "2", "SLURM_JOB_ID": "7", "HOME": "/root", "TOKEN": "x"})
    assert found == {"OMP_NUM_THREADS": "2", "SLURM_JOB_ID": "7"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--export=NONE"], ["--export=LD_PRELOAD,AUTOANALYZER_SHARDS,AUTOANALYZER_NODE,AUTOANALYZER_MAX_OVERHEAD"]),
        (
            ["--export", "A,B=1"],
            ["--export", "A,B=1,LD_PRELOAD,AUTOANALYZER_SHARDS,AUTOANALYZER_NODE,AUTOANALYZER_MAX_OVERHEAD"],
        ),
        (["--export=ALL,A=1"], ["--export=ALL,A=1"]),
        (["-n", "2"], ["-n", "2"]),
    ],
)
def test_slurm_exports_our_variables_too(
    given: list[str], words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "srun").symlink_to("/bin/true")  # srun must be found, but is not started
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    ours = dict.fromkeys(["LD_PRELOAD", "AUTOANALYZER_SHARDS", "AUTOANALYZER_NODE", "AUTOANALYZER_MAX_OVERHEAD"], "x")
    found, variables = _export(["srun", *given, "/bin/true", "--export=NONE"], ours | {"SLURM_EXPORT_ENV": "NIL"})
    assert found == ["srun", *words, "/bin/true", "--export=NONE"]
    assert variables["SLURM_EXPORT_ENV"] == ",".join(ours)
