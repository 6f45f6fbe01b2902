"""Code that the parser does not understand is compiled unchanged, and listed."""

BROKEN_BODY = r"""
#include <cstdio>
typedef int Four __attribute__((vector_size(16)));
int strange(int n) { Four v = {n, 1, 2}, m = {2, 1, 0}; while (n > 3) --n; return n + __builtin_shuffle(v, m)[0]; }
int plain(int n) { while (n > 3) --n; return n; }
int main() { std::printf("%d\n", plain(5) + strange(4)); }
"""

BROKEN_OUTSIDE = r"""
#include <cstdio>
register int pinned asm("r15");
template <class T> concept bool Old = sizeof(T) > 1;
int main() { for (int i = 0; i < 2; i++) std::printf("%d\n", i); }
"""


def test_a_function_that_the_parser_does_not_understand_is_left_out_and_named(lab):
    run = lab.run(BROKEN_BODY, cc="g++", name="x.cc", quiet=False)
    assert set(run.visits) == {"main", "plain", "plain:loop@5"}
    assert run.messages.startswith("autoanalyzer: x.cc:4:")
    assert "strange is not instrumented: use of undeclared identifier '__builtin_shuffle'" in run.messages


def test_a_file_that_the_parser_does_not_understand_is_compiled_as_it_is_and_named(lab):
    run = lab.run(BROKEN_OUTSIDE, "-std=gnu++17", "-fconcepts-ts", cc="g++", name="x.cc", quiet=False)
    assert run.events == ()
    said = run.messages.partition("autoanalyzer: ")[2]  # after g++ 14's warning about -fconcepts-ts
    assert said.startswith("x.cc:")
    assert "compiled unchanged" in said


def test_an_error_of_the_user_is_the_compilers_to_tell(lab):
    lab.tool.write("x.cc", "#include <vector>\nint main() { std::vector<int> v; for (int i : v) undeclared(i); }\n")
    plain = lab.tool("g++", "-c", "x.cc")
    built = lab.tool("autoanalyzer", "compile", "--", "g++", "-c", "x.cc")
    assert built.returncode == plain.returncode != 0
    assert built.stderr == plain.stderr
