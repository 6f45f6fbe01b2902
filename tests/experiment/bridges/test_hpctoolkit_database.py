"""A database of HPCToolkit in version 4: times by call path and rank equal those that Hatchet reads."""

import json
import shutil
import struct
from collections import defaultdict

import numpy as np
import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load
from autoanalyzer.experiment.bridges import call_tree

from .conftest import FOREIGN

FOLDER = FOREIGN / "hpctoolkit4"
RANKS = 4
ABOVE_ALL = 0  # the ID of the context
INCLUSIVE = 3  # the ID of the metric


@pytest.fixture(scope="module")
def experiment():
    return load(FOLDER)


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(FOLDER, tmp_path / "a")


def test_own_and_inclusive_times_of_functions_are_those_of_hatchet(experiment):
    expected = json.loads((FOREIGN / "hpctoolkit4.expected.json").read_text())
    first = [place for place, each in enumerate(experiment.locations) if each.thread == 0]
    names, inclusive, own = [], defaultdict(lambda: np.zeros(RANKS)), defaultdict(lambda: np.zeros(RANKS))
    for path, whole, alone in zip(
        experiment.call_paths, experiment.inclusive("cpu_time"), experiment.exclusive("cpu_time"), strict=True
    ):
        name = path.region.name
        above = names[path.parent] if path.parent is not None else ""
        names.append(above if name.startswith("[") else f"{above}/{name}")
        if names[-1] != above:
            inclusive[names[-1]] += whole[first]
            own[names[-1]] += alone[first]
    assert len(expected) == 60
    for name, (whole, alone) in expected.items():  # Hatchet omits the work of a library's threads
        here = f"/main thread/{name}"
        np.testing.assert_allclose(inclusive[here], whole, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(own[here], alone, atol=1e-12, err_msg=name)


def test_sums_of_threads_are_those_that_the_file_has_for_all_of_each(experiment):
    content = (FOLDER / "profile.db").read_bytes()
    infos, many, size = struct.unpack_from("<QLB", content, struct.unpack_from("<Q", content, 24)[0])
    found = {}
    for each in range(1, many):
        values, start, _, indices, names = struct.unpack_from("<QQLxxxxQQ", content, infos + size * each)
        rank, thread = (struct.unpack_from("<L", content, names + 8 + 16 * place + 4)[0] for place in (2, 3))
        if values:
            (context, _), (_, end) = (struct.unpack_from("<LQ", content, indices + 12 * place) for place in range(2))
            pairs = dict(struct.unpack_from("<Hd", content, start + 10 * place) for place in range(end))
            assert context == ABOVE_ALL
            found[rank, thread] = pairs[INCLUSIVE]
    sums = experiment.exclusive("cpu_time").sum(axis=0)
    assert {
        (each.process, each.thread): value for each, value in zip(experiment.locations, sums, strict=True)
    } == pytest.approx(found)
    assert len(found) == 8
    assert "HPCToolkit: threads without samples are left out: 8" in experiment.notes.remarks


def test_what_rounding_leaves_of_inclusive_times_is_0(experiment):
    own = experiment.exclusive("cpu_time")
    assert own[own != 0].min() > 1e-3  # one sample is 5 ms


def test_places_and_sites_are_those_of_the_database(experiment, assert_equal):
    main = next(path for path in experiment.call_paths if path.region.name == "main")
    end = next(path for path in experiment.call_paths if path.region.name == "MPI_Finalize")
    assert (main.region.file, main.region.first_line) == ("src/home/ocankur/apps/test/hatchet_cpi/cpi.c", 19)
    assert (end.site, end.region.kind) == (62, "mpi")
    assert not any("[lib" in path.region.file for path in experiment.call_paths)
    assert_equal(load(FOLDER / "meta.db"), experiment)


def test_what_is_below_mpi_is_time_in_mpi(experiment):
    findings = analyze(experiment)
    main = next(row for row, path in enumerate(experiment.call_paths) if path.region.name == "main")
    whole, inside = (experiment.inclusive(each)[main].sum() for each in ("cpu_time", "mpi_cpu_time"))
    assert whole == pytest.approx(inside)
    assert findings.run.program_time == pytest.approx(0.059, abs=0.001)


def test_another_version_is_refused_by_both_numbers(copy):
    content = bytearray((copy / "meta.db").read_bytes())
    content[14:16] = 5, 1
    (copy / "meta.db").write_bytes(content)
    with pytest.raises(InputError, match=r"meta\.db: expected version 4 of HPCToolkit's format, found 5\.1"):
        load(copy)


def test_a_later_minor_version_is_read(copy, assert_equal, experiment):
    for name in ("meta.db", "profile.db"):
        content = bytearray((copy / name).read_bytes())
        content[15] = 7
        (copy / name).write_bytes(content)
    assert_equal(load(copy), experiment)


@pytest.mark.parametrize("name", ["meta.db", "profile.db"])
@pytest.mark.parametrize("size", [20, 200, 9_000])
def test_a_file_that_is_cut_off_is_named(name, size, copy):
    (copy / name).write_bytes((copy / name).read_bytes()[:size])
    with pytest.raises(
        InputError, match=rf"^{copy}: {name}: expected \d+ bytes at offset \d+, but the file has {size} bytes\Z"
    ):
        load(copy)


def test_without_values_a_line_says_what_is_missing(copy):
    (copy / "profile.db").unlink()
    with pytest.raises(InputError, match=r"profile\.db: cannot be read: No such file"):
        load(copy)


def test_contexts_that_lead_back_to_themselves_are_refused(copy):
    content = bytearray((copy / "meta.db").read_bytes())
    entries = struct.unpack_from("<Q", content, struct.unpack_from("<Q", content, 72)[0])[0]
    size, start = struct.unpack_from("<QQ", content, entries)
    struct.pack_into("<QQ", content, start, size, start)
    (copy / "meta.db").write_bytes(content)
    with pytest.raises(InputError, match="expected each context once, found context 4 twice"):
        load(copy)


def _patch(file, *changes):
    """Write values into a file; each has an offset and a format."""
    content = bytearray(file.read_bytes())
    for at, form, *what in changes:
        struct.pack_into(form, content, at, *what)
    file.write_bytes(content)


def _section(file, number):
    return struct.unpack_from("<Q", file.read_bytes(), 24 + 16 * number)[0]


@pytest.mark.parametrize(
    ("name", "section", "size_at", "least"),
    [("profile.db", 0, 12, 44), ("meta.db", 2, 12, 26), ("meta.db", 2, 13, 10), ("meta.db", 3, 10, 32)],
    ids=["profiles", "metrics", "scopes", "entries"],
)
def test_elements_that_are_too_small_are_refused(name, section, size_at, least, copy):
    _patch(copy / name, (_section(copy / name, section) + size_at, "<B", 0))
    with pytest.raises(
        InputError, match=rf"{name}: expected elements of at least {least} bytes, found elements of 0 bytes\Z"
    ):
        load(copy)


def _block(file, profile):
    """Return the offset and the contents of the record that locates a profile's values."""
    content = file.read_bytes()
    infos, _, size = struct.unpack_from("<QLB", content, _section(file, 0))
    return infos + size * profile, struct.unpack_from("<QQLxxxxQ", content, infos + size * profile)


@pytest.mark.parametrize("shared", ["values", "indices"])
def test_threads_that_share_a_block_are_refused(shared, copy):
    file = copy / "profile.db"
    (at, (many, start, contexts, indices)), (_, other) = _block(file, 1), _block(file, 2)
    assert min(many, *other) > 0
    if shared == "values":
        start = other[1] + 10
    else:
        indices = other[3] + 12
    _patch(file, (at, "<QQLxxxxQ", many, start, contexts, indices))
    with pytest.raises(
        InputError, match=r"expected separate values for each thread, found shared values at byte \d+\Z"
    ):
        load(copy)


@pytest.mark.parametrize("folder", ["hpctoolkit", "hpctoolkit4"])
def test_more_values_of_functions_and_threads_than_fit_are_refused_before_they_are_made(folder, monkeypatch):
    monkeypatch.setattr(call_tree, "MAX_VALUES", 100)
    with pytest.raises(InputError, match=r"expected at most 100 values of functions, loops and threads, found more\Z"):
        load(FOREIGN / folder)


@pytest.mark.parametrize(("name", "section"), [("profile.db", 0), ("meta.db", 2)], ids=["profiles", "metrics"])
def test_a_list_longer_than_its_file_is_refused_before_it_is_read(name, section, copy):
    _patch(copy / name, (_section(copy / name, section) + 8, "<L", 0xFFFF_FFFF))
    with pytest.raises(InputError, match=rf"{name}: expected {0xFFFF_FFFF * (48 if section == 0 else 32)} bytes at"):
        load(copy)


def _identifiers(file, profile):
    """Return where the identifiers of a profile begin."""
    content = file.read_bytes()
    infos, _, size = struct.unpack_from("<QLB", content, _section(file, 0))
    return struct.unpack_from("<Q", content, infos + size * profile + 32)[0] + 8


def test_more_identifiers_than_there_are_kinds_are_refused(copy):
    file = copy / "profile.db"
    _patch(file, (_identifiers(file, 1) - 8, "<H", 0xFFFF))
    with pytest.raises(InputError, match=r"profile\.db: expected at most 8 identifiers per thread, found 65535\Z"):
        load(copy)


def test_a_metric_that_is_there_twice_is_refused(copy):
    file = copy / "meta.db"
    content = file.read_bytes()
    metrics = struct.unpack_from("<Q", content, _section(file, 2))[0]
    scopes = struct.unpack_from("<Q", content, metrics + 8)[0]
    _patch(file, (scopes + 16 + 8, "<H", *struct.unpack_from("<H", content, scopes + 8)))
    with pytest.raises(InputError, match=r"meta\.db: expected each metric once, found metric \d+ twice\Z"):
        load(copy)


def _name_functions(file, length, step):
    """Rename all functions to long names, each starting ``step`` bytes after the one before."""
    content = file.read_bytes()
    functions, many, size = struct.unpack_from("<QLH", content, _section(file, 7))
    file.write_bytes(content + b"A" * length + b"\0")
    _patch(file, *((functions + size * each, "<Q", len(content) + step * each) for each in range(many)))


def test_a_name_without_an_end_is_cut(copy):
    _name_functions(copy / "meta.db", 100_000, 0)
    assert max(len(path.region.name) for path in load(copy).call_paths) == 1 << 14


def test_long_names_in_the_same_bytes_are_refused(copy):
    _name_functions(copy / "meta.db", 20_000, 1)
    with pytest.raises(InputError, match=r"meta\.db: expected names that fit into 36401 bytes, found longer names\Z"):
        load(copy)


def test_an_identifier_of_an_unknown_kind_is_refused(copy):
    file = copy / "profile.db"
    _patch(file, (_identifiers(file, 1), "<B", 99))
    with pytest.raises(InputError, match=r"profile\.db: expected identifiers of kinds 0 to 7, found kind 99\Z"):
        load(copy)


def test_a_database_without_entries_has_nothing(copy):
    file = copy / "meta.db"
    _patch(file, (_section(file, 3) + 8, "<H", 0))
    with pytest.raises(InputError, match=r"expected functions and loops, found none\Z"):
        load(copy)


@pytest.mark.parametrize(
    ("at", "form", "value"), [(20, "<B", 7), (23, "<B", 255)], ids=["fewer words than its flags say", "beyond the end"]
)
def test_a_part_of_a_context_is_refused(at, form, value, copy):
    file = copy / "meta.db"
    content = file.read_bytes()
    start = struct.unpack_from("<Q", content, struct.unpack_from("<Q", content, _section(file, 3))[0] + 8)[0]
    _patch(file, (start + at, form, value))
    with pytest.raises(
        InputError, match=rf"meta\.db: expected a complete context at byte {start}, found an incomplete one"
    ):
        load(copy)


CORE = 7


def _without_ranks(file, node_of):
    """Change the identifiers of ranks to nodes, and that of a rank to a second core."""
    for profile in range(1, 17):
        at = _identifiers(file, profile)
        rank = struct.unpack_from("<L", file.read_bytes(), at + 2 * 16 + 4)[0]
        _patch(file, (at, "<BxHLQ", 1, 1, node_of[rank], 0xA0 + rank), (at + 2 * 16, "<B", CORE))


def test_without_ranks_each_node_is_a_process(copy, experiment):
    _without_ranks(copy / "profile.db", range(RANKS))
    found = load(copy)
    assert {(each.process, each.node) for each in found.locations} == {
        (rank, f"host {0xA0 + rank:08x}") for rank in range(RANKS)
    }
    np.testing.assert_array_equal(found.exclusive("cpu_time"), experiment.exclusive("cpu_time"))


def test_two_processes_of_the_same_number_are_refused(copy):
    _without_ranks(copy / "profile.db", [0, 0, 1, 2])
    with pytest.raises(InputError, match=r"expected each thread once, found process 0, thread \d+ twice\Z"):
        load(copy)


def test_ranks_of_some_processes_are_refused(copy):
    file = copy / "profile.db"
    at = _identifiers(file, 5)
    assert struct.unpack_from("<L", file.read_bytes(), at + 2 * 16 + 4)[0] == 3
    _patch(file, (at + 2 * 16, "<B", CORE))
    with pytest.raises(InputError, match=r"expected ranks for all processes or for none, found ranks for only some\Z"):
        load(copy)


def test_a_metric_whose_name_no_file_could_hold_is_renamed(copy):
    file = copy / "meta.db"
    content = file.read_bytes()
    metrics = struct.unpack_from("<Q", content, _section(file, 2))[0]
    _patch(file, (struct.unpack_from("<Q", content, metrics)[0], "<B", 1))
    assert [each.name for each in load(copy).metrics] == ["\ufffdPUTIME (sec)"]
