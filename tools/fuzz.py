"""Change Fortran sources at random, and see that the front end keeps its promises on what comes of that.

Whatever a source is, the front end ends soon, and either gives a text or says why not by ``SourceError``. Whatever the
compiler takes before, it takes with probes. Sources are those in the tests; every mutation has a number, and
``--first`` with that number repeats it.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from autoanalyzer.errors import SourceError
from autoanalyzer.instrument.compiler import CompilerCommand
from autoanalyzer.instrument.fortran_front_end import FortranFrontEnd

ROOT: Final = Path(__file__).parents[1]
SECONDS: Final = 5  # a source of the tests takes milliseconds
COMPILED: Final = 8  # of so many that the compiler takes one is compiled to the end
SUFFIXES: Final = {"FIXED": (".f",), "FREE": (".f90",)}
FLAGS: Final = ("-fopenmp", "-fopenacc", "-fbackslash", "-ffixed-line-length-132", "-fd-lines-as-code", "-std=gnu")
TOKEN: Final = re.compile(r"\w+|[^\w\s]|[ \t]+|\n")
WORDS: Final = """
    do|end do|enddo|if (n == 1) then|else|end if|end|return|contains|exit|cycle|go to 10|10|continue|!$omp parallel do|&
    |;|'|"|!|(|)|=|,|::|subroutine x|end subroutine|function f(x)|program p|select case (n)|case (1)|end select|block
    |end block|where (a > 0)|forall (i = 1:2)|associate (q => n)|stop|call sub(n)|entry e|interface|end interface|type t
    |type(t)|module m|end module|print *, n|5Habcde|format (i4)|data n /1/|implicit none|do concurrent (i = 1:2)|%
    |do while (n < 3)|include 'x.inc'|# 7 "other.h"|D|c|*|\t|\\|if (n) 10, 20, 30|read (*, *, end=10)|assign 10 to n
    |pure|goto n
"""
INSERTED: Final = [word.strip(" \n") for word in WORDS.split("|")]


class Source(NamedTuple):
    """A source of the tests, as a list of lines."""

    origin: str
    suffixes: tuple[str, ...]
    lines: tuple[str, ...]


class Mutant(NamedTuple):
    """A changed source; ``number`` makes it again."""

    number: int
    origin: str
    name: str
    flags: tuple[str, ...]
    text: str


def sources() -> list[Source]:
    """Collect the sources that the tests hold as constants; the constant's name says in which forms it can be read."""
    found = []
    for path in sorted(ROOT.glob("tests/instrument/fortran/test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                name, value = ast.unparse(node.targets[0]), node.value.value
                if isinstance(value, str) and "\n" in value:
                    value = value.encode().decode("latin-1")
                    suffixes = SUFFIXES.get(name.partition("_")[0], (".f", ".f90"))
                    found.append(Source(f"{path.stem}.{name}", suffixes, tuple(value.splitlines(keepends=True))))
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
    """Repeat a line somewhere."""
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))


def splice(lines: list[str], chance: random.Random, other: Source) -> None:
    """Put lines of another source in."""
    at, start = chance.randrange(len(lines) + 1), chance.randrange(len(other.lines))
    lines[at:at] = other.lines[start : start + chance.randrange(1, 12)]


def insert_line(lines: list[str], chance: random.Random, _: Source) -> None:
    """Put a statement in."""
    lines.insert(chance.randrange(len(lines) + 1), f"      {chance.choice(INSERTED)}\n")


def change_token(lines: list[str], chance: random.Random, _: Source) -> None:
    """Replace, delete, double or swap tokens of a line."""
    at = chance.randrange(len(lines))
    tokens = TOKEN.findall(lines[at]) or [""]
    place = chance.randrange(len(tokens))
    match chance.randrange(5):
        case 0:
            tokens[place] = chance.choice(INSERTED)
        case 1:
            del tokens[place]
        case 2:
            tokens.insert(place, tokens[place])
        case 3:
            tokens.insert(place, chance.choice(TOKEN.findall(chance.choice(lines)) or [""]))
        case 4:
            other = chance.randrange(len(tokens))
            tokens[place], tokens[other] = tokens[other], tokens[place]
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
    """Put two lines into one."""
    at = chance.randrange(len(lines))
    lines[at] = lines[at].rstrip("\n") + chance.choice(["; ", " ", "&", ""])


CHANGES: Final[list[Callable[[list[str], random.Random, Source], None]]] = [
    *(swap_lines, delete_lines, delete_lines, double_line, splice, insert_line, insert_line),
    *(change_token, change_token, change_token, change_character, change_character, shift_line, join_lines),
]


def mutant(number: int, corpus: list[Source]) -> Mutant:
    """Make the mutation with a number."""
    chance = random.Random(number)
    source = chance.choice(corpus)
    lines = list(source.lines)
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 6])):
        chance.choice(CHANGES)(lines, chance, chance.choice(corpus))
        lines = lines or ["\n"]
    suffixes = source.suffixes if chance.random() < 0.9 else (".f", ".f90")
    flags = tuple(flag for flag in FLAGS if chance.random() < 0.1)
    return Mutant(number, source.origin, f"x{chance.choice(suffixes)}", flags, "".join(lines))


class Workshop:
    """A folder in which mutants are tried, and a count of what became of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outcomes: Counter[str] = Counter()
        self.refusals: list[str] = []

    def trouble(self, case: Mutant) -> str:
        """Try a mutant; tell what went wrong."""
        command = CompilerCommand(["gfortran", *case.flags, case.name])
        signal.alarm(SECONDS)
        try:
            text = FortranFrontEnd(command).instrument(command.sources[0], case.text.encode("latin-1")).text
        except SourceError as error:
            text, reason = b"", error.message
        except Exception:
            return traceback.format_exc()
        finally:
            signal.alarm(0)
        accepted = not self._messages("plain", case, case.text.encode("latin-1"), "-fsyntax-only")
        self.outcomes["taken by the compiler" if accepted else "refused by the compiler"] += 1
        if not text and accepted:
            self.refusals.append(f"mutation {case.number} is refused by the front end alone: {reason}")
        if not text or not accepted:
            return ""
        compiles = self.outcomes["taken by the compiler"] % COMPILED == 0
        return self._messages("probed", case, text, *(("-c", "-O1") if compiles else ("-fsyntax-only",)))

    def _messages(self, folder: str, case: Mutant, text: bytes, *words: str) -> str:
        """Compile a text; give the compiler's messages if it does not take it."""
        place = self.folder / folder
        place.mkdir(exist_ok=True)
        (place / case.name).write_bytes(text)
        command = ["gfortran", "-w", "-std=legacy", *case.flags, *words, case.name]
        done = subprocess.run(command, cwd=place, capture_output=True, check=False, timeout=60)
        return done.stderr.decode("utf-8", "replace") or "failed" if done.returncode else ""


def main() -> int:
    """Try as many mutations as asked for; fail if one made trouble."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mutations", type=int, default=2000, metavar="N", help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="where the numbers begin, in millions")
    parser.add_argument("--first", type=int, metavar="NUMBER", help="the number of the first mutation")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where sources that made trouble are kept")
    options = parser.parse_args()
    first = options.first if options.first is not None else options.seed * 1_000_000
    signal.signal(signal.SIGALRM, _hang)
    corpus = sources()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(Path(folder))
        for number in range(first, first + options.mutations):
            case = mutant(number, corpus)
            if trouble := workshop.trouble(case):
                failures += 1
                sys.stdout.write(
                    f"mutation {number} of {case.origin} as {case.name} {' '.join(case.flags)}\n{trouble}\n"
                )
                if options.keep:
                    options.keep.mkdir(exist_ok=True)
                    (options.keep / f"{number}{Path(case.name).suffix}").write_bytes(case.text.encode("latin-1"))
    sys.stdout.writelines(f"{refusal}\n" for refusal in workshop.refusals)
    sys.stdout.writelines(f"{count:6} {outcome}\n" for outcome, count in workshop.outcomes.items())
    sys.stdout.write(f"{failures:6} failures in {options.mutations} mutations\n")
    return 1 if failures else 0


def _hang(*_: object) -> None:
    raise TimeoutError(f"no end within {SECONDS} s")


if __name__ == "__main__":
    sys.exit(main())
