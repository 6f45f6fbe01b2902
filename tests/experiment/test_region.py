import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoanalyzer.errors import InputError
from autoanalyzer.experiment.region import KINDS, Region


def test_a_descriptor_is_what_the_probe_interface_says():
    region = Region("loop", "loop@41", "rays.c", "trace", 0, 41, 57)
    assert region.descriptor == "aa1|loop|loop@41|rays.c|trace|0|41|57"
    known = Region("loop", "loop@41", "rays.c", "trace", 0, 41, 57, "0a1b")
    assert known.descriptor == f"{region.descriptor}|0a1b"
    assert Region.from_descriptor(known.descriptor).text == "0a1b"
    assert known == region


@given(
    st.builds(
        Region,
        st.sampled_from(sorted(KINDS)),
        st.text(),
        st.text(),
        st.text(),
        st.integers(0),
        st.integers(0),
        st.integers(0),
        st.text("0123456789abcdef"),
    )
)
def test_a_descriptor_is_read_back_whatever_the_names(region: Region):
    assert tuple(Region.from_descriptor(region.descriptor)) == tuple(region)
    assert "\n" not in region.descriptor


@pytest.mark.parametrize("text", ["", "aa2|loop|a|b|c|0|1|2", "hello"])
def test_a_descriptor_of_another_version_is_refused_naming_both(text: str):
    with pytest.raises(InputError, match="version aa1, found"):
        Region.from_descriptor(text)


@pytest.mark.parametrize("text", ["aa1|loop", "aa1|loop|a|b|c|x|1|2", "aa1|loop|a|b|c|0|1|2|3|4"])
def test_a_broken_descriptor_is_refused(text: str):
    with pytest.raises(InputError, match="with eight or nine fields"):
        Region.from_descriptor(text)


def test_identity_survives_moved_lines():
    old = Region("loop", "loop@41", "rays.c", "trace", 1, 41, 57)
    new = Region("loop", "loop@44", "rays.c", "trace", 1, 44, 60)
    assert old.identity == new.identity
