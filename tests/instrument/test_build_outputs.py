"""What compilers have written is put aside for the next build, and nothing else is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from autoanalyzer.instrument.build_outputs import BuildOutputs, note_written
from autoanalyzer.instrument.compiler import CompilerCommand


@pytest.fixture
def products(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildOutputs:
    """A folder in which a build has written ``a.o``, ``b.o``, the module ``m`` and the program ``app``."""
    monkeypatch.chdir(tmp_path)
    Path("b.f90").write_text("module m\nend module\n")
    for name in ("a.o", "b.o", "m.mod", "app", "data"):
        Path(name).write_text("first")
    found = BuildOutputs(tmp_path)
    with found.made_anew():
        for words in ("cc -c a.c", "fc -c b.f90", "cc a.o b.o -o app"):
            note_written(found.notes, CompilerCommand(words.split()))
    return found


def there() -> set[str]:
    return {path.name for path in Path().iterdir() if path.is_file()} - {"built.jsonl", "b.f90"}


def test_what_is_not_made_again_comes_back(products: BuildOutputs) -> None:
    with products.made_anew():
        assert there() == {"data"}
        Path("a.o").write_text("second")
    assert there() == {"a.o", "b.o", "m.mod", "app", "data"}
    assert [Path(name).read_text() for name in ("a.o", "b.o")] == ["second", "first"]


def test_what_is_broken_off_comes_back(products: BuildOutputs) -> None:
    with pytest.raises(KeyboardInterrupt), products.made_anew():
        raise KeyboardInterrupt
    with products.made_anew():
        assert there() == {"data"}
    assert there() == {"a.o", "b.o", "m.mod", "app", "data"}


def test_what_was_changed_since_stays(products: BuildOutputs) -> None:
    Path("a.o").write_text("changed")
    with products.made_anew():
        assert there() == {"a.o", "data"}
        note_written(products.notes, CompilerCommand(["cc", "a.o", "-o", "other"]))
    assert [Path(each).name for each in products.built().stale] == ["a.o"]
    assert products.built().compiled == 0


@pytest.mark.parametrize("options", ["-Llib -lold", "-L lib -l old", "-L lib -lold"])
def test_a_library_from_before_the_build_is_stale(products: BuildOutputs, options: str) -> None:
    Path("lib").mkdir()
    Path("lib/libold.a").touch()
    with products.made_anew():
        note_written(products.notes, CompilerCommand(["cc", "new.o", *options.split(), "-o", "other"]))
    assert [Path(each).name for each in products.built().stale] == ["libold.a"]


def test_a_line_that_was_broken_off_is_no_note(products: BuildOutputs) -> None:
    with products.notes.open("a") as stream:
        stream.write('{"written": {"da')
    with products.made_anew():
        assert there() == {"data"}


def test_what_a_killed_process_had_put_aside_comes_back(products: BuildOutputs) -> None:
    child = os.fork()
    if not child:
        with products.made_anew():
            os._exit(0)
    os.waitpid(child, 0)
    assert there() == {"data"}
    with products.made_anew():
        pass
    assert there() == {"a.o", "b.o", "m.mod", "app", "data"}
    assert not list(Path().glob("aside-*"))


def test_notes_of_a_copied_folder_are_not_its_own(products: BuildOutputs, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(products.notes, copy)
    with BuildOutputs(copy).made_anew():
        assert there() == {"a.o", "b.o", "m.mod", "app", "data"}


def test_a_source_that_can_be_read_but_once_is_noted_without_its_modules(products: BuildOutputs) -> None:
    note_written(products.notes, CompilerCommand(["fc", "-x", "f95", "-c", "-", "-o", "a.o"]))
    assert products.built().compiled == 3
