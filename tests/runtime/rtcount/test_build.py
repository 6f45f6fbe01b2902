"""The counting tool is built on first use, if Valgrind is installed completely."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from autoanalyzer.errors import BuildError, InputError
from autoanalyzer.runtime.counting.cache_geometry import CacheGeometry
from autoanalyzer.runtime.counting.command import counting_command
from autoanalyzer.runtime.counting.tool import counting_tool, find_valgrind


def test_a_machine_without_valgrind_says_so_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="simulating counts needs valgrind, which is not on PATH; install") as caught:
        counting_tool({"PATH": str(tmp_path)})
    assert "\n" not in str(caught.value)


def test_valgrind_without_headers_says_so_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "valgrind"
    program.parent.mkdir()
    program.symlink_to("/bin/true")
    description = tmp_path / "pkgconfig" / "valgrind.pc"
    description.parent.mkdir()
    description.write_text(f"prefix={tmp_path}\nlibdir=${{prefix}}/lib\nincludedir=${{prefix}}/include/valgrind\n")
    monkeypatch.setattr("autoanalyzer.runtime.counting.tool._descriptions", lambda *_: [description])
    with pytest.raises(BuildError, match=r"valgrind.pc without .*/include/valgrind/pub_tool_tooliface.h; install"):
        find_valgrind({"PATH": str(program.parent)})


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_compilers_that_fail_are_named_with_what_they_said(tmp_path: Path) -> None:
    (tmp_path / "valgrind").symlink_to(shutil.which("valgrind") or "")
    (tmp_path / "sh").symlink_to("/bin/sh")
    for name in ("cc", "mine"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho no luck with {name} >&2\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    environment = {"PATH": str(tmp_path), "AUTOANALYZER_CC": "mine -m64", "AUTOANALYZER_CACHE": str(tmp_path / "cache")}
    with pytest.raises(
        BuildError, match=r"/mine cannot build the counting tool; see .*, or set AUTOANALYZER_CC"
    ) as caught:
        counting_tool(environment)
    log = Path(str(caught.value).partition("see ")[2].partition(",")[0]).read_text()
    assert log.index("mine -m64 ") < log.index("no luck with mine") < log.index("no luck with cc")


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
@pytest.mark.nightly  # by day: it is built once, by the default compiler
def test_the_tool_is_built_once_by_the_compiler_that_is_named_though_it_is_one_of_mpi(tmp_path: Path) -> None:
    """It is compiled without optimisation, because it is not executed."""
    named = tmp_path / "mine"
    named.write_text('#!/bin/sh\ntouch "$0.called"\nexec mpicc "$@" -O0\n')
    named.chmod(0o755)
    environment = {**os.environ, "AUTOANALYZER_CC": str(named), "AUTOANALYZER_CACHE": str(tmp_path / "cache")}
    said: list[str] = []
    valgrind, tools = counting_tool(environment, say=said.append)
    assert (tmp_path / "mine.called").exists()
    assert (tools / f"rtcount-{valgrind.platform}").exists()
    assert counting_tool(environment, say=said.append) == (valgrind, tools)
    assert said == [f"building the counting tool for {valgrind.program}"]


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_the_tool_stands_before_each_program(mpi: tuple[str, str]) -> None:
    launcher, _ = mpi
    command = [launcher, "-n", "2", "/bin/true", "x", ":", "-n", "1", "env", "A=1", "/bin/true"]
    words, environment = counting_command(command, CacheGeometry(), {"PATH": os.environ["PATH"]}, launcher=launcher)
    assert words[:3] == command[:3]
    places = [place for place, word in enumerate(words) if word.endswith("/valgrind")]
    programs = [words.index("/bin/true"), words.index("env")]
    assert len(places) == 2
    assert all(
        words[place + 1 : program] == words[places[0] + 1 : programs[0]]
        for place, program in zip(places, programs, strict=True)
    )
    assert "--l1=32768,8,64" in words
    assert environment["AUTOANALYZER_COUNTERS"] == "simulated"


def test_a_command_that_hides_its_program_is_refused(mpi: tuple[str, str]) -> None:
    launcher, _ = mpi
    with pytest.raises(InputError, match="expected a program to run under Valgrind, found none"):
        counting_command([launcher, "--app", "file"], CacheGeometry(), os.environ, launcher=launcher)
