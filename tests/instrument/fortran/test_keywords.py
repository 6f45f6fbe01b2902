"""Fortran has no reserved words, so any keyword may be a name."""

NAMES = """
      program main
      integer if(3), do, end, call, return, stop, goto, exit, else, where
      integer do10i, enddo, continue, print(2), format(2), program, i
      real do20i
      logical then
      if(3) = 4
      if (3) = if(3) + 1
      do = 5
      end = 6
      call = 7
      return = 8
      stop = 9
      goto = 10
      exit = 11
      else = 12
      where = 13
      do10i = 14
      enddo = 15
      continue = 16
      print(1) = 17
      format(2) = 18
      program = 19
      do20i = 1.5
      then = .true.
      do i = 1, 2
        end = end + 1
        if (then) end = end + 1
        if (then) exit = 3
        if (then) return = 3
        if (then) goto = 3
        enddo = 2
      end do
      do do = 1, 2
        call sub((do))
      end do
      if (then) then
        then = .false.
      end if
      print *, if(3), do, end, call, return, stop, goto, exit, else
      print *, where, do10i, enddo, continue, print(1), format(2)
      print *, do20i, then, program
      end program main

      subroutine sub(function)
      integer function, contains, entry, use, module, interface, type
      integer endif(2), result, subroutine
      contains = 1
      entry = 2
      use = 3
      module = 4
      interface = 5
      type = 6
      endif(1) = 7
      result = 8
      subroutine = 9
      do function = 1, module
        if (function == result) return
      end do
      print *, contains + entry + use + module + interface + type
      print *, endif(1) + result + subroutine, function
      end subroutine sub
"""


def test_names_that_look_like_keywords_are_names(fortran, name):
    trial = fortran.run(f"{NAMES}! as read in {name}\n", name=name)
    assert trial.visits == {"main": 1, "main:loop@26": 1, "main:loop@34": 1, "sub": 2, "sub:loop@57": 2}


LIKE = """
      program main
      implicit none
      integer :: doit, ifs, endings, calls, returned, stopped, gotos
      integer :: dowhile(2), endifs, selected, blocks, types, i
      integer :: events(3), subroutine_calls, where(3), select
      type :: typed
        integer :: end, do, if
      end type typed
      type(typed) :: t, type(2)
      doit = 1; ifs = 2; endings = 3; calls = 4; returned = 5
      stopped = 6; gotos = 7; dowhile = 8; endifs = 9; selected = 1
      blocks = 2; types = 3
      t%end = 1; t%do = 2; t % if = 3
      type(1)%end = 4; type(2) % do = 5
      events(1) = 3; subroutine_calls = 0; where = 1; dowhile(1) = 7
      where(2) = 5
      select = 2
      select case (select)
      case (1:2)
        database: block
          do i = 1, 3
            if (i == 2) write (*, *) [1, i]
          end do
        end block database
      end select
      end: do i = 1, 2
        if (i == 2) exit end
        t%do = t%do + 1
      end do end
      if: if (t%if == 3) then
        do: do i = 1, 3
          if (i == 2) cycle do
          if (i == 3) exit if
        end do do
      end if if
      print *, doit, ifs, endings, calls, returned, stopped, gotos
      print *, dowhile, endifs, selected, blocks, types, t%end, t%do
      print *, type(1)%end, type(2)%do, events(1), subroutine_calls
      print *, where, select
      end program
"""


def test_names_that_begin_with_a_keyword_are_names(fortran, name):
    assert fortran.run(LIKE, name=name).entered == {1: "main, main:loop@22, main:loop@27, main:loop@32"}


CHAR = """
      program main
      integer char, i
      char = 3
      do i = 1, char
        print *, i
      end do
      end
"""


def test_a_variable_may_be_called_char(fortran, name):
    assert fortran.run(CHAR, name=name).visits == {"main": 1, "main:loop@5": 1}
