"""Call paths of different versions of a source, on small examples that show what the sources look like."""

import itertools

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Experiment, Metric, Region
from autoanalyzer.experiment.algebra import mean, merge, total

from .conftest import simple


def function(name: str, first: int, last: int, file: str = "a.c") -> Region:
    return Region("function", name, file, name, 0, first, last)


def loop(ordinal: int, first: int, last: int, function: str = "main", file: str = "a.c") -> Region:
    return Region("loop", f"loop@{first}", file, function, ordinal, first, last)


def version(*regions: Region, below: dict[int, int] | None = None) -> Experiment:
    """Return one process; region i has the value i + 1, and is below the first one unless specified otherwise."""
    parents = below or {}
    paths = [CallPath(region, parents.get(index, 0) if index else None) for index, region in enumerate(regions)]
    return simple(np.arange(1.0, len(regions) + 1)[:, None], paths)


def matches(before: Experiment, after: Experiment, **options: bool) -> dict[int, int | None]:
    """Return each call path of the later version → its match in the earlier one."""
    marked = simple([[float(index + 1)] for index in range(len(after.call_paths))], after.call_paths)
    marked = marked.replaced(metrics=[Metric("mark", "occ")], severities={"mark": marked.exclusive("time")})
    joined = merge(before, marked, **options)
    values = joined.exclusive("mark")[:, 0].tolist()
    count = len(before.call_paths)
    rows = {int(value) - 1: row for row, value in enumerate(values) if value}
    return {path: row if row < count else None for path, row in sorted(rows.items())}


def test_lines_inserted_change_nothing():
    before = version(function("main", 1, 30), loop(0, 5, 8), loop(1, 10, 20))
    after = version(function("main", 3, 36), loop(0, 9, 12), loop(1, 16, 26))
    assert matches(before, after) == {0: 0, 1: 1, 2: 2}
    assert mean(before, after).notes.remarks == ()


@pytest.mark.parametrize(
    ("inserted", "expected"),
    [
        ((loop(0, 3, 4), loop(1, 8, 11), loop(2, 13, 23)), {0: 0, 1: None, 2: 1, 3: 2}),
        ((loop(0, 5, 8), loop(1, 9, 10), loop(2, 13, 23)), {0: 0, 1: 1, 2: None, 3: 2}),
        ((loop(0, 5, 8), loop(1, 10, 20), loop(2, 22, 24)), {0: 0, 1: 1, 2: 2, 3: None}),
    ],
    ids=["before both", "between", "after both"],
)
def test_a_loop_that_was_added_stands_alone_and_the_others_match(inserted, expected):
    before = version(function("main", 1, 30), loop(0, 5, 8), loop(1, 10, 20))
    assert matches(before, version(function("main", 1, 33), *inserted)) == expected


def test_loops_are_told_by_what_they_call_as_well():
    before = version(function("main", 1, 30), loop(0, 5, 8), function("work", 40, 50), below={2: 1})
    after = version(
        function("main", 1, 34), loop(0, 5, 8), loop(1, 9, 12), function("work", 44, 54), below={3: 2}
    )  # fmt: skip
    assert matches(before, after) == {0: 0, 1: None, 2: 1, 3: 2}


def test_what_was_matched_by_likeness_is_said():
    before = version(function("main", 1, 30), loop(0, 5, 18))
    after = version(function("main", 1, 34), loop(0, 3, 4), loop(1, 9, 22))
    remarks = mean(before, after, labels=("a.cube", "b.cube")).notes.remarks
    assert remarks == ("matched by similarity: loop@9 in main (a.c:9) in b.cube corresponds to loop@5 in main (a.c:5)",)


def test_loops_of_equal_length_in_a_procedure_that_was_edited_are_matched_in_order_and_that_is_said():
    before = version(function("main", 1, 30), loop(0, 5, 8), loop(1, 10, 13))
    after = version(function("main", 1, 40), loop(0, 7, 10), loop(1, 14, 17))
    assert matches(before, after) == {0: 0, 1: 1, 2: 2}
    remarks = mean(before, after, labels=("a.cube", "b.cube")).notes.remarks
    assert remarks == (
        "matched by similarity: loop@7 in main (a.c:7) in b.cube corresponds to loop@5 in main (a.c:5)",
        "matched by similarity: loop@14 in main (a.c:14) in b.cube corresponds to loop@10 in main (a.c:10)",
    )
    unlike = version(function("main", 1, 40), loop(0, 7, 10), loop(1, 14, 30))
    assert mean(version(function("main", 1, 30), loop(0, 5, 8), loop(1, 10, 26)), unlike).notes.remarks == ()


def test_exact_matching_goes_by_ordinals():
    before = version(function("main", 1, 30), loop(0, 5, 18))
    after = version(function("main", 1, 34), loop(0, 3, 4), loop(1, 9, 22))
    assert matches(before, after, exact=True) == {0: 0, 1: 1, 2: None}
    assert mean(before, after, exact=True).notes.remarks == ()


def test_an_operand_matches_what_it_was_merged_into():
    before = version(function("main", 1, 30), loop(0, 5, 18))
    after = version(function("main", 1, 34), loop(0, 3, 4), loop(1, 9, 22))
    result = (before - after) + after
    assert sorted(result.exclusive("time")[:, 0].tolist()) == [0, 1, 2]
    assert len(result.call_paths) == 3


def test_a_loop_that_was_removed_stands_alone():
    before = version(function("main", 1, 30), loop(0, 3, 4), loop(1, 9, 22))
    after = version(function("main", 1, 24), loop(0, 4, 17))
    assert matches(before, after) == {0: 0, 1: 2}


def test_a_function_that_was_renamed_matches_with_all_that_is_in_it():
    before = version(function("main", 1, 9), function("smooth", 11, 30), loop(0, 13, 28, "smooth"), below={2: 1})
    after = version(function("main", 2, 10), function("smoothen", 13, 32), loop(0, 15, 30, "smoothen"), below={2: 1})
    assert matches(before, after) == {0: 0, 1: 1, 2: 2}
    assert matches(before, after, exact=True) == {0: 0, 1: None, 2: None}
    assert len(mean(before, after).notes.remarks) == 1


def test_functions_of_one_version_that_ran_in_one_experiment_only_do_not_match():
    before = version(function("main", 1, 9), function("red", 11, 20))
    after = version(function("main", 1, 9), function("black", 22, 31))
    assert matches(before, after) == {0: 0, 1: None}


def test_loops_of_one_version_of_which_one_did_not_run_match_by_ordinal():
    before = version(function("main", 1, 30), loop(1, 10, 12))
    after = version(function("main", 1, 30), loop(0, 5, 7), loop(1, 10, 12), loop(2, 15, 17))
    assert matches(before, after) == {0: 0, 1: None, 2: 1, 3: None}


def test_functions_of_libraries_match_by_name_alone():
    before = version(function("main", 1, 9), Region("mpi", "MPI_Send"), Region("mpi", "MPI_Bcast"))
    after = version(function("main", 1, 9), Region("mpi", "MPI_Isend"), Region("mpi", "MPI_Bcast"))
    assert matches(before, after) == {0: 0, 1: None, 2: 2}


def test_a_program_that_was_built_in_another_folder_matches():
    before = version(function("main", 1, 9, "/old/a.c"), loop(0, 3, 4, file="/old/a.c"))
    after = version(function("main", 1, 9, "/new/a.c"), loop(0, 3, 4, file="/new/a.c"))
    assert matches(before, after) == {0: 0, 1: 1}
    assert matches(before, after, exact=True) == {0: None, 1: None}
    assert mean(before, after).notes.remarks == ()


def test_static_functions_of_one_name_match_by_their_files():
    before = version(function("main", 1, 9), function("init", 1, 5, "x.c"), function("init", 1, 5, "y.c"))
    after = version(function("main", 1, 9), function("init", 1, 5, "y.c"), function("init", 1, 5, "x.c"))
    assert matches(before, after) == {0: 0, 1: 2, 2: 1}


def test_regions_that_stand_alone_keep_an_identity_of_their_own():
    before = version(function("main", 1, 30), loop(0, 5, 18))
    after = version(function("main", 1, 34), loop(0, 5, 6), loop(1, 9, 22))
    identities = [path.region.identity for path in merge(before, after).call_paths]
    assert len(set(identities)) == len(identities) == 3


def test_a_function_that_moved_to_a_new_file_matches_and_that_is_said():
    before = version(function("main", 1, 9), function("work", 11, 30))
    after = version(function("main", 1, 9), function("work", 3, 40, "work.c"))
    assert matches(before, after) == {0: 0, 1: 1}
    assert len(mean(before, after).notes.remarks) == 1


def test_functions_of_one_name_in_files_that_both_have_do_not_match_by_the_name_alone():
    before = version(
        function("main", 1, 9), function("f", 1, 9, "b.c"), function("init", 11, 99), function("g", 1, 9, "b.c")
    )
    after = version(function("main", 1, 9), function("f", 1, 9, "b.c"), function("init", 11, 19, "b.c"))
    assert matches(before, after) == {0: 0, 1: 1, 2: None}


@pytest.mark.parametrize("exact", [False, True])
def test_functions_of_one_name_in_one_file_match_by_their_lines_whatever_the_order_of_entry(exact: bool):
    short, long = (Region("function", "f", "m.cc", "f", 0, *lines) for lines in ((60, 70), (80, 95)))
    main = function("main", 1, 50, "m.cc")
    before = version(main, short, long)
    assert matches(before, version(main, long, short), exact=exact) == {0: 0, 1: 2, 2: 1}
    assert matches(before, version(main, long), exact=exact) == {0: 0, 1: 2}
    later = [Region("function", "f", "m.cc", "f", 0, *lines) for lines in ((82, 97), (62, 72))]
    assert matches(before, version(main, *later), exact=exact) == {0: 0, 1: 2, 2: 1}


def test_three_versions_of_a_function_match_whatever_their_order():
    main = function("main", 500, 540)
    runs = [
        version(main, function("f", 1, 3)),
        version(main, function("f", 1, 17), loop(0, 3, 15, "f"), below={2: 1}),
        version(main, function("f", 1, 26), loop(0, 3, 10, "f"), loop(1, 12, 24, "f"), below={2: 1, 3: 1}),
    ]
    found = set()
    for order in itertools.permutations(runs):
        result = mean(*order)
        found.add(tuple(sorted(result.exclusive("time")[:, 0].tolist())))
    assert len(found) == 1


@pytest.mark.parametrize("end", [240, 239], ids=["the same text", "another text"])
def test_a_loop_is_judged_by_the_places_of_the_version_that_it_comes_from(end):
    main, other = function("main", 1, 20), [function("x", 300, 310), function("y", 320, 330)]
    first = version(main, loop(0, 10, 14), *other)
    second = version(function("main", 101, 140), loop(0, 105, 109), loop(1, 120, 124))
    third = version(function("main", 201, end), loop(1, 220, 224))
    marked = [
        simple(np.multiply(run.exclusive("time"), mark), run.call_paths)
        for run, mark in zip((first, second, third), (100, 10, 1), strict=True)
    ]
    for order in itertools.permutations(marked):
        values = total(*order).exclusive("time")[:, 0].tolist()
        assert sorted(values) == [30 + 2, 100 + 10 + 1, 200 + 20, 300, 400]


def test_a_function_is_known_by_its_name_in_any_version():
    main, other = function("main", 1, 9), [function("x", 300, 310), function("y", 320, 330)]
    later = version(main, function("smoothen", 11, 30), *other)
    runs = [version(main, function("smooth", 11, 30)), version(main, function("smooth", 11, 90)), later]
    for order in itertools.permutations(runs):
        result = total(*order)
        assert sorted(result.exclusive("time")[:, 0].tolist()) == [3, 3, 4, 6]
        names = [run.call_paths[1].region.name for run in order]
        said = [line.partition("similarity: ")[2].split()[0] for line in result.notes.remarks]
        assert said == [name for name in names if name != names[0]]


def test_call_sites_match_before_the_rest_does_whatever_the_order():
    send = Region("mpi", "MPI_Send")
    main = CallPath(function("main", 1, 30))
    runs = [
        simple([[0.0], [3]], [main, CallPath(send, 0, 1)]),
        simple([[0.0], [6]], [main, CallPath(send, 0, 2)]),
        simple([[0.0], [9], [12]], [main, CallPath(send, 0, 1), CallPath(send, 0, 2)]),
    ]
    for order in itertools.permutations(runs):
        result = mean(*order)
        values = result.exclusive("time")[:, 0].tolist()
        assert {path.site: value for path, value in zip(result.call_paths, values, strict=True)} == {
            None: 0,
            1: 4,
            2: 6,
        }


def test_many_procedures_that_were_renamed_match_by_their_lengths_and_names():
    def of(prefix: str, count: int = 60) -> Experiment:
        lines = np.cumsum([0, *range(1, count + 1)]) + 100
        places = zip(lines[:-1].tolist(), lines[1:].tolist(), strict=True)
        functions = [function(f"{prefix}_{index}", first, last - 1) for index, (first, last) in enumerate(places)]
        return version(function("main", 1, 50 + len(prefix)), *functions)

    assert set(matches(of("old"), of("new_")).items()) == {(index, index) for index in range(61)}
