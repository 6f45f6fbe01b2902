! The grid of ranks, as near to a square as their number allows, and the cells of this one.
module neighbours
  use mpi
  use settings, only: cells
  implicit none
  integer :: grid, rank, ranks
  integer :: shape_of_grid(2), place(2)
  integer :: next(2, -1:1)          ! the neighbour along an axis, one step down or up
  integer :: first(2), own(2)       ! the first cell of this rank along an axis, and how many it has
contains

  subroutine find_neighbours()
    integer :: axis, failed
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, failed)
    shape_of_grid = 0
    call MPI_Dims_create(ranks, 2, shape_of_grid, failed)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, shape_of_grid, [.false., .false.], .false., grid, failed)
    call MPI_Comm_rank(grid, rank, failed)
    call MPI_Cart_coords(grid, rank, 2, place, failed)
    do axis = 1, 2
      call MPI_Cart_shift(grid, axis - 1, 1, next(axis, -1), next(axis, 1), failed)
      first(axis) = place(axis) * cells / shape_of_grid(axis) + 1
      own(axis) = (place(axis) + 1) * cells / shape_of_grid(axis) + 1 - first(axis)
    end do
  end subroutine find_neighbours

end module neighbours
