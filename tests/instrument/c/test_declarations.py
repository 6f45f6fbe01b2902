"""Compiler extensions in declarations stay: attributes, alignment, variable-length arrays, unusual types."""

import pytest

ATTRIBUTES = r"""
#include <stddef.h>
#include <stdio.h>
struct __attribute__((packed)) small { char c; double d; };
struct wide { char c; double d __attribute__((aligned(64))); };
union __attribute__((transparent_union)) either { int *i; float *f; };
typedef int vector __attribute__((vector_size(16)));
static int old __attribute__((unused)), table[] = {[0 ... 3] = 7, [5] = 1};
extern int printf(const char *, ...) __attribute__((format(printf, 1, 2)));
static __thread int mine = 3;
_Alignas(32) static char buffer[8];
static unsigned __int128 big = 5;
_Static_assert(sizeof(struct small) == 9, "a { brace");
int main(void) {
    vector v = {1, 2, 3, 4};
    __typeof__(v) w = v + v;
    __auto_type x = 2.5;
    int total = 0;
    for (int i = 0; i < 6; i++)
        total += table[i] + w[i % 4];
    printf("%zu %zu %zu %d %d %g %d %d\n", sizeof(struct small), sizeof(struct wide), offsetof(struct wide, d), total,
           mine, x, (int)((size_t)buffer % 32), (int)big);
    return 0;
}
"""


def test_attributes_and_extended_types(lab):
    assert lab.run(ATTRIBUTES).visits == {"main": 1, "main:loop@19": 1}


VLA = r"""
#include <stdarg.h>
#include <stdio.h>
static int last(int count, ...) {
    va_list ap;
    int value = 0;
    va_start(ap, count);
    for (int i = 0; i < count; i++)
        value = va_arg(ap, int);
    va_end(ap);
    return value;
}
static int sum(int n, int a[static n][n]) {
    int s = 0, copy[n];
    for (int i = 0; i < n; i++) {
        copy[i] = a[i][0];
        s += copy[i] ?: 100;
    }
    return s;
}
int main(void) {
    int n = 2, a[n][n];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = i;
    printf("%d %d\n", last(3, 1, 2, 9), sum(n, a));
    return 0;
}
"""


def test_variable_arrays_and_arguments(lab):
    run = lab.run(VLA, "-Wall", "-Wextra", "-Werror")
    assert set(run.visits) == {"main", "main:loop@23", "last", "last:loop@8", "sum", "sum:loop@15"}


GENERIC = r"""
#include <stdio.h>
#define KIND(x) _Generic((x), int: "int", double: "double", default: "other")
#define MAX(a, b) ({ __typeof__(a) a_ = (a), b_ = (b); a_ > b_ ? a_ : b_; })
static int classify(int c) {
    switch (c) {
    case 'a' ... 'z': return 1;
    case '0' ... '9': return 2;
    case '{': case '\'': case '"': case '\\': return 3;
    }
    return 0;
}
int main(void) {
    int n = 0;
    for (const char *p = "a7{'\"\\ "; *p; p++)
        n = n * 10 + classify(*p);
    asm volatile("" : "+r"(n) : : "memory");
    printf("%s %s %s %d %d\n", KIND(1), KIND(1.0), KIND("x"), MAX(3, n), __builtin_types_compatible_p(int, long));
    return 0;
}
"""


def test_generic_selection_case_ranges_statement_expressions_and_asm(lab):
    assert lab.run(GENERIC).visits == {"main": 1, "main:loop@15": 1}
    assert set(lab.left_out()) == {"classify"}


BEYOND_STANDARD_C = r"""
#include <stdio.h>
#include <stdlib.h>
struct pair { int one, other; };
static double _Complex start = %s;
static int turns(int n) {
    double _Complex z = start + 1.0i;
    struct pair *kept = &(struct pair) { one: n, other: 2 };
    for (int i = 0; i < n; i++)
        do { z *= 1.0i; } while (0);
    switch (n) {
    case 3: while (n > 2) n--;
    case 2: do { n--;
    case 1:      n--;
            } while (n > 0);
    }
    #pragma autoanalyzer begin made
    struct pair *more = &(struct pair) { 1, abs(n) };
    #pragma autoanalyzer end made
    return kept->other + more->one + (int)__real__ z;
}
static int plain(int n) { while (n > 3) n--; return n; }
int main(void) { printf("%%d\n", turns(3) + plain(5) + sizeof(abs(1))); return 0; }
"""


@pytest.mark.parametrize("start", ["1", "1.0i"])
def test_what_standard_c_has_not_is_read_in_functions_and_outside_of_them(lab, start):
    assert lab.run(BEYOND_STANDARD_C % start, "-std=gnu11", "-w").visits == {
        **dict.fromkeys(("main", "turns", "turns:loop@9", "turns:loop@12", "turns:made", "plain", "plain:loop@22"), 1)
    }
    assert lab.left_out() == {"loop@13": "entered by a case label of an enclosing switch"}


ASM_GOTO = r"""
#include <stdio.h>
int main(void) {
    int n = 0;
    asm goto("" : : : : done);
    while (n < 3)
        n++;
done:
    for (int i = 0; i < 2; i++) {
        asm goto("" : : : : next);
        n++;
    next:;
    }
    printf("%d\n", n);
    return 0;
}
"""


def test_asm_goto_counts_as_a_computed_one(lab):
    assert lab.run(ASM_GOTO).visits == {"main": 1, "main:loop@6": 1}


LOCAL_LABEL = r"""
#include <stdio.h>
static int f(int n) { __label__ out; if (n > 3) goto out; n++; printf("-"); out: return n; }
int main(void) {
    for (int i = 0; i < 2; i++) { __label__ skip; if (i) goto skip; printf("%d", f(i)); skip:; }
    return 0;
}
"""


def test_local_labels(lab):
    assert lab.run(LOCAL_LABEL).visits == {"main": 1, "main:loop@5": 1}
    assert lab.left_out() == {"f": "its body begins with __label__"}


TYPES_OF_GCC = r"""
#include <stdio.h>
static _Float64 narrow(_Float32 by, int n) { _Float64 sum = 0; while (n--) sum += by; return sum; }
static _Float64x wide(_Float128 by, int n) { _Float64x sum = 0; while (n--) sum += by; return sum; }
int main(void) { printf("%g %Lg\n", (double)narrow(1, 9), (long double)wide(2, 9)); return 0; }
"""


def test_types_that_gcc_knows_by_itself_are_read(lab):
    visits = lab.run(TYPES_OF_GCC).visits
    assert visits == dict.fromkeys(("main", "narrow", "narrow:loop@3", "wide", "wide:loop@4"), 1)
