! Makes topologies, and says where the rank stands in each of them, in the file said.RANK, as mpi_topologies.c does.
program topologies
#ifdef USE_MPI_F08
  use mpi_f08
  implicit none
#define COMMUNICATOR type(MPI_Comm)
#define IS_NULL(comm) (comm == MPI_COMM_NULL)
#else
#ifdef USE_MPI
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
#define COMMUNICATOR integer
#define IS_NULL(comm) (comm == MPI_COMM_NULL)
#endif
  COMMUNICATOR :: grid, backwards, graph
  integer :: rank, ranks, error, own
  integer :: at(2), sizes(2), ends(64), edges(64), k
  logical :: periods(2)
  character(len=32) :: name
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  write (name, '("said.", i0)') rank
  open (10, file=name)
  sizes = [2, ranks/2]
  periods = [.false., .true.]
  call MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, .false., grid, error)
  call MPI_Comm_rank(grid, own, error)
  call MPI_Cart_coords(grid, own, 2, at, error)
  write (10, '(i0, a, i0, a, i0, a, a, a, i0, a, i0)') &
    1, achar(9)//'MPI_Cart_create'//achar(9), sizes(1), ',', sizes(2), achar(9), '0,1', achar(9), at(1), ',', at(2)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, backwards, error)
  periods = .false.
  call MPI_Cart_create(backwards, 1, [ranks - 1], periods(:1), .true., grid, error)
  if (.not. IS_NULL(grid)) then
    call MPI_Comm_rank(grid, own, error)
    call MPI_Cart_coords(grid, own, 1, at, error)
    write (10, '(i0, a, i0, a, a, a, i0)') &
      2, achar(9)//'MPI_Cart_create'//achar(9), ranks - 1, achar(9), '0', achar(9), at(1)
  end if
  do k = 1, ranks
    ends(k) = k
    edges(k) = modulo(k, ranks)
  end do
  call MPI_Graph_create(backwards, ranks, ends(:ranks), edges(:ranks), .false., graph, error)
  call say_graph(3, 'nodes of MPI_Graph_create')
  own = ranks - 1 - rank
  call MPI_Dist_graph_create_adjacent(backwards, 1, [modulo(own - 1, ranks)], [1], 1, [modulo(own + 1, ranks)], [1], &
                                      MPI_INFO_NULL, .false., graph, error)
  call say_graph(4, 'nodes of MPI_Dist_graph_create')
  close (10)
  call MPI_Finalize(error)
contains
  subroutine say_graph(number, kind)
    integer, intent(in) :: number
    character(len=*), intent(in) :: kind
    call MPI_Comm_rank(graph, own, error)
    write (10, '(i0, a, i0, a, a, a, i0)') number, achar(9)//kind//achar(9), ranks, achar(9), '0', achar(9), own
  end subroutine say_graph
end program topologies
