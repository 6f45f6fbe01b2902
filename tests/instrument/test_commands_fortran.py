"""A Fortran compiler command has the same results with probes: files, modules, messages, exit status."""

import shlex

import pytest

from .conftest import assert_the_same_with_probes

LOOP = """
    do while (n > 3)
        n = n - 1
    end do
"""
SOURCES = {
    "inc/size.inc": "      integer size\n      parameter (size = 9)\n",
    "inc/define.h": "#define FIRST 2\n",
    "src/shapes.f90": f"module shapes\n  implicit none\ncontains\n  subroutine k(n)\n    integer :: n{LOOP}"
    "  end subroutine\nend module\n",
    "m.f90": "program m\n  use shapes\n  implicit none\n  integer :: n, i\n  include 'size.inc'\n  n = size\n"
    "  do i = 1, 2\n    call k(n)\n  end do\n  print *, n\nend program\n",
    "other/m.f90": f"subroutine other(n)\n  integer :: n{LOOP}end subroutine\n",
    "old.f": "c comment\n      subroutine old(n)\n      include 'inc/size.inc'\n      integer n, i\n"
    "      do 10 i = 1, size\n 10   n = n + i\n      end\n",
    "macro.F90": """#include "define.h"
subroutine macro(n) ! it's // text
  integer :: n, i
#ifdef TWICE
  n = TWICE * n
#endif
  do i = FIRST, n
    print *, 'a' // "b", __LINE__, __FILE__
  end do
end subroutine
""",
    "parent.f90": "module parent\n  interface\n    module subroutine child(n)\n      integer :: n\n    end subroutine\n"
    "  end interface\nend module\n",
    "child.f90": f"submodule (parent) line\ncontains\n  module subroutine child(n)\n    integer :: n{LOOP}"
    "  end subroutine\nend submodule\n",
    "procedures.f90": f"module procedures\ncontains\n  subroutine k(n)\n    integer :: n{LOOP}"
    "  end subroutine\nend module\n",
    "c.c": "int c(int n) { while (n > 3) n--; return n; }\n",
    "bad.f90": "subroutine bad(n)\n  integer :: n\n  n = = 1\n  x = missing(\nend subroutine\n",
    "noinclude.f90": "subroutine bad\n  include 'nowhere.inc'\nend subroutine\n",
    "undefined.f90": "program p\n  call elsewhere\nend program\n",
    "warns.f90": """subroutine warns(n, m)
  integer :: n, m, unused, i, s
  do i = 1, n
    s = s + i / 2.5
  end do
  n = s;  if (n == 1.5) n = 2
end subroutine
""",
    "two words.f90": f"subroutine words(n)\n  integer :: n{LOOP}end subroutine\n",
    "flags.rsp": "-Iinc -O1 'src/shapes.f90'\n",
    "text": f"subroutine text(n)\n  integer :: n{LOOP}end subroutine\n",
    "fixed": "      subroutine fixed(n)\n      do 10 i = 1, n\n 10   n = n - 1\n      end\n",
    "fixed.f90": "      subroutine fixed(n)\n      do 10 i = 1, n\n 10   n = n - 1\n      end\n",
    "free.f": f"subroutine free(n)\n  integer :: n{LOOP}end subroutine\n",
    "wide.f": " " * 6 + "subroutine wide(n)\n" + " " * 6 + "n = n +" + " " * 70 + "1\n" + " " * 6 + "end\n",
    "loop.F": f"      subroutine loop(n)\n      do 10 i = 1, n\n      n = n +{' ' * 70}1 + i\n"
    " 10   continue\n      end\n",
    "mods/.keep": "",
}

COMMANDS = """
-c src/shapes.f90 -J mods
-Iinc src/shapes.f90 m.f90 -o prog -J mods
-Iinc -c src/shapes.f90 m.f90 other/m.f90
-Iinc -c macro.F90 -D'TWICE=int(2)' -P
-Iinc -nocpp -c macro.F90
-Iinc -cpp -c src/shapes.f90 macro.F90 old.f
-Iinc -MMD -MP -c macro.F90 -o src/macro.o
-Iinc -MD -MF dep.x -MT 'a b' -c macro.F90 -o src/macro.o
-Iinc -MD -MF /dev/stdout -c macro.F90
-Iinc -Wp,-DTWICE=2,-MD,foo.d -c macro.F90
-Iinc -cpp -MD -MF dep.x src/shapes.f90 m.f90 -o prog
-Iinc -cpp -MD -c src/shapes.f90 -J mods -o src/k.o
-Iinc -cpp -M macro.F90
-Iinc -cpp -E macro.F90
-Iinc -fsyntax-only src/shapes.f90 m.f90
-c parent.f90 -o parent.o -Jmods
-c procedures.f90 -Jmods
-c wide.f
-c wide.f -ffixed-line-length-132
-Iinc c.c src/shapes.f90 m.f90 -o prog
-pipe -Iinc src/shapes.f90 m.f90 -o prog -lm -Wl,-O1 -Wall -Wextra
-flto -Iinc src/shapes.f90 m.f90 -o prog
-g -gsplit-dwarf -c src/shapes.f90 -o src/z.o
-save-temps -c src/shapes.f90
-ffree-form -x f95 text -x none other/m.f90 -c
-x f95-cpp-input -DX=1 -c text -o text.o
-ffree-form -x f77 -c free.f
-ffixed-form -c fixed.f90
@flags.rsp -c -o k.o
-c 'two words.f90' -o 'two words.o'
-Wall -Wextra -Wconversion -O2 -c warns.f90
-Wall -Wextra -Werror -c warns.f90
-std=f2018 -fimplicit-none -Wall -Werror -c src/shapes.f90
-fcheck=all -fbacktrace -fno-underscoring -c src/shapes.f90
-fopenmp -ffast-math -fdefault-real-8 -fdefault-integer-8 -c src/shapes.f90
-c bad.f90
-c noinclude.f90
-c missing.f90
-c m.f90
undefined.f90 -o undefined
--version
-dumpmachine
-print-file-name=libgfortran.so
-v
-c
""".strip().splitlines()

# Each of these is similar to one of the commands above.
SIMILAR = """
-c src/shapes.f90
-c src/shapes.f90 -o src/shapes.o
-Iinc src/shapes.f90 m.f90
-Iinc -c macro.F90 -DTWICE=2 -UX
-Iinc -MD -c macro.F90
-Iinc -cpp -MD -c src/shapes.f90 m.f90
-c parent.f90
-c wide.f -ffixed-line-length-none
-c c.c old.f
-x f77 -c fixed
-ffree-form -c free.f
-Wimplicit-interface -Wimplicit-procedure -c old.f -Werror
-Iinc -cpp -c macro.F90 -D TWICE=2
-I inc -c src/shapes.f90 old.f macro.F90
-c src/shapes.f90 -Jmods -g -O2
-Iinc -Jmods -c src/shapes.f90 m.f90
-c old.f -ffixed-line-length-132
-x f95 -ffree-form -c text
""".strip().splitlines()


def and_by_night(words):
    return [pytest.param(each, marks=pytest.mark.nightly) for each in words]


@pytest.mark.parametrize("words", [*COMMANDS, *and_by_night(SIMILAR)])
def test_a_command_gives_what_it_gives_without_probes(tool, words):
    assert_the_same_with_probes(tool, SOURCES, "gfortran", *shlex.split(words))


LLVM_COMMANDS = """
-c src/shapes.f90 -J mods
-Iinc -c src/shapes.f90 old.f macro.F90
-Iinc -cpp -E macro.F90
-c loop.F -ffixed-line-length=132
-ffree-form -c free.f
-flto -c old.f -Iinc
-Wall -c warns.f90
-c bad.f90
""".strip().splitlines()

LLVM_SIMILAR = """
-Iinc src/shapes.f90 m.f90 -o prog
-c src/shapes.f90 -module-dir mods -O2
-Iinc -c macro.F90 -DTWICE=2 -UX -o macro.o
-c wide.f -ffixed-line-length=132
-fsyntax-only src/shapes.f90
-x f95 -c other/m.f90
-S old.f -Iinc
undefined.f90 -o undefined
-c missing.f90
--version
""".strip().splitlines()


@pytest.mark.parametrize("words", [*LLVM_COMMANDS, *and_by_night(LLVM_SIMILAR)])
def test_a_command_of_llvms_compiler_gives_what_it_gives_without_probes(tool, words):
    assert_the_same_with_probes(tool, SOURCES, "flang-new-19", *shlex.split(words))
