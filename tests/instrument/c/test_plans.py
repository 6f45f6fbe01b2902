"""Regions that the user marks, and regions that a plan includes, excludes, eliminates, merges or splits."""

import pytest

MARKED = r"""
#include <stdio.h>
struct point { int x; }; static int work(int n) {
    int kept = 0;
#pragma autoanalyzer begin set up
    int *p = &(int){ 3 }, more = n;
    kept = (struct point){ .x = *p }.x;
    if (more > 100) return 1;
#pragma autoanalyzer end
    for (int i = 0; i < 4; i++) {
        #pragma autoanalyzer begin step
        if (i == 1) continue;
        {
            #pragma autoanalyzer begin deep
            if (i == 3) break;
            #pragma autoanalyzer end deep
        }
        kept += more;
        #pragma autoanalyzer end step
    }
    return kept + *p;
}
int main(void) { printf("%d %d\n", work(1), work(101)); return 0; }
"""


def test_marked_regions_are_left_in_any_way_and_what_they_declare_lives_on(lab):
    run = lab.run(MARKED, "-Wall", "-Wno-unknown-pragmas", "-Werror")
    assert run.visits == {
        "main": 1,
        "work": 2,
        "work:set up": 2,
        "work:loop@10": 1,
        "work:step": 4,
        "work:deep": 3,
    }
    ordinals = {region.name: region.ordinal for _, region in run.events if region.kind == "user"}
    assert ordinals == {"set up": 0, "step": 2, "deep": 1}


RIGHT_ABOVE = r"""
#include <stdio.h>
int main(void) {
    int n = 0;
#pragma autoanalyzer begin assemble
    for (int i = 0; i < 4; i++) n += i;
    int more = n;
#pragma autoanalyzer end
#pragma omp parallel for
#pragma autoanalyzer begin bound
    for (int i = 0; i < 4; i++) ;
#pragma autoanalyzer end
    printf("%d\n", more);
    return 0;
}
"""


@pytest.mark.parametrize(("cc", "name"), [("gcc", "x.c"), ("g++", "x.cc")])
def test_a_mark_right_above_a_loop_stays_around_it(lab, cc, name):
    run = lab.run(RIGHT_ABOVE, "-fopenmp", cc=cc, name=name, quiet=False)
    assert run.messages.endswith(": bound is not instrumented: follows a pragma\n")
    entered = [region.name for event, region in run.events if event == "enter"]
    assert entered == ["main", "assemble", "loop@6", "loop@11"]


BADLY = r"""
#include <stdio.h>
int main(void) {
    int n = 0;
    if (n)
#pragma autoanalyzer begin half
        n = 1;
#pragma autoanalyzer end
    n++;
#pragma autoanalyzer end
#pragma autoanalyzer begin across
    while (n < 5) {
        n++;
#pragma autoanalyzer end across
    }
    if (n > 100) goto in;
#pragma autoanalyzer begin entered
    n++;
in:
    n--;
#pragma autoanalyzer end
    switch (n) {
#pragma autoanalyzer begin cases
    case 5: n++;
#pragma autoanalyzer end
    }
    { int i = 0;
#pragma autoanalyzer begin declares
    int m = n;
#pragma autoanalyzer end
    n = m + i; }
#pragma autoanalyzer begin open
    printf("%d\n", n);
#pragma autoanalyzer start
    return 0;
}
"""


def test_marks_that_make_no_region_are_said_with_the_reason(lab):
    run = lab.run(BADLY, quiet=False)
    assert run.visits == {"main": 1, "main:loop@12": 1}
    assert lab.left_out() == {
        "half": "does not begin and end between statements",
        "across": "does not begin and end in the same block",
        "entered": "entered by goto in",
        "cases": "entered by a case label of an enclosing switch",
        "declares": "contains a declaration, in a function with jumps",
        "autoanalyzer": "expected 'begin NAME' or 'end' after autoanalyzer",
        "open": "has no end in its function",
    }
    assert "x.c:10: autoanalyzer is not instrumented: has an end but no beginning" in run.messages
    assert "x.c:28: declares is not instrumented: contains a declaration" in run.messages


LOOPS = r"""
#include <stdio.h>
static int tiny(int n) { return n + 1; }
int main(void) {
    int n = 0;
    for (int i = 0; i < 3; i++) n++;
    while (n < 7) n++;
    n += tiny(n);
    for (int i = 0; i < 2; i++) {
        int twice = 2 * i;
        n += twice;
        if (n > 3) {
            n--;
        } else
            n++;
        for (int j = 0; j < 2 + i; j++)
            for (int k = 0; k < 2 + j; k++) n++;
        n += twice;
        if (n > 1000) break;
        n--;
    }
    printf("%d\n", n);
    return 0;
}
"""


def test_neighbours_become_one_region(lab):
    plan = '[[merge]]\nfunction = "main"\nregions = ["loop#0", "loop@7"]\nname = "fill"\n'
    assert lab.run(LOOPS, plan=plan).visits == {"main": 1, "main:fill": 1, "main:loop@9": 1}
    left_out = lab.left_out(plan=plan)
    assert left_out["loop@6"] == left_out["loop@7"] == "merged into fill by the plan"


def test_what_cannot_become_one_stays_apart_and_is_said(lab):
    plan = '[[merge]]\nfunction = "main"\nregions = ["loop@7", "loop@16"]\n[[include]]\nkind = "loop"\n'
    run = lab.run(LOOPS, plan=plan, quiet=False)
    assert "loop@7+loop@16 is not instrumented: does not begin and end in the same block" in run.messages
    assert {"main:loop@7", "main:loop@16"} <= run.visits.keys()


def test_a_region_is_split_into_its_loops(lab):
    run = lab.run(LOOPS, plan='[[split]]\nname = "loop@9"\n')
    outermost = dict.fromkeys(["main:loop@6", "main:loop@7", "main:loop@9"], 1)
    assert run.visits == {"main": 1, **outermost, "main:loop@16": 2}


def test_a_loop_is_split_into_blocks_of_which_one_is_eliminated(lab):
    run = lab.run(LOOPS, plan='[[split]]\nname = "loop@9"\ninto = "blocks"\n[[eliminate]]\nname = "block@18"\n')
    assert {name for name, count in run.visits.items() if count == 2} == {
        f"main:{name}" for name in ("block@10", "block@12", "loop@16", "block@19", "block@20")
    }


def test_a_function_is_split_into_blocks(lab):
    run = lab.run(LOOPS, plan='[[split]]\nfunction = "main"\nkind = "function"\ninto = "blocks"\n')
    assert {"main:block@5", "main:block@8", "main:block@22"} <= run.visits.keys()


def test_include_and_exclude(lab):
    plan = """
        [[include]]
        function = "main"
        modes = ["inner-loops"]
        [[include]]
        name = "t?ny"
        [[exclude]]
        name = "loop@17"
        reason = "hot"
    """
    assert lab.run(LOOPS, plan=plan).visits == {
        "main": 1,
        "tiny": 1,
        **{"main:loop@6": 1, "main:loop@7": 1, "main:loop@9": 1, "main:loop@16": 2},
    }
    assert lab.left_out(plan=plan) == {"loop@17": "left out by the plan: hot"}


def test_what_lies_in_an_eliminated_function_stays(lab):
    run = lab.run(LOOPS, plan='[[eliminate]]\nname = "main"\n')
    assert run.visits == {"main:loop@6": 1, "main:loop@7": 1, "main:loop@9": 1}


def test_a_pattern_that_matches_nothing_is_said_when_its_file_is_compiled(lab):
    plan = '[[exclude]]\nfile = "x.c"\nfunction = "tin"\n[[exclude]]\nfile = "y.c"\nname = "f"\n'
    run = lab.run(LOOPS, plan=plan, quiet=False)
    assert run.messages == (
        'autoanalyzer: the plan\'s exclude of file = "x.c", function = "tin" matches nothing; did you mean tiny?\n'
    )


CALLS = r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int *a = malloc(4 * sizeof *a);
    for (int i = 0; i < 4; i++)
        a[i] = i;
    puts("kept");
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            a[i] += j;
        for (int j = 0; j < i; j++)
            a[i] -= j;
    }
    fflush(stdout);
    free(a);
    return 0;
}
"""


def test_calls_and_inner_loops_are_merged_whatever_the_modes_are(lab):
    plan = """
        modes = ["functions"]
        [[merge]]
        function = "main"
        regions = ["loop#0", "puts@8"]
        name = "fill"
        [[merge]]
        function = "main"
        regions = ["loop#2", "loop#3"]
        name = "row"
        [[merge]]
        function = "main"
        regions = ["library#2", "library#3"]
        name = "end"
    """
    run = lab.run(CALLS, plan=plan)
    assert run.visits == {"main": 1, "main:fill": 1, "main:row": 4, "main:end": 1}


def test_a_rule_without_a_file_is_said_to_make_nothing_where_its_function_is(lab):
    plan = '[[merge]]\nfunction = "main"\nregions = ["loop@6", "pust@8"]\n'
    elsewhere = '[[merge]]\nfunction = "other"\nregions = ["loop#0", "loop#1"]\n'
    pattern = '[[split]]\nfunction = "m*"\nname = "loop@99"\n'
    run = lab.run(CALLS, plan=plan + elsewhere + pattern, quiet=False)
    assert run.messages == ("autoanalyzer: the plan's merge of pust@8 in main matches nothing; did you mean puts@8?\n")
