"""Measure what an entry and exit of a region cost, beside two bare readings of the clock and other tools' hooks."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROBE = ROOT / "runtime" / "probe"
COUNTERS = ("counter", "counter_papi", "counter_simulated")
CORE = [PROBE / f"{name}.c" for name in ("clock", *COUNTERS, "event", "process", "region", "shard", "thread", "tree")]
SHAPES = HERE / "shapes.c"

VARIANTS: dict[str, list[str | Path]] = {
    "no probe": [SHAPES],
    "two readings of the clock": ["-DSTAMPS", SHAPES],
    "probes, rseq": ["-DPROBES", f"-I{ROOT / 'instrument'}", SHAPES, "-ldl"],
    "probes, perf-lock": ["-DPROBES", f"-I{ROOT / 'instrument'}", SHAPES, "-ldl"],
    "probes, not recording": ["-DPROBES", f"-I{ROOT / 'instrument'}", SHAPES, "-ldl"],
    "-finstrument-functions": ["-finstrument-functions", SHAPES, HERE / "hooks.c"],
    "gprof's mcount (-pg)": ["-pg", SHAPES],
}


def build(folder: Path, compiler: str) -> Path:
    """Compile every variant and the library, which is returned."""
    library = folder / "libaacore.so"
    flags = ["-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden"]
    subprocess.run([compiler, *flags, *CORE, "-o", library, "-ldl", "-lpthread"], check=True)
    for number, arguments in enumerate(VARIANTS.values()):
        subprocess.run([compiler, "-std=gnu11", "-O2", *arguments, "-o", folder / str(number)], check=True)
    return library


def measure(folder: Path, variant: str, library: Path, cpu: int) -> dict[str, float]:
    """Run one variant; give nanoseconds a pair by shape."""
    environment = dict(os.environ)
    if variant.startswith("probes, ") and not variant.endswith("not recording"):
        clock = variant.removeprefix("probes, ")
        environment |= {"LD_PRELOAD": str(library), "AUTOANALYZER_SHARDS": str(folder)}
        environment["AUTOANALYZER_CPU_CLOCK"] = clock
    command = ["taskset", "-c", str(cpu), str(folder / str(list(VARIANTS).index(variant)))]
    output = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=True)
    for shard in folder.glob("*.shard"):
        shard.unlink()
    return {name: float(value) for name, value in (line.split() for line in output.stdout.splitlines())}


def print_table(medians: dict[str, dict[str, float]]) -> None:
    """Print nanoseconds a pair, and in brackets the ratio to two readings of the clock."""
    shapes = list(medians["no probe"])
    bare = medians["two readings of the clock"]
    print(f"{'ns a pair (ratio)':28}" + "".join(f"{shape:>18}" for shape in shapes))
    for variant, values in medians.items():
        cells = [f"{values[shape]:.1f} ({values[shape] / bare[shape]:.2f})" for shape in shapes]
        print(f"{variant:28}" + "".join(f"{cell:>18}" for cell in cells))


def main() -> None:
    """Take the rounds in turn, so that a change in the machine's speed meets all variants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--compiler", default="gcc")
    arguments = parser.parse_args()
    cpu = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        library = build(folder, arguments.compiler)
        rounds = [
            {variant: measure(folder, variant, library, cpu) for variant in VARIANTS} for _ in range(arguments.rounds)
        ]
    print_table(
        {
            variant: {shape: statistics.median(one[variant][shape] for one in rounds) for shape in rounds[0][variant]}
            for variant in VARIANTS
        }
    )


if __name__ == "__main__":
    main()
