"""OTF2 archives by OTF2's own writer: regions, messages, file I/O and counters become time lines."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import otf2
import pytest
from otf2.enums import (
    CollectiveOp,
    GroupType,
    IoHandleFlag,
    IoOperationFlag,
    IoOperationMode,
    IoParadigmClass,
    IoParadigmFlag,
    LocationType,
    MetricMode,
    MetricType,
    Paradigm,
    RegionRole,
    Type,
)
from otf2.events import (
    Enter,
    IoOperationBegin,
    IoOperationComplete,
    Leave,
    Metric,
    MpiCollectiveBegin,
    MpiCollectiveEnd,
    MpiSend,
)

from autoanalyzer.errors import InputError
from autoanalyzer.experiment.trace import Trace, open_trace
from autoanalyzer.experiment.trace.otf2 import read_otf2

TICKS = 1_000_000


def write(folder: Path, *, ranks: int = 2, killed: bool = False, empty: bool = False, late: int = 0) -> Path:
    """Write an archive of 10 s: main with work (2 to 5 s), a barrier (5 to 6 s), and file I/O (7 to 8 s)."""
    with otf2.writer.open(str(folder), timer_resolution=TICKS) as archive:
        definitions = archive.definitions
        machine = definitions.system_tree_node("cluster")
        node = definitions.system_tree_node("n1", parent=machine)
        main = definitions.region("main", source_file="a.c", begin_line_number=1, end_line_number=9)
        work = definitions.region("work", source_file="a.c", begin_line_number=11, end_line_number=19)
        barrier = definitions.region(
            "MPI_Barrier", source_file="MPI", region_role=RegionRole.BARRIER, paradigm=Paradigm.MPI
        )
        send = definitions.region(
            "MPI_Send", source_file="MPI", region_role=RegionRole.POINT2POINT, paradigm=Paradigm.MPI
        )
        reading = definitions.region("read", region_role=RegionRole.FILE_IO, paradigm=Paradigm.USER)
        member = definitions.metric_member(
            "PAPI_TOT_INS", unit="#", metric_type=MetricType.PAPI, metric_mode=MetricMode.ACCUMULATED_START
        )
        level = definitions.metric_member(
            "temperature", unit="K", metric_mode=MetricMode.ABSOLUTE_POINT, value_type=Type.DOUBLE
        )
        counters = definitions.metric_class([member])
        levels = definitions.metric_class([level])
        paradigm = definitions.io_paradigm("POSIX", "POSIX I/O", IoParadigmClass.SERIAL, IoParadigmFlag.OS, {})
        file = definitions.io_regular_file("data", machine)
        handle = definitions.io_handle("data", file, paradigm, IoHandleFlag.NONE, None, None)
        locations = [
            definitions.location(
                "Master thread",
                group=definitions.location_group(f"process {number}", system_tree_parent=node),
                type=LocationType.CPU_THREAD,
            )
            for number in range(ranks)
        ]
        by_rank = definitions.group(
            "", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=tuple(reversed(locations))
        )
        everybody = definitions.group(
            "world", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=by_rank.members
        )
        world = definitions.comm("MPI_COMM_WORLD", group=everybody)
        for location in locations:
            writer = archive.event_writer_from_location(location)
            if empty:
                continue

            def at(seconds: float, later: int = late * (location is locations[1])) -> int:
                return round((seconds + later * (seconds >= 10)) * TICKS)

            for event in (
                Metric(at(0), counters, [1000]),
                Enter(at(0), main),
                Metric(at(1), levels, [300.0]),
                Enter(at(2), work),
                Metric(at(2), counters, [1000]),
                Enter(at(3), work),  # recursive call
                Leave(at(4), work),
                Metric(at(5), counters, [7000]),
                Leave(at(5), work),
                Enter(at(5), barrier),
                MpiCollectiveBegin(at(5)),
                MpiCollectiveEnd(at(6), CollectiveOp.BARRIER, world, 0, 24, 8),
                Leave(at(6), barrier),
                Enter(at(6), send),
                MpiSend(at(6.25), 0, world, 5, 4096),
                Leave(at(6.5), send),
                Enter(at(7), reading),
                IoOperationBegin(at(7), handle, IoOperationMode.READ, IoOperationFlag.NONE, 512, 9),
                IoOperationComplete(at(8), handle, 500, 9),
                Leave(at(8), reading),
                Metric(at(9), levels, [310.0]),
            ):
                writer(event)
            if not killed:
                writer(Leave(at(10), main))
    return folder / "traces.otf2"


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    return read_otf2(write(tmp_path / "a"))


def total(trace: Trace, metric: str, begin: float = 0.0, end: float = 10.0) -> float:
    line = trace.line(0)
    inside = (line.begin >= begin - 1e-9) & (line.end <= end + 1e-9)
    return float(np.nansum(line.values[inside, trace.column(metric)]))


def test_regions_become_call_paths_of_ranks(trace: Trace) -> None:
    names = [path.region.name for path in trace.call_paths]
    assert names == ["main", "work", "MPI_Barrier", "MPI_Send", "read"]
    assert [path.parent for path in trace.call_paths] == [None, 0, 0, 0, 0]
    assert trace.call_paths[1].region[:3] == ("function", "work", "a.c")
    assert [path.region.kind for path in trace.call_paths[2:]] == ["mpi", "mpi", "io"]
    assert [(each.machine, each.node, each.process, each.thread) for each in trace.locations] == [
        ("cluster", "n1", 0, 0),
        ("cluster", "n1", 1, 0),
    ]


def test_ranks_are_those_of_mpi(tmp_path: Path) -> None:
    file = write(tmp_path / "a", late=1)
    lines = [*read_otf2(file).lines()]
    assert lines[1].seconds.sum() == pytest.approx(10)
    assert lines[0].seconds.sum() == pytest.approx(11), "the second location, which is rank 0, ends a second later"


def test_a_region_that_calls_itself_is_one_call_path_entered_twice(trace: Trace) -> None:
    line = trace.line(0)
    assert line.visits[line.paths == 1].sum() == 2
    assert line.seconds[line.paths == 1].sum() == pytest.approx(3)


@pytest.mark.parametrize(
    ("metric", "begin", "end", "wanted"),
    [
        ("wall_time", 0, 10, 10),
        ("wall_time", 2.5, 3.5, 1),
        ("mpi_time", 0, 10, 1.5),
        ("mpi_barrier_time", 5, 6, 1),
        ("mpi_point_to_point_time", 6, 6.5, 0.5),
        ("io_time", 7, 8, 1),
        ("visits", 0, 10, 6),
        ("mpi_calls", 0, 10, 2),
        ("mpi_bytes", 0, 10, 4128),
        ("mpi_bytes_sent", 6.2, 7, 4096),
        ("mpi_bytes_received", 0, 10, 8),
        ("io_calls", 0, 10, 1),
        ("io_bytes", 0, 10, 500),
        ("io_bytes_read", 7.9, 8.1, 500),
        ("PAPI_TOT_INS", 0, 10, 6000),
        ("PAPI_TOT_INS", 2, 3.5, 3000),
    ],
)
def test_what_passed_is_found_where_it_did(trace: Trace, metric: str, begin: float, end: float, wanted: float) -> None:
    assert total(trace, metric, begin, end) == pytest.approx(wanted, abs=1e-3 * wanted)


def test_a_level_holds_until_the_next_one(trace: Trace) -> None:
    line = trace.line(0)
    values = line.values[:, trace.column("temperature")]
    assert np.isnan(values[line.end < 1]).all()
    assert (values[(line.end >= 1) & (line.end < 9)] == 300).all()
    assert (values[line.end >= 9] == 310).all()


def test_times_in_call_paths_add_up_to_the_wall_time(trace: Trace) -> None:
    for line in trace.lines():
        sums = np.bincount(line.samples, line.seconds, len(line))
        np.testing.assert_allclose(sums, line.values[:, trace.column("wall_time")], atol=1e-9)


def test_what_a_killed_run_left_open_lasts_to_its_last_event(tmp_path: Path) -> None:
    trace = read_otf2(write(tmp_path / "a", killed=True))
    assert total(trace, "wall_time") == pytest.approx(9)


def test_an_archive_without_events_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected region entries, found no events"):
        read_otf2(write(tmp_path / "a", empty=True))


def test_no_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected an OTF2 archive, found none"):
        open_trace(tmp_path / "traces.otf2")


def test_without_the_package_it_is_said_which_to_install(tmp_path: Path) -> None:
    file = write(tmp_path / "a")
    program = (
        "import sys; sys.modules['otf2'] = None\n"
        "from pathlib import Path\n"
        "from autoanalyzer.experiment.trace import open_trace\n"
        f"try: open_trace(Path({str(file)!r}))\n"
        "except Exception as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "pip install 'autoanalyzer[otf2]'" in said


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_archive_is_refused_in_one_line_or_read(
    tmp_path: Path, seed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "a")
    chance = Random(seed)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    file = chance.choice(sorted(each for each in (tmp_path / "b").rglob("*") if each.is_file()))
    data = bytearray(file.read_bytes())
    for _ in range(chance.choice([1, 3, 10])):
        data[chance.randrange(len(data))] = chance.randrange(256)
    file.write_bytes(data[: chance.choice([len(data), chance.randrange(len(data))])])
    try:
        [*read_otf2(tmp_path / "b" / "traces.otf2").lines()]
    except InputError as error:
        assert "\n" not in str(error)
    assert capfd.readouterr() == ("", "")
