! Collectives of each binding of Fortran, before which ranks wait, but not on MPI_COMM_SELF.
program split
#if defined USE_MPI_F08
  use mpi_f08
#elif defined USE_MPI
  use mpi
#endif
  implicit none
#ifdef INCLUDE_MPIF
  include 'mpif.h'
#endif
#ifdef USE_MPI_F08
  type(MPI_Comm) :: half
#else
  integer :: half
#endif
  integer :: rank, i, error, found, parts(2)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, rank, half, error)
  do i = 1, 2
    call MPI_Allreduce(rank, found, 1, MPI_INTEGER, MPI_SUM, half, error)
    parts = found
    call MPI_Allreduce(MPI_IN_PLACE, parts, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call MPI_Allreduce(MPI_IN_PLACE, found, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, error)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 0) print *, found, parts
  call MPI_Finalize(error)
end program split
