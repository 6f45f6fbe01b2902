"""Methods, constructors, destructors, operators, conversions, friends, local and nested classes."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

CLASSES = r"""
#include <cstdio>
#include <vector>
struct Base { virtual ~Base() { while (n < 2) n++; } virtual int run(int) = 0; int n = 0; };
class Derived final : public Base {
  public:
    explicit Derived(int k) : values{k, k + 1}, k_(k) { for (int i = 0; i < k; i++) values.push_back(i); }
    Derived(const Derived &) = default;
    Derived() : Derived(3) { while (k_ > 5) k_--; }
    ~Derived() override { while (k_ > 0) k_--; }
    int run(int n) override final { for (auto &v : values) n += v; return n; }
    Derived &operator+=(int n) & { for (auto &v : values) v += n; return *this; }
    int operator()(int n) const { while (n > 3) --n; return n; }
    operator bool() const { for (auto v : values) if (v) return true; return false; }
    static int statically(int n) { while (n > 3) --n; return n; }
    friend int befriended(const Derived &d) { int s = 0; for (auto v : d.values) s += v; return s; }
    struct Inner { int deep(int n) { while (n > 3) --n; return n; } };
    int defined_outside(int n);
  private:
    std::vector<int> values;
    int k_;
};
int Derived::defined_outside(int n) { while (n > 3) --n; return n; }
bool operator<(const Derived &a, int n) { int s = befriended(a); while (s > 100) --s; return s < n; }
long double operator""_km(long double x) { while (x > 1000) x /= 2; return x; }
int main() {
    struct Local { int method(int n) { while (n > 3) --n; return n; } };
    Derived d, e(4);
    d += 2;
    Base &b = d;
    std::printf("%d %d %d %d %d %d %Lg\n", b.run(1), e(9), bool(e), Derived::statically(4), d < 50,
        Derived::Inner().deep(5) + e.defined_outside(7) + Local().method(8), 5000.0_km);
}
"""


def test_members_of_every_kind_are_regions(program, cxx):
    run = program(CLASSES, compiler=cxx)
    names = {name.partition(":loop")[0] for name in run.visits}
    assert names == {
        "main",
        "Base::~Base",
        "Derived::Derived(int)",
        "Derived::Derived()",
        "Derived::~Derived",
        "Derived::run",
        "Derived::operator+=",
        "Derived::operator()",
        "Derived::operator bool",
        "Derived::statically",
        "Derived::Inner::deep",
        "Derived::defined_outside",
        "befriended",
        "operator<",
        'operator""_km',
        "main::Local::method",
    }
    assert run.visits["Derived::~Derived:loop@10"] == 2
    assert run.visits["Derived::Derived(int):loop@7"] == 2
