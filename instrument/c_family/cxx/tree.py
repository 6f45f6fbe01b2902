"""C++ by libclang, and C: from preprocessed text to what decides where regions are."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_uint
from dataclasses import dataclass, field
from typing import Any, Final

from clang.cindex import CursorKind, Index, TranslationUnit, TranslationUnitLoadError, TypeKind, callbacks, conf
from clang.cindex import c_object_p as pointer

from ...size import LARGE
from ...syntax import Body, Call, Label, Loop, Unread
from .constants import Constants
from .destructors import Destructors
from .digest import digest
from .instances import PARAMETERS, Instances
from .names import qualified_name
from .trip_counts import TripCounts

__all__ = ["Found", "parse"]

_FILE: Final = "source"
# Templates are read where they stand: nobody asks for what their instances mean.
_OPTIONS: Final = TranslationUnit.PARSE_INCOMPLETE
_ERROR: Final = 3
# GCC only warns of much in C that is an error to Clang unless all warnings are off.
_ARGUMENTS: Final = {"c++": ("-x", "c++-cpp-output", "-w"), "c": ("-x", "cpp-output", "-Wno-everything")}
_NEXT, _DEEPER = 1, 2

_FUNCTIONS: Final = frozenset(
    kind.value
    for kind in (
        CursorKind.FUNCTION_DECL,
        CursorKind.CXX_METHOD,
        CursorKind.CONSTRUCTOR,
        CursorKind.DESTRUCTOR,
        CursorKind.CONVERSION_FUNCTION,
        CursorKind.FUNCTION_TEMPLATE,
    )
)
_CLASSES: Final = frozenset(
    kind.value
    for kind in (
        CursorKind.CLASS_DECL,
        CursorKind.STRUCT_DECL,
        CursorKind.UNION_DECL,
        CursorKind.CLASS_TEMPLATE,
        CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
    )
)
_LOOPS: Final = frozenset(
    kind.value
    for kind in (CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT, CursorKind.CXX_FOR_RANGE_STMT)
)
_TEMPLATE_NAME: Final = CursorKind.TEMPLATE_REF.value
_OUTER: Final = frozenset(
    kind.value for kind in (CursorKind.TRANSLATION_UNIT, CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC)
)
_TEMPLATE: Final = CursorKind.FUNCTION_TEMPLATE.value
_LAMBDA: Final = CursorKind.LAMBDA_EXPR.value
# The last one stands around what a coroutine does.
_BODIES: Final = frozenset(
    kind.value for kind in (CursorKind.COMPOUND_STMT, CursorKind.CXX_TRY_STMT, CursorKind.UNEXPOSED_STMT)
)
_BLOCK: Final = CursorKind.COMPOUND_STMT.value
_DECLARATION: Final = CursorKind.DECL_STMT.value
_PLAIN: Final = frozenset((CursorKind.FUNCTION_DECL.value, CursorKind.FUNCTION_TEMPLATE.value))
_VALUES: Final = frozenset((*range(TypeKind.VOID.value, TypeKind.LONGDOUBLE.value + 1), TypeKind.ENUM.value))
_POINTER: Final = TypeKind.POINTER.value
_UNKNOWN: Final = frozenset((TypeKind.DEPENDENT.value, TypeKind.UNEXPOSED.value))
_REFERENCES: Final = frozenset((TypeKind.LVALUEREFERENCE.value, TypeKind.RVALUEREFERENCE.value))
_CALL: Final = CursorKind.CALL_EXPR.value
_MAKING: Final = frozenset(
    kind.value for kind in (CursorKind.CXX_FUNCTIONAL_CAST_EXPR, CursorKind.INIT_LIST_EXPR, CursorKind.LAMBDA_EXPR)
)
# Statements like others by their looks, for which compilers call what allocates, copies or sets memory.
_ALLOCATING: Final = frozenset((CursorKind.CXX_NEW_EXPR.value, CursorKind.CXX_DELETE_EXPR.value))
_SETTING: Final = frozenset((CursorKind.INIT_LIST_EXPR.value, CursorKind.COMPOUND_LITERAL_EXPR.value))
_FIELD: Final = CursorKind.FIELD_DECL.value
_LITERAL: Final = CursorKind.COMPOUND_LITERAL_EXPR.value
_LABEL: Final = CursorKind.LABEL_STMT.value
_CASES: Final = frozenset((CursorKind.CASE_STMT.value, CursorKind.DEFAULT_STMT.value))
_SWITCH: Final = CursorKind.SWITCH_STMT.value
_STATEMENTS: Final = frozenset((_BLOCK, _LABEL, *_CASES))


@dataclass(slots=True)
class Found:
    """What was found in user text, in no order; what a coroutine awaits is seen several times.

    Attributes:
        bodies: Functions and lambdas, by where the body begins, with nothing in them yet.
        declared: Where functions are declared, by name, and where defined.
        objects: Where objects without a name are made, and whether each ends without code of the user's.
        fields: Start and end of members of classes, with what they are to be at first.
        cases: Where case labels begin.
        switches: Start and end of switch statements.
        unread: Errors in user text, and what the parser says.
    """

    bodies: dict[int, Body] = field(default_factory=dict)
    declared: dict[int, int] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    objects: list[tuple[int, bool]] = field(default_factory=list)
    fields: list[tuple[int, int]] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    cases: list[int] = field(default_factory=list)
    switches: list[tuple[int, int]] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    declarations: list[int] = field(default_factory=list)
    literals: list[int] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)


def parse(text: bytes, flags: tuple[str, ...], is_system: Callable[[int], bool], *, language: str = "c++") -> Found:
    """Read a preprocessed text.

    Errors in system text count for nothing: it is written for another compiler.

    Args:
        text: What the preprocessor wrote.
        flags: Options that decide what is C++, or C.
        is_system: Tells whether the text at an offset is not the user's.
        language: ``c++`` or ``c``.
    """
    contents, shift = digest(text)
    arguments = [*_ARGUMENTS[language], "-ferror-limit=0", *flags]
    try:
        unit = Index.create().parse(_FILE, arguments, [(_FILE, contents)], _OPTIONS)
    except TranslationUnitLoadError:
        return Found(unread=[Unread(0, "the parser has given up")])
    reader = _Reader(unit, shift, is_system, language)
    conf.lib.clang_visitChildren(unit.cursor, callbacks["cursor_visit"](reader.visit), None)
    if reader.failure:
        raise reader.failure
    for diagnostic in unit.diagnostics:
        offset = diagnostic.location.offset - shift
        if diagnostic.severity >= _ERROR and (offset < 0 or not is_system(offset)):
            reader.found.unread.append(Unread(max(offset, 0), diagnostic.spelling))
    return reader.finish(text)


class _Reader:
    """Collect what matters, by one pass over all cursors of user text."""

    def __init__(self, unit: TranslationUnit, shift: int, is_system: Callable[[int], bool], language: str) -> None:
        self.found = Found()
        self.failure: Exception | None = None
        self._unit = unit
        self._shift = shift
        self._is_system = is_system
        self._destructors = Destructors(self._is_users)
        self._instances = Instances(self._place)
        self._loops: dict[int, Any] = {}
        found = self.found
        self._starts = {_BLOCK: found.blocks, **dict.fromkeys(_CASES, found.cases)}
        if language == "c":  # in C++ they end with their statement
            self._starts[_LITERAL] = found.literals
        # In C++ what is assigned by an operator of no class is small.
        self._copying = _SETTING | ({CursorKind.BINARY_OPERATOR.value} if language == "c" else set())
        self._spans = {_FIELD: found.fields, _SWITCH: found.switches}

    def finish(self, text: bytes) -> Found:
        """Give what was found; how often loops run is asked once all instances of templates are seen."""
        trips = TripCounts(Constants(text, self._end, self._instances))
        self.found.loops = [Loop(start, trips.most(loop)) for start, loop in self._loops.items()]
        return self.found

    def visit(self, cursor: Any, parent: Any, _data: Any) -> int:
        """Look at one cursor; exceptions cannot pass through libclang."""
        try:
            return self._visit(cursor, cursor._kind_id, parent, parent._kind_id)
        except Exception as error:  # raised again behind libclang
            self.failure = error
            return 0

    def _visit(self, cursor: Any, kind: int, parent: Any, parent_kind: int) -> int:
        found = self.found
        cursor._tu = parent._tu = self._unit  # the bindings ask for it
        if parent_kind in _OUTER:
            start = self._first(cursor)
            if start < 0 or self._is_system(start):
                return _NEXT
        if kind in self._starts:
            self._starts[kind].append(self._start(cursor))
        if kind in _ALLOCATING or (kind in self._copying and self._is_large(cursor)):
            found.calls.append(Call(self._start(cursor), self._start(cursor), ""))
        if kind in _BODIES and (parent_kind in _FUNCTIONS or parent_kind == _LAMBDA):
            found.bodies.setdefault(self._start(cursor), self._body(cursor, parent, parent_kind))
        elif kind in _LOOPS:
            self._loops[self._start(cursor)] = cursor
        elif kind == _CALL:
            found.calls.append(self._call(cursor))
        elif kind in _MAKING:
            self._make(cursor)
        elif kind == _LABEL:
            found.labels.append(Label(self._start(cursor), conf.lib.clang_getCursorSpelling(cursor)))
        elif kind == _DECLARATION and parent_kind in _STATEMENTS:
            found.declarations.append(self._start(cursor))
        elif kind in self._spans:
            self._spans[kind].append((self._start(cursor), self._end(cursor)))
        else:
            self._declare(cursor, kind, parent)
        return _DEEPER

    def _declare(self, cursor: Any, kind: int, parent: Any) -> None:
        """Note a declaration of a function, or what is given to templates."""
        if kind in PARAMETERS:
            self._instances.declare(cursor, parent)
        elif kind == _TEMPLATE_NAME:
            self._instances.note_type(conf.lib.clang_getCursorType(parent))
        elif kind in _FUNCTIONS:
            self._note_function(cursor)

    def _note_function(self, function: Any) -> None:
        definition = conf.lib.clang_getCursorDefinition(function)
        if definition is not None and (defined := self._place(definition)) != (declared := self._place(function)):
            self.found.declared[declared] = defined

    def _body(self, cursor: Any, function: Any, kind: int) -> Body:
        name = parameters = ""
        inline = True
        start = named = self._first(function)
        if kind != _LAMBDA:
            name, parameters = qualified_name(function)
            named = self._place(function)
            owner = conf.lib.clang_getCursorLexicalParent(function)
            inline = kind == _TEMPLATE or (owner is not None and owner._kind_id in _CLASSES)
        return Body(name, start, named, self._start(cursor), self._end(cursor), parameters, inline)

    def _call(self, cursor: Any) -> Call:
        function = conf.lib.clang_getCursorReferenced(cursor)
        definition = conf.lib.clang_getCursorDefinition(function) if function is not None else None
        callee = self._place(definition) if definition is not None else -1
        is_virtual = function is not None and bool(conf.lib.clang_CXXMethod_isVirtual(function))
        is_plain = function is not None and function._kind_id in _PLAIN
        declared = self._place(function) if is_plain else -1
        if function is not None:
            self._instances.note(function)
        if function is None or not _gives_reference(function):
            self._make(cursor)
        name, start, end = conf.lib.clang_getCursorSpelling(cursor), self._start(cursor), self._end(cursor)
        reason = "" if name else "not known before instantiation"
        return Call(start, end, name, callee, is_virtual, declared, self._gives(cursor), reason)

    def _gives(self, cursor: Any) -> str:
        kind = conf.lib.clang_getCanonicalType(conf.lib.clang_getCursorType(cursor))._kind_id
        if kind in _UNKNOWN:
            return "dependent"
        return "value" if kind in _VALUES else "pointer" if kind == _POINTER else "object"

    def _make(self, cursor: Any) -> None:
        """Note an object without a name, if it is one; what a lambda captures may not end in silence."""
        if self._gives(cursor) not in {"value", "pointer"}:
            is_lambda = cursor._kind_id == _LAMBDA
            is_silent = not is_lambda and self._destructors.is_silent(conf.lib.clang_getCursorType(cursor))
            self.found.objects.append((self._start(cursor), is_silent))

    def _is_large(self, cursor: Any) -> bool:
        return bool(conf.lib.clang_Type_getSizeOf(conf.lib.clang_getCursorType(cursor)) > LARGE)

    def _is_users(self, cursor: Any) -> bool:
        offset = self._place(cursor)
        return offset >= 0 and not self._is_system(offset)

    def _place(self, cursor: Any) -> int:
        return self._offset(conf.lib.clang_getCursorLocation(cursor))

    def _first(self, cursor: Any) -> int:
        """Give where a declaration begins; its name where it has a template's head that nobody wrote."""
        start = self._start(cursor)
        return start if start >= 0 else self._place(cursor)

    def _start(self, cursor: Any) -> int:
        return self._offset(conf.lib.clang_getRangeStart(conf.lib.clang_getCursorExtent(cursor)))

    def _end(self, cursor: Any) -> int:
        return self._offset(conf.lib.clang_getRangeEnd(conf.lib.clang_getCursorExtent(cursor)))

    def _offset(self, location: Any) -> int:
        file, line, column, offset = pointer(), c_uint(), c_uint(), c_uint()
        conf.lib.clang_getInstantiationLocation(location, byref(file), byref(line), byref(column), byref(offset))
        return offset.value - self._shift


def _gives_reference(function: Any) -> bool:
    return conf.lib.clang_getCursorResultType(function)._kind_id in _REFERENCES
