"""Which PAPI events are used for our counts, by processor family."""

import pytest

from autoanalyzer.runtime.papi.choices import METRICS, choices_text, family_of, read_choices
from autoanalyzer.runtime.papi.lookup import look_up

from ..perf_event import counts_events_of_the_kernel

X86 = "processor\t: 0\nvendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: {}\nmodel name\t: some\n\nprocessor\t: 1\n"


@pytest.mark.parametrize(
    ("cpuinfo", "name"),
    [
        (X86.format("AuthenticAMD", 23, 49), "AMD Zen 2"),
        (X86.format("AuthenticAMD", 23, 1), None),
        (X86.format("AuthenticAMD", 25, 17), "AMD Zen 3 and Zen 4"),
        (X86.format("AuthenticAMD", 26, 2), "AMD Zen 5"),
        (X86.format("GenuineIntel", 6, 85), "Intel Skylake and Cascade Lake servers"),
        (X86.format("GenuineIntel", 6, 143), "Intel Ice Lake, Sapphire Rapids and Granite Rapids"),
        (X86.format("GenuineIntel", 6, 9), None),
        ("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "Arm Neoverse N1, N2 and V1"),
        ("processor\t: 0\ncpu\t\t: POWER9 (raw), altivec supported\n", "IBM POWER9"),
        ("processor\t: 0\ncpu\t\t: POWER10, altivec supported\n", "IBM POWER10"),
        ("", None),
    ],
)
def test_a_family_is_told_by_cpuinfo(cpuinfo: str, name: str | None) -> None:
    found = family_of(read_choices().families, cpuinfo)
    assert (found.name if found else None) == name


def test_every_choice_is_of_a_metric_or_of_a_part_and_its_whole() -> None:
    choices = read_choices()
    every = [*choices.general, *(choice for family in choices.families for choice in family.choices)]
    pairs = ({"l1_misses", "l1_accesses"}, {"l2_misses", "l2_accesses"})
    assert all(set(choice) in pairs or (len(choice) == 1 and set(choice) <= set(METRICS)) for choice in every)
    assert max(len(event) for choice in every for event in choice.values()) <= 81  # must equal EVENT_LENGTH
    rows = choices_text().splitlines()
    assert rows[0] == '{AA_INSTRUCTIONS, "PAPI_TOT_INS", 0, NULL},'
    assert '{AA_L1_MISSES, "PAPI_L1_DCM", AA_L1_ACCESSES, "PAPI_L1_DCA"},' in rows
    assert len(set(rows)) == len(rows)


@counts_events_of_the_kernel
def test_events_that_are_asked_for_are_tried_and_divided_into_groups() -> None:
    found = look_up(["perf::TASK-CLOCK", "NO_SUCH_EVENT", "perf::PAGE-FAULTS", "sde:::x::y", "perf::CPU-CLOCK"], 2)
    assert [each.outcome for each in found.events] == ["counts", "fails", "counts", "unseen", "counts"]
    assert found.events[1].reason == "PAPI has no such event on this machine"
    assert [len(group) for group in found.groups] == [2, 1, 1]
    assert found.groups[0][0] == "perf::TASK-CLOCK"
    assert found.groups[1:] == [["perf::CPU-CLOCK"], ["sde:::x::y"]]
