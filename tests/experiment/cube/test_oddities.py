"""Unusual but valid CUBE 3 text, in small files."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Experiment, Location, flat, load, save, select
from autoanalyzer.view.dump import write_csv

METRICS = "<metrics><metric id='7'><uniq_name>time</uniq_name><uom>sec</uom></metric></metrics>"
REGIONS = "".join(f"<region id='{number}'><name>{name}</name></region>" for number, name in enumerate("fgh"))
PATHS = "<cnode id='5' calleeId='0'><cnode id='2' calleeId='1'/></cnode><cnode id='9' calleeId='2'/>"
THREADS = "".join(
    f"<process Id='{rank}'><rank>{rank}</rank><thread Id='{number}'><rank>0</rank></thread></process>"
    for rank, number in ((1, 4), (0, 8))
)
ROWS = '<row cnodeId="9">1 2</row>\n<row cnodeId="2">\n3\n4\n</row>'


def cube(
    *,
    metrics: str = METRICS,
    paths: str = PATHS,
    threads: str = THREADS,
    rows: str = ROWS,
    more: str = "",
    end: str = "",
) -> str:
    return (
        f"<cube version='3.0'>{metrics}<program>{REGIONS}{paths}</program><system><machine Id='0'><name>m</name>"
        f"<node Id='0'><name>n</name>{threads}</node></machine>{more}</system>"
        f"<severity><matrix metricId='7'>{rows}</matrix></severity>{end}</cube>"
    )


def csv_of(experiment: Experiment) -> str:
    said = io.StringIO()
    write_csv(experiment, [metric.name for metric in experiment.metrics], said)
    return said.getvalue()


@pytest.fixture
def read(tmp_path: Path):
    def read(text: str, name: str = "e.cube") -> Experiment:
        file = tmp_path / name
        file.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        found = load(file)
        found.check()
        return found

    return read


def test_numbers_of_elements_may_stand_in_any_order(read):
    found = read(cube())
    assert [path.parent for path in found.call_paths] == [None, 0, None]
    assert found.locations == (Location("m", "n", 0, 0), Location("m", "n", 1, 0))
    # Values are in the order of the threads' numbers; that of rank 1 is first.
    assert found.exclusive("time").tolist() == [[0, 0], [4, 3], [2, 1]]


def test_a_matrix_that_is_not_there_is_zero(read):
    two = METRICS.replace("</metrics>", "<metric id='3'><uniq_name>visits</uniq_name></metric></metrics>")
    assert not read(cube(metrics=two)).exclusive("visits").any()


def test_severities_may_be_empty_or_missing(read):
    whole = cube()
    start, end = whole.index("<severity>"), whole.index("</severity>") + len("</severity>")
    for severities in ("", "<severity/>", "<severity></severity>", "<severity><!-- none --></severity>"):
        assert not read(whole[:start] + severities + whole[end:]).exclusive("time").any()


@pytest.mark.parametrize(
    "rows",
    [
        '<row cnodeId="9">&#49; 2</row><!-- between --><row cnodeId="2">3 4</row>',
        "<row  cnodeId='9' >1<!-- within -->\n2</row><row cnodeId='2'><![CDATA[3 4]]></row>",
        '<row cnodeId="9">1. +2</row><row cnodeId="2">3e0\t04</row>',
    ],
)
def test_rows_may_be_written_as_xml_allows(rows, read):
    assert read(cube(rows=rows)).exclusive("time").tolist() == [[0, 0], [4, 3], [2, 1]]


@pytest.mark.parametrize("dtype", ["UINT64", "UNSIGNED INTEGER"])
def test_unsigned_counts_that_wrapped_below_zero_are_negative_to_the_last_digit(dtype, read):
    metrics = METRICS.replace("</uom>", f"</uom><dtype>{dtype}</dtype>")
    rows = f'<row cnodeId="9">{2**64 - 100} 1412</row><row cnodeId="2">-7 {2**63 - 1024}</row>'
    found = read(cube(metrics=metrics, rows=rows))
    assert found.exclusive("time").tolist() == [[0, 0], [2**63 - 1024, -7], [1412, -100]]
    assert found.notes.remarks == (
        "time: 2 unsigned values wrapped around below zero and are read as negative, so that sums are correct",
    )


def test_other_metrics_may_be_as_large_as_they_are(read):
    rows = f'<row cnodeId="9">{2**64 - 100} -1412</row>'
    found = read(cube(rows=rows))
    assert found.exclusive("time")[2].tolist() == [-1412, 2**64]
    assert found.notes.remarks == ()


def test_call_paths_keep_the_numbers_of_their_file(read):
    found = read(cube())
    assert found.numbers == (5, 2, 9)
    assert csv_of(found).splitlines() == ["Cnode ID,time", "2,7", "5,0", "9,3"]
    assert found.replaced(notes=found.notes).numbers == (5, 2, 9)


def test_what_is_made_of_an_experiment_numbers_its_call_paths_by_itself(read, tmp_path):
    found = read(cube())
    save(found, tmp_path / "copy.cubex")
    for made in (found - found, found + found, flat(found), load(tmp_path / "copy.cubex")):
        assert made.numbers == (0, 1, 2)
    assert select(found, subtree="h").numbers == (0,)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("a & b", "a & b"),
        ("&", "&"),
        ("&lt;&", "<&"),
        ("&#38; &x y;", "& &x y;"),
        ("<![CDATA[a & b]]>", "a & b"),
        ("<!-- & -->&", "&"),
    ],
)
def test_an_ampersand_may_stand_for_itself(written, name, read):
    assert read(cube().replace("<name>g</name>", f"<name>{written}</name>")).call_paths[1].region.name == name


@pytest.mark.parametrize("lone", ["", "&"])
def test_an_entity_is_read_wherever_the_text_is_cut(lone, read):
    """Text is read in pieces of 64 KiB."""
    before, after = cube().split("<name>g</name>")
    for rest in range(40):
        many = "x" * ((1 << 16) - len(f"{before}<name>{lone}") - rest)
        region = read(f"{before}<name>{lone}{many}&quot;&amp;<![CDATA[&]]></name>{after}").call_paths[1].region
        assert region.name == f'{lone}{many}"&&'


@pytest.mark.parametrize("opener", ["<!--", "<![CDATA["])
def test_comments_that_do_not_end_are_refused_at_once(opener, read):
    with pytest.raises(InputError, match="broken XML"):
        read(cube().replace("<name>g</name>", f"<name>&{opener * 100_000}</name>"))


@pytest.mark.parametrize("start", ["", "<!-- read by the XML parser -->"])
def test_a_short_row_has_the_values_of_the_first_threads_and_this_is_said(start, read):
    rows = f'{start}<row cnodeId="9">1</row><row cnodeId="2">3 4</row><row cnodeId="5"></row>'
    with pytest.warns(UserWarning, match=r"e\.cube: time has fewer than 2 values for 2 of the call paths; the missing"):
        assert read(cube(rows=rows)).exclusive("time").tolist() == [[0, 0], [4, 3], [0, 1]]


def test_an_entity_that_nobody_knows_is_refused(read):
    with pytest.raises(InputError, match="broken XML: Entity 'b' not defined"):
        read(cube().replace("<name>g</name>", "<name>a&b;</name>"))


def test_a_rank_that_another_process_has_is_made_another_and_said(read):
    found = read(cube(threads=THREADS.replace("<rank>1", "<rank>0")))
    assert [place.process for place in found.locations] == [0, 1]
    assert found.exclusive("time").tolist() == [[0, 0], [3, 4], [1, 2]]
    assert found.notes.remarks == ("process 1 has the same rank as another process in the file",)


def test_ranks_of_two_machines_stand_one_after_the_other(read):
    again = THREADS.replace("Id='4'", "Id='5'").replace("Id='8'", "Id='9'")
    found = read(cube(threads=f"{THREADS}</node></machine><machine><node>{again}", rows="", metrics=METRICS))
    assert sorted((place.process, place.machine) for place in found.locations) == [(0, "m"), (1, "m"), (2, ""), (3, "")]
    assert found.notes.remarks == ("processes 2 to 3 have the same rank as another process in the file",)


def test_nan_is_missing_and_a_sign_of_zero_is_kept(read):
    values = read(cube(rows='<row cnodeId="9">nan -0.0</row>')).exclusive("time")
    assert np.isnan(values[2, 1])
    assert np.signbit(values[2, 0])


@pytest.mark.parametrize("row", ["0 -0", "nan -0", "-0 -0.0", "-0\n-0e0", "-0.5\n-0", "2e-0 -0"])
def test_a_zero_keeps_its_sign_however_it_is_written(row, read):
    values = read(cube(rows=f'<row cnodeId="9">{row}</row>')).exclusive("time")
    assert np.signbit(values[2, 0])


@pytest.mark.parametrize(("dtype", "row"), [("MINDOUBLE", "inf 1"), ("MAXDOUBLE", "-inf\n1"), ("MINDOUBLE", "1e999 1")])
def test_a_minimum_or_maximum_of_nothing_is_missing(dtype, row, read):
    metrics = METRICS.replace("</uom>", f"</uom><dtype>{dtype}</dtype>")
    values = read(cube(metrics=metrics, rows=f'<row cnodeId="9">{row}</row>')).exclusive("time")
    np.testing.assert_array_equal(values[2], [1, np.nan])


@pytest.mark.parametrize("space", "\x0b\x0c\x1c\x1d\x1e\x1f")
@pytest.mark.parametrize("row", ["1{}2", "{}1 2", "1 2{}", "1 {}2"])
def test_only_what_is_white_space_in_xml_parts_numbers(space, row, read):
    with pytest.raises(InputError, match="expected numbers in time of call path 9"):
        read(cube(rows=f'<row cnodeId="9">{row.format(space)}</row>'))


@pytest.mark.parametrize("space", "\x0b\x0c")
def test_nor_does_anything_else_part_rows(space, read):
    with pytest.raises(InputError):
        read(cube(rows=f'{ROWS}{space}<row cnodeId="5">1 2</row>'))


def test_a_metric_without_numbers_is_left_out_and_said(read):
    text = METRICS.replace(
        "</metric>", "<metric id='8'><uniq_name>h</uniq_name><dtype>HISTOGRAM(4)</dtype></metric></metric>"
    )
    found = read(cube(metrics=text))
    assert [metric.name for metric in found.metrics] == ["time"]
    assert found.notes.remarks == ("metric h was left out: its values (HISTOGRAM(4)) are not numbers",)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"rows": '<row cnodeId="9">1 2 3</row>'}, "expected 2 values of time for call path 9, found 3"),
        ({"rows": '<row cnodeId="9">1 x</row>'}, "expected numbers in time of call path 9"),
        ({"rows": '<row cnodeId="9">1 true</row>'}, "expected numbers"),
        ({"rows": '<row cnodeId="9">1,2</row>'}, "expected numbers"),
        ({"rows": '<row cnodeId="9">[1] 2</row>'}, "expected numbers"),
        ({"rows": '<row cnodeId="9">1_0 2</row>'}, "expected numbers"),
        ({"rows": '<row cnodeId="9">"1" 2</row>'}, "expected numbers"),
        ({"rows": '<row cnodeId="9">1 inf</row>'}, "found infinity"),
        ({"rows": '<row cnodeId="9">1 1e999</row>'}, "found infinity"),
        ({"rows": '<row cnodeId="1">1 2</row>'}, "found a row for the unknown call path 1"),
        ({"rows": ROWS + ROWS}, "found two rows for call path 9"),
        ({"rows": f'<row cnodeId="9">{"1 " * 1000}</row>'}, "values|characters"),
        ({"rows": f'<row cnodeId="9">{" " * 3_000_000}1 2</row>'}, "characters, found a longer one"),
        ({"rows": '<row cnodeId="9">1 2'}, "broken"),
        ({"rows": "<row>1 2</row>"}, "broken or missing"),
        ({"rows": "</matrix><matrix metricId='7'>"}, r"expected one matrix per metric \(1\), found 2"),
        ({"rows": "</matrix><matrix metricId='6'>"}, "expected one matrix per metric"),
        ({"rows": "<cnode/>"}, "expected rows in a matrix"),
        ({"end": "x"}, "broken XML"),
        (
            {"paths": "<cnode id='1' calleeId='0'/><cnode id='1' calleeId='0'/>"},
            "a different number for each call path, found 1 twice",
        ),
        ({"paths": "<cnode id='1' calleeId='4'/>"}, "a call path refers to region 4, which does not exist"),
        ({"paths": "<x>" * 5001 + "</x>" * 5001}, "at most 5,000 levels deep"),
        ({"threads": THREADS.replace("Id='8'", "Id='4'")}, "a different number for each thread"),
        ({"metrics": METRICS.replace("</metrics>", METRICS[len("<metrics>") :])}, "appears twice"),
        (
            {"more": "<topologies><cart ndims='2'><dim size='2' periodic='true'/></cart></topologies>"},
            "expected a topology with 2 dimensions, found one with 1",
        ),
        (
            {"more": "<topologies><cart ndims='1'><dim size='2'/><coord thrdId='4'>2</coord></cart></topologies>"},
            r"expected coordinates within \[2\], found \[2\]",
        ),
        (
            {"more": "<topologies><cart ndims='1'><dim size='2'/><coord thrdId='5'>1</coord></cart></topologies>"},
            "found coordinates of the unknown thread 5",
        ),
    ],
)
def test_what_contradicts_itself_is_refused_in_one_line(parts, message, read, tmp_path):
    for name in ("e.cube", "e.cube.gz"):
        with pytest.raises(InputError, match=message) as caught:
            read(cube(**parts), name)
        assert str(caught.value).startswith(str(tmp_path / name))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("place", "more"), [("<severity>", "x"), ("</cube>", "x"), ("</severity>", "<!--")])
def test_many_comments_before_something_wrong_are_refused_as_soon_as_few(place, more, read):
    with pytest.raises(InputError, match="broken XML"):
        read(cube().replace(place, f"{place}{'<!-- -->' * 400}{more}"))


def test_more_call_paths_than_fit_into_memory_are_refused(read, monkeypatch):
    monkeypatch.setattr("autoanalyzer.experiment.cube.head.LIMITS", {"cnode": 2})
    with pytest.raises(InputError, match="expected at most 2 <cnode> elements, found more"):
        read(cube())


def test_more_values_than_fit_into_memory_are_refused_before_they_are_made(read, monkeypatch):
    monkeypatch.setattr("autoanalyzer.experiment.cube.reader.MAX_VALUES", 5)
    with pytest.raises(InputError, match="expected at most 5 values per metric, found 3 call paths x 2 locations"):
        read(cube())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_an_encoding_whose_places_cannot_be_told_is_refused(encoding, tmp_path):
    file = tmp_path / "e.cube"
    file.write_bytes(cube().encode(encoding))
    with pytest.raises(InputError):
        load(file)


def test_elements_that_nobody_asks_for_may_stand_anywhere_unless_there_is_no_end_of_them(read):
    few, many = ("".join(f"<a{number:x}/>" for number in range(count)) for count in (1000, 20_000))
    assert read(cube(metrics=METRICS.replace("<uom>", few + "<uom>"))).metric("time").unit == "sec"
    with pytest.raises(InputError, match="at most 10,000 names of elements"):
        read(cube(metrics=METRICS.replace("<uom>", many + "<uom>")))
