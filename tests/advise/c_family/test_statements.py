"""How the front end for C and C++ represents statements and expressions."""

import pytest

from autoanalyzer.advise.c_family import read_c_family
from autoanalyzer.advise.expression import (
    ArrayRef,
    Binary,
    Call,
    Deref,
    Element,
    FieldRef,
    Name,
    Number,
    Opaque,
    Unary,
    walk,
)
from autoanalyzer.advise.nest import (
    Allocation,
    Assignment,
    Block,
    Branch,
    CallStatement,
    Declaration,
    InputOutput,
    Jump,
    Layout,
    Loop,
    OtherStatement,
    statements,
)


def body(source):
    return [each for each in source.procedures[-1].body if not isinstance(each, Declaration)]


def only(source, kind):
    return [each for each, _ in statements(source.procedures[-1].body) if isinstance(each, kind)]


def test_a_loop_that_counts_has_its_bounds_and_lines(read):
    (loop,) = body(read("void f(int n) {\n    for (int i = 1; i < n; i += 2)\n        ;\n}\n"))
    assert (loop.variable, loop.first, loop.step) == (Name("i"), Number(1), Number(2))
    assert loop.last == Binary("-", Name("n"), Number(1))
    assert (loop.line, loop.column, loop.last_line) == (2, 5, 3)


def test_heads_count_in_many_ways(read):
    source = read("""
        void f(int n) {
            for (int i = n; i >= 0; i--) ;
            for (int i = n - 1; i > 0; --i) ;
            for (int i = 0; i + 1 < n; i++) ;
            for (int i = 0; n >= i; i = i + 3) ;
            for (int i = 0; i != 8; i++) ;
        }
        """)
    heads = [(each.first, each.last, each.step) for each in only(source, Loop)]
    n, one = Name("n"), Number(1)
    assert heads == [
        (n, Number(0), Number(-1)),
        (Binary("-", n, one), one, Number(-1)),
        (Number(0), Binary("-", n, Number(2)), one),
        (Number(0), n, Number(3)),
        (Number(0), Number(7), one),
    ]


def test_a_loop_does_not_count_if_its_body_changes_the_variable_or_more_ends_it(read):
    source = read("""
        void f(int n, int *a, int (*next)(int *)) {
            for (int i = 0; i < n; i++) i += a[i];
            for (int i = 0; i < n; i++) next(&i);
            for (int i = 0; i < n && a[i]; i++) ;
            for (;;) break;
            while (n) n--;
            do n--; while (n);
        }
        """)
    loops = only(source, Loop)
    assert [each.variable for each in loops] == [None] * 6
    assert loops[3].condition is None
    assert isinstance(loops[3].body[0], Jump)
    assert loops[4].condition == Name("n")


def test_arrays_of_arrays_have_all_subscripts_and_rows_of_pointers_are_loaded(read):
    source = read("""
        double a[4][8];
        void f(double **rows, double (*b)[8], int n, double c[n][n], int i, int j) {
            a[i][j] = rows[i][j] + b[i][j] + c[i][j];
        }
        """)
    (assignment,) = body(source)
    i, j, real = Name("i"), Name("j"), Element("real", 8)
    assert assignment.target == ArrayRef(Name("a"), (i, j))
    assert assignment.target.extents == (Number(4), Number(8))
    assert assignment.target.element == real
    references = [each for each in walk(assignment.value) if isinstance(each, ArrayRef)]
    assert references[0] == ArrayRef(ArrayRef(Name("rows"), (i,)), (j,))
    assert references[1].element.kind == "pointer"
    assert references[2] == ArrayRef(Name("b"), (i, j))
    assert references[2].extents == (None, Number(8))
    assert references[3] == ArrayRef(Name("c"), (i, j))
    assert source.layout is Layout.ROWS


def test_fields_lead_through_pointers(read):
    source = read("""
        struct node { struct node *next; double values[3]; };
        double f(struct node *p, struct node s) { p = p->next; return p->values[1] + s.values[2]; }
        """)
    assignment, result = body(source)
    assert assignment.value == FieldRef(Deref(Name("p")), "next")
    assert assignment.value.element == Element("pointer", 8, "node")
    assert result.value.left == ArrayRef(FieldRef(Deref(Name("p")), "values"), (Number(1),))
    (structure,) = source.structures
    assert (structure.name, structure.bytes, [each.name for each in structure.fields]) == (
        "node",
        32,
        ["next", "values"],
    )


def test_names_are_unique_within_a_procedure(read):
    source = read("int i; void f(void) { for (int i = 0; i < 9; i++) { int i = 2; i += 1; } i = 3; }")
    assert [each.target.name for each in only(source, Assignment)] == ["i'2", "i'2", "i'0"]
    assert source.declaration(source.procedures[0], "i'0").outlives


def test_macros_are_expanded_and_stand_where_they_are_named(read):
    source = read("#define N 8\n#define AT(i, j) a[(i) * N + (j)]\nvoid f(double *a) {\n    AT(2, 3) = N;\n}\n")
    (assignment,) = body(source)
    assert assignment.target.subscripts == (Binary("+", Binary("*", Number(2), Number(8)), Number(3)),)
    assert (assignment.line, assignment.value) == (4, Number(8))


def test_changes_within_expressions_come_before(read):
    source = read("void f(int *a, int n) { int m = 0; a[n++] = m += 2; }")
    found = [(each.target, each.operator) for each in only(source, Assignment)]
    assert found == [(Name("m"), ""), (Name("n"), "+"), (Name("m"), "+"), (ArrayRef(Name("a"), (Name("n"),)), "")]


def test_calls_of_mathematics_are_pure_and_powers_alike_in_all_languages(read):
    source = read("#include <math.h>\nint g(int);\ndouble f(double x) { return sqrtf(x) + pow(x, 2) + g(1); }")
    calls = [each for each in walk(body(source)[0].value) if isinstance(each, Call)]
    assert [(each.name, each.is_pure) for each in calls] == [("sqrt", True), ("g", False)]
    assert Binary("**", Name("x"), Number(2)) in set(walk(body(source)[0].value))


def test_the_smaller_of_two_is_known_in_any_spelling(read):
    source = read("int f(int a, int b) { a = a < b ? a : b; return a > b ? a : b; }")
    assert body(source)[0].value == Call("min", (Name("a"), Name("b")), is_pure=True)
    assert body(source)[1].value.name == "max"


def test_memory_that_is_asked_for_overlaps_nothing(read):
    source = read("""
        #include <stdlib.h>
        void f(int n, double *c, double *restrict d) {
            double *a = malloc(n * sizeof *a), *b = c;
            free(a);
        }
        """)
    assert [(each.frees, each.function) for each in only(source, Allocation)] == [(False, "malloc"), (True, "free")]
    overlaps = {each.name: each.may_overlap for each in source.procedures[0].declarations}
    assert overlaps == {"n": False, "c": True, "d": False, "a": False, "b": True}


def test_input_and_output_is_known_in_calls_and_conditions(read):
    source = read("""
        #include <stdio.h>
        int f(FILE *file, double *a, char *text) {
            fprintf(file, "%g", a[0]);
            if (fread(a, 8, 100, file) != 100) return 1;
            printf("done\\n");
            sprintf(text, "%g", a[1]);
            return fflush(file);
        }
        """)
    found = [(each.action, each.unit, each.is_formatted, each.function) for each in only(source, InputOutput)]
    assert found == [
        ("write", Name("file"), True, "fprintf"),
        ("read", Name("file"), False, "fread"),
        ("write", None, True, "printf"),
        ("write", Name("text"), True, "sprintf"),
        ("flush", Name("file"), False, "fflush"),
    ]


def test_branches_and_switches_have_arms(read):
    source = read("""
        int f(int n) {
            if (n > 1) n = 2; else if (n) n = 3; else n = 4;
            switch (n) { case 1: case 2: n = 5; break; default: n = 6; }
            return n;
        }
        """)
    first, second, _ = body(source)
    assert [arm.condition is None for arm in first.arms] == [False, True]
    assert isinstance(first.arms[1].body[0], Branch)
    assert [len(arm.body) for arm in second.arms] == [0, 1, 1]
    assert second.arms[0].condition == Binary("==", Name("n"), Number(1))
    assert second.arms[2].condition is None


@pytest.mark.parametrize(
    ("defined", "used", "directive"),
    [
        ('#define EACH _Pragma("omp parallel for")', "EACH", "omp parallel for"),
        ("#define DO(text) _Pragma(#text)", "DO(omp for schedule(static, 4))", "omp for schedule(static, 4)"),
        (
            "#define DO(text) _Pragma(#text)\n#define EACH(k) DO(omp for schedule(k))",
            "EACH(static)",
            "omp for schedule(static)",
        ),
        (
            "#define DO(t) _Pragma(#t)\n#define K guided\n#define EACH(k) \\\n DO(omp for schedule(k))",
            "EACH(K)",
            "omp for schedule(guided)",
        ),
        ("#define DO(t) _Pragma(#t)\n#define EACH(k) DO(omp for schedule(k))", "EACH(KIND)", "omp for schedule(KIND)"),
        ("#define DO(text) _Pragma(#text)\n#define EACH DO(ivdep)", "EACH", ""),
        ("#define A(x) B(x x x x x x x x x x x x x x x x)\n#define B(x) _Pragma(#x)", f"A({'omp for ' * 999})", ""),
    ],
)
def test_directives_of_macros_belong_to_their_statement(defined, used, directive, read):
    source = read(
        f"{defined}\nvoid f(int n, double *a) {{\n    {used}\n    for (int i = 0; i < n; i++) a[i] = 0;\n}}\n"
    )
    (loop,) = [each for each in source.procedures[-1].body if isinstance(each, Loop)]
    assert loop.directive == directive


@pytest.mark.parametrize(
    ("written", "directive"),
    [
        ("#ifdef X\n#pragma omp for schedule(dynamic)\n#else\n#pragma omp for\n#endif\n", "omp for"),
        ("#ifdef _OPENMP\n#pragma omp for\n#else\n#pragma acc loop\n#endif\n", "omp for"),
        ("#ifdef _OPENMP\n#pragma omp for\n#endif\n", "omp for"),
    ],
)
def test_of_directives_in_several_arms_of_a_condition_one_counts(written, directive, read):
    source = read(f"void f(double *x) {{\n{written}for (int i = 0; i < 9; i++) x[i] = 0;\n}}\n")
    assert [each.directive for each in only(source, Loop)] == [directive]


def test_directives_of_openmp_belong_to_their_statement(read):
    source = read("""
        void f(int n, double *a) {
        #pragma omp parallel
            {
        #pragma omp for schedule(static) \\
                nowait
                /* all of it */
                for (int i = 0; i < n; i++) a[i] = 0;
            }
        }
        """)
    (block,) = body(source)
    assert isinstance(block, Block)
    assert block.directive == "omp parallel"
    assert block.body[1].directive == "omp for schedule(static) nowait"


def test_what_the_parser_does_not_understand_marks_its_loop(read):
    source = read("void f(int n, double *a) {\n for (int i = 0; i < n; i++) {\n  a[i] = lost->field;\n }\n}\n")
    (loop,) = only(source, Loop)
    assert isinstance(loop.body[-1], OtherStatement)
    assert "line 3" in source.remarks[0]


def test_headers_are_found_near_the_file_and_missing_ones_are_remarked(read):
    source = read('#include "own.h"\n#include "not_there.h"\nint f(void) { return N; }\n', own_h="#define N 7\n")
    assert body(source)[0].value == Number(7)
    assert "not_there.h" in source.remarks[0]


def test_headers_are_found_in_folders_beside_that_of_the_file(tmp_path):
    for folder in ("src", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "other" / "own.h").write_text("#define N 7\n")
    source = read_c_family(b'#include "own.h"\nint f(void) { return N; }\n', tmp_path / "src" / "x.c")
    assert (body(source)[0].value, source.remarks) == (Number(7), ())


def test_a_header_is_read_behind_what_its_users_include(read):
    text = "inline void f(const std::vector<double> &x) { for (size_t i = 0; i < 9; i++) std::cout << x[i]; }\n"
    source = read(text, "x.hpp")
    assert not source.remarks
    assert [each.action for each in only(source, InputOutput)] == ["write"]


ASKING = {
    "#if USE_MPI": True,
    "#ifdef HAVE_MPI": True,
    "#if defined(DO_MPI) && 1": True,
    "#ifdef NO_MPI": False,
    "#ifdef MPI_VERSION": False,
}


@pytest.mark.parametrize("condition", ASKING)
def test_what_is_compiled_with_mpi_alone_is_read(read, condition):
    source = read(f"void f(void);\n{condition}\nvoid g(void) {{ f(); }}\n#endif\n")
    assert bool(source.procedures) is ASKING[condition]


def test_headers_are_read_as_with_mpi_where_lines_have_settled_the_condition(tmp_path):
    (tmp_path / "own.h").write_text("#ifdef USE_MPI\n#define N 7\n#endif\n")
    text = b'#include "own.h"\nint f(void) {\n#ifdef USE_MPI\nreturn N;\n#else\nreturn 0;\n#endif\n}\n'
    source = read_c_family(text, tmp_path / "x.c", built=[4])
    assert ([each.value for each in body(source)], source.remarks) == ([Number(7)], ())


def test_mpi_is_called_by_name(read):
    source = read("#include <mpi.h>\nvoid f(int *rank) { int size; MPI_Comm_size(MPI_COMM_WORLD, &size); }")
    (statement,) = only(source, CallStatement)
    assert statement.call.name == "MPI_Comm_size"
    assert statement.call.arguments[1] == Unary("&", Name("size"))


CXX = """
    #include <iostream>
    #include <vector>
    template <typename T> struct Field {
        std::vector<T> values_;
        T total(int n) const;
    };
    template <typename T> T Field<T>::total(int n) const {
        T sum = 0;
        for (std::size_t i = 0; i < values_.size(); i++) sum += values_[i];
        return sum;
    }
    void print(const std::vector<double> &x, int n) {
        std::vector<double> copy(n);
        for (double each : x) std::cout << each << " " << std::endl;
        for (int i = 0; i < n; ++i) copy[i] = x[i];
        double *p = new double[n];
        delete[] p;
    }
    """


def test_containers_and_streams_of_cxx(read):
    source = read(CXX, "x.cpp")
    total, printing = source.procedures
    (loop,) = [each for each, _ in statements(total.body) if isinstance(each, Loop)]
    assert total.name == "Field<...>::total"
    assert loop.last == Binary("-", Call("size", on=Name("values_"), is_pure=True), Number(1))
    assert loop.body[0].value == ArrayRef(Name("values_"), (Name("i"),))
    found = [each for each, _ in statements(printing.body)]
    assert [each.function for each in found if isinstance(each, Allocation)] == ["std::vector", "new", "delete"]
    output = [(each.action, each.function) for each in found if isinstance(each, InputOutput)]
    assert output == [("write", "operator<<"), ("flush", "std::endl")]
    (copied,) = [each for each in found if isinstance(each, Assignment) and isinstance(each.target, ArrayRef)]
    assert copied.target.element == Element("real", 8)
    assert copied.value == ArrayRef(Name("x"), (Name("i"),))


def test_a_header_of_cxx_is_read_as_such(read):
    source = read("template <class T> struct S { T f(T x) { return x + 1; } };\n", "x.h")
    assert (source.language, [each.name for each in source.procedures]) == ("c++", ["S<...>::f"])


ACCESSORS = """
    #include <vector>
    struct Cells {
        std::vector<double> x_; int n_;
        double &x(int i) { return x_[i]; }
        int n() const { return n_; }
        double &log(int i) { calls++; return x_[i]; }
        virtual double &y(int i) { return x_[i]; }
        double &itself(int i) { return itself(i); }
        int calls;
    };
    void f(Cells &cells, Cells *others) {
        cells.x(1) = others->x(2);
        cells.log(1) = cells.n();
        cells.y(1) = cells.itself(1);
    }
    """


def test_methods_that_give_an_element_or_a_field_are_what_they_give(read):
    first, second, third = only(read(ACCESSORS, "x.cpp"), Assignment)
    cells, others = Name("cells"), Deref(Name("others"))
    assert first.target == ArrayRef(FieldRef(cells, "x_"), (Number(1),))
    assert first.value == ArrayRef(FieldRef(others, "x_"), (Number(2),))
    assert first.target.line == first.line
    assert second.value == FieldRef(cells, "n_")
    assert all(isinstance(each, Call) for each in (second.target, third.target, third.value))


def test_anything_else_is_opaque_and_may_change_things(read):
    source = read("int f(int n) { int m = ({ n++; n; }); return m; }")
    assert any(isinstance(each.value, Opaque) and each.value.changes for each in only(source, Assignment))
