"""Arms of branches: if two statements are in different arms of a branch, only one of them is executed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .nest import Branch, Statement, bodies

__all__ = ["Arms", "arms_of", "exclude_each_other"]

Arms = tuple[tuple[int, int], ...]  # (id of a branch, number of its arm), outermost first


def arms_of(body: Sequence[Statement], around: Arms = ()) -> Iterator[tuple[int, Arms]]:
    """Yield the object id of each statement, with the arms of branches that contain the statement."""
    for statement in body:
        yield id(statement), around
        for number, each in enumerate(bodies(statement)):
            arm = (*around, (id(statement), number)) if isinstance(statement, Branch) else around
            yield from arms_of(each, arm)


def exclude_each_other(one: Arms, two: Arms) -> bool:
    """Return whether two statements, given by their enclosing arms, are in different arms of a branch."""
    return any(branch == other and arm != another for branch, arm in one for other, another in two)
