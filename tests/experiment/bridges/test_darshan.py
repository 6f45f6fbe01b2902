"""Logs of Darshan: counters equal those that its package reports, for files of single ranks and for shared files."""

import struct
import zlib

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load

from .conftest import FOREIGN

SIMPLE, SHARED = FOREIGN / "simple.darshan", FOREIGN / "ior.darshan"
POSIX_PLACE = 56  # position in the header of the offset and size of the records of module 1, POSIX


@pytest.fixture(scope="module")
def simple():
    return load(SIMPLE)


@pytest.fixture(scope="module")
def shared():
    return load(SHARED)


def _reported(file, module="POSIX"):
    import darshan  # noqa: PLC0415 - takes a third of a second of each worker of pytest

    report = darshan.DarshanReport(str(file), read_all=False)
    report.mod_read_all_records(module)
    tables = report.records[module].to_df()
    return tables["counters"], tables["fcounters"], report.name_records


def test_counters_by_file_and_rank_are_those_that_darshan_reports(simple):
    counters, times, names = _reported(SIMPLE)
    rows = {path.region.function: row for row, path in enumerate(simple.call_paths)}
    assert len(counters) == 48
    for counted, timed in zip(counters.to_dict("records"), times.to_dict("records"), strict=True):
        row, rank = rows[names[counted["id"]]], counted["rank"]
        seconds = sum(timed[f"POSIX_F_{each}_TIME"] for each in ("READ", "WRITE", "META"))
        assert simple.exclusive("io_time")[row, rank] == pytest.approx(seconds)
        assert simple.exclusive("io_bytes_written")[row, rank] == counted["POSIX_BYTES_WRITTEN"]
        assert simple.exclusive("POSIX_OPENS")[row, rank] == counted["POSIX_OPENS"]


def test_sums_of_a_shared_file_are_those_that_darshan_reports_and_ranks_have_mean_parts(shared):
    counters, _, _ = _reported(SHARED)
    assert counters["rank"].tolist() == [-1]
    written = shared.exclusive("io_bytes_written").sum(axis=0)
    assert written.sum() == counters["POSIX_BYTES_WRITTEN"].sum() == 4 * written[0]
    assert shared.exclusive("POSIX_READS").sum() == counters["POSIX_READS"].sum()
    assert any("1 file that all ranks opened" in each for each in shared.notes.remarks)


def test_each_rank_takes_as_long_as_the_run(simple, values):
    assert values(simple, "wall_time", inclusive=True)["a.out"] == [1.0] * 16


def test_what_darshan_has_not_counted_is_no_metric(simple):
    counters, _, _ = _reported(SIMPLE)
    assert set(counters["POSIX_MMAPS"]) == {-1}
    assert "POSIX_MMAPS" not in simple
    assert not any((simple.exclusive(each.name) < 0).any() for each in simple.metrics)


def test_streams_are_no_regular_files(shared):
    row = next(row for row, path in enumerate(shared.call_paths) if path.region.name == "<STDOUT>")
    assert not shared.exclusive("io_bytes")[row].any()
    assert shared.exclusive("STDIO_BYTES_WRITTEN")[row, 0] > 0


def test_the_verdict_is_about_file_io(shared):
    findings = analyze(shared)
    assert findings.run.program_time == pytest.approx(1.0)
    assert findings.experiment.exclusive("io_bytes").sum() > 0


@pytest.mark.parametrize("size", [16, 4000])
def test_a_log_that_is_cut_off_is_refused_in_a_line(size, tmp_path):
    (tmp_path / "a.darshan").write_bytes(SIMPLE.read_bytes()[:size])
    with pytest.raises(InputError, match=rf"^{tmp_path}/a.darshan: expected .*\Z"):
        load(tmp_path / "a.darshan")


def test_a_log_that_is_partial_says_which_modules_lack_files(simple, tmp_path):
    content = bytearray(SIMPLE.read_bytes())
    content[20] |= 1 << 1  # the flag of module 1, POSIX, in the header
    (tmp_path / "a.darshan").write_bytes(content)
    assert (
        "Darshan: the log does not cover all files of POSIX, so the sums are too low"
        in load(tmp_path / "a.darshan").notes.remarks
    )
    assert not any("partial" in each for each in simple.notes.remarks)


def test_a_time_below_0_is_left_out_and_named(simple, tmp_path):
    """Some releases wrote negative times for metadata operations."""
    name, taken = next(
        (path.region.name, seconds)
        for path, row in zip(simple.call_paths, simple.exclusive("POSIX_F_META_TIME"), strict=True)
        for seconds in row
        if seconds > 0
    )
    content = bytearray(SIMPLE.read_bytes())
    start, size = struct.unpack_from("<QQ", content, POSIX_PLACE)
    first = zlib.decompressobj()
    records = first.decompress(content[start : start + size])
    impossible = records.replace(struct.pack("<d", taken), struct.pack("<d", -221.5))
    changed = zlib.compress(impossible) + first.unused_data
    struct.pack_into("<QQ", content, POSIX_PLACE, len(content), len(changed))
    (tmp_path / "a.darshan").write_bytes(content + changed)
    found = load(tmp_path / "a.darshan")
    assert found.exclusive("wall_time").min() == 0
    assert found.exclusive("io_time").sum() == pytest.approx(simple.exclusive("io_time").sum() - taken)
    assert f"Darshan: negative times are left out ({name}), so the sums are too low" in found.notes.remarks
