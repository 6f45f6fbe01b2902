"""What a second round opens, keeps and removes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.analyze.refinement.refine import Refinement, cheaper, refine
from autoanalyzer.experiment import CallPath, Region
from autoanalyzer.experiment.plan import Pattern, load_plan, save_plan


def alike(value: float) -> list[float]:
    return [value] * 4


def kept(refinement: Refinement) -> set[str | None]:
    return {rule.pattern.function for rule in refinement.plan.include if not rule.modes}


def test_the_function_that_weighs_is_opened_and_what_weighs_nothing_dropped(make_experiment):
    times = {"solve": alike(0.1), "solve/sweep": alike(8.0), "solve/sweep/tiny": alike(0.01), "check": alike(0.3)}
    refinement = refine(analyze(make_experiment(times)))
    assert [each.function for each in refinement.opened] == ["sweep"]
    assert refinement.opened[0].modes == ("outer-loops", "inner-loops")
    assert refinement.plan.modes == ()
    assert kept(refinement) == {"main", "solve", "sweep", "check"}
    (opened,) = (rule for rule in refinement.plan.include if rule.modes)
    assert (opened.pattern.file, opened.pattern.function) == ("app.c", "sweep")
    assert (opened.pattern.kind, opened.pattern.ordinal) == (None, None)


def test_the_regions_that_part_the_ranks_come_first(make_experiment):
    times = {"even": alike(9.0), "odd": [1.0, 1.0, 3.0, 3.0]}
    refinement = refine(analyze(make_experiment(times)))
    assert next(each.function for each in refinement.opened) == "odd"


def test_what_was_throttled_stays_out(make_experiment):
    made = make_experiment({"solve": alike(0.1), "solve/sweep": alike(8.0), "solve/sweep/tiny": alike(0.0)})
    tiny = next(path.region for path in made.call_paths if path.region.name == "tiny")
    made.notes = replace(made.notes, throttled={tiny.descriptor: "often"})
    (rule,) = refine(analyze(made)).plan.exclude
    assert (rule.pattern.function, rule.reason) == ("tiny", "often")


@pytest.mark.parametrize(
    ("slower", "throttled", "again"), [(1.1, True, True), (1.02, True, False), (1.1, False, False)]
)
def test_a_round_that_costs_too_much_is_made_again_without_what_it_throttled(make_experiment, slower, throttled, again):
    before = analyze(make_experiment({"solve": alike(8.0)}))
    made = make_experiment({"solve": alike(8.0 * slower), "solve/loop@7": alike(0.0)})
    loop = next(path.region for path in made.call_paths if path.region.kind == "loop")
    made.notes = replace(made.notes, throttled={loop.descriptor: "often"} if throttled else {})
    other = cheaper(refine(before), before, analyze(made))
    assert (other is not None) == again
    if other:
        assert [rule.pattern for rule in other.plan.exclude] == [Pattern.of(loop)]
        assert other.plan.include == refine(before).plan.include


def test_a_loop_that_was_throttled_on_one_call_path_and_is_heavy_on_another_stays(make_experiment):
    times = {"a": alike(1.0), "b": alike(1.0)}
    before = analyze(make_experiment(times))
    made = make_experiment({**times, "a/loop@7": alike(0.0), "b/loop@7": alike(8.0)})
    made.call_paths = tuple(  # both call paths contain the same loop
        replace(path, region=made.call_paths[3].region) if number == 4 else path
        for number, path in enumerate(made.call_paths)
    )
    made.notes = replace(made.notes, throttled={made.call_paths[3].region.descriptor: "often"}, probe_ns=20.0)
    assert refine(analyze(made)).plan.exclude == ()
    assert cheaper(refine(before), before, analyze(made)) is None


def test_calls_are_told_apart_where_they_take_time(make_experiment):
    refinement = refine(analyze(make_experiment({"a": alike(1.0), "b": alike(0.1)}, mpi_time={"a": alike(4.0)})))
    assert "mpi" in refinement.opened[0].modes
    refinement = refine(analyze(make_experiment({"a": alike(1.0), "b": alike(0.1)}, io_time={"a": alike(4.0)})))
    assert {"syscall", "library"} <= set(refinement.opened[0].modes)


def test_a_function_with_two_bottlenecks_is_opened_for_both(make_experiment):
    times = {"a": alike(0.1), "a/work": alike(5.0), "b": alike(0.1), "b/work": alike(0.1)}
    (opened,) = refine(analyze(make_experiment(times, mpi_time={"b/work": alike(5.0)}))).opened
    assert (opened.function, opened.modes) == ("work", ("outer-loops", "inner-loops", "mpi"))


def test_what_addresses_tell_of_a_program_without_probes_is_no_source_to_build(make_experiment):
    made = make_experiment({"a": alike(1.0), "b": alike(8.0)})
    paths = [
        CallPath(Region("function", "app", "", "app")),
        CallPath(Region("mpi", "MPI_Send@7", "app.c", "send", 0, 7, 7), 0),
        CallPath(Region("mpi", "MPI_Recv@9", "app.c", "receive", 0, 9, 9), 0),
    ]
    refinement = refine(analyze(made.replaced(call_paths=paths)))
    assert "MPI_Recv@9" in {region.name for region in refinement.elsewhere}
    assert (refinement.opened, refinement.plan.include) == ((), ())


def test_the_plan_is_read_back_as_it_was(make_experiment, tmp_path):
    refinement = refine(analyze(make_experiment({"solve": alike(1.0), "solve/sweep": alike(8.0)})))
    save_plan(tmp_path / "plan.toml", refinement.plan)
    assert load_plan(tmp_path / "plan.toml") == refinement.plan
