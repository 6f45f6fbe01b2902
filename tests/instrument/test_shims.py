"""Which compiler a build finds by name or by variable."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from autoanalyzer.errors import UsageError
from autoanalyzer.instrument.shims import build_environment


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def wrappers(tmp_path: Path) -> Path:
    """Return wrappers that print what they would call, in a folder with a blank in its name."""
    for name, variable in (("aa-mpicc", "CC"), ("aa-mpicxx", "CXX"), ("aa-mpifort", "FC")):
        script(tmp_path / "my tool" / name, f'echo "{name} for $AUTOANALYZER_{variable}: $*"')
    return tmp_path / "my tool"


def said(environment: dict[str, str], command: str) -> str:
    return subprocess.run(
        ["/bin/sh", "-c", command], env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_a_build_finds_the_wrappers_by_variable_and_by_the_compilers_names(tmp_path: Path, wrappers: Path) -> None:
    mpicc = script(tmp_path / "mpi" / "mpicc.own", "")
    environment = build_environment(tmp_path / "kept", wrappers, {"PATH": str(mpicc.parent), "CC": "gcc -m64"})
    assert said(environment, "$CC -c a.c") == "aa-mpicc for gcc -m64: -c a.c\n"
    assert said(environment, "mpicc.own -c 'a b.c'") == f"aa-mpicc for {mpicc}: -c a b.c\n"
    assert said(environment, "$FC -c a.f") == "aa-mpifort for : -c a.f\n"
    assert "MAKEFLAGS" not in environment


def test_each_choice_of_compilers_keeps_its_scripts(tmp_path: Path, wrappers: Path) -> None:
    found = {}
    for name in ("one", "two"):
        compiler = script(tmp_path / name / "mpicc", "")
        environment = build_environment(tmp_path / "kept", wrappers, {"PATH": str(compiler.parent)})
        found[name] = environment, f"aa-mpicc for {compiler}: \n"
    script(tmp_path / "one" / "mpif90", "")
    build_environment(tmp_path / "kept", wrappers, {"PATH": str(tmp_path / "one")})
    for environment, expected in found.values():
        assert said(environment, "mpicc") == expected
        assert not (Path(environment["PATH"].split(os.pathsep)[0]) / "mpif90").exists()
    again = build_environment(tmp_path / "kept", wrappers, found["two"][0])
    assert again["PATH"] == found["two"][0]["PATH"]


def test_a_compiler_that_is_badly_quoted_is_refused(tmp_path: Path, wrappers: Path) -> None:
    with pytest.raises(UsageError, match="CC: expected a command, found 'gcc \"'"):
        build_environment(tmp_path / "kept", wrappers, {"PATH": "/usr/bin", "CC": 'gcc "'})
