"""Loops that may be entered by a jump are left out, and the reason is given."""

import pytest

GOTO = r"""
#include <stdio.h>
static int f(int n) {
    int r = 0, i = 0;
    if (n > 2)
        goto middle;
    for (i = 0; i < n; i++) {
        r += 10;
    middle:
        r += i;
    }
    while (r > 100)
        r--;
again:
    do { r++; } while (r % 7);
    if (r < 20) { r++; goto again; }
    return r;
}
int main(void) { printf("%d %d\n", f(1), f(5)); return 0; }
"""


def test_a_goto_into_a_loop(lab):
    assert set(lab.run(GOTO).visits) == {"main", "f", "f:loop@12", "f:loop@15"}
    assert lab.left_out() == {"loop@7": "entered by goto middle"}


@pytest.mark.parametrize("name", ["in$1", "größe", "\\u00e9nd"])
def test_a_goto_to_an_unusual_label_into_a_loop(lab, name):
    assert set(lab.run(GOTO.replace("middle", name)).visits) == {"main", "f", "f:loop@12", "f:loop@15"}
    assert list(lab.left_out()) == ["loop@7"]


FROM_BELOW = r"""
#include <stdio.h>
static int f(int n) {
    int r = 0, i = 0;
    for (i = 0; i < n; i++) {
        r += 10;
    middle:
        r += i;
    }
    if (r < 100) {
        i = -90;
        goto middle;
    }
    return r;
}
int main(void) { printf("%d %d\n", f(1), f(5)); return 0; }
"""


def test_a_goto_back_into_a_loop(lab):
    assert set(lab.run(FROM_BELOW).visits) == {"main", "f"}
    assert lab.left_out() == {"loop@5": "entered by goto middle"}


DUFF = r"""
#include <stdio.h>
static int copy(int count) {
    int n = (count + 3) / 4, done = 0;
    switch (count % 4) {
    case 0: do { done++;
    case 3:      done++;
    case 2:      done++;
    case 1:      done++;
            } while (--n > 0);
    }
    switch (count) {
    case 7: for (int i = 0; i < 3; i++) switch (i) { case 1: done += 100; break; default: break; }
    /* fall through */
    default: for (; done > 1000;) done--;
    }
    return done;
}
int main(void) { printf("%d %d\n", copy(7), copy(8)); return 0; }
"""


def test_a_case_label_into_a_loop(lab):
    assert set(lab.run(DUFF).visits) == {"main", "copy", "copy:loop@13", "copy:loop@15"}
    assert lab.left_out() == {"loop@6": "entered by a case label of an enclosing switch"}


COMPUTED = r"""
#include <stdio.h>
static int vm(const unsigned char *code) {
    static const void *const table[] = {&&halt, &&add, &&twice};
    int value = 1;
    for (;;) {
        goto *table[*code++];
    add:
        value++;
        continue;
    twice:
        value *= 2;
        continue;
    halt:
        return value;
    }
}
static int crossing(int n) {
    void *target = n ? &&inside : &&outside;
    goto *target;
    for (; n-- && n < 5; n++) {
    inside:
        n += 2;
    }
outside:
    return n;
}
int main(void) {
    static const unsigned char code[] = {1, 2, 2, 1, 0};
    printf("%d %d %d\n", vm(code), crossing(0), crossing(1));
    return 0;
}
"""


def test_a_computed_goto(lab):
    assert set(lab.run(COMPUTED).visits) == {"main", "vm", "vm:loop@6", "crossing"}
    assert lab.left_out() == {"loop@21": "entered or left by a computed goto"}
