! Files of every kind, written and read back; each case closes its units, so that nothing waits in a buffer.
! With an argument the last file is left open: the run-time library writes it when the program is over.

! A type that writes itself: each element of the list, and all after it, by a statement within a statement.
module chains
  use cases
  implicit none
  type chain
    integer :: number
    type(chain), pointer :: next => null()
  contains
    procedure :: write_chain
    generic :: write (formatted) => write_chain
  end type chain
contains
  recursive subroutine write_chain(dtv, unit, iotype, v_list, iostat, iomsg)
    class(chain), intent(in) :: dtv
    integer, intent(in) :: unit, v_list(:)
    character(len=*), intent(in) :: iotype
    integer, intent(out) :: iostat
    character(len=*), intent(inout) :: iomsg
    write (unit, '(i3)', iostat=iostat, iomsg=iomsg) dtv%number
    if (associated(dtv%next)) write (unit, '(dt)', iostat=iostat, iomsg=iomsg) dtv%next
  end subroutine write_chain

  subroutine chained()
    integer, parameter :: length = 20
    type(chain), pointer :: first, new
    character(len=3*length) :: text
    integer :: i, unit
    first => null()
    do i = 1, length
      allocate (new)
      new%number = i
      new%next => first
      first => new
    end do
    call enter('a type that writes itself')
    open (newunit=unit, file='chain.txt')
    write (unit, '(dt)') first
    write (text, '(dt)') first
    write (unit, '(a)') text
    close (unit)
    call leave('a type that writes itself', 0, 0, 2*(3*length + 1))
  end subroutine chained
end module chains

module files
  use cases
  implicit none
  integer, parameter :: many = 5000
  real(8) :: values(many)
contains
  integer function size_of(name)
    character(len=*), intent(in) :: name
    inquire (file=name, size=size_of)
  end function size_of

  subroutine formatted()
    integer :: i, unit
    real(8) :: value
    call enter('formatted write')
    open (newunit=unit, file='formatted.txt')
    do i = 1, many
      write (unit, '(f20.12)') values(i)
    end do
    close (unit)
    call leave('formatted write', 0, 0, 21*many)
    call enter('formatted read')
    open (newunit=unit, file='formatted.txt', action='read')
    do i = 1, many
      read (unit, *) value
      if (value /= values(i)) error stop 'formatted'
    end do
    close (unit)
    call leave('formatted read', 0, 21*many, 0)
    call enter('append')
    open (newunit=unit, file='formatted.txt', position='append')
    write (unit, '(a)', advance='no') 'one '
    write (unit, '(a)') 'line'
    close (unit)
    call leave('append', 0, 0, 9)
  end subroutine formatted

  subroutine unformatted()
    integer :: unit
    real(8) :: copy(many)
    call enter('unformatted, two records')
    open (newunit=unit, file='records.bin', form='unformatted')
    write (unit) values
    write (unit) values(:10)
    close (unit)
    call leave('unformatted, two records', 0, 0, 8*many + 8 + 80 + 8)
    call enter('unformatted read')
    open (newunit=unit, file='records.bin', form='unformatted', action='read')
    read (unit) copy
    read (unit) copy(:10)
    close (unit)
    call leave('unformatted read', 0, 8*many + 8 + 80 + 8, 0)
    if (any(copy /= values)) error stop 'unformatted'
    call enter('stream write')
    open (newunit=unit, file='stream.bin', access='stream', form='unformatted')
    write (unit) values, 'text'
    close (unit)
    call leave('stream write', 0, 0, 8*many + 4)
    call enter('stream read')
    open (newunit=unit, file='stream.bin', access='stream', form='unformatted')
    read (unit) copy
    close (unit)
    call leave('stream read', 0, 8*many + 4, 0) ! the buffer takes the text, too
    if (any(copy /= values)) error stop 'stream'
  end subroutine unformatted

  subroutine direct()
    integer :: unit, i
    real(8) :: copy(10)
    call enter('direct write')
    open (newunit=unit, file='direct.bin', access='direct', recl=80, form='unformatted')
    do i = 20, 1, -1
      write (unit, rec=i) values(10*i - 9:10*i)
    end do
    close (unit)
    call leave('direct write', 0, 0, 20*80)
    call enter('direct read')
    open (newunit=unit, file='direct.bin', access='direct', recl=80, form='unformatted')
    do i = 1, 20
      read (unit, rec=i) copy
      if (any(copy /= values(10*i - 9:10*i))) error stop 'direct'
    end do
    close (unit)
    call leave('direct read', 0, 20*80, 0)
  end subroutine direct

  ! What is still in the run-time library's buffer is not read again.
  subroutine there_and_back()
    integer :: unit, number
    call enter('rewind and backspace')
    open (newunit=unit, file='back.txt')
    write (unit, '(i5)') 1, 2, 3
    rewind (unit)
    read (unit, *) number
    read (unit, *) number
    backspace (unit)
    read (unit, *) number
    if (number /= 2) error stop 'backspace'
    close (unit)
    call leave('rewind and backspace', 0, 18, 18)
    call enter('rewind, and written anew')
    open (newunit=unit, file='back.txt')
    write (unit, '(a)') 'what will be lost'
    rewind (unit)
    write (unit, '(a)') 'shorter'
    close (unit)
    call leave('rewind, and written anew', 0, 0, 18 + 8)
    if (size_of('back.txt') /= 8) error stop 'rewind'
  end subroutine there_and_back

  subroutine lists()
    integer :: first, second, third, i, whole
    real :: numbers(3)
    namelist /settings/ whole, numbers
    whole = 5
    numbers = [1.5, 2.5, 3.5]
    open (newunit=first, file='list.txt')
    open (newunit=second, file='implied.txt')
    open (newunit=third, file='namelist.txt')
    call enter('three units in turn')
    do i = 1, 100
      write (first, *) i, values(i), 'text', .true., (1.0, 2.0)
      write (second, '(10i6)') (i*whole, whole=1, 10)
    end do
    whole = 5
    write (third, nml=settings)
    close (first)
    close (second)
    close (third)
    call leave('three units in turn', 0, 0, size_of('list.txt') + 61*100 + size_of('namelist.txt'))
    whole = 0
    numbers = 0
    open (newunit=third, file='namelist.txt', action='read')
    call enter('namelist read')
    read (third, nml=settings)
    close (third)
    call leave('namelist read', 0, size_of('namelist.txt'), 0)
    if (whole /= 5 .or. any(numbers /= [1.5, 2.5, 3.5])) error stop 'namelist'
  end subroutine lists

  subroutine no_files()
    character(len=80) :: line
    integer :: number
    call enter('internal units')
    write (line, '(i10)') 42
    read (line, *) number
    call leave('internal units', 0, 0, 0)
    call enter('standard output, no file')
    write (*, '(a)') 'said'
    flush (6)
    call leave('standard output, no file', 0, 0, 0)
    call enter('scratch')
    open (newunit=number, status='scratch')
    write (number, '(a)') 'for a while'
    flush (number)
    call leave('scratch', 0, 0, 12)
    close (number)
  end subroutine no_files

  ! An I/O statement evaluates functions of the program, which do I/O of their own, and jumps on an error.
  subroutine nested_and_failing()
    integer :: unit, number, status
    open (newunit=unit, file='nested.txt')
    call enter('a function within a list')
    write (unit, '(i10)') noted(1), noted(2)
    close (unit)
    call leave('a function within a list', 0, 0, 22)
    call enter('errors')
    open (newunit=unit, file='nested.txt', action='read')
    read (unit, '(i10)', end=10, err=10) number, number, number
    error stop 'no end'
10  close (unit)
    open (newunit=unit, file='missing.txt', status='old', iostat=status)
    if (status == 0) error stop 'no error'
    call leave('errors', 0, 22, 0)
    call enter('a function that computes')
    open (newunit=unit, file='computed.txt')
    write (unit, '(f8.1)') computed()
    close (unit)
    call leave('a function that computes', 0, 0, 9)
  end subroutine nested_and_failing

  ! At -O2 the function is inlined: both statements are variables of one frame.
  subroutine inlined()
    integer :: unit, i
    real(8) :: sum
    call enter('a function that is inlined')
    open (newunit=unit, file='inlined.txt')
    do i = 1, 10
      write (unit, '(a)') trim(text_of(i))
    end do
    close (unit)
    sum = 0
    do i = 1, 5000000
      sum = sum + sqrt(real(i, 8))
    end do
    if (sum < 0) error stop 'sum'
    call leave('a function that is inlined', 0, 0, 21)
  contains
    function text_of(number) result(text)
      integer, intent(in) :: number
      character(len=12) :: text
      write (text, '(i0)') number
      text = adjustl(text)
    end function text_of
  end subroutine inlined

  subroutine wordy()
    integer :: unit
    open (newunit=unit, file='wordy.txt')
    call enter('a function that writes')
    write (unit, '(i5)') lines_written()
    close (unit)
    call leave('a function that writes', 0, 0, 6)
  end subroutine wordy

  integer function lines_written()
    integer :: unit
    call enter('lines written')
    open (newunit=unit, file='lines.txt')
    do lines_written = 1, many - 1
      write (unit, '(f20.12)') values(lines_written)
    end do
    write (unit, '(f20.12)') values(many)
    close (unit)
    call leave('lines written', 0, 0, 21*many)
  end function lines_written

  real function computed()
    integer :: i
    call enter('computed')
    computed = 0
    do i = 1, 1000000
      computed = mod(computed + sqrt(real(i)), 10.0)
    end do
    call leave('computed', 0, 0, 0)
  end function computed

  integer function noted(number)
    integer, intent(in) :: number
    integer :: unit
    call enter('noted')
    open (newunit=unit, file='notes.txt', position='append')
    write (unit, '(i5)') number
    close (unit)
    call leave('noted', 0, 0, 6)
    noted = number
  end function noted
end module files

program every_file
  use cases
  use chains
  use files
  implicit none
  integer :: i
  values = [(sqrt(real(i, 8)), i=1, many)]
  values = nint(values*1d6)/1d6
  call open_cases(0)
  call formatted()
  call unformatted()
  call direct()
  call there_and_back()
  call lists()
  call no_files()
  call nested_and_failing()
  call inlined()
  call wordy()
  call chained()
  call close_cases()
  if (command_argument_count() > 0) then
    open (20, file='late.txt')
    write (20, '(a)') 'still in the buffer'
  end if
end program every_file
