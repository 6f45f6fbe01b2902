"""Loops of every form, as the body of any statement."""

FORMS = r"""
#include <stdio.h>
int main(void) {
    int n = 0, i;
    for (i = 0; i < 3; i++) n++;
    while (i-- > 0) n++;
    do n++; while (n < 20);
    do { n--; } while (n > 10);
    for (;;) if (n++ > 12) break; else continue;
    if (n) for (i = 0; i < 2; i++) if (i) n++; else n--;
    else while (n) n--;
    if (!n) n = 5; else for (int k = 0, m = 3; k < m; k++) n += k;
label: for (i = 0; i < 2; i++) ;
    switch (n) { case 1: for (;;) break; default: while (0) ; }
    for (i = 0; i < 2; i++) { for (int j = 0; j < 2; j++) while (n > 1000) n--; }
    if (n == -1) goto label;
    n += ({ int s = 0; for (int q = 0; q < 4; q++) s += q; s; });
    for (i = ({ int z = 9; while (z > 3) z--; z; }); i > 0; i--) n++;
    printf("%d\n", n);
    return 0;
}
"""


def test_each_outermost_loop_is_one_region_and_its_nested_loops_are_none(lab):
    run = lab.run(FORMS)
    ran = (5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 17, 18)
    assert run.visits == {"main": 1, **{f"main:loop@{line}": 1 for line in ran}}
    ordinals = {region.name: region.ordinal for _, region in run.events if region.kind == "loop"}
    assert ordinals["loop@18"] == 13


SAME_LINE = """
#include <stdio.h>
int main(void) { int n = 0; for (int i = 0; i < 2; i++) n++;for (int i = 0; i < 2; i++) n++; printf("%d", n); return 0;}
"""


def test_two_loops_in_a_line_are_told_apart_by_their_ordinals(lab):
    run = lab.run(SAME_LINE)
    assert {region.ordinal for _, region in run.events if region.kind == "loop"} == {0, 1}


MACRO = r"""
#include <stdio.h>
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define SUM(to, n) do { EACH(i_, n) { to += i_; } } while (0)
int main(void) {
    int s = 0;
    EACH(i, 3) {
        s += i;
    }
    SUM(s, 4);
    if (s) SUM(s, 2); else SUM(s, 3);
    printf("%d\n", s);
    return 0;
}
"""


def test_a_loop_that_a_macro_makes_stands_where_the_macro_is_used(lab):
    run = lab.run(MACRO)
    assert run.visits == {"main": 1, "main:loop@7": 1, "main:loop@10": 1, "main:loop@11": 1}
    assert {region.last_line for _, region in run.events if region.name == "loop@7"} == {9}
