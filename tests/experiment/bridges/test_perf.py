"""Samples by perf of an MPI program of four processes, of which the first works three times as long."""

from collections import defaultdict

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load
from autoanalyzer.view.verdict import verdict_lines

from .conftest import FOREIGN

FILE = FOREIGN / "ring.perf.txt.gz"


def test_own_times_of_functions_are_those_that_perf_reports():
    expected = defaultdict(float)
    for line in (FOREIGN / "ring.perf.expected.txt").read_text().splitlines():
        period, _, symbol = line.split(maxsplit=2)
        if not symbol.startswith("0x"):  # functions without a name are addresses
            expected[symbol.strip()] += int(period) / 1e9
    experiment = load(FILE)
    found = defaultdict(float)
    for path, row in zip(experiment.call_paths, experiment.exclusive("cpu_time"), strict=True):
        found[path.region.name] += row.sum()
    assert len(expected) > 20
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_processes_and_threads_are_told_apart_and_compared():
    experiment = load(FILE)
    assert [each.process for each in experiment.locations] == [0, 1, 2, 2, 3, 3, 3]
    findings = analyze(experiment)
    assert findings.dissimilarity.exists
    assert any("no ranks" in each for each in findings.experiment.notes.remarks)


def test_what_is_below_a_function_of_mpi_is_time_in_mpi(tmp_path, values):
    stacks = (["main"], ["poll", "progress", "PMPI_Allreduce", "main"], ["MPI_Send", "main"])
    frames = ["".join(f"\t  12 {name}+0x1 (/bin/app)\n" for name in stack) for stack in stacks]
    (tmp_path / "a").write_text("".join(f"app 7 1.5:  100000000 cpu-clock: \n{each}\n" for each in frames))
    assert values(load(tmp_path / "a"), "mpi_cpu_time", inclusive=True)["app"] == [0.2]
    findings = analyze(load(tmp_path / "a"))
    assert findings.experiment.exclusive("mpi_time").sum() == pytest.approx(0.2)


ONE_LINE = """# captured on: today
my app:1  7 [000] 10.000001:     250000 task-clock:u:      1234 main+0x4 (/bin/app)
my app:1  8 [000] 10.000002:          5 cycles:      1234 f(int, char const*)+0x4 (/bin/app)
my app:1  8 [000] 10.000003: page-faults:      0 [unknown] (/lib/libc.so.6)
"""


def test_samples_without_stacks_and_of_other_events_are_read(tmp_path, values):
    (tmp_path / "a").write_text(ONE_LINE)
    experiment = load(tmp_path / "a")
    assert values(experiment, "cpu_time")["my app:1/main"] == [0.00025, 0]
    assert values(experiment, "perf:cycles")["my app:1/f(int, char const*)"] == [0, 5]
    assert values(experiment, "samples")["my app:1/[libc.so.6]"] == [0, 1]
    assert "each of these processes may in fact be a thread" in experiment.notes.remarks[0]


PADDED = """            ring    7 1.000001:     250000 cpu-clock:      55d0 main+0x10 (/bin/ring)
            ring    8 1.250001:       7000 page-faults:      55d0 f+0x10 (/bin/ring)
"""


@pytest.mark.parametrize("before", ["", "ring 7 0.5:  250000 cpu-clock: \n\t    55d0 main+0x10 (/bin/ring)\n\n"])
def test_commands_may_be_padded_first_or_after_a_stack(before, tmp_path, values):
    (tmp_path / "a").write_text(before + PADDED)
    experiment = load(tmp_path / "a")
    assert values(experiment, "cpu_time")["ring/main"] == [0.0005 if before else 0.00025, 0]
    assert values(experiment, "perf:page-faults")["ring/f"] == [0, 7000]


# 400,000 blanks once took minutes, because each of them was tried as an end of the name.
@pytest.mark.timeout(600)
def test_a_line_of_many_blanks_is_no_frame(tmp_path, values):
    stack = f"\t12 main{' ' * 400_000}x\n\t12 [unknown] (inlined)\n\t12 f(int (*)(long))+0x1 (/bin/app)\n"
    (tmp_path / "a").write_text(f"app 7 1.5:  1000000000 cpu-clock: \n{stack}\n")
    assert values(load(tmp_path / "a"), "cpu_time") == {"app": [0], "app/f(int (*)(long))": [1]}


def test_a_recursive_call_is_the_first_one(tmp_path, values):
    stack = "".join(f"\t  {n:x} {name}+0x1 (/bin/app)\n" for n, name in enumerate(["leaf", "f", "f", "main"]))
    (tmp_path / "a").write_text(f"app 7 1.5:  1000000000 cpu-clock: \n{stack}\n")
    assert values(load(tmp_path / "a"), "cpu_time", inclusive=True) == {
        "app": [1], "app/main": [1], "app/main/f": [1], "app/main/f/leaf": [1]
    }  # fmt: skip


def test_samples_of_any_event_are_a_profile_in_which_samples_stand_for_time(tmp_path):
    lines = [f"app {rank} {n}.5:  2000 cycles:u:  12 {name}+0x1 (/bin/app)" for rank, name, n in _thirds()]
    (tmp_path / "a").write_text("\n".join(lines) + "\n")
    findings = analyze(load(tmp_path / "a"))
    assert findings.experiment.metric("wall_time").unit == "samples"
    assert findings.experiment.exclusive("wall_time").sum(axis=0).tolist() == [90, 90]
    assert [round(100 * each.share) for each in findings.run.costs if each.share] == [67, 33]
    lines = verdict_lines(findings)
    assert "90 samples" in lines[0]
    assert "saving unknown; takes 60 samples (67 % of run)" in "\n".join(lines)


def _thirds():
    return [(rank, name, n) for rank in (7, 8) for n in range(30) for name in ("solve", "solve", "pack")]


HEADER = """# ========
# perf version : 5.10
# cmdline : /usr/bin/perf record {option} -g -- ./app -F 3
# ========
#
"""


@pytest.mark.parametrize(
    ("option", "event", "seconds"),
    [
        ("-F 100", "cpu-clock", 0.02),
        ("-F100", "cycles:ppp", 0.02),
        ("--freq=100", "cpu_core/cycles/", 0.02),
        ("-c 1000", "cycles", None),
        ("-F 100", "page-faults", None),
        ("-e x", "cpu-clock", None),
    ],
)
def test_a_frequency_in_the_header_makes_the_time_of_samples_known(option, event, seconds, tmp_path):
    stack = "\t 55d0 main (/bin/app)\n\n"
    (tmp_path / "a").write_text(HEADER.format(option=option) + 2 * f"app 7 {event}: \n{stack}")
    experiment = load(tmp_path / "a")
    assert ("cpu_time" in experiment) == (seconds is not None)
    if seconds is not None:
        assert experiment.exclusive("cpu_time").sum() == pytest.approx(seconds)
        assert experiment.notes.samples["cpu_time"] == pytest.approx(0.01)
    else:
        assert experiment.exclusive("samples").sum() == 2


def test_a_frequency_of_an_event_in_the_header_is_known_too(tmp_path):
    event = "# event : name = cycles, , id = { 5 }, { sample_period, sample_freq } = 50, read_format = ID, freq = 1\n"
    (tmp_path / "a").write_text(event + "app 7/7 1.5: cycles: \n\t 55d0 main (/bin/app)\n\n")
    assert load(tmp_path / "a").exclusive("cpu_time").sum() == pytest.approx(0.02)


@pytest.mark.parametrize(
    "first",
    [
        "app 7 cycles:",
        "app  7/7 cycles: ",
        "app 7 [001] cycles: ",
        "app 7 1.5: ",
        "app 1.5:  100 cycles: ",
        "app 1.5: cycles: ",
        "app 7  100 cycles: ",
        "app cycles:",
        "7/7 1.5: cycles:",
        "1.5: cycles:",
    ],
)
@pytest.mark.parametrize("line", ["{indent}55d0 {name} (/bin/app)", "{indent}55d0 {name}+0x12 (/bin/app)"])
@pytest.mark.parametrize("indent", ["\t    ", ""])
def test_any_choice_of_fields_and_older_forms_are_read(first, line, indent, tmp_path):
    stack = "".join(f"{line.format(indent=indent, name=name)}\n" for name in ("leaf", "main"))
    (tmp_path / "a").write_text(2 * f"{first}\n{stack}\n")
    experiment = load(tmp_path / "a")
    assert [each.region.name for each in experiment.call_paths[1:]] == ["main", "leaf"]
    assert len(experiment.locations) == 1
    assert sum(experiment.exclusive(each.name).sum() for each in experiment.metrics) in (2, 200)
    assert analyze(experiment).weights.disparity.values


def test_stacks_without_files_are_read(tmp_path, values):
    (tmp_path / "a").write_text("app 7 1.5: cycles: \n\t    55d0 leaf\n\t    55e0 f(int, char)+0x4\n\n")
    assert values(load(tmp_path / "a"), "samples")["app/f(int, char)/leaf"] == [1]


def test_a_long_header_is_no_hindrance(tmp_path, values):
    header = HEADER.format(option="") + f"# sibling cores : {'0-1,' * 2000}\n"
    (tmp_path / "a").write_text(f"{header}app 7 1.5: cycles:  55d0 main (/bin/app)\n")
    assert values(load(tmp_path / "a"), "samples")["app/main"] == [1]


def test_samples_of_several_events_without_periods_are_metrics_of_their_own(tmp_path, values):
    (tmp_path / "a").write_text(
        "".join(f"app 7 1.5: {each}:  55d0 main (/b)\n" for each in ("cycles", "faults", "cycles"))
    )
    experiment = load(tmp_path / "a")
    assert values(experiment, "samples:cycles")["app/main"] == [2]
    assert values(experiment, "samples:faults")["app/main"] == [1]
    assert analyze(experiment).run.program_time == 2


def test_one_sample_on_some_ranks_is_no_imbalance():
    findings = analyze(load(FOREIGN / "one_sample.perf.txt.gz"))
    assert findings.experiment.notes.samples["cpu_time"] == pytest.approx(0.004)
    assert not findings.dissimilarity.exists


def test_samples_of_different_periods_are_worth_their_mean_weighed_by_themselves(tmp_path):
    periods = [1_000_000, 3_000_000]
    (tmp_path / "a").write_text("".join(f"app 7 1.5: {each} cpu-clock:  55d0 main (/b)\n" for each in periods))
    assert load(tmp_path / "a").notes.samples == {"cpu_time": pytest.approx(0.0025)}


STACKS = "".join(f"app 7 {n}.5:  1000000000 cpu-clock: \n\t12 f+0x1 (/bin/app)\n\t34 main+0x1 (/b)\n\n" for n in (1, 2))
LINES = "".join(f"app 7 {n}.5:  1000000000 cpu-clock:  34 main+0x1 (/bin/app)\n" for n in (1, 2))
CUT = "perf: the output is truncated within its last sample, which is left out"


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        (STACKS, 1),
        (STACKS, 4),
        (STACKS, len("\t34 main+0x1 (/b)\n\n")),
        (STACKS, 36),
        (STACKS, 41),
        (STACKS, 70),
        (LINES, 1),
        (LINES, 9),
        (LINES, 40),
    ],
)
def test_a_last_sample_that_is_cut_off_is_left_out(text, lacking, tmp_path):
    for name, size in (("cut", len(text) - lacking), ("whole", len(text) // 2), ("both", len(text))):
        (tmp_path / name).write_text(text[:size])
    cut, whole, both = (load(tmp_path / each) for each in ("cut", "whole", "both"))
    assert cut.call_paths == whole.call_paths
    assert (cut.exclusive("cpu_time") == whole.exclusive("cpu_time")).all()
    assert [each.notes.remarks.count(CUT) for each in (cut, whole, both)] == [1, 0, 0]
    assert both.exclusive("cpu_time").sum() == 2


@pytest.mark.parametrize("size", [42, 50, 60])
def test_a_part_of_one_sample_is_refused(size, tmp_path):
    (tmp_path / "a").write_text(STACKS[:size])
    with pytest.raises(
        InputError,
        match="expected samples in the output of perf script, found only a part of a sample, because the output",
    ):
        load(tmp_path / "a")


def _samples(numbers):
    """Return the text of a process with this many samples in each function."""
    return "".join(f"app 7 1.5: cycles:  12 {name}+0x1 (/bin/app)\n" * number for name, number in numbers.items())


@pytest.mark.parametrize(("samples", "is_found"), [(1, False), (9, False), (10, True)])
def test_a_region_stands_out_if_it_has_more_samples_than_chance_gives_one_of_none(samples, is_found, tmp_path):
    (tmp_path / "a").write_text(_samples({"solve": samples, "pack": 1}))
    findings = analyze(load(tmp_path / "a"))
    named = {findings.run.weighed.regions[each].id for each in findings.culprits_by_weight}
    assert ("solve" in {findings.experiment.call_paths[each].region.name for each in named}) == is_found
    assert any("HOT SPOT" in line for line in verdict_lines(findings)) == is_found


def test_samples_of_idle_cores_are_of_no_program(tmp_path, values):
    idle = "swapper 0 1.5: cycles:  12 poll_idle+0x1 ([kernel])\n" * 30
    (tmp_path / "a").write_text(idle + _samples({"solve": 10}))
    experiment = load(tmp_path / "a")
    assert values(experiment, "samples") == {"app": [0], "app/solve": [10]}
    assert "perf: 30 samples of idle cores (swapper) are left out" in experiment.notes.remarks
    (tmp_path / "b").write_text(idle)
    with pytest.raises(
        InputError, match="expected samples in the output of perf script, found only samples of idle cores"
    ):
        load(tmp_path / "b")


def test_a_rank_that_has_samples_of_another_event_alone_is_of_no_program_among_several(tmp_path):
    text = "".join(f"app {rank} 1.5: cycles:  12 solve+0x1 (/bin/app)\n" for rank in (7, 8) for _ in range(40))
    text += "zip 9 1.5: page-faults:  12 zip+0x1 (/bin/zip)\n"
    (tmp_path / "a").write_text(text)
    findings = analyze(load(tmp_path / "a"))
    assert [each.tolist() for each in findings.vectors.groups] == [[0, 1], [2]]
    assert not findings.dissimilarity.exists


def test_a_function_of_a_file_that_was_deleted_since_has_its_name(tmp_path, values):
    stack = "\t12 f+0x1 (/tmp/a.out (deleted))\n\t34 main+0x1 (/tmp/a.out (deleted))\n"
    (tmp_path / "a").write_text(f"app 7 1.5:  1000000000 cpu-clock: \n{stack}\n")
    assert values(load(tmp_path / "a"), "cpu_time") == {"app": [0], "app/main": [0], "app/main/f": [1]}


PROSE = """call graph profile:
          The sum of self and descendents is the major sort
          for this listing.

          parent listings:

self*     the number of seconds of this function's self time
          which is due to calls from this parent.
"""


def test_prose_with_colons_is_no_text_of_perf(tmp_path):
    (tmp_path / "a").write_text(PROSE)
    with pytest.raises(InputError, match="found a file of another kind"):
        load(tmp_path / "a")
