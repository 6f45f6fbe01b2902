"""Read C and C++ with libclang: from preprocessed text to the syntax that determines regions."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_char_p, c_uint
from functools import partial
from typing import Any, Final

from ...size import LARGE
from ...syntax import Body, Call, Loop, Unread, UnreadError
from .constants import Constants
from .destructors import Destructors
from .digest import digest
from .instances import PARAMETERS, Instances
from .library import FUNCTION_KINDS, CursorKind, TypeKind, UnsavedFile, Visit, lib
from .names import qualified_name
from .stack import on_deep_stack
from .trip_counts import TripCounts

__all__ = ["Found", "parse"]

_FILE: Final = b"source"
# Templates are read at their definition; the contents of their instances are not needed.
_INCOMPLETE: Final = 2
_ERROR, _FATAL = 3, 4
_SEMANTIC: Final = 2  # the category of errors about types, from LLVM's DiagnosticCategories.td
# Without -w, Clang treats much C as an error that GCC only warns about.
_ARGUMENTS: Final = {
    "c++": ("-xc++-cpp-output", "-w"),
    "c": ("-xcpp-output", "-w", "-Wno-everything"),
}
_OF_ATOMICS: Final = "-fgnu-keywords"  # the digest contains typeof, which is an ordinary name in strict C before 2023
_LIMITS: Final = ("-ferror-limit=0", "-fbracket-depth=65536")
_NEXT, _DEEPER = 1, 2

_CLASSES: Final = frozenset(
    (
        CursorKind.CLASS_DECL,
        CursorKind.STRUCT_DECL,
        CursorKind.UNION_DECL,
        CursorKind.CLASS_TEMPLATE,
        CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
    )
)
_LOOPS: Final = frozenset(
    (CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT, CursorKind.CXX_FOR_RANGE_STMT)
)
_TEMPLATE_NAME: Final = CursorKind.TEMPLATE_REF
_OUTER: Final = frozenset((CursorKind.TRANSLATION_UNIT, CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC))
_TEMPLATE: Final = CursorKind.FUNCTION_TEMPLATE
_LAMBDA: Final = CursorKind.LAMBDA_EXPR
# Kinds of function bodies; the last one is the body of a coroutine.
_BODIES: Final = frozenset((CursorKind.COMPOUND_STMT, CursorKind.CXX_TRY_STMT, CursorKind.UNEXPOSED_STMT))
_BLOCK: Final = CursorKind.COMPOUND_STMT
_DECLARATION: Final = CursorKind.DECL_STMT
_PLAIN: Final = frozenset((CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE))
_VALUES: Final = frozenset((*range(TypeKind.VOID, TypeKind.LONGDOUBLE + 1), TypeKind.ENUM))
_POINTER: Final = TypeKind.POINTER
_UNKNOWN: Final = frozenset((TypeKind.DEPENDENT, TypeKind.UNEXPOSED))
_REFERENCES: Final = frozenset((TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE))
_CALL: Final = CursorKind.CALL_EXPR
_MAKING: Final = (CursorKind.CXX_FUNCTIONAL_CAST_EXPR, CursorKind.LAMBDA_EXPR)
# Ordinary statements for which compilers call functions that allocate, copy or set memory.
_ALLOCATING: Final = frozenset((CursorKind.CXX_NEW_EXPR, CursorKind.CXX_DELETE_EXPR))
_LIST: Final = CursorKind.INIT_LIST_EXPR
_VARIABLE: Final = CursorKind.VAR_DECL
_STATIC: Final = 3  # a number from libclang's Index.h
_VALUE: Final = CursorKind.UNEXPOSED_EXPR
_STRUCTURES: Final = frozenset((TypeKind.RECORD, TypeKind.TYPEDEF, TypeKind.ELABORATED))
_FIELD: Final = CursorKind.FIELD_DECL
_LITERAL: Final = CursorKind.COMPOUND_LITERAL_EXPR
_LABEL: Final = CursorKind.LABEL_STMT
_CASES: Final = frozenset((CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT))
_SWITCH: Final = CursorKind.SWITCH_STMT
_STATEMENTS: Final = frozenset((_BLOCK, _LABEL, *_CASES))


class Found:
    """The syntax found in user text, unordered; operands of ``co_await`` appear several times.

    Attributes:
        bodies: Offset of a body → the function or lambda, still without contents.
        declared: Offset of the name in a function's declaration → offset of the name in its definition.
        objects: Offset of each temporary object, and whether it is destroyed without user code.
        fields: Start and end of class members including initialisers.
        cases: Offsets of case labels.
        switches: Start and end of switch statements.
        unread: Errors in user text, with the parser's message.
        fatal: The error at which the parser stopped, in user or system text; None if it read the whole text.

    The other attributes have the same meaning as in ``Body``.
    """

    def __init__(self) -> None:
        self.bodies: dict[int, Body] = {}
        self.declared: dict[int, int] = {}
        self.loops: list[Loop] = []
        self.calls: list[Call] = []
        self.objects: list[tuple[int, bool]] = []
        self.fields: list[tuple[int, int]] = []
        self.labels: list[int] = []
        self.cases: list[int] = []
        self.switches: list[tuple[int, int]] = []
        self.blocks: list[int] = []
        self.declarations: list[int] = []
        self.literals: list[int] = []
        self.unread: list[Unread] = []
        self.fatal: Unread | None = None


def parse(text: bytes, flags: tuple[str, ...], is_system: Callable[[int], bool], *, language: str = "c++") -> Found:
    """Parse preprocessed text.

    Errors in system text are ignored, because system headers are written for another compiler.

    Args:
        text: The preprocessor's output.
        flags: Compiler options that select the dialect of C or C++.
        is_system: Returns whether the text at an offset is system text.
        language: ``c++`` or ``c``.

    Raises:
        UnreadError: The parser gives up.
    """
    return on_deep_stack(partial(_parsed, text, flags, is_system, language))


def _parsed(text: bytes, flags: tuple[str, ...], is_system: Callable[[int], bool], language: str) -> Found:
    contents, shift = digest(text, language)
    keywords = (_OF_ATOMICS,) if language == "c" and b"_Atomic" in text else ()
    arguments = [argument.encode() for argument in (*_ARGUMENTS[language], *keywords, *_LIMITS, *flags)]
    given = (c_char_p * len(arguments))(*arguments)
    file = UnsavedFile(_FILE, contents, len(contents))
    index = lib.clang_createIndex(0, 0)
    unit = lib.clang_parseTranslationUnit(index, _FILE, given, len(arguments), byref(file), 1, _INCOMPLETE)
    try:
        if not unit:
            raise UnreadError(0, "the parser failed")
        return _Reader(shift, is_system, language).read(unit, text)
    finally:
        lib.clang_disposeTranslationUnit(unit)
        lib.clang_disposeIndex(index)


class _Reader:
    """Collects syntax in one pass over all cursors of user text."""

    def __init__(self, shift: int, is_system: Callable[[int], bool], language: str) -> None:
        self.found = found = Found()
        self._failure: Exception | None = None
        self._shift = shift
        self._is_system = is_system
        self._destructors = Destructors(self._is_users)
        self._instances = Instances(self._place)
        self._loops: dict[int, Any] = {}
        self._is_c = language == "c"
        self._at = c_uint()
        self._into = byref(self._at)
        self._notes: dict[int, Callable[[Any, Any], None]] = {
            **dict.fromkeys(_BODIES, self._note_body),
            **dict.fromkeys(_LOOPS, self._note_loop),
            **dict.fromkeys(_CASES, lambda cursor, _: found.cases.append(self._start(cursor))),
            **dict.fromkeys(_ALLOCATING, lambda cursor, _: self._note_statement(cursor)),
            **dict.fromkeys(FUNCTION_KINDS, self._note_function),
            **dict.fromkeys(PARAMETERS, self._instances.declare),
            _CALL: self._note_call,
            _DECLARATION: self._note_declaration,
            _FIELD: lambda cursor, _: found.fields.append((self._start(cursor), self._end(cursor))),
            _LABEL: lambda cursor, _: found.labels.append(self._start(cursor)),
            _LIST: self._note_list,
            _LITERAL: self._note_literal,
            _SWITCH: lambda cursor, _: found.switches.append((self._start(cursor), self._end(cursor))),
            **dict.fromkeys(_MAKING, lambda cursor, _: self._make(cursor)),
            _TEMPLATE_NAME: lambda _, parent: self._instances.note_type(lib.clang_getCursorType(parent)),
        }
        if self._is_c:  # in C++, a member function of the class copies the object
            self._notes[_VALUE] = self._note_value

    def read(self, unit: Any, text: bytes) -> Found:
        """Return the syntax; trip counts are computed last, when all instances of templates are known."""
        lib.clang_visitChildren(lib.clang_getTranslationUnitCursor(unit), Visit(self._visit), None)
        if self._failure:
            raise self._failure
        for number in range(lib.clang_getNumDiagnostics(unit)):
            self._note_problem(lib.clang_getDiagnostic(unit, number))
        trips = TripCounts(Constants(text, self._end, self._instances))
        self.found.loops = [Loop(start, trips.most(loop)) for start, loop in self._loops.items()]
        return self.found

    def _visit(self, cursor: Any, parent: Any, _data: Any) -> int:
        """Record one cursor, and return whether libclang should stop, skip its children, or visit them.

        An exception is stored, because it cannot pass through libclang.
        """
        try:
            if parent.kind in _OUTER and not self._is_read(cursor):
                return _NEXT
            if note := self._notes.get(cursor.kind):
                note(cursor, parent)
        except Exception as error:  # raised again outside libclang
            self._failure = error
            return 0
        return _DEEPER

    def _is_read(self, cursor: Any) -> bool:
        """Return whether to descend into a cursor outside of functions; in C, only functions contain code."""
        if self._is_c and cursor.kind != CursorKind.FUNCTION_DECL:
            return False
        start = self._first(cursor)
        return start >= 0 and not self._is_system(start)

    def _note_problem(self, problem: Any) -> None:
        """Record an error if it is in user text, or fatal."""
        severity = lib.clang_getDiagnosticSeverity(problem)
        if severity >= _ERROR:
            offset = self._offset(lib.clang_getDiagnosticLocation(problem))
            message = lib.clang_getDiagnosticSpelling(problem)
            is_of_types = lib.clang_getDiagnosticCategory(problem) == _SEMANTIC
            unread = Unread(max(offset, 0), message, is_of_types)
            if severity >= _FATAL:
                self.found.fatal = self.found.fatal or unread
            elif offset < 0 or not self._is_system(offset):
                self.found.unread.append(unread)
        lib.clang_disposeDiagnostic(problem)

    def _note_body(self, cursor: Any, parent: Any) -> None:
        start = self._start(cursor)
        if cursor.kind == _BLOCK:
            self.found.blocks.append(start)
        if parent.kind in FUNCTION_KINDS or parent.kind == _LAMBDA:
            self.found.bodies.setdefault(start, self._body(cursor, parent, parent.kind))

    def _note_loop(self, cursor: Any, _parent: Any) -> None:
        self._loops[self._start(cursor)] = cursor

    def _note_declaration(self, cursor: Any, parent: Any) -> None:
        if parent.kind in _STATEMENTS:
            self.found.declarations.append(self._start(cursor))

    def _note_statement(self, cursor: Any) -> None:
        """Record a call without a name, for an ordinary statement that compilers turn into a call."""
        start = self._start(cursor)
        self.found.calls.append(Call(start, start, ""))

    def _note_literal(self, cursor: Any, _parent: Any) -> None:
        if self._is_c:  # in C++, compound literals live only until the end of their statement
            self.found.literals.append(self._start(cursor))
        if _is_large(lib.clang_getCursorType(cursor)):
            self._note_statement(cursor)

    def _note_list(self, cursor: Any, parent: Any) -> None:
        """Record an initialiser list as a temporary object, and as a call if it is large.

        A nested list is part of its parent, and a static list is created only once, so neither counts as a call.
        """
        is_static = parent.kind == _VARIABLE and lib.clang_Cursor_getStorageClass(parent) == _STATIC
        if parent.kind != _LIST and not is_static and _is_large(lib.clang_getCursorType(cursor)):
            self._note_statement(cursor)
        self._make(cursor)

    def _note_value(self, cursor: Any, _parent: Any) -> None:
        """Record an implicit cast that copies a large object."""
        kind = lib.clang_getCursorType(cursor)
        if kind.kind in _STRUCTURES and _is_large(kind):
            self._note_statement(cursor)

    def _note_function(self, function: Any, _parent: Any) -> None:
        definition = lib.clang_getCursorDefinition(function)
        if definition is not None and (defined := self._place(definition)) != (declared := self._place(function)):
            self.found.declared[declared] = defined

    def _body(self, cursor: Any, function: Any, kind: int) -> Body:
        name = parameters = ""
        inline = True
        start = named = self._first(function)
        if kind != _LAMBDA:
            name, parameters = qualified_name(function)
            parameters = "" if self._is_c else parameters  # C has no overloads
            named = self._place(function)
            owner = lib.clang_getCursorLexicalParent(function)
            inline = kind == _TEMPLATE or (owner is not None and owner.kind in _CLASSES)
        return Body(name, start, named, self._start(cursor), self._end(cursor), parameters, inline)

    def _note_call(self, cursor: Any, _parent: Any) -> None:
        if self._is_c and _is_large(lib.clang_getCursorType(cursor)):
            self._note_statement(cursor)
        self.found.calls.append(self._call(cursor))

    def _call(self, cursor: Any) -> Call:
        function = lib.clang_getCursorReferenced(cursor)
        definition = lib.clang_getCursorDefinition(function) if function is not None else None
        callee = self._place(definition) if definition is not None else -1
        is_virtual = function is not None and bool(lib.clang_CXXMethod_isVirtual(function))
        is_plain = function is not None and function.kind in _PLAIN
        declared = self._place(function) if is_plain else -1
        if function is not None:
            self._instances.note(function)
        if function is None or not _gives_reference(function):
            self._make(cursor)
        name, start, end = lib.clang_getCursorSpelling(cursor), self._start(cursor), self._end(cursor)
        reason = "" if name else "not known before instantiation"
        return Call(start, end, name, callee, is_virtual, declared, self._gives(cursor), reason)

    def _gives(self, cursor: Any) -> str:
        kind = lib.clang_getCanonicalType(lib.clang_getCursorType(cursor)).kind
        if kind in _UNKNOWN:
            return "dependent"
        return "value" if kind in _VALUES else "pointer" if kind == _POINTER else "object"

    def _make(self, cursor: Any) -> None:
        """Record the temporary object that a cursor creates, if any.

        A lambda never counts as destroyed without user code, because of the objects that it captures.
        """
        if self._gives(cursor) not in {"value", "pointer"}:
            is_lambda = cursor.kind == _LAMBDA
            is_silent = not is_lambda and (self._is_c or self._destructors.is_silent(lib.clang_getCursorType(cursor)))
            self.found.objects.append((self._start(cursor), is_silent))

    def _is_users(self, cursor: Any) -> bool:
        offset = self._place(cursor)
        return offset >= 0 and not self._is_system(offset)

    def _place(self, cursor: Any) -> int:
        return self._offset(lib.clang_getCursorLocation(cursor))

    def _first(self, cursor: Any) -> int:
        """Return the offset of a declaration; if its template's head is implicit, the offset of its name."""
        start = self._start(cursor)
        return start if start >= 0 else self._place(cursor)

    def _start(self, cursor: Any) -> int:
        return self._offset(lib.clang_getRangeStart(lib.clang_getCursorExtent(cursor)))

    def _end(self, cursor: Any) -> int:
        return self._offset(lib.clang_getRangeEnd(lib.clang_getCursorExtent(cursor)))

    def _offset(self, location: Any) -> int:
        lib.clang_getInstantiationLocation(location, None, None, None, self._into)
        return self._at.value - self._shift


def _is_large(kind: Any) -> bool:
    return bool(lib.clang_Type_getSizeOf(kind) > LARGE)


def _gives_reference(function: Any) -> bool:
    return lib.clang_getCursorResultType(function).kind in _REFERENCES
