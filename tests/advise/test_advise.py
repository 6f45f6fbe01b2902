"""From findings and sources to advice."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.advise import Found, advise
from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import Builder, Region
from autoanalyzer.view.verdict import verdict_lines

SOURCE = (
    "#include <mpi.h>\n"
    "void other(void) {}\n"
    "void work(double *a) { int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); for (int i = 0; i < 8 * r; i++) a[i] = 0; }\n"
)


@pytest.fixture
def findings(make_experiment):
    """Ranks that differ in ``work``, at line 3, by the number of instructions that they execute."""
    times = {"other": [1, 1, 1, 1], "rest": [1, 1, 1, 1], "work": [1, 2, 4, 8]}
    instructions = {name: [1e9 * each for each in row] for name, row in times.items()}
    return analyze(make_experiment(times, instructions=instructions))


def test_advice_is_given_of_the_region_for_its_cause(findings, tmp_path):
    (tmp_path / "app.c").write_text(SOURCE)
    advised = advise(findings, lambda name: Found(tmp_path / name))
    ((culprit, (advice,)),) = advised.of_ranks.items()
    assert culprit in findings.dissimilarity.culprits
    assert advice.kind == "division of work"
    assert advice.places == ("app.c:3",)
    assert "one rank executes 8 times as many instructions as another" in advice.evidence
    assert advice.gain > 0


@pytest.mark.parametrize(
    ("place", "source", "is_advised"),
    [
        ("work", "imported:HPCToolkit", True),
        ("MPI_Bcast/work", "imported:HPCToolkit", False),
        ("PMPI_Bcast/poll/work", "imported:perf", False),
        ("work [libpsm.so.1.16]", "imported:HPCToolkit", False),
        ("work [libpsm.so.1.16]/loop@3", "imported:HPCToolkit", False),
        ("MPI_Reduce/work", "measured", True),  # the program's own reduction operation
    ],
)
def test_what_is_inside_mpi_or_a_library_gets_no_advice(make_experiment, tmp_path, place, source, is_advised):
    (tmp_path / "app.c").write_text(SOURCE)
    times = {"other": [1, 1, 1, 1], "rest": [1, 1, 1, 1]}
    parts = place.split("/")
    times |= {"/".join(parts[:end]): [0.1] * 4 for end in range(1, len(parts))} | {place: [1, 2, 4, 8]}
    made = make_experiment(times, instructions={name: [1e9 * each for each in row] for name, row in times.items()})
    named = [
        replace(path, region=path.region._replace(first_line=3, last_line=3)) if path.region.name == parts[-1] else path
        for path in made.call_paths
    ]
    made = made.replaced(call_paths=named, metrics=[replace(each, source=source) for each in made.metrics])
    findings = analyze(made)
    (culprit,) = findings.dissimilarity.culprits
    assert made.path_name(findings.vectors.regions[culprit].id).endswith(parts[-1])
    advised = advise(findings, lambda name: Found(tmp_path / name))
    assert bool(advised.of_ranks) == is_advised
    of_place = "\n".join(verdict_lines(findings, advised=advised)).partition("\n 3  ")[0]
    assert ("try: " in of_place or "try at " in of_place) == is_advised
    assert not advised.lacking


@pytest.mark.parametrize("counted", [True, False])
def test_where_counts_are_equal_the_work_is_not_said_to_be_divided_unevenly(make_experiment, tmp_path, counted):
    (tmp_path / "app.c").write_text(SOURCE)
    times = {"other": [1, 1, 1, 1], "rest": [1, 1, 1, 1], "work": [1, 1, 1, 8]}
    counts = {"instructions": dict.fromkeys(times, [1e9] * 4)} if counted else {}
    findings = analyze(make_experiment(times, **counts))
    assert findings.dissimilarity.culprits
    assert bool(advise(findings, lambda name: Found(tmp_path / name)).of_ranks) == (not counted)


@pytest.mark.parametrize(
    ("header", "line", "doubt"),
    [("", 0, 7), ("#define FAST\n", 5, 0), ("#ifndef FAST\n#define FAST\n#endif\n", 0, 5)],
    ids=["nothing", "defined", "a default"],
)
def test_what_may_not_have_been_built_gives_no_advice_and_that_is_said(findings, tmp_path, header, line, doubt):
    loop = "for (int i = 0; i < 8 * r; i++) a[i] = 0;"
    ask = "int r; MPI_Comm_rank(MPI_COMM_WORLD, &r);"
    (tmp_path / "app.h").write_text(f"#include <mpi.h>\n{header}")
    (tmp_path / "app.c").write_text(
        f'#include "app.h"\nvoid other(void) {{}}\nvoid work(double *a) {{ {ask}\n'
        f"#ifdef FAST\n{loop}\n#else\n{loop}\n#endif\n}}\n"
    )
    advised = advise(findings, lambda name: Found(tmp_path / name))
    places = [place for all_of in advised.of_ranks.values() for each in all_of for place in each.places]
    assert places == ([f"app.c:{line}"] if line else [])
    said = (f"advice on app.c may be missing: it is unknown whether line {doubt} was compiled",)
    assert advised.lacking == advised.remarks == (() if line else said)


@pytest.mark.parametrize(
    ("visits", "throttled", "said"),
    [
        ([9, 9, 9, 9], {}, ("deal the iterations out ", "equal numbers of iterations of different cost")),
        ([1, 2, 4, 8], {}, ("give each rank a part of equal cost: ", "line 3 runs to 8*r - 1")),
        (
            [9, 9, 9, 9],
            {"aa1|function|part|app.c|part|0|4|4": ""},
            ("give each rank a part of equal cost: ", "line 3 runs to 8*r - 1"),
        ),
    ],
)
def test_turns_are_counted_by_what_each_does_once(make_experiment, tmp_path, visits, throttled, said):
    work = "MPI_Comm_rank(MPI_COMM_WORLD, &r); for (int i = 0; i < 8 * r; i++) a[i] = part(i);"
    text = f"#include <mpi.h>\ndouble part(int i);\nvoid work(double *a) {{ int r; {work} }}\n"
    (tmp_path / "app.c").write_text(text)
    times = {"other": [1, 1, 1, 1], "rest": [1, 1, 1, 1], "loop@3": [1, 2, 4, 8], "loop@3/part": [0.01] * 4}
    counts = {name: [1e9 * each for each in row] for name, row in times.items()}
    made = make_experiment(times, instructions=counts, visits={"loop@3": [1] * 4, "loop@3/part": visits})
    made.notes.throttled.update(throttled)
    advised = advise(analyze(made), lambda name: Found(tmp_path / name))
    ((advice,),) = advised.of_ranks.values()
    assert (advice.text.startswith(said[0]), said[1] in advice.text) == (True, True)


def test_visits_are_those_of_one_rank_where_work_may_be_repeated(make_experiment, tmp_path, monkeypatch):
    (tmp_path / "app.c").write_text(SOURCE)
    times = {"other": [1, 1, 1, 1], "rest": [1, 1, 1, 1], "work": [1, 2, 4, 8]}
    seen = []
    kinds = ((frozenset(("ranks",)), lambda site: seen.append(site) or ()),)
    monkeypatch.setattr(sys.modules["autoanalyzer.advise.advise"], "KINDS", kinds)
    advise(analyze(make_experiment(times, visits={"work": [0, 1, 1, 3]})), lambda name: Found(tmp_path / name))
    assert {each.numbers["visits_per_rank"] for each in seen} == {3.0}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Found(None), "the file was not found"),
        (Found(Path("app.c"), "app.c was changed after the run"), "app.c was changed after the run"),
    ],
)
def test_of_a_file_that_is_missing_or_newer_nothing_is_advised_and_that_is_said(findings, found, said):
    advised = advise(findings, lambda _: found)
    assert not advised.of_ranks
    assert not advised.of_regions
    assert advised.remarks == (f"no advice on app.c: {said}",)


def test_of_a_file_that_cannot_be_read_nothing_is_advised_and_that_is_said(findings, tmp_path):
    (tmp_path / "app.c").write_text("void work(void) { return " + "(" * 400 + "1" + ")" * 400 + "; }")
    advised = advise(findings, lambda name: Found(tmp_path / name))
    assert not advised.of_ranks
    assert any("app.c" in each for each in advised.remarks)


def test_no_file_is_looked_for_where_nothing_was_found(make_experiment):
    alike = analyze(make_experiment({"a": [1, 1, 1, 1], "b": [1, 1, 1, 1]}))

    def find(name):
        raise AssertionError(name)

    assert not advise(alike, find).remarks


@pytest.mark.parametrize(("suffix", "others"), [("c", 11), ("hpp", 2)])
def test_of_others_in_which_work_may_be_divided_fewer_are_read_where_they_are_dear(suffix, others, tmp_path):
    made = Builder()
    main = made.call_path("main")
    paths = [
        made.call_path(Region("function", f"f{number}", f"{number:02}.{suffix}", f"f{number}", 0, 1, 1), main)
        for number in range(20)
    ]
    for rank in range(4):
        made.location(rank)
    for name, unit in (("wall_time", "sec"), ("cpu_time", "sec"), ("mpi_cpu_time", "sec"), ("instructions", "occ")):
        made.metric(name, unit)
        made.row(name, paths[-1], np.array([1.0, 1.0, 2.0, 2.0]) * (name != "mpi_cpu_time"))
    read = []

    def find(name):
        read.append(name)
        (tmp_path / name).write_text(f"void f{int(name[:2])}(void) {{}}\n")
        return Found(tmp_path / name)

    advised = advise(analyze(made.experiment()), find)
    assert read == [f"{number:02}.{suffix}" for number in (19, *range(others))]
    (remark,) = advised.remarks
    assert remark.startswith(f"{19 - others} more files that may divide work among ranks were not read for advice")
