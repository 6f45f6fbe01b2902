"""Read CUBE 3 XML, written by autoanalyzer or by other tools."""

from __future__ import annotations

from typing import Final

import numpy as np
from lxml import etree

from ...errors import InputError
from ..experiment import Experiment
from ..severities import LazySeverities
from ..source import Source
from .broken import broken_parts
from .head import CubeHead
from .matrices import CubeMatrices, escaped, parser_for, severities_end
from .wrapped import below_zero

__all__ = ["MAX_VALUES", "check_size", "read_cube"]

MAX_VALUES: Final = 1 << 29  # maximum number of values of one metric, which take 4 GiB

_CHUNK: Final = 1 << 16
_MAX_HEAD: Final = 1 << 29
_SEVERITY: Final = b"<severity"
_BOM: Final = b"\xef\xbb\xbf"


def read_cube(source: Source) -> Experiment:
    """Read a CUBE 3 file; severities are read when a metric is first used.

    Raises:
        InputError: The file is not CUBE 3 XML, has a later version, is inconsistent, or has a document type, which is
            refused before it is parsed, because experiments need no entities.
    """
    if not source.read(0, 256).removeprefix(_BOM).lstrip().startswith(b"<"):
        raise InputError(f"{source.path}: expected an experiment (CUBE 3 XML), found a file of another kind")
    with broken_parts(source.path, "CUBE 3 XML"):
        try:
            head, content = _read_head(source)
        except etree.XMLSyntaxError:
            head, content = _read_head(source, mended=True)
        return _experiment(source, head, content)


def _experiment(source: Source, head: CubeHead, content: tuple[int, int] | None) -> Experiment:
    head.check_version()
    stored = head.metrics()
    paths = head.call_paths()
    locations = head.system.locations(ours=head.ours)
    check_size(len(paths), len(locations))
    matrices = CubeMatrices(
        source,
        content,
        places=head.places(),
        # Values in a row are in the order of the threads' numbers. The head may list the threads in another order.
        columns=np.argsort([number for number, _ in locations]),
        metrics={each.metric.name: each for each in stored},
        known=head.metric_numbers(),
    )
    metrics = [each.metric for each in stored]
    severities = LazySeverities([metric.name for metric in metrics], matrices.read)
    return Experiment(
        metrics=metrics,
        call_paths=paths,
        locations=[location for _, location in locations],
        severities=severities,
        topologies=head.system.topologies(dict(locations)),
        notes=head.notes(*(() if head.ours else below_zero(metrics, severities))),
        numbers=head.numbers(),
    )


def check_size(call_paths: int, locations: int) -> None:
    """Check that a metric is not too large for memory.

    Raises:
        InputError: One metric has more than ``MAX_VALUES`` values.
    """
    if call_paths * locations > MAX_VALUES:
        raise InputError(
            f"expected at most {MAX_VALUES:,} values per metric, found {call_paths:,} call paths x {locations:,} "
            "locations"
        )


def _read_head(source: Source, *, mended: bool = False) -> tuple[CubeHead, tuple[int, int] | None]:
    """Read the head of a file, up to the severities.

    Args:
        source: The file.
        mended: Whether to repair invalid XML, which requires the whole text at once.

    Returns:
        The head, and the offsets at which the content of ``<severity>`` starts and ends; None if it is empty.
    """
    head = CubeHead("3")
    parser = parser_for(head)
    pending: list[bytes] = []
    offset = 0
    while chunk := source.read(offset, _CHUNK):
        at = chunk.find(_SEVERITY)
        if at >= 0 and not head.in_severity:
            tag = source.read(offset + at, _CHUNK)
            chunk = chunk[:at] + tag[: tag.find(b">") + 1 or len(tag)]
        elif len(chunk) == _CHUNK:
            chunk = chunk[: max(chunk.rfind(b"<", 1 - len(_SEVERITY)), 0) or len(chunk)]
        before = head.in_severity
        offset += len(chunk)
        pending.append(chunk)
        if not mended:
            parser.feed(pending.pop())
        elif at >= 0:
            parser.feed(escaped(b"".join(pending)))
            pending.clear()
        if head.in_severity and not before and not chunk.endswith(b"/>"):
            if at < 0:
                raise InputError("expected text in UTF-8 or a single-byte encoding, found another encoding")
            return head, (offset, severities_end(source, offset))
        if offset > _MAX_HEAD:
            raise InputError(f"expected at most {_MAX_HEAD >> 20} MiB before the severities, found more")
    parser.feed(escaped(b"".join(pending)))
    parser.close()
    return head, None
