"""Find the effects of OpenMP, OpenACC and compiler directives on the probes around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..expression import expression
from .form import Form
from .lines import Directive

__all__ = [
    "MARK",
    "binding",
    "binds_together",
    "closing",
    "device_begins",
    "device_ends",
    "executable",
    "is_active",
    "names_on_device",
]

MARK: Final = "autoanalyzer"
"""Sentinel of the directives that users add to mark regions."""

# Directives without blanks, because fixed form allows omitting blanks.
_WORDS: Final = expression(
    r"(?:target|teams|parallel|distribute|masked|master|taskloop|do|simd|loop|kernels|serial|tile|unroll|interchange"
    r"|reverse|fuse)*"
)
_OF_A_LOOP: Final = expression(r"do|simd|loop|distribute|tile|unroll|interchange|reverse|fuse")
_NEST: Final = expression(r"\b(?!end)\w*(?:collapse|ordered)\((\d*)|^(?:tile|interchange|fuse)|\btile\(")
_ANY_DEPTH: Final = 99
_DECLARATIVE: Final = expression(r"threadprivate|declare|requires|assumes|routine|attributes|groupprivate")
_ROUTINE: Final = {
    "omp": expression(r"declaretarget(?:(?:to|enter)?\(([^()]*)\))?"),
    "acc": expression(r"routine(?:\(([^()]*)\))?"),
}
_NAME: Final = expression(r"\w+")
_DEVICE: Final = {
    "omp": expression(r"target(?!enter|exit|update|data)"),
    "acc": expression(r"(?:parallel|kernels|serial)"),
}


def binding(directives: Sequence[Directive]) -> Sequence[Directive]:
    """Return the directives directly above a loop that bind to it, so that no probe may separate them."""
    first = len(directives)
    while first and (_binds(directives[first - 1]) or directives[first - 1].sentinel == MARK):
        first -= 1
    while first < len(directives) and directives[first].sentinel == MARK:
        first += 1
    return directives[first:]


def binds_together(directives: Sequence[Directive]) -> int:
    """Return the number of nested loops that directives bind to, at least 1: 2 for ``collapse(2)``."""
    texts = (_squeezed(directive) for directive in directives if directive.sentinel in {"omp", "acc"})
    found = (match for text in texts if (match := _NEST.search(text)))
    return max((int(match[1]) if match[1] else _ANY_DEPTH for match in found), default=1)


def closing(above: Sequence[Directive], below: Sequence[Directive]) -> Sequence[Directive]:
    """Return the directives directly below a loop that end the directives bound to it.

    Args:
        above: The directives that bind to the loop.
        below: All directives below the loop.
    """
    open_words = [words for directive in above if (words := _words(_squeezed(directive)))]
    count = 0
    for directive in below:
        text = _squeezed(directive)
        if directive.sentinel == MARK or not text.startswith("end") or _words(text[3:]) not in open_words:
            break
        count += 1
    return below[:count]


def executable(directives: Sequence[Directive]) -> Sequence[Directive]:
    """Return the directives directly above a procedure's first executable statement that are executed with it."""
    first = len(directives)
    while first and not _DECLARATIVE.match(_squeezed(directives[first - 1])):
        first -= 1
    return directives[first:]


def names_on_device(directive: Directive, form: Form) -> frozenset[str] | None:
    """Return the names of the procedures that a directive moves to an accelerator.

    The set is empty if the directive moves the procedure that contains it; None if it moves no procedure.
    """
    if not is_active(directive, form) or not (match := _ROUTINE[directive.sentinel].match(_squeezed(directive))):
        return None
    return frozenset(_NAME.findall(match.group(1) or ""))


def device_begins(directive: Directive, form: Form) -> bool:
    """Return whether a directive moves the following code to an accelerator."""
    return is_active(directive, form) and bool(_DEVICE[directive.sentinel].match(_squeezed(directive)))


def device_ends(directive: Directive, opened: Directive) -> bool:
    """Return whether a directive ends the code that another directive moves to an accelerator."""
    text = _squeezed(directive)
    return (
        directive.sentinel == opened.sentinel
        and text.startswith("end")
        and bool(_DEVICE[opened.sentinel].match(text[3:]))
    )


def is_active(directive: Directive, form: Form) -> bool:
    """Return whether a directive belongs to OpenMP or OpenACC, and the compiler's options enable it."""
    return {"omp": form.openmp, "acc": form.openacc}.get(directive.sentinel, False)


def _binds(directive: Directive) -> bool:
    text = _squeezed(directive)
    if directive.sentinel == MARK:
        return False
    if directive.sentinel not in {"omp", "acc"}:
        return not _DECLARATIVE.match(text)
    return bool(_OF_A_LOOP.search(_words(text)))


def _words(text: str) -> str:
    match = _WORDS.match(text)
    return match.group() if match else ""


def _squeezed(directive: Directive) -> str:
    return directive.text.replace(" ", "")
