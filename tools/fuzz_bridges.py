"""Change profiles of other tools at random, and check the readers' guarantees on the results.

As in ``fuzz_experiments.py``, each file is either read or refused in one line, quickly and in bounded memory. The
contents of a file that is read can be shown, analysed, written, and read back unchanged. Each kind of file is changed
``--mutations`` times; ``--kind`` with ``--first`` and a number repeats a mutation.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Final
from unittest import mock

from fuzz_experiments import DATA, USES, changed, read_and_used
from trials import Mutant, Trials, apart

from autoanalyzer.experiment.bridges import darshan, darshan_records
from autoanalyzer.experiment.bridges.damage import package

FOLDER: Final = DATA / "foreign"
OPENED: Final = {"otf2": "otf2/traces.otf2"}  # kind → the file to open; for other kinds, their only file or folder
DARSHAN: Final = "darshan"
NEW_PROCESS: Final = 50  # one in this many mutated Darshan logs is read by a new interpreter, as in commands
TOKENS: Final = (
    *(b"nan", b"inf", b"-1", b"1e999", b"99999999999999999999", b"0", b"[0]", b"{}", b"null", b"*", b"\xff", b"\0"),
    *(b"\n", b"", b" ", b"\\", b"parent=", b"attr=8", b"-----\n", b"MPI_Send", b"x" * 5000, b"<spontaneous>"),
)
_WORD: Final = re.compile(rb"[^\s,:=\[\]{}\"]+")


def corpus() -> dict[str, dict[str, bytes]]:
    """Return the uncompressed contents of real files of other tools, by kind (a folder or a file suffix) and path."""
    found: dict[str, dict[str, bytes]] = {}
    for each in sorted(FOLDER.rglob("*")):
        if each.is_file() and ".expected." not in each.name:
            name = str(each.relative_to(FOLDER)).removesuffix(".gz")
            kind = name.partition("/" if "/" in name else ".")[0 if "/" in name else 2]
            content = each.read_bytes()
            found.setdefault(kind, {})[name] = gzip.decompress(content) if each.suffix == ".gz" else content
    # Darshan is last, because it takes longer to fork a process that has loaded its library.
    return dict(sorted(found.items(), key=lambda kind: kind[0] == DARSHAN))


def mutant(number: int, files: dict[str, bytes]) -> Mutant:
    """Return the mutant with the given number: a real file, with words, bytes or both changed."""
    chance = random.Random(number)
    name = chance.choice(list(files))
    content = files[name]
    words = chance.choice([0, 1, 2, 4])
    for _ in range(words):
        content = words_changed(content, chance)
    return Mutant(number, name, changed(content, chance) if not words or chance.random() < 0.5 else content)


def tried(case: Mutant, folder: Path, every: int) -> tuple[str, str]:
    """Try a mutant in a separate process, with the files that belong to it; return the outcome, and what went wrong.

    Args:
        case: The mutant.
        folder: An empty folder to work in.
        every: One in this many mutants is also analysed.
    """
    opened = beside(case, folder)
    uses = USES[-1:] if case.number % every == 0 else ()
    with mock.patch(f"{darshan.__name__}._printed", printed_by_copy) if case.number % NEW_PROCESS else nullcontext():
        return apart(lambda: read_and_used(case, folder, uses, opened))


def beside(case: Mutant, folder: Path) -> str:
    """Copy the files that belong to a mutant, if it is in a folder; return the path to open, relative to ``folder``."""
    first, _, rest = case.name.partition("/")
    if rest:
        shutil.copytree(FOLDER / first, folder / first)
    return OPENED.get(first, first)


def prepare(kind: str, files: Mapping[str, bytes]) -> None:
    """Read and use a real file, so that forks of this process have all modules imported."""
    if kind == DARSHAN:
        package(f"{DARSHAN}.backend.cffi_backend", DARSHAN)
    case = Mutant(0, *next(iter(files.items())))
    with tempfile.TemporaryDirectory() as folder:
        read_and_used(case, Path(folder), USES[-1:], beside(case, Path(folder)))
    gc.collect()
    gc.freeze()  # otherwise a garbage collection in a fork would copy all shared memory


def printed_by_copy(path: Path) -> subprocess.CompletedProcess[bytes]:
    """Read a Darshan log in a fork of this process, which has the library imported; return status and output.

    This function replaces the one that starts a new interpreter for each log.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if not child:
            os.dup2(output.fileno(), 1)
            os.dup2(errors.fileno(), 2)
            status = 1
            with os.fdopen(1, "w") as sys.stdout, os.fdopen(2, "w") as sys.stderr:
                sys.argv = ["", str(path)]
                try:
                    darshan_records.main()
                    status = 0
                except BaseException:
                    traceback.print_exc()
            os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == -signal.SIGXCPU:  # the trial has the same limit, so it ends in the same way
            os.kill(os.getpid(), signal.SIGXCPU)
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess((), status, output.read(), errors.read())


def words_changed(content: bytes, chance: random.Random) -> bytes:
    """Return the content with a word replaced by another word, a number or a token, or with lines copied or removed."""
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
    """Try the requested number of mutations of each kind; return 1 if one showed an error, otherwise 0."""
    kinds = corpus()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kind", choices=[*kinds], help="change only files of this kind")
    parser.add_argument("--analyze-every", type=int, default=1, metavar="N", help="analyse only every Nth mutant")
    trials = Trials(parser)
    for kind in [trials.options.kind] if trials.options.kind else kinds:
        files = kinds[kind]
        prepare(kind, files)
        trials.of_files(partial(mutant, files=files), partial(tried, every=trials.options.analyze_every))
    return trials.end()


if __name__ == "__main__":
    sys.exit(main())
