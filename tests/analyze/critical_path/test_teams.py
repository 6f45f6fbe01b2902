"""Teams in which a different thread is slowest each time: how much they lose, where it is reported, what hides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from autoanalyzer.advise import Found, advise
from autoanalyzer.analyze import Findings, analyze
from autoanalyzer.analyze.run.busy import busy_times
from autoanalyzer.analyze.verdict import Finding, Kind, Why
from autoanalyzer.analyze.verdict.teams import slow_in_turn
from autoanalyzer.experiment import CallPath, Experiment, Region
from autoanalyzer.experiment.algebra import mean
from autoanalyzer.experiment.thread_wait import ThreadWait
from autoanalyzer.view.verdict import verdict_lines

from ..conftest import MakeExperiment
from .test_serialisation import followed

Times = Mapping[str, Sequence[float]]
IN_TURN = {"team": [8.0, 0.0] * 2}


def of_threads(make_experiment: MakeExperiment, times: Times, path: Times, **others: Times) -> Experiment:
    """Make a run of two ranks with two threads each, which wait for each other in ``team``."""
    waits = {"omp_time": {"team": [3.0] * 4}, "off": {"team": [9.0] * 4}, **others}
    return followed(make_experiment, times, path=path, waits={}, delays={}, who=(), threads=2, **waits)


def alike(make_experiment: MakeExperiment, length: float = 8.0, **others: Times) -> Experiment:
    """Make a run whose threads have equal total busy time, in a team and in serial work beside it."""
    times = {"team": [5.0] * 4, "alone": [2.0, 0.0] * 2}
    path = {"team": [length / 2, 0.0] * 2, "alone": [2.0, 0.0, 0.0, 0.0]}
    return of_threads(make_experiment, times, path, **others)


def only(found: Findings, name: str) -> Finding:
    """Return the only finding on a region."""
    paths = found.experiment
    (finding,) = (each for each in found.verdict.findings if each.region and paths.path_name(each.region.id) == name)
    return finding


def parts(finding: Finding) -> list[tuple[Why, float, float]]:
    assert finding.gain is not None
    return [(each.why, pytest.approx(each.before), pytest.approx(each.after)) for each in finding.gain.parts]


def text_of(found: Findings) -> str:
    return " ".join(" ".join(verdict_lines(found)).split())


def test_threads_that_are_slowest_in_turn_are_an_imbalance(make_experiment: MakeExperiment) -> None:
    found = analyze(alike(make_experiment, team_time=IN_TURN))
    team = only(found, "team")
    assert (team.kind, team.doubt, team.level) == (Kind.IMBALANCE, None, "high")
    assert parts(team) == [(Why.EACH_TIME, 8.0, 5.0)]
    assert not found.verdict.balanced
    text = text_of(found)
    said = "all threads alike in total: 5 s each; 8 s on the critical path, which follows the slowest thread each time"
    assert f"saves up to 3 s (30 % of path) {said} why: a different thread is slowest each time the region runs" in text
    assert "try: balance each execution of the region: smaller chunks, schedule(dynamic), or tasks" in text


def test_threads_that_are_slow_in_turn_between_barriers_need_no_second_run_of_the_region(
    make_experiment: MakeExperiment,
) -> None:
    made = alike(make_experiment, team_time=IN_TURN)
    (team,) = (each.region.descriptor for each in made.call_paths if each.region.name == "team")
    barrier = ThreadWait(team, "barrier", "app.c", 7, 2, (0, 1), (9.0,) * 2, (0.0,) * 2, (3.0,) * 2, (0.0,) * 2)
    text = text_of(analyze(made.replaced(notes=replace(made.notes, thread_waits=(barrier,)))))
    assert "why: a different thread is slowest before each barrier try:" in text


def test_threads_that_are_slow_in_turn_are_looked_for_once(
    make_experiment: MakeExperiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = analyze(alike(make_experiment, team_time=IN_TURN))
    assert verdict_lines(found, advised=advise(found, lambda _: Found(None)))
    monkeypatch.setattr("autoanalyzer.analyze.verdict.teams._culprits", None)  # a second search would call this
    assert [*slow_in_turn(found).values()] == [None]


@pytest.mark.parametrize("totals", [[5.0, 5.0] * 2, [6.0, 4.0] * 2])
def test_the_schedule_in_the_source_is_what_to_try(
    make_experiment: MakeExperiment, tmp_path: Path, totals: list[float]
) -> None:
    (tmp_path / "app.c").write_text(
        "void team(double *x, int n) {\n"
        "#pragma omp parallel for schedule(dynamic, 64)\n"
        "    for (int i = 0; i < n; i++)\n"
        "        x[i] = work(i);\n"
        "}\n"
    )
    found = analyze(of_threads(make_experiment, {"team": totals}, {"team": [4.0, 0.0] * 2}, team_time=IN_TURN))
    advised = advise(found, lambda name: Found(tmp_path / name))
    texts = [each.text for each in advised.on(only(found, "team"))]
    assert texts == [
        "the loop in line 3 has schedule(dynamic, 64): use smaller chunks, so that all threads finish together"
    ]


@pytest.mark.parametrize(
    ("length", "team", "samples"),
    [
        (5.0, {}, 0.0),  # the run did not record the slowest threads
        (5.4, {"team_time": {"team": [5.4, 0.0] * 2}}, 0.0),
        (8.0, {"team_time": IN_TURN}, 0.1),
    ],
)
def test_slow_threads_that_are_unknown_or_may_be_noise_are_no_finding(
    make_experiment: MakeExperiment, length: float, team: Mapping[str, Times], samples: float
) -> None:
    made = alike(make_experiment, length, **team)
    found = analyze(made.replaced(notes=replace(made.notes, samples={"cpu_time": samples} if samples else {})))
    assert found.verdict.balanced
    assert not any(each.is_of_teams for each in found.verdict.findings)


def test_the_same_slow_thread_each_time_is_found_as_without_the_times_of_executions(
    make_experiment: MakeExperiment,
) -> None:
    times, path = {"team": [8.0, 2.0] * 2}, {"team": [4.0, 0.0] * 2}
    with_teams, without = (
        analyze(of_threads(make_experiment, times, path, **more)) for more in ({"team_time": IN_TURN}, {})
    )
    assert with_teams.explanation.teams is not None
    assert parts(only(with_teams, "team")) == [(Why.EVEN, 8.0, 5.0)]
    assert verdict_lines(with_teams) == verdict_lines(without)


@pytest.mark.parametrize(
    ("times", "slowest", "path", "expected"),
    [
        ([6.0, 4.0] * 2, [8.0, 0.0] * 2, [4.0, 0.0] * 2, [(Why.EACH_TIME, 8.0, 6.0), (Why.EVEN, 6.0, 5.0)]),
        # the threads of rank 1 have twice the work of those of rank 0
        (
            [5.0, 5.0, 10.0, 10.0],
            [8.0, 0.0, 16.0, 0.0],
            [0.0, 0.0, 16.0, 0.0],
            [(Why.EACH_TIME, 16.0, 10.0), (Why.EVEN, 10.0, 7.5)],
        ),
    ],
)
def test_threads_that_also_differ_in_total_are_one_finding_with_both_savings(
    make_experiment: MakeExperiment,
    times: list[float],
    slowest: list[float],
    path: list[float],
    expected: list[tuple[Why, float, float]],
) -> None:
    found = analyze(of_threads(make_experiment, {"team": times}, {"team": path}, team_time={"team": slowest}))
    team = only(found, "team")
    assert (team.kind, len(team.groups)) == (Kind.IMBALANCE, 2)
    assert parts(team) == expected
    assert "why (2 s)" in text_of(found) or "why (6 s)" in text_of(found)


def test_ranks_and_threads_that_are_slow_in_turn_are_not_counted_twice(make_experiment: MakeExperiment) -> None:
    """Each rank's team takes 8 s; the critical path shows that ranks work one after another, and take 12 s."""
    found = analyze(
        of_threads(make_experiment, {"team": [5.0] * 4}, {"team": [6.0, 0.0] * 2}, team_time={"team": [8.0, 0.0] * 2})
    )
    assert [part for each in found.verdict.findings for part in parts(each)] == [(Why.AT_ONCE, 12.0, 8.0)]


@pytest.mark.parametrize(
    ("visits", "waits", "processors", "is_found"),
    [
        ([9.0] * 4, [0.0] * 4, 2, True),
        ([9.0, 8.0] * 2, [0.0] * 4, 2, False),
        ([9.0] * 4, [1.0] * 4, 2, False),
        ([9.0] * 4, [1.0] * 4, 8, True),
    ],
)
def test_threads_that_share_cores_may_take_work_from_each_other_unless_each_has_its_own(
    make_experiment: MakeExperiment, visits: list[float], waits: list[float], processors: int, is_found: bool
) -> None:
    made = of_threads(
        make_experiment,
        {"team": [0.1] * 4, "team/work": [5.0] * 4},
        {"team": [0.1, 0.0, 0.0, 0.0], "team/work": [4.0, 0.0] * 2},
        team_time={"team": [0.1, 0.0] * 2, "team/work": [8.0, 0.0] * 2},
        omp_time={"team": [3.0] * 4, "team/work": waits},
        visits={"team": [9.0] * 4, "team/work": visits},
    )
    found = analyze(made.replaced(notes=replace(made.notes, processors=processors)))
    assert found.explanation.seconds.turns == (processors == 2)
    assert [each.kind for each in found.verdict.findings].count(Kind.IMBALANCE) == is_found


def test_another_loop_of_the_team_in_which_threads_differ_in_total_hides_no_loss(
    make_experiment: MakeExperiment,
) -> None:
    """In loop ``a``, a different thread is slowest each time; in loop ``b``, it is always the second one."""
    made = of_threads(
        make_experiment,
        {"team": [0.0] * 4, "team/a": [5.0] * 4, "team/b": [1.0, 3.0] * 2},
        {"team/a": [4.0, 0.0] * 2, "team/b": [0.0, 1.5] * 2},
        team_time={"team/a": [4.0, 4.0] * 2, "team/b": [0.0, 3.0] * 2},
        visits={"team": [9.0] * 4, "team/a": [9.0] * 4, "team/b": [9.0] * 4},
    )
    found = analyze(made)
    assert parts(only(found, "team")) == [(Why.EACH_TIME, 11.0, 5.0 + 3.0)]
    assert parts(only(found, "team/b")) == [(Why.EVEN, 3.0, 2.0)]


def test_runs_of_which_some_lack_the_slowest_threads_are_judged_by_the_busiest(make_experiment: MakeExperiment) -> None:
    newer = alike(make_experiment, team_time=IN_TURN)
    older = newer.replaced(
        metrics=[each for each in newer.metrics if each.name != "team_time"],
        severities={each.name: newer.exclusive(each.name) for each in newer.metrics if each.name != "team_time"},
    )
    both = mean(newer, older)
    assert both.exclusive("team_time").sum() == pytest.approx(newer.exclusive("team_time").sum() / 2)
    assert busy_times(both).tolist() == busy_times(older).tolist()
    assert analyze(both).explanation.teams is None


def test_what_only_other_threads_of_a_team_do_is_not_busy_time_of_the_rank(make_experiment: MakeExperiment) -> None:
    """The first thread calls ``a``; the second one calls ``b``, which takes longer."""
    made = of_threads(
        make_experiment,
        {"team": [0.5] * 4, "team/a": [3.0, 0.0] * 2, "team/b": [0.0, 5.0] * 2},
        {"team": [0.5, 0.0] * 2, "team/b": [0.0, 2.5] * 2},
        team_time={"team": [0.0, 0.5] * 2, "team/b": [0.0, 5.0] * 2},
        visits={"team": [9.0] * 4, "team/a": [9.0, 0.0] * 2, "team/b": [0.0, 9.0] * 2},
    )
    assert busy_times(made)[1:].tolist() == [[0.5, 0.0] * 2, [0.0] * 4, [5.0, 0.0] * 2]


def test_a_call_path_is_in_a_team_on_all_ranks_whichever_ranks_are_read_together(
    make_experiment: MakeExperiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second thread executes the function on the first rank only."""

    def on_path() -> list[float]:
        made = of_threads(
            make_experiment,
            {"team": [5.0, 5.0, 5.0, 0.0]},
            {"team": [1.0, 2.0, 3.0, 0.0]},
            team_time={"team": [3.0, 3.0, 5.0, 0.0]},
            visits={"team": [9.0, 9.0, 9.0, 0.0]},
        )
        teams = analyze(made).explanation.teams
        assert teams is not None
        return teams.on_path.tolist()

    together = on_path()
    monkeypatch.setattr("autoanalyzer.experiment.experiment._BLOCK", 4)
    assert on_path() == together == [6.0, 0.0]


@pytest.mark.parametrize(("slowest", "line"), [((8.0, 5.0), 4), ((7.0, 7.0), 3)])
def test_the_innermost_loop_with_the_loss_is_named(
    make_experiment: MakeExperiment, slowest: tuple[float, float], line: int
) -> None:
    """A parallel region has two loops; the first one calls a function."""
    names = ("team", "team/one", "team/two", "team/one/work")
    one, two = slowest
    of_slowest = {"team/one/work": [one, 0.0] * 2, "team/two": [two, 0.0] * 2}
    made = of_threads(
        make_experiment,
        {"team": [0.0] * 4, "team/one": [0.0] * 4, "team/two": [5.0] * 4, "team/one/work": [5.0] * 4},
        {"team/one/work": [one, 0.0, 0.0, 0.0], "team/two": [two, 0.0, 0.0, 0.0]},
        team_time=of_slowest,
        visits={name: [9.0] * 4 for name in names},
    )
    kinds = {"team": ("parallel", 3), "team/one": ("loop", 4), "team/two": ("loop", 6)}
    paths = list(made.call_paths)
    for place, name in enumerate(names, start=1):
        if name in kinds:
            kind, first = kinds[name]
            paths[place] = CallPath(Region(kind, f"{kind}@{first}", "app.c", "f", 0, first, first), paths[place].parent)
    found = analyze(made.replaced(call_paths=paths))
    (team,) = (each for each in found.verdict.findings if each.kind is Kind.IMBALANCE)
    assert team.region is not None
    assert found.experiment.call_paths[team.region.id].region.first_line == line
