"""Copies of working directories: their contents, and that none of them remains."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.runtime.counting.working_copy import working_copy


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which copies are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return the working directory ``case/run``, which contains a file, and a folder with a file."""
    folder = tmp_path / "case" / "run"
    (folder / "deep").mkdir(parents=True)
    (folder / "in.txt").write_text("input")
    (folder / "deep" / "table").write_text("1 2 3")
    return folder


def test_a_copy_is_written_and_the_original_is_not(here: Path, temporary: Path) -> None:
    with working_copy(here, here / "out") as copy:
        assert copy.name == "run"
        assert copy.is_relative_to(temporary)
        assert (copy / "deep" / "table").read_text() == "1 2 3"
        (copy / "in.txt").write_text("other")
        (copy / "new").write_text("")
    assert sorted(path.name for path in here.iterdir()) == ["deep", "in.txt"]
    assert (here / "in.txt").read_text() == "input"
    assert list(temporary.iterdir()) == []


def test_programs_can_still_be_executed(here: Path) -> None:
    (here / "app").write_text("#!/bin/sh\nexit 7\n")
    (here / "app").chmod(0o755)
    with working_copy(here, here / "out") as copy:
        assert subprocess.run([copy / "app"], check=False).returncode == 7


def test_a_program_finds_the_libraries_that_it_seeks_from_its_own_place(here: Path) -> None:
    (here.parent / "lib").mkdir()
    (here / "one.c").write_text("int one(void) { return 1; }\n")
    (here / "app.c").write_text("int one(void);\nint main(void) { return one() + 6; }\n")
    library = ["gcc", "-shared", "-fPIC", "one.c", "-o", "../lib/libone.so"]
    program = ["gcc", "app.c", "-L../lib", "-lone", "-Wl,-rpath,$ORIGIN/../lib", "-o", "app"]
    for words in (library, program):
        subprocess.run(words, cwd=here, check=True)
    shutil.copy(here / "app", here / "other")
    with working_copy(here, here / "out", ["mpirun", "-n", "2", "app"]) as copy:
        assert subprocess.run(["./app"], cwd=copy, check=False).returncode == 7
        assert not (copy / "other").is_symlink()


def test_the_output_folder_and_the_copy_itself_are_left_out(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "out").mkdir()
    (here / "out" / "experiment.cube").write_text("")
    (here / "deep" / "out").mkdir()
    (here / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(here / "tmp"))
    with working_copy(here, here / "out") as copy:
        assert sorted(path.name for path in copy.iterdir()) == ["deep", "in.txt", "tmp"]
        assert list((copy / "tmp").iterdir()) == []
        assert (copy / "deep" / "out").is_dir()
    assert list((here / "tmp").iterdir()) == []


def test_files_behind_links_are_copied_and_folders_are_not(here: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "large").write_text("large")
    (here / "file").symlink_to("../../data/large")
    (here / "folder").symlink_to("../../data")
    (here / "latest").symlink_to("deep")
    (here / "nothing").symlink_to("not/there")
    (here / "loop").symlink_to("loop")
    with working_copy(here, here / "out") as copy:
        assert not (copy / "file").is_symlink()
        (copy / "file").write_text("small")
        assert (copy / "folder").readlink() == tmp_path / "data"
        assert (copy / "latest").readlink() == copy / "deep"
        assert (copy / "nothing").readlink() == copy / "not" / "there"
        assert (copy / "loop").is_symlink()
    assert (tmp_path / "data" / "large").read_text() == "large"


def test_what_cannot_be_copied_is_left_out(here: Path) -> None:
    os.mkfifo(here / "pipe")
    with working_copy(here, here / "out") as copy:
        assert sorted(path.name for path in copy.iterdir()) == ["deep", "in.txt"]


def test_what_the_command_names_beside_the_folder_is_beside_the_copy(here: Path, tmp_path: Path) -> None:
    app = here.parent / "app"
    app.write_text("#!/bin/sh\n")
    (here.parent / "state").write_text("1")
    for path in (app, here.parent / "state"):
        path.chmod(0o755)  # on some file systems, all files are executable
    (here.parent / "tables").mkdir()
    (here.parent / "tables" / "a").write_text("a")
    (tmp_path / "deck").write_text("deck")
    words = [
        "mpirun",
        "-n",
        "2",
        "../app",
        "-i",
        "../../deck",
        "--tables=../tables",
        "../state",
        "../none",
        ".",
        "deep/../in.txt",
        "../" + 300 * "x",
    ]
    with working_copy(here, here / "out", words) as copy:
        assert (copy / "../app").resolve() == app
        (copy / "../../deck").write_text("other")
        (copy / "../tables/a").write_text("b")
        (copy / "../state").write_text("2")
        assert sorted(path.name for path in copy.parent.iterdir()) == ["app", "run", "state", "tables"]
    assert (tmp_path / "deck").read_text() == "deck"
    assert (here.parent / "tables" / "a").read_text() == "a"
    assert (here.parent / "state").read_text() == "1"


@pytest.mark.parametrize("word", ["..", "--root=../..", "deep/../../../case"])
def test_a_folder_around_the_working_directory_is_refused(here: Path, temporary: Path, word: str) -> None:
    with pytest.raises(InputError) as caught, working_copy(here, here / "out", ["./app", word]):
        pass
    assert str(caught.value).startswith(f"{word.rpartition('=')[2]}: contains the working directory")
    assert "--counting-dir" in str(caught.value)
    assert list(temporary.iterdir()) == []


def test_too_much_is_refused_before_it_is_copied(here: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autoanalyzer.runtime.counting.working_copy._LARGEST", 1 << 30)
    with (here / "sparse").open("wb") as file:
        file.truncate((1 << 30) + 1)
    with pytest.raises(InputError, match=r"run: more than 1 GiB, .* --counting-dir"), working_copy(here, here):
        pass
    assert list(temporary.iterdir()) == []
    with working_copy(here, here / "sparse") as copy:
        assert not (copy / "sparse").exists()


def test_nothing_is_left_after_an_error(here: Path, temporary: Path) -> None:
    with pytest.raises(ValueError, match="within"), working_copy(here, here / "out") as copy:
        (copy / "deep").chmod(0o500)
        raise ValueError("within")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.usefixtures("signals_heard")
def test_nothing_is_left_after_a_signal(here: Path, temporary: Path, number: signal.Signals) -> None:
    text = (
        "import sys, time; from pathlib import Path\n"
        "from autoanalyzer.runtime.counting.working_copy import working_copy\n"
        "with working_copy(Path.cwd(), Path('out')) as copy: print(copy, flush=True); time.sleep(1000)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", text],
        cwd=here,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout
    copy = Path(process.stdout.readline().decode().strip())
    assert (copy / "in.txt").exists()
    process.send_signal(number)
    assert process.wait() != 0
    assert list(temporary.iterdir()) == []


def test_a_signal_that_is_ignored_stays_so(here: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with working_copy(here, here / "out"):
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_no_room_for_a_copy_is_said(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(here / "not" / "there"))
    with (
        pytest.raises(InputError, match=r"cannot create a folder for the counting run: .* choose one with --scratch"),
        working_copy(here, here / "out"),
    ):
        pass
