"""Find advice for findings in the program's sources, and write it as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..analyze import Findings
from ..errors import InputError
from .place import at_line, clipped, visible
from .sources import Sources

if TYPE_CHECKING:  # imported on demand, because most verdicts need no sources
    from ..advise import Advice, Advised, Limits

__all__ = ["find_advice", "not_advised", "reason_of", "remedy_of", "tips", "tries"]

_LONGEST: Final = 240  # maximum length of advice in a verdict: two lines on a wide terminal, three on a narrow one
_MOST: Final = 2 * _LONGEST  # maximum length of advice that cannot be shortened by dropping clauses


def find_advice(
    findings: Findings,
    file: Path,
    *,
    folders: Sequence[Path] = (),
    tell: Callable[[str], object] = str,
    limits: Limits | None = None,
) -> Advised | None:
    """Return advice for findings whose sources are found and have not changed since the build.

    Args:
        findings: The findings.
        file: The experiment's file.
        folders: Folders to search first for sources.
        tell: Progress callback, called with a text that contains the name of the file being read.
        limits: Limits for the process that reads sources; None for the defaults.

    Returns:
        The advice; None if the verdict has no findings.
    """
    # This process must compute the findings, because only this process can use the other processes of an analysis job.
    if not findings.verdict.findings:
        return None
    from ..advise import Advised, Limits, in_limited_process  # noqa: PLC0415

    last = ""

    def tell_on(name: str) -> None:
        nonlocal last
        last = visible(name)
        tell(f"looking for advice in {last}")

    try:
        work = partial(_advise, findings, Sources(findings.experiment, file, folders))
        return in_limited_process(work, tell_on, limits or Limits())
    except (InputError, OSError) as error:
        said = f"no advice{f' on {last} or any other file' if last else ''}: {error}"
    except Exception as error:  # a bug in the search for advice must not prevent the verdict
        said = _defect(error)
    return Advised(remarks=(said,), lacking=(said,))


def _advise(findings: Findings, sources: Sources, tell: Callable[[str], object]) -> Advised:
    """Return the advice, and call ``tell`` with the name of each file that is read."""
    from ..advise import Advised, Found, advise  # noqa: PLC0415

    def find(name: str) -> Found:
        tell(name)
        source = sources.find(name)
        if source.path is None:
            return Found(None, "the source is not available")
        return Found(source.path, source.warning)

    try:
        return advise(findings, find)
    except MemoryError:
        raise
    except Exception as error:
        said = _defect(error)
        return Advised(remarks=(said,), lacking=(said,))


def _defect(error: Exception) -> str:
    return f"no advice, because of a bug in autoanalyzer; please report it: {_where(error)}"


def _where(error: Exception) -> str:
    """Return an error and the line of this package that raised it: ``KeyError: 'x' (nest.py:12)``."""
    from traceback import extract_tb  # noqa: PLC0415 - errors are not expected

    *_, frame = extract_tb(error.__traceback__)
    return f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"


def tries(advice: Iterable[Advice], *, whole: bool) -> list[str]:
    """Return a line per piece of advice: ``try at work.c:12: …``, or ``try: …`` if the text contains the location.

    Args:
        advice: The advice for a finding, the most certain first.
        whole: Whether to print long advice in full instead of shortening it.
    """
    return [_line(each, each.text, whole) for each in advice]


def remedy_of(advice: Advice, *, whole: bool) -> str:
    """Return the line ``try: …`` for advice whose reason is on a line of its own."""
    return _line(advice, advice.remedy, whole)


def reason_of(advice: Advice, *, whole: bool) -> str:
    """Return why ranks or threads differ according to the source; empty if the advice does not explain it."""
    text = _with_places(advice, advice.reason)
    if not whole and len(text) > _LONGEST:
        text = f"{clipped(text, _LONGEST)} (see autoanalyzer analyze --all)"
    return visible(text)


def _with_places(advice: Advice, text: str) -> str:
    for place in advice.places:
        file, _, line = place.rpartition(":")
        text = text.replace(place, at_line(file, int(line)))
    return text


def _line(advice: Advice, text: str, whole: bool) -> str:
    text = _with_places(advice, text)
    file, _, line = advice.places[0].rpartition(":")
    first = at_line(file, int(line))
    start = "try: " if re.search(rf"{re.escape(first)}(?![0-9])", text) else f"try at {first}: "
    said = ["a guess from the source"] if advice.confidence == "low" else []
    if not whole and (short := _shortened(text, _LONGEST - len(start))) != text:
        text = short
        said.append("see autoanalyzer analyze --all")
    end = f" ({'; '.join(said)})" if said else ""
    return visible(f"{start}{text}{end}")


def _shortened(text: str, length: int) -> str:
    """Return advice shortened to ``length`` characters by dropping clauses; its main observation and step are kept."""
    seen, colon, cure = text.partition(": ")
    clauses = [seen.split("; "), cure.split("; ")]
    for each in clauses:
        while len(each) > 1 and len(text) > length:
            del each[-1]
            text = colon.join("; ".join(part) for part in clauses)
    return clipped(text, _MOST)


def tips(advice: Iterable[Advice], file: str) -> dict[int, list[str]]:
    """Map the number of each line of a file that is mentioned in advice to texts of advice.

    Each piece of advice is listed at the first line that it mentions in the file; the other lines have no text.
    """
    found: dict[int, list[str]] = {}
    for each in advice:
        places = (place.rpartition(":") for place in each.places)
        lines = dict.fromkeys(int(line) for name, _, line in places if name == file)
        for line in lines:
            found.setdefault(line, [])
        for line in [*lines][:1]:
            found[line] += [said for said in tries([each], whole=True) if said not in found[line]]
    return found


def not_advised(advised: Advised, *, everything: bool) -> list[str]:
    """Return the reasons why there is no advice for some files.

    By default, return at most one line: the first reason that may explain why a finding has no advice, and
    the number of other such reasons.

    Args:
        advised: The advice.
        everything: Whether to return all reasons, one per line.
    """
    lines = [visible(each) for each in (advised.remarks if everything else advised.lacking)]
    if everything:
        return lines
    more = f" (and {len(lines) - 1} more: autoanalyzer analyze --all)" if len(lines) > 1 else ""
    return [lines[0] + more] if lines else []
