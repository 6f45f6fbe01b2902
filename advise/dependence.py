"""Test dependences, conservatively, to decide whether two loops of a nest can be interchanged.

Loops of a perfect nest can be interchanged if the order of dependent iterations is preserved (Wolfe, High Performance
Compilers for Parallel Computing, 1996, 9.2). Two iterations are dependent if both access the same memory and at least
one of them writes. If nothing is proven, the answer is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import combinations_with_replacement
from typing import Final

from .effects import Access, effects
from .expression import UNKNOWN_ELEMENT, ArrayRef, Call, Deref, Element, Expression, FieldRef, Name, base_of, walk
from .nest import Declaration, Loop, Procedure, SourceFile, statements
from .paths import Step, path_of
from .scalars import Scalar, judge_scalar
from .turns import Turns

__all__ = ["Interchange", "Order", "interchange", "perfect_nest"]

_ANY: Final = ("", "character", "structure", "complex")
_MOST_ACCESSES: Final = 80  # limit on distinct accesses in a body, because all pairs are compared
_MOST_LOOPS: Final = 4  # limit on nested loops, because the number of reorderings grows quadratically


class Order(Enum):
    """Whether loops can be interchanged."""

    INDEPENDENT = "nothing in the body prevents it"
    UNKNOWN = "check first whether this is allowed"
    FORBIDDEN = "they must not be interchanged"


@dataclass(frozen=True)
class Interchange:
    """Whether two loops can be interchanged, and why.

    Attributes:
        order: Whether the loops can be interchanged.
        reasons: Texts that explain why the loops cannot be interchanged, or why this is unknown.
        sums: Variables that would be summed in another order, which may change rounding.
    """

    order: Order
    reasons: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()


def perfect_nest(outer: Loop) -> list[Loop]:
    """Return a loop and the perfectly nested loops inside it, with only declarations between them."""
    nest = [outer]
    while True:
        body = [each for each in nest[-1].body if not isinstance(each, Declaration)]
        if len(body) != 1 or not isinstance(body[0], Loop) or body[0].variable is None:
            return nest
        nest.append(body[0])


def interchange(source: SourceFile, procedure: Procedure, outer: Loop, inner: Loop) -> Interchange:
    """Test whether a loop and a loop inside it can be interchanged.

    Args:
        source: The file.
        procedure: The procedure of the loops.
        outer: The outer loop.
        inner: The inner loop.
    """
    nest = perfect_nest(outer)
    if not any(each is inner for each in nest):
        between = f"there is code between line {outer.line} and line {inner.line}"
        return Interchange(Order.UNKNOWN, (between,))
    if outer.variable is None:
        return Interchange(Order.UNKNOWN, (f"the loop in line {outer.line} has no recognisable loop variable",))
    nest = nest[: next(index for index, each in enumerate(nest) if each is inner) + 1]
    return _Test(source, procedure, nest).result()


class _Test:
    """The test of a nest whose first and last loops are to be interchanged."""

    def __init__(self, source: SourceFile, procedure: Procedure, nest: list[Loop]) -> None:
        self._source, self._procedure, self._nest = source, procedure, nest
        self._effects = effects(nest[-1].body)
        self._inner = [each for each, _ in statements(nest[-1].body) if isinstance(each, Loop) and each.variable]
        self._reasons = list(self._effects.unknown)
        if source.language != "fortran":
            self._reasons = [each.replace("loop with exit", "loop with break") for each in self._reasons]
        self._forbidden: list[str] = []
        self._sums: list[str] = []

    def result(self) -> Interchange:
        counted = [loop.variable.name for loop in (*self._nest, *self._inner) if loop.variable]
        if len(set(counted)) < len(counted):
            self._reasons.append("two loops use the same loop variable")
            return Interchange(Order.UNKNOWN, tuple(self._reasons))
        for number, loop in enumerate(self._nest):
            for head in (loop.first, loop.last, loop.step):
                self._look_at_head(loop, head, set(counted[:number]))
        values = self._look_at_scalars(set(counted[: len(self._nest)]))
        self._look_at_memory(Turns(self._nest, self._effects, values))
        if self._forbidden:
            return Interchange(Order.FORBIDDEN, tuple(dict.fromkeys(self._forbidden)))
        order = Order.UNKNOWN if self._reasons else Order.INDEPENDENT
        return Interchange(order, tuple(dict.fromkeys(self._reasons)), tuple(dict.fromkeys(self._sums)))

    def _look_at_head(self, loop: Loop, head: Expression | None, outer: set[str]) -> None:
        """Record an obstacle if a loop's range is unknown, depends on outer loops, or may change during the loop."""
        if head is None:
            self._reasons.append(f"the bounds of the loop in line {loop.line} are unknown")
            return
        names = {each.name for each in walk(head) if isinstance(each, Name)}
        if names & outer:
            self._reasons.append(f"the bounds of the loop in line {loop.line} depend on {min(names & outer)}")
        if names & self._effects.written:
            self._reasons.append(f"the bounds of the loop in line {loop.line} change inside the loop")
        for each in walk(head):
            in_memory = isinstance(each, ArrayRef | Deref | FieldRef) or self._is_reached(each)
            if (in_memory and self._may_be_stored(each)) or (isinstance(each, Call) and not each.is_pure):
                self._reasons.append(f"the bounds of the loop in line {loop.line} may change inside the loop")

    def _is_reached(self, name: Expression) -> bool:
        """Return whether pointers may refer to a variable: it may have aliases or, in C, outlives the procedure."""
        declaration = self._source.declaration(self._procedure, name.name) if isinstance(name, Name) else None
        if declaration is None or declaration.is_constant:
            return False
        is_seen = declaration.outlives and self._source.language != "fortran"
        return is_seen or (declaration.may_overlap and not declaration.extents)

    def _may_be_stored(self, reference: Expression) -> bool:
        """Return whether a store in the nest may change the value of a reference."""
        declaration = self._source.declaration(self._procedure, getattr(reference, "name", ""))
        element = getattr(reference, "element", None) or (declaration.element if declaration else UNKNOWN_ELEMENT)
        stored = (each.reference for each in self._effects.accesses if each.is_write)
        return any(
            _are_alike(element, each.element) for each in stored if isinstance(each, ArrayRef | Deref | FieldRef)
        )

    def _look_at_scalars(self, counted: set[str]) -> dict[str, Expression]:
        """Record obstacles due to written scalars; return the values of those that are constant within an iteration."""
        accesses = self._effects.accesses
        named = [each for each in accesses if isinstance(each.reference, Name)]
        paths = (path_of(each.reference) for each in accesses)
        through = {root.name for root, steps in paths if root is not None and steps}
        values = {}
        for name in sorted({base.name for each in named if each.is_write and (base := base_of(each.reference))}):
            own = [each for each in named if each.reference == Name(name)]
            if name in counted:
                self._reasons.append(f"the loop variable {name} is changed inside its loop")
            elif name in through:
                self._reasons.append(f"{name} refers to different memory in each iteration")
            elif self._is_one_value(name, own) and (value := _only_value(own)) is not None:
                values[name] = value
        return values

    def _is_one_value(self, name: str, accesses: list[Access]) -> bool:
        """Return whether a variable can have a separate copy in each iteration; if not, record the obstacle."""
        declaration = self._source.declaration(self._procedure, name)
        if declaration is None or _is_array(declaration):
            self._reasons.append(f"{name} is written and may be an array")
        elif declaration.may_overlap and declaration.element.kind != "pointer":
            self._reasons.append(f"other names may refer to {name}")
        else:
            found = judge_scalar(declaration, accesses, self._nest[0], self._procedure)
            if found is Scalar.SUM:
                self._sums.append(name)
            elif found is not Scalar.PRIVATE:
                self._reasons.append(f"{name} {found.value}")
            return found is Scalar.PRIVATE
        return False

    def _look_at_memory(self, turns: Turns) -> None:
        unique = {
            (each.reference, each.is_write, each.is_conditional, tuple(map(id, each.within))): each
            for each in self._effects.accesses
            if not self._is_scalar(each.reference)
        }
        if len(unique) > _MOST_ACCESSES or len(self._nest) > _MOST_LOOPS:
            self._reasons.append("there are too many memory accesses or nested loops to decide")
            return
        for one, two in combinations_with_replacement(unique.values(), 2):
            if one.is_write or two.is_write:
                self._look_at_pair(one, two, turns)

    def _is_scalar(self, reference: Expression) -> bool:
        if not isinstance(reference, Name):
            return False
        declaration = self._source.declaration(self._procedure, reference.name)
        return declaration is not None and not _is_array(declaration) and not self._is_reached(reference)

    def _look_at_pair(self, one: Access, two: Access, turns: Turns) -> None:
        (root, steps), (other_root, other_steps) = path_of(one.reference), path_of(two.reference)
        if root is None or other_root is None:
            self._reasons.append(f"line {(one if root is None else two).statement.line} cannot be analysed")
            return
        if root.name != other_root.name:
            if self._may_overlap((root.name, steps, one.reference), (other_root.name, other_steps, two.reference)):
                names = sorted((root.name, other_root.name))
                self._reasons.append(f"{names[0]} and {names[1]} may overlap")
            return
        subscripts: list[tuple[Expression, Expression]] = []
        for number, (step, other) in enumerate(zip(steps, other_steps, strict=False)):
            if step.field != other.field:
                self._look_at_fields(root.name, steps[number:], other_steps[number:])
                return
            if len(step.subscripts) != len(other.subscripts):
                self._reasons.append(f"{root.name} is accessed with different numbers of subscripts")
                return
            if step.by_pointer and any(left != right or turns.varies(left) for left, right in subscripts):
                self._reasons.append(f"rows of {root.name} may overlap")
            subscripts += zip(step.subscripts, other.subscripts, strict=True)
        if turns.is_forbidden(subscripts) and not (one.is_conditional or two.is_conditional):
            self._forbidden.append(f"iterations depend on each other through {root.name} in line {one.statement.line}")
        elif turns.may_meet(subscripts, one, two):
            self._reasons.append(f"iterations may depend on each other through {root.name}")

    def _look_at_fields(self, root: str, steps: list[Step], others: list[Step]) -> None:
        if not (steps[0].field and others[0].field):
            self._reasons.append(f"{root} is accessed both with and without a field")
        elif any(each.by_pointer for each in (*steps, *others)):
            names = sorted((steps[0].field, others[0].field))
            self._reasons.append(f"{names[0]} and {names[1]} of {root} may overlap")

    def _may_overlap(self, one: tuple[str, list[Step], Expression], two: tuple[str, list[Step], Expression]) -> bool:
        """Return whether the memory behind two variables may overlap."""
        first, second = (self._source.declaration(self._procedure, name) for name, _, _ in (one, two))
        if first is None or second is None:
            return True
        by_pointer = any(step.by_pointer for step in (*one[1], *two[1]))
        if not (first.may_overlap or second.may_overlap or by_pointer):
            return False
        return _are_alike(_element(one[2], first), _element(two[2], second))


def _only_value(accesses: list[Access]) -> Expression | None:
    """Return the value that each iteration assigns to a variable; None unless a plain assignment is the only write."""
    writes = [each.statement for each in accesses if each.is_write]
    return getattr(writes[0], "value", None) if len(writes) == 1 and not getattr(writes[0], "operator", "") else None


def _is_array(declaration: Declaration) -> bool:
    """Return whether a variable holds more than one value; a C pointer holds one value, unless it is ``restrict``."""
    if declaration.extents == (None,) and declaration.may_overlap:
        return False
    return bool(declaration.extents) or declaration.element.kind == "structure"


def _are_alike(one: Element, two: Element) -> bool:
    """Return whether pointers to two types may alias by C's rules: types are equal, or one is bytes or a structure."""
    if one.kind in _ANY or two.kind in _ANY:
        return True
    return one.kind == two.kind and (not one.bytes or not two.bytes or one.bytes == two.bytes)


def _element(reference: Expression, declaration: Declaration) -> Element:
    """Return the type of the element that a reference denotes."""
    element = getattr(reference, "element", None)
    return element if isinstance(element, Element) else declaration.element
