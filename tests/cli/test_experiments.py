"""The commands info, dump, convert and cut."""

import json

import numpy as np
import pytest

from autoanalyzer.experiment import Builder, Metric, Notes, load, save, select
from autoanalyzer.experiment.algebra import difference, mean, merge, ratio
from autoanalyzer.experiment.metric import PROCESS_METRICS
from autoanalyzer.multivariate.derivations import DERIVATIONS, derivations, possible

from .conftest import refused, succeed


@pytest.fixture
def saved(tool):
    """Write two ranks that send and write to ``app.cube``."""
    made = Builder()
    made.metric("wall_time")
    made.metric("mpi_time", parent="wall_time")
    made.metric("mpi_bytes", "bytes")
    made.metric("mpi_bytes_sent", "bytes", parent="mpi_bytes")
    made.metric("io_bytes", "bytes")
    main = made.call_path("main")
    send, dump = made.call_path("send", main), made.call_path("dump\x1b[31m", main)
    for rank in range(2):
        made.location(rank)
    made.row("wall_time", main, [0.5, 0.25]).row("wall_time", send, [1.0, 2.0]).row("mpi_time", send, [1.0, 1.5])
    made.row("mpi_bytes", send, [2e6, 1e6]).row("mpi_bytes_sent", send, [2e6, 0]).row("io_bytes", dump, [0, 5e9])
    save(made.experiment(), tool.folder / "app.cube")
    return tool


def said(tool, *words: str) -> str:
    return succeed(tool("autoanalyzer", *words)).stdout.decode()


def test_info_says_what_there_is(saved):
    lines = said(saved, "info", "app.cube").splitlines()
    assert lines[0] == "app.cube"
    assert lines[1] == "system      ranks 0-1; 2 threads on 1 node of machine"
    assert lines[2] == "call paths  3 (3 regions), at most 1 deep, below main"
    assert ["mpi_time", "sec", "measured"] in [line.split() for line in lines]


def test_info_says_at_the_top_that_a_file_is_no_run(saved):
    save(difference(*[load(saved.folder / "app.cube")] * 2), saved.folder / "d.cube")
    lines = said(saved, "info", "d.cube").splitlines()
    assert lines[1] == "derived     by difference: computed from runs, not a run itself"


def test_info_names_every_operation_that_led_to_a_file(saved):
    run = load(saved.folder / "app.cube")
    made = difference(run, run)
    save(merge(mean(made, made), select(made, subtree="main")), saved.folder / "m.cube")
    lines = said(saved, "info", "m.cube").splitlines()
    assert lines[1].startswith("derived     by difference, mean, merge: computed from runs")


@pytest.mark.parametrize("options", [(), ("--csv",), ("--by", "process")])
def test_sums_that_no_number_can_hold_are_refused(saved, options):
    run = load(saved.folder / "app.cube")
    values = np.full((len(run.call_paths), len(run.locations)), 1.7e308)
    much = run.replaced(metrics=[Metric("much", "occ")], severities={"much": values})
    save(much, saved.folder / "much.cube")
    message = "autoanalyzer: the sums of metric 'much' overflow"
    assert refused(saved("autoanalyzer", "dump", "much.cube", *options)) == message
    assert "1.7e308" in said(saved, "dump", "much.cube", "--by", "thread", "--exclusive")
    assert "inf" in said(saved, "diff", "much.cube", "much.cube")


def test_info_refuses_a_packed_file_that_is_cut_off(saved):
    said(saved, "convert", "app.cube", "app.cube.gz")
    file = saved.folder / "app.cube.gz"
    whole = file.read_bytes()
    for kept in (50, len(whole) - 20):
        file.write_bytes(whole[:kept])
        assert refused(saved("autoanalyzer", "info", "app.cube.gz")).endswith("the file is truncated")


def test_ratios_are_not_added_up(saved):
    save(ratio(*[load(saved.folder / "app.cube")] * 2), saved.folder / "r.cube")
    one = ["dump", "r.cube", "--json", "--metrics", "wall_time.ratio"]
    assert json.loads(said(saved, *one))["inclusive"]["wall_time.ratio"] == [None] * 3
    assert said(saved, "dump", "r.cube", "--csv", "--metrics", "wall_time.ratio").splitlines()[1] == "0,nan"
    by_thread = json.loads(said(saved, *one, "--by", "thread"))
    assert by_thread["metrics"][0]["aggregation"] == "none"
    assert by_thread["exclusive"]["wall_time.ratio"] == [[1.0, 1.0], [1.0, 1.0], [None, None]]
    assert by_thread["inclusive"]["wall_time.ratio"] == [[None, None], [1.0, 1.0], [None, None]]
    assert (
        said(saved, "dump", "r.cube").splitlines()[-1]
        == "metrics that cannot be summed are not shown; to see them, use --by thread"
    )
    table = said(saved, "dump", "r.cube", "--metrics", "wall_time.ratio", "--by", "thread").splitlines()
    assert table[1].split() == ["1", "1", "main"]
    assert table[-1] == "wall_time.ratio by thread, exclusive"


def test_what_does_not_add_up_is_compared_by_no_command(saved):
    made = Builder()
    made.metric("rate", "bytes/sec")
    made.location(0)
    made.set("rate", made.call_path("work", made.call_path("main")), 0, 5.0)
    for name in ("r.cube", "s.cube"):
        save(made.experiment(), saved.folder / name)
    assert said(saved, "diff", "r.cube", "s.cube").splitlines()[0].startswith("difference(r.cube, s.cube)")
    for words in (("diff", "r.cube", "s.cube"), ("compare", "r.cube", "--with", "s.cube")):
        line = refused(saved("autoanalyzer", *words, "--metric", "rate"))
        assert "rate" in line
        assert "cannot be summed" in line


def test_a_table_shows_mpi_and_io_bytes_with_units_and_no_control_characters(saved):
    lines = said(saved, "dump", "app.cube").splitlines()
    assert lines[0].split() == ["wall_time", "mpi_time", "mpi_bytes", "io_bytes", "region", "source"]
    assert lines[1].split() == ["3.75", "s", "2.5", "s", "3", "MB", "5", "GB", "main"]
    assert lines[3].split()[-1] == "dump\ufffd[31m"
    assert "\x1b" not in "".join(lines)
    assert lines[-1] == "sum over 2 locations, inclusive"


def test_a_table_by_process_has_a_column_each(saved):
    lines = said(saved, "dump", "app.cube", "--metrics", "wall_time", "--by", "process", "--exclusive").splitlines()
    assert lines[0].split()[:2] == ["0", "1"]
    assert lines[1].split() == ["500", "ms", "250", "ms", "main"]


def test_csv_is_exclusive_along_both_trees(saved):
    assert said(saved, "dump", "app.cube", "--csv") == (
        "Cnode ID,wall_time,mpi_time,mpi_bytes,mpi_bytes_sent,io_bytes\n"
        "0,0.75,0,0,0,0\n1,0.5,2.5,1e+06,2e+06,0\n2,0,0,0,0,5e+09\n"
    )
    assert said(saved, "dump", "app.cube", "--csv", "--metrics", "mpi_time").splitlines()[2] == "1,2.5"


def test_names_that_a_spreadsheet_would_carry_out_are_quoted(saved):
    made = Builder()
    for name in ("=1+1", "@sum", "+x", "-y", "plain"):
        made.metric(name)
    made.location(0)
    made.row("=1+1", made.call_path("main"), [-5e-9])
    save(made.experiment(), saved.folder / "f.cube")
    assert said(saved, "dump", "f.cube", "--csv") == "Cnode ID,'=1+1,'@sum,'+x,'-y,plain\n0,-5e-09,0,0,0,0\n"


def test_json_has_all_numbers(saved):
    document = json.loads(said(saved, "dump", "app.cube", "--json", "--by", "process"))
    assert document["schema"] == "autoanalyzer.dump/1"
    assert document["columns"] == [[0], [1]]
    assert document["inclusive"]["wall_time"][0] == [1.5, 2.25]
    assert document["exclusive"]["mpi_bytes"][1] == [2e6, 1e6]
    assert document["call_paths"][1]["path"] == "send"
    assert json.loads(said(saved, "dump", "app.cube", "--json", "--flat"))["exclusive"]["wall_time"] == [0.75, 3.0, 0.0]


@pytest.mark.parametrize("name", ["b.cube", "b.cube.gz", "b.xml"])
def test_convert_writes_what_it_read(name, saved):
    assert said(saved, "convert", "app.cube", name) == f"wrote {name}: 5 metrics, 3 call paths, 2 locations\n"
    assert load(saved.folder / name).exclusive("wall_time").tolist() == [[0.5, 0.25], [1, 2], [0, 0]]


def test_cut_writes_a_part_that_is_an_experiment_as_any_other(saved):
    words = ("--subtree", "send", "--ranks", "1", "--metrics", "wall_time,mpi_bytes")
    line = said(saved, "cut", "app.cube", "-o", "part.cube", *words)
    assert line == "wrote part.cube: 2 metrics, 1 call path, 1 location\n"
    part = load(saved.folder / "part.cube")
    assert part.exclusive("wall_time").tolist() == [[2]]
    assert "mpi_bytes_sent" not in part
    assert "history     select(subtree=send, processes=1, metrics=wall_time,mpi_bytes)" in said(
        saved, "info", "part.cube"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["info", "none.cube"], "none.cube: cannot be read: No such file or directory"),
        (
            ["cut", "app.cube", "-o", "b.cube", "--metrics", "compute_time"],
            "compute_time is computed, not stored (cpu_time - mpi_cpu_time); to see its values, use dump --metrics",
        ),
        (
            ["dump", "app.cube", "--metrics", "compute_time"],
            "compute_time is computed as cpu_time - mpi_cpu_time; missing here: cpu_time, mpi_cpu_time",
        ),
        (["dump", "app.cube", "--metrics", "wal_time"], "no metric 'wal_time'; did you mean wall_time"),
        (["dump", "app.cube", "--csv", "--by", "node"], "--csv cannot be combined with --by or --exclusive"),
        (["dump", "app.cube", "--csv", "--json"], "not allowed with"),
        (["convert", "app.cube", "b.csv"], "b.csv: expected a name that ends in one of .cube, .cube.gz, .xml, .cubex"),
        (["convert", "app.cube", "no/b.cube"], "no/b.cube: cannot be written: expected a file in an existing folder"),
        (["cut", "none.cube", "-o", "no/b.cube", "--ranks", "0"], "no/b.cube: cannot be written"),
        (["cut", "app.cube", "-o", "b.cube", "--subtree", ""], "no region or call path ''"),
        (["dump", "app.cube", "--json", "--exclusive"], "--json cannot be combined with --exclusive"),
        (["cut", "app.cube", "-o", "b.cube"], "expected --subtree, --ranks or --metrics"),
        (["cut", "app.cube", "-o", "b.cube", "--ranks", "0-5"], "no rank 2; there are ranks 0 to 1"),
        (["cut", "app.cube", "-o", "b.cube", "--ranks", "x"], "expected ranks and ranges, such as 0-3,8"),
        (["cut", "app.cube", "-o", "b.cube", "--subtree", "sned"], "did you mean send"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line_and_nothing_is_written(words, message, saved):
    assert message in refused(saved("autoanalyzer", *words))
    assert [each.name for each in saved.folder.iterdir()] == ["app.cube"]


@pytest.mark.parametrize(("words", "ranks"), [("0-1", [0, 1]), ("1-1", [1]), ("1, 0-0", [0, 1])])
def test_ranks_are_cut_by_ranges_with_their_last(words, ranks, saved):
    said(saved, "cut", "app.cube", "-o", "part.cube", "--ranks", words)
    assert [place.process for place in load(saved.folder / "part.cube").locations] == ranks


@pytest.mark.parametrize("words", ["1-0", "\u0660", "", "0-"])
def test_ranks_that_are_none_are_refused_before_anything_is_written(words, saved):
    done = saved("autoanalyzer", "cut", "app.cube", "-o", "part.cube", "--ranks", words)
    assert f"--ranks {words}:" in refused(done)
    assert not (saved.folder / "part.cube").exists()


@pytest.fixture
def counted(tool):
    """Write two ranks with two call paths and all metrics that derived metrics need."""
    made = Builder()
    formulas = derivations(64)
    names = {part for each in formulas for part in each.metrics} - {each.name for each in formulas}
    main = made.call_path("main")
    work = made.call_path("work", main)
    for rank in range(2):
        made.location(rank)
    for number, name in enumerate(sorted(names), start=1):
        made.metric(name, "sec" if name.endswith("_time") else "bytes" if name.endswith("_bytes") else "occ")
        made.row(name, main, [number, number]).row(name, work, [2 * number, 5 * number])
    experiment = made.experiment().replaced(notes=Notes(calibrated={"caches": "L1=32K/8/64 L2=1M/8/64"}))
    save(experiment, tool.folder / "app.cube")
    return tool


def test_derived_metrics_are_dumped_by_name_as_formulas_of_sums(counted):
    experiment = load(counted.folder / "app.cube")
    wanted = possible([each.name for each in experiment.metrics], 64)
    assert {each.name for each in wanted} == {each.name for each in DERIVATIONS}
    names = ",".join(each.name for each in wanted)
    found = json.loads(said(counted, "dump", "app.cube", "--metrics", names, "--json"))
    sums = {each.name: experiment.inclusive(each.name).sum(axis=1) for each in experiment.metrics}
    for formula in wanted:
        sums[formula.name] = formula.evaluate(sums)
        assert found["inclusive"][formula.name] == pytest.approx(sums[formula.name].tolist())
    by_rank = json.loads(said(counted, "dump", "app.cube", "--metrics", "cpi", "--json", "--by", "process"))
    expected = experiment.exclusive("cycles") / experiment.exclusive("instructions")
    np.testing.assert_allclose(by_rank["exclusive"]["cpi"], expected)
    assert said(counted, "dump", "app.cube", "--metrics", "compute_time,cpu_time", "--csv").startswith(
        "Cnode ID,compute_time,cpu_time\n0,"
    )
    table = said(counted, "dump", "app.cube", "--metrics", "compute_time,cpi")
    assert table.split()[:2] == ["compute_time", "cpi"]


@pytest.mark.parametrize(("options", "first"), [([], "rank"), (["--by", "node"], "node"), (["--flat"], "rank")])
def test_a_region_has_a_table_of_its_metrics_by_rank(options, first, counted):
    experiment = load(counted.folder / "app.cube")
    words = ("dump", "app.cube", "--region", "work", "--metrics", "instructions,cpi", *options)
    where, titles, *rows = said(counted, *words).splitlines()
    assert (where, titles.split()) == ("work", [first, "instructions", "cpi"])
    expected = experiment.exclusive("cycles")[1] / experiment.exclusive("instructions")[1]
    if first == "rank":
        np.testing.assert_allclose([float(row.split()[2]) for row in rows], expected, rtol=1e-3)
    assert len(rows) == (1 if first == "node" else 2)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["work", "--json"], "--region cannot be combined with --csv or --json, which contain all regions"),
        (["wrok"], "no region wrok; did you mean work?"),
        ([""], "no region ''; "),
    ],
)
def test_a_region_that_is_asked_for_is_there_and_shown_in_a_table(words, why, counted):
    assert why in refused(counted("autoanalyzer", "dump", "app.cube", "--region", *words))


def test_what_is_known_of_whole_processes_alone_is_missing_below_their_root(tool):
    faults = PROCESS_METRICS[0]
    made = Builder()
    made.metric("wall_time")
    made.metric(faults.name, faults.unit, description=faults.description)
    main = made.call_path("main")
    work = made.call_path("work", main)
    for thread in range(2):
        made.location(0, thread)
    made.row("wall_time", work, [1.0, 0.0]).row(faults.name, main, [7, 0])
    save(made.experiment(), tool.folder / "app.cube")

    def rows(*words):
        table = said(tool, "dump", "app.cube", "--metrics", "page_faults", *words).splitlines()
        return [line.split() for line in table if line.split()[-1] in ("main", "work")]

    for words in ((), ("--flat",), ("--exclusive",)):
        assert rows(*words) == [["7", "main"], ["-", "work"]]
    assert rows("--by", "thread") == [["7", "-", "main"], ["-", "-", "work"]]
    assert "Page faults; of the whole process, at its root" in said(tool, "info", "app.cube")
    assert said(tool, "dump", "app.cube", "--csv").splitlines()[2] == "1,1,0"  # the value in the file
