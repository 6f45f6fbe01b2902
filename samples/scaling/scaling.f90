! The same program as scaling.c, in Fortran.
program scaling
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi
    implicit none
    integer, parameter :: steps = 10, halo = 512
    integer :: rank, ranks, step, error
    integer(int64) :: units, state
    real(real64) :: edge(2 * halo) = 0
    character(32) :: argument

    units = 100000000
    if (command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *) units
    end if
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    state = 1
    call tables(units / 20)
    do step = 1, steps
        call relax(units / steps / ranks)
        call exchange()
        call search(units / 80 / steps)
        call sweep(units / 10 / steps / ranks)
        call collect(units / 20 / steps)
    end do
    if (rank == 0) print '(z16.16)', state
    call MPI_Finalize(error)

contains

    subroutine tables(count)
        integer(int64), intent(in) :: count
        integer(int64) :: x, entry
        x = state
        do entry = 1, count
            x = ieor(x, ishft(x, 13))
            x = ieor(ieor(x, ishft(x, -7)), entry)
        end do
        state = x
    end subroutine tables

    subroutine relax(count)
        integer(int64), intent(in) :: count
        integer(int64) :: x, cell
        x = state
        do cell = 1, count
            x = ieor(x, ishft(x, 13))
            x = ieor(ieor(x, ishft(x, -7)), cell)
        end do
        state = x
    end subroutine relax

    subroutine exchange()
        integer :: left, right
        left = modulo(rank - 1, ranks)
        right = modulo(rank + 1, ranks)
        call MPI_Sendrecv(edge, halo, MPI_DOUBLE_PRECISION, right, 0, edge(halo + 1), halo, MPI_DOUBLE_PRECISION, &
                          left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end subroutine exchange

    subroutine search(count)
        integer(int64), intent(in) :: count
        integer(int64) :: x, item
        x = state
        do item = 1, count * ranks
            x = ieor(x, ishft(x, 13))
            x = ieor(ieor(x, ishft(x, -7)), item)
        end do
        state = x
    end subroutine search

    subroutine sweep(count)
        integer(int64), intent(in) :: count
        integer(int64) :: x, cell
        if (rank > 0) then
            call MPI_Recv(state, 1, MPI_INTEGER8, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        end if
        x = state
        do cell = 1, count
            x = ieor(x, ishft(x, 13))
            x = ieor(ieor(x, ishft(x, -7)), cell)
        end do
        state = x
        if (rank < ranks - 1) call MPI_Send(state, 1, MPI_INTEGER8, rank + 1, 1, MPI_COMM_WORLD, error)
    end subroutine sweep

    subroutine collect(count)
        integer(int64), intent(in) :: count
        integer(int64) :: x, item, parts(ranks)
        call MPI_Gather(state, 1, MPI_INTEGER8, parts, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD, error)
        if (rank == 0) then
            x = parts(ranks)
            do item = 1, count
                x = ieor(x, ishft(x, 13))
                x = ieor(ieor(x, ishft(x, -7)), item)
            end do
            state = x
        end if
        call MPI_Bcast(state, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD, error)
    end subroutine collect
end program scaling
