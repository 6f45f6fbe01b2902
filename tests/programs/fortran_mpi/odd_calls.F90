! What is odd about MPI calls in one of Fortran's bindings: -DUSE_MPI_F08, -DUSE_MPI or -DINCLUDE_MPIF.
! Buffers in place, ignored statuses, more room than what comes; conformance has each function as such.
#ifdef USE_MPI_F08
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define MESSAGE type(MPI_Message)
#define DATATYPE type(MPI_Datatype)
#define STATUS_ type(MPI_Status)
#define STATUSES(n) type(MPI_Status), dimension(n)
#define ERROR_
#define ERROR_ALONE
#else
#define COMM integer
#define REQUEST integer
#define MESSAGE integer
#define DATATYPE integer
#define STATUS_ integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(n) integer, dimension(MPI_STATUS_SIZE, n)
#define ERROR_ , error
#define ERROR_ALONE error
#endif
#define CASE(name, calls, sent, received, action) call enter(name); action; call leave(name, calls, sent, received)
module calls
  use cases
#if defined USE_MPI_F08
  use mpi_f08
  implicit none
#elif defined USE_MPI
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer, parameter :: n = 6, part = n*4, most = 16
  integer :: rank, ranks, root, next, before, error
  integer :: out(most*most*n), in(most*most*n)
  integer :: counts(0:most - 1), places(0:most - 1), byte_places(0:most - 1), own
  DATATYPE :: types(0:most - 1)
  COMM :: world
contains
  logical function is_root()
    is_root = rank == root
  end function is_root

  ! The part of rank r has r + 1 integers: the sum over all ranks, in bytes.
  integer function triangle(m)
    integer, intent(in) :: m
    triangle = m*(m + 1)/2*4
  end function triangle

  subroutine prepare()
    integer :: r, place
    world = MPI_COMM_WORLD
    place = 0
    do r = 0, most - 1
      counts(r) = r + 1
      places(r) = place
      byte_places(r) = place*4
      types(r) = MPI_INTEGER
      place = place + counts(r)
    end do
    own = counts(rank)*4
    root = ranks - 1
    next = modulo(rank + 1, ranks)
    before = modulo(rank - 1, ranks)
    out = rank
  end subroutine prepare

  subroutine modes()
    REQUEST :: pending
    STATUS_ :: status
    integer :: buffer(4096), size
    call MPI_Irecv(in, 2*n, MPI_INTEGER, before, 1, world, pending ERROR_)
    CASE('Send', 1, part, 0, call MPI_Send(out, n, MPI_INTEGER, next, 1, world ERROR_))
    CASE('Wait, for less than there is room for', 1, 0, part, call MPI_Wait(pending, status ERROR_))
    call MPI_Irecv(in, n, MPI_INTEGER, before, 1, world, pending ERROR_)
    call MPI_Send(out, n, MPI_INTEGER, next, 1, world ERROR_)
    CASE('Wait, status ignored', 1, 0, part, call MPI_Wait(pending, MPI_STATUS_IGNORE ERROR_))
    call MPI_Buffer_attach(buffer, 4*4096 ERROR_)
    call enter('Bsend and Recv')
    call MPI_Bsend(out, n, MPI_INTEGER, next, 1, world ERROR_)
    call MPI_Recv(in, 3*n, MPI_INTEGER, before, 1, world, status ERROR_)
    call leave('Bsend and Recv', 2, part, part)
    call enter('Recv, status ignored')
    call MPI_Bsend(out, n, MPI_INTEGER, next, 1, world ERROR_)
    call MPI_Recv(in, 3*n, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE ERROR_)
    call leave('Recv, status ignored', 2, part, part)
    call MPI_Barrier(world ERROR_)
  end subroutine modes

  subroutine exchanges()
    STATUS_ :: status
    DATATYPE :: column
    integer :: received
    CASE('Sendrecv', 1, part, part,
      call MPI_Sendrecv(out, n, MPI_INTEGER, next, 2, in, 2*n, MPI_INTEGER, before, 2, world, status ERROR_))
    call MPI_Get_count(status, MPI_INTEGER, received ERROR_)
    if (received /= n .or. in(1) /= before) error stop 'wrong status or data'
    CASE('Sendrecv, status ignored', 1, part, part,
      call MPI_Sendrecv(out, n, MPI_INTEGER, next, 2, in, 2*n, MPI_INTEGER, before, 2, world, MPI_STATUS_IGNORE ERROR_))
    CASE('Sendrecv_replace', 1, part, part,
      call MPI_Sendrecv_replace(in, n, MPI_INTEGER, next, 2, before, 2, world, MPI_STATUS_IGNORE ERROR_))
    call enter('nobody')
    call MPI_Sendrecv(out, n, MPI_INTEGER, MPI_PROC_NULL, 2, in, n, MPI_INTEGER, MPI_PROC_NULL, 2, world, status ERROR_)
    call MPI_Send(out, n, MPI_INTEGER, MPI_PROC_NULL, 2, world ERROR_)
    call MPI_Recv(in, n, MPI_INTEGER, MPI_PROC_NULL, 2, world, MPI_STATUS_IGNORE ERROR_)
    call leave('nobody', 3, 0, 0)
    call MPI_Type_vector(3, 2, 5, MPI_DOUBLE_PRECISION, column ERROR_)
    call MPI_Type_commit(column ERROR_)
    CASE('derived type', 1, 2*6*8, 2*6*8,
      call MPI_Sendrecv(out, 2, column, next, 2, in, 5*n, MPI_INTEGER, before, 2, world, status ERROR_))
    call MPI_Type_free(column ERROR_)
  end subroutine exchanges

  subroutine nonblocking()
    REQUEST :: pending(4), many(200)
    STATUSES(4) :: status
    STATUSES(200) :: all_status
    STATUS_ :: one
    integer :: place, found, done, indices(4), total, i
    logical :: flag
    call enter('Isend and Irecv')
    call MPI_Irecv(in, 2*n, MPI_INTEGER, before, 3, world, pending(1) ERROR_)
    call MPI_Isend(out, n, MPI_INTEGER, next, 3, world, pending(2) ERROR_)
    call leave('Isend and Irecv', 2, part, 0)
    CASE('Waitall', 1, 0, part, call MPI_Waitall(2, pending, status ERROR_))
    call post()
    CASE('Waitall, statuses ignored', 1, 0, 3*part, call MPI_Waitall(4, pending, MPI_STATUSES_IGNORE ERROR_))
    call post()
    call enter('Waitany')
    do i = 1, 4
      if (modulo(i, 2) == 0) then
        call MPI_Waitany(4, pending, place, one ERROR_)
      else
        call MPI_Waitany(4, pending, place, MPI_STATUS_IGNORE ERROR_)
      end if
    end do
    call MPI_Waitany(4, pending, place, MPI_STATUS_IGNORE ERROR_)
    call leave('Waitany', 5, 0, 3*part)
    if (place > 0) error stop 'a request is left'  ! MPICH 4.0 adds 1 to MPI_UNDEFINED in mpif.h
    call post()
    call enter('Waitsome')
    done = 0
    total = 0
    do while (done < 4)
      if (total == 0) then
        call MPI_Waitsome(4, pending, found, indices, status ERROR_)
      else
        call MPI_Waitsome(4, pending, found, indices, MPI_STATUSES_IGNORE ERROR_)
      end if
      done = done + found
      total = total + 1
    end do
    call leave('Waitsome', total, 0, 3*part)
    call post()
    call enter('Test')
    do i = 1, 4
      flag = .false.
      do while (.not. flag)
        call MPI_Test(pending(i), flag, MPI_STATUS_IGNORE ERROR_)
      end do
    end do
    call leave('Test', 4, 0, 3*part)
    call post()
    call enter('Testall')
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(4, pending, flag, MPI_STATUSES_IGNORE ERROR_)
    end do
    call leave('Testall', 1, 0, 3*part)
    call post()
    call enter('Testany')
    done = 0
    do while (done < 4)
      call MPI_Testany(4, pending, place, flag, one ERROR_)
      if (flag) done = done + 1
    end do
    call leave('Testany', 4, 0, 3*part)
    call post()
    call enter('Testsome')
    total = 0
    done = 0
    do while (done < 4)
      call MPI_Testsome(4, pending, found, indices, status ERROR_)
      done = done + found
      if (found > 0) total = total + 1
    end do
    call leave('Testsome', total, 0, 3*part)
    do i = 1, 100
      call MPI_Irecv(in(2*i), 2, MPI_INTEGER, before, i, world, many(i) ERROR_)
    end do
    do i = 1, 100
      call MPI_Isend(out, 1, MPI_INTEGER, next, i, world, many(100 + i) ERROR_)
    end do
    CASE('Waitall of two hundred', 1, 0, 400, call MPI_Waitall(200, many, all_status ERROR_))
    call enter('Irecv from nobody')
    call MPI_Irecv(in, n, MPI_INTEGER, MPI_PROC_NULL, 1, world, pending(1) ERROR_)
    call MPI_Wait(pending(1), MPI_STATUS_IGNORE ERROR_)
    call leave('Irecv from nobody', 2, 0, 0)
    call enter('cancelled')
    call MPI_Irecv(in, n, MPI_INTEGER, before, 77, world, pending(1) ERROR_)
    call MPI_Cancel(pending(1) ERROR_)
    call MPI_Wait(pending(1), MPI_STATUS_IGNORE ERROR_)
    call leave('cancelled', 3, 0, 0)
  contains
    ! Three receives with room for more than comes, and a send of all three.
    subroutine post()
      integer :: j
      do j = 1, 3
        call MPI_Irecv(in(100*j), 2*n, MPI_INTEGER, before, j, world, pending(j) ERROR_)
      end do
      do j = 1, 2
        call MPI_Send(out, n, MPI_INTEGER, next, j, world ERROR_)
      end do
      call MPI_Isend(out, n, MPI_INTEGER, next, 3, world, pending(4) ERROR_)
    end subroutine post
  end subroutine nonblocking

  subroutine persistent()
    REQUEST :: pending(2)
    integer :: round
    call enter('Send_init and Recv_init')
    call MPI_Send_init(out, n, MPI_INTEGER, next, 4, world, pending(1) ERROR_)
    call MPI_Recv_init(in, 2*n, MPI_INTEGER, before, 4, world, pending(2) ERROR_)
    call leave('Send_init and Recv_init', 2, 0, 0)
    do round = 1, 3
      call enter('Start')
      call MPI_Start(pending(2) ERROR_)
      call MPI_Start(pending(1) ERROR_)
      call leave('Start', 2, part, 0)
      CASE('Waitall of persistent', 1, 0, part, call MPI_Waitall(2, pending, MPI_STATUSES_IGNORE ERROR_))
    end do
    CASE('Startall', 1, part, 0, call MPI_Startall(2, pending ERROR_))
    call MPI_Waitall(2, pending, MPI_STATUSES_IGNORE ERROR_)
    call enter('Request_free')
    call MPI_Request_free(pending(1) ERROR_)
    call MPI_Request_free(pending(2) ERROR_)
    call leave('Request_free', 2, 0, 0)
  end subroutine persistent

  subroutine matched()
    MESSAGE :: message
    STATUS_ :: status
    REQUEST :: pending
    call MPI_Isend(out, n, MPI_INTEGER, next, 5, world, pending ERROR_)
    call enter('Mprobe and Mrecv')
    call MPI_Mprobe(before, 5, world, message, status ERROR_)
    call MPI_Mrecv(in, 2*n, MPI_INTEGER, message, MPI_STATUS_IGNORE ERROR_)
    call leave('Mprobe and Mrecv', 2, 0, part)
    call MPI_Wait(pending, MPI_STATUS_IGNORE ERROR_)
  end subroutine matched

  subroutine rooted_in_place()
    call enter('Reduce in place')
    if (is_root()) then
      call MPI_Reduce(MPI_IN_PLACE, in, n, MPI_INTEGER, MPI_SUM, root, world ERROR_)
    else
      call MPI_Reduce(out, in, n, MPI_INTEGER, MPI_SUM, root, world ERROR_)
    end if
    call leave('Reduce in place', 1, part, merge(part, 0, is_root()))
    call enter('Gather in place')
    if (is_root()) then
      call MPI_Gather(MPI_IN_PLACE, n, MPI_INTEGER, in, n, MPI_INTEGER, root, world ERROR_)
    else
      call MPI_Gather(out, n, MPI_INTEGER, in, n, MPI_INTEGER, root, world ERROR_)
    end if
    call leave('Gather in place', 1, merge(0, part, is_root()), merge((ranks - 1)*part, 0, is_root()))
    call enter('Gatherv in place')
    if (is_root()) then
      call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INTEGER, in, counts, places, MPI_INTEGER, root, world ERROR_)
    else
      call MPI_Gatherv(out, counts(rank), MPI_INTEGER, in, counts, places, MPI_INTEGER, root, world ERROR_)
    end if
    call leave('Gatherv in place', 1, merge(0, own, is_root()), merge(triangle(ranks) - own, 0, is_root()))
    call enter('Scatterv in place')
    if (is_root()) then
      call MPI_Scatterv(out, counts, places, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_INTEGER, root, world ERROR_)
    else
      call MPI_Scatterv(out, counts, places, MPI_INTEGER, in, counts(rank), MPI_INTEGER, root, world ERROR_)
    end if
    call leave('Scatterv in place', 1, merge(triangle(ranks) - own, 0, is_root()), merge(0, own, is_root()))
  end subroutine rooted_in_place

  subroutine reductions()
    CASE('Allreduce', 1, part, part, call MPI_Allreduce(out, in, n, MPI_INTEGER, MPI_SUM, world ERROR_))
    if (in(1) /= ranks*(ranks - 1)/2) error stop 'wrong sum'
    CASE('Allreduce in place', 1, part, part,
      call MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_INTEGER, MPI_SUM, world ERROR_))
    CASE('Reduce_scatter in place', 1, triangle(ranks), own,
      call MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INTEGER, MPI_SUM, world ERROR_))
    CASE('Reduce_local, not communication', 0, 0, 0, call MPI_Reduce_local(out, in, n, MPI_INTEGER, MPI_SUM ERROR_))
  end subroutine reductions

  subroutine all_to_all()
    integer :: same(0:most - 1)
    REQUEST :: pending
    same = n
    CASE('Allgather in place', 1, part, (ranks - 1)*part,
      call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, n, MPI_INTEGER, world ERROR_))
    CASE('Allgatherv in place', 1, own, triangle(ranks) - own,
      call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INTEGER, world ERROR_))
    CASE('Alltoall in place', 1, (ranks - 1)*part, (ranks - 1)*part,
      call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, n, MPI_INTEGER, world ERROR_))
    CASE('Alltoallw in place', 1, (ranks - 1)*part, (ranks - 1)*part,
      call MPI_Alltoallw(MPI_IN_PLACE, counts, byte_places, types, in, same, byte_places, types, world ERROR_))
    call enter('Iallreduce in place')
    call MPI_Iallreduce(MPI_IN_PLACE, in, n, MPI_INTEGER, MPI_MAX, world, pending ERROR_)
    call MPI_Wait(pending, MPI_STATUS_IGNORE ERROR_)
    call leave('Iallreduce in place', 2, part, part)
  end subroutine all_to_all

  ! Two groups: the lower ranks and the others.
  subroutine between_groups()
    COMM :: group, inter
    integer :: lower, others, group_root
    logical :: is_lower, is_source
    lower = ranks/2
    is_lower = rank < lower
    is_source = rank == 0
    others = merge(ranks - lower, lower, is_lower)
    group_root = merge(merge(MPI_ROOT, MPI_PROC_NULL, is_source), 0, is_lower)
    call MPI_Comm_split(world, merge(1, 0, is_lower), rank, group ERROR_)
    call MPI_Intercomm_create(group, 0, world, merge(lower, 0, is_lower), 1, inter ERROR_)
    CASE('Bcast between groups', 1, merge(part, 0, is_source), merge(0, part, is_lower),
      call MPI_Bcast(in, n, MPI_INTEGER, group_root, inter ERROR_))
    CASE('Gather between groups', 1, merge(0, part, is_lower), merge(others*part, 0, is_source),
      call MPI_Gather(out, n, MPI_INTEGER, in, n, MPI_INTEGER, group_root, inter ERROR_))
    CASE('Allgather between groups', 1, part, others*part,
      call MPI_Allgather(out, n, MPI_INTEGER, in, n, MPI_INTEGER, inter ERROR_))
    call MPI_Comm_free(inter ERROR_)
    call MPI_Comm_free(group ERROR_)
  end subroutine between_groups

#ifdef LARGE_COUNT
  subroutine large()
    integer(kind=MPI_COUNT_KIND) :: many_counts(most)
    integer(kind=MPI_ADDRESS_KIND) :: far_places(most)
    many_counts = counts
    far_places = places
    CASE('large Allgatherv in place', 1, own, triangle(ranks) - own,
      call MPI_Allgatherv(MPI_IN_PLACE, 0_MPI_COUNT_KIND, MPI_INTEGER, in, many_counts, far_places, MPI_INTEGER, world))
  end subroutine large
#endif

#ifdef USE_MPI_F08
  ! Rows of an array: a descriptor, or a copy that the compiler makes.
  subroutine sections()
    integer :: grid(4, 6), r
    grid = rank
    grid(2, :) = [(10*rank + r, r=1, 6)]
    call enter('array sections')
    call MPI_Bcast(grid(2, ::2), 3, MPI_INTEGER, root, world)
    call MPI_Sendrecv(grid(2, :), 6, MPI_INTEGER, next, 6, grid(4, :), 6, MPI_INTEGER, before, 6, world, &
                      MPI_STATUS_IGNORE)
    call MPI_Scatter(out, 4, MPI_INTEGER, grid(3, 2:5), 4, MPI_INTEGER, root, world)
    call leave('array sections', 3, merge(12 + ranks*16, 0, is_root()) + 24, merge(0, 12, is_root()) + 24 + 16)
    if (any(grid(2, ::2) /= [(10*root + r, r=1, 5, 2)])) error stop 'wrong broadcast'
    if (any(grid(4, 2::2) /= [(10*before + r, r=2, 6, 2)])) error stop 'wrong exchange'
    if (any(grid(3, 2:5) /= root)) error stop 'wrong scatter'
    if (any(grid(1, :) /= rank) .or. any(grid(3, [1, 6]) /= rank)) error stop 'written beyond a section'
  end subroutine sections
#endif
end module calls

program odd_calls
  use calls
  implicit none
  integer :: provided
#ifdef WITH_THREADS
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided ERROR_)
#else
  call MPI_Init(ERROR_ALONE)
#endif
  call MPI_Comm_rank(MPI_COMM_WORLD, rank ERROR_)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks ERROR_)
  call open_cases(rank)
  call prepare()
  call modes()
  call exchanges()
  call nonblocking()
  call persistent()
  call matched()
  call rooted_in_place()
  call reductions()
  call all_to_all()
  if (ranks > 1) call between_groups()
#ifdef LARGE_COUNT
  call large()
#endif
#ifdef USE_MPI_F08
  call sections()
#endif
  call close_cases()
  call MPI_Finalize(ERROR_ALONE)
end program odd_calls
