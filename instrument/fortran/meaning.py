"""Determine the kind of a statement, and the statements to which it may jump.

Blanks are insignificant in fixed form and matter little in free form, so kinds are determined from the text without
blanks, as in the first compilers. A statement is an assignment if it has an equals sign outside parentheses, and no
comma outside parentheses after it. Any other statement begins with its keyword.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final, NamedTuple

from ..expression import expression
from .lines import Statement

__all__ = ["MODULE_PROCEDURE", "Kind", "Meaning", "header_without_blanks", "meaning_of"]


class Kind(Enum):
    """The kinds of statements that determine where regions begin and end."""

    PROGRAM = auto()
    MODULE = auto()
    SUBMODULE = auto()
    BLOCK_DATA = auto()
    SUBROUTINE = auto()
    FUNCTION = auto()
    INTERFACE = auto()
    TYPE = auto()  # the definition of a type, or another unit without executable statements
    CONTAINS = auto()
    ENTRY = auto()
    USE = auto()
    SPECIFICATION = auto()  # also any unknown statement
    END_UNIT = auto()
    END_SPECIFICATION = auto()  # END INTERFACE, END TYPE and similar statements
    CONSTRUCT = auto()  # IF … THEN, SELECT, BLOCK, ASSOCIATE, WHERE, FORALL, CRITICAL
    END_CONSTRUCT = auto()
    DO = auto()
    END_DO = auto()
    IF = auto()  # an IF with an action in the same statement
    ASSIGNMENT = auto()
    CALL = auto()
    CONTINUE = auto()
    GOTO = auto()  # also the arithmetic IF
    COMPUTED_GOTO = auto()  # control continues below if the index matches no label
    ASSIGNED_GOTO = auto()
    RETURN = auto()
    STOP = auto()
    EXIT = auto()
    CYCLE = auto()
    BRANCH = auto()  # ELSE, CASE and similar statements
    EXECUTABLE = auto()  # any other executable statement


class Meaning(NamedTuple):
    """The meaning of a statement.

    Attributes:
        kind: Kind of the statement.
        name: The name of a unit as written (``module:submodule`` for a submodule), or of a construct in lower case; for
            EXIT and CYCLE, the name of the construct that they refer to.
        word: In lower case: the keyword of a construct, or after END; ``concurrent`` for DO CONCURRENT; for a
            procedure, the prefix of FUNCTION or SUBROUTINE, or MODULE_PROCEDURE.
        terminal: The label in a DO, which marks the loop's last statement; empty if there is none.
        targets: The labels to which the statement may jump.
        action: The meaning of the action in a one-line IF; None for other statements.
        action_at: Index in the statement's text at which the action begins.
    """

    kind: Kind
    name: str = ""
    word: str = ""
    terminal: str = ""
    targets: tuple[str, ...] = ()
    action: Meaning | None = None
    action_at: int = 0

    @property
    def jumps(self) -> tuple[str, ...]:
        """The labels to which the statement, or its action, may jump."""
        return self.action.jumps if self.action else self.targets


MODULE_PROCEDURE: Final = "module procedure"

_PARENTHESES: Final = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_MANNER: Final = rf"recursive|non_recursive|pure|simple|impure|elemental|module|attributes\s*{_PARENTHESES}"
_RESULT: Final = (
    r"(?:integer|real|complex|logical|character|byte|double\s*precision|double\s*complex|type|class)\s*+"
    rf"(?:\*\s*\d+|\*?\s*{_PARENTHESES})?"
)
_SUBROUTINE: Final = expression(rf"\s*((?:(?:{_MANNER})\s*+)*+)subroutine\s*([a-z]\w*)\s*(?:\(|bind|$)", re.I)
_FUNCTION: Final = expression(rf"\s*((?:(?:{_MANNER}|{_RESULT})\s*+)*+)function\s+([a-z]\w*)\s*\(", re.I)
_FUNCTION_WITHOUT_BLANKS: Final = expression(
    rf"((?:{_MANNER}|{_RESULT})*+)function([a-z]\w*)\((?:[a-z]\w*(?:,[a-z]\w*)*)?\)(?:result\(\w+\))?", re.I
)
_UNIT: Final = expression(
    r"\s*(program|module|submodule|block\s*data)(?:\s*\(\s*(\w*)[^()]*\))?\s*(\w*)\s*(?:\(.*\))?\s*$", re.I
)
_BODY: Final = expression(r"\s*module\s+procedure\s+(\w+)\s*$", re.I)  # a procedure whose interface is elsewhere
_END_UNIT: Final = expression(r"end(?:(?:program|module|submodule|subroutine|function|procedure|blockdata)\w*)?")
_END_SPECIFICATION: Final = expression(r"end(interface|type|enum|structure)")
_END_DO: Final = expression(r"enddo(\w*)")
_END_CONSTRUCT: Final = expression(r"end(if|select|where|forall|associate|block|critical|team)(\w*)")
_DO: Final = expression(r"do(\d*),?(?:(concurrent)\(|while\(|\w+=|$)")
_TYPE: Final = expression(r"\s*type\s*(?:,.*)?(?:::)?\s*(\w+)\s*(?:\(.*\))?\s*$", re.I)
_SKIPPED: Final = expression(r"(enum)(?:,|$)|(structure)/")
_NAMED: Final = expression(r"(\w+):(?=do|if\(|select|block$|associate\(|where\(|forall\(|critical|changeteam)")
_IO: Final = expression(r"(?:read|write|open|close|inquire|backspace|rewind|endfile|flush|wait)\(")
_IO_LABEL: Final = expression(r"[(,](?:err|end|eor)=(\d+)(?=[,)])")
_ALTERNATE: Final = expression(r"[(,][*&](\d+)(?=[,)])")
_LABELS: Final = expression(r"\d+")
_EXECUTABLE: Final = expression(
    r"read[(*\w'\"]|write\(|print[*\w'\"(]|open\(|close\(|inquire\(|backspace|rewind|endfile|flush|wait\("
    r"|allocate\(|deallocate\(|nullify\(|pause|sync(?:all|images|memory|team)|lock\(|unlock\(|event(?:post|wait)"
    r"|formteam|failimage|accept|type\*|type\d|encode\(|decode\("
)
_CONSTRUCT: Final = expression(
    r"(?P<select>select(?:case|type|rank)\()|(?P<block>block$)|(?P<associate>associate\()|(?P<critical>critical(?:$|\())"
    r"|(?P<team>changeteam\()"
)
_BRANCH: Final = expression(
    r"else(?:$|if\(|where|\w+$)|case\(|casedefault|typeis\(|classis\(|classdefault|rank\(|rankdefault"
)


def header_without_blanks(statement: Statement) -> Meaning | None:
    """Return the meaning of a procedure's first statement without blanks, such as ``REALFUNCTIONF(X)`` in fixed form.

    None if the statement does not begin a procedure. The caller ensures that a unit may begin here.
    """
    code = "".join(statement.text.split())
    if match := _FUNCTION_WITHOUT_BLANKS.fullmatch(code):
        return Meaning(Kind.FUNCTION, match.group(2), match.group(1).lower())
    if match := _SUBROUTINE.match(code):
        return Meaning(Kind.SUBROUTINE, match.group(2), match.group(1).lower())
    return None


def meaning_of(statement: Statement) -> Meaning:
    """Return the meaning of a statement."""
    code = statement.code
    name = ""
    if match := _NAMED.match(code):
        name, code = match.group(1), code[match.end() :]
    return _meaning(code, statement, name)


def _meaning(code: str, statement: Statement, name: str) -> Meaning:
    return (
        _if(code, statement, name)
        or _do(code, name)
        or _masked(code, name)
        or _assignment(code)
        or _end(code)
        or _simple(code)
        or _procedure(statement.text)
        or _unit(code, statement.text)
        or _construct(code, name)
        or _other(code, statement.text)
    )


def _if(code: str, statement: Statement, name: str) -> Meaning | None:
    end = _closing(code, 2) if code.startswith("if(") else -1
    if end < 0:
        return None
    rest = code[end + 1 :]
    if rest == "then":
        return Meaning(Kind.CONSTRUCT, name, "if")
    if not rest or rest[0] in "=(%":
        return None
    if re.fullmatch(r"\d+(,\d+)*", rest):
        return Meaning(Kind.GOTO, targets=_labels(rest))
    text = statement.text
    opening = text.find("(")
    action_at = _closing(text, opening) + 1
    action_at += len(text) - action_at - len(text[action_at:].lstrip())
    return Meaning(Kind.IF, action=_action(rest), action_at=action_at)


def _action(code: str) -> Meaning:
    """Return the meaning of the action in a one-line IF."""
    return _assignment(code) or _simple(code) or Meaning(Kind.EXECUTABLE)


def _do(code: str, name: str) -> Meaning | None:
    match = _DO.match(code)
    if not match:
        return None
    rest = code[match.end() :]
    if code[match.end() - 1 : match.end()] == "=" and "," not in _outside(rest):
        return None  # do10i=1.5 is an assignment
    if match.group().endswith("(") and _equals(code) > 0:
        return None  # dowhile(1)=7 is an assignment
    return Meaning(Kind.DO, name, match.group(2) or "", match.group(1).lstrip("0"))


def _masked(code: str, name: str) -> Meaning | None:
    """Return the meaning of WHERE or FORALL, as a construct or with one assignment, or None for other statements."""
    for word in ("where", "forall"):
        if code.startswith(f"{word}(") and (end := _closing(code, len(word))) >= 0:
            rest = code[end + 1 :]
            if not rest:
                return Meaning(Kind.CONSTRUCT, name, word)
            if _equals(rest) > 0:
                return Meaning(Kind.EXECUTABLE)
    return None


def _assignment(code: str) -> Meaning | None:
    """Return the meaning of an assignment to a variable or a pointer, or None for other statements."""
    at = _equals(code)
    before = code[: max(at, 0)]
    if not before or "::" in before or "," in _outside(before) or before.startswith("parameter"):
        return None
    return Meaning(Kind.ASSIGNMENT)


def _end(code: str) -> Meaning | None:
    if match := _END_DO.fullmatch(code):
        return Meaning(Kind.END_DO, match.group(1))
    if _END_UNIT.fullmatch(code):
        return Meaning(Kind.END_UNIT)
    if match := _END_CONSTRUCT.fullmatch(code):
        return Meaning(Kind.END_CONSTRUCT, match.group(2), match.group(1))
    if match := _END_SPECIFICATION.match(code):
        return Meaning(Kind.END_SPECIFICATION, word=match.group(1))
    return None


def _simple(code: str) -> Meaning | None:  # noqa: PLR0911 - one line per keyword
    """Return the meaning of a statement that may also be the action of a one-line IF, or None for other statements."""
    if code.startswith("goto"):
        return _goto(code[4:])
    if code.startswith("call"):
        return Meaning(Kind.CALL, targets=_labels(" ".join(_ALTERNATE.findall(code))))
    if code.startswith("return"):
        return Meaning(Kind.RETURN)
    if code.startswith(("stop", "errorstop")):
        return Meaning(Kind.STOP)
    if code == "continue":
        return Meaning(Kind.CONTINUE)
    if code.startswith("exit"):
        return Meaning(Kind.EXIT, code[4:])
    if code.startswith("cycle"):
        return Meaning(Kind.CYCLE, code[5:])
    if code.startswith("assign") and re.fullmatch(r"assign\d+to\w+", code):
        return Meaning(Kind.ASSIGNED_GOTO)
    if _EXECUTABLE.match(code):
        return Meaning(Kind.EXECUTABLE, targets=_labels(" ".join(_IO_LABEL.findall(code))) if _IO.match(code) else ())
    return None


def _goto(rest: str) -> Meaning | None:
    if rest.isdigit():
        return Meaning(Kind.GOTO, targets=_labels(rest))
    if rest.startswith("(") and (end := _closing(rest, 0)) > 0:
        return Meaning(Kind.COMPUTED_GOTO, targets=_labels(rest[:end]))
    return Meaning(Kind.ASSIGNED_GOTO) if re.match(r"[a-z]\w*(?:,?\([\d,]+\))?$", rest) else None


def _procedure(text: str) -> Meaning | None:
    if match := _SUBROUTINE.match(text):
        return Meaning(Kind.SUBROUTINE, match.group(2), match.group(1).lower())
    if match := _FUNCTION.match(text):
        return Meaning(Kind.FUNCTION, match.group(2), match.group(1).lower())
    if match := _BODY.match(text):
        return Meaning(Kind.SUBROUTINE, match[1], MODULE_PROCEDURE)
    return None


def _unit(code: str, text: str) -> Meaning | None:
    if match := _UNIT.match(text):
        kind = Kind["_".join(match.group(1).upper().split()).replace("BLOCKDATA", "BLOCK_DATA")]
        name = match.group(3)
        return Meaning(kind, f"{match.group(2)}:{name}" if kind is Kind.SUBMODULE else name)
    if code == "contains":
        return Meaning(Kind.CONTAINS)
    if code.startswith(("interface", "abstractinterface")):
        return Meaning(Kind.INTERFACE, word="interface")
    return None


def _construct(code: str, name: str) -> Meaning | None:
    if match := _CONSTRUCT.match(code):
        return Meaning(Kind.CONSTRUCT, name, match.lastgroup or "")
    return Meaning(Kind.BRANCH) if _BRANCH.match(code) else None


def _other(code: str, text: str) -> Meaning:
    if code.startswith("entry"):
        return Meaning(Kind.ENTRY)
    if code.startswith("use"):
        return Meaning(Kind.USE)
    if match := _SKIPPED.match(code):
        return Meaning(Kind.TYPE, word=match.group(1) or match.group(2))
    if _TYPE.match(text) and not code.startswith("type("):
        return Meaning(Kind.TYPE, word="type")
    return Meaning(Kind.SPECIFICATION)


def _labels(text: str) -> tuple[str, ...]:
    """Return the statement labels that a text lists, such as ``10, 020``, without leading zeros."""
    return tuple(label.lstrip("0") for label in _LABELS.findall(text))


def _equals(code: str) -> int:
    """Return the index of the first ``=`` outside parentheses that is not a comparison, or -1 if there is none."""
    depth = 0
    for match in re.finditer(r"[()\[\]]|[=/<>]=|=>?", code):
        found = match.group()
        if found in {"(", "["}:
            depth += 1
        elif found in {")", "]"}:
            depth -= 1
        elif depth == 0 and found in {"=", "=>"}:
            return match.start()
    return -1


def _outside(code: str) -> str:
    """Return the text outside parentheses."""
    depth, kept = 0, []
    for character in code:
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif depth == 0:
            kept.append(character)
    return "".join(kept)


def _closing(code: str, opening: int) -> int:
    """Return the index of the parenthesis that closes the one at index ``opening``, or -1 if there is none."""
    depth = 0
    for match in re.compile(r"[()]").finditer(code, opening):
        depth += 1 if match.group() == "(" else -1
        if depth == 0:
            return match.start()
    return -1
