! What the command line says: cells along each side of the grid, planes, iterations.
module settings
  implicit none
  integer, parameter :: real64 = selected_real_kind(15, 300), int64 = selected_int_kind(18)
  integer, parameter :: angles = 3
  integer :: cells = 64, planes = 32, iterations = 4
contains

  subroutine read_settings()
    call read_number(1, cells)
    call read_number(2, planes)
    call read_number(3, iterations)
  end subroutine read_settings

  subroutine read_number(place, number)
    integer, intent(in) :: place
    integer, intent(inout) :: number
    character(len=32) :: word
    integer :: status
    if (command_argument_count() < place) return
    call get_command_argument(place, word)
    read (word, *, iostat=status) number
    if (status /= 0 .or. number < 1) then
      print '(3a)', 'sweep [cells] [planes] [iterations]: expected numbers of at least 1, found ', trim(word), '.'
      stop 2
    end if
  end subroutine read_number

end module settings
