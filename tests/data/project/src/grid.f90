module grid
  use kinds
  implicit none
contains
  function grid_sum(n, values) bind(c) result(total)
    integer(c_int), value :: n
    real(real_kind), intent(in) :: values(n)
    real(real_kind) :: total
    integer :: i
    total = 0
    do i = 1, n
      total = total + values(i)
    end do
  end function grid_sum
end module grid
