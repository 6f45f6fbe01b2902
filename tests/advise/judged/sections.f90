! Sections of arrays that are passed to procedures, and copied where these need adjacent elements.
subroutine smooth(x, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  integer :: i
  do i = 2, n
    x(i) = 0.5d0 * (x(i) + x(i - 1))
  end do
end subroutine

function norm(x, n) result(r)
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8) :: r
  r = sqrt(dot_product(x, x))
end function

subroutine tridiagonal(a, b, d, n)
  integer, intent(in) :: n
  real(8), intent(in) :: a(n), b(n)
  real(8), intent(inout) :: d(n)
  integer :: i
  do i = 2, n
    d(i) = d(i) - a(i) / b(i - 1) * d(i - 1)
  end do
end subroutine

subroutine filter_plane(p, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: p(n, m)
  p = p - sum(p) / (n * m)
end subroutine

subroutine any_shape(x)
  real(8), intent(inout) :: x(:)
  x = 2 * x
end subroutine

subroutine by_columns(t, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: t(n, m)
  integer :: j
  do j = 1, m
    call smooth(t(:, j), n)
  end do
end subroutine

subroutine from_an_element(t, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: t(n, m)
  integer :: j
  do j = 1, m
    call smooth(t(1, j), n)
  end do
end subroutine

subroutine without_a_shape(t, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: t(n, m)
  integer :: i
  interface
    subroutine any_shape(x)
      real(8), intent(inout) :: x(:)
    end subroutine
  end interface
  do i = 1, n
    call any_shape(t(i, :))
  end do
end subroutine

subroutine once(t, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: t(n, m)
  !# visits_per_rank=1
  call smooth(t(1, :), m)
end subroutine

subroutine planes_in_order(u, n, m, l)
  integer, intent(in) :: n, m, l
  real(8), intent(inout) :: u(n, m, l)
  integer :: k
  do k = 1, l
    call filter_plane(u(:, :, k), n, m)
  end do
end subroutine

subroutine copied_by_hand(t, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: t(n, m)
  real(8) :: row(m)
  integer :: i, j
  do i = 1, n
    do j = 1, m
      row(j) = t(i, j)
    end do
    call smooth(row, m)
  end do
end subroutine

subroutine single_row(t, m, steps)
  integer, intent(in) :: m, steps
  real(8), intent(inout) :: t(1, m)
  integer :: k
  do k = 1, steps
    call smooth(t(1, :), m)
  end do
end subroutine

subroutine parts_of_a_column(t, n, m, block)
  integer, intent(in) :: n, m, block
  real(8), intent(inout) :: t(n, m)
  integer :: i
  do i = 1, n - block, block
    call smooth(t(i:i + block - 1, 1), block)
  end do
end subroutine

subroutine by_rows(t, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: t(n, m)
  integer :: i
  do i = 1, n
    call smooth(t(i, :), m) !! copies
  end do
end subroutine

subroutine norms_of_rows(t, r, n, m)
  integer, intent(in) :: n, m
  real(8), intent(in) :: t(n, m)
  real(8), intent(out) :: r(n)
  real(8), external :: norm
  integer :: i
  do i = 1, n
    r(i) = norm(t(i, :), m) !! copies
  end do
end subroutine

subroutine every_second(x, n, steps)
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: x(n)
  integer :: k
  do k = 1, steps
    call smooth(x(1:n:2), n / 2) !! copies
  end do
end subroutine

subroutine lines_along_z(a, b, d, n, m, l)
  integer, intent(in) :: n, m, l
  real(8), intent(in) :: a(l), b(l)
  real(8), intent(inout) :: d(n, m, l)
  integer :: i, j
  do j = 1, m
    do i = 1, n
      call tridiagonal(a, b, d(i, j, :), l) !! copies
    end do
  end do
end subroutine

subroutine planes_across(u, n, m, l)
  integer, intent(in) :: n, m, l
  real(8), intent(inout) :: u(n, m, l)
  integer :: j
  do j = 1, m
    call filter_plane(u(:, j, :), n, l) !! copies
  end do
end subroutine

subroutine with_names(t, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: t(n, m)
  integer :: i
  do i = 1, n
    call smooth(n=m, x=t(i, :)) !! copies
  end do
end subroutine
