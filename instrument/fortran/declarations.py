"""Read those declarations of a procedure that are needed to distinguish arrays from functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ..expression import expression
from .lines import Statement
from .meaning import Kind
from .units import Procedure

__all__ = ["declared", "declared_names", "entities", "first_executable"]

_TYPE: Final = expression(
    r"(?:integer|real|complex|logical|character|doubleprecision|doublecomplex|byte|type(?=\()|class(?=\())"
    r"(?:\*\d+|\*?\((?:[^()]|\([^()]*\))*\))?"
)
_ATTRIBUTE: Final = expression(r"(?:dimension|allocatable|pointer|target|codimension|save|volatile)(?:::)?(?=\w)")
_COMMON: Final = expression(r"common(?:/\w*/)?")
_BLOCK: Final = expression(r",?/\w*/")
_ENTITY: Final = expression(r"(\w+)(?:\*\d+|\*\([^()]*\))?(\()?")
_STATEMENT_FUNCTION: Final = expression(r"(\w+)\(((?:[a-z]\w*(?:,[a-z]\w*)*)?)\)=")


def first_executable(procedure: Procedure) -> int:
    """Return the number of a procedure's first executable statement or, if there is none, of its END.

    ``F(X) = X*X`` among declarations is a statement function, unless F is an array. If F may come from a module or host
    whose text is not known, the line is treated as a statement function, because a probe below it is always valid.
    """
    arrays: dict[str, bool] | None = None
    for place, step in enumerate(procedure.steps):
        if not step.is_executable:
            continue
        match = _STATEMENT_FUNCTION.match(step.statement.code) if step.meaning.kind is Kind.ASSIGNMENT else None
        if match is None or step.statement.label or not _are_different(match.group(2)):
            return place
        arrays = declared(procedure.specified[-1]) if arrays is None else arrays
        if arrays.get(match.group(1)):
            return place
    return len(procedure.steps) - 1


def declared(statements: Iterable[Statement]) -> dict[str, bool]:
    """Map the names that specification statements declare, in lower case, to whether they are arrays."""
    names: dict[str, bool] = {}
    for statement in statements:
        for name, is_array in declared_names(statement.code):
            names[name] = names.get(name, False) or is_array
    return names


def declared_names(code: str) -> Iterator[tuple[str, bool]]:
    """Yield the names that a statement declares, in lower case, and whether each is an array.

    Args:
        code: The statement in lower case without blanks.
    """
    attributes, colons, listed = code.partition("::")
    if not colons or not _TYPE.match(code):
        if match := (_TYPE.match(code) or _ATTRIBUTE.match(code)):
            attributes, listed = "", code[match.end() :].lstrip(",")
        elif match := _COMMON.match(code):
            attributes, listed = "", _BLOCK.sub(",", code[match.end() :])
        else:
            return
    all_are = "dimension(" in attributes or code.startswith("dimension")
    for entity in entities(listed):
        if match := _ENTITY.match(entity):
            yield match.group(1), all_are or bool(match.group(2))


def entities(listed: str) -> Iterator[str]:
    """Yield the entries of a list, split at commas outside parentheses."""
    depth = start = 0
    for match in re.finditer(r"[()\[\],]", listed):
        found = match.group()
        if found == "," and depth == 0:
            yield listed[start : match.start()]
            start = match.end()
        elif found != ",":
            depth += 1 if found in "([" else -1
    yield listed[start:]


def _are_different(names: str) -> bool:
    listed = names.split(",")
    return len(set(listed)) == len(listed)
