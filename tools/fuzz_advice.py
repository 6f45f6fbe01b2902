"""Change sources at random, and check that advice on them takes little time, and is given or refused in one line.

The sources are the samples, or those of real programs (``--sources``). Each mutant is read in a separate process, so
that crashes of libclang are noticed, too, and advice is requested on all causes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from fuzz_languages import CXX_WORDS, FORTRAN_WORDS, words
from mutations import Mutant, Source, mutant
from trials import Trials, apart

from autoanalyzer.advise.advice import Site
from autoanalyzer.advise.advise import KINDS
from autoanalyzer.advise.c_family import read_c_family
from autoanalyzer.advise.fortran import read_fortran
from autoanalyzer.errors import SourceError

SAMPLES: Final = Path(__file__).parents[1] / "samples"
SUFFIXES: Final = {
    "c": (".c",),
    "c++": (".cpp", ".cc", ".cxx", ".hpp"),
    "fortran": (".f", ".f90"),
}


def main() -> int:
    """Try the requested number of mutations; return 1 if one showed an error, otherwise 0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--language", choices=SUFFIXES, default="c", help="(default: %(default)s)")
    parser.add_argument("--sources", type=Path, default=SAMPLES, metavar="FOLDER", help="sources to change")
    trials = Trials(parser)
    corpus = _sources(trials.options.sources, trials.options.language)
    with tempfile.TemporaryDirectory() as folder:
        for number in trials:
            case = mutant(number, corpus)
            outcome, trouble = apart(partial(_advised, case, Path(folder)))
            trials.outcomes[outcome or "trouble"] += 1
            if trouble:
                trials.failed(number, f"from {case.origin}\n{trouble}", case.name, case.text.encode("latin-1"))
    return trials.end()


def _sources(folder: Path, language: str) -> list[Source]:
    table = FORTRAN_WORDS if language == "fortran" else CXX_WORDS
    files = [each for each in sorted(folder.rglob("*")) if each.suffix in SUFFIXES[language] and each.is_file()]
    return [
        Source(str(each), (each.suffix,), (), words(table), tuple(each.read_text("latin-1").splitlines(keepends=True)))
        for each in files
    ]


def _advised(case: Mutant, folder: Path) -> str:
    """Read a mutant, and request advice on all its procedures and causes; return the outcome in a word or two."""
    path = folder / case.name
    text = case.text.encode("latin-1")
    path.write_bytes(text)
    try:
        source = (read_fortran if path.suffix in SUFFIXES["fortran"] else read_c_family)(text, path)
    except SourceError as error:
        if "\n" in str(error):
            raise
        return "refused"
    sources = {source.path: source}
    count = 0
    for procedure in source.procedures:
        for causes, kind in KINDS:
            site = Site(source, procedure, procedure.line, procedure.last_line, causes, 1.0, {}, sources)
            count += sum(1 for _ in kind(site))
    return "read, with advice" if count else "read, without advice"


if __name__ == "__main__":
    sys.exit(main())
