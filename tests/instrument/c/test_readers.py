"""libclang and pycparser, which replaces it if it cannot be loaded, read C in the same way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autoanalyzer.errors import InputError
from autoanalyzer.instrument.reading import read_sources

SAMPLES = Path(__file__).parents[3] / "samples"
NAMES = sorted({source.parent.name for source in SAMPLES.glob("*/*.c")})
GNU = r"""
#include <assert.h>
#include <complex.h>
#include <math.h>
#include <stdatomic.h>
typedef __attribute__((may_alias)) double wide;
static _Float128 precise;
static __thread wide own[4] = {[0 ... 3] = 1};
__extension__ static __inline__ int turns(int n) __attribute__((noinline));
static __inline__ int turns(int n) {
    __label__ out;
    static const void *const ahead[] = {&&out, &&out};
    __auto_type copy = n;
    __typeof__(n) other = copy ?: 1;
    assert(n > 0);
    for (int i = 0; i < n; i++) {
        asm volatile("" : "+r"(other) : : "memory");
        if (i > 90) goto *ahead[i & 1];
    }
    switch (n) {
    case 1 ... 5:
        while (other < n) other += ({ int two = 2; two; });
    }
    do n -= sizeof(struct { int a, b; }); while (n > __builtin_choose_expr(1, 2, 3));
out:
    return other + _Generic(n, int: 1, default: 2);
}
static void shared(atomic_int *at) { __atomic_add_fetch(at, 1, __ATOMIC_RELAXED); }
int main(int argc, char **argv) {
    atomic_int sum = 0;
    for (int i = 0; i < argc; i++) shared(&sum);
    for (int i = 0; i < 4; i++) own[i] += exp(i) + (double)precise;
    do { argc--; } while (0);
    return turns(argc) + (int)creal(own[1] * I + 1e+3i);
}
"""
C23 = r"""
static_assert(sizeof(int) == 4);
_Static_assert(1, "always");
enum kind : unsigned char { few, some = 3 };
enum later : int;
struct of { enum kind small : 2; enum kind : 3; static_assert(1); };
alignas(16) static thread_local double table[4];
bool any(...);
int turns(int, enum kind kind, [[maybe_unused]] struct of of) {
    static_assert(some == 3);
    bool go = kind == few;
    enum : long { steps };
    while (go) go = !any(steps);
    for (auto i = 0; i < kind; i++) table[i & 3] += 1'000 * alignof(double);
    _BitInt(40) wide = 7wb + 1uwb;
    for (int i = 0; i < 9; i++) wide += i;
again:
    alignas(8) int last = 0;
    if (any(nullptr)) goto again;
    return wide + last;
}
"""
REPAIRED = {
    "obsolete initialisers": """
    struct at { int x, y; } p = {x: 1, y: 2}, *q = &(struct at){y: n};
    int t[9] = {[4] 2, [5 ... 6] 3};
    while (n > p.x + q->y) n -= t[4];
""",
    "a type as operand": """
    while (n > _Generic(unsigned, int: 1, unsigned: 2)) n--;
""",
    "a storage class": """
    while (n > *(static int[]){1, 2}) n--;
""",
    "many obsolete initialisers": f"""
    struct at {{ int x, t[2]; }} all[99] = {{
    {"[1] {x: 0, t: {[1] 2}}," * 60} [7] = {{.t[0] = 3}}, {{t: {{[0] (n, 1), -1}}}}
    }};
    while (n > all[1].x) n--;
""",
    "a pointer to a block": """
    void (^go)(void) = 0;
    while (n > 3) n -= !go;
""",
}
LEFT_OUT = {
    "a nested function": """
    int g(int by) { while (by > 9) by--; return by; }
    while (n > 3) n -= g(n);
""",
    "a nested function that returns a pointer": """
    const char *g(int (*by)(int), ...) { for (;;) by(3); }
    while (n > 3) n -= *g(0);
""",
    "a block": f"""
    int (^less)(int) = ^{"T" * 60}(int k) {{ for (;;) return k - 1; }};
    void (^none)(void) = ^{{ }};
    while (n > 3) n = less(n), none();
""",
}
JUMP = """int f(int n) {
    __label__ out;
    int g(void) { goto out; }
    while (n > 3) n -= g();
out:
    return n;
}
"""
FOREIGN = "int n;\nint f(void) { return n; } @interface\n"

Find = Callable[..., list[Any]]


@pytest.fixture
def found_by(monkeypatch: pytest.MonkeyPatch) -> Find:
    """Return the regions that a reader finds in each source, and the text that it could not read."""

    def find(reader: str, *sources: Path, flags: tuple[str, ...] = ()) -> list[Any]:
        monkeypatch.setenv("AUTOANALYZER_C_READER", reader)
        read = read_sources(["mpicc"], [], [], [*map(str, sources)], ["-fopenmp", *flags])
        return [(each.name, found.regions, found.problems) for each in read for found in [each.regions()]]

    return find


@pytest.mark.by_day(sample=["heat"])
@pytest.mark.parametrize("sample", NAMES)
def test_both_readers_find_the_same_regions_in_a_sample(found_by: Find, sample: str) -> None:
    sources = sorted((SAMPLES / sample).glob("*.c"))
    found = found_by("pycparser", *sources)
    assert all(regions and not problems for _, regions, problems in found)
    assert found == found_by("libclang", *sources)


def test_both_readers_find_the_same_regions_among_extensions_of_compilers(found_by: Find, tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(GNU)
    found = found_by("pycparser", source)
    assert [region.region.name for region in found[0][1] if region.region.kind == "loop"] == [
        *("loop@16", "loop@22", "loop@24", "loop@31", "loop@32")
    ]
    assert found == found_by("libclang", source)


def test_both_readers_find_the_same_regions_in_c23(found_by: Find, tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(C23)
    found = found_by("pycparser", source, flags=("-std=gnu2x",))
    assert [region.region.name for region in found[0][1]] == ["turns", "loop@13", "loop@14", "loop@16"]
    assert not found[0][2]
    assert found == found_by("libclang", source, flags=("-std=gnu2x",))
    # Only libclang 19 and later know constexpr.
    source.write_text("constexpr int n = 5;\nint f(int k) { while (k > n) k--; return 1.0f128 > k; }\n")
    ((_, regions, problems),) = found_by("pycparser", source)
    assert [each.region.name for each in regions] == ["f", "loop@2"]
    assert not problems


@pytest.mark.parametrize("construct", REPAIRED)
def test_pycparser_reads_around_what_it_does_not_know(found_by: Find, tmp_path: Path, construct: str) -> None:
    source = tmp_path / "x.c"
    source.write_text(f"int f(int n) {{{REPAIRED[construct]}    return n;\n}}\n")
    ((_, regions, problems),) = found_by("pycparser", source)
    last = REPAIRED[construct].count("\n")
    assert [each.region.name for each in regions] == ["f", f"loop@{last}"]
    assert not problems


@pytest.mark.parametrize("construct", LEFT_OUT)
def test_what_pycparser_leaves_out_is_named(found_by: Find, tmp_path: Path, construct: str) -> None:
    source = tmp_path / "x.c"
    source.write_text(f"int f(int n) {{{LEFT_OUT[construct]}    return n;\n}}\n")
    ((_, regions, problems),) = found_by("pycparser", source)
    last = LEFT_OUT[construct].count("\n")
    assert [each.region.name for each in regions] == ["f", f"loop@{last}"]
    (problem,) = map(str, problems)
    what = construct.partition(" that")[0]
    assert problem.startswith(f"{source}:2:")
    assert problem.endswith(f": calls and some loops of f may not be instrumented: {what} is left out")


@pytest.mark.parametrize("call", ["h(n)", "else h(n)", "*h(n)"])
def test_a_block_after_a_call_is_not_left_out_without_a_word(found_by: Find, tmp_path: Path, call: str) -> None:
    source = tmp_path / "x.c"
    source.write_text(f"int f(int n) {{\n    if (n) n++; {call} {{ while (n > 3) n--; }}\n    return n;\n}}\n")
    ((_, regions, problems),) = found_by("pycparser", source)
    assert [each.region.name for each in regions] == ["f"]
    assert str(problems[0]).startswith(f"{source}:2:")
    assert ": the loops of f are not instrumented: " in str(problems[0])


def test_what_pycparser_cannot_read_is_named(found_by: Find, tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(JUMP)
    ((_, regions, problems),) = found_by("pycparser", source)
    assert [each.region.name for each in regions] == ["f"]
    assert str(problems[0]).startswith(f"{source}:3:17: the loops of f are not instrumented: ")
    source.write_text(FOREIGN)
    with pytest.raises(InputError, match=r"x\.c:2:27: "):
        found_by("pycparser", source)


def test_a_reader_of_another_name_is_refused(found_by: Find, tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text("int n;\n")
    with pytest.raises(InputError, match="AUTOANALYZER_C_READER: expected libclang or pycparser, found 'gcc'"):
        found_by("gcc", tmp_path / "x.c")
