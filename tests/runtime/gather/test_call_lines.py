"""The line in which a function is called, according to the source that was built."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoanalyzer.digests import text_of
from autoanalyzer.experiment import CallPath, Region
from autoanalyzer.experiment.compiled import Compiled
from autoanalyzer.runtime.gather.call_lines import with_call_lines

C = """\
double work(int n); /* work(n) */
int main(void)
{
    const char *name = "work(1)"; // work(2)
    for (int i = 0; i < 3; i++)
        work(i);
    {calls}
    return 0;
}
"""
LOOP = Region("loop", "loop@5", "a.c", "main", 0, 5, 6)


def lines(folder: Path, name: str, text: str, *called: str, parts: tuple[Region, ...] = ()) -> list[int | None]:
    """Return the line of the call of each function by a region that covers the whole file."""
    (folder / name).write_text(text)
    caller = Region("function", "main", name, "main", 0, 1, text.count("\n"), text_of(str(folder / name)))
    paths = [CallPath(caller)]
    paths += [CallPath(part, 0) for part in parts]
    paths += [CallPath(Region("function", each, "other", each, 0, 1, 9), 0) for each in called]
    found = with_call_lines(paths, [Compiled("c", str(folder), files={name: caller.text})], {})
    assert [(path.region, path.parent) for path in found] == [(path.region, path.parent) for path in paths]
    return [path.line for path in found[1 + len(parts) :]]


@pytest.mark.parametrize(
    ("calls", "line"),
    [
        ("work(4);", 7),
        ("x = 2 * work (4) + work(5);", 7),
        ("work(4);\n    work(5);", None),  # two lines are possible
        ("homework(4);", None),
        ("return apply(work, 4);", None),  # called by its address
    ],
)
def test_a_call_is_in_the_one_line_that_has_it(tmp_path: Path, calls: str, line: int | None) -> None:
    text = C.replace("{calls}", calls).partition("\n")[2]  # without the declaration
    loop = LOOP._replace(first_line=4, last_line=5)
    assert lines(tmp_path, "a.c", text, "work", parts=(loop,)) == [line and line - 1]


def test_what_a_part_calls_is_not_called_by_the_whole(tmp_path: Path) -> None:
    text = C.partition("\n")[2].replace("{calls}", "")
    assert lines(tmp_path, "a.c", text, "work") == [5]
    assert lines(tmp_path, "a.c", text, "work", parts=(LOOP._replace(first_line=4, last_line=5),)) == [None]


def test_methods_and_templates_are_called_by_their_last_name(tmp_path: Path) -> None:
    text = "int main()\n{\n    grid.sweep<double>(1'000'000);\n    auto a = mesh::area( 'x' );\n    Grid g(3);\n}\n"
    called = ("Grid<double>::sweep(int)", "mesh::area", "Grid::Grid", "operator+")
    assert lines(tmp_path, "a.cpp", text, *called) == [3, 4, None, None]


def test_fortran_calls_in_any_case_and_not_in_comments(tmp_path: Path) -> None:
    text = "program main\n  ! call sweep(1)\n  print *, 'area(1)'\n  CALL Sweep\n  x = AREA(2) + y\nend program\n"
    assert lines(tmp_path, "a.f90", text, "sweep", "area", "y") == [4, 5, None]
    fixed = "      program main\nc     call sweep(1)\n      call sweep\n     &(3)\n      call grid%area(2)\n      end\n"
    assert lines(tmp_path, "a.f", fixed, "sweep", "area") == [3, 5]


def test_a_source_that_is_not_what_was_built_tells_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int main(void)\n{\n    work(1);\n}\n")
    path = Region("function", "main", "a.c", "main", 0, 1, 4, "0123456789abcdef")
    paths = [CallPath(path), CallPath(Region("function", "work", "b.c", "work", 0, 1, 9), 0)]
    unit = Compiled("c", str(tmp_path), files={"a.c": path.text})
    assert [each.line for each in with_call_lines(paths, [unit], {})] == [None, None]
    assert [each.line for each in with_call_lines(paths, [], {})] == [None, None]
    known = Compiled("c", str(tmp_path), files={"a.c": text_of(str(tmp_path / "a.c"))})
    paths[0] = CallPath(path._replace(text=known.files["a.c"]))
    assert [each.line for each in with_call_lines(paths, [known], {})] == [None, 3]


def test_calls_of_mpi_have_lines_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int main(void)\n{\n    MPI_Barrier(world);\n}\n")
    main = Region("function", "main", "a.c", "main", 0, 1, 4, text_of(str(tmp_path / "a.c")))
    paths = [CallPath(main), CallPath(Region("mpi", "MPI_Barrier", "", "MPI_Barrier"), 0)]
    unit = Compiled("c", str(tmp_path), files={"a.c": main.text})
    assert [each.line for each in with_call_lines(paths, [unit], {})] == [None, None]


def test_a_call_that_may_be_of_a_function_without_probes_or_is_never_compiled_is_in_no_line(tmp_path: Path) -> None:
    text = "int main()\n{\n    mesh.update(1);\n#if 0\n    sweep();\n#endif\n}\n"
    (tmp_path / "a.cpp").write_text(text)
    main = Region("function", "main", "a.cpp", "main", 0, 1, 7, text_of(str(tmp_path / "a.cpp")))
    called = (Region("function", name, "b.cpp", name, 0, 1, 9) for name in ("Field::update", "sweep"))
    paths = [CallPath(main), *(CallPath(each, 0) for each in called)]
    unit = Compiled("c++", str(tmp_path), files={"a.cpp": main.text})
    assert [each.line for each in with_call_lines(paths, [unit], {})] == [None, 3, None]
    unprobed = {main.descriptor: "Mesh::update\nnorm"}
    assert [each.line for each in with_call_lines(paths, [unit], unprobed)] == [None, None, None]
