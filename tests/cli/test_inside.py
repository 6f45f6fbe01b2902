"""Inside regions: functions without probes are named with their shares, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoanalyzer.experiment import load

from .conftest import built_with_looks, succeed

C = """
#include <stdio.h>
__attribute__((noinline)) static double aa_get(double x) { return 1 / (1 + x * x); }
__attribute__((noinline)) double work(int n);
double work(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += aa_get(aa_get(aa_get(aa_get(s + i))));
    return s;
}
int looks(void);
int main(void) {
    double s = 0;
    while (looks() < 120)
        s += work(100000);
    printf("%d\\n", s < 0);
    return 0;
}
"""
CXX = """
#include <cstdio>
struct Model {
    double scale = 1;
    double get(double x) const { return scale / (1 + x * x); }
};
__attribute__((noinline)) static double work(const Model &m, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += m.get(m.get(m.get(m.get(s + i))));
    return s;
}
extern "C" int looks();
int main() {
    double s = 0;
    while (looks() < 120)
        s += work(Model(), 100000);
    std::printf("%d\\n", s < 0);
}
"""
FORTRAN = """
module m
contains
  function get(x) result(y)
    double precision :: x, y
    y = 1/(1 + x*x)
  end function
  subroutine work(n, s)
    double precision :: s
    integer :: n, i
    s = 0
    do i = 1, n
      s = s + get(get(get(get(s + i))))
    end do
  end subroutine
end module
program p
  use m
  double precision :: s
  interface
    function looks() bind(c)
      use iso_c_binding
      integer(c_int) :: looks
    end function
  end interface
  do while (looks() < 120)
    call work(100000, s)
  end do
  print *, s < 0
end program
"""


@pytest.mark.parametrize(
    ("compiler", "source", "name", "place"),
    [
        ("aa-mpicc", C, "aa_get", "a.c:3"),
        ("aa-mpicxx", CXX, "Model::get", "a.cc:5"),
        ("aa-mpifort", FORTRAN, "m::get", "a.f90:6"),
    ],
)
def test_the_verdict_names_a_tiny_function_with_its_share(
    tool, compiler: str, source: str, name: str, place: str
) -> None:
    file, _, line = place.partition(":")
    tool.write(file, source)
    built_with_looks(tool, compiler, file)
    succeed(tool("autoanalyzer", "run", "--sample", "auto", "-o", "out", "./app"))
    found = tool.findings()
    (spot,) = (each for each in found["findings"] if each["kind"] == "hot_spot")
    first = spot["inside"][0]
    assert (first["name"], Path(first["file"]).name, first["library"]) == (name, file, "")
    assert abs(first["line"] - int(line)) <= 1
    assert first["share"] > 0.5
    assert sum(each["share"] for each in spot["inside"]) < 1.01  # a thread may end before a full sample
    (said,) = (each for each in found["verdict"] if each.startswith(f"    inside: {name} "))
    assert not any("too small to measure" in each for each in found["verdict"])
    assert len(said) <= 100
    assert load(tool.folder / "out" / "experiment.cube").notes.sampled["samples"] >= 25
    assert b"samples     " in succeed(tool("autoanalyzer", "info", "out")).stdout


def test_without_samples_the_verdict_names_it_without_a_share(tool) -> None:
    tool.write("a.c", C)
    built_with_looks(tool, "aa-mpicc", "a.c")
    succeed(tool("autoanalyzer", "run", "-o", "out", "./app"))
    found = tool.findings()
    assert "    includes aa_get, too small to measure separately" in found["verdict"]
    assert {len(each["inside"]) for each in found["findings"]} == {0}
    assert load(tool.folder / "out" / "experiment.cube").notes.sampled == {}
    done = tool("autoanalyzer", "run", "--sample", "often", "./app")
    assert (done.returncode, b"expected auto, off, or samples per second" in done.stderr) == (2, True)
    done = tool("autoanalyzer", "run", "./app", env={"AUTOANALYZER_SAMPLE": "-1"})
    assert (done.returncode, done.stderr.startswith(b"autoanalyzer: AUTOANALYZER_SAMPLE: expected")) == (2, True)
