"""The lines that ``perf script`` prints: samples, stack frames, and the header that ``--header`` adds."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["Head", "frame", "frequency", "head", "is_header", "is_idle", "is_sample"]

_WHO: Final = r"(?P<number>\d+)(?:/(?P<thread>\d+))?"
_CPU: Final = r"(?:\[\d+\]\s+)?"
_EVENT: Final = r"(?P<event>[A-Za-z]\S{0,200}):(?=\s|$)"
_REST: Final = r"(?:\s+(?P<rest>\S.*))?\s*$"
_COMMAND: Final = r"(?P<command>\S.{0,30}?)\s+"
# ``perf script -F`` can omit any field. Lines with a time, or with a number before the event, are never stack frames.
_CERTAIN: Final = (
    re.compile(
        rf"(?:{_COMMAND})??(?:{_WHO}\s+)?{_CPU}(?P<time>\d+\.\d+):(?:\s+(?P<period>\d+)(?=\s|$))?(?:\s+{_EVENT})?{_REST}"
    ),
    re.compile(rf"(?:{_COMMAND})??{_WHO}\s+{_CPU}(?:(?P<period>\d+)\s+)?{_EVENT}{_REST}"),
)
_UNCERTAIN: Final = re.compile(rf"{_COMMAND}{_EVENT}{_REST}")

_ADDRESS: Final = re.compile(r"[0-9a-f]{1,16}")
_BARE: Final = re.compile(r"[0-9a-f]{4,16} \S+(?: \S+)*")
_OFFSET: Final = re.compile(r"\+0x[0-9a-f]+$")
_UNKNOWN: Final = "[unknown]"
_INLINED: Final = "inlined"  # printed instead of a file name for inlined functions
_IDLE: Final = "swapper"
_DELETED: Final = " (deleted))"  # printed after the name of a deleted file

_COMMENT: Final = "#"
_HEADER: Final = re.compile(r"# (perf version|captured on|cmdline|event) ?:")
_RECORDED: Final = re.compile(r"# cmdline :.*?\srecord\s(?P<options>.*)")
_OF_OPTION: Final = re.compile(r"(?:^|\s)(?:-F\s*|--freq[= ])(\d+)(?=\s|$)")
_OF_EVENT: Final = re.compile(r"# event :.*\{ sample_period, sample_freq \} = (\d+),(?=.*\bfreq = 1\b)")


class Head(NamedTuple):
    """The first line of a sample.

    Attributes:
        command: The name of the command; empty if it is not printed.
        process: The number of the process, or of the thread if only that is printed; None if neither is printed.
        thread: The number of the thread; None unless both numbers are printed.
        event: The event that was counted; empty if it is not printed.
        period: The number of events per sample; None if it is not printed.
        frame: The remaining part of the line: the function of a sample without a stack.
    """

    command: str
    process: int | None
    thread: int | None
    event: str
    period: int | None
    frame: str


def head(line: str) -> Head | None:
    """Parse the first line of a sample; return None for any other line."""
    text = line.strip()  # without stacks, perf pads the names of commands
    if text.startswith(_COMMENT):
        return None
    found = next(filter(None, (each.match(text) for each in _CERTAIN)), None)
    if found is None and frame(line) is None:
        found = _UNCERTAIN.match(text)
    if found is None:
        return None
    said = found.groupdict()
    process, thread, period = (
        None if said.get(each) is None else int(said[each]) for each in ("number", "thread", "period")
    )
    return Head(said["command"] or "", process, thread, said.get("event") or "", period, said.get("rest") or "")


def frame(line: str) -> str | None:
    """Return the function in a line of a stack, ``55d0 main+0x10 (/bin/ring)``; None for any other line.

    The name of an unknown function is its file in brackets, or empty if the file is unknown, too.
    """
    text = line.strip()
    if text.endswith(_DELETED):
        text = f"{text.removesuffix(_DELETED)})"
    address, _, rest = text.partition(" ")
    symbol, _, place = rest.rpartition(" (")
    name = _OFFSET.sub("", symbol.strip())
    inside = place.removesuffix(")")
    if name and _ADDRESS.fullmatch(address) and inside != place and not {"(", ")"} & set(inside):
        if name != _UNKNOWN:
            return name
        return "" if inside in (_UNKNOWN, _INLINED) else f"[{inside.rpartition('/')[2].strip('[]')}]"
    if line[:1].isspace() and _BARE.fullmatch(text):  # a frame without a file, as with -F ip,sym
        return _OFFSET.sub("", "" if rest == _UNKNOWN else rest)
    return None


def is_idle(command: str, process: int) -> bool:
    """Return whether a process is the kernel's idle task, which runs on idle cores."""
    return command == _IDLE and process == 0


def is_sample(line: str) -> bool:
    """Return whether a line belongs to a sample, as its first line or as a line of its stack."""
    return frame(line) is not None or head(line) is not None


def is_header(line: str) -> bool:
    """Return whether a line belongs to the header that ``--header`` adds."""
    return bool(_HEADER.match(line))


def frequency(line: str) -> int | None:
    """Return the sampling frequency in Hz from a line of the header; None if the line does not contain it."""
    if command := _RECORDED.match(line):
        found = _OF_OPTION.search(command["options"].partition(" -- ")[0])
    else:
        found = _OF_EVENT.match(line)
    return int(found[1]) or None if found else None
