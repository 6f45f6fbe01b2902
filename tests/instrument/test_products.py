"""What compilers have written is put aside for the next build, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoanalyzer.instrument.compiler import CompilerCommand
from autoanalyzer.instrument.products import Products, note_written


@pytest.fixture
def products(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Products:
    """A folder in which a build has written ``a.o``, ``b.o``, the module ``m`` and the program ``app``."""
    monkeypatch.chdir(tmp_path)
    Path("b.f90").write_text("module m\nend module\n")
    for name in ("a.o", "b.o", "m.mod", "app", "data"):
        Path(name).write_text("first")
    found = Products(tmp_path)
    for words in ("cc -c a.c", "fc -c b.f90", "cc a.o b.o -o app"):
        note_written(found.notes, CompilerCommand(words.split()))
    return found


def there() -> set[str]:
    return {path.name for path in Path().iterdir() if path.is_file()} - {"built.jsonl", "b.f90"}


def test_what_is_not_made_again_comes_back(products: Products) -> None:
    with products.made_anew():
        assert there() == {"data"}
        Path("a.o").write_text("second")
    assert there() == {"a.o", "b.o", "m.mod", "app", "data"}
    assert [Path(name).read_text() for name in ("a.o", "b.o")] == ["second", "first"]


def test_what_is_broken_off_comes_back(products: Products) -> None:
    with pytest.raises(KeyboardInterrupt), products.made_anew():
        raise KeyboardInterrupt
    with products.made_anew():
        assert there() == {"data"}
    assert there() == {"a.o", "b.o", "m.mod", "app", "data"}


def test_what_was_changed_since_stays(products: Products) -> None:
    Path("a.o").write_text("changed")
    with products.made_anew():
        assert there() == {"a.o", "data"}
        note_written(products.notes, CompilerCommand(["cc", "a.o", "-o", "other"]))
    assert [Path(each).name for each in products.built().stale] == ["a.o"]
    assert products.built().compiled == 0


def test_a_line_that_was_broken_off_is_no_note(products: Products) -> None:
    with products.notes.open("a") as stream:
        stream.write('{"written": {"da')
    with products.made_anew():
        assert there() == {"data"}
