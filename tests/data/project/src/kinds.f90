module kinds
  use iso_c_binding, only: c_double, c_int
  implicit none
  integer, parameter :: real_kind = c_double
end module kinds
