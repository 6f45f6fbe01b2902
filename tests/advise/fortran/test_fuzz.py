"""Randomly changed or huge Fortran sources: reading ends soon, with a result or a one-line error."""

import random
import runpy
import signal
from pathlib import Path

import pytest

from autoanalyzer.advise.expression import walk
from autoanalyzer.advise.fortran import read_fortran
from autoanalyzer.advise.nest import Assignment, Branch, Loop, statements
from autoanalyzer.errors import SourceError

ROOT = Path(__file__).parents[3]
MUTATIONS = runpy.run_path(str(ROOT / "tools" / "mutations.py"))
SECONDS = 10  # of CPU time; the sources in the tests take hundredths of a second
INSERTED = [
    *(
        "end",
        "end if",
        "do 10 i = 1, n",
        "else",
        "where (a > 0)",
        "10 continue",
        "goto 10",
        "!$omp parallel",
        "contains",
    ),
    *("a(i, (", "!$omp end single", "if (i) 10, 20, 30", "type t", "module m", "use m", "block", "integer a(i:j, *)"),
    *(
        "parameter (n = n + 1)",
        "include 'x.f'",
        "#ifdef A",
        "#else",
        "#endif",
        "associate (a => a(i))",
        "select case (i)",
    ),
]


def sources():
    files = [path for suffix in ("f", "f90") for path in sorted((ROOT / "samples").glob(f"*/*.{suffix}"))]
    folders = [ROOT / "tests/instrument/fortran", Path(__file__).parent]
    texts = [(str(path), path.read_text()) for path in files]
    texts += [(name, text) for folder in folders for _, name, text in MUTATIONS["constants"](folder)]
    return [
        MUTATIONS["Source"](name, (".f", ".f90"), (), tuple(INSERTED), tuple(text.splitlines(keepends=True)))
        for name, text in texts
    ]


def expressions(source):
    """Walk through all expressions of a source, as the advice does."""
    for procedure in source.procedures:
        for each, _ in statements(procedure.body):
            match each:
                case Assignment(target=target, value=value):
                    yield from (*walk(target), *walk(value))
                case Loop(first=first, condition=condition):
                    yield from (part for one in (first, condition) if one for part in walk(one))
                case Branch(arms=arms):
                    yield from (part for arm in arms if arm.condition for part in walk(arm.condition))


def tried(text, name, folder):
    """Read a text; return whether it could be read."""
    (folder / name).write_bytes(text)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        source = read_fortran(text, folder / name)
    except SourceError as error:
        assert "\n" not in str(error)
        return False
    else:
        hash(source)
        assert all(each.line >= 0 for each in expressions(source))
        return True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def ends(*_):
    raise AssertionError("it takes too long")


@pytest.fixture(autouse=True)
def timer():
    before = signal.signal(signal.SIGPROF, ends)
    yield
    signal.signal(signal.SIGPROF, before)


def test_mutants_are_read_or_refused(tmp_path, count=100):
    corpus = sources()
    read = 0
    for number in range(count):
        case = MUTATIONS["mutant"](number, corpus)
        read += tried(case.text.encode("latin-1", "replace"), case.name, tmp_path)
    assert read > count / 4


BODY = "subroutine s\n{}\nend\n"
MONSTERS = {
    "parentheses": BODY.format(f"a = {'(' * 5000}b{')' * 5000}"),
    "calls": BODY.format(f"a = {'f(' * 5000}b{')' * 5000}"),
    "sum": BODY.format(f"a = {'+'.join(['b'] * 10000)}"),
    "minus": BODY.format(f"a = {'-' * 5000}b"),
    "not": BODY.format(f"a = {'.not.' * 5000}b"),
    "fields": BODY.format(f"a = {'%'.join(['b'] * 5000)}"),
    "powers": BODY.format(f"a = {'**'.join(['b'] * 5000)}"),
    "jumps": BODY.format("\n".join(["if (a) goto 10"] * 2000) + "\n10 continue"),
    "labels": BODY.format("\n".join(f"if (a) goto {i + 3}\n{i + 1} continue" for i in range(1000))),
    "bounds": BODY.format(f"real {','.join(f'a{i}(n, m)' for i in range(2000))}"),
    "constants": BODY.format(
        "\n".join(f"integer, parameter :: c{i + 1} = c{i}*c{i} + c{i}" for i in range(1000)).replace("c0", "3")
    ),
    "kinds": BODY.format("\n".join(f"integer(c{i}), parameter :: c{i + 1} = c{i}" for i in range(1000))),
    "number": BODY.format(f"a = {'9' * 100000} + 1e{'9' * 1000}"),
    "uses": "".join(f"module m{i}\nuse m{i + 1}\nuse m{i + 2}\nend module\n" for i in range(200))
    + "program p\nuse m0\nend\n",
    "texts": BODY.format("a = " + "''" * 10000),
    "elses": BODY.format("if (a) then\n" + "else if (b) then\n" * 2000 + "end if"),
    "types": BODY.format("\n".join(f"type t{i}\n type(t{i + 1}) a, b\nend type" for i in range(2000))),
    "includes": "include 'x.f90'\n" * 3 + "end\n",
    "conditions": "#if 1\n" * 2000 + "end\n" + "#endif\n" * 2000,
    "nothing": "",
    "zeros": "\0" * 10000,
}


@pytest.mark.parametrize("name", MONSTERS)
def test_monsters_are_read_or_refused(tmp_path, name):
    tried(MONSTERS[name].encode(), "x.f90", tmp_path)


def test_what_includes_grow_too_large_is_refused(tmp_path):
    (tmp_path / "long.inc").write_text(f"! {'-' * 100}\n" * 15_000)
    read_fortran(b"include 'long.inc'\nend\n", tmp_path / "x.f90")
    said = r"x\.f90:1:1: the file, with the files it includes, has \d+ KiB, more than the limit of 4096"
    with pytest.raises(SourceError, match=said):
        read_fortran(b"include 'long.inc'\n" * 3 + b"end\n", tmp_path / "x.f90")


def test_noise_is_read_or_refused(tmp_path):
    chance = random.Random(2)
    for _ in range(20):
        tried(chance.randbytes(2000), chance.choice(["x.f", "x.f90"]), tmp_path)
