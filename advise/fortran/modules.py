"""Find modules and their declarations, in a file and in files near it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Final

from ...instrument.expression import expression
from ...instrument.fortran.declarations import entities
from ...instrument.fortran.lines import Directive, Statement
from ...instrument.fortran.meaning import Kind, meaning_of
from ...instrument.line_markers import MarkedText
from .declarations import DEFAULT_TYPES, declare, implicit_types, structure
from .intrinsics import KIND_BYTES
from .scope import Scope

__all__ = ["ModuleText", "Modules", "beside", "read_modules"]

_USE: Final = expression(r"use(?:,(?:non_)?intrinsic)?(?:::)?([a-z]\w*)(?:,(only:)?(.*))?$")
_TYPE_NAME: Final = expression(r"type(?:,.*::|::)?([a-z]\w*)")
_MODULE_LINE: Final = expression(rb"^[ \t]*module[ \t]+(?!procedure\b)(\w+)[ \t]*(?:!.*)?\r?$", re.I | re.M)
_SUFFIXES: Final = (".f", ".f90", ".f95", ".f03", ".f08", ".for", ".ftn", ".fpp")
_MOST_FILES: Final = 500
"""Limit on the number of nearby sources that are searched for modules."""
_LARGEST: Final = 2**22
"""Limit on a source's size in bytes; larger files contain data, or are generated."""
_KNOWN_TO_ALL: Final = frozenset(
    ["iso_c_binding", "iso_fortran_env", "mpi", "mpi_f08", "omp_lib", "ieee_arithmetic", "ieee_exceptions"]
)
"""Modules that need not be read, because their names are known."""
_DEEPEST: Final = 20
"""Maximum length of a chain of modules, each using the next."""


@dataclass(slots=True)
class ModuleText:
    """The part of a module before CONTAINS.

    Attributes:
        text: The source that contains the module.
        uses: The module's USE statements.
        specified: The module's specification statements.
        structures: The definitions of the module's structures: the first statement, and the statements inside.
    """

    text: MarkedText
    uses: list[Statement] = field(default_factory=list)
    specified: list[Statement] = field(default_factory=list)
    structures: list[tuple[Statement, list[Statement]]] = field(default_factory=list)


def read_modules(items: Iterable[Statement | Directive], text: MarkedText) -> tuple[dict[str, ModuleText], ModuleText]:
    """Return the modules of a source and the structures defined outside of them."""
    modules: dict[str, ModuleText] = {}
    outside = ModuleText(text)
    module: ModuleText | None = None
    defined: list[Statement] | None = None
    skips = False
    for statement in (each for each in items if isinstance(each, Statement)):
        code = statement.code
        if defined is not None:
            if code.startswith("endtype"):
                defined = None
            elif not code.startswith("contains"):
                defined.append(statement)
        elif skips:
            skips = not code.startswith("endinterface")
        elif code.startswith(("interface", "abstractinterface")):
            skips = meaning_of(statement).kind is Kind.INTERFACE
        elif code.startswith("type") and not code.startswith("type(") and meaning_of(statement).kind is Kind.TYPE:
            defined = []
            (module or outside).structures.append((statement, defined))
        elif code.startswith("module") and meaning_of(statement).kind is Kind.MODULE:
            module = modules.setdefault(meaning_of(statement).name.lower(), ModuleText(text))
        elif code == "contains" or code.startswith("end"):
            module = None if code == "contains" or meaning_of(statement).kind is Kind.END_UNIT else module
        elif module is not None:
            (module.uses if _USE.match(code) else module.specified).append(statement)
    return modules, outside


class Modules:
    """The modules that a source can use.

    Args:
        own: The modules in the source.
        find: Returns the modules of the file that contains a given module; empty if there is none.

    Attributes:
        unseen: Names of used modules that were not found.
    """

    def __init__(self, own: dict[str, ModuleText], find: Callable[[str], Mapping[str, ModuleText]]) -> None:
        self._texts = dict(own)
        self._find = find
        self._scopes: dict[str, Scope | None] = {}
        self.unseen: set[str] = set()

    def use(self, statements: Iterable[Statement], scope: Scope, depth: int = 0) -> None:
        """Add the names that USE statements import to a scope."""
        for statement in statements:
            match = _USE.match(statement.code)
            if match is None:
                continue
            name, only, listed = match.groups()
            given = dict(_pair(each) for each in entities(listed or "") if each)
            scope.kinds |= {here: KIND_BYTES[there] for here, there in given.items() if there in KIND_BYTES}
            module = self.scope(name, depth + 1)
            if module is None:
                if name not in _KNOWN_TO_ALL:
                    self.unseen.add(name)
                continue
            visible = given if only else {each: each for each in _all_names(module)} | given
            _bring(module, scope, visible)

    def scope(self, name: str, depth: int = 0) -> Scope | None:
        """Return the scope with the names of a module; None if the module is not found."""
        if name not in self._scopes:
            self._scopes[name] = None  # counts as not found while it is being read, because modules may use each other
            text = self._texts.get(name) or self._found(name)
            if text is not None and depth < _DEEPEST:
                scope = Scope()
                self.use(text.uses, scope, depth)
                fill(text, scope, outlives=True)
                self._scopes[name] = scope
        return self._scopes[name]

    def _found(self, name: str) -> ModuleText | None:
        if name in _KNOWN_TO_ALL:
            return None
        for each, text in self._find(name).items():
            self._texts.setdefault(each, text)
        return self._texts.get(name)


def fill(text: ModuleText, scope: Scope, *, outlives: bool) -> None:
    """Add a module's declarations to a scope, then its structures."""
    scope.implicit = implicit_types(text.specified, DEFAULT_TYPES, scope)
    declare(text.specified, text.text, scope, outlives=outlives)
    define(text, scope)


def define(text: ModuleText, scope: Scope) -> None:
    """Add the structures of a module to a scope."""
    for head, inside in text.structures:
        if match := _TYPE_NAME.match(head.code):
            line = text.text.place(head.start).line
            scope.structures[match[1]] = structure(match[1], inside, text.text, scope, line)


def _pair(item: str) -> tuple[str, str]:
    """Return the local name of an item in a USE statement and its name in the module."""
    here, _, there = item.partition("=>")
    return here, there or here


def _all_names(module: Scope) -> Iterable[str]:
    return [*module.variables, *module.structures]


def _bring(module: Scope, scope: Scope, visible: dict[str, str]) -> None:
    for here, there in visible.items():
        if there in module.variables:
            scope.variables[here] = replace(module.variables[there], name=here)
            scope.inherited.add(here)
        if there in module.pointers:
            scope.pointers.add(here)
        if there in module.kinds:
            scope.kinds[here] = module.kinds[there]
        if there in module.values:
            scope.values[here] = module.values[there]
        if there in module.structures:
            scope.structures[here] = module.structures[there]
    # A variable's size depends on its structure, even if the structure's name is not imported.
    for name, known in module.structures.items():
        scope.structures.setdefault(name, known)


def beside(path: Path) -> dict[str, Path]:
    """Map the modules near a file, in its folder, subfolders or parent folder, to the paths of their sources."""
    found: dict[str, Path] = {}
    for file in islice(_sources(path), _MOST_FILES):
        try:
            if file.stat().st_size <= _LARGEST:
                for match in _MODULE_LINE.finditer(file.read_bytes()):
                    found.setdefault(match[1].decode("latin-1").lower(), file)
        except OSError:
            continue
    return found


def _sources(path: Path) -> Iterator[Path]:
    own, within = _listing(path.parent)
    yield from (each for each in own if each != path)
    for folder in (*within, path.resolve().parent.parent):
        yield from _listing(folder)[0]


def _listing(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the source files and the folders in a folder."""
    try:
        entries = sorted(os.scandir(folder), key=lambda each: each.name)
    except OSError:
        return [], []
    sources = [folder / each.name for each in entries if each.name.lower().endswith(_SUFFIXES) and each.is_file()]
    return sources, [folder / each.name for each in entries if each.is_dir() and not each.name.startswith(".")]
