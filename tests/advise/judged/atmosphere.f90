! Models on grids in Fortran 90: columns, layers, physics, output.
subroutine smooth(v, u, n, m)
  integer, intent(in) :: n, m
  real(8), intent(in) :: u(n, m)
  real(8), intent(out) :: v(n, m)
  integer :: i, j
  do j = 2, m - 1
    do i = 2, n - 1
      v(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
    end do
  end do
end subroutine

subroutine columns_inside(t, q, nx, nz)
  integer, intent(in) :: nx, nz
  real(8), intent(inout) :: t(nz, nx), q(nz, nx)
  integer :: i, k
  do i = 1, nx
    do k = 2, nz
      t(k, i) = t(k, i) + 0.1d0 * (t(k - 1, i) - t(k, i))
      q(k, i) = q(k, i) - 0.1d0 * (q(k, i) - q(k - 1, i))
    end do
  end do
end subroutine

subroutine layers(w, rho, nx, nz)
  integer, intent(in) :: nx, nz
  real(8), intent(inout) :: w(nx, nz)
  real(8), intent(in) :: rho(nx, nz)
  integer :: i, k
  do k = 2, nz
    do i = 1, nx
      w(i, k) = w(i, k - 1) + rho(i, k)
    end do
  end do
end subroutine

subroutine west_and_east(u, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: u(n, m)
  integer :: j
  do j = 1, m
    u(1, j) = u(n - 1, j)
    u(n, j) = u(2, j)
  end do
end subroutine

subroutine few_tracers(total, tracer, n)
  integer, intent(in) :: n
  real(8), intent(out) :: total(n)
  real(8), intent(in) :: tracer(n, 4)
  integer :: i, s
  do i = 1, n
    total(i) = 0
    do s = 1, 4
      total(i) = total(i) + tracer(i, s)
    end do
  end do
end subroutine

subroutine five_equations(flux, q, n)
  integer, intent(in) :: n
  real(8), intent(out) :: flux(5, n)
  real(8), intent(in) :: q(5, n)
  integer :: i
  do i = 1, n
    flux(1, i) = q(2, i)
    flux(2, i) = q(2, i) * q(2, i) / q(1, i)
    flux(3, i) = q(2, i) * q(3, i) / q(1, i)
    flux(4, i) = q(2, i) * q(4, i) / q(1, i)
    flux(5, i) = q(2, i) * q(5, i) / q(1, i)
  end do
end subroutine

subroutine product_of_columns(c, a, b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: c(n, n)
  real(8), intent(in) :: a(n, n), b(n, n)
  integer :: i, j, k
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine

subroutine transposed_in_blocks(b, a, n)
  integer, intent(in) :: n
  real(8), intent(out) :: b(n, n)
  real(8), intent(in) :: a(n, n)
  integer :: i, j, ii, jj
  do jj = 1, n, 32
    do ii = 1, n, 32
      do j = jj, min(jj + 31, n)
        do i = ii, min(ii + 31, n)
          b(j, i) = a(i, j)
        end do
      end do
    end do
  end do
end subroutine

subroutine saturation(es, t, n)
  integer, intent(in) :: n
  real(8), intent(out) :: es(n)
  real(8), intent(in) :: t(n)
  integer :: i
  do i = 1, n
    es(i) = 611.2d0 * exp(17.67d0 * (t(i) - 273.15d0) / (t(i) - 29.65d0))
  end do
end subroutine

subroutine cubes_of(y, x, n)
  integer, intent(in) :: n
  real(8), intent(out) :: y(n)
  real(8), intent(in) :: x(n)
  integer :: i
  do i = 1, n
    y(i) = x(i)**3 + x(i)**2 + x(i)**4
  end do
end subroutine

subroutine latitudes(coslat, n)
  integer, intent(in) :: n
  real(8), intent(out) :: coslat(n)
  integer :: j
  do j = 1, n
    coslat(j) = cos(3.141592653589793d0 * (j - 0.5d0) / n - 1.5707963267948966d0)
  end do
end subroutine

subroutine soil(heat, kind_of, table, n)
  integer, intent(in) :: n, kind_of(n)
  real(8), intent(in) :: table(12)
  real(8), intent(out) :: heat(n)
  integer :: i
  do i = 1, n
    heat(i) = table(kind_of(i))
  end do
end subroutine

subroutine history(u, n, m, steps)
  integer, intent(in) :: n, m, steps
  real(8), intent(inout) :: u(n, m)
  integer :: t
  !# io_calls=12 io_bytes=96000000
  do t = 1, steps
    u = u * 0.99d0
    if (mod(t, 100) == 0) write (20) u
  end do
end subroutine

subroutine monitor(u, n, steps)
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: u(n)
  integer :: t
  !# io_calls=12 io_bytes=400
  do t = 1, steps
    u = u * 0.99d0
    if (mod(t, 500) == 0) print *, 'step', t, sum(u)
  end do
end subroutine

subroutine names_of_files(u, n, steps)
  integer, intent(in) :: n, steps
  real(8), intent(in) :: u(n)
  character(16) :: name
  integer :: t
  !# io_calls=12 io_bytes=96000000
  do t = 1, steps
    write (name, '(a,i4.4)') 'out', t
    open (21, file=name, form='unformatted')
    write (21) u
    close (21)
  end do
end subroutine

subroutine needs_scratch(y, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: y(n)
  real(8), allocatable, save :: t(:)
  integer :: i
  do i = 1, n
    if (.not. allocated(t)) allocate (t(m))
    t = y(i)
    y(i) = sum(t)
  end do
end subroutine

subroutine edges_east(u, n, east, west, steps)
  use mpi
  integer, intent(in) :: n, east, west, steps
  real(8), intent(inout) :: u(0:n + 1)
  integer :: t, i, ierr
  do t = 1, steps
    call mpi_sendrecv(u(n), 1, mpi_double_precision, east, 0, u(0), 1, mpi_double_precision, west, 0, &
      mpi_comm_world, mpi_status_ignore, ierr)
    do i = n, 1, -1
      u(i) = u(i) + 0.5d0 * (u(i - 1) - u(i))
    end do
  end do
end subroutine

subroutine strips(u, n)
  use mpi
  integer, intent(in) :: n
  real(8), intent(inout) :: u(n)
  integer :: rank, size, ierr, i
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, size, ierr)
  do i = rank * n / size + 1, (rank + 1) * n / size
    u(i) = u(i) * 2
  end do
end subroutine

subroutine folded_triangle(f, x, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: f(n)
  real(8), intent(in) :: x(n)
  integer :: i, j
  !$omp parallel do private(j)
  do i = 1, n / 2
    do j = 1, i
      f(i) = f(i) + x(j)
    end do
    do j = 1, n - i
      f(n + 1 - i) = f(n + 1 - i) + x(j)
    end do
  end do
end subroutine

subroutine threads_apart(sums, x, n)
  use omp_lib
  integer, intent(in) :: n
  real(8), intent(inout) :: sums(16, 0:15)
  real(8), intent(in) :: x(n)
  integer :: i, me
  !$omp parallel private(me)
  me = omp_get_thread_num()
  !$omp do
  do i = 1, n
    sums(1, me) = sums(1, me) + x(i)
  end do
  !$omp end parallel
end subroutine

! Faults.

subroutine rows_first(v, u, n, m)
  integer, intent(in) :: n, m
  real(8), intent(in) :: u(n, m)
  real(8), intent(out) :: v(n, m)
  integer :: i, j
  do i = 2, n - 1 !! order of loops
    do j = 2, m - 1
      v(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
    end do
  end do
end subroutine

subroutine levels_inside(t, nx, ny, nz)
  integer, intent(in) :: nx, ny, nz
  real(8), intent(inout) :: t(nx, ny, nz)
  integer :: i, j, k
  do j = 1, ny
    do i = 1, nx !! order of loops
      do k = 2, nz
        t(i, j, k) = t(i, j, k) + 0.1d0 * t(i, j, k - 1)
      end do
    end do
  end do
end subroutine

subroutine times_vector(y, a, x, n)
  integer, intent(in) :: n
  real(8), intent(in) :: a(n, n), x(n)
  real(8), intent(out) :: y(n)
  integer :: i, j
  do i = 1, n !! order of loops
    y(i) = 0
    do j = 1, n
      y(i) = y(i) + a(i, j) * x(j)
    end do
  end do
end subroutine

subroutine elements(f, x, nodes, n)
  integer, intent(in) :: n, nodes(n)
  real(8), intent(in) :: x(*)
  real(8), intent(out) :: f(n)
  integer :: i
  do i = 1, n
    f(i) = 2 * x(nodes(i)) !! indirection
  end do
end subroutine

subroutine real_powers(y, x, n)
  integer, intent(in) :: n
  real(8), intent(out) :: y(n)
  real(8), intent(in) :: x(n)
  integer :: i
  do i = 1, n
    y(i) = x(i)**3.0d0 !! repeated work
  end do
end subroutine

subroutine angles_again(y, n, steps)
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: y(n)
  integer :: i, t
  do t = 1, steps
    do i = 1, n
      y(i) = y(i) + sin(0.01d0 * i) !! repeated work
    end do
  end do
end subroutine

subroutine scratch_again(y, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: y(n)
  real(8), allocatable :: t(:)
  integer :: i
  do i = 1, n
    allocate (t(m)) !! repeated work
    t = y(i)
    y(i) = sum(t)
    deallocate (t)
  end do
end subroutine

subroutine text_output(u, n)
  integer, intent(in) :: n
  real(8), intent(in) :: u(n)
  integer :: i
  !# io_calls=1000 io_bytes=20000
  do i = 1, n
    write (20, *) u(i) !! input and output
  end do
end subroutine

subroutine half_threads(f, x, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: f(n)
  real(8), intent(in) :: x(n)
  integer :: i, j
  !$omp parallel do private(j)
  do i = 1, n !! threads
    do j = i, n
      f(i) = f(i) + x(j)
    end do
  end do
end subroutine

subroutine one_by_one(x, n, dest)
  use mpi
  integer, intent(in) :: n, dest
  real(8), intent(in) :: x(n)
  integer :: i, ierr
  do i = 1, n
    call mpi_send(x(i), 1, mpi_double_precision, dest, 0, mpi_comm_world, ierr) !! messages
  end do
end subroutine

subroutine two_norms(a, b)
  use mpi
  real(8), intent(inout) :: a, b
  real(8) :: mine_a, mine_b
  integer :: ierr
  mine_a = a
  mine_b = b
  call mpi_allreduce(mine_a, a, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierr) !! messages
  call mpi_allreduce(mine_b, b, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
end subroutine
