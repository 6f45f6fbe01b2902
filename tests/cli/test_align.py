"""``align``: options, errors, warnings."""

import json

import numpy as np
import pytest

from autoanalyzer.experiment.trace import load_trace

HEADER = "time,process,thread,ipc,misses[occ]"


def trace_text(times, values) -> str:
    rows = (f"{at:.6f},0,0,{value:.6f},{1 - value:.6f}" for at, value in zip(times, values, strict=True))
    return "\n".join([HEADER, *rows, ""])


def shape(at):
    return 1 + 0.5 * np.sin(at) * (at > 4) + 0.8 * (at > 13) - 0.6 * ((at > 17) & (at < 18))


@pytest.fixture
def pair(here, tmp_path):
    """Write a trace, and one of the same work that begins 3 s later and takes 50 % longer."""
    at = np.arange(0, 20, 0.05)
    (tmp_path / "a.csv").write_text(trace_text(at, shape(at)))
    later = np.arange(0, 33, 0.05)
    (tmp_path / "b.csv").write_text(trace_text(later, shape(np.clip((later - 3) / 1.5, 0, None))))
    return here


def test_an_interval_is_found_in_the_other_trace(pair):
    done = pair("align", "--metric", "ipc", "--interval", "13:17", "a.csv", "b.csv", "--json", "-")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["schema"] == "autoanalyzer.alignment/1"
    assert found["intervals"]["a.csv"] == [13, 17]
    assert found["intervals"]["b.csv"] == pytest.approx([3 + 13 * 1.5, 3 + 17 * 1.5], abs=0.33)
    assert found["error"] == found["errors"]["b.csv"] >= 0
    assert found["by"] == {"b.csv": "warping"}
    assert found["warnings"] == []


def test_it_is_printed_too(pair):
    done = pair("align", "--metric", "ipc", "--interval", "13:17", "a.csv", "b.csv")
    assert done.returncode == 0
    said = done.stdout.decode()
    assert "The interval of ipc in each trace" in said
    assert "warping," in said


def test_a_boundary_where_nothing_happens_is_warned_of(pair):
    found = json.loads(pair("align", "--metric", "ipc", "--interval", "2:17", "a.csv", "b.csv", "--json", "-").stdout)
    assert any("hardly changes from" in each for each in found["warnings"])


def test_a_trace_aligned_with_a_copy_stays_where_it_is(pair, tmp_path):
    (tmp_path / "c.csv").write_text((tmp_path / "a.csv").read_text())
    found = json.loads(
        pair("align", "--metric", "ipc", "--interval", "5:9", "a.csv", "c.csv", "b.csv", "--json", "-").stdout
    )
    assert found["intervals"]["c.csv"] == pytest.approx([5, 9], abs=1e-6)
    assert found["errors"]["c.csv"] == 0
    assert set(found["intervals"]) == {"a.csv", "b.csv", "c.csv"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--metric", "ipc", "--interval", "13:40"), "expected an interval within -0.05 to 19.95 s, found 13:40"),
        (("--metric", "ipc", "--interval", "13-14"), "a later end in seconds, such as 12.5:18, found '13-14'"),
        (("--metric", "ipc", "--interval", "14:13"), "expected a start and a later end in seconds"),
        (("--metric", "cpi", "--interval", "1:2"), "a.csv: expected the metric cpi, found no metric of this name"),
        (("--metric", "ipc", "--interval", "1:2", "--by", "anchors"), "b.csv: --by anchors needs traces from run"),
        (("--metric", "ipc", "--interval", "1:2", "--band", "7"), "argument --band: expected a share from 0 to 1"),
        (("--metric", "ipc", "--interval", "1:2", "--rank", "3"), "samples of ipc on these ranks, found none"),
        (("--metric", "ipc", "--interval", "1:2", "--by", "anchors", "--penalty", "1"), "need --by warping"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_a_line(pair, words, said):
    done = pair("align", *words, "a.csv", "b.csv")
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert said in line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a trace that begins with time,process,thread, found an empty file"),
        (f"{HEADER}\n", "expected samples of ipc, found none"),
        (f"{HEADER}\n1,0,0,5,1\n", "expected at least two known samples of ipc, found 1 of 1"),
        (f"{HEADER}\n1,0,0,,1\n2,0,0,,1\n", "expected samples of ipc, found none"),
        (f"{HEADER}\n1,0,0,inf,1\n", "expected a finite number, found 'inf'"),
    ],
)
def test_a_trace_with_nothing_to_align_is_refused(pair, tmp_path, text, said):
    (tmp_path / "b.csv").write_text(text)
    done = pair("align", "--metric", "ipc", "--interval", "1:2", "a.csv", "b.csv")
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert said in line


def test_files_that_are_missing_or_named_twice_are_refused(pair):
    for words, said in (
        (("a.csv", "none.csv"), "none.csv: cannot be read"),
        (("a.csv", "a.csv"), "expected each trace once"),
    ):
        done = pair("align", "--metric", "ipc", "--interval", "1:2", *words)
        assert done.returncode == 2
        assert said in done.stderr.decode()


def test_runs_of_one_program_are_aligned_by_their_regions(tool, here):
    tool.build(PROGRAM)
    for folder in ("one", "two"):
        done = tool(
            "autoanalyzer", "run", "--trace", "0.002", "-o", folder, "--no-analyze", "--", "mpirun", "-n", "2", "./app"
        )
        assert done.returncode == 0, done.stderr
    whole = load_trace(tool.folder / "one" / "trace.npz").line(0).end[-1]
    interval = f"{0.5 * whole}:{0.8 * whole}"
    done = here("align", "--metric", "mpi_time", "--interval", interval, "one", "two", "--json", "-")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["by"] == {"two": "anchors"}
    start, end = found["intervals"]["two"]
    assert start < end
    refused = here("align", "--metric", "mpi_time", "--interval", "0:1", "one", "/")
    assert b"expected trace.npz, found none; run the program with --trace" in refused.stderr


PROGRAM = """
#include <mpi.h>
static double work(long steps) {
    double sum = 0;
    for (long i = 0; i < steps; i++)
        sum += 1.0 / (i + 1);
    return sum;
}
int main(int argc, char **argv) {
    double sum = 0, total;
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 40; step++) {
        sum += work(500000);
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""
