! Messages of each binding of Fortran, whose bytes are known for each pair of ranks.
program messages
#if defined USE_MPI_F08
  use mpi_f08
#elif defined USE_MPI
  use mpi
#endif
  implicit none
#ifdef USE_MPI_F08
  type(MPI_Comm) :: reversed
  type(MPI_Request) :: requests(2)
#else
  integer :: reversed, requests(2)
#endif
  integer :: rank, ranks, i, error, out(8), in(8), next, before
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  out = rank
  ! three messages of 1, 2 and 3 integers to the next rank
  call MPI_Sendrecv(out, 1, MPI_INTEGER, next, 1, in, 8, MPI_INTEGER, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Irecv(in, 8, MPI_INTEGER, before, 2, MPI_COMM_WORLD, requests(1), error)
  call MPI_Send(out, 2, MPI_INTEGER, next, 2, MPI_COMM_WORLD, error)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
  call MPI_Irecv(in, 8, MPI_INTEGER, before, 3, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(out, 3, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  ! two of 4 integers to the rank before
  call MPI_Send_init(out, 4, MPI_INTEGER, before, 4, MPI_COMM_WORLD, requests(1), error)
  do i = 1, 2
    call MPI_Irecv(in, 8, MPI_INTEGER, next, 4, MPI_COMM_WORLD, requests(2), error)
    call MPI_Start(requests(1), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  end do
  call MPI_Request_free(requests(1), error)
  ! none
  call MPI_Send(out, 5, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_WORLD, error)
  ! one of 6 integers from the last rank, the first in a reversed communicator, to rank 0
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed, error)
  if (rank == ranks - 1) call MPI_Send(out, 6, MPI_INTEGER, ranks - 1, 6, reversed, error)
  if (rank == 0) call MPI_Recv(in, 8, MPI_INTEGER, 0, 6, reversed, MPI_STATUS_IGNORE, error)
  call MPI_Finalize(error)
end program messages
