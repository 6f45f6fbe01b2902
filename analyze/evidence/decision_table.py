"""Rough sets: which attributes distinguish objects with different decisions (Liu et al. 2011, section 4.4.1)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

__all__ = ["DecisionTable", "Row"]


@dataclass(frozen=True, slots=True)
class Row:
    """An object, its value for each attribute, and its decision."""

    id: int | str
    values: tuple[Hashable, ...]
    decision: Hashable


@dataclass(frozen=True)
class DecisionTable:
    """A decision system of objects, conditional attributes and one decision (Table 2).

    A set of attributes *discerns* if it distinguishes every two rows that differ both in their decision and in at least
    one attribute. No set can distinguish rows that differ only in their decision, so such rows contribute nothing to
    the discernibility matrix. They are listed in ``inconsistent``.

    Attributes:
        attributes: Names of the conditional attributes.
        rows: The objects.
    """

    attributes: tuple[str, ...]
    rows: tuple[Row, ...] = ()

    @cached_property
    def reducts(self) -> tuple[tuple[str, ...], ...]:
        """The core attributions: the smallest sets of attributes that discern, in the order of the attributes.

        Reducts are the minimum hitting sets of the discernibility matrix. The result is exact, because all sets are
        tried in order of size, which costs O(2^attributes · different rows). It is empty if there is nothing to
        discern.
        """
        if self._discerns(()):
            return ()
        everything = range(len(self.attributes))
        sizes = range(1, len(self.attributes) + 1)
        found = (tuple(filter(self._discerns, combinations(everything, size))) for size in sizes)
        return tuple(tuple(self.attributes[each] for each in chosen) for chosen in next(filter(None, found)))

    @cached_property
    def telling(self) -> frozenset[str]:
        """The attributes that are in at least one reduct."""
        return frozenset(name for reduct in self.reducts for name in reduct)

    def causes(self, row: Row) -> tuple[str, ...]:
        """Return the root causes of an object in a table of 0 and 1, as for regions 8 and 11 of Table 4.

        A cause is an attribute that is 1 in the object's row and belongs to at least one smallest set that
        distinguishes the object from all objects with other decisions. Such sets are the reducts of its own
        discernibility function (Eq. 4). If there is no such attribute, all attributes that are 1 in the row are
        returned.
        """
        raised = tuple(name for name, value in zip(self.attributes, row.values, strict=True) if value)
        others = tuple(other for other in self.rows if other.decision != row.decision)
        own = DecisionTable(self.attributes, (row, *others)).telling
        return tuple(name for name in raised if name in own) or raised

    @property
    def inconsistent(self) -> tuple[tuple[int | str, ...], ...]:
        """Groups of objects with equal attributes but different decisions."""
        groups: dict[tuple[Hashable, ...], list[int | str]] = {}
        for row in self.rows:
            groups.setdefault(row.values, []).append(row.id)
        return tuple(tuple(ids) for values, ids in groups.items() if len(self._decisions[values]) > 1)

    @property
    def distinct(self) -> tuple[tuple[Row, tuple[int | str, ...]], ...]:
        """The distinct rows, each with the objects that share it, in the order of the first objects."""
        groups: dict[tuple[tuple[Hashable, ...], Hashable], list[Row]] = {}
        for row in self.rows:
            groups.setdefault((row.values, row.decision), []).append(row)
        return tuple((rows[0], tuple(row.id for row in rows)) for rows in groups.values())

    @staticmethod
    def matrix(attributes: Sequence[str], rows: Sequence[Row]) -> list[list[tuple[str, ...]]]:
        """Return the discernibility matrix of rows (Eq. 3): at ``[i][j]``, the attributes in which rows i and j differ.

        An entry is empty if the decisions of i and j agree.
        """
        return [
            [
                tuple(name for name, x, y in zip(attributes, one.values, other.values, strict=True) if x != y)
                if one.decision != other.decision
                else ()
                for other in rows
            ]
            for one in rows
        ]

    @property
    def function(self) -> tuple[tuple[str, ...], ...]:
        """The discernibility function (Eq. 4): a conjunction of disjunctions of attributes, shorter ones first.

        The function is simplified by absorption: ``a and (a or b)`` becomes ``a``. Each disjunction is the complement
        of a maximal set that does not discern.
        """
        everything = range(len(self.attributes))
        clauses: list[frozenset[int]] = []
        for size in range(1, len(self.attributes) + 1):
            for clause in map(frozenset, combinations(everything, size)):
                absorbed = any(shorter <= clause for shorter in clauses)
                if not absorbed and not self._discerns([each for each in everything if each not in clause]):
                    clauses.append(clause)
        return tuple(tuple(self.attributes[each] for each in sorted(clause)) for clause in clauses)

    @cached_property
    def _decisions(self) -> dict[tuple[Hashable, ...], set[Hashable]]:
        """Values of the attributes → decisions of all objects with these values."""
        decisions: dict[tuple[Hashable, ...], set[Hashable]] = {}
        for row in self.rows:
            decisions.setdefault(row.values, set()).add(row.decision)
        return decisions

    def _discerns(self, chosen: Sequence[int]) -> bool:
        """Return whether objects that agree on the chosen attributes agree on the decision, or on all attributes."""
        first: dict[tuple[Hashable, ...], set[Hashable]] = {}
        for values, decisions in self._decisions.items():
            together = first.setdefault(tuple(values[each] for each in chosen), decisions)
            if together is not decisions and (len(decisions) > 1 or together != decisions):
                return False
        return True
