import io

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment.trace import Samples, TraceReader, read_trace

TRACE = b"""time,process,thread,reads[bytes],"a,b"
1.5,1,0,7,0.5
0.5,0,0,3,
0.5,0,1,nan,-1e3
"""


def read(text: bytes) -> Samples:
    return read_trace(io.BytesIO(text), "t.csv")


def test_a_trace_is_put_in_the_order_of_time():
    samples = read(TRACE)
    assert (samples.metrics, samples.units) == (("reads", "a,b"), ("bytes", ""))
    assert samples.times.tolist() == [0.5, 0.5, 1.5]
    assert [samples.locations[place] for place in samples.places] == [(0, 0), (0, 1), (1, 0)]
    assert np.array_equal(samples.values, [[3, np.nan], [np.nan, -1000], [7, 0.5]], equal_nan=True)


@pytest.mark.parametrize("step", [1, 3, 17])
def test_pieces_of_any_length_make_the_same_samples(step):
    reader = TraceReader("t.csv")
    parts = [reader.feed(TRACE[place : place + step]) for place in range(0, len(TRACE), step)]
    samples = Samples.none().with_more(*parts, reader.feed(b"", last=True))
    assert samples.times.tolist() == [1.5, 0.5, 0.5]
    assert list(samples.locations) == [(1, 0), (0, 0), (0, 1)]


@pytest.mark.parametrize(
    "text", [TRACE.replace(b"\n", b"\r\n"), TRACE.rstrip(), b"\xef\xbb\xbf" + TRACE, TRACE + b"\n\n"]
)
def test_ends_of_lines_and_files_do_not_matter(text):
    assert read(text).values.shape == (3, 2)


def test_a_header_alone_is_a_trace_without_samples():
    assert read(b"time,process,thread,x\n").values.shape == (0, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "found an empty file"),
        (b"a,b\n", "t.csv:1: expected a header time,process,thread,<metric>[<unit>],…, found 'a,b'"),
        (b"time,process,thread\n", "t.csv:1: expected a header"),
        (b"time,process,thread,x,x[s]\n", "found 'x' again"),
        (b"time,process,thread,x\n\n1,0,0\n", "t.csv:3: expected 4 fields, found 3"),
        (b"time,process,thread,x\n1,0,0,y\n", "t.csv:2: expected a number, found 'y'"),
        (b"time,process,thread,x\n1,0,0,inf\n", "t.csv:2: expected a finite number, found 'inf'"),
        (b"time,process,thread,x\n,0,0,1\n", "t.csv:2: expected a number, found ''"),
        (b"time,process,thread,x\n1,-1,0,1\n", "t.csv:2: expected a process or thread number"),
        (b"time,process,thread,x\n1,0,9999999999,1\n", "t.csv:2: expected a process or thread number"),
        (b'time,process,thread,x\n1,0,0,"1\n', "t.csv:2: expected a line of a trace"),
        (
            b"time,process,thread,x\n" + 9 * b"1,0,0,1\n" + b"1,0,0,\xff\n1",
            "t.csv:11: expected text in UTF-8, found byte 0xff",
        ),
        (b"time,process,thread,x\n1,0,0,1_000\n", "t.csv:2: expected a number, found '1_000'"),
        ("time,process,thread,x\n1,0,0,\u0661\n".encode(), "t.csv:2: expected a number, found '\u0661'"),
        (b"time,process,thread,x\n1763745943000000000,0,0,1\n", "t.csv:2: expected seconds, found '17637459430"),
        (b"time,process,thread,x,\n1,0,0,1,2\n", "t.csv:1: expected a name for each metric, found none in column 5"),
    ],
)
def test_what_is_no_trace_is_refused_with_its_line(text, said):
    with pytest.raises(InputError) as raised:
        read(text)
    assert said in str(raised.value)
