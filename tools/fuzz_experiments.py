"""Change files of experiments at random, and check the readers' guarantees on the results.

Every file is either read, or refused by an ``InputError`` of one line, quickly and in bounded memory. If it is read,
its contents can be checked, shown, cut, averaged, compared, analysed, written, and read back unchanged. Every mutation
has a number, and ``--first`` with that number repeats the mutation.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import random
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import fields
from html import escape
from pathlib import Path
from typing import Final
from unittest import mock

from trials import Mutant, Trials, apart

from autoanalyzer.cli.main import main as command
from autoanalyzer.errors import InputError
from autoanalyzer.experiment import Builder, Experiment, Notes, load, save
from autoanalyzer.view.contents import contents_lines
from autoanalyzer.view.dump import write_csv

ROOT: Final = Path(__file__).parents[1]
DATA: Final = ROOT / "tests" / "data"
CUBEX_METRICS: Final = ("0", "1", "41", "76")
TOKENS: Final = (
    *(b"nan", b"inf", b"-1", b"1e999", b"-0.0", b"99999999999999999999", b"2147483648", b"1_0", b"0x1", b"1,2", b""),
    *(b" ", b'<!DOCTYPE cube [<!ENTITY a "b">]>', b"&a;", b"&#0;", b"&lt;", b"<![CDATA[1]]>", b"<!-- -->", b"<?pi?>"),
    *(b"\xff", b"\0", b"<row cnodeId='0'>1</row>", b"<cnode id='1' calleeId='0'>", b"</cnode>", b"</cube>"),
    *(b"<severity>", b"</severity>", b"<matrix metricId='0'/>", b"<metric id='0'>", b"</metric>", b"<thread Id='0'>"),
    *(b"cnodeId", b"rank", b"../", b"x" * 5000, b"<attr key='autoanalyzer' value='2'/>"),
    *(b"<attr key='autoanalyzer.notes' value='{}'/>", b"<x>" * 3000),
)


def corpus() -> dict[str, bytes]:
    """Map file names to contents: small experiments in the file formats CUBE 3, compressed or not, and CUBE 4."""
    example = (DATA / "example.cube").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "own.cube"
        save(own(), file)
        text = file.read_bytes()
    return {
        "example.cube": example,
        "own.cube": text,
        "own.cube.gz": gzip.compress(text, mtime=0),
        "own.cubex": own_archive(),
        "part.cubex": archive(members()),
    }


def own() -> Experiment:
    """Return an experiment with notes, metrics, call paths, locations, unusual values and a topology."""
    made = Builder(Notes(program="a & b", missing=(3,), history=("mean(a, b)",)))
    made.metric("wall_time")
    made.metric("mpi_time", parent="wall_time", source="derived:mean")
    made.metric("visits", "occ")
    main = made.call_path("main")
    loop = made.call_path("<loop>", main, site=7)
    other = made.call_path("other main")
    for rank in range(3):
        made.location(rank, node=f"node{rank // 2}")
    for path in (main, loop, other):
        made.row("wall_time", path, [0.1 * path, float("nan"), -1e-300]).row("visits", path, [1.0, 0.0, 2.0**60])
    made.topology("grid", [("x", 3, True)], {(0, 0): (0,), (1, 0): (2,)})
    return made.experiment()


def own_archive() -> bytes:
    """Return a CUBE 4 file in the layout for many locations: a table of locations, and uncompressed rows."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.multiple("autoanalyzer.experiment.cube.cubex_writer", _MANY=0, _SMALL=0),
    ):
        save(own(), Path(folder, "own.cubex"))
        return Path(folder, "own.cubex").read_bytes()


def members() -> dict[str, bytes]:
    """Map the names of some members of a CUBE 4 file to contents: the structure, and index and data of some metrics."""
    whole = io.BytesIO(gzip.decompress((DATA / "summary.cubex.gz").read_bytes()))
    wanted = {"anchor.xml", *(f"{number}.{kind}" for number in CUBEX_METRICS for kind in ("index", "data"))}
    with tarfile.open(fileobj=whole) as found:
        return {
            each.name: stream.read() for each in found if each.name in wanted and (stream := found.extractfile(each))
        }


def archive(files: dict[str, bytes], chance: random.Random | None = None) -> bytes:
    """Return a tar archive of the files. With ``chance``, one member may get an invalid name or type."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as made:
        odd = chance.choice([*files, "", ""]) if chance else ""
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if chance and name == odd:
                info.name = chance.choice(["../" + name, "/" + name, "a/../../" + name, name, "0.data", "x" * 300])
                info.type = chance.choice(
                    [tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE]
                )
                info.linkname = "anchor.xml"
            made.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def mutant(number: int, files: dict[str, bytes]) -> Mutant:
    """Return the mutant with the given number: a file whose notes, members or bytes are changed."""
    chance = random.Random(number)
    name = chance.choice(list(files))
    content = files[name]
    if name == "own.cube" and chance.random() < 0.2:
        return Mutant(number, name, with_notes(content, chance))
    if name.endswith(".gz") and chance.random() < 0.6:
        return Mutant(number, name, gzip.compress(changed(gzip.decompress(content), chance), mtime=0))
    if name.endswith(".cubex") and chance.random() < 0.8:
        with tarfile.open(fileobj=io.BytesIO(content)) as found:
            parts = {each.name: stream.read() for each in found if (stream := found.extractfile(each))}
        part = chance.choice([*parts, "anchor.xml", "anchor.xml"])
        parts[part] = changed(parts[part], chance)
        if chance.random() < 0.1:
            parts[part] = gzip.compress(parts[part], mtime=0)
        return Mutant(number, name, archive(parts, chance))
    return Mutant(number, name, changed(content, chance))


def with_notes(content: bytes, chance: random.Random) -> bytes:
    """Return the text of an experiment whose notes are replaced by random values of one or three fields."""
    values: list[object] = [None, True, -1, 2, 10**30, 0.5, float("nan"), "a", "\ud800"]
    values += [[], ["a", 1], [3, 3], [[]], {}, {"a": 1}]
    found = {key.name: chance.choice(values) for key in chance.sample(fields(Notes), chance.choice([1, 1, 3]))}
    start = content.index(b'value="', content.index(b"autoanalyzer.notes")) + len(b'value="')
    return content[:start] + escape(json.dumps(found), quote=True).encode() + content[content.index(b'"', start) :]


def changed(content: bytes, chance: random.Random) -> bytes:
    """Return the content with bytes, slices, words or numbers changed at one or a few places."""
    text = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        at = chance.randrange(len(text) + 1)
        span = chance.choice([1, 2, 8, 64, 512])
        match chance.randrange(7):
            case 0 if at < len(text):
                text[at] ^= 1 << chance.randrange(8)
            case 1:
                del text[at : at + span]
            case 2:
                text[at:at] = text[chance.randrange(len(text) + 1) :][:span]
            case 3:
                text[at:at] = chance.choice(TOKENS)
            case 4:
                replace_word(text, at, chance.choice(TOKENS), chance)
            case 5 if chance.random() < 0.3:
                del text[at:]
            case _:
                replace_word(text, at, b"%d" % chance.choice([0, 1, 2, 7, 10**6, 10**12, -5]), chance)
    return bytes(text)


def replace_word(text: bytearray, at: int, word: bytes, chance: random.Random) -> None:
    """Replace the text in the next pair of quotes, or between the next two tags, after the offset ``at``."""
    for opening, closing in chance.sample([(b'"', b'"'), (b">", b"<")], 2):
        start = text.find(opening, at)
        end = text.find(closing, start + 1)
        if 0 <= start < end:
            text[start + 1 : end] = word
            return


USES: Final = (
    ("cut", "{file}", "-o", "{made}", "--ranks", "0"),
    ("mean", "{file}", "{copy}", "-o", "{made}"),
    ("diff", "{file}", "{copy}", "-o", "{made}"),
    ("compare", "{file}", "--with", "{copy}"),
    ("analyze", "{file}"),
)


def read_and_used(case: Mutant, folder: Path, uses: Sequence[Sequence[str]] = USES, opened: str = "") -> str:
    """Read a mutant, or the file or folder that it belongs to, and use it.

    Args:
        case: The mutant.
        folder: An empty folder to work in.
        uses: Command lines to run on the file.
        opened: Path to read, relative to ``folder``; empty for the mutant itself.

    Returns:
        ``read`` or ``refused``.

    Raises:
        AssertionError: A guarantee is broken.
    """
    file = folder / case.name
    file.write_bytes(case.content)
    file = folder / opened if opened else file
    try:
        experiment = load(file)
        experiment.check()
    except InputError as error:
        assert "\n" not in str(error).strip() and str(file) in str(error), f"not one line that names the file: {error}"
        return "refused"
    for _ in contents_lines(experiment, file):
        pass
    write_csv(experiment, [each.name for each in experiment.metrics], io.StringIO())
    copy = folder / "copy.cube"
    save(experiment, copy)
    found = load(copy)
    compute_with(file, copy, uses)
    copy.unlink()
    same = (
        found.call_paths == experiment.call_paths
        and found.locations == experiment.locations
        and found.topologies == experiment.topologies
        and [each.name for each in found.metrics] == [each.name for each in experiment.metrics]
        and all(found.exclusive(m.name).tobytes() == experiment.exclusive(m.name).tobytes() for m in found.metrics)
    )
    assert same, "the written file differs when it is read back"
    return "read"


def compute_with(file: Path, copy: Path, uses: Sequence[Sequence[str]]) -> None:
    """Run commands on the file; raise an AssertionError if one ends with an unexpected status or message.

    Args:
        file: The mutant.
        copy: The same experiment, written and read back.
        uses: Command lines with the placeholders ``{file}``, ``{copy}`` and ``{made}``.
    """
    made = file.parent / "made.cube"
    for use in uses:
        words = [word.format(file=file, copy=copy, made=made) for word in use]
        output, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(output), redirect_stderr(errors):
            try:
                command(words)
            except SystemExit as ended:
                status = ended.code
        made.unlink(missing_ok=True)
        said = [line for line in errors.getvalue().splitlines() if not line.endswith(" so far")]
        assert status in (0, 2, 3) and len(said) <= (status == 2), f"{words[0]} ended with {status}: {said}"


def tried(case: Mutant, folder: Path) -> tuple[str, str]:
    """Try a mutant in a separate process; return the outcome, and what went wrong."""
    outcome, wrong = apart(lambda: read_and_used(case, folder))
    left = sorted(each.name for each in folder.iterdir() if each.name != case.name)
    return ("", f"left behind: {', '.join(left)}") if left and outcome else (outcome, wrong)


def main() -> int:
    """Try the requested number of mutations; return 1 if one showed an error, otherwise 0."""
    trials = Trials(argparse.ArgumentParser(description=__doc__.partition("\n")[0]))
    files = corpus()
    trials.of_files(lambda number: mutant(number, files), tried)
    return trials.end()


if __name__ == "__main__":
    sys.exit(main())
