from dataclasses import replace
from pathlib import Path

import pytest

from autoanalyzer.experiment import load
from autoanalyzer.view.rerun import with_command

EXAMPLE = load(Path(__file__).parents[1] / "data" / "example.cube")
RUN = "autoanalyzer run --path always"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("mpirun", "-n", "4", "./my app"), f"{RUN} -- mpirun -n 4 './my app'"),
        ((), RUN),
        (("mpirun", *("--some-option",) * 9, "./app"), RUN),
    ],
)
def test_a_command_names_the_program_unless_that_is_too_long(command: tuple[str, ...], said: str):
    made = EXAMPLE.replaced(notes=replace(EXAMPLE.notes, command=command))
    assert with_command(made, RUN) == said
