"""CUBE 4 archives: complete, unsafe and damaged ones."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Experiment, load, save
from autoanalyzer.experiment.aggregate import totals
from autoanalyzer.view.dump import write_csv

ANCHOR = """<cube version="4.4"><metrics>
<metric id="0" type="INCLUSIVE"><uniq_name>time</uniq_name><dtype>FLOAT</dtype><uom>sec</uom>
  <metric id="3" type="POSTDERIVED"><uniq_name>rest</uniq_name><dtype>FLOAT</dtype><uom>sec</uom>
    <metric id="1" type="INCLUSIVE"><uniq_name>mpi</uniq_name><dtype>UINT32</dtype><uom>sec</uom>
    </metric></metric></metric>
<metric id="2" type="EXCLUSIVE"><uniq_name>least</uniq_name><dtype>MINDOUBLE</dtype><uom>sec</uom></metric>
</metrics><program><region id="0"><name>f</name></region>
<cnode id="0" calleeId="0"><cnode id="1" calleeId="0"><cnode id="2" calleeId="0"/></cnode>
<cnode id="3" calleeId="0"/></cnode>
<cnode id="4" calleeId="0"/></program>
<system><systemtreenode Id="0"><name>cluster</name><class>machine</class><systemtreenode Id="1"><name>rack</name>
<class>rack</class><systemtreenode Id="2"><name>n0</name><class>node</class>
<locationgroup Id="0"><name>r0</name><rank>0</rank><type>process</type>
<location Id="0"><name>t</name><rank>0</rank><type>thread</type></location></locationgroup>
<locationgroup Id="1"><name>gpu</name><rank>0</rank><type>accelerator</type>
<location Id="1"><name>s</name><rank>0</rank><type>gpu</type></location></locationgroup>
</systemtreenode></systemtreenode></systemtreenode></system></cube>"""


def index(paths: list[int], order: str = "<", kind: int = 1) -> bytes:
    return b"CUBEX.INDEX" + struct.pack(f"{order}ihBi{len(paths)}i", 1, 0, kind, len(paths), *paths)


def data(values: list[float], kind: str = "<f8") -> bytes:
    return b"CUBEX.DATA" + np.array(values, kind).tobytes()


DENSE = index([], kind=3)[:18]  # without any data after the kind
BOMB = zlib.compress(bytes(1 << 20))
WHOLE = {
    "anchor.xml": ANCHOR.encode(),
    # In inclusive metrics, the order of call paths is 0, its children 1 and 3, then 2, then 4.
    "0.index": index([0, 1, 2, 3]),
    "0.data": data([10, 100, 5, 50, 2, 20, 1, 10]),
    "2.index": index([2, 4]),
    "2.data": data([1.5, np.inf, 2.5, 3.5]),
}


def pack(path: Path, members: dict[str, bytes], *, more: tuple[tarfile.TarInfo, ...] = ()) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for info in more:
            archive.addfile(info)
    return path


@pytest.fixture
def read(tmp_path: Path):
    def read(**changes: bytes) -> Experiment:
        members = WHOLE | {name.replace("_", ".").removeprefix("m"): content for name, content in changes.items()}
        return load(pack(tmp_path / "e.cubex", members))

    return read


def test_inclusive_values_become_exclusive_ones(read):
    found = read()
    assert found.inclusive("time").tolist() == [[10, 100], [5, 50], [1, 10], [2, 20], [0, 0]]
    assert found.exclusive("time").tolist() == [[3, 30], [4, 40], [1, 10], [2, 20], [0, 0]]


def test_inclusive_values_of_what_does_not_add_up_are_left_as_they_are(read):
    found = read(anchor_xml=ANCHOR.replace("<uom>sec</uom>", "<uom>%</uom>").encode())
    assert found.exclusive("time").tolist() == found.inclusive("time").tolist()
    assert found.exclusive("time")[:, 0].tolist() == [10, 5, 1, 2, 0]


def test_exclusive_metrics_number_call_paths_in_their_order_and_nothing_of_a_minimum_is_missing(read):
    found = read().exclusive("least")
    none = [np.nan, np.nan]
    np.testing.assert_array_equal(found, [none, none, [1.5, np.nan], none, [2.5, 3.5]])


def test_a_minimum_without_an_index_is_zero_and_one_whose_index_lists_nothing_is_missing(tmp_path):
    for members, expected in (({}, 0.0), ({"2.index": index([])[:18]}, np.nan)):
        found = load(pack(tmp_path / "e.cubex", {"anchor.xml": ANCHOR.encode(), **members}))
        np.testing.assert_array_equal(found.exclusive("least"), np.full((5, 2), expected))
        save(found, tmp_path / "copy.cubex")
        np.testing.assert_array_equal(load(tmp_path / "copy.cubex").exclusive("least"), found.exclusive("least"))


def test_a_least_value_of_minus_zero_is_printed_as_zero(read):
    said = io.StringIO()
    write_csv(read(m2_data=data([-0.0, -0.0, 2.5, 3.5])), ["least"], said)
    assert said.getvalue().splitlines() == ["Cnode ID,least", "0,nan", "1,nan", "2,0", "3,nan", "4,2.5"]


@pytest.mark.parametrize("nothing", [np.inf, np.finfo(float).max])
def test_a_minimum_of_nothing_is_missing_however_it_is_written(nothing, read):
    found = read(m2_data=data([1.5, nothing, 2.5, 3.5])).exclusive("least")
    np.testing.assert_array_equal(found[2], [1.5, np.nan])


def test_missing_values_are_equal_to_the_last_bit(read):
    bits = np.array([0xFFF0_0000_0000_0001, 0x7FFF_1234_0000_0000, 0, 0], "<u8")
    found = read(m2_data=b"CUBEX.DATA" + bits.tobytes())
    assert found.exclusive("least")[2].tobytes() == np.full(2, np.nan).tobytes()


UNSIGNED = ANCHOR.replace("UINT32", "UINT64").encode()


def test_unsigned_counts_that_wrapped_below_zero_add_up_as_if_they_had_not(read):
    counts = data([2**64 - 100, 1412, 2**64 - 300, 1000], "<u8")
    found = read(anchor_xml=UNSIGNED, m1_index=index([0, 1]), m1_data=counts)
    assert found.inclusive("mpi")[:2].tolist() == [[-100, 1412], [-300, 1000]]
    assert found.exclusive("mpi")[:2].tolist() == [[200, 412], [-300, 1000]]
    assert totals(found, "mpi").tolist() == [612, 700, 0, 0, 0]
    assert found.notes.remarks[-1] == (
        "mpi: 2 unsigned values wrapped around below zero and are read as negative, so that sums are correct"
    )


def test_counts_that_did_not_wrap_need_no_remark_nor_do_those_that_cannot_be_read(read):
    for counts in (data([2**63 - 1, 0], "<u8"), data([1])):
        found = read(anchor_xml=UNSIGNED, m1_index=index([0]), m1_data=counts)
        assert "wrapped" not in "".join(found.notes.remarks)


@pytest.mark.parametrize("ending", [".cube", ".cubex"])
def test_wrapped_counts_are_written_as_they_were_read_and_remarked_once(ending, read, tmp_path, assert_equal):
    found = read(anchor_xml=UNSIGNED, m1_index=index([0]), m1_data=data([2**64 - 100, 1412], "<u8"))
    save(found, tmp_path / f"copy{ending}")
    copy = load(tmp_path / f"copy{ending}")
    assert copy.exclusive("mpi").tolist() == found.exclusive("mpi").tolist()
    assert copy.notes.remarks == found.notes.remarks


def test_a_metric_without_values_is_zero_and_one_that_is_an_expression_is_left_out(read):
    found = read()
    assert not found.exclusive("mpi").any()
    assert found.metric("mpi").parent == "time"
    assert "metric rest was left out: it is computed by an expression" in found.notes.remarks


def test_an_index_that_ends_with_its_kind_lists_nothing_so_that_the_metric_is_zero(read):
    found = read(m0_index=index([])[:18], m0_data=b"CUBEX.DATA").exclusive("time")
    assert found.shape == (5, 2)
    assert not found.any()


def test_a_dense_index_has_a_row_for_each_call_path_up_to_the_last_that_was_set(read):
    found = read(m2_index=DENSE, m2_data=data([1.5, 9.5, 2.5, 3.5]))
    np.testing.assert_array_equal(found.exclusive("least"), [[1.5, 9.5], [2.5, 3.5], *[[np.nan, np.nan]] * 3])
    found = read(m0_index=DENSE, m0_data=data([10, 100, 5, 50, 2, 20]))
    assert found.inclusive("time").tolist() == [[10, 100], [5, 50], [0, 0], [2, 20], [0, 0]]


def test_a_packed_row_that_was_never_set_has_no_block(read):
    block = zlib.compress(np.array([7, 8], "<u4").tobytes())
    packed = b"ZCUBEX.DATA" + struct.pack("<4q", 1, 8, 0, len(block)) + block
    found = read(m1_index=DENSE, m1_data=packed)
    assert found.inclusive("mpi").tolist() == [[0, 0], [7, 8], [0, 0], [0, 0], [0, 0]]


def test_rows_that_the_index_does_not_list_are_left_out_and_said(read):
    found = read(m0_index=index([1]))
    assert found.inclusive("time").tolist() == [[0, 0], [10, 100], [0, 0], [0, 0], [0, 0]]
    assert found.notes.remarks[-1] == "time: ignored 3 rows of values without a call path"


def test_the_system_keeps_machine_and_node_and_numbers_what_has_no_rank(read):
    found = read()
    assert [(place.machine, place.node, place.process) for place in found.locations] == [
        ("cluster", "n0", 0),
        ("cluster", "n0", 1),
    ]
    assert "gpu has no rank and is read as process 1" in found.notes.remarks


def test_an_ampersand_may_stand_for_itself(read):
    found = read(anchor_xml=ANCHOR.replace("<name>f</name>", "<name>f & g</name>").encode())
    assert found.call_paths[0].region.name == "f & g"


def test_there_may_be_several_roots(read):
    assert read().roots == (0, 4)


def test_packed_parts_and_the_other_byte_order_are_read(read):
    blocks = [zlib.compress(np.array(part, ">u4").tobytes()) for part in ([1, 2], [3, 4])]
    listed = [(0, 0, len(blocks[0])), (8, len(blocks[0]), len(blocks[1]))]
    packed = (
        b"ZCUBEX.DATA" + struct.pack(">q6q", 2, *(number for block in listed for number in block)) + b"".join(blocks)
    )
    found = read(anchor_xml=gzip.compress(ANCHOR.encode()), m1_index=index([0, 1], ">"), m1_data=packed)
    assert found.inclusive("mpi").tolist() == [[1, 2], [3, 4], [0, 0], [0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"m0_data": data([1, 2, 3])}, "expected 64 bytes of values, found 24"),
        ({"m0_data": b"DATA"}, r"begin with CUBEX\.DATA or ZCUBEX\.DATA"),
        ({"m0_index": b"INDEX"}, r"begin with CUBEX\.INDEX"),
        ({"m0_index": index([0, 1, 2, 9])}, "expected 4 different call paths"),
        ({"m0_index": index([0, 1, 2, 2])}, "expected 4 different call paths"),
        ({"m0_index": index([0, 1, 2, 3], kind=0)}, r"0\.index: expected an index of kind 1 \(sparse\) or 3"),
        ({"m0_index": DENSE, "m0_data": data([1, 2, 3])}, r"0\.data: expected 80 bytes of values, found 24"),
        ({"m0_index": index([])[:19]}, r"0\.index: expected a whole index, found 19 bytes"),
        ({"m0_index": index([0])[:-2]}, "expected"),
        ({"m0_index": index([0])[:20]}, r"0\.index: expected a whole index, found 20 bytes"),
        ({"m0_data": data([np.inf] * 8)}, "expected finite values of time"),
        ({"m0_data": b"ZCUBEX.DATA" + struct.pack("<q", 10**9)}, "expected a list of 1000000000 packed blocks"),
        (
            {"m0_data": b"ZCUBEX.DATA" + struct.pack("<4q", 1, 0, 0, len(BOMB)) + BOMB},
            "expected packed values of at most 80 bytes, found more",
        ),
        (
            {"m0_data": b"ZCUBEX.DATA" + struct.pack("<7q", 2, 0, 0, 9, 0, 9, 9) + zlib.compress(b"") * 3},
            "broken packed values",
        ),
        ({"m0_data": b"ZCUBEX.DATA" + struct.pack("<4q", 1, 0, 0, 99)}, "expected consecutive packed blocks"),
        ({"m0_data": b"ZCUBEX.DATA" + struct.pack("<4q", 1, 1 << 60, 0, 0)}, "at most 80 bytes, found more"),
        ({"anchor_xml": b"<!DOCTYPE cube [<!ENTITY a 'b'>]>" + ANCHOR.encode()}, "refused"),
        ({"anchor_xml": ANCHOR.replace("4.4", "5.0").encode()}, "expected CUBE XML of version 4, found version 5.0"),
        ({"anchor_xml": gzip.compress(ANCHOR.encode())[:-9]}, "complete gzip data"),
        ({"anchor_xml": b""}, "broken XML"),
    ],
)
def test_what_is_broken_is_refused_in_one_line(changes, message, read, tmp_path):
    with pytest.raises(InputError, match=message) as caught:
        read(**changes).check()
    assert str(caught.value).startswith(str(tmp_path / "e.cubex"))
    assert "\n" not in str(caught.value)


def link(name: str, kind: bytes, target: str = "anchor.xml") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (link("../out", tarfile.REGTYPE), "'../out' points outside the archive"),
        (link("/etc/passwd", tarfile.REGTYPE), "points outside the archive"),
        (link("a/../../b", tarfile.DIRTYPE), "points outside the archive"),
        (link("1.data", tarfile.SYMTYPE, "/etc/passwd"), "is a link, a device or a sparse file"),
        (link("1.data", tarfile.LNKTYPE), "is a link"),
        (link("1.data", tarfile.CHRTYPE), "is a link, a device"),
        (link("1.data", tarfile.FIFOTYPE), "is a link, a device"),
        (link("0.data", tarfile.REGTYPE), "occurs twice"),
    ],
)
def test_members_that_no_experiment_has_are_refused(member, message, tmp_path):
    pack(tmp_path / "e.cubex", WHOLE, more=(member,))
    with pytest.raises(InputError, match=message):
        load(tmp_path / "e.cubex")


def test_a_member_that_claims_more_than_the_file_has_is_refused(tmp_path):
    file = pack(tmp_path / "e.cubex", {"anchor.xml": ANCHOR.encode()})
    text = bytearray(file.read_bytes())
    info = tarfile.TarInfo("anchor.xml")
    info.size = 1 << 40
    text[:512] = info.tobuf(tarfile.GNU_FORMAT)[:512]
    file.write_bytes(text)
    with pytest.raises(InputError, match="is truncated"):
        load(file)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
def test_a_header_that_would_fill_the_memory_is_refused_before_it_is_read(kind, tmp_path):
    file = tmp_path / "e.cubex"
    info = tarfile.TarInfo("header")
    info.type, info.size = kind, 3 << 30
    with file.open("wb") as stream:
        stream.write(info.tobuf(tarfile.USTAR_FORMAT))
        stream.truncate((3 << 30) + 1024)
    with pytest.raises(InputError, match="headers of at most 1 MiB"):
        load(file)


def test_headers_with_wrong_checksums_are_read_and_said(tmp_path, assert_equal):
    file = pack(tmp_path / "e.cubex", WHOLE)
    text = file.read_bytes()
    with tarfile.open(file) as archive:
        headers = [member.offset for member in archive]
    for header in headers:
        text = text[: header + 148] + b"012345\0 " + text[header + 156 :]
    changed = tmp_path / "changed.cubex"
    changed.write_bytes(text)
    found = load(changed)
    assert_equal(found.replaced(notes=load(file).notes), load(file))
    assert found.notes.remarks[-1] == (
        "the archive has wrong checksums for anchor.xml, 0.index, 0.data and 2 more; these members were read "
        "nevertheless; if the archive was damaged in transfer, copy it again"
    )


@pytest.mark.parametrize("member", [link("../out", tarfile.REGTYPE), link("1.data", tarfile.SYMTYPE, "/etc/passwd")])
def test_a_wrong_checksum_lets_no_member_in_that_no_experiment_has(member, tmp_path):
    file = pack(tmp_path / "e.cubex", WHOLE, more=(member,))
    with tarfile.open(file) as archive:
        header = archive.getmembers()[-1].offset
    text = file.read_bytes()
    file.write_bytes(text[: header + 148] + b"012345\0 " + text[header + 156 :])
    with pytest.raises(InputError, match=r"points outside the archive|is a link"):
        load(file)


@pytest.mark.parametrize("part", ["name", "magic", "size", "cut"])
def test_a_header_of_which_more_than_the_checksum_is_wrong_does_not_end_the_archive_unsaid(part, tmp_path):
    file = pack(tmp_path / "e.cubex", WHOLE)
    with tarfile.open(file) as archive:
        header = archive.getmembers()[-1].offset
    text = bytearray(file.read_bytes())
    if part == "name":
        text[header : header + 512] = b"x" * 512
    elif part == "magic":
        text[header + 257 : header + 262] = b"xxxxx"
    elif part == "size":
        text[header + 124 : header + 136] = b"8" * 12
    else:
        del text[header + 200 :]
    file.write_bytes(text)
    with pytest.raises(InputError, match=r"expected a CUBE 4 archive \(tar\)"):
        load(file)


def test_a_block_of_zeros_behind_a_full_block_ends_no_archive_and_two_do(tmp_path, assert_equal):
    members = {"anchor.xml": ANCHOR.encode().ljust(2048)} | {k: v for k, v in WHOLE.items() if k != "anchor.xml"}
    file = pack(tmp_path / "e.cubex", members)
    text = file.read_bytes()
    end = text.index(b"0.index") // 512 * 512
    spaced = tmp_path / "spaced.cubex"
    spaced.write_bytes(text[:end] + bytes(512) + text[end:] + b"behind the end" * 99)
    assert_equal(load(spaced), load(file))
    spaced.write_bytes(text[:end] + bytes(1024) + text[end:])
    assert not load(spaced).exclusive("time").any()


def test_a_chain_of_headers_is_refused(tmp_path):
    file = tmp_path / "e.cubex"
    info = tarfile.TarInfo("header")
    info.type = tarfile.XHDTYPE
    file.write_bytes(info.tobuf(tarfile.USTAR_FORMAT) * 5000)
    with pytest.raises(InputError, match="chain of headers"):
        load(file)


def test_too_many_members_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("autoanalyzer.experiment.cube.archive._MAX_MEMBERS", 2)
    with pytest.raises(InputError, match="follows 2 other files"):
        load(pack(tmp_path / "e.cubex", WHOLE))


def test_an_archive_without_an_anchor_and_what_is_no_archive_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"expected a member 'anchor\.xml' in the archive"):
        load(pack(tmp_path / "e.cubex", {"0.data": b""}))
    (tmp_path / "x.cubex").write_bytes(b"x" * 2000)
    with pytest.raises(InputError, match=r"expected a CUBE 4 archive \(tar\)"):
        load(tmp_path / "x.cubex")


def test_machine_and_node_are_the_outermost_and_the_innermost_of_a_system_tree(read):
    tree = "".join(f"<systemtreenode Id='{depth}'><name>level {depth}</name>" for depth in range(300))
    group = (
        "<locationgroup Id='{0}'><rank>{0}</rank><type>process</type>"
        "<location Id='{0}'><rank>0</rank></location></locationgroup>"
    )
    system = tree + group.format(1) + "</systemtreenode>" * 200 + group.format(0) + "</systemtreenode>" * 100
    start, end = ANCHOR.index("<system>") + len("<system>"), ANCHOR.index("</system>")
    found = read(anchor_xml=(ANCHOR[:start] + system + ANCHOR[end:]).encode())
    assert [(place.machine, place.node) for place in found.locations[:2]] == [
        ("level 0", "level 99"),
        ("level 0", "level 299"),
    ]


def test_a_file_is_of_the_kind_that_it_looks_like(tmp_path):
    packed = tmp_path / "packed.cubex"
    packed.write_bytes(gzip.compress(pack(tmp_path / "e.cubex", WHOLE).read_bytes()))
    with pytest.raises(InputError, match="found a file compressed with gzip; run gunzip first"):
        load(packed)
    renamed = (tmp_path / "e.cubex").rename(tmp_path / "e.cube")
    assert load(renamed).roots == (0, 4)
    (tmp_path / "xml.cubex").write_text("<cube version='3.0'/>")
    with pytest.raises(InputError, match="expected a system of processes"):
        load(tmp_path / "xml.cubex")
