"""Read profiles in JSON; their keys show which tool wrote them."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ...errors import InputError
from ..experiment import Experiment
from ..source import Source
from .caliper import read_document
from .chrome import events_of, read_events
from .text import whole_text

__all__ = ["read"]

_HEAD: Final = 1 << 20  # number of bytes that must contain at least one of the keys; otherwise, the JSON is not parsed
_KEYS: Final = re.compile(rb'"(traceEvents|ph|data|records|path|count|time[^"]*|\w+#[^"]*)"\s*:')


def read(source: Source) -> Experiment:
    """Read a trace in Chrome's format, or a Caliper profile.

    Raises:
        InputError: The file is neither of these, or is damaged.
    """
    if not _KEYS.search(source.read(0, _HEAD)):
        raise InputError("expected Caliper JSON (data or records) or a Chrome trace (events), found other JSON")
    document = _parsed(whole_text(source))
    events = events_of(document)
    return read_document(document) if events is None else read_events(events)


def _parsed(text: bytes) -> Any:
    """Parse JSON; the end of an array of events may be missing, for example if the program was killed."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        if not text.lstrip().startswith(b"["):
            raise
        return json.loads(text.rstrip().rstrip(b",") + b"]")
