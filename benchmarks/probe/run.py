"""Measure the time of a region's entry and exit, compared with two readings of the clock and with other tools.

    python benchmarks/probe/run.py [--rounds 11] [--compiler gcc] [--event EVENT] [--library FILE]
                                   [--caliper PREFIX] [--tau PREFIX]

PREFIX is the installation folder of the tool. Its libraries are in PREFIX/lib, or for TAU in PREFIX/ARCHITECTURE/lib.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.calibration.kept import processor_model
from autoanalyzer.runtime.gather.shard_layout import HEADER_LAYOUT
from autoanalyzer.runtime.mpi.detection import Mpi

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHAPES = HERE / "shapes.c"
UNDISTURBED = HERE / "undisturbed.c"
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
NONE = "no probe"
BARE = "two readings of the clock"
OURS = "probes, rseq"
OTHER = "probes, --library"
GOAL = 1.1  # maximum time of an entry and exit, as a multiple of two readings of the clock
COUNTED = ({"PAIRS": 20_000, "FIB": 18, "FIB_CALLS": 8_361}, {"PAIRS": 40_000, "FIB": 20, "FIB_CALLS": 21_891})

Round = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Variant:
    """How ``shapes.c`` is compiled, and the environment in which it runs, where ``{folder}`` is the scratch folder."""

    name: str
    arguments: tuple[str | Path, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


def ours(name: str, **environment: str) -> Variant:
    """Return the variant of an instrumented program with these environment variables."""
    return Variant(name, ("-DPROBES", f"-I{ROOT / 'instrument'}", SHAPES, "-ldl"), environment)


def recording(clock: str, name: str = "", library: Path | None = None, **more: str) -> Variant:
    """Return the variant of an instrumented program that is recorded.

    Args:
        clock: The source of CPU time, such as ``rseq``.
        name: The variant's name; empty: named after the clock.
        library: Another build of the probe library; None: the default one.
        more: Additional environment variables.
    """
    preload = {"LD_PRELOAD": str(library or probe_library(Mpi(None))), "AUTOANALYZER_SHARDS": "{folder}"}
    return ours(name or f"probes, {clock}", AUTOANALYZER_CPU_CLOCK=clock, **preload, **more)


def caliper(prefix: Path) -> Variant:
    """Return the variant with Caliper's regions and its runtime-report, which measures wall time by call path."""
    library = prefix / "lib"
    arguments = ("-DCALIPER", f"-I{prefix / 'include'}", SHAPES, f"-L{library}", "-lcaliper", f"-Wl,-rpath,{library}")
    return Variant("Caliper, runtime-report", arguments, {"CALI_CONFIG": "runtime-report,output={folder}/report"})


def tau(prefix: Path) -> Variant:
    """Return the variant with TAU's timers and flat profile, with throttling of frequent regions switched off.

    Raises:
        SystemExit: TAU's library is not below ``prefix``.
    """
    libraries = [path.parent for path in prefix.glob("*/lib/libTAU.so")]
    if not libraries:
        raise SystemExit(f"--tau: expected ARCHITECTURE/lib/libTAU.so below {prefix}, found none")
    library = libraries[0]
    arguments = ("-DTAU", SHAPES, f"-L{library}", "-lTAU", f"-Wl,-rpath,{library}")
    return Variant("TAU, flat profile", arguments, {"TAU_THROTTLE": "0", "PROFILEDIR": "{folder}"})


def variants(options: argparse.Namespace) -> Iterator[Variant]:
    """Yield the variants in the order of the table."""
    yield Variant(NONE, (SHAPES,))
    yield Variant(BARE, ("-DSTAMPS", SHAPES))
    yield recording("rseq")
    yield recording("rseq", "probes, with time lines", AUTOANALYZER_TRACE="0.01")
    if options.event:
        counting = {"AUTOANALYZER_TRACE": "0.01", "AUTOANALYZER_COUNTERS": "papi"}
        counting["AUTOANALYZER_EVENTS"] = f"instructions={options.event}"
        yield recording("rseq", "probes, counting", **counting)
        yield recording("rseq", "probes, event left out", AUTOANALYZER_POLICY=str(HERE / "policy.json"), **counting)
        named = {"AUTOANALYZER_COUNTERS": f"papi:{options.event}", "AUTOANALYZER_EVENTS": "none"}
        yield recording("rseq", "probes, in calls alone", AUTOANALYZER_COUNT_IN="mpi,io", **named)
    if options.library:
        yield recording("rseq", OTHER, options.library)
    yield recording("perf-lock")
    yield ours("probes, not recording")
    yield Variant("-finstrument-functions", ("-finstrument-functions", SHAPES, HERE / "hooks.c"))
    yield Variant("gprof's mcount (-pg)", ("-pg", SHAPES))
    if options.caliper:
        yield caliper(options.caliper)
    if options.tau:
        yield tau(options.tau)


def compile_all(folder: Path, compiler: str, compared: list[Variant]) -> None:
    """Compile each variant to a program named after its index in the list."""
    for number, variant in enumerate(compared):
        command = [compiler, "-std=gnu11", "-O2", *variant.arguments, "-o", folder / str(number), "-lpthread"]
        subprocess.run(command, check=True)


def run(folder: Path, program: str, variant: Variant, *arguments: str, tool: Sequence[str] = ()) -> list[str]:
    """Run one variant, optionally under a tool; return the lines that it prints."""
    environment = {name: value.format(folder=folder) for name, value in variant.environment.items()}
    command: list[str | Path] = [*tool, folder / program, *arguments]
    output = subprocess.run(
        command, env={**os.environ, **environment}, cwd=folder, capture_output=True, text=True, check=True
    )
    return output.stdout.splitlines()


def measure(folder: Path, program: str, variant: Variant, cpus: tuple[int, int]) -> dict[str, float]:
    """Run one variant on two cores; return CPU nanoseconds per pair of entry and exit, by shape."""
    lines = run(folder, program, variant, *map(str, cpus))
    for shard in folder.glob("*.shard"):
        shard.unlink()
    return {name: float(value) for name, value in (line.split() for line in lines)}


def print_memory(folder: Path, program: str, variant: Variant) -> None:
    """Print the bytes per call path, in the shard and in the process, if each call path has its own region."""
    ((paths, private),) = (map(int, line.split()) for line in run(folder, program, variant, "paths"))
    (shard,) = folder.glob("*.shard")
    (header,) = np.frombuffer(shard.read_bytes(), HEADER_LAYOUT, count=1)
    in_shard = (int(header["used"]) - HEADER_LAYOUT.itemsize) / paths
    print(f"bytes per call path: {in_shard:.0f} in the shard, {private / paths:.0f} elsewhere")


def print_prices(folder: Path, compared: list[Variant]) -> None:
    """Print the costs that the library itself measures at its start, in ns: of a pair, and of an MPI or I/O call."""
    print(f"{'measured by the library (ns)':28}{'pair':>18}{'call':>18}")
    for number, variant in enumerate(compared):
        if "AUTOANALYZER_SHARDS" not in variant.environment:
            continue
        run(folder, str(number), variant, "paths")
        for shard in folder.glob("*.shard"):
            (header,) = np.frombuffer(shard.read_bytes()[: HEADER_LAYOUT.itemsize], HEADER_LAYOUT)
            print(f"{variant.name:28}{header['pair_cost']:>18.1f}{header['call_cost']:>18.1f}")
            shard.unlink()


def ratio(rounds: list[Round], name: str, shape: str) -> float:
    """Return the median over the rounds of a variant's time in a shape, relative to two readings of the clock."""
    return statistics.median(one[name][shape] / one[BARE][shape] for one in rounds)


def print_table(rounds: list[Round]) -> None:
    """Print nanoseconds per pair by variant and shape, with the ratio to two readings of the clock in brackets."""
    shapes = list(rounds[0][BARE])
    print(f"{'ns per pair (ratio)':28}" + "".join(f"{shape:>18}" for shape in shapes))
    for name in rounds[0]:
        medians = [statistics.median(one[name][shape] for one in rounds) for shape in shapes]
        cells = [
            f"{median:.1f} ({ratio(rounds, name, shape):.2f})" for median, shape in zip(medians, shapes, strict=True)
        ]
        print(f"{name:28}" + "".join(f"{cell:>18}" for cell in cells))


def verdict(ratios: Mapping[str, float]) -> str:
    """Return a text that states whether the ratios of all shapes meet the goal, or lists the shapes that miss it."""
    missed = [f"{value:.2f} in {shape}" for shape, value in ratios.items() if round(value, 2) > GOAL]
    return f"<= {GOAL}: {', '.join(missed) or 'holds'}"


def processor() -> str:
    """Return the processor's model, and the sizes of its L1 data cache and L2 cache."""
    sizes = {}
    for index in sorted(CACHES.glob("index*")):
        level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction" and level in "12":
            kibibytes = int(size.removesuffix("K"))
            sizes[level] = f"{kibibytes // 1024} MiB" if kibibytes % 1024 == 0 else f"{kibibytes} KiB"
    return ", ".join([processor_model(), *(f"L{level} {size}" for level, size in sizes.items())])


def instructions(folder: Path, compiler: str, variant: Variant) -> dict[str, float]:
    """Return instructions per pair by shape, counted by Valgrind.

    Each shape runs twice with two numbers of pairs; the difference excludes everything that is executed only once.
    """
    environment = dict(variant.environment)
    if "LD_PRELOAD" in environment:
        shim = folder / "undisturbed.so"
        subprocess.run([compiler, "-O2", "-fPIC", "-shared", UNDISTURBED, "-o", shim, "-ldl"], check=True)
        environment["LD_PRELOAD"] = f"{shim} {environment['LD_PRELOAD']}"
    tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts"]
    totals = []
    for sizes in COUNTED:
        defined = tuple(f"-D{name}={value}" for name, value in sizes.items())
        compile_all(folder, compiler, [replace(variant, arguments=(*defined, *variant.arguments))])
        run(folder, "0", replace(variant, environment=environment), "0", "0", tool=tool)
        listing = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", "--threshold=100", folder / "counts"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        found = re.findall(r"^ *([\d,]+) .*:(\w+) \[", listing, re.MULTILINE)
        totals.append({name: int(total.replace(",", "")) for total, name in found})
    fewer, more = COUNTED
    pairs = 2 * (more["PAIRS"] - fewer["PAIRS"])
    parts = {name: [name] for name in ("loop", "recursion", "alternation", "nesting")}
    parts["two_threads"] = ["first_thread", "second_thread"]
    divisors = {"recursion": 2 * (more["FIB_CALLS"] - fewer["FIB_CALLS"]), "two_threads": 2 * pairs}
    return {
        shape: sum(totals[1][name] - totals[0][name] for name in names) / divisors.get(shape, pairs)
        for shape, names in parts.items()
    }


def print_instructions(compiler: str, compared: list[Variant]) -> None:
    """Print the instructions per pair, with and without probes; they depend on the compiler, not on the machine."""
    print("instructions per pair")
    for variant in compared:
        if variant.name in (NONE, BARE, OURS, OTHER):
            with tempfile.TemporaryDirectory() as folder:
                counts = instructions(Path(folder), compiler, variant)
            print(f"{variant.name:28}" + "".join(f"{count:>18.1f}" for count in counts.values()))


def main() -> None:
    """Run all variants in each round, so that changes in the machine's speed affect all of them; print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--event", metavar="EVENT", help="also count this PAPI event")
    parser.add_argument("--library", type=Path, metavar="FILE", help="another build of the library, to compare with")
    parser.add_argument("--caliper", type=Path, metavar="PREFIX")
    parser.add_argument("--tau", type=Path, metavar="PREFIX")
    options = parser.parse_args()
    compared = list(variants(options))
    usable = sorted(os.sched_getaffinity(0))
    cpus = usable[-1], usable[-2:][0]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        compile_all(folder, options.compiler, compared)
        rounds = [
            {variant.name: measure(folder, str(number), variant, cpus) for number, variant in enumerate(compared)}
            for _ in range(options.rounds)
        ]
        print_table(rounds)
        print(f"{processor()}: {verdict({shape: ratio(rounds, OURS, shape) for shape in rounds[0][OURS]})}")
        if shutil.which("valgrind"):
            print_instructions(options.compiler, compared)
        number = [variant.name for variant in compared].index(OURS)
        print_memory(folder, str(number), compared[number])
        for shard in folder.glob("*.shard"):
            shard.unlink()
        print_prices(folder, compared)


if __name__ == "__main__":
    main()
