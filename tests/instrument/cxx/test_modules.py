"""Modules are compiled without probes, and listed."""

import pytest


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            ["g++", "-std=c++20", "-fmodules-ts"],
            "export module m;\nexport int f(int n) { while (n > 3) n--; return n; }\n",
        ),
        (["clang++", "-std=c++20"], "export module m;\nexport int f(int n) { while (n > 3) n--; return n; }\n"),
        (["clang++", "-std=c++20"], "module;\nexport module m;\nint f(int n) { while (n > 3) n--; return n; }\n"),
    ],
)
def test_a_source_that_is_a_module_passes_through(lab, words, text):
    lab.tool.write("m.cc", text)
    done = lab.tool("autoanalyzer", "compile", "--", *words, "-c", "m.cc")
    assert done.returncode == 0
    assert b"not instrumented: C++ modules are not supported; compiled unchanged" in done.stderr
    assert b"aa1|" not in (lab.tool.folder / "m.o").read_bytes()


def test_what_imports_a_module_passes_through(lab):
    lab.tool.write("m.cppm", "export module m;\nexport int f(int n) { while (n > 3) n--; return n; }\n")
    lab.tool.write("x.cc", "import m;\nint main() { for (int i = 0; i < 3; i++) f(i); return f(5); }\n")
    compile_ = ("autoanalyzer", "compile", "--", "clang++", "-std=c++20")
    assert lab.tool(*compile_, "--precompile", "m.cppm", "-o", "m.pcm").returncode == 0
    done = lab.tool(*compile_, "-fprebuilt-module-path=.", "x.cc", "m.pcm", "-o", "x")
    assert done.returncode == 0, done.stderr.decode()
    assert b"x.cc:1:8: not instrumented: C++ modules are not supported" in done.stderr
    assert lab.tool("./x").returncode == 3


def test_what_is_called_as_they_are_is_none(program):
    run = program("struct module { int n; };\nmodule m{5};\nint main() { while (m.n > 3) --m.n; return m.n; }\n")
    assert run.visits == {"main": 1, "main:loop@3": 1}
