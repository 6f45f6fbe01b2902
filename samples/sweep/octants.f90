! Sweeps: along each of eight diagonals, from corner to corner of the grid of ranks (Koch, Baker and Alcouffe 1992).
module octants
  use mpi
  use settings, only: real64, angles, planes
  use pipeline, only: planes_a_block
  use neighbours, only: grid, next, own
  use cell, only: solve_cell
  implicit none
  real(real64), parameter :: weights(3, angles) = reshape([0.87_real64, 0.35_real64, 0.35_real64, &
    0.35_real64, 0.87_real64, 0.35_real64, 0.35_real64, 0.35_real64, 0.87_real64], [3, angles])
contains

  subroutine sweep_all(absorption, emitted, flux)
    real(real64), intent(in) :: absorption(:, :, :), emitted(:, :, :)
    real(real64), intent(out) :: flux(:, :, :)
    integer :: octant, way(3), axis
    flux = 0.0_real64
    do octant = 0, 7
      way = [(merge(1, -1, btest(octant, 3 - axis)), axis = 1, 3)]
      call sweep_octant(way, absorption, emitted, flux)
    end do
  end subroutine sweep_all

  subroutine sweep_octant(way, absorption, emitted, flux)
    integer, intent(in) :: way(3)
    real(real64), intent(in) :: absorption(:, :, :), emitted(:, :, :)
    real(real64), intent(inout) :: flux(:, :, :)
    real(real64), allocatable :: along_x(:, :, :), along_y(:, :, :), along_z(:, :, :)
    integer :: block, step, last, plane
    block = planes_a_block(planes)
    allocate (along_x(own(2), block, angles), along_y(own(1), block, angles), along_z(own(1), own(2), angles))
    along_z = 0.0_real64
    do step = 1, planes, block
      last = min(step + block - 1, planes)
      call take(1, -way(1), along_x)
      call take(2, -way(2), along_y)
      do plane = step, last
        call sweep_plane(way, merge(plane, planes + 1 - plane, way(3) > 0), absorption, emitted, flux, &
          along_x(:, plane - step + 1, :), along_y(:, plane - step + 1, :), along_z)
      end do
      call hand_on(1, way(1), along_x)
      call hand_on(2, way(2), along_y)
    end do
  end subroutine sweep_octant

  subroutine sweep_plane(way, k, absorption, emitted, flux, along_x, along_y, along_z)
    integer, intent(in) :: way(3), k
    real(real64), intent(in) :: absorption(:, :, :), emitted(:, :, :)
    real(real64), intent(inout) :: flux(:, :, :), along_x(:, :), along_y(:, :), along_z(:, :, :)
    integer :: angle, i, j, column, row
    real(real64) :: out
    do angle = 1, angles
      do row = 1, own(2)
        j = merge(row, own(2) + 1 - row, way(2) > 0)
        do column = 1, own(1)
          i = merge(column, own(1) + 1 - column, way(1) > 0)
          call solve_cell(absorption(i, j, k), emitted(i, j, k), weights(:, angle), &
            [along_x(j, angle), along_y(i, angle), along_z(i, j, angle)], out)
          along_x(j, angle) = out
          along_y(i, angle) = out
          along_z(i, j, angle) = out
          flux(i, j, k) = flux(i, j, k) + out
        end do
      end do
    end do
  end subroutine sweep_plane

  ! Faces come from the neighbour upstream; nothing comes in at the rim of the grid.
  subroutine take(axis, from, faces)
    integer, intent(in) :: axis, from
    real(real64), intent(out) :: faces(:, :, :)
    integer :: failed
    faces = 0.0_real64
    call MPI_Recv(faces, size(faces), MPI_DOUBLE_PRECISION, next(axis, from), axis, grid, MPI_STATUS_IGNORE, failed)
  end subroutine take

  subroutine hand_on(axis, to, faces)
    integer, intent(in) :: axis, to
    real(real64), intent(in) :: faces(:, :, :)
    integer :: failed
    call MPI_Send(faces, size(faces), MPI_DOUBLE_PRECISION, next(axis, to), axis, grid, failed)
  end subroutine hand_on

end module octants
