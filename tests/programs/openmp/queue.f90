! Four threads. faults: they queue at a critical section, and meet at many barriers; clean: they do the same work at the
! same time, and come to each place once.
program queue
  implicit none
  integer, parameter :: threads = 4, all_pieces = 200, all_meetings = 300
  character(len=8) :: kind
  integer :: pieces, meetings
  real(8) :: total
  call get_command_argument(1, kind)
  pieces = merge(all_pieces, 1, kind == 'clean')
  meetings = merge(1, all_meetings, kind == 'clean')
  total = 0
  call queue_at_critical
  call meet
  print *, total
contains
  subroutine work(sum)
    real(8), intent(inout) :: sum
    integer :: k
    do k = 1, 20000
      sum = sum + 1 / (1 + k * sum)
    end do
  end subroutine
  subroutine queue_at_critical
    integer :: i, j
    real(8) :: own
    !$omp parallel num_threads(threads) private(own, i, j)
    own = 0
    !$omp barrier ! so that all begin
    do i = 1, all_pieces / pieces
      do j = 2, pieces
        call work(own)
      end do
      !$omp critical
      call work(total)
      total = total + own
      !$omp end critical
    end do
    !$omp end parallel
  end subroutine
  subroutine meet
    integer :: i
    real(8) :: own
    !$omp parallel num_threads(threads) private(own, i)
    own = 0
    do i = 1, meetings
      own = own + 1 / (1 + i * own)
      !$omp barrier
    end do
    !$omp critical(end)
    total = total + own
    !$omp end critical(end)
    !$omp end parallel
  end subroutine
end program
