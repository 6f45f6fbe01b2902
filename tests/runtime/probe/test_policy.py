"""What a policy excludes from samples: columns, system calls, and processor events."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from autoanalyzer.experiment.metric import COUNT_METRICS, SYSTEM_METRICS
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards
from autoanalyzer.runtime.gather.recorded_metrics import FIELDS
from autoanalyzer.runtime.gather.recorded_values import are_recorded
from autoanalyzer.runtime.gather.sampled_metrics import SYSTEM
from autoanalyzer.runtime.gather.samples import ThreadSamples, read_samples
from autoanalyzer.runtime.gather.shard import Shard
from autoanalyzer.runtime.gather.shard_layout import COUNTERS, TRACE_VALUES
from autoanalyzer.runtime.gather.shard_reader import read_shard

from .conftest import PROBE, Record, compile_c

PROGRAMS = Path(__file__).parents[1] / "programs"
PAUSE = 600  # milliseconds; the file is checked every 500 ms

# The program's own event counts 5 per visit of the region; after each 50 visits, the program replaces the policy.
WORK = """
#include <dlfcn.h>
#include <sde_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static long long work;
static void (*enter)(const char *), (*leave)(const char *);
static void region(int times) {
    static const char text[] = "aa1|function|region|x.c|region|0|1|2";
    for (int i = 0; i < times; i++) {
        enter(text);
        work += 5;
        usleep(2000);
        leave(text);
    }
}
static void obey(const char *policy) {
    rename(policy, getenv("AUTOANALYZER_POLICY"));
    usleep(600000);
    region(5);
}
int main(void) {
    enter = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_enter");
    leave = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_exit");
    papi_sde_register_counter(papi_sde_init("test"), "work", PAPI_SDE_RO, PAPI_SDE_long_long, &work);
    region(50);
    obey("without");
    region(50);
    obey("with");
    region(50);
    return 0;
}
"""


def policy(path: Path, *record: str) -> str:
    path.write_text(json.dumps({"schema": "autoanalyzer.policy/1", "record": record}))
    return str(path)


def traced(record: Record, words: str, **variables: str) -> tuple[Shard, ThreadSamples]:
    (shard,) = record(words, AUTOANALYZER_TRACE="0.001", **variables)
    return shard, read_samples(shard)[0]


def known(line: ThreadSamples, metric: str) -> list[bool]:
    fields = SYSTEM.get(metric) or FIELDS.get(metric, (metric,))
    return are_recorded(line.recorded, fields).tolist()


def test_metrics_are_made_up_of_the_same_values_in_both_languages(tmp_path: Path) -> None:
    compile_c(f"-I{PROBE}", PROGRAMS / "policy_values.c", "-o", tmp_path / "values")
    counts = [metric.name for metric in COUNT_METRICS if metric.name in COUNTERS]
    fields = FIELDS | SYSTEM | {name: (name,) for name in counts}
    assert {metric.name for metric in SYSTEM_METRICS} == set(SYSTEM)
    done = subprocess.run([tmp_path / "values", *fields, "none"], capture_output=True, text=True, check=True)
    *values, none = map(int, done.stdout.split())
    assert none == 0
    bits = np.array([1 << bit for bit in range(TRACE_VALUES)], dtype=np.uint64)
    everything = np.uint64(2**64 - 1)
    for name, value in zip(fields, values, strict=True):
        assert are_recorded(np.array([value], dtype=np.uint64), fields[name]).all(), name
        lacking = are_recorded(everything & ~bits, fields[name])
        assert (lacking == ((np.uint64(value) & bits) == 0)).all(), name


def test_samples_have_what_is_to_be_recorded(record: Record, tmp_path: Path) -> None:
    words = "+main times 40 +f spin 1 -f ; -main"
    shard, line = traced(record, words, AUTOANALYZER_POLICY=policy(tmp_path / "p", "wall_time", "resident_memory"))
    assert known(line, "wall_time") == [True] * len(line.end)
    assert not any(known(line, "visits")[1:])
    assert (line.values["visits"][1:-1] == 0).all()
    assert line.values["wall"].sum() == pytest.approx(shard.threads[0].nodes["wall"].sum())
    assert (line.system[1:-1, :4] == 0).all()
    assert (line.system[:-1, 4] > 0).all()
    assert line.visits.sum() == shard.threads[0].nodes["visits"].sum()  # call paths are still recorded


def test_the_profile_is_the_same(record: Record, tmp_path: Path) -> None:
    shard, _ = traced(record, "+main times 40 +f spin 1 -f ; -main", AUTOANALYZER_POLICY=policy(tmp_path / "p"))
    assert shard.threads[0].nodes["visits"].tolist() == [0, 1, 40]
    assert merge_shards([shard], RunFacts()).notes.remarks == ()


@pytest.mark.parametrize("end", ["", "sleep 3"], ids=["", "a sample until the end"])
def test_a_policy_that_is_replaced_is_obeyed(record: Record, tmp_path: Path, end: str) -> None:
    policy(tmp_path / "without", "wall_time", "page_faults")
    policy(tmp_path / "with", "wall_time", "visits", "page_faults", "context_switches")
    part = "times 20 +f spin 1 -f ;"
    words = f"+main {part} rename without sleep {PAUSE} {part} rename with sleep {PAUSE} {part} -main {end}"
    _, line = traced(record, words, AUTOANALYZER_POLICY=str(tmp_path / "policy"))
    visits, faults, switches = (known(line, name) for name in ("visits", "page_faults", "context_switches"))
    assert all(faults)
    first, last = visits.index(False), len(visits) - 2 - visits[-2::-1].index(False)
    assert all(visits[:first])
    assert not any(visits[first : last + 1])
    assert all(visits[last + 1 : -1])
    assert not visits[-1]  # the last sample contains the rest, including what was excluded before
    assert switches == visits
    assert (line.system[:-1, :4] < 1e6).all()  # no sample contains what happened while the system was not queried


@pytest.mark.parametrize("text", ["", "record", '{"record": "visits"}', '{"record": ["visits"', '{"record": [visits]}'])
def test_what_is_no_policy_changes_nothing_and_is_said_once(record: Record, tmp_path: Path, text: str) -> None:
    (tmp_path / "p").write_text(text)
    words = f"+main times 5 +f spin 1 -f ; sleep {PAUSE} times 5 +f spin 1 -f ; -main"
    _, line = traced(record, words, AUTOANALYZER_POLICY=str(tmp_path / "p"))
    assert all(known(line, "visits"))
    assert (tmp_path / "stderr").read_text().count('expected a policy with "record": ["metric", ...], found none') == 1


def test_without_the_file_everything_is_recorded(record: Record, tmp_path: Path) -> None:
    _, line = traced(record, "+main times 5 +f spin 1 -f ; -main", AUTOANALYZER_POLICY=str(tmp_path / "none"))
    assert all(known(line, "visits"))
    assert (tmp_path / "stderr").read_text() == ""


def test_where_pairs_are_merged_only_what_both_have_is_known(record: Record, tmp_path: Path) -> None:
    policy(tmp_path / "without", "wall_time")
    words = f"+main crowd 900 1 rename without sleep {PAUSE} times 120 crowd 900 1 spin 1 ; -main"
    variables = {"AUTOANALYZER_POLICY": str(tmp_path / "policy"), "AUTOANALYZER_TRACE_MEMORY": "1M"}
    shard, line = traced(record, words, **variables)
    assert shard.tracing is not None
    assert shard.tracing.merged > 0
    visits = np.array(known(line, "visits"))
    assert (line.values["visits"][~visits][:-1] == 0).all()
    assert line.values["wall"].sum() == pytest.approx(shard.threads[0].nodes["wall"].sum())


def test_events_are_stopped_and_started(library: Path, tmp_path: Path) -> None:
    if not Path("/usr/include/sde_lib.h").exists():
        pytest.skip("PAPI's software-defined events are not installed")
    (tmp_path / "work.c").write_text(WORK)
    compile_c(tmp_path / "work.c", "-o", tmp_path / "work", "-lsde")
    policy(tmp_path / "without", "wall_time")
    policy(tmp_path / "with", "wall_time", "instructions")
    (tmp_path / "shards").mkdir()
    variables = {
        "LD_PRELOAD": str(library),
        "AUTOANALYZER_SHARDS": str(tmp_path / "shards"),
        "AUTOANALYZER_TRACE": "0.001",
        "AUTOANALYZER_POLICY": str(tmp_path / "policy"),
        "AUTOANALYZER_COUNTERS": "papi",
        "AUTOANALYZER_EVENTS": "instructions=sde:::test::work",
    }
    subprocess.run([tmp_path / "work"], cwd=tmp_path, env={**os.environ, **variables}, check=True)
    shard = read_shard(next((tmp_path / "shards").glob("*.shard")))
    (line,) = read_samples(shard)
    counted = np.array(known(line, "instructions"))
    stopped = np.flatnonzero(~counted)[:-1]
    assert (np.diff(stopped) == 1).all()
    before, after = slice(0, stopped[0]), slice(stopped[-1] + 1, len(counted) - 1)
    assert line.values["instructions"][before].sum() == pytest.approx(250, abs=30)
    assert line.values["instructions"][after].sum() == pytest.approx(250, abs=50)
    total = int(shard.threads[0].nodes["instructions"].sum())
    assert total == pytest.approx(line.values["instructions"][:-1].sum(), abs=50)
    assert total < 600  # of 800 in all
    experiment = merge_shards([shard], RunFacts())
    assert "instructions" not in {metric.name for metric in experiment.metrics}
    assert (
        "events counted only in the time lines (trace.npz), because the policy paused them at times: "
        "instructions, mpi_instructions" in experiment.notes.remarks
    )
