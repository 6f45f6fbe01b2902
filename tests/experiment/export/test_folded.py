"""Folded stacks, as flamegraph.pl and inferno read them."""

import re

import pytest

from autoanalyzer.errors import InputError, UsageError
from autoanalyzer.experiment.export import export

LINE = re.compile(r"(.+) ([0-9]+)")  # flamegraph.pl's pattern: everything before the last space is the stack


def test_a_line_a_stack_and_rank_in_nanoseconds(made, tmp_path):
    export(made, tmp_path / "a.folded")
    assert (tmp_path / "a.folded").read_text().splitlines() == [
        "rank 0;main 250000000",
        "rank 0;main;work:fast 1000000000",
        "rank 0;main;work:fast;MPI_Send 2",
        "rank 1;main 500000000",
        "rank 1;main;work:fast;MPI_Send 4000000000",
    ]


def test_all_ranks_together_have_no_frame_for_a_rank(made, tmp_path):
    export(made, tmp_path / "a.folded", ["mpi_bytes"], together=True)
    assert (tmp_path / "a.folded").read_text() == "main;work:fast;MPI_Send 1000000000000003\n"


def test_threads_have_a_frame_where_there_are_several(threaded, tmp_path):
    export(threaded, tmp_path / "a.folded")
    assert (tmp_path / "a.folded").read_text() == ("rank 0;thread 0;main 1000000000\nrank 0;thread 1;main 2000000000\n")


def test_the_sums_are_those_of_the_experiment(real, tmp_path):
    export(real, tmp_path / "a.folded")
    found: dict[str, int] = {}
    for line in (tmp_path / "a.folded").read_text().splitlines():
        stack, weight = LINE.fullmatch(line).groups()
        rank, *frames = stack.split(";")
        for depth in range(len(frames)):
            path = ";".join([rank, *frames[: depth + 1]])
            found[path] = found.get(path, 0) + int(weight)
    inclusive = real.inclusive("wall_time")
    for path in range(len(real.call_paths)):
        names = [real.call_paths[each].region.name for each in (*reversed([*real.ancestors(path)]), path)]
        for column, place in enumerate(real.locations):
            key = ";".join([f"rank {place.process}", *names])
            assert found.get(key, 0) == pytest.approx(inclusive[path, column] * 1e9, abs=len(real.call_paths))


def test_what_stacks_cannot_show_is_refused_and_nothing_written(made, tmp_path):
    with pytest.raises(InputError, match=r"'wall_time': stacks cannot show negative values, found -0\.25 in main"):
        export(made - made.replaced(severities={**_twice(made)}), tmp_path / "a.folded")
    with pytest.raises(UsageError, match="--metric rate: stacks need an additive metric"):
        export(made, tmp_path / "a.folded", ["rate"])
    with pytest.raises(UsageError, match="expected one metric for folded stacks, found wall_time, mpi_bytes"):
        export(made, tmp_path / "a.folded", ["wall_time", "mpi_bytes"])
    with pytest.raises(InputError, match="no metric 'walltime'"):
        export(made, tmp_path / "a.folded", ["walltime"])
    large = made.replaced(severities={**_twice(made), "wall_time": made.exclusive("wall_time") * 1e10})
    with pytest.raises(InputError, match=r"expected values below 2\^63 nanoseconds, found 4e\+19"):
        export(large, tmp_path / "a.folded")
    assert not [*tmp_path.iterdir()]


def _twice(made):
    return {each.name: 2 * made.exclusive(each.name) for each in made.metrics}
