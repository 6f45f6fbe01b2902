"""Sampled lines become the functions and loops that contain them."""

from __future__ import annotations

import numpy as np

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.experiment.delay import Delay
from autoanalyzer.experiment.sampled_regions import LINE, has_lines, in_regions, lined_files

SOURCES = [
    Region("function", "main", "a.c", "main", 0, 30, 40),
    Region("loop", "loop@33", "a.c", "main", 0, 33, 35),
    Region("function", "work", "a.c", "work", 0, 10, 20),
    Region("loop", "loop@12", "a.c", "work", 0, 12, 15),
    Region("function", "big", "a.h", "big", 0, 1, 9),
]


def function(name: str, file: str = "a.c") -> Region:
    return Region("function", name, file, name)


def line(number: int, name: str, file: str = "a.c") -> Region:
    return Region(LINE, f"line {number}", file, name, number, number, number)


def of(*paths: tuple[Region, int | None]) -> Experiment:
    """Return an experiment in which call path n, a line or call, has n seconds, and only the program has visits."""
    own = [number if region.kind in (LINE, "mpi") else 0.0 for number, (region, _) in enumerate(paths)]
    seconds = np.array(own)[:, None] * np.ones(2)
    visits = np.full((len(paths), 2), np.nan)
    visits[0] = 1
    return Experiment(
        metrics=(Metric("visits", "occ"), Metric("wall_time", "sec"), Metric("cpu_time", "sec")),
        call_paths=tuple(CallPath(*path) for path in paths),
        locations=tuple(Location("machine", "node", rank, 0) for rank in range(2)),
        severities={"visits": visits, "wall_time": seconds, "cpu_time": seconds},
        notes=Notes(
            samples={"cpu_time": 0.1, "wall_time": 0.1},
            delays=tuple(
                Delay(region.descriptor, "aa1|function|f|f.c|f|0|1|2", 1.0)
                for region, _ in paths
                if region.first_line in (13, 90)
            ),
        ),
    )


def seconds(experiment: Experiment) -> dict[str, float]:
    names: list[str] = []
    for path in experiment.call_paths:
        names.append("" if path.parent is None else f"{names[path.parent]}/{path.region.name}")
    return dict(zip(names, experiment.exclusive("cpu_time")[:, 0].tolist(), strict=True))


APP = Region("function", "app", "", "app")


def test_lines_are_in_their_loops_and_inlined_functions_in_their_callers() -> None:
    experiment = of(
        (APP, None),
        (function("work"), 0),
        (line(11, "work"), 1),
        (line(13, "work"), 1),
        (function("get", "a.h"), 3),
        (line(90, "get", "a.h"), 4),
        (function("big", "a.h"), 3),
        (line(5, "big", "a.h"), 6),
    )
    assert has_lines(experiment)
    assert lined_files(experiment) == ["a.h", "a.c"]
    made = in_regions(experiment, SOURCES)
    assert not has_lines(made)
    assert seconds(made) == {"": 0, "/work": 2, "/work/loop@12": 3 + 5, "/work/loop@12/big": 7}
    assert [(delay.waiting, delay.seconds) for delay in made.notes.delays] == [(SOURCES[3].descriptor, 2.0)]
    (inside,) = (each for each in made.notes.inside if "loop@12" in each.region)
    assert [(part.name, part.line, part.samples) for part in inside.parts] == [
        ("get", 90, 100.0),
        ("", 13, 60.0),
    ]  # of both paths


def test_sources_with_hardly_any_time_are_not_read() -> None:
    tiny = (function("tiny", "b.c"), 0), (line(1, "tiny", "b.c"), 1)
    experiment = of((APP, None), *tiny, (function("work"), 0), *((line(number, "work"), 3) for number in range(10, 32)))
    assert seconds(experiment)["/tiny/line 1"] == 2
    assert lined_files(experiment) == ["a.c"]


def test_the_main_function_is_the_program_and_calls_are_in_the_loops_of_their_lines() -> None:
    call = Region("mpi", "MPI_Send@34", "a.c", "main", 0, 34, 34)
    experiment = of((APP, None), (function("main"), 0), (line(34, "main"), 1), (call, 2), (line(31, "main"), 1))
    made = in_regions(experiment, SOURCES)
    assert seconds(made) == {"": 4, "/loop@33": 2, "/loop@33/MPI_Send@34": 3}


def test_without_a_source_there_are_functions_at_the_lines_that_were_seen() -> None:
    experiment = of((APP, None), (function("f", "b.c"), 0), (line(7, "f", "b.c"), 1), (line(9, "f", "b.c"), 1))
    made = in_regions(experiment, SOURCES)
    assert seconds(made) == {"": 0, "/f": 5}
    region = made.call_paths[1].region
    assert (region.first_line, region.last_line) == (7, 9)


def test_what_is_unknown_of_all_that_a_region_contains_is_unknown_of_it() -> None:
    experiment = of((APP, None), (function("work"), 0), (line(13, "work"), 1))
    made = in_regions(experiment, SOURCES)
    assert seconds(made) == {"": 0, "/work": 0, "/work/loop@12": 2}
    visits = made.exclusive("visits")
    assert (visits[0] == 1).all()
    assert np.isnan(visits[1:]).all()
