"""Assemble the lines of a Fortran source into statements, and into directives in comments, with their offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Final, NamedTuple

from ..expression import expression
from .form import Form

__all__ = ["LINE", "Directive", "Lines", "Statement", "UnterminatedError", "read_lines"]

LINE: Final = expression(r"[^\n]*\n|[^\n]+\Z")
_SPECIAL: Final = expression(r"['\"!;&]|(?<![\w.])\d+[hH]")
_SPECIAL_BACKSLASH: Final = expression(r"\\\\|['\"!;&]|(?<![\w.])\d+[hH]")
_DIRECTIVE: Final = expression(r"[!cC*](?:\$(omp|acc|autoanalyzer)(?=[\s&]|$)|(\w{2,4})\$)", re.I)
# In fixed form, any character in column 6 continues a directive.
_DIRECTIVE_FIXED: Final = expression(r"[!cC*](?:\$(omp|acc|autoanalyzer(?=[\s&]|$))|(\w{2,4})\$)", re.I)
_CONDITIONAL_FREE: Final = expression(r"\s*!\$(?=[\s&])")
_CONDITIONAL_FIXED: Final = expression(r"[!cC*]\$(?=[\s\d]{3}.|\t)")
_LABEL: Final = expression(r"\s*(\d{1,5})(?=[\s&a-zA-Z]|$)")
_TAB_FIELD: Final = expression(r"[ \d]{0,5}\t([1-9]?)")
_BLANK: Final = expression(r"\s+")


class UnterminatedError(Exception):
    """Raised for a literal that begins at ``offset`` and does not end."""

    def __init__(self, offset: int) -> None:
        super().__init__("a character literal has no end")
        self.offset = offset


class Directive:
    """A compiler directive in a comment: ``!$omp parallel do``, ``!dir$ ivdep``.

    Attributes:
        start: Offset of the line on which the directive begins.
        next_line: Offset of the line after the directive's last line.
        sentinel: The sentinel in lower case, without the comment character: ``omp``, ``acc``, ``dir``.
        text: Text of the directive in lower case, with continuation lines joined.
    """

    def __init__(self, start: int, next_line: int, sentinel: str, text: str) -> None:
        self.start = start
        self.next_line = next_line
        self.sentinel = sentinel
        self.text = text


class _Piece(NamedTuple):
    """A part of a statement: its text, and its offset in the source."""

    offset: int
    text: str


class Statement:
    """A statement, which may span several lines or share one.

    Attributes:
        pieces: The parts of the statement's text, with literals blanked.
        line: Offset of the line on which the statement begins.
        next_line: Offset of the line after the statement's last line.
        is_first: Whether no other statement precedes it on its line.
        is_last: Whether no other statement follows on its last line.
        label: The statement's label without leading zeros, or an empty string.
    """

    def __init__(self, line: int, next_line: int, *, is_first: bool, label: str) -> None:
        self.pieces: list[_Piece] = []
        self.line = line
        self.next_line = next_line
        self.is_first = is_first
        self.is_last = True
        self.label = label
        self._starts: list[int] = []

    @cached_property
    def text(self) -> str:
        """The statement as it is written, without label, comments and continuation marks."""
        return "".join(piece.text for piece in self.pieces)

    @cached_property
    def code(self) -> str:
        """The text in lower case without blanks."""
        return _BLANK.sub("", self.text).lower()

    def at(self, index: int) -> int:
        """Return the offset in the source of the character at an index in ``text``."""
        if not self._starts:
            total = 0
            for piece in self.pieces:
                self._starts.append(total)
                total += len(piece.text)
        number = bisect_right(self._starts, index) - 1
        return self.pieces[number].offset + index - self._starts[number]

    @property
    def start(self) -> int:
        """Offset of the statement's first character after the label."""
        return self.at(len(self.text) - len(self.text.lstrip()))

    @property
    def end(self) -> int:
        """Offset right after the statement's last character."""
        return self.at(len(self.text.rstrip()) - 1) + 1


class Lines(NamedTuple):
    """The statements and directives of a source.

    Attributes:
        items: Statements and directives in order.
        markers: Offsets of the lines that begin with ``#``.
    """

    items: tuple[Statement | Directive, ...]
    markers: tuple[int, ...]


def read_lines(text: str, form: Form) -> Lines:
    """Return the statements and directives of a source.

    Args:
        text: The source, with one character per byte.
        form: The form of the source.

    Raises:
        UnterminatedError: A literal has no end.
    """
    reader = _FixedReader(text, form) if form.fixed else _FreeReader(text, form)
    return reader.read()


class _Reader:
    """Reads what free form and fixed form have in common: comments, literals, and the current statement."""

    def __init__(self, text: str, form: Form) -> None:
        self.text = text
        self.form = form
        self.special = _SPECIAL_BACKSLASH if form.backslash else _SPECIAL
        self.items: list[Statement | Directive] = []
        self.markers: list[int] = []
        self.statement: Statement | None = None
        self.literal = ""  # the quote that ends the open literal
        self.literal_start = 0
        self.hollerith = 0  # remaining characters of a Hollerith constant
        self.directive_goes_on = False

    def read(self) -> Lines:
        for match in LINE.finditer(self.text):
            line = match.group().rstrip("\r\n")
            if line.startswith("#"):
                self.markers.append(match.start())
            else:
                self._line(line, match.start(), match.end())
        self._finish()
        # In fixed form, a statement is known to be complete only when the next one begins, after directives in between.
        self.items.sort(key=lambda item: item.start if isinstance(item, Directive) else item.line)
        return Lines(tuple(self.items), tuple(self.markers))

    def _line(self, line: str, start: int, end: int) -> None:
        raise NotImplementedError

    def _finish(self) -> None:
        """Complete the current statement."""
        if self.literal:
            raise UnterminatedError(self.literal_start)
        self.hollerith = 0
        if self.statement is not None and self.statement.text.strip():
            self.items.append(self.statement)
        self.statement = None

    def _begin(self, start: int, end: int, label: str, *, first: bool) -> Statement:
        self.statement = Statement(start, end, is_first=first, label=label.lstrip("0"))
        return self.statement

    def _directive(self, line: str, start: int, end: int) -> None:
        """Record a comment if it is a directive."""
        stripped = line.lstrip()
        if not (match := (_DIRECTIVE_FIXED if self.form.fixed else _DIRECTIVE).match(stripped)):
            return
        text = stripped[match.end() :].partition("!")[0].lower()
        goes_on = self.directive_goes_on
        if self.form.fixed:
            goes_on = text[:1] not in {"", " ", "0"}
            text = text[1:] if match.group(1) else text
        text = text.strip()
        if not self.form.fixed:
            self.directive_goes_on = text.endswith("&")
            text = text.strip("& ")
        last = self.items[-1] if self.items else None
        if goes_on and isinstance(last, Directive):
            last.text = f"{last.text} {text}"
            last.next_line = end
        else:
            self.items.append(Directive(start, end, (match.group(1) or match.group(2)).lower(), text))

    def _content(self, line: str, pos: int, start: int, end: int) -> bool:
        """Read a line, starting at column ``pos``; return whether its last statement continues on the next line."""
        while True:
            statement = self.statement or self._begin(start, end, "", first=True)
            parts: list[str] = []
            stop = self._scan(line, pos, parts, start)
            statement.pieces.append(_Piece(start + pos, "".join(parts)))
            statement.next_line = end
            if line[stop : stop + 1] != ";":
                return line[stop : stop + 1] == "&"
            pos = stop + 1
            statement.is_last = not _is_code(line[pos:])
            self._finish()
            label, pos = ("", pos) if self.form.fixed else _label(line, pos)
            self._begin(start, end, label, first=False)

    def _scan(self, line: str, pos: int, parts: list[str], start: int) -> int:
        """Add a statement's text to ``parts``, starting at column ``pos``.

        Returns:
            The column at which the text ends: at ``;``, ``!``, a last ``&``, or the end of the line.
        """
        if self.hollerith:
            pos = self._hollerith(line, pos, parts)
        while match := self.special.search(line, pos):
            found, at = match.group(), match.start()
            parts.append("_" * (at - pos) if self.literal else line[pos:at])
            pos = match.end()
            if found == "&" and self._is_mark(line[pos:]):
                return at
            if self.literal:
                parts.append(found if found == self.literal else "_" * len(found))
                self.literal = "" if found == self.literal else self.literal
            elif found in {"!", ";"}:
                return at
            elif found[-1] in "hH":
                parts.append("_" * len(found))
                self.hollerith = int(found[:-1])
                pos = self._hollerith(line, pos, parts)
            else:
                parts.append(found)
                if found in {"'", '"'}:
                    self.literal, self.literal_start = found, start + at
        parts.append("_" * (len(line) - pos) if self.literal else line[pos:])
        return len(line)

    def _is_mark(self, rest: str) -> bool:
        """Return whether an ``&`` continues the statement on the next line; ``rest`` is the text after it."""
        rest = rest.lstrip()
        return not self.form.fixed and (not rest or (rest.startswith("!") and not self.literal))

    def _hollerith(self, line: str, pos: int, parts: list[str]) -> int:
        """Add underscores to ``parts`` for the Hollerith constant's characters on this line; return the next column.

        A short line counts as padded with blanks.
        """
        taken = min(self.hollerith, len(line) - pos)
        parts.append("_" * taken)
        self.hollerith -= taken
        if self.hollerith and self.form.line_length:
            self.hollerith = max(0, self.hollerith - max(0, self.form.line_length - len(line)))
        return pos + taken


class _FreeReader(_Reader):
    """Reads free form, in which ``&`` continues a statement on the next line."""

    goes_on = False

    def _line(self, line: str, start: int, end: int) -> None:
        if self.form.line_length:
            line = line[: self.form.line_length]
        if self.form.openmp and (match := _CONDITIONAL_FREE.match(line)):
            line = " " * match.end() + line[match.end() :]
        stripped = line.lstrip()
        if stripped.rstrip() in {"", "&"} or stripped.startswith("!"):
            self._directive(line, start, end)
            return
        pos = 0
        if self.goes_on:
            if stripped.startswith("&"):
                pos = len(line) - len(stripped) + 1
        else:
            self._finish()
            label, pos = _label(line, 0)
            self._begin(start, end, label, first=True)
        self.goes_on = self._content(line, pos, start, end)
        if not self.goes_on:
            self._finish()


class _FixedReader(_Reader):
    """Reads fixed form: labels are in columns 1 to 5, and a mark in column 6 continues the previous statement."""

    def _line(self, line: str, start: int, end: int) -> None:
        if self.form.openmp and _CONDITIONAL_FIXED.match(line):
            line = "  " + line[2:]
        if self._is_comment(line):
            self._directive(line[: self.form.line_length or None], start, end)
            return
        if match := _TAB_FIELD.match(line):
            label, continues, pos = line[: match.start(1)].strip(), bool(match.group(1)), match.end()
            if self.form.line_length:  # after a tab, the text is in column 7, but a digit is in column 6
                line = line[: pos + self.form.line_length - 6]
        else:
            label, continues, pos = line[:5].replace(" ", ""), line[5:6] not in {"", " ", "0"}, 6
            if self.form.line_length:
                line = line[: self.form.line_length]
        if self.form.debug_lines and label[:1] in {"d", "D"}:
            label = label[1:]
        if not continues:
            self._finish()
            self._begin(start, end, label if label.isdigit() else "", first=True)
        self._content(line, pos, start, end)

    def _is_comment(self, line: str) -> bool:
        first = line[:1]
        if not line.strip() or first in {"!", "c", "C", "*"}:
            return True
        if first in {"d", "D"}:
            return not self.form.debug_lines
        stripped = line.lstrip()
        return stripped.startswith("!") and line.find("!") != 5  # a ! in column 6 continues a statement


def _label(line: str, pos: int) -> tuple[str, int]:
    """Return the label at column ``pos``, and the column after it."""
    match = _LABEL.match(line, pos)
    return (match.group(1), match.end()) if match else ("", pos)


def _is_code(rest: str) -> bool:
    rest = rest.strip(" \t;")
    return bool(rest) and not rest.startswith("!")
