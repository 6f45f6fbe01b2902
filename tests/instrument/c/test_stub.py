"""The stub fits into every object: language standards, link modes, sanitizers, several objects, other linkers."""

import platform
import re
import shutil

import pytest

SOURCE = """
extern int printf(const char *, ...);
static int f(int n) { int s = 0; while (n > 0) s += n--; return s; }
int main(void) { printf("%d\\n", f(4)); return 0; }
"""
USUAL = "-fuse-ld=bfd"  # the usual, slow linker
STRICT = ["-pedantic-errors", "-Wall", "-Wextra", "-Werror"]


# By day, the standards are divided between the compilers.
@pytest.mark.parametrize(
    ("standard", "cc"),
    [
        pytest.param(standard, cc, marks=[] if (place + turn) % 2 else pytest.mark.nightly)
        for place, standard in enumerate(("c89", "gnu89", "c99", "c11", "gnu17", "c2x"))
        for turn, cc in enumerate(("clang", "gcc"))
    ],
)
def test_every_standard_at_its_strictest(lab, cc, standard):
    run = lab.run(SOURCE, f"-std={standard}", *STRICT, cc=cc)
    assert run.visits == {"main": 1, "f": 1, "f:loop@3": 1}


def test_no_warning_of_clang_at_all_is_about_us(lab):
    lab.tool.write("x.c", SOURCE)
    flags = ["-Weverything", "-c", "x.c", "-o", "x.o"]
    plain = lab.tool("clang", *flags)
    probed = lab.tool("autoanalyzer", "compile", "--", "clang", *flags)
    assert probed.stderr == plain.stderr


@pytest.mark.parametrize(
    "flags",
    [
        ["-O3", "-flto"],
        ["-O0"],
        ["-Os", "-fPIC", "-fvisibility=hidden"],
        ["-ffreestanding", "-fno-builtin"],
        ["-finstrument-functions", "-fno-pie", "-no-pie"],
        ["-fno-common", "-ffunction-sections", "-Wl,--gc-sections"],
        ["-fstack-protector-all", "-fexceptions", "-fno-plt"],
    ],
    ids=" ".join,
)
def test_modes_of_compiling(lab, flags):
    source = SOURCE
    if "-finstrument-functions" in flags:
        hook = "void __cyg_profile_func_%s(void *f, void *c) __attribute__((no_instrument_function));"
        body = "void __cyg_profile_func_%s(void *f, void *c) { (void)f; (void)c; }"
        source = "\n".join(text % kind for kind in ("enter", "exit") for text in (hook, body)) + SOURCE
    run = lab.run(source, *flags, USUAL)
    assert {"main", "f", f"f:loop@{6 if source != SOURCE else 3}"} <= set(run.visits)


@pytest.mark.parametrize("sanitizer", ["address,undefined", "thread"])
def test_sanitizers_find_nothing(lab, sanitizer):
    lab.tool.write("x.c", SOURCE)
    flags = [f"-fsanitize={sanitizer}", "x.c", "-o", "probed"]
    assert lab.tool("autoanalyzer", "compile", "--", "gcc", *flags).returncode == 0
    done = lab.tool("./probed")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"10\n", b"")


def test_a_static_program_stays_silent(lab):
    assert lab.run(SOURCE, "-static", USUAL).visits == {}


BARE = """
int f(int n) { while (n > 3) n--; return n; }
void _start(void) {
    f(5);
    for (;;)
        __asm__ volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11");
}
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="ends by a system call of x86-64")
def test_a_program_without_a_library(lab):
    lab.tool.write("x.c", BARE)
    flags = ["-nostdlib", "-static", "-fno-stack-protector", "x.c", "-o", "bare"]
    done = lab.tool("autoanalyzer", "compile", "--", "gcc", *flags)
    assert (done.returncode, done.stderr) == (0, b"")
    assert lab.tool("./bare").returncode == 0


@pytest.mark.skipif(platform.machine() != "x86_64", reason="ends by a system call of x86-64")
@pytest.mark.parametrize("link", [["-nostdlib", "-static"], ["-nostartfiles", "-static-pie"], ["-nostdlib", "-no-pie"]])
def test_probes_that_would_crash_are_not_linked(lab, link):
    lab.tool.write("x.c", BARE)
    compile_it = ["autoanalyzer", "compile", "--", "gcc", "-fno-stack-protector"]
    linking = [*compile_it, *link, "x.o", "-o", "bare"]
    assert lab.tool(*compile_it, "-c", "x.c").returncode == 0
    done = lab.tool(*linking)
    assert done.returncode == 2
    assert done.stderr.startswith(b"autoanalyzer: bare: objects have probes, but the program lacks C's start-up code")
    assert done.stderr.count(b"\n") == 1
    for option in ("-nostdlib", "-ffreestanding"):
        assert lab.tool(*compile_it, option, "-c", "x.c").returncode == 0
        done = lab.tool(*linking)
        assert (done.returncode, done.stderr) == (0, b"")
        assert lab.tool("./bare").returncode == 0


@pytest.mark.skipif(platform.machine() != "x86_64", reason="ends by a system call of x86-64")
@pytest.mark.parametrize(
    ("text", "link"),
    [
        (BARE, ["-nostdlib", "-pie"]),
        (
            BARE.replace("void _start(void)", "int main(void)"),
            ["-nostartfiles", "-static", "crt1.o", "crti.o", "crtn.o"],
        ),
    ],
)
def test_probes_work_where_others_give_threads_their_variables(lab, text, link):
    """The loader does this, or the C library's start-up code, which a build may name itself."""
    lab.tool.write("x.c", text)
    compile_it = ["autoanalyzer", "compile", "--", "gcc", "-fno-stack-protector"]
    assert lab.tool(*compile_it, "-c", "x.c").returncode == 0
    found = [
        lab.tool("gcc", f"-print-file-name={each}").stdout.decode().strip() if each[0] != "-" else each for each in link
    ]
    done = lab.tool(*compile_it, *found, "x.o", "-o", "bare")
    assert (done.returncode, done.stderr) == (0, b"")
    assert lab.tool("./bare").returncode == 0


SENDS = """
extern void post(int *message, int size, int to);
extern int *place, *weight, bits;
void one(int from, unsigned edge) {
    int message[] = {from, place[edge] >> bits, weight[from], MORE};
    post(message, sizeof message, place[edge] & ((1 << bits) - 1));
}
void all(int i, const unsigned *first) {
    for (unsigned edge = first[i]; edge < first[i + 1]; edge++)
        one(i, edge);
}
""".replace("MORE", ", ".join(f"weight[edge + {place}]" for place in range(7)))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads instructions of x86-64")
def test_an_entry_that_only_counts_is_two_instructions_and_keeps_no_function_out_of_its_callers(lab):
    lab.tool.write("x.c", SENDS)
    for command in (["gcc"], ["autoanalyzer", "compile", "--", "gcc"]):
        assert lab.tool(*command, "-O3", "-S", "x.c", "-o", f"{len(command)}.s").returncode == 0
    plain, probed = ((lab.tool.folder / f"{number}.s").read_text() for number in (1, 4))
    assert "call\tpost" in plain
    assert "call\tone" not in plain + probed
    counting = re.findall(r"subq\t\$1, %fs:\S+\n\t(\w+)", probed)
    assert len(counting) >= 3  # in each function, and in the inlined one
    assert set(counting) == {"js"}


def test_sites_of_what_may_be_in_a_shared_library_are_no_variables_of_threads(lab):
    lab.tool.write("x.c", SOURCE)
    for flags, of_threads in (
        ([], True),
        (["-fPIC", "-fno-pic"], True),
        (["-fPIE", "-fpic"], False),
        (["-shared"], False),
        (["-nostdlib"], False),
    ):
        words = ["autoanalyzer", "compile", "--", "gcc", *flags, "-c" if "-shared" not in flags else "-g", "x.c"]
        assert lab.tool(*words, "-o", "x.o").returncode == 0
        symbols = lab.tool("readelf", "-sW", "x.o").stdout.decode()
        assert (" TLS " in symbols) == of_threads
        assert "aa_site_" in symbols


TWO = {
    "a.c": "static int f(int n) { while (n > 3) n -= 2; return n; } int b(int); int main(void) { return f(8) + b(7); }",
    "b.c": "static int f(int n) { while (n > 1) n -= 2; return n; } int b(int n) { return f(n); }\n",
}


def objects(lab, cc="gcc"):
    for name, text in TWO.items():
        lab.tool.write(name, text)
        assert lab.tool("autoanalyzer", "compile", "--", cc, "-fPIC", "-c", name).returncode == 0
        assert lab.tool(cc, "-fPIC", "-c", name, "-o", f"plain-{name}.o").returncode == 0


@pytest.mark.by_day(linker=["g++", "clang", "mpicc"])
@pytest.mark.parametrize("linker", ["gcc", "g++", "clang", "mpicc", "mpicxx"])
def test_objects_are_linked_by_whatever_links(lab, linker):
    if not shutil.which(linker):
        pytest.skip(f"{linker} is not installed")
    objects(lab)
    assert lab.tool(linker, "plain-a.c.o", "plain-b.c.o", "-o", "plain").returncode == 0
    assert lab.tool(linker, "a.o", "b.o", "-o", "probed").returncode == 0
    run = lab.compare()
    assert run.visits == {"main": 1, "f": 2, "f:loop@1": 2, "b": 1}
    assert {region.file for _, region in run.events if region.name == "f"} == {"a.c", "b.c"}


def test_archives_relocatable_links_and_shared_libraries_each_work(lab):
    objects(lab)
    assert lab.tool("gcc", "plain-a.c.o", "plain-b.c.o", "-o", "plain").returncode == 0
    steps = (
        ["ld", "-r", "b.o", "-o", "b-again.o"],
        ["ar", "crs", "libb.a", "b-again.o"],
        ["gcc", "a.o", "-L.", "-lb", "-o", "probed"],
    )
    for step in steps:
        assert lab.tool(*step).returncode == 0
    assert lab.compare().visits == {"main": 1, "f": 2, "f:loop@1": 2, "b": 1}
    (lab.tool.folder / "events").unlink()
    assert lab.tool("gcc", "-shared", "b.o", "-o", "libc2.so").returncode == 0
    assert lab.tool("gcc", "a.o", "-L.", "-lc2", "-Wl,-rpath,.", "-o", "probed").returncode == 0
    assert lab.compare().visits == {"main": 1, "f": 2, "f:loop@1": 2, "b": 1}
