"""A file's compiler options: to which compilation unit they belong, and where its folders are now."""

from autoanalyzer.advise.c_family import read_c_family
from autoanalyzer.advise.fortran import read_fortran
from autoanalyzer.advise.nest import Loop
from autoanalyzer.advise.options import options_of
from autoanalyzer.digests import text_of
from autoanalyzer.experiment.compiled import Compiled


def macros(units, name, path):
    found = options_of(units, name, path)
    return found and found.macros


def test_of_files_of_one_name_in_two_folders_each_has_its_own_options(tmp_path):
    units = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "main.c").write_text("int main(void) { return 0; }\n")
        units.append(Compiled("c", str(tmp_path / folder), (f"-D{folder}=1",), {}, {"main.c": ""}))
    for folder in ("one", "two"):
        assert macros(units, "main.c", tmp_path / folder / "main.c") == {folder: "1"}
    assert macros(units, "other.c", tmp_path / "one" / "main.c") is None


def test_files_of_one_name_that_were_moved_are_told_by_their_texts(tmp_path):
    units = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "main.c"
        file.write_text(f"int {folder};\n")
        units.append(Compiled("c", f"/nowhere/{folder}", (f"-D{folder}",), {}, {"main.c": text_of(str(file))}))
    assert macros(units, "main.c", tmp_path / "two" / "main.c") == {"two": "1"}


def test_folders_are_looked_for_where_the_sources_are_now(tmp_path):
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "include").mkdir()
    (tmp_path / "forced.h").touch()
    source = tmp_path / "src" / "deep" / "a.c"
    source.touch()
    options = ("-I../include", "-isystem/usr/include", "-I/elsewhere", "-include../forced.h", "-includestdio.h")
    for folder in ("/nowhere/build", "build", str(tmp_path / "build")):
        found = options_of([Compiled("c", folder, options, {}, {"../src/deep/a.c": ""})], "../src/deep/a.c", source)
        include, forced = tmp_path / "include", tmp_path / "forced.h"
        assert found.words == (
            f"-I{include}",
            "-isystem/usr/include",
            "-I/elsewhere",
            f"-include{forced}",
            "-includestdio.h",
        )


def test_the_last_word_on_a_macro_counts_after_what_the_compiler_defines(tmp_path):
    options = ("-DA", "-DB=2", "-DB=3", "-UA", "-U_OPENMP", "-DC=")
    unit = Compiled("c", str(tmp_path), options, {"_OPENMP": "202111", "__OPTIMIZE__": "1"}, {"a.c": ""})
    expected = {"A": None, "B": "3", "C": "", "_OPENMP": None, "__OPTIMIZE__": "1"}
    assert macros([unit], "a.c", tmp_path / "a.c") == expected


HEADER = """\
#ifdef SHARED
inline int shared(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
#endif
#if SIZE > 4
inline int sized(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
#endif
"""


def test_a_header_is_in_doubt_where_its_sources_do_not_agree(tmp_path):
    path = tmp_path / "a.h"
    units = [Compiled("c++", str(tmp_path), ("-DSHARED", f"-DSIZE={size}"), {}, {"a.h": ""}) for size in (8, 2)]
    found = read_c_family(HEADER.encode(), path, (), options_of(units, "a.h", path))
    assert (found.language, found.doubtful) == ("c++", {4, 5, 6})
    assert [each.name for each in found.procedures] == ["shared", "sized"]


DIRECTIVES = """\
void work(double *a, int n) {
#ifdef DYNAMIC
#pragma omp parallel for schedule(dynamic)
#else
#pragma omp parallel for schedule(static)
#endif
    for (int i = 0; i < n; i++) a[i] = i;
}
"""


def directive(tmp_path, *options):
    unit = Compiled("c", str(tmp_path), options, {}, {"a.c": ""})
    found = read_c_family(DIRECTIVES.encode(), tmp_path / "a.c", (), options_of([unit], "a.c", tmp_path / "a.c"))
    (directive,) = [each.directive for each in found.procedures[0].body if isinstance(each, Loop)]
    return directive


def test_directives_of_openmp_are_those_that_were_built(tmp_path):
    assert "dynamic" in directive(tmp_path, "-fopenmp", "-DDYNAMIC")
    assert "static" in directive(tmp_path, "-fopenmp")
    assert directive(tmp_path, "-DDYNAMIC") == ""


def test_where_a_header_is_missing_what_it_may_define_is_in_doubt(tmp_path):
    text = b'#include "gone.h"\n#ifdef A\nint a;\n#endif\n#ifdef B\nint b;\n#endif\n'
    unit = Compiled("c", str(tmp_path), ("-DA",), {}, {"a.c": ""})
    found = read_c_family(text, tmp_path / "a.c", (), options_of([unit], "a.c", tmp_path / "a.c"))
    assert found.doubtful == {5, 6, 7}


INCLUDING = """\
subroutine s(n)
  integer :: n
#include "body.inc"
#ifdef __NO_FORTRAN_HAS_THIS
  a(1) = 5
#endif
#if KIND == 'x'
  a(1) = 6
#endif
end subroutine
"""


def read_included(tmp_path, options, predefined):
    (tmp_path / "inc").mkdir(exist_ok=True)
    body = "#ifdef DEEP\n  real :: a(10) ! isn't C\n#else\n  real :: a(20)\n#endif\n"
    (tmp_path / "inc" / "body.inc").write_text(body)
    unit = Compiled("fortran", str(tmp_path), options, predefined, {"a.F90": ""})
    path = tmp_path / "a.F90"
    return read_fortran(INCLUDING.encode(), path, (), options_of([unit], "a.F90", path))


def test_included_fortran_is_found_and_its_conditions_hold_too(tmp_path):
    free = ("-ffree-form", "-ffree-line-length-132", "-Iinc", "-DDEEP")
    found = read_included(tmp_path, free, {"__GFORTRAN__": "1"})
    assert found.remarks == ()
    (array,) = [each for each in found.procedures[0].declarations if each.name == "a"]
    assert [each.value for each in array.extents] == [10]
    assert not found.doubtful
    unasked = read_included(tmp_path, free, {})  # the compiler did not report its predefined macros
    assert unasked.doubtful == {4, 5, 6}
