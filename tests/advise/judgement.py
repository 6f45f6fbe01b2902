"""Judge advice on small programs whose right advice is known, and print a table: ``python -m tests.advise.judgement``.

The programs are in ``judged/``. A comment (``//= kind`` or ``!! kind``; in fixed form ``C! kind`` in the line above)
names the advice that is right for a line. Procedures without such a comment have no fault. Another comment (``//#``,
``!#`` or ``C#``) contains measurements; behind code, the region is only this line. Each kind of advice is requested for
each procedure, whatever the procedure's causes.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from autoanalyzer.advise.advice import Site
from autoanalyzer.advise.advise import KINDS
from autoanalyzer.advise.c_family import read_c_family
from autoanalyzer.advise.fortran import read_fortran
from autoanalyzer.advise.nest import SourceFile

__all__ = ["Judgement", "judge", "precision"]

PROGRAMS: Final = Path(__file__).parent / "judged"
_RIGHT: Final = re.compile(r"(?://=|!!) (.+)$|^C! (.+)$")
_MEASURED: Final = re.compile(r"(?://|!|^C)# (.+)$")


@dataclass
class Judgement:
    """The right, wrong and missing advice.

    Attributes:
        right: Number of correct suggestions, by kind.
        wrong: Wrong suggestions, each as ``file:line: kind: text``.
        missed: Faults without advice, each as ``procedure: kind``.
        faults: Number of faults, by kind.
        clean: Number of procedures without a fault.
        alarmed: Names of the procedures without a fault that have advice.
    """

    right: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    clean: int = 0
    alarmed: list[str] = field(default_factory=list)


def judge() -> Judgement:
    """Compare the advice on all programs with the comments in them."""
    found = Judgement()
    for path in sorted(PROGRAMS.iterdir()):
        read = read_fortran if path.suffix in (".f", ".f90") else read_c_family
        source = read(path.read_bytes(), path)
        text = path.read_text().splitlines()
        for number in range(len(source.procedures)):
            _judge_procedure(found, source, number, text)
    return found


def _judge_procedure(found: Judgement, source: SourceFile, number: int, text: list[str]) -> None:
    procedure = source.procedures[number]
    lines = range(procedure.line, procedure.last_line + 1)
    right, marked = dict(_right(text, lines)), dict(_right(text, range(1, len(text) + 1)))
    numbers: dict[str, float] = {}
    first, last = procedure.line, procedure.last_line
    for line in lines:
        if match := _MEASURED.search(text[line - 1]):
            numbers |= {name: float(value) for name, value in (each.split("=") for each in match[1].split())}
            if text[line - 1][: match.start()].strip():
                first = last = line
    causes = frozenset().union(*(each for each, _ in KINDS))
    site = Site(source, procedure, first, last, causes, 1.0, numbers, {source.path: source})
    advised = dict.fromkeys(each for _, kind in KINDS for each in kind(site))
    name = Path(source.path).name
    met, is_alarmed = set(), False
    for each in advised:
        places = {int(place.rpartition(":")[2]) for place in each.places}
        hit = {line for line, kind in marked.items() if kind == each.kind and line in places}
        met |= hit
        if not hit:
            is_alarmed = True
            found.wrong.append(f"{name}:{min(places)}: {each.kind}: {each.text}")
        elif hit.intersection(lines):  # advice on a procedure's callers is counted there
            found.right[each.kind] += 1
    found.faults.update(right.values())
    found.missed += [f"{procedure.name}: {kind}" for line, kind in right.items() if line not in met]
    if not right:
        found.clean += 1
        found.alarmed += [procedure.name] if is_alarmed else []


def _right(text: list[str], lines: range) -> Iterator[tuple[int, str]]:
    """Yield the lines of faults, each with the kind of advice that is right."""
    for line in lines:
        if match := _RIGHT.search(text[line - 1]):
            yield (line, match[1]) if match[1] else (line + 1, match[2])


def precision(found: Judgement) -> dict[str, float]:
    """Return the share of suggestions that are right, by kind."""
    wrong = _wrong(found)
    kinds = {*found.right, *wrong}
    return {kind: found.right[kind] / (found.right[kind] + wrong[kind]) for kind in kinds}


def _wrong(found: Judgement) -> Counter[str]:
    return Counter(each.split(": ")[1] for each in found.wrong)


def table(found: Judgement) -> str:
    """Return precision and recall by kind as a table."""
    rows = ["| kind | faults | found | suggestions | right |", "|---|---:|---:|---:|---:|"]
    wrong, missed = _wrong(found), Counter(each.split(": ")[1] for each in found.missed)
    for kind, right in sorted(precision(found).items()):
        given, faults = found.right[kind] + wrong[kind], found.faults[kind]
        rows.append(f"| {kind} | {faults} | {faults - missed[kind]} | {given} | {found.right[kind]} ({right:.0%}) |")
    rows.append(f"\nWith advice: {len(found.alarmed)} of {found.clean} procedures without a fault.")
    return "\n".join(rows)


if __name__ == "__main__":
    judgement = judge()
    lines = [*(f"wrong: {each}" for each in judgement.wrong), *(f"missed: {each}" for each in judgement.missed)]
    sys.stdout.write("\n".join([table(judgement), *lines]) + "\n")
