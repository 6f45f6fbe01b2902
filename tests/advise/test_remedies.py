"""Suggested changes fit the source: none of them changes what a valid program computes or stores."""

import pytest

from autoanalyzer.advise.advise import KINDS

from .test_loop_order import lines

C = """\
typedef struct file FILE; typedef int MPI_Comm; typedef int MPI_Datatype; typedef struct { int x; } MPI_Status;
FILE *fopen(const char *, const char *); int fclose(FILE *); unsigned long fwrite(const void *, long, long, FILE *);
void *malloc(unsigned long); void free(void *); double exp(double); double sin(double);
long read(int, void *, long), write(int, const void *, long);
int MPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm), MPI_Comm_rank(MPI_Comm, int *), MPI_Comm_size(MPI_Comm, int *);
int MPI_Send(const void *, int, MPI_Datatype, int, int, MPI_Comm);
struct node { struct node *next; double v; }; struct item { double *data; int n; };
void add(struct node **, struct node *); void push(struct item); void use(double *);
struct point { double x, y, z, u, v, w, mass, charge, radius, age; }; void move(struct point *);
"""
CXX = """\
extern "C" double exp(double);
namespace std {
template <class T> struct vector { vector(int); T &operator[](int); void push_back(T &&); int size() const; };
template <class T, int n> struct array { T &operator[](int); };
template <class T> T &&move(T &);
}
void next(double &); double total(const std::vector<double> &);
"""
LOOP = "for (int i = 0; i < n; i++)"


def said(site, text, name, **numbers):
    prelude = {"c": C, "cpp": CXX}.get(name.rpartition(".")[2], "")
    made = site(prelude + text, name, **numbers)
    return [advice for _, kind in KINDS for advice in kind(made)]


REMEDIES = {
    "a table for each call's values": (
        f"void f(double *x, double dt, int n) {{ {LOOP} x[i] *= exp(-dt * i); }}",
        "depends on loop indices and dt: if dt is the same in each call, compute a table once",
    ),
    "a value that few iterations need": (
        f"void f(double *x, double c, int n) {{ {LOOP} if (x[i] > 9) x[i] = exp(c); }}",
        "if most iterations compute it, compute it before the loop",
    ),
    "memory that may be kept": (
        f"void f(struct node **all, int n) {{ {LOOP} {{ struct node *p = malloc(16); add(all, p); }} }}",
        "allocate many at a time, in one block, if the memory is kept; otherwise, allocate it before the loop",
    ),
    "memory in a structure": (
        f"void f(int n) {{ {LOOP} {{ double *p = malloc(8); struct item t = {{p, n}}; push(t); }} }}",
        "in line 10: allocate many at a time, in one block",
    ),
    "memory of several sizes": (
        f"void f(int *m, int n) {{ {LOOP} {{ double *p = malloc(m[i] + i); use(p); free(p); }} }}",
        "allocate it before the loop, with the largest size, and use a part of it",
    ),
    "memory of each thread": (
        f"void f(int n) {{\n#pragma omp parallel for\n{LOOP} {{ double *p = malloc(8);\nuse(p); free(p); }} }}",
        "allocate it once per thread, before the loop",
    ),
    "a file that is replaced": (
        f'void f(double *x, int n) {{ {LOOP} {{ FILE *f = fopen("x", "wb"); fwrite(x, 8, n, f); fclose(f); }} }}',
        "write the file less often, for example after the loop, because each iteration replaces its content",
    ),
    "loops without a barrier between them": (
        f"void f(double *x, double *y, int n) {{\n#pragma omp parallel\n{{\n#pragma omp for schedule(static) nowait\n"
        f"{LOOP}\nfor (int k = 0; k < i; k++) x[i] += k;\n#pragma omp for schedule(static)\n{LOOP}\n"
        "for (int k = 0; k < i; k++) y[i] += x[i];\n} }",
        "use schedule(static, 8) in this loop and in all loops that no barrier separates from it (nowait)",
    ),
    "threads that write side by side": (
        f"void f(float *x, int n) {{\n#pragma omp parallel for\n{LOOP}\nfor (int k = 0; k < i; k++) x[i] += k;\n}}",
        "use schedule(static, 16) or, if that is not enough, schedule(dynamic, 16), so that threads share",
    ),
    "a directive for a nest": (
        "void f(double (*a)[900]) {\n#pragma omp parallel for collapse(2)\nfor (int j = 0; j < 900; j++)\n"
        "for (int i = 0; i < 900; i++) a[i][j] = 0; }",
        "the directive in line 12 distributes iterations of j and of the inner loops over threads: leave it above the",
    ),
    "a directive for a loop": (
        "void f(double (*a)[900]) {\n#pragma omp parallel for\nfor (int j = 0; j < 900; j++)\n"
        "for (int i = 0; i < 900; i++) a[i][j] = 0; }",
        "keep it at that loop, or, if the new outermost loop has many independent iterations, move it there and make j",
    ),
    "threads that write once": (
        f"void f(double *x, int n) {{\n#pragma omp parallel for\n{LOOP} {{ double s = 0;\n"
        "for (int k = 0; k < i; k++) s += k;\nx[i] = s; } }",
        "use schedule(static, 1) or, if that is not enough, schedule(dynamic)",
    ),
    "iterations that use their neighbours": (
        "double g(double, double); void f(double *x, double *y, int n) { int rank, size; MPI_Comm_rank(0, &rank);\n"
        "MPI_Comm_size(0, &size); int first = n * rank / size, last = n * (rank + 1) / size;\n"
        "for (int i = first; i < last; i++) y[i] = g(x[i - 1], x[i]); }",
        "if iterations differ in cost, give each rank adjacent iterations of equal total cost",
    ),
}


def test_a_loop_that_ends_early_is_described_in_the_words_of_its_language(site):
    text = (
        "void f(double (*a)[900]) { for (int j = 0; j < 900; j++)\n"
        "for (int i = 0; i < 900; i++) { if (a[i][j] > 9) break; a[i][j] = 1; } }"
    )
    (advice,) = (each for each in said(site, text, "x.c") if each.kind == "order of loops")
    assert advice.text.endswith("check first whether this is allowed: line 11 leaves the loop with break")


@pytest.mark.parametrize("name", REMEDIES)
def test_the_remedy_keeps_what_the_program_does(site, name):
    text, remedy = REMEDIES[name]
    found = said(site, text, "x.c", visits_per_rank=9.0)
    assert any(remedy in each.text for each in found), [each.text for each in found]
    assert not any(each.text.endswith(": allocate it before the loop") for each in found)


UNSAID = {
    "a value that changes around the loop": (
        f"double g(int); void f(double *x, int n) {{ for (int t = 0; t < n; t++) {{ double w = g(t); {LOOP}"
        " x[i] += sin(w * i); } }",
        "table",
    ),
    "memory of a procedure that calls itself": (
        f"void f(int n) {{ double *p = malloc(n); if (n > 1) f(n - 1); {LOOP} p[i] = i; free(p); }}",
        "allocate",
    ),
    "a structure that is passed on": (
        f"double f(struct point *p, int n) {{ double s = 0; {LOOP} {{ s += p[i].x; move(&p[i]); }} return s; }}",
        "of the 80 bytes",
    ),
    "a structure that is copied": (
        f"double f(struct point *p, struct point *q, int n) {{ double s = 0; {LOOP} {{ s += p[i].x; q[i] = p[i]; }}"
        " return s; }",
        "of the 80 bytes",
    ),
    "a buffer with another name": (
        f"void f(double *x, int n) {{ double *p = x; {LOOP} {{ p[i] = i; MPI_Bcast(x, n, 0, 0, 0); }} }}",
        "broadcast",
    ),
    "a message that ends the loop": (
        f"void f(double *x, int to, int n) {{ {LOOP} if (x[i] > 9) {{ MPI_Send(x + i, 1, 0, to, 0, 0); return; }} }}",
        "combine",
    ),
    "a socket": (f"void f(int s, char *x, int n) {{ {LOOP} {{ write(s, x + i, 1); read(s, x + i, 1); }} }}", "back"),
}


@pytest.mark.parametrize("name", UNSAID)
def test_what_would_break_a_program_in_c_is_not_advised(site, name):
    text, remedy = UNSAID[name]
    found = said(site, text, "x.c", visits_per_rank=9.0)
    assert not any(remedy in each.text for each in found), [each.text for each in found]


CHANGING = {
    "an argument passed by reference": "next(t);",
    "a reference": "r += 1;",
    "a pointer": "*p += 1;",
    "a lambda": "count();",
    "a lambda with arguments": "count_by(i);",
}


@pytest.mark.parametrize("name", [*CHANGING, ""])
def test_what_another_name_or_a_lambda_may_change_is_not_the_same_in_each_iteration(site, name):
    text = (
        "void f(double *x, int n, double t) { double &r = t, *p = &t; auto count = [&] { t += 1; };"
        f" auto count_by = [&](int k) {{ t += k; }}; {LOOP} {{ {CHANGING.get(name, '')} x[i] = exp(t); }} }}"
    )
    found = said(site, text, "x.cpp")
    assert [each.text.startswith("exp(t) is the same") for each in found] == [True] * (not name)


def test_a_lambda_in_a_nest_may_need_its_order(site):
    text = (
        "void f(double (*a)[900], double *y) { double last = 0; auto keep = [&](double v) { last = v - last; };\n"
        "for (int j = 0; j < 900; j++) for (int i = 0; i < 900; i++) { a[i][j] += 1; keep(a[i][j]); } *y = last; }"
    )
    (advice,) = (each for each in said(site, text, "x.cpp") if each.kind == "order of loops")
    assert "check first whether this is allowed: line 9 calls keep" in advice.text
    functor = "struct keeper { double last; int operator()(double v) { last = v - last; return 1; } };\n"
    text = functor + text.replace("double last = 0; auto keep = [&](double v) { last = v - last; };", "keeper keep;")
    found = said(site, text.replace("*y = last", "*y = keep.last"), "x.cpp")
    (advice,) = (each for each in found if each.kind == "order of loops")
    assert "check first whether this is allowed: line 10 cannot be analysed" in advice.text


@pytest.mark.parametrize(("before", "inside"), [(True, False), (False, True)])
def test_a_stream_is_flushed_at_the_end_of_the_iteration_that_makes_it(site, before, inside):
    stream = 'std::ofstream f("x"); '
    text = (
        "namespace std { struct ofstream { ofstream(const char *); ofstream &operator<<(double);"
        " ofstream &operator<<(ofstream &(*)(ofstream &)); }; ofstream &endl(ofstream &); }\n"
        f"void f(double *x, int n) {{ {stream * before}{LOOP} {{ {stream * inside}f << x[i] << std::endl; }} }}"
    )
    found = said(site, text, "x.cpp", io_calls=9.0, io_bytes=9.0)
    assert any("flush the output once" in each.text for each in found) == before


CONTAINERS = {
    "a reference": ("std::vector<double> &row = rows[i]; y[i] = total(row);", ""),
    "an array": ("std::array<double, 9> a = std::array<double, 9>(); y[i] = a[0];", ""),
    "memory of another": ("std::vector<double> row = std::move(rows[i]); y[i] = total(row);", ""),
    "one that is kept": ("std::vector<double> row(n); rows.push_back(std::move(row));", "many at a time"),
    "one for each iteration": ("std::vector<double> row(n); y[i] = total(row);", "allocate it before the loop"),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_container_allocates_only_memory_of_its_own(site, name):
    statement, remedy = CONTAINERS[name]
    text = f"void f(std::vector<std::vector<double>> &rows, double *y, int n) {{ {LOOP} {{ {statement} }} }}"
    found = {each.text for each in said(site, text, "x.cpp") if "allocates" in each.text}
    assert len(found) == bool(remedy)
    assert all("std::vector allocates row in each iteration" in each and remedy in each for each in found)


FORTRAN = {
    "any rank": ("call mpi_recv(a(i), 1, mpi_real, mpi_any_source, 0, mpi_comm_world, st, e)", ""),
    "a module's variable": ("call step(); call mpi_bcast(dt, 1, mpi_real, 0, mpi_comm_world, e)", ""),
    "a replaced file": ("open(9, file='x'); write(9) a; close(9)", "because each iteration replaces its content"),
    "an extended file": ("open(9, file='x', position='append'); write(9) a; close(9)", "open the file once"),
    "a file read again": ("open(9, file='x'); read(9) a; close(9)", "if nothing else changes the file, read it once"),
    "other records": ("read(9, rec=i) a; write(9, rec=i + n) a", ""),
    "updated records": ("read(9, rec=i) a; write(9, rec=i) a", ""),
    "the same record": ("read(9, rec=1) a; write(9, rec=1) a", "keep the data in memory"),
    "moved memory": ("allocate(t(i)); call move_alloc(t, b)", ""),
    "an argument with a name": ("call g(y=a2(i, :), x=a)", "because y must be contiguous"),
    "an argument that is only read": ("call g(y=a2(i, :), x=a)", "for each call to g in line 9, because"),
    "a dimension of one element": ("call g(a, b2(1, :))", ""),
}


@pytest.mark.parametrize("name", FORTRAN)
def test_remedies_in_fortran(site, name):
    statement, remedy = FORTRAN[name]
    text = f"""\
        subroutine g(x, y)
          real, intent(inout) :: x(9)
          real, intent(in) :: y(9)
        end subroutine
        subroutine f(a, a2, b2, n)
          use m, only: dt, mpi_real, mpi_any_source, mpi_comm_world
          real :: a(9), a2(n, 9), b2(1, 9), b(:), t(:); allocatable b, t
          do i = 1, n
            {statement}
          end do
        end subroutine
        """
    found = [each for each in said(site, text, "x.f90", io_calls=9.0, io_bytes=9e9) if each.kind != "threads"]
    assert len({each.text for each in found}) == bool(remedy), [each.text for each in found]
    assert all(remedy in each.text for each in found)


def test_nowait_at_the_end_of_a_loop_counts_in_fortran(site):
    text = """\
        subroutine f(x, y, n)
          real :: x(n), y(n)
          !$omp parallel
          !$omp do schedule(static)
          do i = 1, n
            x(i) = sum(x(1:i))
            do k = 1, i
              x(i) = x(i) + k
            end do
          end do
          !$omp end do nowait
          !$omp do schedule(static)
          do i = 1, n
            do k = 1, i
              y(i) = y(i) + x(i)
            end do
          end do
          !$omp end parallel
        end subroutine
        """
    first, second = (each for each in said(site, text, "x.f90") if each.kind == "threads")
    assert [lines(first)[0], lines(second)[0]] == [5, 13]
    assert all("in all loops that no barrier separates from it (nowait)" in each.text for each in (first, second))
