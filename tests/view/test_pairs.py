"""Each cause in a finding is next to its suggestion."""

from __future__ import annotations

from autoanalyzer.advise import (
    chunks,
    copies,
    division_of_work,
    indirection,
    input_output,
    loop_order,
    messages,
    pipeline,
    repeated_work,
    thread_loops,
)
from autoanalyzer.analyze.verdict import Kind
from autoanalyzer.view.verdict.pairs import OF_ADVICE, paired

MODULES = (
    *(chunks, copies, division_of_work, indirection, input_output),
    *(loop_order, messages, pipeline, repeated_work, thread_loops),
)


def test_every_kind_of_advice_is_against_something() -> None:
    assert {each.KIND for each in MODULES} == OF_ADVICE.keys()


def test_two_faults_of_one_place_have_their_own_advice_beside_them() -> None:
    reasons = [("why: files", Kind.FILE_IO), ("it executes", Kind.HOT_SPOT), ("why: in turn", Kind.LATE)]
    advice = [("try: divide", OF_ADVICE["division of work"]), ("try: write less", OF_ADVICE["input and output"])]
    general = {"read less": Kind.FILE_IO, "hand on": Kind.LATE, "allocate once": Kind.ALLOCATION}
    lines, more = paired(reasons, advice, general, uneven=True, most=1, saved={})
    assert lines == ["try: divide", "why: in turn", "try: hand on"]
    assert more == ["why: files", "try: write less", "it executes"]
    saved = {Kind.FILE_IO: "2 s", Kind.LATE: "1 s"}
    lines, more = paired(reasons, (), general, uneven=False, most=1, saved=saved)
    files, late = ["why (2 s): files", "try (saves 2 s): read less"], ["why (1 s): in turn", "try (saves 1 s): hand on"]
    assert lines == [*files, *late]
    assert more == ["it executes", "try: allocate once"]
    third = [("why: in turn", Kind.LATE), ("why: more", Kind.IMBALANCE), ("why: files", Kind.FILE_IO)]
    saved = {Kind.LATE: "2 s", Kind.FILE_IO: "1 s"}  # the saving of each part is explained
    lines, more = paired(third, (), general, uneven=False, most=1, saved=saved)
    assert lines == ["why (2 s): in turn", "try (saves 2 s): hand on", "why (1 s): files", "try (saves 1 s): read less"]
    assert more == ["why uneven: more", "try: allocate once"]


def test_why_ranks_differ_is_distinguished_from_why_the_region_takes_long() -> None:
    uneven = [("why: more", Kind.IMBALANCE), ("why: misses differ", Kind.IMBALANCE)]
    slow, general = ("why: misses", Kind.MEMORY), {"share": Kind.IMBALANCE, "walk": Kind.MEMORY}
    lines, more = paired([*uneven, slow], (), general, uneven=True, most=1, saved={})
    assert lines == ["why uneven: more", "try: share"]
    assert more == ["also: misses differ", "why slow: misses", "try: walk"]
    assert paired(uneven, (), general, uneven=True, most=1, saved={})[0] == ["why: more", "try: share"]


def test_a_doubt_is_a_main_line_and_advice_that_another_finding_has_is_not_repeated() -> None:
    reasons = [("why: more", Kind.IMBALANCE), ("uncertain: noise", Kind.IMBALANCE), ("waits", Kind.LATE)]
    advice, general = [("", (Kind.IMBALANCE,))], {"share": Kind.IMBALANCE}
    lines, more = paired(reasons, advice, general, uneven=True, most=2, saved={})
    assert (lines, more) == (["why: more", "uncertain: noise", "waits"], [])
