! What the particles travel through: thin, but for a dense corner.
module medium
  use settings, only: real64, cells, planes
  implicit none
  real(real64), parameter :: thin = 0.1_real64, dense = 4.0_real64
contains

  subroutine fill_medium(first, absorption)
    integer, intent(in) :: first(2)
    real(real64), intent(out) :: absorption(:, :, :)
    integer :: i, j
    do j = 1, size(absorption, 2)
      do i = 1, size(absorption, 1)
        absorption(i, j, :) = merge(dense, thin, 2 * (first(1) + i - 1) > cells .and. 2 * (first(2) + j - 1) > cells)
      end do
    end do
  end subroutine fill_medium

  subroutine fill_source(first, emitted)
    integer, intent(in) :: first(2)
    real(real64), intent(out) :: emitted(:, :, :)
    integer :: k
    emitted = 0.0_real64
    do k = planes / 4 + 1, planes / 2
      if (first(1) == 1 .and. first(2) == 1) emitted(1:min(4, size(emitted, 1)), 1:min(4, size(emitted, 2)), k) = 1.0_real64
    end do
    emitted = emitted + 0.05_real64
  end subroutine fill_source

end module medium
