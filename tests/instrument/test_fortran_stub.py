"""Every Fortran object contains the stub: however it is linked, its probes work, and do nothing until preloaded."""

import re

import pytest

K = """
subroutine k_step(n)
  integer :: n
  do while (n > 3)
    n = n - 1
  end do
end subroutine
"""
MAIN = """
program main
  integer :: n = 9, i
  do i = 1, 2
    call k_step(n)
  end do
  print *, n
end program
"""
USUAL = "-fuse-ld=bfd"  # the usual, slow linker
VISITS = {"main": 1, "main:loop@4": 1, "k_step": 2, "k_step:loop@4": 2}


@pytest.mark.parametrize(
    "flags",
    [
        *(pytest.param(each, marks=pytest.mark.nightly) for each in ([], ["-pipe"], ["-save-temps"], ["-x", "f95"])),
        ["-fno-underscoring"],
        ["-fsecond-underscore"],
        ["-ff2c"],
        ["-ff2c", "-fno-second-underscore"],
        ["-fPIC", "-mcmodel=large"],
        ["-fcf-protection", "-fstack-protector-all", "-fno-asynchronous-unwind-tables"],
        ["-no-pie", "-fno-pic", "-ffunction-sections", "-Wl,--gc-sections"],
        ["-fsanitize=undefined", "-fcheck=all"],
        ["-O3", "-flto"],
        ["-fdefault-integer-8", "-fdefault-real-8", "-std=f2018"],
    ],
)
def test_probes_find_the_library_whatever_the_flags(lab, flags):
    lab.tool.write("k.f90", K)
    assert lab.run(MAIN, "k.f90", *flags, USUAL, cc="gfortran", name="m.f90").visits == VISITS


def build(lab, *commands):
    """Run commands twice: with plain compilers, and through the tool."""
    for kind in ("plain", "probed"):
        for words in commands:
            prefix = ["autoanalyzer", "compile", "--"] if kind == "probed" and words[0] != "ar" else []
            done = lab.tool(*prefix, *(kind if word == "PROGRAM" else word for word in words))
            assert done.returncode == 0, done.stderr.decode()
    return lab.compare(done.stderr.decode())


LIBRARIES = {
    "objects": [("gfortran", "m.o", "k.o", "-o", "PROGRAM")],
    "static": [("ar", "rcs", "libk.a", "k.o"), ("gfortran", "m.o", "-L.", "-lk", "-o", "PROGRAM")],
    "shared": [
        ("gfortran", "-shared", "k.o", "-o", "libk.so"),
        ("gfortran", "m.o", "./libk.so", "-o", "PROGRAM"),
    ],
    "by C": [("gcc", "m.o", "k.o", "-lgfortran", "-o", "PROGRAM")],
    "merged": [("gcc", "-r", "m.o", "k.o", "-o", "both.o"), ("gfortran", "both.o", "-o", "PROGRAM")],
}


@pytest.mark.by_day(kind=["static", "shared", "by C", "merged"])
@pytest.mark.parametrize("kind", LIBRARIES)
def test_objects_are_linked_in_any_way(lab, kind):
    lab.tool.write("m.f90", MAIN)
    lab.tool.write("k.f90", K)
    run = build(lab, ("gfortran", "-fPIC", "-c", "m.f90", "k.f90"), *LIBRARIES[kind])
    assert run.visits == VISITS


def test_link_time_optimisation_of_objects_is_given_up_and_named(lab):
    lab.tool.write("m.f90", MAIN)
    lab.tool.write("k.f90", K)
    lab.tool("autoanalyzer", "compile", "--", "gfortran", "-O2", "-flto", "-c", "k.f90", "-o", "other.o")
    done = lab.tool("autoanalyzer", "compile", "--", "gfortran", "-O2", "-flto", "-c", "k.f90")
    assert done.stderr == b"autoanalyzer: k.f90: compiled without -flto, which would drop the probes\n"
    run = build(
        lab, ("gfortran", "-O2", "-flto", "-c", "k.f90"), ("gfortran", "-O2", "-flto", "m.f90", "k.o", "-o", "PROGRAM")
    )
    assert run.visits == VISITS


def test_a_static_program_is_silent(lab):
    lab.tool.write("k.f90", K)
    assert lab.run(MAIN, "k.f90", "-static", USUAL, cc="gfortran", name="m.f90").visits == {}


def test_c_and_fortran_go_through_one_command(lab):
    lab.tool.write("k.c", "void k_step_(int *n) {\n    while (*n > 3)\n        --*n;\n}\n")
    for cc in ("gfortran", "gcc"):
        (lab.tool.folder / "events").unlink(missing_ok=True)
        run = lab.run(MAIN, "k.c", "-lgfortran", cc=cc, name="m.f90")
        assert run.visits == {"main": 1, "main:loop@4": 1, "k_step_": 2, "k_step_:loop@2": 2}


def test_an_internal_procedure_that_is_passed_on_can_run_on_the_stack(lab):
    source = """
program main
  integer :: n = 0, i
  do i = 1, 3
    call apply(step)
  end do
  print *, n
contains
  subroutine step(k)
    integer :: k
    n = n + k * i
    print *, n
  end subroutine
  recursive subroutine apply(f)
    external :: f
    call f(i)
  end subroutine
end program
"""
    run = lab.run(source, "-O0", "-fcf-protection", cc="gfortran", name="m.f90")
    assert "autoanalyzer" not in run.messages  # the linker warns about such stacks
    stacks = []
    for program in ("plain", "probed"):
        headers = lab.tool("readelf", "-lWn", program).stdout.decode()
        stacks.append(re.findall(r"GNU_STACK.*|Properties:.*", headers))
    assert stacks[0] == stacks[1]


def test_an_object_shows_no_more_than_it_did(tool):
    tool.write("k.f90", K)
    found = []
    for prefix in ([], ["autoanalyzer", "compile", "--"]):
        tool(*prefix, "gfortran", "-c", "-g", "k.f90", "-shared", "-fPIC", "-o", "k.so")
        tool(*prefix, "gfortran", "-g", "k.f90", "-shared", "-fPIC", "-o", "k.so")
        found.append(tool("nm", "-D", "--defined-only", "k.so").stdout.decode().split()[1:])
    assert found[0] == found[1] == ["T", "k_step_"]


def test_debug_information_names_source_folder_and_lines_as_ever(tool):
    tool.write("src/k.F90", K)
    found = []
    for prefix in ([], ["autoanalyzer", "compile", "--"]):
        assert tool(*prefix, "gfortran", "-g", "-c", "src/k.F90", "-o", "k.o").returncode == 0
        text = tool("readelf", "--debug-dump=info", "--dwarf-depth=1", "k.o").stdout.decode()
        names = [line.rpartition(": ")[2] for line in text.splitlines() if re.search("DW_AT_(name|comp_dir)", line)]
        lines = tool("readelf", "--debug-dump=decodedline", "k.o").stdout.decode()
        found.append((names, set(re.findall(r"^k\.F90 +(\d+) ", lines, re.M))))
    assert found[0][0] == found[1][0]
    assert found[0][0][0] == "src/k.F90"
    assert found[0][1] <= found[1][1]


def test_messages_at_run_time_name_the_users_lines(tool):
    tool.write(
        "k.f90", "program p\n  integer :: a(3), i\n  do i = 1, 4\n    a(i) = i\n  end do\n  print *, a\nend program\n"
    )
    found = []
    for prefix in ([], ["autoanalyzer", "compile", "--"]):
        tool(*prefix, "gfortran", "-g", "-fcheck=bounds", "-fbacktrace", "k.f90", "-o", "p")
        found.append(tool("./p").stderr.decode())
    assert "At line 4 of file k.f90" in found[0]
    assert found[0].split("\n\n")[0] == found[1].split("\n\n")[0]


def test_modules_stay_what_they_were_when_a_command_is_repeated(tool):
    tool.write("m.f90", f"module m\ncontains\n{K}\nend module\n")
    stamps = set()
    for prefix in ([], ["autoanalyzer", "compile", "--"], ["autoanalyzer", "compile", "--"]):
        assert tool(*prefix, "gfortran", "-cpp", "-MD", "-c", "m.f90").returncode == 0
        stamps.add((tool.folder / "m.mod").stat().st_mtime_ns)
    assert len(stamps) == 1


def test_sources_use_the_modules_of_the_command_not_older_ones(tool):
    tool.write("a.f90", "module a\n  integer :: old\nend module\n")
    assert tool("gfortran", "-c", "a.f90").returncode == 0
    tool.write("a.f90", f"module a\n  integer :: fresh = 5\ncontains\n{K}end module\n")
    tool.write("p.f90", "program p\n  use a\n  do while (fresh > 3)\n    call k_step(fresh)\n  end do\nend program\n")
    done = tool("autoanalyzer", "compile", "--", "gfortran", "a.f90", "p.f90")
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tool.folder / "a.out").read_bytes().count(b"aa1|program|p|") >= 1


def test_modules_and_dependencies_of_sources_without_probes_are_written_too(tool):
    tool.write("odd.f90", "module odd\n  integer, save :: here[*]\nend module\n")
    tool.write("p.F90", "program p\n  use odd\n  do while (here > 3)\n    here = 1\n  end do\nend program\n")
    (tool.folder / "mods").mkdir()
    command = ("gfortran", "-fcoarray=single", "-cpp", "-MD", "-c", "-Jmods", "odd.f90", "p.F90")
    done = tool("autoanalyzer", "compile", "--", *command)
    assert done.returncode == 0
    assert done.stderr.startswith(b"autoanalyzer: odd.f90:2:3: not instrumented: ")
    assert b"aa1|program|p|" in (tool.folder / "p.o").read_bytes()
    written = ["odd.d", "odd.f90", "odd.mod", "odd.o", "p.F90", "p.d", "p.o"]
    assert sorted(path.name for path in tool.folder.rglob("*.*")) == sorted(written)
    tool.write("c.c", "int main(void) { for (int i = 0; i < 3; i++) ; return 0; }\n")
    (tool.folder / "odd.d").unlink()
    done = tool("autoanalyzer", "compile", "--", "gfortran", *command[1:6], "c.c", "odd.f90")
    assert done.returncode == 0
    assert "odd.o: odd.f90" in (tool.folder / "odd.d").read_text()


def test_coverage_builds_keep_their_counts(lab):
    built = lab.tool(
        "autoanalyzer", "compile", "--", "gfortran", "-c", str(lab.tool.write("x.f90", "end\n")), "--coverage"
    )
    assert built.returncode == 0
    assert b"x.f90: not instrumented: coverage would count the probes as source lines" in built.stderr
