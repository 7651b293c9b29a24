! SPDX-License-Identifier: MIT
!
! buffers.f90 - the arrays that collective calls are given, and how such a call ends where
! one of them cannot be used.
module redist_buffers
  use redist_types
  use redist_c
  use redist_errors
  implicit none
  public

contains

  ! The address of a buffer, NULL if its size is 0. If it can't be used that is NULL, too,
  ! and `fault` says why.
  function address(name, buffer, fault)
    character(*), intent(in) :: name
    type(*), intent(in), optional, target :: buffer(..)
    character(:), allocatable, intent(inout) :: fault
    type(c_ptr) :: address
    address = c_null_ptr
    if (.not. present(buffer)) return
    if (size(buffer) == 0) return
    if (is_contiguous(buffer) .or. size(buffer) == 1) then
      address = c_loc(buffer)
    else if (.not. allocated(fault)) then
      fault = name // ' is not contiguous, must be: pass the whole array'
      call redist_refuse(fault)
    end if
  end function address

  ! Pass on what a run returned, in the words of this process's own fault if it has one.
  subroutine finish_run(err, fault, ierror)
    integer, intent(in) :: err
    character(:), allocatable, intent(in) :: fault
    integer, intent(out), optional :: ierror
    call redist_refuse() ! the run may have failed before anybody asked
    if (err == REDIST_ERR_ARG .and. allocated(fault)) then
      call fail(fault, ierror)
    else
      call finish(err, ierror)
    end if
  end subroutine finish_run
end module redist_buffers
