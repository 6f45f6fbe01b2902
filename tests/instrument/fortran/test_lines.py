"""Lines of both forms: continuations, comments, literals, and the columns that count."""

import pytest

LITERALS = r"""
      program main
      character(len=70) a, b
      a = 'it''s ! no comment; end do'
      b = "say ""end"" & 'do' // \"
      do i = 1, 2 ! 'unpaired
        if (a == 'return') return ! "
        print *, 'do 10 i = 1, 2; & end program', "!", '', "''",        &
     &    a, b
      end do; print *, 'end do'; do j = 1, 2; print *, ';'; end do
      print *, 'x' ; ; print *, 'y';
      end
"""


def test_literals_hide_what_they_hold(fortran, name):
    assert fortran.run(LITERALS, name=name).visits == {"main": 1, "main:loop@6": 1, "main:loop@10": 1}


FREE_LINES = """
program main
  integer :: i, total = 0
  &
  character(len=20) :: text = 'abc&
    ! a comment between
    &def'
  do &
    i &
    ! comment

    !$ nothing
    = 1, &   ! comment with 'quote
    & 3
    if (i == 2 .and. &
        total < 1000) &
        & cycle
    if (i == 3 .and. tot&
      &al < 1000) re&
      &turn
    total = total + i; en&
    &d do
  print *, text
  10 format (' a', &
    i4)
end program
"""


def test_free_form_goes_on_at_an_ampersand(fortran):
    assert fortran.run(FREE_LINES, name="x.f90").visits == {"main": 1, "main:loop@8": 1}


FREE_LONG = f"""
program main
  integer :: i
  do i = 1, 2
    if (i == 3{") return".rjust(118)}
    if (i == 2 {".and. i > 0" * 9}) return
    if (i == 1 .and. &
      i < 5) print *, 'a {"long " * 18} line', i
  end do
end program
"""


def test_lines_of_free_form_do_not_grow_too_long(fortran):
    assert fortran.run(FREE_LONG, name="x.f90").visits == {"main": 1, "main:loop@4": 1}


FIXED_CONTINUED = """
C     A COMMENT
      PROGRAM MAIN
      INTEGER A(20)
      DATA A /1,
     12,
     23,
C     BETWEEN
     34,
     45,

     56,
     67,
     78,
* BETWEEN
     89,
     910,
     A11,
     B12,
     C13,
     D14,
     E15,
     F16,
     G17,
     H18,
     !19,
     &20/
      DO
     1   10
     2   I = 1,
     3   2
      IF (I .EQ. 2
     *    .AND. A(20) .EQ. 20)
     *    RE
     $TURN
   10 PRINT *, A, 'GOES
     1 ON & ON'
      END
"""


def test_fixed_form_goes_on_at_column_6(fortran):
    assert fortran.run(FIXED_CONTINUED, name="x.f").visits == {"MAIN": 1, "MAIN:loop@28": 1}


FIXED_TABS = """
\tPROGRAM MAIN
\tINTEGER I
\tDO 10 I = 1,
\t1 3
\tIF (I .EQ. 2)
\t2 GOTO 20
10\tPRINT *, I
20\tCONTINUE
 30\tDO I = 1, 2
\t\tPRINT *, I
\tEND DO
\tEND
"""


def test_a_tab_stands_for_the_columns_before_the_statement(fortran):
    assert fortran.run(FIXED_TABS, name="x.f").visits == {"MAIN": 1, "MAIN:loop@4": 1, "MAIN:loop@10": 1}


FIXED_HOLLERITH = """
      PROGRAM MAIN
      INTEGER N(2), I
      DATA N /4HEND , 4H'DO!/
      DO 10 I = 1, 2
      WRITE (*, 20) N(I)
   10 CONTINUE
   20 FORMAT (5H DO !, 3H '', A4, 6H END D, 1H;)
      N(1) = 4H!;'"
      WRITE (*, 20) N(1)
      CALL SUB(4HA'B!, 3)
      END
      SUBROUTINE SUB(H4H, N)
      REAL*8 H4H
      PRINT *, N
      END
"""


def test_hollerith_constants_hide_what_they_hold(fortran):
    assert fortran.run(FIXED_HOLLERITH, "-std=legacy", name="x.f").visits == {"MAIN": 1, "MAIN:loop@5": 1, "SUB": 1}


FIXED_DEBUG = """
      program main
      do i = 1, 2
        print *, i
D     if (i .eq. 2) return
d10   print *, 'debug'
      end do
D     do i = 1, 3
D       print *, i
D     end do
      end
"""


@pytest.mark.parametrize(
    ("flag", "visits"),
    [("-fd-lines-as-code", {"main": 1, "main:loop@3": 1}), ("-fd-lines-as-comments", {"main": 1, "main:loop@3": 1})],
)
def test_debug_lines_are_code_if_asked_for(fortran, flag, visits):
    trial = fortran.run(FIXED_DEBUG, flag, name="x.f")
    assert trial.visits == visits
    assert len(trial.found.regions) == (3 if flag.endswith("code") else 2)


WIDE = "      IF (I .EQ. 2" + " " * 50 + ")  RETURN IGNORED\n"
FIXED_WIDE = f"""
      PROGRAM MAIN
      DO I = 1, 3
{WIDE}        PRINT *, I
      END DO
      END
"""


@pytest.mark.by_day(flag=["-ffixed-line-length-132", "-ffixed-line-length-0"])
@pytest.mark.parametrize("flag", ["-ffixed-line-length-132", "-ffixed-line-length-none", "-ffixed-line-length-0"])
def test_longer_lines_of_fixed_form_are_read_to_their_end(fortran, flag):
    assert fortran.run(FIXED_WIDE.replace(" IGNORED", ""), flag, name="x.f").visits == {"MAIN": 1, "MAIN:loop@3": 1}


EDGE = "      IF (I .EQ. 2" + ")  RETURNED".rjust(56) + "\n"
FIXED_EDGE = f"""
      PROGRAM MAIN
      DO I = 1, 3
{EDGE}        PRINT *, I
      END DO
      END
"""


def test_column_72_is_the_last_that_counts(fortran):
    assert fortran.run(FIXED_EDGE, name="x.f").visits == {"MAIN": 1, "MAIN:loop@3": 1}


BACKSLASH = r"""
      program main
      do i = 1, 2
        print *, 'it\\', 'a\', "\", '\\\\', 'do\n!'
        if (i == 2) return
      end do
      end
"""


def test_backslashes_in_literals_begin_escape_sequences_if_asked_for(fortran, name):
    assert fortran.run(BACKSLASH, "-fbackslash", name=name).visits == {"main": 1, "main:loop@3": 1}


PLAIN = """
      program main
      do i = 1, 2
        if (i == 2) return
        print *, i
      end do
      end"""


@pytest.mark.by_day(end=["", "\r\n", "\n! comment", "\n      "])
@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n", "\n! comment", "\n      ", "\n\t"])
def test_a_file_may_end_in_any_way(fortran, name, end):
    assert fortran.run(PLAIN + end, name=name).visits == {"main": 1, "main:loop@3": 1}


def test_lines_may_end_as_on_windows(fortran, name):
    assert fortran.run(PLAIN.replace("\n", "\r\n").encode(), name=name).visits == {"main": 1, "main:loop@3": 1}


@pytest.mark.parametrize("source", ["", "\n", "\n\n", "! only\n! comments", "!$omp parallel\n", " ", "\n\t\n"])
def test_a_file_without_statements_has_no_regions(fortran, name, source):
    fortran.write(source, name)
    text, found = fortran.instrument(name)
    assert text.split(b"\n", 1)[-1].startswith(source.encode())
    assert not found.regions


OTHER_BYTES = """
      program main
      print *, 'Größe', "→" ! ключ
      do i = 1, 2
        print *, 'ä!'
      end do
      end
"""


@pytest.mark.by_day(encoding=["latin-1"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_bytes_beyond_ascii_pass_through(fortran, name, encoding):
    source = OTHER_BYTES.encode(encoding, "replace")
    assert fortran.run(source, name=name).visits == {"main": 1, "main:loop@4": 1}


LINES = """
      subroutine sub(n)
      implicit none
      integer n, m, i
   10 do i = 1, n
        if (n == 3) goto 20; if (n == 4) return
        n = 2.5
      end do; n = 3.5
   20 n = 4.5; if (n == 5) goto 10; n = 5.5; do i = 1, 2; n = 6.5
      end do; end
"""


def test_the_compiler_s_messages_name_the_user_s_lines(fortran, name):
    fortran.write(LINES, name)
    plain = fortran.lab.tool("gfortran", "-Wall", "-c", name)
    text, _ = fortran.instrument(name)
    fortran.write(text, f"other{name[1:]}")
    probed = fortran.lab.tool("gfortran", "-Wall", "-c", f"other{name[1:]}")
    assert plain.stderr
    assert probed.stderr == plain.stderr
