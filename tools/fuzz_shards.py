"""Change shards at random, and check the guarantees of gathering on the results.

In every folder of shards, readable shards are gathered into a valid experiment, and each unreadable shard is named in
one line, quickly and in bounded memory. Every mutation has a number, and ``--first`` with that number repeats the
mutation.
"""

from __future__ import annotations

import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import numpy as np
from trials import Trials, apart

from autoanalyzer.errors import InputError
from autoanalyzer.experiment import load
from autoanalyzer.runtime.build import probe_library
from autoanalyzer.runtime.folder import RunFolder
from autoanalyzer.runtime.gather import shard_layout as layout
from autoanalyzer.runtime.gather.gather import gather_here
from autoanalyzer.runtime.gather.shard_reader import read_shard
from autoanalyzer.runtime.mpi.detection import Mpi

SHARDS: Final = 3
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
    """Run a real program as three ranks, one after the other; return the contents of their shards."""
    (folder / "a.c").write_text(PROGRAM)
    wrapper = Path(sys.executable).parent / "aa-mpicc"
    words = [wrapper, "-O1", "-g", "a.c", "-o", "a", "-lpthread"]
    subprocess.run(words, cwd=folder, check=True, env={**os.environ, "AUTOANALYZER_CC": "cc"})
    environment = {**os.environ, "LD_PRELOAD": str(probe_library(Mpi(None))), "AUTOANALYZER_SHARDS": str(folder)}
    for rank in range(SHARDS):
        subprocess.run(
            [folder / "a"], check=True, env={**environment, "PMI_RANK": str(rank), "PMI_SIZE": "3"}, cwd=folder
        )
    return [used_part(path.read_bytes()) for path in sorted(folder.glob("*.shard"))]


def used_part(data: bytes) -> bytes:
    """Return a shard's content without the unused part at its end."""
    return data[: int(np.frombuffer(data, layout.HEADER_LAYOUT, count=1)["used"][0])]


def changed(content: bytes, chance: random.Random) -> bytes:
    """Return a shard with bytes, numbers, header fields or the length changed at one or a few places."""
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


def gathered(folder: RunFolder, whole: int) -> str:
    """Gather a folder's shards, of which at least ``whole`` are intact; return ``gathered`` or ``refused``.

    Raises:
        AssertionError: A guarantee is broken.
    """
    found = 0
    for file in folder.shard_files():
        try:
            read_shard(file)
            found += 1
        except InputError as error:
            assert "\n" not in str(error) and str(file) in str(error), f"not one line that names the file: {error}"
    try:
        experiment = gather_here(folder)
    except InputError as error:
        assert not found and "\n" not in str(error), f"refused, although {found} shards can be read: {error}"
        return "refused"
    assert experiment, "nothing was gathered"
    experiment.check()
    kept = load(folder.experiment)
    kept.check()
    processes = {each.process for each in kept.locations}
    assert len(processes) >= whole, f"{whole} shards are intact, found {len(processes)} processes"
    assert found == SHARDS or any(each.endswith("left out") for each in kept.notes.remarks), "left out without warning"
    return "gathered"


def tried(contents: list[bytes], whole: int) -> tuple[str, str]:
    """Gather shards in a separate process; return the outcome, and what went wrong.

    Args:
        contents: The contents of the shards.
        whole: The number of intact shards among them.
    """
    with tempfile.TemporaryDirectory() as work:
        folder = RunFolder(Path(work))
        folder.shards.mkdir()
        for number, content in enumerate(contents):
            (folder.shards / f"node.{number}.0.shard").write_bytes(content)
        return apart(lambda: gathered(folder, whole))


def main() -> int:
    """Try the requested number of mutations; return 1 if one showed an error, otherwise 0."""
    trials = Trials(argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]))
    with tempfile.TemporaryDirectory() as folder:
        shards = corpus(Path(folder))
    for number in trials:
        chance = random.Random(number)
        victims = set(chance.sample(range(SHARDS), chance.choice([1, 1, 2, 3])))
        contents = [changed(each, chance) if place in victims else each for place, each in enumerate(shards)]
        outcome, wrong = tried(contents, SHARDS - len(victims))
        trials.outcomes[outcome or "failed"] += 1
        if wrong:
            trials.failed(number, wrong)
    return trials.end()


if __name__ == "__main__":
    sys.exit(main())
