"""The communication matrix, in files and in derived experiments."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Builder, Experiment, flat, load, save, select
from autoanalyzer.experiment.algebra import difference, mean, merge, ratio, total
from autoanalyzer.experiment.messages import Messages


def matrix(*pairs: tuple[float, ...], ranks: int = 4, per_block: int = 1) -> Messages:
    """Return a matrix from rows of sender, receiver, messages, bytes and perhaps wait."""
    senders, receivers, *values = np.array(pairs, dtype=float).T
    return Messages(ranks, per_block, senders.astype(np.int32), receivers.astype(np.int32), *values)


ONE = matrix((0, 1, 2, 40, 0.25), (3, 0, 8, 0, 0))
OTHER = matrix((0, 1, 4, 20, 0.75), (2, 3, 1, 8, 0.5))


def run(messages: Messages | None) -> Experiment:
    builder = Builder()
    main = builder.call_path("main")
    builder.call_path("work", main)
    builder.metric("wall_time", "sec")
    for rank in range(4):
        builder.location(rank)
    builder.row("wall_time", main, [1.0] * 4)
    experiment = builder.experiment()
    return experiment.replaced(notes=replace(experiment.notes, messages=messages))


@pytest.mark.parametrize("name", ["a.cube", "a.cube.gz", "a.cubex"])
@pytest.mark.parametrize("messages", [ONE, matrix((0, 9, 1.5, 8), ranks=1030, per_block=2), None])
def test_a_file_keeps_it(name: str, messages: Messages | None, tmp_path: Path) -> None:
    save(run(messages), tmp_path / name)
    assert load(tmp_path / name).notes == run(messages).notes


def test_numbers_are_negative_in_files_of_differences_alone(tmp_path: Path) -> None:
    less = difference(run(ONE), run(OTHER))
    for made in (less, mean(less, less), merge(less, run(ONE))):
        save(made, tmp_path / "less.cube")
        assert load(tmp_path / "less.cube").notes.messages == less.notes.messages
    save(run(matrix((0, 1, -2, 20, 0.5))), tmp_path / "run.cube")
    with pytest.raises(InputError, match="expected a communication matrix: found a negative number"):
        load(tmp_path / "run.cube")


def test_matrices_are_equal_if_all_numbers_are() -> None:
    assert matrix((0, 1, 2, 40, 0.25), (3, 0, 8, 0, 0)) == ONE
    assert matrix((0, 1, 2, 40, 0.25), (3, 0, 8, 0, 1)) != ONE
    assert matrix((0, 1, 2, 40), (3, 0, 8, 0)) != ONE
    assert ONE != OTHER


def test_operations_combine_it_or_drop_it() -> None:
    one, other = run(ONE), run(OTHER)
    both = matrix((0, 1, 6, 60, 1), (2, 3, 1, 8, 0.5), (3, 0, 8, 0, 0))
    half = matrix((0, 1, 3, 30, 0.5), (2, 3, 0.5, 4, 0.25), (3, 0, 4, 0, 0))
    assert total(one, other).notes.messages == both
    assert mean(one, other).notes.messages == half
    assert mean(one).notes.messages == ONE
    assert merge(run(None), one, other).notes.messages == ONE
    less = matrix((0, 1, -2, 20, -0.5), (2, 3, -1, -8, -0.5), (3, 0, 8, 0, 0))
    assert difference(one, other).notes.messages == less
    nothing = difference(one, one).notes.messages
    assert nothing is not None
    assert len(nothing) == 0
    for made in (
        ratio(one, other),
        mean(one, run(None)),
        mean(one, run(matrix((0, 1, 1, 1), ranks=8))),
    ):
        assert made.notes.messages is None
    without_waits = matrix((0, 1, 4, 20), (2, 3, 1, 8))
    assert total(one, run(without_waits)).notes.messages == replace(both, waits=None)


def test_a_part_of_the_ranks_has_their_messages_and_a_part_of_the_program_none() -> None:
    whole = run(ONE)
    assert select(whole, processes=[0, 1]).notes.messages == matrix((0, 1, 2, 40, 0.25))
    assert select(whole, processes=[1, 2]).notes.messages is None
    assert select(whole, metrics=["wall_time"]).notes.messages == ONE
    assert flat(whole).notes.messages == ONE
    assert select(whole, subtree="work").notes.messages is None
    blocks = matrix((0, 1, 2, 40), ranks=1030, per_block=2)
    assert blocks.among([0, 1, 2, 3]) is None


def test_blocks_are_named_by_their_ranks() -> None:
    blocks = matrix((0, 1, 2, 40), ranks=2998, per_block=3)
    assert [blocks.name(block) for block in (0, 1, 999)] == ["0-2", "3-5", "2997"]
    assert (blocks.blocks, ONE.name(3)) == (1000, "3")


@pytest.mark.parametrize(
    "damage",
    [
        {"ranks": 2},
        {"ranks": "4"},
        {"per_block": 0},
        {"pairs": 3},
        {"pairs": 1 << 40},
        {"waits": False},
        {"data": "!"},
        {"data": ""},
        {"data": matrix((0, 1, 1, np.inf, 0.25), (3, 0, 8, 0, 0))},
        {"data": matrix((0, 1, 1, 40, -0.25), (3, 0, 8, 0, 0))},
        {"data": matrix((3, 0, 1, 40, 0.25), (3, 0, 8, 0, 0))},
        {"ranks": 1025},
    ],
)
def test_a_damaged_matrix_is_refused(damage: dict) -> None:
    if isinstance(data := damage.get("data"), Messages):
        damage = {"data": json.loads(data.to_json())["data"]}
    with pytest.raises(InputError, match="communication matrix"):
        Messages.from_json(json.dumps({**json.loads(ONE.to_json()), **damage}))
    for text in ("[]", "no", "{}"):
        with pytest.raises(InputError, match="communication matrix"):
            Messages.from_json(text)
