"""Coroutines: their scopes outlive their callers, so they have no probes."""

COROUTINE = r"""
#include <coroutine>
#include <cstdio>
struct Task {
    struct promise_type {
        int value = 0;
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) { value = v; return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};
Task count(int n) { for (int i = 0; i < n; i++) co_yield [](int k) { while (k > 3) --k; return k; }(i); }
int main() {
    Task t = count(6);
    int sum = 0;
    while (!t.handle.done()) { t.handle.resume(); sum += t.handle.promise().value; }
    t.handle.destroy();
    std::printf("%d\n", sum);
}
"""


def test_coroutines_are_left_out_and_lambdas_in_them_are_not(program, lab):
    run = program(COROUTINE, "-std=c++20")
    assert set(run.visits) == {"main", "main:loop@20", "count::lambda:loop@16"}
    reasons = lab.left_out("x.cc", "--", "-std=c++20")
    assert reasons["count"] == "a coroutine"
    assert reasons["loop@16"] == "a coroutine"
