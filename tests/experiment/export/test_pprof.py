"""Profiles for pprof, decoded without protobuf's classes."""

import gzip
import sys
from collections import Counter, defaultdict

import numpy as np
import pytest

from autoanalyzer.errors import InputError, UsageError
from autoanalyzer.experiment import Builder
from autoanalyzer.experiment.export import export


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """Return the fields of a message by number: integers, and length-delimited fields as bytes."""
    found, at = defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at : at + value], at + value
        else:
            assert key & 7 == 0
        found[key >> 3].append(value)
    return found


def packed(values):
    """Return repeated signed numbers, which may be packed in one field."""
    found = []
    for each in values:
        at = 0
        while at < len(each):
            value, at = varint(each, at)
            found.append(value - 2**64 if value >= 2**63 else value)
    return found


def decoded(file):
    """Return the types of samples, and the values by stack and label; a stack has names, the root first."""
    profile = fields(gzip.decompress(file.read_bytes()))
    strings = [each.decode() for each in profile[6]]
    assert strings[0] == ""
    kinds = [tuple(strings[fields(each)[key][0]] for key in (1, 2)) for each in profile[1]]
    functions = {each[1][0]: each for each in map(fields, profile[5])}
    names = {}
    for each in map(fields, profile[4]):
        line = fields(each[4][0])
        function = functions[line[1][0]]
        names[each[1][0]] = strings[function[2][0]]
        assert line[2] == function[5]
    samples = {}
    for each in map(fields, profile[2]):
        labels = {strings[label[1][0]]: strings[label[2][0]] for label in map(fields, each[3])}
        stack = tuple(names[number] for number in reversed(packed(each[1])))
        samples[stack, labels.get("rank"), labels.get("thread")] = packed(each[2])
    assert len(samples) == len(profile[2])
    return kinds, samples, strings[profile[14][0]], functions, strings


def test_samples_have_stacks_labels_and_all_metrics_that_add_up(made, tmp_path):
    export(made, tmp_path / "a.pb.gz")
    kinds, samples, shown, functions, strings = decoded(tmp_path / "a.pb.gz")
    assert (kinds, shown) == ([("wall_time", "nanoseconds"), ("mpi_bytes", "bytes")], "wall_time")
    assert samples == {
        (("main",), "0", "0"): [250_000_000, 0],
        (("main", "work;fast"), "0", "0"): [1_000_000_000, 0],
        (("main", "work;fast", "MPI_Send"), "0", "0"): [2, 3],
        (("main",), "1", "0"): [500_000_000, 0],
        (("main", "work;fast", "MPI_Send"), "1", "0"): [4_000_000_000, 10**15],
    }
    work = next(each for each in functions.values() if strings[each[2][0]] == "work;fast")
    assert (strings[work[4][0]], work[5]) == ("src/w.c", [10])


def test_differences_keep_their_sign_and_all_together_have_no_rank(made, tmp_path):
    doubled = made.replaced(severities={each.name: 2 * made.exclusive(each.name) for each in made.metrics})
    export(made - doubled, tmp_path / "a.pb.gz", ["mpi_bytes"], together=True)
    _, samples, *_ = decoded(tmp_path / "a.pb.gz")
    assert samples == {(("main", "work;fast", "MPI_Send"), None, None): [-3 - 10**15]}


def test_a_run_has_all_values_in_several_pieces(real, tmp_path, monkeypatch):
    monkeypatch.setattr("autoanalyzer.experiment.export.pprof._PIECE", 7)
    export(real, tmp_path / "a.pb.gz")
    kinds, samples, *_ = decoded(tmp_path / "a.pb.gz")
    for number, (name, unit) in enumerate(kinds):
        expected = Counter()
        scale = 1e9 if unit == "nanoseconds" else 1
        for path, row in enumerate(np.rint(real.exclusive(name) * scale)):
            names = tuple(real.call_paths[each].region.name for each in (*reversed([*real.ancestors(path)]), path))
            for place, value in zip(real.locations, row.tolist(), strict=True):
                expected[names, str(place.process), str(place.thread)] += value
        assert {key: values[number] for key, values in samples.items() if values[number]} == {
            key: value for key, value in expected.items() if value
        }


def test_what_does_not_add_up_is_refused(made, tmp_path):
    with pytest.raises(UsageError, match="--metric rate: stacks need an additive metric"):
        export(made, tmp_path / "a.pb.gz", ["rate"])
    builder = Builder()
    builder.metric("rate", "1", additive=False)
    builder.call_path("main")
    builder.location(0)
    with pytest.raises(InputError, match="stacks need an additive metric, found none"):
        export(builder.experiment(), tmp_path / "a.pb.gz")
    assert not [*tmp_path.iterdir()]


def test_without_protobuf_it_is_said_how_to_get_it(made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.protobuf", None)
    monkeypatch.delitem(sys.modules, "autoanalyzer.experiment.export.profile_proto", raising=False)
    with pytest.raises(InputError, match=r"this export needs protobuf: pip install 'autoanalyzer\[pprof\]'"):
        export(made, tmp_path / "a.pb.gz")
    assert not [*tmp_path.iterdir()]
