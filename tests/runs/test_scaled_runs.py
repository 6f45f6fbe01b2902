"""Series of runs: which of them are kept if the command is repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoanalyzer.cli.reporter import REPORTER
from autoanalyzer.errors import UsageError
from autoanalyzer.experiment import Builder, Notes, Region, save
from autoanalyzer.runs.options import RunOptions
from autoanalyzer.runs.scaled_runs import _is_there, recorded_with_ranks
from autoanalyzer.runtime.folder import RunFolder


def test_runs_are_kept_unless_the_program_was_built_from_changed_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ranks = (1, 2)
    for number in ranks:
        builder = Builder(Notes(program="app", command=("mpirun", "-n", str(number), "./app")))
        builder.call_path(Region("function", "main", "app.c", "main", 0, 1, 9, "0123456789abcdef"))
        for rank in range(number):
            builder.location(rank)
        builder.metric("wall_time")
        folder = tmp_path / "study" / f"ranks-{number}"
        folder.mkdir(parents=True)
        save(builder.experiment(), folder / "experiment.cube")
    program = tmp_path / "app"
    program.touch(mode=0o755)

    def kept(content: bytes) -> list[Path] | None:
        program.write_bytes(content)
        options = RunOptions(output=Path("study"))
        return recorded_with_ranks(options, ["mpirun", "-n", "{ranks}", "./app"], ranks, REPORTER)

    folders = [Path("study", f"ranks-{number}") for number in ranks]
    probe = b"\0aa1|function|main|%s|main|0|1|9|%s\0"
    assert kept(b"\0aa1|nothing\0" + probe % (b"app.c", b"0123456789abcdef")) == folders
    assert kept(probe % (b"app.c", b"0123456789abcdef") + probe % (b"app.c", b"f" * 16)) == folders
    assert kept(probe % (b"other.c", b"f" * 16)) == folders  # possibly a library's source
    assert kept(b"") == folders
    with pytest.raises(
        UsageError, match=r"study/ranks-1: app\.c has changed since this run of app; choose another folder"
    ):
        kept(probe % (b"app.c", b"f" * 16))


@pytest.mark.parametrize(
    ("counters", "source", "is_kept"),
    [
        ("auto", "measured:papi:PAPI_TOT_INS", True),
        ("auto", "", True),
        ("papi", "measured:papi:PAPI_TOT_INS", True),
        ("simulated", "simulated:rtcount", True),
        ("simulated", "measured:papi:PAPI_TOT_INS", False),
        ("papi", "simulated:rtcount", False),
        ("papi", "", False),
    ],
)
def test_runs_are_kept_if_their_counts_have_the_given_source(
    tmp_path: Path, counters: str, source: str, is_kept: bool
) -> None:
    builder = Builder(Notes(program="true", command=("true", "1")))
    builder.call_path("main")
    builder.location(0)
    builder.metric("wall_time")
    if source:
        builder.metric("instructions", "occ", source=source)
    folder = tmp_path / "ranks-1"
    folder.mkdir()
    save(builder.experiment(), folder / "experiment.cube")
    assert _is_there(RunFolder(folder), ["true", "1"], counters, 1) == is_kept
