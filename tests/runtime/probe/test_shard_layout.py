"""The shard layout in Python equals that of the C header."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment.messages import MOST_BLOCKS
from autoanalyzer.experiment.region import DESCRIPTOR_VERSION
from autoanalyzer.runtime.gather import shard_layout as layout

PROGRAMS = Path(__file__).parents[1] / "programs"
PROBE = Path(layout.__file__).parents[1] / "probe"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    program = tmp_path_factory.mktemp("layout") / "layout"
    subprocess.run(["gcc", "-std=gnu11", f"-I{PROBE}", str(PROGRAMS / "layout.c"), "-o", str(program)], check=True)
    lines = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split() for line in lines]


def fields(record: np.dtype) -> Iterator[list[str]]:
    assert record.fields is not None
    for name, (dtype, offset, *_) in record.fields.items():
        yield [name, str(offset), str(dtype.itemsize)]


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("header", layout.HEADER_LAYOUT),
        ("thread", layout.THREAD_LAYOUT),
        ("node", layout.NODE_LAYOUT),
        ("throttle", layout.THROTTLE_LAYOUT),
        ("sample", layout.SAMPLE_LAYOUT),
        ("part", layout.PART_LAYOUT),
        ("path", layout.PATH_LAYOUT),
        ("entry", layout.PATH_ENTRY),
        ("wait", layout.WAIT_LAYOUT),
        ("samples", layout.SAMPLES_LAYOUT),
        ("sample_count", layout.SAMPLE_COUNT_LAYOUT),
        ("traffic", layout.TRAFFIC_LAYOUT),
    ],
)
def test_every_record_has_its_fields_in_the_same_place(printed: list[list[str]], name: str, record: np.dtype) -> None:
    mine = [line[1:] for line in printed if line[0] == name]
    assert mine[0] == ["size", str(record.itemsize)]
    assert mine[1:] == list(fields(record))


def test_constants_are_equal(printed: list[list[str]]) -> None:
    constants = {name: int(value) for kind, name, value, *_ in printed if kind == "constant"}
    for names in (
        *(layout.STATES, layout.COUNTERS, layout.TOPOLOGY_KINDS, layout.SYSTEM_VALUES),
        *(layout.PATH_STATES, layout.PATH_KINDS, layout.WAIT_KINDS, layout.SAMPLING_STATES),
    ):
        for number, name in enumerate(names):
            assert constants.pop(name) == number
    assert constants == {name: getattr(layout, name) for name in constants}


def test_texts_are_equal(printed: list[list[str]]) -> None:
    texts = {name: value for kind, name, value, *_ in printed if kind == "text"}
    assert texts == {"magic": layout.MAGIC.decode().rstrip("\0"), "descriptor": DESCRIPTOR_VERSION}


def test_a_descriptor_stands_behind_its_record(printed: list[list[str]]) -> None:
    assert ["region", "descriptor", str(layout.REGION_LAYOUT.size)] in [line[:3] for line in printed]
    assert ["file", "name", str(layout.FILE_LAYOUT.size)] in printed
    assert ["object", "name", str(layout.OBJECT_LAYOUT.size)] in printed
    assert ["place", "descriptor", str(layout.WAIT_DESCRIPTOR)] in printed
    assert ["mapping", "name", str(layout.MAPPING_LAYOUT.size)] in printed
    assert ["messages", "4", "8", str(layout.MESSAGES_LAYOUT.size), str(MOST_BLOCKS)] in printed
    assert ["topology", "axes", str(layout.TOPOLOGY_LAYOUT.size), str(layout.AXIS_LAYOUT.size)] in printed
