import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from autoanalyzer.cli import stats
from autoanalyzer.experiment import Builder, Notes, Region, save
from autoanalyzer.multivariate import analyses as statistics

from .conftest import refused

ANALYSES = ("correlation", "hierarchy", "kmeans", "factors", "pca", "map")
HOSTILE = ("</script><script>alert(1)</script>", 'it\'s "quoted" <b>x</b> $y$', "x" * 500, "שלום \u202e, %{z}")


def _write(file: Path, *, ranks: int = 16, threads: int = 1, names: tuple[str, ...] = (), region: str = "work") -> Path:
    """Write a run whose upper half of ranks has more of the first metrics."""
    drawn = np.random.default_rng(1)
    made = Builder()
    metrics = names or ("instructions", "cycles", "fp_ins", "l2_misses", "l2_accesses", "mpi_time")
    for name in metrics:
        made.metric(name, "sec" if name == "mpi_time" else "occ")
    main = made.call_path("main")
    work = made.call_path(region, main)
    count = ranks * threads
    for place in range(count):
        made.location(place // threads, place % threads)
    upper = np.arange(count) >= count // 2
    for column, name in enumerate(metrics):
        base, noise = (1e9 * (1 + 0.3 * upper), 0.02) if column < 3 else (np.full(count, 1e6), 0.06)
        made.row(name, work, base * (1 + noise * drawn.standard_normal(count)))
    save(made.experiment(), file)
    return file


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _write(tmp_path_factory.mktemp("stats") / "run.cube")


def _write_sweep(file: Path, ranks: int = 16, processors: int = 64) -> None:
    """Write a run in which four of sixteen ranks compute three times as long in one loop, and rank 0 prints."""
    made = Builder(Notes(processors=processors))
    for name, unit in (("wall_time", "sec"), ("cpu_time", "sec"), ("mpi_cpu_time", "sec"), ("instructions", "occ")):
        made.metric(name, unit)
    made.metric("l1_accesses", "occ")
    main = made.call_path("main")
    work = made.call_path(Region("loop", "loop@52", "/src/octants.f90", "sweep_plane", 0, 52, 60), main)
    dense = np.isin(np.arange(ranks) % 16, [10, 11, 14, 15])
    drawn = np.random.default_rng(0)
    for rank in range(ranks):
        made.location(rank)
    noise = 0.01 * drawn.standard_normal(ranks)
    made.row("wall_time", work, 2.0 + noise)
    made.row("cpu_time", work, np.where(dense, 1.5, 0.5) + noise)
    made.row("mpi_cpu_time", work, np.zeros(ranks))
    made.row("instructions", work, np.where(dense, 3.07e9, 1e9) + 1e5 * drawn.standard_normal(ranks))
    made.row("l1_accesses", main, np.where(np.arange(ranks) == 0, 6.25e6, 6.2e6) + drawn.standard_normal(ranks))
    made.row("wall_time", main, np.full(ranks, 0.01))
    save(made.experiment(), file)


@pytest.fixture
def sweep(tool) -> str:
    _write_sweep(tool.folder / "sweep.cube")
    return "sweep.cube"


@pytest.mark.parametrize(("ranks", "proposed"), [(2000, True), (2001, False)])
def test_of_too_many_locations_no_region_is_proposed_and_that_is_said(ranks, proposed, tool, here):
    _write_sweep(tool.folder / "large.cube", ranks)
    said = here("stats", "large.cube", "correlation").stdout.decode()
    assert ("--region octants.f90:52" in said) == proposed
    assert ("no --region is proposed; to get a proposal, run: autoanalyzer analyze large.cube" in said) != proposed


@pytest.mark.parametrize("analysis", ["correlation", "kmeans", "map"])
@pytest.mark.by_day(analysis=["kmeans"])
def test_the_region_that_the_verdict_names_is_proposed_first_with_the_command(analysis, sweep, tool, here):
    done = here("stats", sweep, analysis, "--json", "o.json")
    sentence = done.stdout.decode().rpartition("\n\n")[2].split("\n")[0]
    command = f"autoanalyzer stats sweep.cube {analysis} --region octants.f90:52"
    assert "(octants.f90:52): ranks 10-11, 14-15: 1.51 s each; ranks 0-9, 12-13: 492-493 ms." in sentence
    assert sentence.endswith(f"To analyse only this region, run: {command}")
    proposed = json.loads((tool.folder / "o.json").read_text())["proposed"]
    assert proposed == {"region": "octants.f90:52", "exclusive": False, "command": command}
    again = here(*command.split()[1:])
    assert (again.returncode, again.stderr) == (0, b"")
    assert "The verdict names" not in again.stdout.decode()
    assert "0.81 %" not in done.stdout.decode()


def test_the_proposed_command_keeps_what_was_asked_for(sweep, here):
    words = ("--exclude-rank", "0", "--metrics", "cpu_time,instructions", "--derive", "a b=cpu_time/instructions")
    said = here("stats", sweep, "kmeans", *words).stdout.decode()
    assert "kmeans --region octants.f90:52 --exclude-rank 0 --metrics cpu_time,instructions --derive 'a b=" in said


def test_no_region_is_proposed_where_the_verdict_names_none_or_there_is_none(file, sweep, tool, here):
    for words in ((str(file), "kmeans"), (sweep, "kmeans", "--region", "loop@52")):
        done = here("stats", *words, "--json", "o.json")
        assert "The verdict names" not in done.stdout.decode()
        assert json.loads((tool.folder / "o.json").read_text())["proposed"] is None


@pytest.mark.parametrize("analysis", ANALYSES)
def test_each_analysis_comes_as_text_json_and_csv_and_with_one_seed_the_same(analysis, file, tool, here):
    done = here("stats", str(file), analysis, "--seed", "7", *("--json", "o.json", "--csv", "o.csv"))
    assert (done.returncode, done.stderr) == (0, b"")
    sentences = done.stdout.decode().rpartition("\n\n")[2].strip().split("\n")
    assert sentences[0].endswith((".", ")."))
    document = json.loads((tool.folder / "o.json").read_text())
    assert document["schema"] == "autoanalyzer.statistics/1"
    assert {"metrics", "locations", "dropped"} <= document.keys()
    assert document["seed"] == 7
    again = here("stats", str(file), analysis, "--seed", "7", "--json", "-")
    assert again.stdout.decode() == (tool.folder / "o.json").read_text()
    rows = list(csv.reader(io.StringIO((tool.folder / "o.csv").read_text())))
    assert len({len(row) for row in rows}) == 1
    assert len(rows) == 1 + (16 if analysis not in ("correlation", "factors") else 6)


@pytest.mark.parametrize("analysis", ANALYSES)
def test_hostile_names_are_text_in_every_form(analysis, tool, here, browse):
    file = _write(tool.folder / "hostile.cube", names=HOSTILE, region=HOSTILE[0])
    done = here("stats", str(file), analysis, *("--json", "o.json", "--csv", "o.csv", "--html", "o.html"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert "\u202e" not in done.stdout.decode()
    sentence = done.stdout.decode().rpartition("\n\n")[2].split("\n")[0]
    assert json.loads((tool.folder / "o.json").read_text())["metrics"] == list(HOSTILE)
    seen = browse(tool.folder / "o.html")
    assert (seen.complaints, seen.requests) == ([], [])
    assert seen.pictures >= 2
    assert sentence in seen.text
    assert any("script>" in each for each in seen.drawn)
    assert "\u202e" not in "".join(seen.drawn) + seen.text


def test_metrics_are_drawn_over_the_ranks_in_the_colours_of_their_clusters(sweep, tool, here, browse):
    here("stats", sweep, "hierarchy", "-k", "2", "--region", "loop@52", "--html", "o.html")
    seen = browse(tool.folder / "o.html")
    assert "Metrics of each task, coloured by cluster" in seen.text
    assert {"1: ranks 0-9, 12-13", "2: ranks 10-11, 14-15", "cpu_time (sec)", "rank"} <= {*seen.drawn}
    assert seen.complaints == []


def test_the_plane_of_components_has_axes_that_say_what_leads_them_and_names_of_ranks(sweep, tool, here, browse):
    here("stats", sweep, "pca", "-k", "2", "--region", "loop@52", "--html", "o.html")
    seen = browse(tool.folder / "o.html")
    assert any(re.match(r"component 1 \([0-9]+ %\): .*(cpu_time|instructions)", each) for each in seen.drawn)
    assert {"14", "1: ranks 0-9, 12-13"} <= {*seen.drawn}
    assert seen.complaints == []


def test_half_of_the_ranks_are_a_cluster_and_a_side_of_the_grid(file, tool, here):
    done = here("stats", str(file), "map", "--factor", "1", "--grid", "4x4", "--json", "o.json")
    text = done.stdout.decode()
    document = json.loads((tool.folder / "o.json").read_text())
    assert document["clusters"] == [[*range(8)], [*range(8, 16)]]
    assert document["called"] == ["rows 0 to 1", "rows 2 to 3"]
    assert (document["grid"]["source"], document["factor"]["name"]) == ("given", "computation")
    assert "1 1 1 1\n1 1 1 1\n2 2 2 2\n2 2 2 2" in text


def test_without_a_topology_the_grid_is_said_to_be_a_guess(file, here):
    assert "4x4 is a guess" in here("stats", str(file), "map").stdout.decode()


def test_representatives_are_the_next_list_of_counters(tool, here):
    file = _write(tool.folder / "run.cube")
    done = here("stats", str(file), "correlation", "--metrics", "instructions,cycles,fp_ins,mpi_time")
    kept = done.stdout.decode().partition("--metrics ")[2].split("\n")[0]
    assert kept.count(",") == 1
    assert here("stats", str(file), "kmeans", "--metrics", kept).returncode == 0


def test_a_metric_can_be_derived_on_the_command_line(file, here):
    words = ("--metrics", "rate,ipc", "--derive", "rate=l2_misses/l2_accesses")
    done = here("stats", str(file), "kmeans", *words, "--json", "-")
    document = json.loads(done.stdout)
    assert document["metrics"] == ["rate", "ipc"]
    assert document["formulas"] == {"rate": "l2_misses/l2_accesses", "ipc": "instructions / cycles"}


def test_a_derived_metric_is_analysed_beside_those_that_are_named(file, here):
    words = ("--metrics", "cycles,cycles,fp_ins", "--derive", "rate=l2_misses/l2_accesses")
    document = json.loads(here("stats", str(file), "kmeans", *words, "--json", "-").stdout)
    assert document["metrics"] == ["cycles", "fp_ins", "rate"]


def test_recursion_looks_into_the_clusters(file, tool, here):
    words = ("--metrics", "instructions,cycles,fp_ins", "--recurse", "--json", "o.json", "--csv", "o.csv")
    done = here("stats", str(file), "kmeans", *words)
    document = json.loads((tool.folder / "o.json").read_text())
    assert [part["path"] for part in document["within"]] == [[1], [2]]
    assert "Within cluster 1:" in done.stdout.decode()
    assert {row[0] for row in csv.reader((tool.folder / "o.csv").open())} >= {"part", "", "1", "2"}


def test_clusters_are_made_of_metrics_in_which_locations_differ_so_that_it_matters(sweep, tool, here):
    """Only rank 0 has 0.8 % more L1 accesses, and there is no noise; this makes no cluster."""
    for analysis in ("hierarchy", "kmeans", "pca", "map"):
        assert here("stats", sweep, analysis, "--json", "o.json").returncode == 0
        found = json.loads((tool.folder / "o.json").read_text())
        assert found["metrics"] == ["cpu_time", "instructions"]
        assert found["dropped"]["l1_accesses"] == "no difference that matters"
        assert sorted(map(len, found["clusters"])) == [4, 12]
        assert [10, 11, 14, 15] in found["clusters"]
    assert here("stats", sweep, "kmeans", "--metrics", "l1_accesses", "--json", "o.json").returncode == 0
    assert [0] in json.loads((tool.folder / "o.json").read_text())["clusters"]


def test_where_ranks_take_turns_that_is_said_and_waiting_for_a_turn_makes_no_clusters(tool, here):
    _write_sweep(tool.folder / "turns.cube", processors=2)
    for analysis in ("kmeans", "correlation"):
        done = here("stats", "turns.cube", analysis, "--json", "o.json")
        found = json.loads((tool.folder / "o.json").read_text())
        times = [name for name in found["metrics"] if name.endswith("time")]
        assert times == (["compute_time"] if analysis == "kmeans" else ["wall_time", "cpu_time"])
        if analysis == "kmeans":
            assert found["dropped"]["wall_time"] == found["dropped"]["cpu_time"] == "includes waiting for a core"
        if analysis == "correlation":
            assert "time" not in found["next"]
        said = here("stats", "turns.cube", analysis).stdout.decode()
        assert done.returncode == 0
        assert "\ntrust busy time, not wall time: 16 ranks share 2 cores.\n" in said


def test_of_a_file_of_another_tool_sentences_name_the_threads(here):
    file = str(Path(__file__).parents[1] / "data/trace.cube.gz")
    whole = here("stats", file, "hierarchy").stdout.decode()
    # Threads that compute less wait at the barrier after the loop.
    assert "(z_solve.f:52): thread 1.0: 2.89 s; threads 0.0, 0.3, 1.3, … 3.5: 2.49-2.7 s; threads " in whole
    assert "\nOnly the first thread of each process has values of mpi, mpi_communication, " in whole
    part = here("stats", file, "hierarchy", "--region", "z_solve.f:52").stdout.decode()
    slow = "cluster 1, threads 0.0, 0.3, 1.0, 1.3, 2.0-2.1, 3.0, 3.5: time 30 % above 2.03 s;"
    assert f"\nThe clusters differ most in time (F = 228.1): {slow}" in part
    assert " Among these, thread 1.0 has the largest value: 2.89 s.\n" in part


def test_of_balanced_ranks_nothing_is_told_but_that_and_who_computes_longest(tool, here):
    packed = Path(__file__).parents[1] / "data/summary.cubex.gz"
    (tool.folder / "summary.cubex").write_bytes(gzip.decompress(packed.read_bytes()))
    said = here("stats", "summary.cubex", "kmeans").stdout.decode()
    assert "\nNo difference between the locations matters (limits: 10 %" in said
    assert "Clusters of" not in said
    assert (
        "the busiest rank's busy time; rank 44 takes longest there (116 s; the median is 115 s). To analyse only "
        in said
    )


def test_threads_have_maps_of_their_own(tool, here):
    file = _write(tool.folder / "run.cube", ranks=4, threads=2)
    done = here("stats", str(file), "map", "-k", "2", "--html", "o.html")
    assert "thread 0" in done.stdout.decode()
    assert "thread 1" in done.stdout.decode()


def test_two_locations_and_one_metric_are_enough_for_clusters(tool, here):
    file = _write(tool.folder / "run.cube", ranks=2)
    for analysis in ("kmeans", "hierarchy", "map"):
        words = ("--metrics", "cycles", *("--json", "o.json", "--csv", "o.csv", "--html", "o.html"))
        done = here("stats", str(file), analysis, *words)
        assert (done.returncode, done.stderr) == (0, b""), analysis


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["kmeans", "--metrics", "instruction"], "no metric 'instruction'; did you mean instructions"),
        (["kmeans", "--region", "worj"], "no region worj; did you mean work?"),
        (["kmeans", "--exclude-rank", "99"], "no rank 99; there are ranks 0 to 15"),
        (["kmeans", "-k", "17"], "expected 2 to 16 clusters"),
        (["kmeans", "-k", "1"], "expected 2 to 16 clusters"),
        (["hierarchy", "-k", "17"], "expected 1 to 16 clusters"),
        (["factors", "-k", "6"], "expected 1 to 3 factors"),
        (["factors", "--metrics", "cycles,fp_ins"], "three metrics that differ, found only cycles, fp_ins"),
        (["correlation", "--metrics", "cycles"], "need at least two metrics that differ, found only cycles"),
        (["pca", "--metrics", "cycles"], "need at least two metrics that differ, found only cycles"),
        (["pca", "--scale", "none", "--derive", "x=cycles**20"], "values must lie between 1e-100 and 1e+100"),
        (["map", "--grid", "3x5"], "expected 16 positions, one per rank, found 15; try 4x4"),
        (["map", "--grid", "4,4"], "expected sizes such as 8x8"),
        (["map", "--factor", "9"], "--factor 9: no such factor; the "),
        (["pca", "--grid", "4x4"], "--grid applies to map, not to pca"),
        (["correlation", "-k", "2"], "not to correlation"),
        (["kmeans", "--derive", "a=b"], "no metric 'b'"),
        (["kmeans", "--derive", "a=(1"], "NAME=FORMULA"),
        (["kmeans", "--seed", "-1"], "--seed -1"),
        (["kmeans", "--html", "none/such.html"], "expected a file in an existing folder"),
        (["map", "--sample", "RUN"], "--sample cannot be combined with map"),
        ([], "required: {correlation,hierarchy,kmeans,factors,pca,map}; see autoanalyzer stats --help"),
        (["guess"], "invalid choice: 'guess'"),
        (
            ["kmeans", *(word for rank in range(15) for word in ("--exclude-rank", str(rank)))],
            "need at least two locations",
        ),
    ],
    ids=lambda words: words[-1] if isinstance(words, list) and words else "",
)
def test_bad_input_is_told_in_one_line(words, said, file, here):
    words = [str(file) if word == "RUN" else word for word in words]
    assert said in refused(here("stats", str(file), *words))


def test_choices_are_those_of_the_analyses():
    assert get_args(statistics.Linkage) == stats._LINKAGES
    assert get_args(statistics.Criterion) == stats._CRITERIA
    assert get_args(statistics.Rotation) == stats._ROTATIONS
