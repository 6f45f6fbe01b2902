"""Each kind of advice except loop order: what it recognises in small sources, and when it stays silent."""

from dataclasses import replace

import pytest

from autoanalyzer.advise.allocation import allocations
from autoanalyzer.advise.division_of_work import division_of_work
from autoanalyzer.advise.indirection import indirection
from autoanalyzer.advise.input_output import input_output
from autoanalyzer.advise.messages import messages, moved
from autoanalyzer.advise.repeated_work import repeated_work
from autoanalyzer.advise.thread_loops import thread_loops
from autoanalyzer.advise.uneven import once_a_turn

from .test_loop_order import lines

INDIRECT = {
    "an index": ("double f(double *x, int *at, int n) { double s = 0; for (int i = 0; i < n; i++)\ns += x[at[i]];", 2),
    "an index in a variable": (
        "double f(double *x, int *at, int n) { double s = 0; for (int i = 0; i < n; i++) {\nint k = at[i];\ns+=x[k];}",
        3,
    ),
    "a chain": ("double f(int *next, int n) { int s = 0; for (int i = 0; i < n; i++)\ns = next[s];", 2),
    "a list": (
        "struct e { struct e *next; double v; }; double f(struct e *p) { double s = 0; while (p) {\ns += p->v;\n"
        "p = p->next; }",
        3,
    ),
}


@pytest.mark.parametrize("name", INDIRECT)
def test_what_is_looked_up_first_is_named(site, name):
    text, line = INDIRECT[name]
    (advice,) = indirection(site(f"{text} return s; }}"))
    assert lines(advice)[0] == line


def test_an_index_that_is_computed_is_no_indirection(site):
    text = "void f(double *x, double *y, int n) { for (int i = 0; i < n; i++) { int k = 2 * i; x[k] = y[i]; } }"
    assert not list(indirection(site(text)))


DIVIDED = """\
    #include <mpi.h>
    static int part(int count, int rank, int size) {
        return count * rank / size;
    }
    void work(double *a, int first, int last) {
        for (int i = first; i < last; i++) a[i] = cost(i);
    }
    int main(void) {
        int rank, size;
        double a[100];
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        int first = part(100, rank, size);
        work(a, first, part(100, rank + 1, size));
    }
    """


def test_bounds_lead_back_through_arguments_and_results(site):
    found = site(DIVIDED)
    inner = found.source.procedures[1]
    (advice,) = division_of_work(type(found)(found.source, inner, 5, 7, sources=found.sources))
    assert lines(advice)[0] == 3
    assert lines(advice)[-1] == 6
    assert advice.text.startswith("if iterations differ in cost, deal the iterations out cyclically, or on demand: ")
    assert advice.confidence == "high"


ROWS = """\
    #include <mpi.h>
    struct part { int rows, *counts, *from; };
    void divide(struct part *a, int n, int size) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        for (int r = 0; r < size; r++) {
            a->counts[r] = n * (r + 1) / size - n * r / size;
        }
        a->rows = a->counts[rank];
    }
    void work(struct part *a, double *x) {
        for (int i = 0; i < a->rows; i++)
            for (int k = a->from[i]; k < a->from[i + 1]; k++) x[i] += k;
    }
    """


def test_equal_parts_whose_turns_data_make_long_are_not_to_be_made_equal(site):
    (advice,) = division_of_work(site(ROWS))
    assert lines(advice) == [9, 12, 7]
    assert "the loop in line 13 depends on a->from[i], so" in advice.text
    assert ", which runs to a->rows - 1, where a->rows = a->counts[rank] in " in advice.text
    assert advice.text.endswith(": deal the iterations out cyclically, or on demand")


@pytest.mark.parametrize("filled", ["size + r", "a->from[r]"])
def test_parts_that_a_table_makes_unequal_are_named(site, filled):
    (advice,) = division_of_work(site(ROWS.replace("n * (r + 1) / size - n * r / size", filled)))
    assert advice.text.startswith("give each rank a part of equal cost: the loop in line 12 runs to ")


@pytest.mark.parametrize(
    ("apart", "said"),
    [
        (1.0, "iterations of the loop in line 13 depends"),
        (3.0, "line 12 runs to a->rows - 1, where"),
        (None, "iterations of the loop in line 13 depends"),
    ],
)
def test_what_ranks_take_of_turns_tells_whether_these_or_their_cost_differ(site, apart, said):
    found = replace(site(ROWS), turns_apart=lambda source, loop: apart if loop.line == 12 else None)
    (advice,) = division_of_work(found)
    assert said in advice.text
    assert any("times as many iterations of the loop in line 12" in each for each in advice.evidence) == bool(apart)


def test_turns_that_data_make_long_are_named_where_nothing_divides_them(site):
    text = """\
        int many(int); void work(double *x, int *count, int *at, int n) {
            for (int i = 0; i < n; i++) {
                int m = many({});
                for (int k = 0; k < m; k++) x[i] += k;
            }
        }
        """
    (advice,) = division_of_work(site(text.replace("{}", "count[at[i]]")))
    assert lines(advice) == [2, 4]
    assert "the loop in line 4 depends on many(count[at[i]]), so" in advice.text
    assert advice.confidence == "medium"
    assert not list(division_of_work(site(text.replace("{}", "count[0]"))))
    assert not list(division_of_work(site(text.replace("{}", "count[i]").replace("i < n", "i < 3"))))


@pytest.mark.parametrize(
    ("body", "functions", "loops"),
    [
        ("f(i);", {"f"}, set()),
        ("x[i] = f(i) + 1;", {"f"}, set()),
        ("f(i); f(i);", set(), set()),
        ("if (x[i] > 0) f(i);", set(), set()),
        ("if (x[i] > 0) continue; f(i);", set(), set()),
        ("f(i); if (x[i] > 0) continue; for (;;) f(i);", set(), set()),
        ("if (f(i) > 0) x[i] = 0; else if (g(i) > 0) x[i] = 1;", {"f"}, set()),
        ("if (f(i) > 0 && g(i) > 0) x[i] = 0;", {"f"}, set()),
        ("x[i] = n > 0 ? f(i) : g(i);", set(), set()),
        ("for (int k = 0; k < n; k++) { if (x[k] > 0) break; g(k); } f(i);", {"f"}, {1}),
        ("for (int k = 0; k < n; k++) if (x[k] > 0) return; f(i);", set(), {1}),
    ],
)
def test_what_each_turn_does_once_is_found(site, body, functions, loops):
    text = f"int f(int); int g(int); void s(double *x, int n) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    found = once_a_turn(next(loop for loop, _ in site(text).loops))
    assert (found.functions, found.loops) == (functions, loops)


def test_loops_over_the_same_for_all_ranks_have_no_division(site):
    assert not list(division_of_work(site("void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }")))


def test_what_one_rank_does_alone_is_named(site):
    text = """\
        #include <mpi.h>
        void f(double *a, int n) {
            int rank;
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (rank == 0)
                for (int i = 0; i < n; i++) a[i] = 0;
        }
        """
    (advice,) = division_of_work(site(text))
    assert lines(advice) == [5]


REPEATED = {
    "an invariant call": ("x[i] = y[i] * exp(c);", "exp(c) is the same", "high"),
    "a power": ("x[i] = pow(y[i], 3) + pow(y[i], 2);", "pow(y[i], 3)", "medium"),
    "a function of the counter": (
        "for (int j = 0; j < n; j++) x[i * n + j] = sin(c * j);",
        "compute a table",
        "medium",
    ),
    "the same product behind a store": (
        "x[0] += y[i] / z[i]; x[1] += c * (y[i] / z[i]);",
        "y[i]/z[i] is computed 2 times in line",
        "high",
    ),
    "a search": ("int k = 0; while (y[k] < z[i]) k++; x[i] = k;", "from the beginning each time", "high"),
    "an allocation that is kept": ("double *t = malloc(8); z = t;", "allocate many at a time", "medium"),
    "an allocation": ("double *t = malloc(8); x[i] = t[0];", "malloc allocates t", "medium"),
}


@pytest.mark.parametrize("name", REPEATED)
def test_repeated_work_is_named(site, name):
    statement, said, sure = REPEATED[name]
    text = f"""
        #include <math.h>
        #include <stdlib.h>
        void f(double *x, double *y, double *z, double c, int n) {{
            for (int i = 0; i < n; i++) {{
                {statement}
            }}
        }}
        """
    advice = list(repeated_work(site(text)))
    assert [(said in each.text, each.confidence) for each in advice] == [(True, sure)]


def test_memory_that_each_call_gets_anew_is_named_where_its_touching_costs(site):
    text = """
        #include <stdlib.h>
        double f(int n) {
            double *of[9];
            for (int i = 0; i < 9; i++) of[i] = malloc(8);
            double *t = malloc(n * sizeof *t), *kept = malloc(8), sum = 0;
            keep(kept);
            for (int i = 0; i < n; i++)
                sum += t[i] = i;
            free(t);
            return sum;
        }
        """
    (advice,) = allocations(site(text, visits_per_rank=20.0))
    assert advice.text == "malloc allocates t in each call to f: allocate it once, before the calls, and reuse it"
    assert lines(advice) == [6]
    assert not list(allocations(site(text, visits=20.0, visits_per_rank=1.0)))


@pytest.mark.parametrize(("value", "there"), [("c", 0), ("scale", 0), ("d", 1)])
def test_what_a_call_may_change_is_not_the_same_in_each_turn(site, value, there):
    text = f"""
        #include <math.h>
        double scale; void t(double *);
        void f(double *x, double c, double d, int n) {{
            for (int i = 0; i < n; i++) {{
                {{}}
                x[i] *= exp({value});
            }}
        }}
        """
    assert len(list(repeated_work(site(text.replace("{}", "t(&c);"))))) == there
    assert len(list(repeated_work(site(text.replace("{}", ""))))) == 1


def test_what_differs_in_each_turn_is_not_repeated(site):
    text = """
        #include <math.h>
        void f(double *restrict x, const double *restrict y, int n) {
            for (int i = 0; i < n; i++) {
                double t = y[i] * y[i];
                x[i] = exp(y[i]) / y[i] + t;
            }
        }
        """
    assert not list(repeated_work(site(text)))


WRITING = {
    "written and read": (
        "fwrite(x, 8, n, file); rewind(file); fread(x, 8, n, file);",
        "keep the data in memory",
        "high",
    ),
    "flushed": ('fprintf(file, "%g", x[i]); fflush(file);', "flush the output once, after the loop", "high"),
    "opened": ('FILE *other = fopen("a", "a"); fwrite(x, 8, n, other);', "open the file once", "high"),
    "formatted": ('fprintf(file, "%g", x[i]);', "write numbers in binary", "medium"),
    "in pieces": ("fwrite(&x[i], 8, 1, file);", "in large blocks", "medium"),
}


@pytest.mark.parametrize("name", WRITING)
def test_input_and_output_in_a_loop_is_named(site, name):
    statement, said, sure = WRITING[name]
    text = (
        f"#include <stdio.h>\nvoid f(FILE *file, double *x, int n) {{\nfor (int i = 0; i < n; i++) {{ {statement} }} }}"
    )
    (advice,) = input_output(site(text, io_calls=100.0, io_bytes=800.0))
    assert said in advice.text
    assert advice.confidence == sure
    assert advice.evidence == ("100 calls, 8 bytes per call, which is small",)


def test_text_in_memory_and_output_behind_a_loop_are_no_input_or_output_in_one(site):
    text = """
        #include <stdio.h>
        void f(char *text, double *x, int n) {
            for (int i = 0; i < n; i++) sprintf(text, "%g", x[i]);
            fwrite(x, 8, n, stdout);
        }
        """
    assert not list(input_output(site(text)))


SENDING = {
    "small messages": (
        "for (int i = 0; i < n; i++)\nMPI_Send(&x[i], 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);",
        "combine these messages into one",
        "high",
    ),
    "the same broadcast": (
        "for (int i = 0; i < n; i++)\n{ MPI_Bcast(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); y[i] = x[i]; }",
        "once, before the loop",
        "medium",
    ),
    "all to all by broadcasts": (
        "for (int i = 0; i < n; i++)\nMPI_Bcast(x + i * n, n, MPI_DOUBLE, i, MPI_COMM_WORLD);",
        "MPI_Gatherv",
        "medium",
    ),
    "two reductions": (
        "\nMPI_Allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);"
        " MPI_Allreduce(x + 1, y + 1, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);",
        "combine these calls if none",
        "medium",
    ),
    "a pipeline": (
        "\nMPI_Recv(x, 1, MPI_DOUBLE, to - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        "\nfor (int i = 0; i < n; i++)\n x[0] += y[i];\nMPI_Send(x, 1, MPI_DOUBLE, to + 1, 1, MPI_COMM_WORLD);",
        "send parts earlier",
        "medium",
    ),
    "a pair": (
        "\nMPI_Send(x, n, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);"
        " MPI_Recv(y, n, MPI_DOUBLE, to, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        "MPI_Sendrecv",
        "medium",
    ),
}


@pytest.mark.parametrize("name", SENDING)
def test_messages_are_named(site, name):
    statement, said, sure = SENDING[name]
    text = f"#include <mpi.h>\nvoid f(double *x, double *y, int n, int to) {{ {statement} }}"
    (advice,) = messages(site(text))
    assert said in advice.text
    assert (advice.confidence, lines(advice)[0]) == (sure, 3)


@pytest.mark.parametrize(("count", "said"), [("1", "1 element"), ("2", "2 elements"), ("n", "n elements")])
def test_one_element_is_one(site, count, said):
    text = f"#include <mpi.h>\nvoid f(double *x, int n, int to) {{ {SENDING['small messages'][0]} }}"
    (advice,) = messages(site(text.replace("1, MPI_DOUBLE", f"{count}, MPI_DOUBLE"), mpi_calls=9, mpi_bytes=9))
    assert f" transfers {said} in each iteration" in advice.text


def test_calls_that_move_data_in_loops_are_a_place_to_start(site):
    calls = "for (int i = 0; i < n; i++) {\nMPI_Allgather(x, n, MPI_INT, y, n, MPI_INT, to);\nMPI_Barrier(to);}"
    (advice,) = moved(site(f"#include <mpi.h>\nvoid f(int *x, int *y, int n, int to) {{ {calls} }}"))
    assert advice.text.startswith("MPI_Allgather in line 3, in each iteration of the loop in line 2: check whether ")
    assert not list(moved(site(f"#include <mpi.h>\nvoid f(int *x, int *y, int n, int to) {{ {calls[29:-1]} }}")))
    again = f"{calls}\nfor (int i = 0; i < n; i++)\nMPI_Bcast(x, n, MPI_INT, 0, to);"
    assert list(moved(site(f"#include <mpi.h>\nvoid f(int *x, int *y, int n, int to) {{ {again} }}"))) == [advice]


def test_messages_to_others_each_time_are_not_to_be_packed(site):
    text = """
        #include <mpi.h>
        void f(double *x, int n) {
            for (int i = 0; i < n; i++) MPI_Send(&x[i], 1, MPI_DOUBLE, i, 1, MPI_COMM_WORLD);
        }
        """
    assert not list(messages(site(text)))


def test_a_static_schedule_of_uneven_turns_is_named(site):
    text = """\
        void f(double *x, int n) {
        #pragma omp parallel for
            for (int i = 0; i < n; i++)
                for (int j = 0; j < i; j++)
                    x[i] += j;
        }
        """
    (advice,) = thread_loops(site(text))
    assert lines(advice) == [3, 4]
    assert "its iterations differ in cost, because the bounds of the loop in line 4 depend on i: use" in advice.text
    assert advice.confidence == "high"
    assert not list(thread_loops(site(text.replace("parallel for", "parallel for schedule(dynamic)"))))


@pytest.mark.parametrize(
    ("head", "uneven"),
    [
        ("double *from = &x[i]; for (double *p = from; p < end; p++) *p = 0;", True),
        ("double *from = &x[i], *to = from + 8; for (double *p = from; p < to; p++) *p = 0;", False),
        ("int least = i * 4; for (int j = least; j < n; j++) x[j] = 0;", True),
        ("int least = starts[i]; for (int j = least; j < n; j++) x[j] = 0;", False),
    ],
)
def test_turns_are_uneven_by_what_variables_hold_in_them(site, head, uneven):
    text = f"""\
        void f(double *x, double *end, int *starts, int n) {{
        #pragma omp parallel for
            for (int i = 0; i < n; i++) {{
                {head}
            }}
        }}
        """
    (advice,) = thread_loops(site(text))
    assert lines(advice) == ([3, 4] if uneven else [3])


def test_elements_of_threads_side_by_side_are_named(site):
    text = """\
        #include <omp.h>
        void f(double *sums, int n) {
        #pragma omp parallel
            {
                int me = omp_get_thread_num();
                for (int i = 0; i < n; i++)
                    sums[me] += i;
            }
        }
        """
    (advice,) = thread_loops(site(text))
    assert lines(advice) == [7]
    (advice,) = thread_loops(site(text.replace("sums[me]", "sums[omp_get_thread_num()]")))
    assert lines(advice) == [7]


CONTAINER = """\
    #include <mpi.h>
    #include <vector>
    void fill(std::vector<double> &cells, int rank) {
        for (int i = 0; i < cells.size(); i++) cells[i] = cost(i);
    }
    double work(int number) {
        int rank;
        double sum = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::vector<double> density(number);
        density[1] = 0.5 * rank;
        fill(density, rank);
        for (int i = 0; i < density.size(); i++) sum += cost(density[i]);
        return sum;
    }
    """


@pytest.mark.parametrize("procedure", [0, 1], ids=["argument", "variable"])
def test_a_containers_length_does_not_come_from_its_elements(procedure, site):
    found = site(CONTAINER, "x.cpp")
    inner = found.source.procedures[procedure]
    last = inner.last_line
    assert not list(division_of_work(type(found)(found.source, inner, inner.line, last, sources=found.sources)))
