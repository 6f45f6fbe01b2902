"""Find out why a command failed, from its output."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["failure_reason"]

_OURS: Final = "autoanalyzer: "
_RULE: Final = re.compile(r"[-=*]{20,}$")  # a line above and below a launcher's message
_COMMENT: Final = re.compile(r"==\d+==|hwloc x86 backend|May be reenabled|and reloading them")
_TRACEBACK: Final = "Traceback (most recent call last):"
_RAISED: Final = re.compile(r"[A-Za-z_][\w.]*(: .*)?")  # the last line of a traceback


def failure_reason(text: str) -> str:
    """Return one line of a command's output that explains why it failed; empty if there is no output.

    The first of these lines that exists is returned: our own error, Python's exception, the last line before the
    launcher's message, or the first line of the launcher's message.
    """
    lines = [line for line in text.splitlines() if line.strip() and not _COMMENT.match(line)]
    ours = [line.removeprefix(_OURS) for line in lines if line.startswith(_OURS)]
    raised = _before_rule(lines[lines.index(_TRACEBACK) :]) if _TRACEBACK in lines else []
    raised = [line for line in raised if _RAISED.fullmatch(line)]
    launchers = (line for line in lines if not _RULE.match(line))
    return next(iter([*ours, *reversed(raised), *reversed(_before_rule(lines)), *launchers]), "").strip()


def _before_rule(lines: list[str]) -> list[str]:
    return lines[: next((place for place, line in enumerate(lines) if _RULE.match(line)), len(lines))]
