"""Randomly changed or huge C and C++ sources: reading ends soon, with a result or a one-line error."""

import random
import runpy
from pathlib import Path

import pytest

from autoanalyzer.advise.advice import Site
from autoanalyzer.advise.advise import KINDS
from autoanalyzer.advise.c_family import read_c_family
from autoanalyzer.advise.effects import expressions_of
from autoanalyzer.advise.expression import walk
from autoanalyzer.advise.nest import statements
from autoanalyzer.errors import SourceError

ROOT = Path(__file__).parents[3]
MUTATIONS = runpy.run_path(str(ROOT / "tools" / "mutations.py"))
INSERTED = [
    "for (;;)",
    "{",
    "}",
    "(",
    "a[i](",
    "case 1:",
    "#if 1",
    "#define i j",
    "struct s {",
    "template <",
    "?",
    "\\",
    '"',
]


def sources():
    files = [path for suffix in ("c", "cpp") for path in sorted((ROOT / "samples").glob(f"*/*.{suffix}"))]
    texts = [(str(path), path.read_text()) for path in files]
    return [
        MUTATIONS["Source"](name, (".c", ".cpp"), (), tuple(INSERTED), tuple(text.splitlines(keepends=True)))
        for name, text in texts
    ]


def tried(text, path):
    """Read a text, walk through it and advise on it; return whether it could be read."""
    try:
        source = read_c_family(text, path)
    except SourceError as error:
        assert "\n" not in str(error)
        return False
    hash(source)
    for procedure in source.procedures:
        for statement, _ in statements(procedure.body):
            assert statement.line >= 0
            assert all(part.line >= 0 for each in expressions_of(statement) for part in walk(each))
        for causes, kind in KINDS:
            site = Site(source, procedure, procedure.line, procedure.last_line, causes, sources={source.path: source})
            assert all("\n" not in each.text for each in kind(site))
    return True


def test_mutants_are_read_or_refused(tmp_path, count=10):
    corpus = sources()
    read = 0
    for number in range(count):
        case = MUTATIONS["mutant"](number, corpus)
        read += tried(case.text.encode("latin-1", "replace"), tmp_path / case.name)
    assert read > count / 4


BODY = "int f(int n, int *a) {{ {} }}"
MONSTERS = {
    "parentheses": BODY.format(f"return {'(' * 5000}n{')' * 5000};"),
    "calls": BODY.format(f"return {'f(' * 5000}n{', a)' * 5000};"),
    "sum": BODY.format(f"return {'+'.join(['n'] * 10000)};"),
    "minus": BODY.format(f"return {'- ' * 5000}n;"),
    "loops": BODY.format("for (int i = 0; i < n; i++) " * 3000 + ";"),
    "branches": BODY.format("if (n) ; else " * 3000 + ";"),
    "blocks": BODY.format("{" * 3000 + "}" * 3000),
    "head": BODY.format("for (" + "(" * 5000),
    "itself": '#include "x.c"\n' + BODY.format("return 0;"),
    "macros": "#define a b b\n#define b c c\n#define c a a\n" + BODY.format("a = 1;"),
    "a stack that overflows": "#pragma clang __debug overflow_stack\n",
    "nothing": "",
    "zeros": "\0" * 10000,
}


@pytest.mark.parametrize("name", MONSTERS)
def test_monsters_are_read_or_refused(tmp_path, name):
    (tmp_path / "x.c").write_text(MONSTERS[name])
    tried(MONSTERS[name].encode(), tmp_path / "x.c")


def test_a_source_cannot_crash_the_parser(tmp_path):
    assert tried(b"#pragma clang __debug crash\nint f(int n) { return n; }\n", tmp_path / "x.c")


def test_noise_is_read_or_refused(tmp_path):
    chance = random.Random(2)
    for _ in range(10):
        tried(chance.randbytes(2000), tmp_path / chance.choice(["x.c", "x.cpp"]))
