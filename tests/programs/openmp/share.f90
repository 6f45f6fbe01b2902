! Two threads share work. uneven: the first has three times the work of the second; even: both have the same;
! serial: the first works alone before both do the same.
program share
  implicit none
  integer, parameter :: turns = 5, piece = 6000000 / 4
  character(len=8) :: kind
  integer :: i, k, turn, pieces(2)
  real(8) :: results(2), sum
  call get_command_argument(1, kind)
  pieces = 1
  if (kind == 'uneven') pieces(1) = 3
  results = 0
  if (kind == 'serial') results(1) = series(8)
  do turn = 1, turns
    !$omp parallel do schedule(static, 1) num_threads(2) private(sum, k)
    do i = 1, 2
      sum = 0
      do k = 1, pieces(i) * piece
        sum = sum + 1 / (1 + k * sum)
      end do
      results(i) = results(i) + sum
    end do
    !$omp end parallel do
  end do
  print *, results
contains
  function series(pieces) result(sum)
    integer, intent(in) :: pieces
    integer :: i
    real(8) :: sum
    sum = 0
    do i = 1, pieces * piece
      sum = sum + 1 / (1 + i * sum)
    end do
  end function
end program
