"""Functions: which are regions, by what name, from which file."""

HEADER = """
static int sum(int n) {
    int s = 0;
    while (n > 0)
        s += n--;
    return s;
}
"""


def test_functions_of_a_users_header_are_regions_of_that_header(lab):
    (lab.tool.folder / "inc").mkdir()
    lab.tool.write("inc/sum.h", HEADER)
    main = '#include "sum.h"\n#include <stdio.h>\nint main(void) { printf("%d", sum(4)); return 0; }\n'
    run = lab.run(main, "-Iinc")
    assert {(region.name, region.file, region.first_line) for _, region in run.events} == {
        ("main", "x.c", 3),
        ("sum", "inc/sum.h", 2),
        ("loop@4", "inc/sum.h", 4),
    }


TINY = r"""
#include <stdio.h>
static int square(int x) { return x * x; }
static int called(int x) { return square(x) + 1; }
static inline int wrapped(int x) { return called(x); }
static int looped(int x) { while (x > 3) x--; return x; }
static int more(int x) {
    int y = x;
    y++; y *= 2; y++; y *= 3; y++; y *= 4; y++; y *= 5; y++; y *= 6; y++; y *= 7;
    y--; y /= 2; y--; y /= 3; y--; y /= 4; y--;
    return y;
}
int main(void) { printf("%d\n", wrapped(2) + looped(9) + more(1)); return 0; }
"""


def test_tiny_functions_are_left_out_with_the_reason_and_main_never(lab):
    assert set(lab.run(TINY).visits) == {"main", "called", "looped", "looped:loop@6", "more"}
    assert lab.left_out() == {
        "square": "tiny: no loop, no call, at most 20 statements",
        "wrapped": "tiny: inline, no loop, at most 20 statements",
    }


WORDS_OF_CXX = r"""
#include <stdio.h>
static int co_yield(int co_await) { int co_return = 0; while (co_await > 3) co_return += co_await--; return co_return; }
int main(void) { printf("%d\n", co_yield(9)); return 0; }
"""


def test_words_of_coroutines_are_names_in_c(lab):
    assert lab.run(WORDS_OF_CXX).visits == {"main": 1, "co_yield": 1, "co_yield:loop@3": 1}


STAND_IN = r"""
#include <stdio.h>
extern inline __attribute__((gnu_inline)) int z(int n) { while (n > 3) n--; return n; }
int z(int n) { while (n > 3) n--; return n; }
int main(void) { printf("%d\n", z(9)); return 0; }
"""


def test_the_function_itself_has_its_name_though_an_inline_definition_stands_before_it(lab):
    lab.tool.write("x.c", STAND_IN)
    regions = lab.tool("autoanalyzer", "regions", "--cc", "gcc", "x.c").stdout.decode()
    assert "  z  4-4\n" in regions
    assert "z#2  3-3: short" in regions


def test_an_empty_main_is_a_region(lab):
    assert lab.run("int main() {}\n", "-std=gnu99").visits == {"main": 1}


KR = r"""
#include <stdio.h>
int scale(a, n)
    double *a;
    int n;
{
    int i;
    for (i = 0; i < n; i++)
        a[i] *= 2;
    return n;
}
main() { double a[3] = {1, 2, 3}; printf("%d %g\n", scale(a, 3), a[2]); return 0; }
"""


def test_old_style_definitions(lab):
    assert lab.run(KR, "-std=gnu89").visits == {"main": 1, "scale": 1, "scale:loop@8": 1}


EXEMPT = r"""
#include <stdio.h>
void quiet(int *n) __attribute__((no_instrument_function));
void quiet(int *n) { for (int i = 0; i < 3; i++) printf("%d", *n); }
static int plain(int n) { for (int i = 0; i < 3; i++) printf("%d", n); return n; }
static int (*resolve(void))(int) { puts(""); return plain; }
int chosen(int) __attribute__((ifunc("resolve")));
__attribute__((naked)) void bare(void) { __asm__("ret"); }
int loud(int signal, int interrupt) { for (int i = 0; i < signal; i++) interrupt += i; return interrupt; }
int main(void) { int n = 2; quiet(&n); bare(); return chosen(0) + loud(n, n); }
"""


def test_functions_whose_attributes_forbid_it_are_left_out(lab):
    lab.tool.write("x.c", EXEMPT)
    reasons = lab.left_out()
    assert reasons["quiet"] == reasons["loop@4"] == "attribute no_instrument_function"
    assert reasons["bare"] == "attribute naked"
    assert reasons["resolve"] == "resolver of an indirect function"
    assert "loud" not in reasons


NESTED = r"""
#include <stdio.h>
static int outer(int n) {
    int add(int x) { return x + n; }
    int s = 0;
    for (int i = 0; i < n; i++)
        s += add(i);
    return s;
}
static int other(int n) { while (n > 3) n--; return n; }
int main(void) { printf("%d %d\n", outer(4), other(5)); return 0; }
"""


def test_a_function_with_a_nested_one_is_a_region_without_loops_and_named(lab):
    run = lab.run(NESTED, quiet=False)
    assert set(run.visits) == {"main", "outer", "other", "other:loop@10"}
    assert run.messages.startswith("autoanalyzer: x.c:4:")
    assert "the loops of outer are not instrumented" in run.messages


LAST_CALL = r"""
#include <stdio.h>
static long sum(long n, long acc) { if (n == 0) return acc; return sum(n - 1, acc + n); }
static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
#define CHECK(x) do { if (x) return 1; } while (0)
int main(void) { CHECK(fib(10) != 55); printf("%ld\n", sum(50000000, 0)); return 0; }
"""


LAST_CALLS = r"""
#include <stdio.h>
struct node { struct node *next; int value; };
static long total;
static void walk(struct node *n) { if (!n) return; total += n->value; walk(n->next); }
static int even(long n), odd(long n);
static int even(long n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(long n) { if (n == 0) { return 0; } else return even(n - 1); }
static void step(long n) { switch (n % 2) { case 0: if (n) step(n - 2); break; default: step(n - 1); } }
static void down(long n) { if (n > 0) down(n - 1); else {} }
static void sort(int n) { if (n < 2) return; sort(n / 2); sort(n / 2); }
static struct node nodes[3000000];
int main(void) {
    for (int i = 0; i < 3000000; i++) { nodes[i].value = 1; nodes[i].next = i ? &nodes[i - 1] : 0; }
    walk(&nodes[2999999]);
    step(30000001);
    down(30000000);
    sort(64);
    printf("%ld %d\n", total, even(50000000));
    return 0;
}
"""


def test_recursion_by_last_calls_alone_is_left_out_whoever_makes_them(lab):
    assert set(lab.run(LAST_CALLS, "-O2").visits) == {"main", "main:loop@14", "sort"}
    reason = "ends in a call to itself; with a probe, that could exhaust the stack"
    assert {name for name, why in lab.left_out().items() if why == reason} == {"walk", "even", "odd", "step", "down"}


def test_a_function_that_calls_itself_last_is_left_out_or_it_would_use_up_the_stack(lab):
    assert set(lab.run(LAST_CALL, "-O2").visits) == {"main", "fib"}
    assert lab.left_out() == {"sum": "ends in a call to itself; with a probe, that could exhaust the stack"}
