! One cell: what comes in through three faces, less what is absorbed, goes out through the others.
module cell
  use settings, only: real64
  implicit none
  real(real64), parameter :: settled = 1.0e-13_real64
contains

  ! The absorption grows with the flux, so that Newton's iteration finds it: in few steps where it is thin.
  pure subroutine solve_cell(absorption, emitted, weights, incoming, flux)
    real(real64), intent(in) :: absorption, emitted, weights(3), incoming(3)
    real(real64), intent(out) :: flux
    real(real64) :: gain, loss, change
    integer :: step
    gain = emitted + sum(weights * incoming)
    loss = sum(weights)
    flux = gain / (loss + absorption)
    do step = 1, 60
      change = (flux * (loss + absorption * (1.0_real64 + sqrt(flux))) - gain) &
        / (loss + absorption * (1.0_real64 + 1.5_real64 * sqrt(flux)) * damping(absorption))
      flux = max(flux - change, 0.0_real64)
      if (abs(change) <= settled * flux) exit
    end do
  end subroutine solve_cell

  pure real(real64) function damping(absorption)
    real(real64), intent(in) :: absorption
    damping = 1.0_real64 + 0.2_real64 * absorption
  end function damping

end module cell
