"""The report of mpiP on four ranks, of which rank 0 works three times as long."""

import re
from collections import defaultdict

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load

from .conftest import FOREIGN

FILE = FOREIGN / "ring.mpiP"


def _rows(title):
    section = FILE.read_text().partition(f"@--- {title}")[2].partition("@---")[0]
    return [line.split() for line in section.splitlines() if re.match(r"\w+ +\d+ +\d+ ", line)]


def _by_function(experiment, metric):
    found = defaultdict(float)
    for path, row in zip(experiment.call_paths, experiment.exclusive(metric), strict=True):
        for rank, value in enumerate(row):
            if value and path.region.kind in ("mpi", "io"):
                found[path.region.name, rank] += value
    return found


def test_times_counts_and_bytes_by_rank_are_those_of_the_report():
    experiment = load(FILE)
    times, visits, sent, written = (defaultdict(float) for _ in range(4))
    for name, _, rank, count, _, mean, *_ in _rows("Callsite Time statistics"):
        times[f"MPI_{name}", int(rank)] += int(count) * float(mean) / 1e3
        visits[f"MPI_{name}", int(rank)] += int(count)
    for name, _, rank, *_, total in _rows("Callsite Message Sent statistics"):
        sent[f"MPI_{name}", int(rank)] += float(total)
    for name, _, rank, *_, total in _rows("Callsite I/O statistics"):
        written[f"MPI_{name}", int(rank)] += float(total)
    assert len(times) == 20
    assert _by_function(experiment, "wall_time") == pytest.approx(times, rel=0.01)  # the report has three digits
    assert _by_function(experiment, "visits") == visits
    assert _by_function(experiment, "mpi_bytes_sent") == sent
    assert _by_function(experiment, "io_bytes_written") == written == _by_function(experiment, "io_bytes")


def test_the_whole_program_takes_what_the_report_says(values):
    tasks = re.findall(r"^ +\d +(\S+) +(\S+) +\S+$", FILE.read_text(), re.M)
    experiment = load(FILE)
    found = values(experiment, "wall_time", inclusive=True)["ring"]
    assert found == pytest.approx([float(whole) for whole, _ in tasks])
    inside = (experiment.exclusive("mpi_time") + experiment.exclusive("io_time")).sum(axis=0)
    assert inside == pytest.approx([float(seconds) for _, seconds in tasks])


WAITING = """@ mpiP
@ Command : ./a
@--- MPI Time (seconds) ---
Task    AppTime    MPITime     MPI%
   0       10       1.00    10.00
   1       10       9.98    99.80
@--- Callsites: 1 ---
 ID Lev File/Address        Line Parent_Funct             MPI_Call
  1   0 a.c                  10 main                     Recv
@--- Callsite Time statistics (all, milliseconds): 2 ---
Name              Site Rank  Count      Max     Mean      Min   App%   MPI%
Recv                 1    0    100      453       10   0.0156  12.84  94.79
Recv                 1    1   {count}      453     1.01   0.0156  12.84  94.79
@--- End of Report ---
"""


def test_a_rank_that_mostly_waits_keeps_its_own_time_whatever_rounding_adds(tmp_path, values):
    (tmp_path / "a.mpiP").write_text(WAITING.format(count=9930))  # 10.03 s; the rank took only 10 s
    found = values(load(tmp_path / "a.mpiP"), "wall_time")
    assert found == {"a": pytest.approx([9, 0.02]), "a/main": [0, 0], "a/main/MPI_Recv": pytest.approx([1, 9.98])}


def test_call_sites_beyond_what_rounding_explains_are_refused(tmp_path):
    (tmp_path / "a.mpiP").write_text(WAITING.format(count=11_000))
    with pytest.raises(InputError, match="negative time on rank 1"):
        analyze(load(tmp_path / "a.mpiP"))


def test_call_sites_are_below_the_functions_of_their_stacks():
    experiment = load(FILE)
    places = {experiment.path_name(each): path for each, path in enumerate(experiment.call_paths)}
    send = next(path for name, path in places.items() if name.endswith("main/exchange/MPI_Sendrecv"))
    assert (send.site, experiment.call_paths[send.parent].region.file) == (8, "ring.c")
    assert next(path for name, path in places.items() if name.endswith("main/MPI_File_open")).region.kind == "io"


def test_the_verdict_names_who_works_longer_and_who_waits():
    findings = analyze(load(FILE))
    assert findings.dissimilarity.exists
    assert findings.experiment.notes.remarks[-1].startswith("mpiP: no times for functions outside MPI")
    assert findings.experiment.exclusive("io_time").sum() == pytest.approx(load(FILE).exclusive("io_time").sum())


def test_call_sites_that_are_not_listed_are_the_rest_of_the_time_in_mpi(tmp_path, values):
    text = FILE.read_text()
    (tmp_path / "a.mpiP").write_text("".join(each for each in text.splitlines(True) if not each.startswith("Sendrecv")))
    whole, part = (load(each) for each in (FILE, tmp_path / "a.mpiP"))
    for metric in ("wall_time", "mpi_time"):
        both = [values(each, metric, inclusive=True)["ring"] for each in (whole, part)]
        assert both[0] == pytest.approx(both[1], rel=0.01)


# 400,000 blanks once took minutes, because each of them was tried as an end.
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("heading", "start"),
    [("", "@ Command"), ("", "@--- MPI Time"), ("@--- Callsites: 20 ---\n", "  1   0 ring.c  10 main")],
)
def test_a_line_of_many_blanks_is_read(heading, start, tmp_path):
    text = FILE.read_text()
    where = text.index("@--- MPI Time")
    line = f"{heading}{start}{' ' * 400_000}x\n"
    (tmp_path / "a.mpiP").write_text(f"{text[:where]}{line}{text[where:]}")
    found, expected = (load(each).exclusive("wall_time").sum() for each in (tmp_path / "a.mpiP", FILE))
    assert found == pytest.approx(expected)


def test_a_concise_report_is_refused(tmp_path):
    (tmp_path / "a.mpiP").write_text("@ mpiP\n@ Command : ./ring\n@--- End of Report ---\n")
    with pytest.raises(InputError, match=r"expected times per task .*, found none; concise reports"):
        load(tmp_path / "a.mpiP")


@pytest.mark.parametrize(
    ("size", "place"),
    [(300, "before its first section"), (3000, 'in "@--- Callsites"'), (-200, 'in "@--- Callsite I/O statistics"')],
)
def test_a_report_that_is_cut_off_is_refused(size, place, tmp_path):
    (tmp_path / "a.mpiP").write_text(FILE.read_text()[:size])
    with pytest.raises(InputError) as refused:
        load(tmp_path / "a.mpiP")
    assert f'ends with "@--- End of Report", found one that is truncated {place}; use the complete file' in str(
        refused.value
    )
