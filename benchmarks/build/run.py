"""Measure how much longer builds with probes take: programs are built plain, with probes, and with probes again.

    python benchmarks/build/run.py [--programs LIST.toml] [--rounds 3] [NAME...]

The minimum of all rounds is printed, in wall seconds and CPU seconds, because other load can only add time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from programs import Done, Program, copies_of, read_programs

OWN = Path(__file__).with_name("own.toml")


def measure(program: Program, cache: Path, rounds: int) -> None:
    """Print two lines, for wall and CPU time: seconds of a plain build, and how many times as long others take.

    A cold build finds no objects in the cache, a warm one finds all.
    """
    taken: dict[str, list[Done]] = {"plain": [], "cold": [], "warm": []}
    with copies_of(program, cache) as (plain, probed):
        for _ in range(rounds + 1):  # the first round fills file caches, and builds the probe library
            taken["plain"].append(plain.build())
            taken["cold"].append(probed.build(cold=True))
            taken["warm"].append(probed.build())
        objects = plain.objects
    for kind, done in ((kind, done) for kind, all_done in taken.items() for done in all_done):
        if done.status:
            sys.exit(f"{program.name}: the {kind} build ended with {done.status}:\n{done.messages}")
    for clock in ("wall", "cpu"):
        plain_, cold, warm = (min(getattr(done, clock) for done in taken[kind][1:]) for kind in taken)
        more = f"{(cold - plain_) / objects:+12.2f}" if objects else f"{'':12}"
        print(f"{program.name:28}{clock:5}{objects:8}{plain_:9.2f}{cold / plain_:8.2f}{more}{warm / plain_:8.2f}")


def main() -> None:
    """Measure each program of a list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, default=OWN, help="the list (default: samples and a test project)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs in the list (default: all)")
    arguments = parser.parse_args()
    print(f"{'':33}{'objects':>8}{'plain s':>9}{'cold':>8}{'s/object':>12}{'warm':>8}")
    with tempfile.TemporaryDirectory() as cache:
        for program in read_programs(arguments.programs):
            if not arguments.names or program.name in arguments.names:
                measure(program, Path(cache), arguments.rounds)


if __name__ == "__main__":
    main()
