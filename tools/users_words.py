"""Check the texts that users read for words that have a better alternative, and for lines too long for a terminal.

Users read README.md, the pages in docs/ except those for developers, and the product's string literals that contain
sentences: help texts, messages and templates. Code in a page is not checked, because it is output or consists of names.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
MOST_COLUMNS: Final = 100
"""Maximum width in columns of a template that contains line breaks; other texts are wrapped when they are printed."""

WORDS: Final = {
    r"processor": "core, if it is one",
    r"turns?": "iteration; waiting for a core",
    r"HEAVY|weighs?": "hot spot; takes time",
    r"parts ranks|ranks part": "imbalance",
    r"computing|compute time|time on a processor": "busy time",
    r"for whom": "which ranks wait for which",
    r"volume|moving": "transfer",
    r"cccr": "culprit; named region",
    r"measuring cost": "overhead",
    r"tells? apart": "distinguish",
    r"saves at most|on a processor": "estimated saving",
    r"sure|doubts?|vouch(es)?": "confidence",
    r"remarks?|caveats?|complaints?|notes?": "warning",
    r"without probes|throttled|folded": "too small to measure separately",
    r"told|tells?|says?|said": "report, show",
    r"the paper|paper \d+": "author and year",
}
"""Pattern of a word that the glossary replaces → what to write instead.

"Because" and "left out" are not checked, because they have other uses.
"""

EXCEPTIONS: Final = {
    "processor": {
        "docs/cluster.md": "an architecture",
        "docs/commands/calibrate.md": "a model",
        "docs/commands/counters.md": "a model",
        "docs/counts.md": "a model",
        "view/counters_here.py": "a model",
    },
    "turns": {"runtime/papi/sources.py": "the source of a metric, in files"},
    "turn": {"view/pursuit/report.py": "in turn"},
    "computing": {
        "docs/findings.md": "a part of the account",
        "view/account.py": "a part of the account",
        "view/verdict/headline.py": "what busy time is",
    },
    "volume": {
        "analyze/run/foreign_metrics.py": "the cause MPI volume",
        "docs/findings.md": "the cause MPI volume",
        "docs/reading-a-verdict.md": "the cause MPI volume",
        "view/causes.py": "the cause MPI volume",
    },
    "notes": {"experiment/notes.py": "a part of a file"},
    "note": {"instrument/merged_stub.py": "a section of an object"},
    "remark": {"view/page/document.py": "a class of style"},
    "tell": {"instrument/included_files.py": "the time"},
    "without probes": {
        "docs/commands/aa-mpicc.md": "programs that are not instrumented",
        "docs/findings.md": "programs that are not instrumented",
        "docs/how-to.md": "programs that are not instrumented",
        "docs/not-instrumented.md": "programs that are not instrumented",
        "docs/reference.md": "programs that are not instrumented",
    },
    "throttled": {
        "docs/commands/run.md": "where throttling is defined",
        "runtime/gather/shard_reader.py": "a record in a file",
    },
    "folded": dict.fromkeys(
        (
            *("docs/bridges.md", "docs/commands/convert.md", "experiment/bridges/folded.py"),
            *("experiment/bridges/kinds.py", "experiment/export/formats.py"),
        ),
        "folded stacks",
    ),
}
"""Word → file → what the word means there."""

_PRINTING: Final = ("cli/", "doctor/", "runs/", "view/")
_FENCED: Final = re.compile(r"^```.*?^```$", re.M | re.S)
_CODE: Final = re.compile(r"`[^`\n]*`|\]\([^)\s]*\)")
_WORDS: Final = {word: re.compile(rf"(?<![\w-])(?:{word})(?![\w-])") for word in WORDS}
_FOR_DEVELOPERS: Final = re.compile(
    r"docs/(evidence/|design\.md)|(tests|tools|benchmarks|samples|packaging)/|setup\.py"
)


def main() -> str | None:
    """Return a message for each fault in all texts, one per line; None if there are no faults."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [file for file in listed.stdout.splitlines() if not _FOR_DEVELOPERS.match(file) and (ROOT / file).exists()]
    pages = [file for file in files if file == "README.md" or re.match(r"docs/.*\.md", file)]
    sources = [file for file in files if file.endswith(".py")]
    faults = [
        *(fault for file in pages for fault in faults_of_page(file, (ROOT / file).read_text())),
        *(fault for file in sources for fault in faults_of_source(file, (ROOT / file).read_text())),
    ]
    return "\n".join(faults) or None


def faults_of_page(file: str, text: str) -> Iterator[str]:
    """Yield a message for each word outside a page's code that has a better alternative."""
    blank = _FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
    for number, line in enumerate(blank.splitlines(), 1):
        yield from _faults(file, number, _CODE.sub(" ", line))


def faults_of_source(file: str, text: str) -> Iterator[str]:
    """Yield a message for each word in a source's literals that has a better alternative, and for each long line."""
    for number, literal in _literals(ast.parse(text)):
        if " " in literal.strip():
            yield from _faults(file, number, literal)
        if file.startswith(_PRINTING):
            lines = literal.split("\n")[:-1]
            yield from (f"{file}:{number}: {len(each)} columns" for each in lines if len(each) > MOST_COLUMNS)


def _faults(file: str, number: int, text: str) -> Iterator[str]:
    for word, pattern in _WORDS.items():
        found = pattern.search(text)
        if found and file not in EXCEPTIONS.get(found[0].lower(), ()):
            yield f"{file}:{number}: {found[0]!r}: write {WORDS[word]!r}"


def _literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each literal that is not a docstring; placeholders are empty."""
    nodes = list(ast.walk(tree))
    others = {node.value for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            others |= set(node.values)
            yield node.lineno, "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in others:
            yield node.lineno, node.value


if __name__ == "__main__":
    sys.exit(main())
