"""Which tool wrote a file, by how it begins, and the module that reads it: imported when there is such a file."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, Literal, NamedTuple

from ...errors import InputError
from ..experiment import Experiment
from ..source import Source
from .damage import damaged_parts

__all__ = ["HEAD", "KINDS", "Kind", "read_foreign"]

HEAD: Final = 4096  # bytes by which a file is recognised

_DARSHAN: Final = 6567223  # after the version of a log
_ORDERS: Final[tuple[Literal["little", "big"], ...]] = ("little", "big")


class Kind(NamedTuple):
    """A kind of file.

    Attributes:
        name: What it is called in messages.
        module: Whose ``read`` makes an experiment of a source.
        begins: Tells by its first ``HEAD`` bytes whether a file is of this kind.
    """

    name: str
    module: str
    begins: Callable[[bytes], bool]


def _is_darshan(head: bytes) -> bool:
    return any(head[8:16] == _DARSHAN.to_bytes(8, order) for order in _ORDERS)


def _has_heading(*headings: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.lstrip().startswith(headings)


# The first that fits is taken.
KINDS: Final = (
    Kind("a report of mpiP", "mpip", _has_heading(b"@ mpiP")),
    Kind("a log of Darshan", "darshan", _is_darshan),
    Kind("a text of gprof", "gprof", _has_heading(b"Flat profile:", b"Call graph")),
    Kind("a Caliper profile", "caliper", lambda head: head.startswith(b"__rec=")),
    Kind("a Caliper profile in JSON", "caliper", lambda head: head.lstrip()[:1] in (b"{", b"[")),
)


def read_foreign(source: Source) -> Experiment | None:
    """Read a profile of another tool; None of a file that none of them writes.

    Raises:
        InputError: It is damaged, holds no profile of ranks, or the package that reads it is not installed.
    """
    head = source.read(0, HEAD)
    kind = next((each for each in KINDS if each.begins(head)), None)
    if kind is None:
        return None
    with damaged_parts(source.path, kind.name):
        found = import_module(f".{kind.module}", __package__).read(source)
        if not isinstance(found, Experiment):
            raise InputError(f"expected {kind.name}, found nothing that is one")
        return found
