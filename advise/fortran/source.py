"""Read a Fortran source and convert it to the ``SourceFile`` of ``nest.py``."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ...errors import SourceError
from ...instrument.expression import expression
from ...instrument.fortran.declarations import first_executable
from ...instrument.fortran.form import Form
from ...instrument.fortran.includes import BYTE_ORDER_MARK, expand
from ...instrument.fortran.lines import Lines, UnterminatedError, read_lines
from ...instrument.fortran.lines import Statement as Written
from ...instrument.fortran.meaning import Kind
from ...instrument.fortran.units import Procedure, StructureError, find_procedures
from ...instrument.line_markers import MarkedText
from ..conditions import asks_for_mpi, defined_in, doubtful, settled
from ..expression import Expression, Name, walk
from ..nest import Block, Branch, Declaration, Jump, Loop, SourceFile, Statement
from ..nest import Procedure as Read
from ..options import Options
from .body import DeepError, body_of
from .conditional import OF_LIBRARIES, Arms, as_compiled, chosen
from .declarations import DEFAULT_TYPES, allocated, declare, implicit_types, typed
from .intrinsics import PURE
from .modules import Modules, ModuleText, beside, define, read_modules
from .scope import Scope

__all__ = ["read_fortran"]
_FIXED_SUFFIX: Final = expression(r"\.(?:f|for|ftn|fpp)$", re.I)
_FIXED_LINE, _WIDE_LINE = 72, 132
_ALLOCATE: Final = expression(r"(?:if\(.*\))?allocate\(")
_SUBSCRIPTED: Final = expression(r"([a-z]\w*)\(")
_ARGUMENTS: Final = expression(r"(?:subroutine|function)[a-z]\w*\(([^()]*)\)(?:.*result\((\w+)\))?")
_STATEMENT_FUNCTION: Final = expression(r"([a-z]\w*)\(([^()]*)\)=(.*)")
_NAMES: Final = expression(r"(?<![\w.])[a-z]\w*")
_LARGEST: Final = 1 << 22  # bytes of a source with its included files
_INCLUDE_LINE: Final = expression(r"^\s*include\s*['\"]([^'\"]+)", re.I | re.M)


def read_fortran(text: bytes, path: Path, built: Collection[int] = (), options: Options | None = None) -> SourceFile:
    """Read a Fortran source; see ``FrontEnd``.

    Modules that the source uses are also searched for in files near it.

    Raises:
        SourceError: The file cannot be split into statements and procedures.
    """
    text = as_compiled(settled(text, built), path, options)
    found = _Source(_arranged(text, path, options), path, options).read()
    told = options.macros.keys() - options.contested if options else asks_for_mpi(text.decode("latin-1"))
    return replace(found, doubtful=doubtful(text, defined_in(text, told)))


@dataclass(frozen=True, slots=True)
class _Arranged:
    """A source split into statements.

    Attributes:
        text: The source, including included files.
        lines: The statements of the source.
        procedures: The procedures of the source.
        unbalanced: Number of statements whose parentheses do not match.
        questions: Lines with undecidable preprocessor conditions.
    """

    text: MarkedText
    lines: Lines
    procedures: list[Procedure]
    unbalanced: int
    questions: tuple[int, ...]


def _arranged(raw: bytes, path: Path, options: Options | None) -> _Arranged:
    """Split a source into statements, in fixed or free form, whichever fits."""
    text = raw.decode("latin-1").removeprefix(BYTE_ORDER_MARK)
    text = text if text.endswith("\n") else f"{text}\n"
    best: _Arranged | None = None
    first_error: SourceError | None = None
    for form in _forms(path, options):
        for arms in Arms:
            kept, questions = chosen(text, arms)
            try:
                found = _read(kept, path, form, questions, options)
            except SourceError as error:
                first_error = first_error or error
            else:
                if not found.unbalanced:
                    return found
                best = found if best is None or found.unbalanced < best.unbalanced else best
            if not questions:
                break
    if best is None:
        raise first_error or SourceError(str(path), 1, 1, "no statement can be read")
    return best


def _forms(path: Path, options: Options | None) -> Iterator[Form]:
    """Yield the possible forms of a source, most likely first."""
    if options:
        yield Form.of(options.words)
    fixed = bool(_FIXED_SUFFIX.search(path.name))
    usual = Form(True, _FIXED_LINE, openmp=True, threads=True)
    wide = Form(True, _WIDE_LINE, openmp=True, threads=True)
    free = Form(False, openmp=True, threads=True)
    yield from (usual, wide, free) if fixed else (free, usual, wide)


def _read(text: str, path: Path, form: Form, questions: tuple[int, ...], options: Options | None) -> _Arranged:
    name = os.fsencode(path).decode("latin-1")

    def included(file: str, content: str) -> str:
        return chosen(as_compiled(content.encode("latin-1"), Path(file), options).decode("latin-1"), Arms.ALL)[0]

    text = expand(text, name, _include_folders(path, options), form=form, prepared=included)
    if len(text) > _LARGEST:
        size = f"{len(text) >> 10} KiB, more than the limit of {_LARGEST >> 10} KiB"
        raise SourceError(str(path), 1, 1, f"the file, with the files it includes, has {size}")
    markers = tuple(match.start() for match in re.finditer(r"^#", text, re.M))
    marked = MarkedText(text, name, markers)
    try:
        lines = read_lines(text, form)
        procedures = find_procedures(lines.items)
    except UnterminatedError as error:
        raise _error(marked, error.offset, str(error)) from None
    except StructureError as error:
        raise _error(marked, error.statement.start, str(error)) from None
    found = (each.code for each in lines.items if isinstance(each, Written))
    unbalanced = sum(code.count("(") != code.count(")") for code in found)
    return _Arranged(marked, lines, procedures, unbalanced, questions)


def _include_folders(path: Path, options: Options | None) -> list[str]:
    """Return the folders to search for included files."""
    folder, around = path.parent, path.resolve().parent.parent
    near = (str(each) for each in (folder / "include", around, around / "include"))
    return [str(folder), *(options.folders if options else ()), *near]


def _error(text: MarkedText, offset: int, message: str) -> SourceError:
    place = text.place(offset)
    return SourceError(os.fsdecode(place.file.encode("latin-1")), place.line, place.column, message)


class _Source:
    """Reads a source that is split into statements."""

    def __init__(self, arranged: _Arranged, path: Path, options: Options | None) -> None:
        self._options = options
        self.arranged = arranged
        self.text = arranged.text
        self.path = path
        self.file = os.fsencode(path).decode("latin-1")
        self.texts, self.outside = read_modules(arranged.lines.items, arranged.text)
        self._beside: dict[str, Path] | None = None
        self.modules = Modules(self.texts, self._other_file)
        self.scopes: dict[str, Scope] = {}
        self.remarks: list[str] = []

    def read(self) -> SourceFile:
        procedures = self.arranged.procedures
        arguments = [self._scope(each) for each in procedures]
        self._find_pure_functions()
        self._mark_arrays()
        self._set_allocated_extents()
        read = [self._procedure(each, names) for each, names in zip(procedures, arguments, strict=True)]
        module_scopes = [scope for name in self.texts if (scope := self.modules.scope(name))]
        declarations = {each.name: each for scope in module_scopes for each in scope.variables.values()}
        structures = {
            name: each for scope in (*module_scopes, *self.scopes.values()) for name, each in scope.structures.items()
        }
        return SourceFile(
            "fortran",
            str(self.path),
            tuple(each for each in read if each),
            tuple(declarations.values()),
            tuple(structures.values()),
            tuple(self._remarks()),
        )

    def _remarks(self) -> Iterator[str]:
        if self.arranged.questions:
            first, count = self.arranged.questions[0], len(self.arranged.questions)
            yield f"unknown preprocessor condition in line {first} ({count} in the file)"
        if self.modules.unseen:
            yield f"modules not found near this file: {', '.join(sorted(self.modules.unseen))}"
        missing = sorted(set(_INCLUDE_LINE.findall(self.text.text)) - OF_LIBRARIES)
        folders = [Path(each) for each in _include_folders(self.path, self._options)]
        missing = [each for each in missing if not any((folder / each).is_file() for folder in folders)]
        if missing:
            yield f"included files not found near this file: {', '.join(missing)}"
        yield from self.remarks

    def _other_file(self, module: str) -> Mapping[str, ModuleText]:
        """Find a module in the files near this source; return the modules of the file that contains it."""
        if self._beside is None:
            self._beside = beside(self.path)
        file = self._beside.get(module)
        try:
            if file is None:
                return {}
            other = _arranged(as_compiled(file.read_bytes(), file, self._options), file, self._options)
        except (OSError, SourceError):
            return {}
        return read_modules(other.lines.items, other.text)[0]

    def _scope(self, procedure: Procedure) -> tuple[str, ...]:
        """Create the scope of a procedure and return the names of its arguments."""
        around = procedure.name.rpartition("::")[0]
        host = self.scopes.get(around.lower()) or (self.modules.scope(around.lower()) if around else None)
        scope = host.within() if host else Scope(implicit=dict(DEFAULT_TYPES))
        for name, each in scope.variables.items():
            scope.variables[name] = each if each.is_constant else replace(each, outlives=True, is_argument=False)
        own = procedure.specified[-1]
        self.modules.use((step.statement for step in procedure.steps if step.meaning.kind is Kind.USE), scope)
        scope.implicit = implicit_types(own, scope.implicit, scope)
        match = None if procedure.is_program else _ARGUMENTS.search(procedure.header.code)
        arguments = tuple(each for each in (match[1].split(",") if match else ()) if each.isidentifier())
        for name in arguments:
            scope.inherited.discard(name)
            scope.variables[name] = Declaration(name, scope.by_letter(name))
        declare(own, self.text, scope)
        if not host:
            define(self.outside, scope)
        for name in arguments:
            scope.variables[name] = replace(scope.variables[name], is_argument=True, outlives=False)
        if procedure.meaning.kind is Kind.FUNCTION:
            self._add_result(procedure, self._result(procedure), scope)
        self._add_statement_functions(procedure, scope)
        self.scopes[procedure.name.lower()] = scope
        return arguments

    @staticmethod
    def _result(procedure: Procedure) -> str:
        """Return the name of the variable that holds a function's result."""
        match = _ARGUMENTS.search(procedure.header.code)
        return (match[2] if match else "") or procedure.meaning.name.lower()

    @staticmethod
    def _add_result(procedure: Procedure, name: str, scope: Scope) -> None:
        if name not in scope.variables or name in scope.inherited:
            element = typed(procedure.meaning.word, scope) or scope.by_letter(name)
            scope.variables[name] = Declaration(name, element)
            scope.inherited.discard(name)

    @staticmethod
    def _add_statement_functions(procedure: Procedure, scope: Scope) -> None:
        for step in procedure.steps[: first_executable(procedure)]:
            match = _STATEMENT_FUNCTION.match(step.statement.code)
            if match and step.meaning.kind is Kind.ASSIGNMENT:
                known = {name for name, each in scope.variables.items() if each.is_constant}
                free = set(_NAMES.findall(match[3])) - set(match[2].split(",")) - known - PURE
                scope.functions[match[1]] = not free
                scope.variables.pop(match[1], None)

    def _find_pure_functions(self) -> None:
        """Determine which functions of the file depend only on their arguments."""
        known: dict[str, bool] = {}
        for procedure in self.arranged.procedures:
            if procedure.meaning.kind is Kind.FUNCTION:
                word = procedure.meaning.word
                is_pure = ("pure" in word and "impure" not in word) or ("elemental" in word and "impure" not in word)
                known[procedure.meaning.name.lower()] = is_pure and self._is_closed(procedure)
        for scope in self.scopes.values():
            for name, is_pure in known.items():
                scope.functions.setdefault(name, is_pure)

    def _is_closed(self, procedure: Procedure) -> bool:
        """Return whether a procedure uses no variables of a module or host."""
        scope = self.scopes[procedure.name.lower()]
        others = {each for each in scope.inherited if each in scope.variables and not scope.variables[each].is_constant}
        return not self.modules.unseen and not any(
            others & set(_NAMES.findall(step.statement.code)) for step in procedure.steps
        )

    def _mark_arrays(self) -> None:
        """Mark names that are assigned to with subscripts, in any procedure."""
        names: set[str] = set()
        for procedure in self.arranged.procedures:
            for step in procedure.steps[first_executable(procedure) :]:
                if step.meaning.kind is Kind.ASSIGNMENT and (match := _SUBSCRIPTED.match(step.statement.code)):
                    names.add(match[1])
        for scope in self.scopes.values():
            scope.subscripted |= names - scope.functions.keys()

    def _set_allocated_extents(self) -> None:
        """Set the extents of variables that are allocated in only one place."""
        found: dict[tuple[str, str], list[tuple[Expression | None, ...]]] = {}
        for procedure in self.arranged.procedures:
            scope = self.scopes[procedure.name.lower()]
            for step in procedure.steps:
                match = _ALLOCATE.match(step.statement.code)
                if match and step.meaning.kind in {Kind.EXECUTABLE, Kind.IF}:
                    for name, extents in allocated(step.statement, match.end(), self.text, scope):
                        owner = "" if name in scope.inherited else procedure.name.lower()
                        usable = bool(owner) or all(_lasts(each, scope) for each in extents)
                        found.setdefault((owner, name), []).append(extents if usable else ())
        for (owner, name), all_extents in found.items():
            if len(all_extents) == 1:
                for each, scope in self.scopes.items():
                    if each == owner or (not owner and name in scope.inherited):
                        _set_extents(scope, name, all_extents[0])

    def _procedure(self, procedure: Procedure, arguments: tuple[str, ...]) -> Read | None:
        scope = self.scopes[procedure.name.lower()]
        first = self.text.place(procedure.header.start)
        if first.file != self.file:
            return None
        scope.mentioned.clear()
        try:
            body = body_of(procedure, self.text, scope, self.file)
        except DeepError:
            self.remarks.append(f"line {first.line}: {procedure.name} is nested too deeply")
            return None
        end = procedure.end or procedure.steps[-1].statement
        last_line = self.text.place(end.start).line
        if procedure.meaning.kind is Kind.FUNCTION:
            body = _giving(body, Name(self._result(procedure)), last_line)
        self._add_implicit(procedure, scope)
        word = procedure.meaning.word
        is_pure = ("pure" in word or "elemental" in word) and "impure" not in word
        return Read(
            procedure.name,
            arguments,
            tuple(scope.variables.values()),
            body,
            first.line,
            last_line,
            is_pure,
        )

    def _add_implicit(self, procedure: Procedure, scope: Scope) -> None:
        """Add undeclared variables, unless unseen code may declare them."""
        if procedure.includes_unseen or self.modules.unseen:
            return
        for name in sorted(scope.mentioned - scope.variables.keys() - scope.functions.keys() - scope.externals):
            if name not in PURE and name in scope.mentioned and scope.implicit:
                scope.variables[name] = Declaration(name, scope.by_letter(name))


def _giving(body: tuple[Statement, ...], result: Name, last_line: int) -> tuple[Statement, ...]:
    """Return a function's body in which every return statement returns the result variable, as in other languages."""
    return (*(_returning(each, result) for each in body), Jump("return", result, line=last_line))


def _returning(statement: Statement, result: Name) -> Statement:
    match statement:
        case Jump(kind="return"):
            return replace(statement, value=result)
        case Loop(body=body) | Block(body=body):
            return replace(statement, body=tuple(_returning(each, result) for each in body))
        case Branch(arms=arms):
            return replace(
                statement,
                arms=tuple(replace(arm, body=tuple(_returning(each, result) for each in arm.body)) for arm in arms),
            )
    return statement


def _lasts(extent: Expression | None, scope: Scope) -> bool:
    """Return whether the names in an extent have the same meaning in other procedures."""
    names = (each for each in (walk(extent) if extent else ()) if isinstance(each, Name))
    return all(
        each.name in scope.inherited or (each.name in scope.variables and scope.variables[each.name].is_constant)
        for each in names
    )


def _set_extents(scope: Scope, name: str, extents: tuple[Expression | None, ...]) -> None:
    known = scope.variables.get(name)
    if known and len(known.extents) == len(extents) and not any(known.extents):
        scope.variables[name] = replace(known, extents=extents)
