"""Traces: the values of each location over time."""

from .csv_reader import TraceReader, read_trace
from .csv_writer import write_trace
from .equal_steps import EqualSteps, KnownSoFar, samples_of
from .means import means, rates
from .open_trace import open_trace
from .samples import Samples
from .series import Series, every_series, series_of
from .time_line import TimeLine, Trace
from .trace_archive import load_trace, save_trace

__all__ = [
    "EqualSteps",
    "KnownSoFar",
    "Samples",
    "Series",
    "TimeLine",
    "Trace",
    "TraceReader",
    "every_series",
    "load_trace",
    "means",
    "open_trace",
    "rates",
    "read_trace",
    "samples_of",
    "save_trace",
    "series_of",
    "write_trace",
]
