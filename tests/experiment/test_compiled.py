"""Records of compiler options in objects, found in programs."""

from autoanalyzer.experiment.compiled import Compiled, entries, entry, grouped

UNIT = Compiled("c++", "/b\u00e9", ('-DA="\\"', "-I%s"), {"_OPENMP": "201511"}, {"a|b\n.cc": "01"})


def test_what_is_written_is_found_between_anything_else():
    damaged = entry(UNIT).replace(b'"folder"', b'"holder"')
    file = b"\x7fELF" + entry(UNIT)[:23] + b"\0" + damaged + b"\0xx" + entry(UNIT) + b"\0" + entry(UNIT)[:-3]
    assert [*entries(file)] == [UNIT]


def test_units_that_were_compiled_alike_become_one():
    others = [Compiled("c", "/b", ("-DA",), {}, {name: ""}) for name in ("a.c", "b.c")]
    apart = Compiled("c", "/other", ("-DA",), {}, {"a.c": "1"})
    together = Compiled("c", "/b", ("-DA",), {}, {"a.c": "", "b.c": ""})
    assert grouped([others[0], apart, others[1]]) == (together, apart)
