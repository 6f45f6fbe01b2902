"""Modes beyond functions and outermost loops."""

import shutil

import pytest

NEST = r"""
#include <stdio.h>
int main(void) {
    int n = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++)
            while (n % 5 != 4) n++;
        do { n++; } while (0);
    }
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2 + i; j++) if (i) break; else continue;
    printf("%d\n", n);
    return 0;
}
"""


def test_inner_loops_are_numbered_after_the_outermost_ones(lab):
    run = lab.run(NEST, modes="outer-loops,inner-loops")
    assert run.visits == {"main": 1, "main:loop@5": 1, "main:loop@6": 3, "main:loop@7": 6, "main:loop@10": 3}
    ordinals = {(region.name, region.ordinal) for _, region in run.events if region.kind == "loop"}
    assert ordinals == {("loop@5", 0), ("loop@10", 1), ("loop@6", 2), ("loop@7", 3), ("loop@10", 4)}


def test_inner_loops_can_be_had_without_the_outer_ones(lab):
    run = lab.run(NEST, modes="inner-loops")
    assert run.visits == {"main": 1, "main:loop@6": 3, "main:loop@7": 6, "main:loop@10": 2}


COLLAPSED = r"""
#include <stdio.h>
int main(void) {
    int n = 0;
    #pragma omp parallel for collapse(2) reduction(+ : n)
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4 + j; k++) n++;
    #pragma omp parallel
    for (int i = 0; i < 2; i++)
        #pragma omp for
        for (int j = 0; j < 2; j++) ;
    printf("%d\n", n);
    return 0;
}
"""


def test_a_loop_that_a_directive_binds_to_another_is_left_alone(lab):
    run = lab.run(COLLAPSED, "-fopenmp", modes="inner-loops")
    assert {region.name for _, region in run.events} == {"main", "loop@8", "for@12"}
    assert lab.left_out("x.c", "--", "-fopenmp", modes="inner-loops") == {
        "loop@7": "a directive binds it to the enclosing loop"
    }


OUTLIVED = r"""
#include <stdio.h>
#include <string.h>
#define ROOM(n) ((char[n]){""})
#define COPY(text) strcpy(ROOM(32), text)
#define JOIN(one, other) strcat(COPY(one), COPY(other))
struct named { char name[32]; struct { char text[32]; } more[1]; };
static struct named get(const char *text) {
    struct named one;
    strcpy(one.name, text);
    strcpy(one.more[0].text, text);
    return one;
}
int main(void) {
    char *copied = strcpy((char[32]){""}, "kept until main ends");
    char *joined = JOIN("kept", " as well");
    char other[32];
    struct named kept = get("kept/too"), *at = &kept;
    memset(other, 'x', sizeof other);
    printf("%s %c %zu\n", copied, other[3], strlen(copied));
    printf("%s %s\n", joined, strchr(get("until/printf").name, '/'));
    printf("%s %s\n", strchr(get("until/printf").more[0].text, '/'), strstr((at ? get("/") : kept).name, "/"));
    printf("%s %s\n", strchr(at->more[0].text, '/'), strstr((*at).name, "t"));
    return 0;
}
"""


def test_what_a_call_makes_in_its_arguments_lives_on(lab):
    run = lab.run(OUTLIVED, "-O2", modes="library")
    assert {name: count for name, count in run.visits.items() if name.startswith("main:")} == {
        **dict.fromkeys(("main:memset@19", "main:strlen@20", "main:strchr@23", "main:strstr@23"), 1),
        **dict.fromkeys(("main:printf@20", "main:printf@21", "main:printf@22", "main:printf@23"), 1),
    }
    assert lab.left_out("x.c", modes="library") == {
        **dict.fromkeys(
            ("strcpy@15", "strcat@16", "strcpy@16"), "an object created in the call's arguments may outlive the call"
        ),
        **dict.fromkeys(
            ("strchr@21", "strchr@22", "strstr@22"),
            "it returns a pointer, perhaps into a temporary in the call's arguments",
        ),
    }


MATH = r"""
#include <math.h>
#include <stdio.h>
struct pair { double one, other; };
double ddot_(const int *n, const double *x, const int *i, const double *y, const int *j) {
    double sum = 0;
    for (int k = 0; k < *n; k += *i + *j - 1) sum += x[k] * y[k];
    return sum;
}
static double hypot3(double x, double (*log)(double)) { return log(x); }
static const double table[] = { 1.0, 2.0 };
int main(void) {
    static double constant = sizeof(exp(1.0));
    double x = 0.5, y;
    if (x > 1 && exp(x) > 2) puts("no");
    else if (sin(x) > 0) y = pow(exp(x), 2);
    else y = 0;
    for (y = cos(0); atan(y) > 0.5; y -= tanh(y)) x += sqrt(x);
    while (x > 9 || log(x) > 9) x--;
    x += x > 0 ? exp2(x) : cbrt(x);
    switch ((int)fmod(x, 3)) { case 0: x += erf(x); break; default: x -= erf(x); }
    printf("%g %g %g %g\n", x, y, hypot3(x, fabs) + table[0], constant);
    return exp(0) != 1;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_calls_of_math_functions_are_regions_wherever_they_stand(lab, compiler):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    run = lab.run(MATH, "-lm", "-fno-builtin", cc=compiler, modes="math")
    visits = run.visits
    assert visits.pop("main:atan@18") == visits.pop("main:tanh@18") + 1
    assert visits == {
        "main": 1,
        **{f"main:{name}": 1 for name in ("sin@16", "pow@16", "exp@16", "cos@18", "log@19", "exp2@20", "fmod@21")},
        **{"main:erf@21": 1, "main:exp@23": 1},
    }
    assert {region.kind for _, region in run.events} == {"function", "math"}
    assert lab.left_out(modes="math") == {"exp@13": "in an unevaluated operand"}


BLAS = r"""
#include <stdio.h>
double ddot_(const int *, const double *, const int *, const double *, const int *);
void dgetrf_(void), fftw_execute(const void *);
void call(void) { dgetrf_(); fftw_execute("plan"); }
int main(void) {
    int n = 2, one = 1;
    double x[] = { 1, 2 };
    printf("%g\n", ddot_(&n, x, &one, x, &one));
    call();
    return 0;
}
"""
SOLVERS = r"""
double ddot_(const int *n, const double *x, const int *i, const double *y, const int *j) {
    return *x + *y + *n + *i + *j;
}
void dgetrf_(void) {}
void fftw_execute(const void *plan) { (void)plan; }
"""


def test_solvers_are_math_by_the_names_of_their_libraries(lab):
    lab.tool.write("solvers.c", SOLVERS)
    run = lab.run(BLAS, "solvers.c", modes="math")
    assert run.visits == {"main": 1, "main:ddot_@9": 1, "call:dgetrf_@5": 1, "call:fftw_execute@5": 1}


SYSTEM = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int close_all(int n) { return n; }
static int send(int to) { return to; }
int main(void) {
    char text[4] = "";
    int file = open("x.c", O_RDONLY);
    if (file < 0 || read(file, text, 3) != 3) return 1;
    close(file);
    char *copy = malloc(4);
    strcpy(copy, text);
    memset(text, send(0), close_all(4));
    printf("%d%s\n", (int)strlen(copy), text);
    free(copy);
    int (*write)(const char *) = puts;
    if (system("exit 0")) return 1;
    return write("end") < 0;
}
"""


def test_system_calls_and_the_c_library(lab):
    run = lab.run(SYSTEM, modes="syscall,library")
    called = {region.kind: set() for _, region in run.events}
    for _, region in run.events:
        called[region.kind].add(region.name)
    assert called == {
        "function": {"main"},
        "syscall": {"open@11", "read@12", "close@13", "system@20"},
        "library": {"malloc@14", "strcpy@15", "memset@16", "printf@17", "strlen@17", "free@18"},
    }


MPI = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS) return 1;
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
"""


def test_calls_of_mpi_are_regions_but_for_those_that_are_measured_anyway(lab):
    assert lab.run(MPI, cc="mpicc", modes="mpi").visits == {"main": 1, "main:MPI_Allreduce@8": 1}


FIXED = r"""
#include <math.h>
#include <stdio.h>
enum { THREE = sizeof(exp(1.0)) - 5 };
int main(void) {
    double sum = 0;
    int known = __builtin_constant_p(exp(1.0));
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < (int)exp(1.0); i++)
        sum += exp(0.0) + _Generic(exp(1.0), double: 1, default: 2);
    #pragma omp atomic
    sum += exp(0.0);
    printf("%g %d %d\n", sum, THREE, known);
    return 0;
}
"""


def test_calls_whose_form_matters_are_left_alone_with_the_reason(lab):
    run = lab.run(FIXED, "-fopenmp", "-lm", "-fno-builtin", modes="math")
    assert run.visits == {"main": 1, "main:exp@10": 2}
    assert lab.left_out("x.c", "--", "-fopenmp", modes="math") == {
        "exp@7": "in an unevaluated operand",
        "exp@9": "in the header of a loop under a directive",
        "exp@10": "in an unevaluated operand",
        "exp@12": "in an atomic statement",
    }


def test_an_unknown_mode_is_refused_with_the_nearest_names(lab):
    lab.tool.write("x.c", NEST)
    for words, name in (
        (["autoanalyzer", "compile", "--modes", "lops", "--", "gcc", "-c", "x.c"], "--modes"),
        (["autoanalyzer", "regions", "--modes", "lops", "x.c"], "--modes"),
        (["aa-mpicc", "-c", "x.c"], "AUTOANALYZER_MODES"),
    ):
        done = lab.tool(*words, env={"AUTOANALYZER_MODES": "lops"})
        assert done.returncode == 2
        assert done.stderr.decode().startswith(f"autoanalyzer: {name}: expected modes, found 'lops'; ")
    for words in (["autoanalyzer", "compile", "--modes", "", "--", "gcc", "-c", "x.c"], ["aa-mpicc", "-c", "x.c"]):
        done = lab.tool(*words, env={"AUTOANALYZER_MODES": ","})
        assert done.returncode == 2
        assert "expected modes, found nothing; the modes are functions, outer-loops" in done.stderr.decode()
    assert not (lab.tool.folder / "x.o").exists()
