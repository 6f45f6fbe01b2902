"""Options of several runs of one program, which are derived from the user's options."""

import argparse
from dataclasses import FrozenInstanceError, asdict, fields, replace
from pathlib import Path

import pytest

from autoanalyzer.cli.run_arguments import add_measuring_arguments, options_of
from autoanalyzer.errors import UsageError
from autoanalyzer.runs.event_groups import one_group
from autoanalyzer.runs.event_runs import options_of_part
from autoanalyzer.runs.options import RunOptions
from autoanalyzer.runs.repeated_runs import options_of_repetition
from autoanalyzer.runs.variables import probe_variables

# Each option has its own value, so that lost or exchanged options are noticed.
GIVEN = {
    "--output": ("data", Path("data")),
    "--counters": ("simulated", "simulated"),
    "--events": ("instructions=A,l1_misses=B,l2_misses=C", "instructions=A,l1_misses=B,l2_misses=C"),
    "--usage": ("page_faults", "page_faults"),
    "--count-in": ("mpi", "mpi"),
    "--multiplex": (None, True),
    "--papi": ("libpapi.so.7.0", "libpapi.so.7.0"),
    "--cache": ("L1=32K/8/64", "L1=32K/8/64"),
    "--counting-dir": ("second", Path("second")),
    "--scratch": ("copies", Path("copies")),
    "--no-copy": (None, True),
    "--no-environment": (None, True),
    "--gather": ("plain", "plain"),
    "--max-memory": ("64M", "64M"),
    "--max-overhead": ("7%", "7%"),
    "--trace": ("0.5", 0.5),
    "--trace-memory": ("2M", "2M"),
    "--pursue": ("9", 9.0),
    "--policy": ("policy.json", Path("policy.json")),
    "--split-waiting": (None, True),
    "--path": ("always", "always"),
    "--sample": ("auto", "250"),
    "--python-functions": ("solve,numpy:dot", ("solve", "numpy:dot")),
}


def parsed(*words):
    parser = argparse.ArgumentParser()
    add_measuring_arguments(parser)
    return options_of(parser.parse_args([*words, "--", "./app"]))


def changes(one, other):
    return {name: value for name, value in asdict(other).items() if value != getattr(one, name)}


def test_each_option_of_the_command_line_is_in_those_of_the_run():
    options = parsed(*(word for option, (value, _) in GIVEN.items() for word in (option, value) if word is not None))
    assert asdict(options) == {option[2:].replace("-", "_"): expected for option, (_, expected) in GIVEN.items()}


def test_without_options_a_run_has_the_defaults(monkeypatch):
    monkeypatch.delenv("AUTOANALYZER_USAGE", raising=False)
    assert parsed() == RunOptions(output=Path("autoanalyzer-out"))


def test_options_of_a_run_stay_as_they_are():
    options = RunOptions(output=Path("out"))
    for field in fields(options):
        with pytest.raises(FrozenInstanceError):
            setattr(options, field.name, None)


def test_one_of_several_repetitions_counts_what_takes_no_run_of_its_own():
    options = RunOptions(output=Path("out"), counters="papi", usage="page_faults", trace=0.1)
    second = options_of_repetition(options, 2)
    assert changes(options, second) == {"output": second.output}
    assert second.output != options_of_repetition(options, 3).output
    simulated = replace(options, counters="simulated")
    assert changes(simulated, options_of_repetition(simulated, 2)) == {"output": second.output, "counters": "none"}


def test_the_first_run_of_several_parts_counts_all_else():
    options = RunOptions(output=Path("out"), counters="papi:A,B", events="instructions=C", usage="page_faults")
    first, second = (options_of_part(options, f"papi:{event}", number) for number, event in enumerate("AB", 1))
    assert changes(options, first) == {"output": first.output, "counters": "papi:A"}
    assert changes(first, second) == {"output": second.output, "counters": "papi:B", "events": "none", "usage": ""}


def test_what_is_in_no_group_of_events_needs_one_run():
    options = RunOptions(output=Path("out"), counters="simulated")
    assert one_group(options, "record") == options


@pytest.mark.parametrize(
    ("given", "variables"),
    [
        ({}, {"AUTOANALYZER_PATH": "auto"}),
        ({"usage": ""}, {"AUTOANALYZER_USAGE": "", "AUTOANALYZER_PATH": "auto"}),
        ({"usage": "page_faults"}, {"AUTOANALYZER_USAGE": "page_faults", "AUTOANALYZER_PATH": "never"}),
        ({"count_in": "mpi"}, {"AUTOANALYZER_COUNT_IN": "mpi", "AUTOANALYZER_PATH": "never"}),
        ({"sample": "100"}, {"AUTOANALYZER_SAMPLE": "100", "AUTOANALYZER_PATH": "auto"}),
        ({"counters": "papi:A"}, {"AUTOANALYZER_PATH": "never"}),
        ({"counters": "papi:A", "path": "always"}, {"AUTOANALYZER_PATH": "always"}),
        ({"papi": "python_papi"}, {"AUTOANALYZER_PAPI": "python_papi", "AUTOANALYZER_PATH": "auto"}),
        ({"multiplex": True, "split_waiting": True, "path": "never"},
         {"AUTOANALYZER_MULTIPLEX": "1", "AUTOANALYZER_SPLIT_WAITING": "1", "AUTOANALYZER_PATH": "never"}),
        ({"max_memory": "64M", "max_overhead": "0", "events": "none"},
         {"AUTOANALYZER_MAX_MEMORY": "64M", "AUTOANALYZER_MAX_OVERHEAD": "0", "AUTOANALYZER_EVENTS": "none",
          "AUTOANALYZER_PATH": "auto"}),
        ({"trace": 0.5, "trace_memory": "2M", "policy": Path("/etc/policy.json")},
         {"AUTOANALYZER_TRACE": "0.5", "AUTOANALYZER_TRACE_MEMORY": "2M", "AUTOANALYZER_POLICY": "/etc/policy.json",
          "AUTOANALYZER_PATH": "auto"}),
    ],
)  # fmt: skip
def test_the_probe_library_knows_the_options_by_variables(given, variables, monkeypatch):
    monkeypatch.delenv("AUTOANALYZER_PATH", raising=False)
    assert probe_variables(RunOptions(output=Path("out"), **given)) == variables


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"trace_memory": "2M"}, "--trace-memory needs --trace"),
        ({"pursue": 4.0}, "--pursue needs --trace"),
        ({"policy": Path("p")}, "--policy needs --trace"),
        ({"trace": 0.1, "pursue": 4.0, "policy": Path("p")}, "--pursue cannot be combined with --policy"),
    ],
)
def test_options_that_do_not_go_together_are_refused(given, said):
    with pytest.raises(UsageError, match=said):
        probe_variables(RunOptions(output=Path("out"), **given))
