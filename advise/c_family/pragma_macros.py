"""OpenMP directives that come from macros: ``#define FOR(kind) _Pragma("omp for schedule(kind)")``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["directives_of_macros"]

_DEFINE: Final = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^()\n]*)\))?[ \t]+((?:[^\n\\]|\\\r?\n|\\)*)", re.M)
_PRAGMA: Final = re.compile(r'^_Pragma\s*\(\s*(?:"(omp\b[^"]*)"|#\s*(\w+))\s*\)$')
_CALL: Final = re.compile(r"^(\w+)\s*\((.*)\)$", re.S)
_USE: Final = re.compile(r"^[ \t]*((\w+)(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))?)", re.M)
_DEEPEST: Final = 8  # deepest nesting of macros
_LONGEST: Final = 4096  # characters; only macros that repeat their argument expand to more


@dataclass(frozen=True)
class _Macro:
    parameters: tuple[str, ...]
    body: str


def directives_of_macros(text: str, masked_text: str) -> Iterator[tuple[int, str]]:
    """Yield each use of a macro that expands to a directive, as the use's end offset and the directive.

    A name that the file does not define is not replaced, because its value depends on the build.

    Args:
        text: The file.
        masked_text: The file without comments, literals and directives, at the same offsets.
    """
    definitions = [*_DEFINE.finditer(text)]
    macros = {
        each[1]: _Macro(tuple(re.findall(r"\w+", each[2] or "")), re.sub(r"(\\?\s)+", " ", each[3]).strip())
        for each in definitions
    }
    names = {name for name in macros if _may_be_pragma(name, macros)}
    if not names:
        return
    shown = [*masked_text]
    for each in definitions:  # the continuation lines of a definition are not masked yet
        shown[each.start() : each.end()] = " " * len(each[0])
    for match in _USE.finditer("".join(shown)):
        if match[2] in names and (said := _expanded(match[1].strip(), macros, _DEEPEST)):
            yield match.end(), said


def _may_be_pragma(name: str, macros: Mapping[str, _Macro]) -> bool:
    body = macros[name].body
    if _PRAGMA.match(body):
        return True
    call = _CALL.match(body)
    return call is not None and call[1] in macros and bool(_PRAGMA.match(macros[call[1]].body))


def _expanded(use: str, macros: Mapping[str, _Macro], depth: int) -> str:
    """Return the directive that a macro's use expands to; empty if it expands to none."""
    call = _CALL.match(use)
    macro = macros.get(call[1] if call else use)
    if macro is None or not depth or len(use) > _LONGEST:
        return ""
    given = [each.strip() for each in call[2].split(",", max(len(macro.parameters) - 1, 0))] if call else []
    values = dict(zip(macro.parameters, given, strict=False))
    if pragma := _PRAGMA.match(macro.body):
        said = pragma[1] or values.get(pragma[2], "")
        return _defined(said, macros) if said.startswith("omp") else ""
    body = re.sub(r"\w+", lambda word: values.get(word[0], word[0]), macro.body)
    return _expanded(body, macros, depth - 1)


def _defined(said: str, macros: Mapping[str, _Macro]) -> str:
    """Replace macros without arguments with their values."""

    def value(word: str) -> str:
        macro = macros.get(word)
        return macro.body if macro and not macro.parameters and re.fullmatch(r"\w+", macro.body) else word

    return re.sub(r"\w+", lambda word: value(word[0]), said)
