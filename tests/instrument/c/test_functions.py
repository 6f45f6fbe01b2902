"""Functions: which of them are regions, and the regions' names and files."""

import re

import pytest

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


APPENDS = r"""
#include <stdio.h>
#include <string.h>
static char buffer[64];
static int used, flushed;
void flush(void);
void choose(int kind);
void append(const void *bytes, int length) {
    if (used + length > 64)
        flush();
    memcpy(buffer + used, bytes, length);
    used += length;
}
void either(int n) {
    used += n;
    if (n > 1) flush(); else choose(n);
}
void either_or_none(int n) {
    used += n;
    if (n > 1) flush(); else used--;
}
void last(int n) {
    if (n < 0) return;
    flush();
}
void asks(int n) {
    if (n > puts("")) flush();
    used++;
}
void chooses(int n) {
    if (n == 1) flush();
    if (n == 2) choose(n);
}
void goes_back(int n) {
    again:
    if (n-- > 0) { flush(); goto again; }
    used++;
}
void moves(const void *bytes) { memcpy(buffer, bytes, 8); }
void flush(void) { flushed += printf("%d\n", used); used = 0; }
void choose(int kind) { if (kind) printf("%d\n", kind); else puts("none"); }
int main(void) {
    for (int i = 0; i < 3; i++) {
        append("0123456789012345678901234567", 28);
        either(1); either_or_none(2); last(1); asks(9); chooses(2); goes_back(1); moves("12345678");
    }
    return flushed == 0;
}
"""


def test_functions_that_seldom_call_another_are_left_out(lab):
    run = lab.run(APPENDS)
    left_out = lab.left_out()
    assert set(left_out) == {"append", "either_or_none"}
    assert set(left_out.values()) == {"tiny: no loop, calls in branches only, at most 20 statements"}
    assert {"either", "last", "asks", "chooses", "goes_back", "moves", "flush", "choose"} <= set(run.visits)


def test_what_runs_seldom_keeps_its_probe_whatever_it_calls(lab):
    assert "append" in lab.run(APPENDS.replace("for (int i = 0; i < 3; i++)", "")).visits


SHORT = r"""
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
enum sizes { sides = 3, nodes = 2 * sides + 2, last };
static const int few = 4;
static int often(int n) { for (int i = 0; i < nodes; i++) n += i; return n; }
static int through(int n) { return often(n) + 1; }
static int once(int n) { for (int i = 0; i < few; i++) n += i; return n; }
static int open(int n) { int m = 0; for (int i = 0; i < n; i++) m++; return m; }
static int hides(int nodes) { int m = 0; for (int i = 0; i < nodes; i++) m++; return m; }
static int large(int n) { for (int i = -60; i <= 10 * last; i += 1) n += i; return n; }
static int back(int n) { again: if (through(n--) > 40) goto again; return n; }
static int says(int n) { for (int i = 0; i < few; i++) if (n == i) putchar('0' + n); return n; }
static int both(int n, int m) { for (int i = few; i > 0; i--) n += i; while (m < n) m++; return m; }
static int compare(const void *one, const void *other) {
    assert(one != other);
    return through(*(const int *)one) - through(*(const int *)other);
}
int main(void) {
    int n = 0, some[3] = {2, 3, 1};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j != few; ++j) n++;
        for (int j = 0; j < i; ++j) n++;
        n += through(3) + open(3) + hides(3) + large(3) + back(13) + says(3) + both(3, 1);
    }
    n += once(n);
    qsort(some, 3, sizeof some[0], compare);
    printf("%d %d\n", n, some[0]);
    return 0;
}
"""


IN_LOOPS = r"""
#include <stdio.h>
static int sum(int n) { int m = 0; for (int i = 0; i < n; i++) m += i; return m; }
static int row(int n) { int m = 0; for (int i = 0; i < n; i++) m += sum(i); return m; }
static int two(int n) { int m = 0; for (int i = 0; i < n; i++) m++; for (int i = 0; i < n; i++) m++; return m; }
static int tells(int n) { for (int i = 0; i < n; i++) putchar('a' + i); return puts("") < 0; }
static int step(int n) { int m = 0; for (int i = 0; i < n; i++) m += i; return m; }
static int again(int n) { int m = n; for (int i = 0; i < n; i++) m += again(i); return m; }
int main(void) {
    int n = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) n += row(j) + two(j) + tells(j);
        n += step(i) + again(i);
    }
    printf("%d\n", n);
    return 0;
}
"""


ASSERTED = r"""
#include <assert.h>
static int all(int n) { for (int i = 0; i < 40; i++) { assert(n < 999); assert(i < 99); n += i; n ^= 1; } return n; }
static int own(int n) { for (int i = 0; i < 40; i++) { n += i & 1; n ^= i; n += 3; n ^= 5; } return n; }
int main(void) {
    int n = 0;
    for (int i = 0; i < 3; i++) n += all(i) + own(i);
    return n < 0;
}
"""


@pytest.mark.parametrize(
    ("cc", "name", "flags"),
    [
        ("gcc", "x.c", ()),
        ("gcc", "x.c", ("-std=c99",)),
        ("g++", "x.cc", ("-DNDEBUG",)),
        pytest.param("gcc", "x.c", ("-DNDEBUG",), marks=pytest.mark.nightly),
        pytest.param("g++", "x.cc", (), marks=pytest.mark.nightly),
    ],
)
def test_assertions_are_no_statements(lab, cc, name, flags):
    assert lab.run(ASSERTED, *flags, cc=cc, name=name).visits == {
        "main": 1,
        "main:loop@7": 1,
        "own": 3,
        "own:loop@4": 3,
    }


def test_a_loop_that_nested_loops_enter_has_its_probe_inline(lab):
    lab.tool.write("x.c", IN_LOOPS)
    assert lab.tool("autoanalyzer", "instrument", "-o", "out", "--cc", "gcc", "x.c").returncode == 0
    text = (lab.tool.folder / "out" / "x.i").read_text()
    begins = {line: begin for begin, line in re.findall(r'= (aa_begin\w*)\("aa1\|loop\|loop@(\d+)', text)}
    assert begins == dict.fromkeys("3456", "aa_begin") | dict.fromkeys(("7", "8", "11"), "aa_begin_apart")


@pytest.mark.parametrize(("cc", "name"), [("gcc", "x.c"), ("g++", "x.cc")])
def test_what_is_short_and_may_run_often_is_left_out(lab, cc, name):
    modes = "functions,outer-loops,inner-loops"
    assert lab.run(SHORT, cc=cc, name=name, modes=modes).visits == {
        **{"main": 1, "main:loop@22": 1, "main:loop@24": 2, "once": 1, "once:loop@9": 1},
        **{"open": 2, "open:loop@10": 2, "hides": 2, "hides:loop@11": 2, "large": 2, "large:loop@12": 2},
        **{"back": 2, "says": 2, "says:loop@14": 2, "both": 2, "both:loop@15": 2},
    }
    left_out = lab.left_out(name, modes=modes)
    assert set(left_out) == {"often", "loop@7", "through", "compare", "loop@15", "loop@23"}
    assert set(left_out.values()) == {"short: at most 200 statements are executed"}


def test_a_loop_that_sets_its_variable_is_of_any_length(lab):
    body = "for (int i = 0; i < 3; i++) { %s n++; } return n;"
    functions = "".join(
        f"static int f{place}(int n) {{ {body % words} }}\n"
        for place, words in enumerate(("", "if (n < 5) i = 0;", "if (n < 5) i--;", "int *p = &i; if (n < 5) *p = 0;"))
    )
    main = "int main(void) { int n = 0; for (int i = 0; i < 2; i++) n += f0(1) + f1(1) + f2(1) + f3(1); return n; }\n"
    assert set(lab.run(functions + main).visits) == {
        *("main", "main:loop@5", "f1", "f1:loop@2", "f2", "f2:loop@3", "f3", "f3:loop@4"),
    }


NOT_COUNTED = r"""
#include <stddef.h>
#include <stdint.h>
enum { few = 4 };
int g, at[8];
struct big { struct { double v[40]; } in; struct big *next; };
typedef struct big bigs[2];
static double first(struct big b) { return b.in.v[0]; }
static int last(int *n, struct big **b) { return *n + !*b; }
static struct big same(struct big *b) { return *b; }
void set(int *);
void relax(void);
void copied(char *d, const char *s, size_t n) { for (int i = 0; i < 3; i++) __builtin_memcpy(d + i * n, s, n); }
void zeroed(char *d, size_t n) { for (int i = 0; i < 3; i++) __builtin_bzero(d, n); }
void assigned(struct big *a, struct big **b) { for (int i = 0; i < 3; i++) a[i] = **b; }
void member(struct big *a, struct big *b) { for (int i = 0; i < 3; i++) a->next[i].in = (b + i)->in; }
void one(bigs a, bigs *b) { for (int i = 0; i < 2; i++) a[i] = b[0][i]; }
void kept(void) { for (int i = 0; i < 3; i++) { double v[40] = {1}; g += v[g & 7]; } }
void local(void) { struct s { double v[40]; }; typedef struct s t; t a, b; for (int i = 0; i < 3; i++) a = b; set(&g); }
void made(struct big *a) { for (int i = 0; i < 3; i++) { struct big b = *a; g += b.in.v[i]; } }
void passed(struct big *a) { for (int i = 0; i < 3; i++) g += first(*a); }
void given(struct big *a) { for (int i = 0; i < 3; i++) g += same(a).in.v[0]; }
void linked(struct big *a[], struct big *b) { for (int i = 0; i < 3; i++) { a[i] = b; b->next = *a; g += at[i] + 1; } }
void pointing(struct big b) { for (int i = 0; i < 3; i++) g += at[i] + last(&at[i], &b.next); }
void real(double by) { for (double t = 0; t < 10; t += by) g++; }
void another(int n) { int j = 0; for (int i = 0; i < 8; j++) if (j > n) break; }
void by_some(int n) { for (int i = 0; i < 8; i += n) g++; }
void backwards(int n) { for (unsigned i = 3; i < 4; i--) g++; }
void past(void) { for (unsigned i = 7; i > 0; i -= 2) g++; }
void never(void) { for (int i = 0; i != 7; i += 2) g++; }
void cast(void) { for (uint32_t i = 0; i < (uint32_t)-1; i++) g++; }
void below(int n) { for (uint16_t i = 8; i >= 0; i--) if (at[n]) break; }
void minus(void) { for (unsigned i = 0; i < -1u; i++) g++; }
void signs(void) { for (unsigned i = 0; i != -1; i++) g++; }
void mixed(void) { for (int i = 9; i >= 0u; i--) g++; }
void narrow(void) { for (unsigned char i = 0; i < 300; i++) g++; }
void letters(int n) { for (int i = '!'; i <= '~'; i++) { g += n; n ^= g; } }
void pointed(void) { int i, *p = &i; for (i = 0; i < 8; i++) *p = 0; }
void seen(void) { int i; set(&i); for (i = 0; i < 8; i++) relax(); }
void global(void) { for (g = 0; g < 8; g++) at[g]++; }
void retried(int n) { for (int i = 0; i < 3; i++) if (at[n]) --i; }
void hidden(void) { enum { few = 1000000 }; for (int i = 0; i < few; i++) g++; }
void once(void) { for (int i = 0; i < 3; i++) { static const double v[40] = {1}; g += at[i] + (int)v[i]; } }
void counted(void) { for (int i = 9; i >= 0; i -= 3) g += at[i] + (i); }
void before(void) { size_t i; for (i = 0; i < few; ++i) g += at[i] + 1; for (i = 2; i <= 6; i += 2) g++; }
"""


@pytest.mark.parametrize("name", ["x.c", "x.cc"])
def test_only_what_is_plainly_counted_has_trips(lab, name):
    lab.tool.write(name, NOT_COUNTED)
    loops = {int(loop.removeprefix("loop@")) for loop in lab.left_out(name) if loop.startswith("loop@")}
    assert loops == {line for line, text in enumerate(NOT_COUNTED.splitlines(), 1) if "at[i] +" in text}


@pytest.mark.parametrize("name", ["x.c", "x.cc"])
def test_calls_may_be_of_any_depth(lab, name):
    declared = "".join(f"static int f{place}(int);\n" for place in range(600))
    calls = "".join(f"static int f{place}(int n) {{ n += f{place + 1}(n); return n; }}\n" for place in range(599))
    main = "static int f599(int n) { return n; }\nint main(void) { for (int i = 0; i < 2; i++) f0(i); return 0; }\n"
    lab.tool.write(name, declared + calls + main)
    assert lab.left_out(name)["f598"] == "short: at most 200 statements are executed"


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
int main(void) { CHECK(fib(10) != 55); printf("%ld\n", sum(2000000, 0)); return 0; }
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
static struct node nodes[2000000];
int main(void) {
    for (int i = 0; i < 2000000; i++) { nodes[i].value = 1; nodes[i].next = i ? &nodes[i - 1] : 0; }
    walk(&nodes[1999999]);
    step(2000001);
    down(2000000);
    sort(64);
    printf("%ld %d\n", total, even(2000000));
    return 0;
}
"""


def test_recursion_by_last_calls_alone_is_left_out_whoever_makes_them(lab):
    assert set(lab.run(LAST_CALLS, "-O2").visits) == {"main", "main:loop@14", "sort"}
    reason = "ends with a call to itself, and a probe after this call could exhaust the stack"
    assert {name for name, why in lab.left_out().items() if why == reason} == {"walk", "even", "odd", "step", "down"}


def test_a_function_that_calls_itself_last_is_left_out_or_it_would_use_up_the_stack(lab):
    assert set(lab.run(LAST_CALL, "-O2").visits) == {"main", "fib"}
    assert lab.left_out() == {"sum": "ends with a call to itself, and a probe after this call could exhaust the stack"}
