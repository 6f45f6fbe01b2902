"""Advice on C and C++ code as it occurs in real programs, including cases that were once judged wrong."""

from textwrap import dedent

import pytest

from autoanalyzer.advise.c_family import read_c_family
from autoanalyzer.advise.chunks import chunks
from autoanalyzer.advise.division_of_work import division_of_work
from autoanalyzer.advise.indirection import indirection
from autoanalyzer.advise.input_output import input_output
from autoanalyzer.advise.loop_order import order_of_loops
from autoanalyzer.advise.messages import messages
from autoanalyzer.advise.repeated_work import repeated_work
from autoanalyzer.advise.thread_loops import thread_loops

from ..conftest import site as site  # noqa: PLC0414 - the fixture


def loop(statement):
    return f"void f(double *x, double *y, int *at, int n, int m) {{ for (int i = 0; i < n; i++) {{ {statement} }} }}"


MPI = "#include <mpi.h>\nextern double total;\nvoid work(void);\n"
SILENT = {
    "an array of the function's own, which no pointer can reach": (
        repeated_work,
        "void f(double *x, double *y, double c) { for (int i = 0; i < 9; i++) { double d[3]; d[0] = y[i];"
        " x[i] = c * d[0] / 3; y[i] = c * d[0] / 3; } }",
    ),
    "a search that goes on where the last one ended": (
        repeated_work,
        "void f(double *x, double c, int n) { int k = 0; for (int i = 0; i < n; i++) { for (; k < n; k++)"
        " if (x[k] < c) break; x[k++] = c; } }",
    ),
    "a table that stays in the cache": (
        indirection,
        "double t[100]; double f(int *at, int n) { double s = 0;"
        " for (int i = 0; i < n; i++) s += t[at[i]]; return s; }",
    ),
    "a chain in a table that stays in the cache": (
        indirection,
        "int next[8]; int f(int n) { int s = 0; for (int i = 0; i < n; i++) s = next[s]; return s; }",
    ),
    "few elements": (
        indirection,
        "double f(double *x, int *at) { double s = 0; for (int i = 0; i < 8; i++) s += x[at[i]]; return s; }",
    ),
    "the address of a message": (indirection, MPI + loop("MPI_Send(&x[at[i]], n, MPI_INT, i, 0, MPI_COMM_WORLD);")),
    "columns of an array that stays in the cache": (
        order_of_loops,
        "double a[9][9]; void f(void) { for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) a[j][i] = 0; }",
    ),
    "fields of structures that stay in the cache": (
        order_of_loops,
        "struct s { double a[20]; double b; } s[9]; double f(void)"
        " { double c = 0; for (int i = 0; i < 9; i++) c += s[i].b; return c; }",
    ),
    "a message of an error": (input_output, "#include <stdio.h>\n" + loop('if (n) fprintf(stderr, "%d", i);')),
    "a message before the end": (
        input_output,
        "#include <stdio.h>\n#include <stdlib.h>\n" + loop('if (n) { printf("%d", i); exit(1); }'),
    ),
    "a file that is written, or else read": (
        input_output,
        "#include <unistd.h>\n" + loop("if (m) write(m, x, 1 << 20); else read(m, x, 1 << 20);"),
    ),
    "messages from anyone": (
        messages,
        MPI + loop("MPI_Recv(&x[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"),
    ),
    "messages that are answered": (
        messages,
        MPI
        + loop(
            "MPI_Send(&at[i], 1, MPI_INT, m, 0, MPI_COMM_WORLD); work();"
            "MPI_Recv(&x[i], 1, MPI_DOUBLE, m, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        ),
    ),
    "sums of which one decides what follows": (
        messages,
        MPI + "int f(double a, double b) { double c, d; MPI_Allreduce(&a, &c, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);"
        " if (c > 0) return 0; MPI_Allreduce(&b, &d, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); return d > 0; }",
    ),
    "sums in place, one after the other": (
        messages,
        MPI + "void f(double a) { MPI_Allreduce(MPI_IN_PLACE, &a, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); a = a / 2;"
        " MPI_Allreduce(MPI_IN_PLACE, &a, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }",
    ),
    "who owns something": (
        division_of_work,
        MPI + "void f(int *owner, int n) { int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank); for (int i = 0; i < n; i++)"
        " { if (owner[i] == rank) work(); if (i == rank) work(); if ((n & 3) == rank) work(); } }",
    ),
    "what one rank prints": (
        division_of_work,
        "#include <stdio.h>\n#include <mpi.h>\nvoid f(void) { int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);"
        ' if (rank == 0) printf("begins\\n"); }',
    ),
    "what one rank prints in its own way": (
        division_of_work,
        "#include <iostream>\n#include <mpi.h>\nvoid f() { int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);"
        " if (rank == 0) { std::cout << 1.5; std::cout.unsetf(std::ios_base::floatfield); } }",
    ),
    "what all ranks agree on": (
        division_of_work,
        MPI + "void f(double *x, int m) { int rank, n; MPI_Comm_rank(MPI_COMM_WORLD, &rank); n = rank * m;"
        " MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD); for (int i = 0; i < n; i++) x[i] = 0; }",
    ),
    "what all ranks have counted for one": (
        division_of_work,
        MPI + "void f(double *x, int *counts, int size) { int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);"
        " MPI_Allreduce(MPI_IN_PLACE, counts, size, MPI_INT, MPI_SUM, MPI_COMM_WORLD); int n = counts[rank];"
        " for (int i = 0; i < n; i++) x[i] = 0; }",
    ),
    "what is counted where a share of the rank is large": (
        division_of_work,
        MPI + "int n; void g(int m, int rest) { int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);"
        " if (m > 3 + (rank < rest)) n = 4; }\nvoid f(double *x) { for (int i = 0; i < n; i++) x[i] = 0; }",
    ),
    "what is set behind the loop": (
        division_of_work,
        MPI + "void f(double *x, int n) { int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
        "for (int i = 0; i < n; i++) x[i] = 0;\nn = rank * 2;\nwork(); }",
    ),
    "what a rank's entry of a table decides": (
        division_of_work,
        MPI + "int n; void g(int *use) { int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank); if (use[rank] > 3) n = 4; }\n"
        "void f(double *x) { for (int i = 0; i < n; i++) x[i] = 0; }",
    ),
    "threads whose turns are alike": (
        thread_loops,
        "void f(double *x, int n, int m) {\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) {"
        " for (int j = 0; j < m; j++) x[i * m + j] *= 2; if (x[i] < 0) x[i] = 0; } }",
    ),
    "a search for what a rank owns": (
        division_of_work,
        MPI + "int f(int *owner, int n) { int rank, i = 0; MPI_Comm_rank(MPI_COMM_WORLD, &rank);"
        " while (i < n && owner[i] == rank) i++; return i; }",
    ),
    "a value that is drawn until it is another": (
        division_of_work,
        MPI + "int draw(int); void f(int last) { int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank); int now = last;"
        " while (now == last) now = draw(3) * rank; }",
    ),
    "a macro that stands for a statement": (
        division_of_work,
        MPI + "#define SET(a) do { a = 1; } while (0)\nvoid f(int n) { SET(n); }",
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_of(site, name):
    kind, text = SILENT[name]
    assert not list(kind(site(text, "x.cpp" if "std::" in text else "x.c")))


def test_sums_that_need_nothing_of_one_another_can_be_one(site):
    text = SILENT["sums of which one decides what follows"][1].replace("if (c > 0) return 0;", "work();")
    (advice,) = messages(site(text))
    assert "combine these calls if none" in advice.text


def test_the_index_is_named_by_which_something_is_reached(site):
    text = """
        struct atoms { int *kind; };
        double f(struct atoms *atoms, double *mass, int n) {
            double s = 0;
            for (int i = 0; i < n; i++) s += mass[atoms->kind[i]];
            return s;
        }
        """
    (advice,) = indirection(site(text))
    assert "sort or renumber atoms->kind so" in advice.text


def test_numbers_in_a_text_are_read_one_by_one(site):
    (advice,) = input_output(site("#include <stdio.h>\n" + loop('fscanf((FILE *) at, "%lf", &x[i]);')))
    assert "read many numbers at once, instead of converting each number from text" in advice.text


@pytest.mark.parametrize(
    ("call", "cure"),
    [
        ("MPI_File_write_at", "or file view for all pieces, in a collective call (MPI_File_write_at_all)"),
        ("MPI_File_read_shared", "or file view for all pieces, in a collective call (_ordered instead of _shared)"),
        ("MPI_File_write_all", "with one datatype or file view for all pieces"),
    ],
)
def test_many_pieces_move_at_once_by_mpi_io(call, cure, site):
    (advice,) = input_output(site(loop(f"{call}(at, x[i]);"), io_calls=1e5, io_bytes=96e5))
    assert advice.text.endswith(cure)


def test_a_macro_with_do_and_zero_is_no_loop(tmp_path):
    source = read_c_family(dedent(SILENT["a macro that stands for a statement"][1]).encode(), tmp_path / "x.c")
    assert [type(each).__name__ for each in source.procedures[-1].body] == ["Assignment"]


def test_a_matrix_and_its_transpose_are_gone_through_in_blocks(site):
    text = """
        double f(const double *a, int n) {
            double s = 0;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    s += a[i * n + j] - a[j * n + i];
            return s;
        }
        """
    (advice,) = order_of_loops(site(text))
    assert "in blocks of a few rows and columns" in advice.text


@pytest.mark.parametrize("bounds", ["int j = at[i]; j < at[i + 1]; j++", "int j = 0; j < work(i); j++"])
def test_threads_whose_turns_may_differ_are_named(site, bounds):
    text = f"""
        int work(int);
        void f(double *x, int *at, int n) {{
        #pragma omp parallel for
            for (int i = 0; i < n; i++)
                for ({bounds}) x[i] += j;
        }}
        """
    (advice,) = thread_loops(site(text))
    assert "if its iterations differ in cost" in advice.text


PIECES = """
struct cell {{ double x[100]; }} cells[100];
double g(double);
void f(double *a, const double *b, int n, int *flag) {{
#pragma omp parallel for {}
    for (int i = 0; i < n; i++) {{
        {}
    }}
}}
"""
DYNAMIC = "schedule(dynamic)"
ADDS = "a[i] += b[i];"


@pytest.mark.parametrize(
    "schedule", [DYNAMIC, "schedule(dynamic, 1)", "schedule(monotonic:dynamic)", f"{DYNAMIC} nowait"]
)
def test_short_iterations_that_threads_fetch_one_at_a_time_are_named(site, schedule):
    (found,) = chunks(site(PIECES.format(schedule, ADDS)))
    assert found.text == (
        f"threads fetch the iterations of the loop in line 6 one at a time ({schedule.removesuffix(' nowait')}), and"
        " each fetch takes longer than an iteration: use schedule(static), or schedule(dynamic, 100) if iterations"
        " differ in cost"
    )


@pytest.mark.parametrize(
    ("schedule", "body", "is_advised"),
    [
        (DYNAMIC, "if (b[i] > 0) a[i] += b[i];", True),
        (DYNAMIC, "double x = b[i] * 2; if (x < 0) continue; a[i] = x;", True),
        (DYNAMIC, ADDS * 8, True),
        (DYNAMIC, ADDS * 9, False),
        ("schedule(dynamic, 64)", ADDS, False),
        ("schedule(dynamic, *flag)", ADDS, False),
        ("ordered schedule(dynamic)", ADDS, False),
        ("schedule(guided)", ADDS, False),
        ("schedule(static)", ADDS, False),
        ("", ADDS, False),
        (DYNAMIC, "a[i] += g(b[i]);", False),
        (DYNAMIC, "cells[i] = cells[i + 1];", False),
        (DYNAMIC, "for (int j = 0; j < n; j++) a[i] += b[j];", False),
    ],
)
def test_of_other_iterations_nothing_is_said(site, schedule, body, is_advised):
    assert len([*chunks(site(PIECES.format(schedule, body)))]) == is_advised


@pytest.mark.parametrize(("last", "is_advised"), [("999", False), ("1002", True)])
def test_few_iterations_need_no_chunks(site, last, is_advised):
    assert len([*chunks(site(PIECES.replace("i < n", f"i < {last}").format(DYNAMIC, ADDS)))]) == is_advised


@pytest.mark.parametrize(
    ("schedule", "body", "said"),
    [
        ("schedule(dynamic, 64)", "a[i] = g(b[i]);", "has schedule(dynamic, 64): use smaller chunks"),
        ("schedule(nonmonotonic:dynamic, 64)", "a[i] = g(b[i]);", "(nonmonotonic:dynamic, 64): use smaller chunks"),
        ("schedule(guided, 8)", "a[i] = g(b[i]);", "whose first chunks are the largest: use schedule(dynamic, 8)"),
        ("schedule(dynamic, 64)", ADDS, ""),
        ("schedule(dynamic, 1)", "a[i] = g(b[i]);", ""),
        ("schedule(dynamic, *flag)", "a[i] = g(b[i]);", ""),
    ],
)
def test_chunks_that_end_at_different_times_are_to_be_smaller_unless_they_are_short(site, schedule, body, said):
    found = [each.text for each in thread_loops(site(PIECES.format(schedule, body)))]
    assert len(found) == bool(said)
    assert all(said in each for each in found)
