"""Change shards at random, and see that the gather keeps its promises on what comes of that.

Whatever a folder of shards holds, what can be read is gathered, what cannot is named in one line, soon and in bounded
memory, and the experiment is valid. Every mutation has a number, and ``--first`` with that number repeats it.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from typing import Final

import numpy as np

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load
from autoanalyzer.runtime import shard_layout as layout
from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.folder import RunFolder
from autoanalyzer.runtime.gather import gather_here
from autoanalyzer.runtime.mpi import Mpi
from autoanalyzer.runtime.shard import read_shard

SECONDS: Final = 20
MEMORY: Final = 4 << 30
PROGRAM: Final = """
#include <pthread.h>
static double leaf(int n) { double s = 0; for (int i = 0; i < n; i++) s += 1.0 / (i + 1); return s; }
static double recurse(int n) {
    double s = n ? recurse(n - 1) : 0;
    for (int i = 0; i < n; i++) s += leaf(i);
    return s;
}
static void *run(void *unused) { double *sum = unused; for (int i = 0; i < 3; i++) *sum += recurse(i); return 0; }
int main(void) {
    double sum = 0;
    pthread_t thread;
    pthread_create(&thread, 0, run, &sum);
    pthread_join(thread, 0);
    return recurse(5) + sum < 0;
}
"""
NUMBERS: Final = (0, 1, 63, 64, 65, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def corpus(folder: Path) -> list[bytes]:
    """Make shards of three ranks by a real program."""
    (folder / "a.c").write_text(PROGRAM)
    wrapper = Path(sys.executable).parent / "aa-mpicc"
    words = [wrapper, "-O1", "-g", "a.c", "-o", "a", "-lpthread"]
    subprocess.run(words, cwd=folder, check=True, env={**os.environ, "AUTOANALYZER_CC": "cc"})
    environment = {**os.environ, "LD_PRELOAD": str(probe_library(Mpi(None))), "AUTOANALYZER_SHARDS": str(folder)}
    for rank in range(3):
        subprocess.run(
            [folder / "a"], check=True, env={**environment, "PMI_RANK": str(rank), "PMI_SIZE": "3"}, cwd=folder
        )
    return [used_part(path.read_bytes()) for path in sorted(folder.glob("*.shard"))]


def used_part(data: bytes) -> bytes:
    """Cut off what is not in use."""
    return data[: int(np.frombuffer(data, layout.HEADER_LAYOUT, count=1)["used"][0])]


def changed(content: bytes, chance: random.Random) -> bytes:
    """Change bytes, numbers, fields of the header, or the length, once or a few times."""
    data = bytearray(content)
    fields = layout.HEADER_LAYOUT.fields or {}
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        at = chance.randrange(max(1, len(data)))
        match chance.randrange(8):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1 if len(data) > 8:
                struct.pack_into("=I", data, min(at // 4 * 4, len(data) - 4), chance.choice(NUMBERS))
            case 2 if len(data) > 8:
                struct.pack_into(
                    "=d", data, min(at // 8 * 8, len(data) - 8), chance.choice([1e308, -1.0, float("nan")])
                )
            case 3 if len(data) >= layout.HEADER_LAYOUT.itemsize:
                kind, offset = fields[chance.choice(list(fields))][:2]
                data[offset : offset + min(8, kind.itemsize)] = chance.randbytes(min(8, kind.itemsize))
            case 4:
                del data[at:]
            case 5:
                data[at // 64 * 64 : at // 64 * 64 + 64] = data[:64]
            case 6:
                del data[at // 64 * 64 : at // 64 * 64 + chance.choice([64, 128, 192])]
            case _:
                data[at:at] = bytes(chance.choice([1, 64, 4096]))
    return bytes(data)


def trouble(folder: RunFolder, whole: int) -> str:
    """Gather a folder of which so many shards are whole; tell what went wrong."""
    found = 0
    for file in folder.shard_files():
        try:
            read_shard(file)
            found += 1
        except InputError as error:
            if "\n" in str(error) or str(file) not in str(error):
                return f"not one line that names the file: {error}"
    try:
        experiment = gather_here(folder)
    except InputError as error:
        return "" if not found and "\n" not in str(error) else f"refused though {found} can be read: {error}"
    if experiment is None:
        return "nothing was gathered"
    experiment.check()
    kept = load(folder.experiment)
    kept.check()
    if len({each.process for each in kept.locations}) < whole:
        return f"{whole} shards are whole, found {len(kept.locations)} locations"
    if found < 3 and not any(each.endswith("left out") for each in kept.notes.remarks):
        return "what was left out is not named"
    return "gathered"


def tried(contents: list[bytes], whole: int) -> tuple[str, str]:
    """Try shards in a process of its own; give the outcome and what went wrong."""
    work = Path(tempfile.mkdtemp())
    folder = RunFolder(work)
    folder.shards.mkdir()
    for number, content in enumerate(contents):
        (folder.shards / f"node.{number}.0.shard").write_bytes(content)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(SECONDS)
        try:
            said = trouble(folder, whole)
        except BaseException:
            said = traceback.format_exc()
        os.write(writer, said.encode("utf-8", "replace")[:60_000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    status = os.waitpid(child, 0)[1]
    shutil.rmtree(work)
    if status:
        return "", f"ended with status {status} (signal {status & 127}): a crash, or no end within {SECONDS} s"
    return ("refused", "") if not said else (said, "") if said == "gathered" else ("", said)


def main() -> int:
    """Try as many mutations as asked for; fail if one made trouble."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mutations", type=int, default=2000, metavar="N", help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="where the numbers begin, in millions")
    parser.add_argument("--first", type=int, metavar="NUMBER", help="the number of the first mutation")
    options = parser.parse_args()
    first = options.first if options.first is not None else options.seed * 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        shards = corpus(Path(folder))
    outcomes: Counter[str] = Counter()
    for number in range(first, first + options.mutations):
        chance = random.Random(number)
        victims = set(chance.sample(range(3), chance.choice([1, 1, 2, 3])))
        contents = [changed(each, chance) if place in victims else each for place, each in enumerate(shards)]
        outcome, wrong = tried(contents, 3 - len(victims))
        outcomes[outcome or "made trouble"] += 1
        if wrong:
            sys.stdout.write(f"mutation {number}\n{wrong}\n")
    sys.stdout.writelines(f"{count:6} {outcome}\n" for outcome, count in sorted(outcomes.items()))
    sys.stdout.write(f"{outcomes['made trouble']:6} failures in {options.mutations} mutations\n")
    return 1 if outcomes["made trouble"] else 0


if __name__ == "__main__":
    sys.exit(main())
