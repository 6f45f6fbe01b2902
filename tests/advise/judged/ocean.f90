! A last set, in Fortran; written after the rules were last changed.
subroutine pressure(p, rho, dz, nx, ny, nz)
  integer, intent(in) :: nx, ny, nz
  real(8), intent(out) :: p(nx, ny, nz)
  real(8), intent(in) :: rho(nx, ny, nz), dz(nz)
  integer :: i, j, k
  do k = 2, nz
    do j = 1, ny
      do i = 1, nx
        p(i, j, k) = p(i, j, k - 1) + 9.81d0 * rho(i, j, k) * dz(k)
      end do
    end do
  end do
end subroutine

subroutine implicit_mixing(t, a, b, c, nx, nz)
  integer, intent(in) :: nx, nz
  real(8), intent(inout) :: t(nz, nx)
  real(8), intent(in) :: a(nz), b(nz), c(nz)
  real(8) :: w(200)
  integer :: i, k
  do i = 1, nx
    w(1) = c(1) / b(1)
    t(1, i) = t(1, i) / b(1)
    do k = 2, nz
      w(k) = c(k) / (b(k) - a(k) * w(k - 1))
      t(k, i) = (t(k, i) - a(k) * t(k - 1, i)) / (b(k) - a(k) * w(k - 1))
    end do
    do k = nz - 1, 1, -1
      t(k, i) = t(k, i) - w(k) * t(k + 1, i)
    end do
  end do
end subroutine

subroutine wet_points(t, mask, n, m)
  integer, intent(in) :: n, m
  logical, intent(in) :: mask(n, m)
  real(8), intent(inout) :: t(n, m)
  integer :: i, j
  do j = 1, m
    do i = 1, n
      if (mask(i, j)) t(i, j) = 0.9d0 * t(i, j)
    end do
  end do
end subroutine

subroutine zonal_mean(mean, u, n, m)
  integer, intent(in) :: n, m
  real(8), intent(out) :: mean(m)
  real(8), intent(in) :: u(n, m)
  integer :: i, j
  do j = 1, m
    mean(j) = 0
    do i = 1, n
      mean(j) = mean(j) + u(i, j) / n
    end do
  end do
end subroutine

subroutine periodic(u, n, m, k)
  integer, intent(in) :: n, m, k
  real(8), intent(inout) :: u(0:n + 1, m, k)
  integer :: j, l
  do l = 1, k
    do j = 1, m
      u(0, j, l) = u(n, j, l)
      u(n + 1, j, l) = u(1, j, l)
    end do
  end do
end subroutine

subroutine density(rho, t, s, n)
  integer, intent(in) :: n
  real(8), intent(out) :: rho(n)
  real(8), intent(in) :: t(n), s(n)
  integer :: i
  do i = 1, n
    rho(i) = 999.8d0 + t(i) * (0.068d0 - 0.009d0 * t(i)) + s(i) * (0.82d0 - 0.004d0 * t(i)) + 0.006d0 * s(i)**2
  end do
end subroutine

subroutine coriolis(f, n)
  integer, intent(in) :: n
  real(8), intent(out) :: f(n, n)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      f(i, j) = 2 * 7.292d-5 * sin(0.001d0 * i + 0.002d0 * j)
    end do
  end do
end subroutine

subroutine tide(eta, n, steps, dt)
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: eta(n)
  real(8), intent(in) :: dt
  real(8) :: h
  integer :: i, t
  do t = 1, steps
    h = cos(1.4d-4 * t * dt)
    do i = 1, n
      eta(i) = eta(i) + h
    end do
  end do
end subroutine

subroutine bisect(where, level, depth, n, m)
  integer, intent(in) :: n, m
  integer, intent(out) :: where(n)
  real(8), intent(in) :: level(m), depth(n)
  integer :: i, low, high, mid
  do i = 1, n
    low = 1
    high = m
    do while (high - low > 1)
      mid = (low + high) / 2
      if (level(mid) < depth(i)) then
        low = mid
      else
        high = mid
      end if
    end do
    where(i) = low
  end do
end subroutine

subroutine converged(done, a, b, n)
  integer, intent(in) :: n
  logical, intent(out) :: done
  real(8), intent(in) :: a(n), b(n)
  integer :: i
  done = .true.
  do i = 1, n
    if (abs(a(i) - b(i)) > 1d-8) then
      done = .false.
      exit
    end if
  end do
end subroutine

subroutine biomes(carbon, biome, rate, n)
  integer, intent(in) :: n
  integer(1), intent(in) :: biome(n)
  real(8), intent(in) :: rate(*)
  real(8), intent(inout) :: carbon(n)
  integer :: i
  do i = 1, n
    carbon(i) = carbon(i) * rate(biome(i))
  end do
end subroutine

subroutine latitude_bands(t, n, m)
  use mpi
  integer, intent(in) :: n, m
  real(8), intent(inout) :: t(n, m)
  integer :: rank, size, ierr, i, j, first, last
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, size, ierr)
  first = rank * m / size + 1
  last = (rank + 1) * m / size
  do j = first, last
    do i = 1, n
      t(i, j) = t(i, j) + 0.1d0
    end do
  end do
end subroutine

subroutine north_and_south(t, n, m, north, south)
  use mpi
  integer, intent(in) :: n, m, north, south
  real(8), intent(inout) :: t(n, 0:m + 1)
  integer :: of(4), ierr
  call mpi_irecv(t(1, 0), n, mpi_double_precision, south, 0, mpi_comm_world, of(1), ierr)
  call mpi_irecv(t(1, m + 1), n, mpi_double_precision, north, 0, mpi_comm_world, of(2), ierr)
  call mpi_isend(t(1, 1), n, mpi_double_precision, south, 0, mpi_comm_world, of(3), ierr)
  call mpi_isend(t(1, m), n, mpi_double_precision, north, 0, mpi_comm_world, of(4), ierr)
  call mpi_waitall(4, of, mpi_statuses_ignore, ierr)
end subroutine

subroutine scaled_residual(r, n, rms, largest)
  use mpi
  integer, intent(in) :: n
  real(8), intent(inout) :: r(n)
  real(8), intent(out) :: rms, largest
  real(8) :: own
  integer :: ierr
  own = sum(r**2)
  call mpi_allreduce(own, rms, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  r = r / sqrt(rms)
  own = maxval(abs(r))
  call mpi_allreduce(own, largest, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
end subroutine

subroutine namelist_of_all(dt, steps, rank)
  use mpi
  real(8), intent(inout) :: dt
  integer, intent(inout) :: steps
  integer, intent(in) :: rank
  integer :: ierr
  namelist /run/ dt, steps
  if (rank == 0) then
    open (10, file='run.nml')
    read (10, nml=run)
    close (10)
  end if
  call mpi_bcast(dt, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  call mpi_bcast(steps, 1, mpi_integer, 0, mpi_comm_world, ierr)
end subroutine

subroutine monthly(t, n, m, steps)
  integer, intent(in) :: n, m, steps
  real(8), intent(inout) :: t(n, m)
  integer :: step, month
  !# io_calls=12 io_bytes=96000000
  month = 0
  do step = 1, steps
    t = t * 0.999d0
    if (mod(step, 720) == 0) then
      month = month + 1
      write (30, rec=month) t
    end if
  end do
end subroutine

subroutine comments(unit, n)
  integer, intent(in) :: unit
  integer, intent(out) :: n
  character(200) :: line
  integer :: stat
  n = 0
  do
    read (unit, '(a)', iostat=stat) line
    if (stat /= 0) exit
    if (line(1:1) == '#') n = n + 1
  end do
end subroutine

subroutine columns_of_threads(t, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: t(n, m)
  integer :: i, j
  !$omp parallel do private(i)
  do j = 1, m
    do i = 2, n
      t(i, j) = t(i, j) + 0.5d0 * t(i - 1, j)
    end do
  end do
end subroutine

subroutine work_arrays(y, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: y(n, m)
  real(8), allocatable :: w(:)
  integer :: j
  !# visits=4 visits_per_rank=1
  allocate (w(n))
  do j = 1, m
    w = y(:, j)
    y(:, j) = w - sum(w) / n
  end do
  deallocate (w)
end subroutine
