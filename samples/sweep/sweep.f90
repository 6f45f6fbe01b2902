! Particles travel through a box along eight diagonals; what they leave behind feeds the next iteration.
program sweep
  use mpi
  use settings
  use neighbours
  use medium
  use octants
  implicit none
  real(real64), parameter :: scattered = 0.02_real64, grain = 1.0e6_real64
  real(real64), allocatable :: absorption(:, :, :), emitted(:, :, :), source(:, :, :), flux(:, :, :)
  integer(int64) :: here, everywhere
  integer :: iteration, failed

  call read_settings()
  call MPI_Init(failed)
  call find_neighbours()
  if (any(cells < shape_of_grid)) then
    if (rank == 0) print '(a)', 'sweep: expected at least as many cells as ranks along each side of their grid.'
    call MPI_Finalize(failed)
    stop 2
  end if
  allocate (absorption(own(1), own(2), planes), emitted(own(1), own(2), planes))
  allocate (source(own(1), own(2), planes), flux(own(1), own(2), planes))
  call fill_medium(first, absorption)
  call fill_source(first, emitted)
  source = emitted
  do iteration = 1, iterations
    call sweep_all(absorption, source, flux)
    source = emitted + scattered * flux
  end do

  ! Whole numbers add up to the same on any number of ranks.
  here = sum(nint(flux * grain, int64))
  call MPI_Reduce(here, everywhere, 1, MPI_INTEGER8, MPI_SUM, 0, grid, failed)
  if (rank == 0) print '(a, i0, a, i0, a)', 'flux ', everywhere, ' millionths after ', iterations, ' iterations'
  call MPI_Finalize(failed)
end program sweep
