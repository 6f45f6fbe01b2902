"""Ways of leaving regions without the end of a scope, and regions before and after main."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

AROUND_MAIN = r"""
#include <cstdio>
#include <cstdlib>
struct Global {
    int n = [] { int k = 9; while (k > 3) --k; return k; }();
    Global() { std::printf("up "); while (n < 5) ++n; }
    ~Global() { std::printf("down %d\n", n); while (n > 0) --n; }
} global;
int &once() { static Global local; return local.n; }
thread_local Global of_thread;
void last() { for (int i = 0; i < global.n; i++) std::printf("last "); }
int main() { std::atexit(last); while (once() < 7) ++once(); std::printf("%d ", of_thread.n); std::exit(once() - 7); }
"""


def test_what_runs_before_and_after_main_nests(lab, cxx):
    run = lab.run(AROUND_MAIN, "-std=c++20", cc=cxx, name="x.cc", still_open=["main"])
    assert run.visits["Global::Global"] == run.visits["Global::Global:loop@6"] == 3
    assert run.visits["lambda:loop@5"] == 3
    assert run.visits["last"] == run.visits["main"] == 1


UNCAUGHT = r"""
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
int level(int n) { for (int i = 0; ; i++) { if (n == 0) throw std::runtime_error("deep"); level(n - 1); } }
int caught(int n) noexcept {
    while (n) try { level(n--); } catch (const std::exception &e) { std::printf("%s ", e.what()); }
    return n;
}
void quiet() noexcept { for (;;) level(2); }
void stop() { while (std::fflush(stdout)) ; std::_Exit(3); }
int main() { std::set_terminate(stop); caught(3); quiet(); }
"""


def test_an_exception_leaves_all_regions_that_it_passes_or_ends_the_program_in_them(lab, cxx):
    run = lab.run(UNCAUGHT, cc=cxx, name="x.cc", still_open=None)
    assert not [event for event, _ in run.events if event == "mismatch"]
    assert run.visits["level"] == run.visits["level:loop@6"] == 12
    assert run.visits["caught:loop@8"] == 1
    exits = [region.name for event, region in run.events if event == "exit"]
    assert exits.count("level") >= 9


LONGJMP = r"""
#include <csetjmp>
#include <cstdio>
static std::jmp_buf here;
static void deep(int n) { if (n == 0) std::longjmp(here, 1); deep(n - 1); std::puts("never"); }
int main() {
    volatile int count = 0;
    if (setjmp(here) == 0)
        for (;;) { count = count + 1; deep(3); }
    std::printf("%d\n", count);
}
"""


def test_longjmp_leaves_regions_open_and_the_program_as_it_was(lab, cxx):
    run = lab.run(LONGJMP, cc=cxx, name="x.cc", still_open=None)
    assert run.visits == {"main": 1, "main:loop@9": 1, "deep": 4}
