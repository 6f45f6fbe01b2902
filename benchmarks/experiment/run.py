"""Time how long it takes to write, open and read experiments, compared with lxml's parser on the same file.

    python benchmarks/experiment/run.py [--locations 10000] [--in-memory 100000] [--kinds]

Experiments have 200 call paths and 12 metrics. After the files, operations on experiments in memory are timed.
Everything is measured first with a tenth of the locations, then with all.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from lxml import etree

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Region, algebra, load, save

PATHS, METRICS = 200, 12


def made(locations: int, *, kind: str = "times") -> Experiment:
    """Return an experiment with random values.

    Args:
        locations: The number of locations.
        kind: ``times``: values have all digits; ``counts``: whole numbers; ``both``: metrics of each kind alternate.
    """
    chance = np.random.default_rng(7)
    shape = (PATHS, locations)
    names = [f"metric_{number}" for number in range(METRICS)]

    def values(number: int) -> npt.NDArray[np.float64]:
        times = chance.random(shape)
        return times if kind == "times" or (kind == "both" and number % 2) else np.floor(1e6 * times)

    return Experiment(
        metrics=[Metric(name, "sec", names[0] if number else None) for number, name in enumerate(names)],
        call_paths=[
            CallPath(Region("function", f"f{path}", "a.c", f"f{path}"), (path - 1) // 3 if path else None)
            for path in range(PATHS)
        ],
        locations=[Location("machine", f"node{rank // 64}", rank) for rank in range(locations)],
        severities={name: values(number) for number, name in enumerate(names)},
    )


def timed(call: Callable[[], object], times: int = 3) -> float:
    """Return the wall time of the fastest of several calls, in seconds."""
    return min(timeit.repeat(call, number=1, repeat=times))


def peak(code: str, file: Path) -> float:
    """Return the peak memory in MiB that a separate process needs for code that uses ``file``, without its imports."""
    peak_now = "int(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])"
    script = f"""
import sys
from pathlib import Path
import lxml.etree, autoanalyzer.experiment.storage as storage
file, before = sys.argv[1], {peak_now}
{code}
print({peak_now} - before)
"""
    done = subprocess.run([sys.executable, "-c", script, file], capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


def parse(file: Path) -> None:
    """Parse a file with lxml alone."""
    etree.parse(str(file), etree.XMLParser(huge_tree=True))


def read_all(file: Path) -> None:
    """Open an experiment, read every metric, and check the experiment."""
    load(file).check()


def files(locations: int, kind: str, folder: Path) -> None:
    """Print the times in seconds, and the memory in MiB, for a CUBE 3 file with one kind of values."""
    experiment = made(locations, kind=kind)
    file = folder / "e.cube"
    packed = folder / "e.cube.gz"
    write = timed(lambda: save(experiment, file), 1)
    save(experiment, packed)
    base = timed(lambda: parse(file))
    opened = timed(lambda: load(file))
    one = timed(lambda: load(file).exclusive("metric_5"))
    everything = timed(lambda: read_all(file))
    unpacked = timed(lambda: load(packed).exclusive("metric_5"), 1)
    memory = [
        peak("lxml.etree.parse(file, lxml.etree.XMLParser(huge_tree=True))", file),
        peak("storage.load(file)", file),
        peak("storage.load(file).exclusive('metric_5')", file),
        peak(
            "from autoanalyzer.experiment.algebra import mean\nmean(*(storage.load(file) for _ in range(5))).check()",
            file,
        ),
    ]
    seconds = [write, base, opened, one, everything, unpacked]
    print(
        f"{locations:>9,} {kind:<6} {file.stat().st_size / 1e6:>7.0f} MB",
        *(f"{each:>8.2f}" for each in seconds),
        f"{everything / base:>8.1f}",
        *(f"{each:>7.0f}" for each in memory),
    )


STEPS = {
    "write": "save(made(int(sys.argv[2]), kind='both'), file)",
    "open": "load(file)",
    "one metric": "load(file).exclusive('metric_5')",
    "diff": "save(difference(load(file), load(file)), file.with_stem('difference'))",
}


def kind_of_file(locations: int, ending: str, folder: Path) -> None:
    """Run each of ``STEPS`` in a separate process; print its wall time, CPU time (in seconds) and memory (in MiB).

    Args:
        locations: The number of locations.
        ending: The suffix of the file's name, which determines its format.
        folder: An empty folder to work in.
    """
    file = folder / f"e{ending}"
    cells = []
    for step in STEPS.values():
        script = f"""
import resource, sys, time
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from run import made
from autoanalyzer.experiment import load, save
from autoanalyzer.experiment.algebra import difference
file, clock = Path(sys.argv[1]), time.process_time
start, used = time.perf_counter(), clock()
{step}
print(time.perf_counter() - start, clock() - used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)
"""
        done = subprocess.run(
            [sys.executable, "-c", script, file, str(locations)], capture_output=True, text=True, check=True
        )
        seconds, processor, memory = map(float, done.stdout.split())
        cells.append(f"{seconds:>7.2f} {processor:>7.2f} {memory:>6,.0f}")
    print(f"{locations:>9,} {ending:<6} {file.stat().st_size / 1e6:>7,.0f} MB {'  '.join(cells)}", flush=True)


def in_memory(locations: int) -> None:
    """Print the times of operations in memory, also relative to the time to add up one operand's values."""
    one, other = made(locations), made(locations)
    once = timed(lambda: [one.exclusive(metric.name).sum() for metric in one.metrics])
    rows: list[tuple[str, Callable[[], object]]] = [("inclusive", lambda: one.inclusive("metric_5"))]
    rows += [
        ("difference", lambda: algebra.difference(one, other).check()),
        ("mean", lambda: algebra.mean(one, other).check()),
    ]
    for name, call in rows:
        took = timed(call, 2)
        print(f"{locations:>9,} {name:<12} {took:>8.2f} s {took / once:>8.1f} times one pass over one operand")
    print(f"{locations:>9,} {'memory':<12} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10:>8,} MiB at most")


def main() -> None:
    """Print a line for each number of locations and kind of file or operation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--locations", type=int, default=10_000)
    parser.add_argument("--in-memory", type=int, default=100_000)
    parser.add_argument("--kinds", action="store_true", help="only compare CUBE 4 with XML")
    options = parser.parse_args()
    if options.kinds:
        print("wall seconds, CPU seconds and MiB for: " + ", ".join(STEPS))
        for locations in (options.locations, options.in_memory):
            for ending in (".cubex", ".cube"):
                with tempfile.TemporaryDirectory() as folder:
                    kind_of_file(locations, ending, Path(folder))
        return
    print(
        f"{PATHS} call paths, {METRICS} metrics; seconds and, at the end, MiB for lxml, opening, one metric, mean of 5"
    )
    titles = ("write", "lxml", "open", "one", "all", "one .gz", "all/lxml")
    print(
        "locations kind        file",
        *(f"{title:>8}" for title in titles),
        *(f"{each:>7}" for each in (*titles[1:4], "mean 5")),
    )
    with tempfile.TemporaryDirectory() as folder:
        for locations in (options.locations // 10, options.locations):
            for kind in ("times", "counts", "both"):
                files(locations, kind, Path(folder))
    for locations in (options.in_memory // 10, options.in_memory):
        in_memory(locations)


if __name__ == "__main__":
    main()
