"""Rows of the communication matrix: by blocks of ranks, by several threads, and summed over processes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment.messages import Messages
from autoanalyzer.runtime.gather import message_sums
from autoanalyzer.runtime.gather import shard_layout as layout
from autoanalyzer.runtime.gather.message_sums import MessageSums
from autoanalyzer.runtime.gather.shard import MessageRow, Shard
from autoanalyzer.runtime.gather.shard_reader import read_shard

from ..probe.conftest import (  # noqa: F401 - fixtures
    Record,
    built_once,
    library,
    linked,
    linked_program,
    others,
    plain_program,
    preloaded,
    sanitized_core,
    sanitized_others,
)


def row(per_block: int, *traffic: tuple[int, int, int, float]) -> MessageRow:
    blocks = np.array([block for block, *_ in traffic], dtype=np.intp)
    return MessageRow(per_block, blocks, np.array([tuple(each) for _, *each in traffic], dtype=layout.TRAFFIC_LAYOUT))


def of_rank(shard: Shard, rank: int, size: int, own: MessageRow, **parts: object) -> Shard:
    return replace(shard, rank=rank, size=size, row=own, **parts)


def table(messages: Messages | None) -> list[tuple[float, ...]]:
    assert messages
    columns = [messages.senders, messages.receivers, messages.messages, messages.bytes]
    columns += [] if messages.waits is None else [messages.waits]
    return [*zip(*(each.tolist() for each in columns), strict=True)]


def test_each_rank_up_to_1024_and_each_block_of_more_has_a_sum(linked: Record) -> None:  # noqa: F811
    (shard,) = linked("+main ranks 1024 to 1023 5 to 0 7 -main")
    assert shard.row
    assert (shard.row.per_block, shard.row.blocks.tolist()) == (1, [0, 1023])
    shard.path.unlink()
    (shard,) = linked("+main ranks 2998 to 0 10 to 2 20 to 2997 5 to 2998 1 to -1 1 -main")
    assert shard.row
    assert (shard.row.per_block, shard.row.blocks.tolist()) == (3, [0, 999])
    assert shard.row.traffic.tolist() == [(2, 30, 0.0), (1, 5, 0.0)]
    assert shard.messages_left_out == 2


def test_no_message_of_several_threads_is_lost(linked: Record) -> None:  # noqa: F811
    (shard,) = linked("+main ranks 2 parallel 4 times 1000 to 1 3 ; ; -main")
    assert shard.row
    assert shard.row.traffic.tolist() == [(4000, 12000, 0.0)]


def test_rows_are_added_up_by_pairs(preloaded: Record) -> None:  # noqa: F811
    (shard,) = preloaded("+main -main")
    sums = MessageSums()
    sums.add(of_rank(shard, 1, 3, row(1, (0, 2, 30, 5e8), (2, 0, 0, 1e9))))
    sums.add(of_rank(shard, 0, 3, row(1, (1, 1, 8, 0.0))))
    sums.add(of_rank(shard, 0, 3, row(1, (1, 100, 100, 0.0)), spawned=True))
    sums.add(of_rank(shard, 0, 2, row(1, (1, 100, 100, 0.0))))  # of another run
    assert table(sums.matrix(waits=True)) == [(0, 1, 1, 8, 0.5), (1, 0, 2, 30, 0), (2, 1, 0, 0, 1)]
    assert MessageSums().matrix(waits=True) is None


def test_sums_of_many_processes_stay_small_and_do_not_depend_on_who_has_read_them(
    preloaded: Record,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (shard,) = preloaded("+main -main")
    rows = [of_rank(shard, rank, 3000, row(3, (rank // 3, 1, 10, 0.0))) for rank in range(300)]
    monkeypatch.setattr(message_sums, "_MOST", 120)
    alone, one, other = MessageSums(), MessageSums(), MessageSums()
    for number, each in enumerate(rows):
        alone.add(each)
        (one if number % 2 else other).add(each)
    together = one.joined(other).matrix(waits=True)
    assert together == alone.matrix(waits=True)
    assert table(together) == [(block, block, 3, 30, 0) for block in range(100)]
    assert sum(map(len, alone.pairs)) <= 120


@pytest.mark.parametrize("field", ["per_block", "count", "messages", "waited"])
def test_a_damaged_row_is_refused(field: str, linked: Record) -> None:  # noqa: F811
    (shard,) = linked("+main ranks 4 to 1 3 initialised -main")
    data = bytearray(shard.path.read_bytes())
    start = data.index((layout.MESSAGES_RECORD).to_bytes(2, "little") + (2).to_bytes(2, "little"))
    at, value = {
        "per_block": (start + 4, (0).to_bytes(4, "little")),
        "count": (start + 8, (40).to_bytes(4, "little")),
        "messages": (start + 16, (1 << 60).to_bytes(8, "little")),
        "waited": (start + 32, np.float64("nan").tobytes()),
    }[field]
    data[at : at + len(value)] = value
    shard.path.write_bytes(data)
    with pytest.raises(InputError, match="messages"):
        read_shard(shard.path)
