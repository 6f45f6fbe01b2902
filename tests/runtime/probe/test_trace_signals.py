"""Time lines of programs interrupted by signals, which need real time."""

from __future__ import annotations

from .conftest import Record
from .test_trace import check, traced


def test_signal_handlers_that_come_in_between_do_no_harm(record: Record) -> None:
    words = "+main surprises times 200 +f -f spin 1 ; calm -main"
    ((shard, lines),) = traced(record, words, AUTOANALYZER_TRACE_MEMORY="1M")
    check(shard, lines, apart=1e-3)
