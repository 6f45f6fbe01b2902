"""The languages whose front ends are tested with changed sources: their sources and compilers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from mutations import Source, constants

__all__ = ["LANGUAGES", "Language"]

TESTS: Final = Path(__file__).parents[1] / "tests/instrument"


class Language(NamedTuple):
    """A language: compilers with flags, which are used in turn, and a function that returns the sources to mutate."""

    compilers: tuple[tuple[str, ...], ...]
    sources: Callable[[], list[Source]]


FORTRAN_FLAGS: Final = (
    *("-fopenmp", "-fopenacc", "-fbackslash", "-ffixed-line-length-132", "-fd-lines-as-code"),
    "-std=gnu",
)
FORTRAN_WORDS: Final = r"""
    do|end do|enddo|if (n == 1) then|else|end if|end|return|contains|exit|cycle|go to 10|10|continue|!$omp parallel do|&
    |;|'|"|!|(|)|=|,|::|subroutine x|end subroutine|function f(x)|program p|select case (n)|case (1)|end select|block
    |end block|where (a > 0)|forall (i = 1:2)|associate (q => n)|stop|call sub(n)|entry e|interface|end interface|type t
    |type(t)|module m|end module|print *, n|5Habcde|format (i4)|data n /1/|implicit none|do concurrent (i = 1:2)|%
    |do while (n < 3)|include 'x.inc'|# 7 "other.h"|D|c|*|\|if (n) 10, 20, 30|read (*, *, end=10)|assign 10 to n
    |pure|goto n
"""
CXX_FLAGS: Final = ("-fopenmp", "-fno-exceptions", "-std=c++2b", "-fms-extensions")
CXX_WORDS: Final = r"""
    for (;;) break;|for (int i = 0; i < 3; i++)|while (n)|do|while (0);|if (n)|if constexpr (true)|else
    |switch (n)|case 1:|default:|goto here;|here:|break;|continue;|return;|return n;|{|}|(|)|[|]|<|>|;|,|:|::|=
    |'|"|R"(|)"|//|/*|*/|\|#|@|template <class T>|template <>|struct S {|};|namespace n {|int f(int n) {
    |auto f = [&](auto x) {|[] {}();|lambda|constexpr|consteval|static|inline|virtual|operator|try {
    |} catch (...) {|throw 1;|throw;|noexcept|-> int|decltype(n)|new int|delete p;|this|class|typename|using
    |extern "C"|asm("");|co_return;|co_await n;|&&here|goto *n;|[[likely]]|__attribute__((unused))
    |static_assert(true);|~S() {}|S() : n(0) {|S() try {|= default;|= delete;|requires true|import m;
    |#pragma omp parallel for|#pragma omp parallel|#pragma omp single|#pragma GCC ivdep
    |#pragma autoanalyzer begin x|#pragma autoanalyzer end|# 7 "other.h" 3|# 3 "x.ii"|int n = 0;|char c = 'a';
    |auto|n++;|for (auto x : {1, 2})|union|__builtin_printf("%d", n);|enum { a = 8 };|static int n;|thread_local
    |mutable|explicit|friend|volatile|long|double|exp(n)|std::log(2.0)|strchr("a", n)|new int[3]|S{n}|S(n)|[n]|? n :
"""
INCLUDE: Final = re.compile(r"#\s*include\s*<(\w+)>[^\n]*\n")
INSTEAD_OF_HEADERS: Final = """\
# 1 "x.cc"
# 1 "/usr/include/instead.h"
extern "C" {
int printf(const char *, ...); int puts(const char *); int putchar(int); char *strchr(const char *, int);
double exp(double); double log(double); double sin(double); double cos(double); double cbrt(double);
double sqrt(double); double tanh(double); double sinh(double);
}
namespace std {
using ::printf; using ::puts; using ::putchar; using ::strchr;
using ::exp; using ::log; using ::sin; using ::cos; using ::cbrt; using ::sqrt; using ::tanh; using ::sinh;
}
# 2 "x.cc"
"""


def words(table: str) -> tuple[str, ...]:
    """Return the entries of a table whose separator is ``|``."""
    return tuple(word.strip(" \n") for word in table.split("|"))


def fortran_sources() -> list[Source]:
    """Return the tests' Fortran sources. The names of their constants show whether they are in fixed or free form."""
    suffixes = {"FIXED": (".f",), "FREE": (".f90",)}
    return [
        Source(
            f"{module}.{name}",
            suffixes.get(name.partition("_")[0], (".f", ".f90")),
            FORTRAN_FLAGS,
            words(FORTRAN_WORDS),
            tuple(text.splitlines(keepends=True)),
        )
        for module, name, text in constants(TESTS / "fortran")
    ]


def cxx_sources() -> list[Source]:
    """Return the tests' C++ sources without macros, in preprocessed form: a few declarations replace the headers."""
    found = []
    for module, name, text in constants(TESTS / "cxx"):
        body = INCLUDE.sub("", text)
        if not re.search("#(?:define|include)", body) and set(INCLUDE.findall(text)) <= {"cstdio", "cmath", "cstring"}:
            lines = (INSTEAD_OF_HEADERS + body).splitlines(keepends=True)
            found.append(Source(f"{module}.{name}", (".ii",), CXX_FLAGS, words(CXX_WORDS), tuple(lines)))
    return found


LANGUAGES: Final = {
    "fortran": Language((("gfortran", "-std=legacy"),), fortran_sources),
    "c++": Language((("g++",), ("g++", "-std=c++20"), ("g++", "-std=gnu++11"), ("clang++", "-std=c++17")), cxx_sources),
}
