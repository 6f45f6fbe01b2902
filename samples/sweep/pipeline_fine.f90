! A few planes travel in each message: a rank begins when its neighbours have done the first few of theirs.
module pipeline
  implicit none
contains

  pure integer function planes_a_block(planes)
    integer, intent(in) :: planes
    planes_a_block = min(planes, 4)
  end function planes_a_block

end module pipeline
