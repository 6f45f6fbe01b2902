"""The communication matrix: the point-to-point messages between pairs of ranks."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..errors import InputError

__all__ = ["MOST_BLOCKS", "Messages", "combined_messages"]

MOST_BLOCKS: Final = 1024
"""The maximum number of rows and of columns; more ranks are grouped into blocks. Same as AA_MOST_BLOCKS in shard.h."""

_MOST_PAIRS: Final = MOST_BLOCKS**2

Values = npt.NDArray[np.float64]
Blocks = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """The messages that ranks send to each other with point-to-point calls, by pair of ranks or of blocks of ranks.

    Pairs are sorted by sender and receiver; pairs with neither messages nor waits are left out. A difference contains
    the numbers of the first run minus those of the second, without pairs that did not change.

    Attributes:
        ranks: The number of ranks.
        per_block: The number of consecutive ranks in a block; 1 up to 1,024 ranks.
        senders: ``int32[pair]``: the block of the sender.
        receivers: ``int32[pair]``: the block of the receiver.
        messages: ``float64[pair]``: the number of messages.
        bytes: ``float64[pair]``: the bytes in the messages.
        waits: ``float64[pair]``: the part of the receiver's wait for the sender's messages that the sender's busy time
            explains, in seconds; None if the critical path is unknown.
    """

    ranks: int
    per_block: int
    senders: Blocks
    receivers: Blocks
    messages: Values
    bytes: Values
    waits: Values | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Messages):
            return NotImplemented
        return (self.ranks, self.per_block) == (other.ranks, other.per_block) and all(
            np.array_equal(one, another) if one is not None and another is not None else one is another
            for one, another in zip(self._columns, other._columns, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.senders)

    @property
    def _columns(self) -> tuple[npt.NDArray[Any] | None, ...]:
        return self.senders, self.receivers, self.messages, self.bytes, self.waits

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return -(-self.ranks // self.per_block)

    def name(self, block: int) -> str:
        """Return the ranks of a block as text: ``3`` or ``6-8``."""
        first, end = block * self.per_block, min((block + 1) * self.per_block, self.ranks)
        return str(first) if end - first == 1 else f"{first}-{end - 1}"

    def among(self, ranks: Collection[int]) -> Messages | None:
        """Return the messages among some ranks; None if there are none, or if blocks contain several ranks."""
        kept = np.isin(self.senders, list(ranks)) & np.isin(self.receivers, list(ranks))
        if self.per_block > 1 or (len(self) and not kept.any()):
            return None
        columns = (None if each is None else each[kept] for each in self._columns)
        return Messages(self.ranks, self.per_block, *columns)  # type: ignore[arg-type]

    def to_json(self) -> str:
        """Return the matrix as a JSON object that contains the numbers of all pairs in compressed form."""
        columns = [
            each.astype(f"<{each.dtype.kind}{each.dtype.itemsize}") for each in self._columns if each is not None
        ]
        data = zlib.compress(b"".join(each.tobytes() for each in columns), 6)
        head = {"ranks": self.ranks, "per_block": self.per_block, "pairs": len(self), "waits": self.waits is not None}
        return json.dumps({**head, "data": b64encode(data).decode("ascii")})

    @classmethod
    def from_json(cls, text: str, *, signed: bool = False) -> Messages:
        """Parse the output of ``to_json``.

        Args:
            text: The JSON object.
            signed: Whether numbers may be negative, as in a difference.

        Raises:
            InputError: The text is not such an object, or its numbers are inconsistent.
        """
        try:
            found = json.loads(text)
            ranks, per_block, pairs, waits = (found[name] for name in ("ranks", "per_block", "pairs", "waits"))
            numbers = (ranks, per_block, pairs)
            if any(type(each) is not int for each in numbers) or not per_block > 0 or not 0 <= pairs <= _MOST_PAIRS:
                raise ValueError(f"found (ranks, ranks per block, pairs) = {numbers}")
            dtypes = ["<i4", "<i4", "<f8", "<f8", *(["<f8"] if waits else [])]
            size = sum(np.dtype(each).itemsize for each in dtypes) * pairs
            unpacker = zlib.decompressobj()
            data = unpacker.decompress(b64decode(found["data"], validate=True), size + 1)
            if len(data) != size:
                raise ValueError(f"expected {size} bytes of numbers")
            columns, start = list[npt.NDArray[Any]](), 0
            for each in dtypes:
                columns.append(np.frombuffer(data, each, pairs, start).astype(each[1:]))
                start += columns[-1].nbytes
            made = cls(ranks, per_block, *columns)
            made._check(signed=signed)
        except (ValueError, KeyError, TypeError, zlib.error) as error:
            raise InputError(f"expected a communication matrix: {error}") from None
        return made

    def _check(self, *, signed: bool) -> None:
        if not 0 <= self.blocks <= MOST_BLOCKS:
            raise ValueError(f"found {self.blocks} blocks")
        for each in (self.senders, self.receivers):
            if len(each) and not 0 <= each.min() <= each.max() < self.blocks:
                raise ValueError(f"found a rank outside of {self.ranks} ranks")
        if (np.diff(self.senders * self.blocks + self.receivers) <= 0).any():
            raise ValueError("found a pair twice, or pairs that are not sorted")
        for values in (self.messages, self.bytes, self.waits):
            if values is not None and not np.isfinite(values).all():
                raise ValueError("found an infinite number")
            if values is not None and not signed and (values < 0).any():
                raise ValueError("found a negative number")


def combined_messages(operation: str, operands: Sequence[Messages | None]) -> Messages | None:
    """Combine the matrices of several runs in the same way as values; a pair that is missing in a run counts as 0.

    ``mean``, ``sum`` and ``difference`` combine all matrices, ``merge`` takes the first one, and the results of other
    operations have no matrix.

    Args:
        operation: The name of the operation, such as ``mean``.
        operands: The matrix of each run.

    Returns:
        The matrix; None if a run has no matrix, or if runs have different numbers of ranks.
    """
    known = [each for each in operands if each is not None]
    if operation == "merge":
        return known[0] if known else None
    same = len({(each.ranks, each.per_block) for each in known}) == 1 and len(known) == len(operands)
    if operation not in ("mean", "sum", "difference") or not same:
        return None
    if len(known) == 1:
        return known[0]
    blocks, share = known[0].blocks, 1 / len(known) if operation == "mean" else 1.0
    keys = np.concatenate([each.senders.astype(np.int64) * blocks + each.receivers for each in known])
    pairs, where = np.unique(keys, return_inverse=True)

    def added(columns: Sequence[Values]) -> Values:
        first, *others = columns
        signed = [first, *(-each if operation == "difference" else each for each in others)]
        return np.bincount(where.ravel(), np.concatenate(signed), len(pairs)).astype(np.float64) * share

    waits = [each.waits for each in known if each.waits is not None]
    columns = [[each.messages for each in known], [each.bytes for each in known]]
    columns += [waits] if len(waits) == len(known) else []
    sums = np.array([*map(added, columns)])
    kept = sums.any(axis=0)
    return Messages(
        known[0].ranks,
        known[0].per_block,
        (pairs[kept] // blocks).astype(np.int32),
        (pairs[kept] % blocks).astype(np.int32),
        *sums[:, kept],
    )
