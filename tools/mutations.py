"""Change sources at random; the same number always makes the same change."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["Mutant", "Source", "constants", "mutant"]

TOKEN: Final = re.compile(r"\w+|[^\w\s]|[ \t]+|\n")


class Source(NamedTuple):
    """A source in the tests.

    Attributes:
        origin: Test module and constant, ``module.NAME``.
        suffixes: File suffixes, one of which each mutant gets.
        flags: Compiler flags for mutants.
        inserted: Statements and tokens that a mutation may insert.
        lines: The lines, with line ends.
    """

    origin: str
    suffixes: tuple[str, ...]
    flags: tuple[str, ...]
    inserted: tuple[str, ...]
    lines: tuple[str, ...]


class Mutant(NamedTuple):
    """A changed source, its file name and compiler flags, and the number that repeats the change."""

    number: int
    origin: str
    name: str
    flags: tuple[str, ...]
    text: str


def constants(folder: Path) -> list[tuple[str, str, str]]:
    """Return the sources in the constants of tests: test module, name of the constant, text as Latin-1."""
    found = []
    for path in sorted(folder.glob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                name, value = ast.unparse(node.targets[0]), node.value.value
                if isinstance(value, str) and "\n" in value:
                    found.append((path.stem, name, value.encode().decode("latin-1")))
    return found


def swap_lines(lines: list[str], chance: random.Random, _: Source) -> None:
    """Swap two lines."""
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def delete_lines(lines: list[str], chance: random.Random, _: Source) -> None:
    """Delete one line or a few."""
    at = chance.randrange(len(lines))
    del lines[at : at + chance.choice([1, 1, 1, 2, 5])]


def double_line(lines: list[str], chance: random.Random, _: Source) -> None:
    """Insert a copy of a line at another place."""
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))


def splice(lines: list[str], chance: random.Random, other: Source) -> None:
    """Insert some lines from another source."""
    at, start = chance.randrange(len(lines) + 1), chance.randrange(len(other.lines))
    lines[at:at] = other.lines[start : start + chance.randrange(1, 12)]


def insert_line(lines: list[str], chance: random.Random, other: Source) -> None:
    """Insert a statement."""
    lines.insert(chance.randrange(len(lines) + 1), f"      {chance.choice(other.inserted)}\n")


def change_token(lines: list[str], chance: random.Random, other: Source) -> None:
    """Replace, delete, double or swap tokens of a line."""
    at = chance.randrange(len(lines))
    tokens = TOKEN.findall(lines[at]) or [""]
    place = chance.randrange(len(tokens))
    match chance.randrange(5):
        case 0:
            tokens[place] = chance.choice(other.inserted)
        case 1:
            del tokens[place]
        case 2:
            tokens.insert(place, tokens[place])
        case 3:
            tokens.insert(place, chance.choice(TOKEN.findall(chance.choice(lines)) or [""]))
        case 4:
            other_place = chance.randrange(len(tokens))
            tokens[place], tokens[other_place] = tokens[other_place], tokens[place]
    lines[at] = "".join(tokens)


def change_character(lines: list[str], chance: random.Random, _: Source) -> None:
    """Replace, insert or delete a character of a line."""
    at = chance.randrange(len(lines))
    place = chance.randrange(len(lines[at]) + 1)
    new = chance.choice([chr(chance.randrange(1, 256)), *"'\"&!;()=:,*0123456789 \t\n\\$#%cCdD"])
    lines[at] = lines[at][:place] + new * chance.randrange(2) + lines[at][place + chance.randrange(2) :]


def shift_line(lines: list[str], chance: random.Random, _: Source) -> None:
    """Move a line to the left or right."""
    at = chance.randrange(len(lines))
    lines[at] = chance.choice([lines[at].lstrip(" "), " " * chance.randrange(80) + lines[at], lines[at][1:]])


def join_lines(lines: list[str], chance: random.Random, _: Source) -> None:
    """Join two lines."""
    at = chance.randrange(len(lines))
    lines[at] = lines[at].rstrip("\n") + chance.choice(["; ", " ", "&", ""])


CHANGES: Final[list[Callable[[list[str], random.Random, Source], None]]] = [
    *(swap_lines, delete_lines, delete_lines, double_line, splice, insert_line, insert_line),
    *(change_token, change_token, change_token, change_character, change_character, shift_line, join_lines),
]


def mutant(number: int, corpus: list[Source]) -> Mutant:
    """Return the mutant with the given number."""
    chance = random.Random(number)
    source = chance.choice(corpus)
    lines = list(source.lines)
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 6])):
        chance.choice(CHANGES)(lines, chance, chance.choice(corpus))
        lines = lines or ["\n"]
    flags = tuple(flag for flag in source.flags if chance.random() < 0.1)
    return Mutant(number, source.origin, f"x{chance.choice(source.suffixes)}", flags, "".join(lines))
