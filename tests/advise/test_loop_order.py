"""Loops that traverse arrays in a different order than that of their elements in memory."""

from autoanalyzer.advise.loop_order import order_of_loops


def lines(advice):
    return [int(each.rpartition(":")[2]) for each in advice.places]


def test_c_loops_down_columns_are_to_be_interchanged(site):
    (advice,) = order_of_loops(
        site("""\
        double a[500][600];
        void f(void) {
            for (int j = 0; j < 600; j++)
                for (int i = 0; i < 500; i++)
                    a[i][j] = 2 * a[i][j];
        }
        """)
    )
    assert lines(advice) == [3, 4]
    assert (
        "a[i][j] is traversed along i, its first index, 4800 bytes per step: interchange the loops in lines 3 and 4"
        in advice.text
    )
    assert "nothing in the body prevents it" in advice.text
    assert (advice.confidence, advice.gain) == ("high", 1.5)


def test_fortran_loops_along_rows_are_to_be_interchanged(site):
    (advice,) = order_of_loops(
        site(
            """\
            subroutine f(a, n)
            integer n, i, j
            real(8) a(n, n)
            do i = 1, n
              do j = 1, n
                a(i, j) = 2 * a(i, j)
              end do
            end do
            end
            """,
            "x.f90",
        )
    )
    assert lines(advice) == [4, 5]
    assert "a(i,j) is traversed along j, its second index, 8*n bytes per step" in advice.text
    assert advice.confidence == "high"


def test_nothing_is_said_of_loops_in_the_order_of_memory(site):
    text = """
        double a[500][600], x[600];
        void f(double *b, int n) {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    a[i][j] = b[i * n + j] + x[j];
        }
        """
    assert not list(order_of_loops(site(text)))


def test_arrays_that_may_overlap_leave_it_open(site):
    (advice,) = order_of_loops(
        site("""
        void f(double *a, double *b, int n) {
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++)
                    a[i * n + j] = b[i * n + j];
        }
        """)
    )
    assert "a and b may overlap" in advice.text
    assert advice.confidence == "medium"


def test_a_dependence_forbids_it(site):
    (advice,) = order_of_loops(
        site("""
        double a[500][600];
        void f(void) {
            for (int j = 1; j < 600; j++)
                for (int i = 0; i < 499; i++)
                    a[i][j] = a[i + 1][j - 1];
        }
        """)
    )
    assert "must not be interchanged" in advice.text
    assert advice.confidence == "low"


def test_rows_of_a_power_of_two_are_to_be_longer(site):
    (advice,) = order_of_loops(
        site("""
        double a[512][512];
        void f(void) {
            for (int j = 0; j < 512; j++)
                for (int i = 0; i < 512; i++)
                    a[i][j] = 0;
        }
        """)
    )
    assert "each step is one cache line longer" in advice.text


def test_few_fields_of_large_structures_are_to_be_put_together(site):
    (advice,) = order_of_loops(
        site("""
        struct cell { double p, q, r, s, t, u, v, w, x, y; };
        double f(struct cell *cells, int n) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                sum += cells[i].p * cells[i].y;
            return sum;
        }
        """)
    )
    assert "the loop in line 5 uses 16 of the 80 bytes of each cells[i] (p, y)" in advice.text
