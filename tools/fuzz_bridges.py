"""Change profiles of other tools at random, and see that the readers keep their promises on what comes of that.

As ``fuzz_experiments.py``: what a file is of is read or refused in one line, soon and in bounded memory, and what is
read can be shown, analysed, written and read back equal.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import shutil
import sys
from pathlib import Path
from typing import Final

from fuzz_experiments import DATA, USES, changed, read_and_used
from trials import Mutant, Trials, apart

FOLDER: Final = DATA / "foreign"
OPENED: Final = {"otf2": "otf2/traces.otf2"}  # of what is in a folder, what is read
TOKENS: Final = (
    *(b"nan", b"inf", b"-1", b"1e999", b"99999999999999999999", b"0", b"[0]", b"{}", b"null", b"*", b"\xff", b"\0"),
    *(b"\n", b"", b" ", b"\\", b"parent=", b"attr=8", b"-----\n", b"MPI_Send", b"x" * 5000, b"<spontaneous>"),
)
_WORD: Final = re.compile(rb"[^\s,:=\[\]{}\"]+")


def corpus(kind: str) -> dict[str, bytes]:
    """Give the real files, or those whose names have a part; what was packed is plain."""
    return {
        str(each.relative_to(FOLDER)).removesuffix(".gz"): gzip.decompress(each.read_bytes())
        if each.suffix == ".gz"
        else each.read_bytes()
        for each in sorted(FOLDER.rglob("*"))
        if kind in str(each.relative_to(FOLDER)) and each.is_file() and ".expected." not in each.name
    }


def mutant(number: int, files: dict[str, bytes]) -> Mutant:
    """Make the mutation of a number."""
    chance = random.Random(number)
    name = chance.choice(list(files))
    content = files[name]
    for _ in range(chance.choice([0, 1, 2, 4])):
        content = words_changed(content, chance)
    return Mutant(number, name, changed(content, chance) if chance.random() < 0.5 else content)


def tried(case: Mutant, folder: Path) -> tuple[str, str]:
    """Try a mutant in a process of its own, beside what belongs to it; give the outcome and what went wrong."""
    first, _, rest = case.name.partition("/")
    opened = OPENED.get(first, first)
    if rest:
        shutil.copytree(FOLDER / first, folder / first)
    return apart(lambda: read_and_used(case, folder, USES[-1:], opened))


def words_changed(content: bytes, chance: random.Random) -> bytes:
    """Replace a word by another one of the file, by a number or a token; or leave out, repeat or move a line."""
    words = list(_WORD.finditer(content))
    if not words or chance.random() < 0.3:
        lines = content.splitlines(keepends=True) or [b""]
        at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[to:to] = [lines[at]] * chance.choice([0, 1, 2])
        del lines[chance.randrange(len(lines))]
        return b"".join(lines)
    word = chance.choice(words)
    other = chance.choice([chance.choice(words)[0], b"%d" % chance.choice([0, 1, 7, 10**6, 10**12, -5])])
    return content[: word.start()] + chance.choice([other, other, chance.choice(TOKENS)]) + content[word.end() :]


def main() -> int:
    """Try as many mutations as asked for; fail if one made trouble."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kind", default="", help="files whose names have this part alone")
    trials = Trials(parser)
    files = corpus(trials.options.kind)
    return trials.of_files(lambda number: mutant(number, files), tried)


if __name__ == "__main__":
    sys.exit(main())
