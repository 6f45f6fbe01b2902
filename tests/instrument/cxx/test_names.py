"""Region names that a reader recognises: they contain all enclosing scopes, and are unique in a file."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

NAMES = r"""
#include <cstdio>
int work(int n);
namespace { int hidden(int n) { while (n > 3) --n; return n; }
struct Unnamed { int run(int n) { while (n > 3) --n; return n; } }; }
inline namespace v1 { int inlined(int n) { while (n > 3) --n; return n; } }
namespace a { namespace b = ::v1; struct S; }
struct a::S {
    int n = 9;
    operator int() const { int k = n; while (k > 3) --k; return k; }
    explicit operator bool() { while (n > 5) --n; return n; }
    S &operator[](int k) { while (n > k) --n; return *this; }
    S *operator->() { while (n > 3) --n; return this; }
    S &operator++() { while (n < 4) ++n; return *this; }
    S operator++(int) { S old = *this; while (n < 6) ++n; return old; }
    void *operator new(unsigned long size) { while (size > 1000) --size; return ::operator new(size); }
    void operator delete(void *p) { for (int i = 0; p && i < work(2); i++) ; ::operator delete(p); }
    ~S() { while (n > 0) --n; }
};
bool operator==(const a::S &s, int k) { while (k > s.n) --k; return k == s.n; }
int operator,(const a::S &s, a::S &t) { while (t.n > s.n) --t.n; return t.n; }
template <class T> struct Box { template <class U> struct In { U f(U n) { while (n > 3) --n; return n; } }; };
template <class T> struct Box<T &> { int f(int n) { while (n > 3) --n; return n; } };
int standard(int n, int (*f)(int) = [](int k) { while (k > 2) --k; return k; }) { return f(n) + work(n); }
int pack(int n) { struct Local { int f(int k) { while (k > 2) --k; return k; } } l; return l.f(n) + work(n); }
static union { int either; float other; };
extern "C" { static int c_linkage(int n) { while (n > 3) --n; return n; } }
extern "C++" int cxx_linkage(int n) { while (n > 3) --n; return n; }
template <class... T> auto fold(T... t) { int n = (0 + ... + t); while (n > 3) --n; return n; }
int work(int n) { while (n > 3) --n; return n; }
int main() {
    a::S *s = new a::S;
    int n = hidden(5) + Unnamed().run(4) + inlined(5) + int(*s) + bool(*s) + (*s)[4].n + (*s)->n + (++*s).n;
    n += (*s)++.n + (*s == 9) + (*s, *s) + Box<int>::In<long>().f(7) + Box<int &>().f(8) + standard(5) + pack(6);
    n += c_linkage(4) + cxx_linkage(5) + fold(4, 5) + (either = 2);
    delete s;
    std::printf("%d\n", n);
}
"""


def test_every_name_says_what_holds_the_function(program, cxx):
    run = program(NAMES, "-std=c++20", compiler=cxx)
    assert {name.partition(":loop")[0] for name in run.visits} == {
        *("main", "work", "hidden", "Unnamed::run", "v1::inlined", "standard", "lambda", "pack"),
        *("a::S::operator int", "a::S::operator bool", "a::S::operator[]", "a::S::operator->", "a::S::~S"),
        *("a::S::operator++()", "a::S::operator++(int)", "a::S::operator new", "a::S::operator delete"),
        *("operator==", "operator,", "Box<...>::In<...>::f", "Box<T &>::f", "pack::Local::f"),
        *("c_linkage", "cxx_linkage", "fold<...>"),
    }
    identities = {region.identity for _, region in run.events}
    assert len(identities) == len({(region.identity, region.first_line) for _, region in run.events})
