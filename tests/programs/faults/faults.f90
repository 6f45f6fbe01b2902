! One fault of a chosen kind among phases that have none:
! faults none|misses|io|network|instructions [all|last] [steps]; README.md says what each does.
module phases
  implicit none
  integer, parameter :: side = 512, values = 4096, record = 65536, terms = 8, rounds = 10
  double precision :: grid(side * side), line(values), kept(record), copy(record)
contains
  ! Gives everything its first values.
  subroutine fill()
    integer :: i
    do i = 1, side * side
      grid(i) = mod(i, 7)
      if (i <= record) kept(i) = i
      if (i <= values) line(i) = 0.5d0 + 1d0 / (2 + i)
    end do
  end subroutine

  ! Sums up the grid, down its columns or, as a fault, along its rows.
  double precision function walk(fault)
    logical, intent(in) :: fault
    integer :: i, j, along, across
    double precision :: total
    along = merge(side, 1, fault)
    across = merge(1, side, fault)
    total = 0
    do j = 0, side - 1
      do i = 0, side - 1
        total = total + grid(1 + i * along + j * across)
      end do
    end do
    walk = total
  end function

  ! Keeps a number or, as a fault, the whole record in a file, over and over, and reads it back.
  subroutine dump(unit, fault)
    integer, intent(in) :: unit
    logical, intent(in) :: fault
    integer :: round
    do round = 1, merge(rounds, 1, fault)
      if (fault) then
        write (unit, rec=1) kept
        read (unit, rec=1) copy
      else
        copy(1) = kept(1)
      end if
    end do
  end subroutine

  ! Adds up a number of all ranks; as a fault, some of them send their whole records to all others first.
  double precision function exchange(number, first, rank, ranks)
    use mpi
    double precision, intent(in) :: number
    integer, intent(in) :: first, rank, ranks
    integer :: sender, round, other, error
    do sender = first, ranks - 1
      do round = 1, rounds
        if (rank == sender) copy = kept * round
        do other = 0, ranks - 1
          if (other == sender) cycle
          if (rank == sender) call MPI_Send(copy, record, MPI_DOUBLE_PRECISION, other, round, MPI_COMM_WORLD, error)
          if (rank == other) call MPI_Recv(copy, record, MPI_DOUBLE_PRECISION, sender, round, MPI_COMM_WORLD, &
                                           MPI_STATUS_IGNORE, error)
        end do
      end do
    end do
    call MPI_Allreduce(number, exchange, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end function

  ! Evaluates a polynomial at each value, by Horner's rule or, as a fault, with every power anew.
  double precision function evaluate(fault)
    logical, intent(in) :: fault
    integer :: i, term, factor
    double precision :: number, power
    evaluate = 0
    do i = 1, values
      number = 0
      do term = terms, 0, -1
        if (fault) then
          power = 1
          do factor = 0, term * terms - 1
            power = power * merge(line(i), 1d0, mod(factor, terms) == 0)
          end do
          number = number + power
        else
          number = number * line(i) + 1
        end if
      end do
      evaluate = evaluate + number
    end do
  end function

  ! Smoothes the line.
  double precision function smooth()
    integer :: round, i
    do round = 1, rounds
      do i = 2, values - 1
        line(i) = 0.25d0 * line(i - 1) + 0.5d0 * line(i) + 0.25d0 * line(i + 1)
      end do
    end do
    smooth = line(values / 2)
  end function

  ! Scatters a few values over the line.
  double precision function scatter(seed)
    integer, intent(in) :: seed
    integer :: state, i, place
    state = mod(seed, 714025)
    do i = 1, 4 * values
      state = mod(state * 1366 + 150889, 714025)
      place = 1 + mod(state, values)
      line(place) = line(place) + 1d-9 * state
    end do
    scatter = line(1)
  end function
end module

program faults
  use mpi
  use phases
  implicit none
  integer, parameter :: talk = 20
  character(len=20) :: fault, who, number
  logical :: mine
  integer :: rank, ranks, error, steps, step, first, unit
  double precision :: total
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, fault)
  call get_command_argument(2, who)
  call get_command_argument(3, number)
  mine = who /= 'last' .or. rank == ranks - 1
  steps = 200
  if (number /= '') read (number, *) steps
  call fill()
  first = ranks
  if (fault == 'network') first = merge(ranks - 1, 0, who == 'last')
  open (newunit=unit, status='scratch', access='direct', recl=8 * record)
  total = 0
  do step = 1, steps
    if (mod(step, 3) == 0) total = total + walk(mine .and. fault == 'misses')
    total = total + evaluate(mine .and. fault == 'instructions')
    total = total + scatter(step) + smooth()
    call dump(unit, mine .and. fault == 'io')
    if (mod(step, talk) == 0) total = exchange(total, first, rank, ranks) / ranks
  end do
  close (unit)
  if (rank == 0) print '(a, es16.8)', 'faults:', total
  call MPI_Finalize(error)
end program
