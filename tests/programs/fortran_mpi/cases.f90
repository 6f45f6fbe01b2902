! A case: a region whose MPI or I/O figures are known. The program says what it expects, in a file; the test
! compares that with what the probe library recorded.
module cases
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: open_cases, close_cases, enter, leave

  interface
    function dlsym(handle, name) bind(c)
      import :: c_funptr, c_ptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: dlsym
    end function dlsym

    function strdup(text) bind(c)
      import :: c_ptr, c_char
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr) :: strdup
    end function strdup
  end interface

  abstract interface
    subroutine probe(descriptor) bind(c)
      import :: c_ptr
      type(c_ptr), value :: descriptor
    end subroutine probe
  end interface

  procedure(probe), pointer :: enter_region, exit_region
  character(len=80), allocatable :: lines(:)
  integer :: number

contains

  subroutine open_cases(rank)
    integer, intent(in) :: rank
    call c_f_procpointer(dlsym(c_null_ptr, 'aa_probe_enter'//c_null_char), enter_region)
    call c_f_procpointer(dlsym(c_null_ptr, 'aa_probe_exit'//c_null_char), exit_region)
    number = rank
    allocate (lines(0))
  end subroutine open_cases

  ! Only now, for the file is no case.
  subroutine close_cases()
    character(len=32) :: name
    integer :: unit, line
    write (name, '("expected.", i0)') number
    open (newunit=unit, file=name, status='replace')
    do line = 1, size(lines)
      write (unit, '(a)') trim(lines(line))
    end do
    close (unit)
  end subroutine close_cases

  subroutine enter(name)
    character(len=*), intent(in) :: name
    if (associated(enter_region)) call enter_region(descriptor(name))
  end subroutine enter

  ! The three numbers are calls, bytes sent, bytes received; for I/O: calls, bytes read, bytes written.
  subroutine leave(name, calls, out, in)
    character(len=*), intent(in) :: name
    integer, intent(in) :: calls, out, in
    character(len=80) :: line
    if (associated(exit_region)) call exit_region(descriptor(name))
    write (line, '(a, 3(a1, i0))') name, achar(9), calls, achar(9), out, achar(9), in
    lines = [lines, line]
  end subroutine leave

  function descriptor(name)
    character(len=*), intent(in) :: name
    type(c_ptr) :: descriptor
    descriptor = strdup('aa1|user|'//name//'|||0|0|0'//c_null_char)
  end function descriptor

end module cases
