! SPDX-License-Identifier: MIT
!
! checkpoints.f90 - the state of a program in a folder: redist/checkpoint.h in Fortran,
! where each call's terms stand.
module redist_checkpoints
  use mpi_f08, only: MPI_Comm, MPI_Datatype
  use redist_types
  use redist_c
  use redist_c_files
  use redist_errors
  use redist_buffers
  implicit none
  private

  public :: redist_checkpoint_create, redist_checkpoint_write, redist_checkpoint_set
  public :: redist_checkpoint_commit, redist_checkpoint_open, redist_checkpoint_step
  public :: redist_checkpoint_get, redist_checkpoint_read, redist_checkpoint_array
  public :: redist_checkpoint_verify, redist_checkpoint_close

  interface redist_checkpoint_create
    module procedure checkpoint_create_f08, checkpoint_create_mpi
  end interface
  interface redist_checkpoint_open
    module procedure checkpoint_open_f08, checkpoint_open_mpi
  end interface
  interface redist_checkpoint_write
    module procedure checkpoint_write_f08, checkpoint_write_mpi
  end interface
  interface redist_checkpoint_read
    module procedure checkpoint_read_f08, checkpoint_read_mpi
  end interface

contains

  ! ---- writing -----------------------------------------------------------------------

  ! Begin to write the checkpoint of `step` into `folder`. Collective over comm.
  subroutine checkpoint_create_mpi(comm, folder, step, checkpoint, ierror)
    integer, intent(in) :: comm
    character(*), intent(in) :: folder
    integer(int64), intent(in) :: step
    type(redist_checkpoint), intent(out) :: checkpoint
    integer, intent(out), optional :: ierror
    call finish(c_checkpoint_create(comm, to_c(folder), step, &
                                    checkpoint%handle), ierror)
  end subroutine checkpoint_create_mpi

  subroutine checkpoint_create_f08(comm, folder, step, checkpoint, ierror)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: folder
    integer(int64), intent(in) :: step
    type(redist_checkpoint), intent(out) :: checkpoint
    integer, intent(out), optional :: ierror
    call checkpoint_create_mpi(comm%MPI_VAL, folder, step, checkpoint, ierror)
  end subroutine checkpoint_create_f08

  ! Write the section of `view` in `buffer` as the array `name`. Collective.
  subroutine checkpoint_write_mpi(checkpoint, name, view, datatype, buffer, ierror)
    type(redist_checkpoint), intent(in) :: checkpoint
    character(*), intent(in) :: name
    type(redist_view), intent(in) :: view
    integer, intent(in) :: datatype
    type(*), intent(in), optional, target :: buffer(..)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: from
    from = address('buffer', buffer, fault)
    call finish_run(c_checkpoint_write(checkpoint%handle, to_c(name), view, &
                                       datatype, from), fault, ierror)
  end subroutine checkpoint_write_mpi

  subroutine checkpoint_write_f08(checkpoint, name, view, datatype, buffer, ierror)
    type(redist_checkpoint), intent(in) :: checkpoint
    character(*), intent(in) :: name
    type(redist_view), intent(in) :: view
    type(MPI_Datatype), intent(in) :: datatype
    type(*), intent(in), optional, target :: buffer(..)
    integer, intent(out), optional :: ierror
    call checkpoint_write_mpi(checkpoint, name, view, datatype%MPI_VAL, buffer, ierror)
  end subroutine checkpoint_write_f08

  ! Keep a text under `key`; rank 0's counts. Collective.
  subroutine redist_checkpoint_set(checkpoint, key, text, ierror)
    type(redist_checkpoint), intent(in) :: checkpoint
    character(*), intent(in) :: key, text
    integer, intent(out), optional :: ierror
    call finish(c_checkpoint_set(checkpoint%handle, to_c(key), &
                                 text // c_null_char), ierror)
  end subroutine redist_checkpoint_set

  ! Make the step appear, then remove all others but the last `keep`; unless that is given
  ! all stay. The checkpoint is closed, also after an error. Collective.
  subroutine redist_checkpoint_commit(checkpoint, keep, ierror)
    type(redist_checkpoint), intent(inout) :: checkpoint
    integer, intent(in), optional :: keep
    integer, intent(out), optional :: ierror
    integer :: last
    last = 0
    if (present(keep)) last = keep
    call finish(c_checkpoint_commit(checkpoint%handle, last), ierror)
  end subroutine redist_checkpoint_commit

  ! ---- reading -----------------------------------------------------------------------

  ! Open the checkpoint of `step`, or the last one if step is -1. Collective over comm.
  subroutine checkpoint_open_mpi(comm, folder, step, checkpoint, ierror)
    integer, intent(in) :: comm
    character(*), intent(in) :: folder
    integer(int64), intent(in) :: step
    type(redist_checkpoint), intent(out) :: checkpoint
    integer, intent(out), optional :: ierror
    call finish(c_checkpoint_open(comm, to_c(folder), step, checkpoint%handle), &
                ierror)
  end subroutine checkpoint_open_mpi

  subroutine checkpoint_open_f08(comm, folder, step, checkpoint, ierror)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: folder
    integer(int64), intent(in) :: step
    type(redist_checkpoint), intent(out) :: checkpoint
    integer, intent(out), optional :: ierror
    call checkpoint_open_mpi(comm%MPI_VAL, folder, step, checkpoint, ierror)
  end subroutine checkpoint_open_f08

  pure integer(int64) function redist_checkpoint_step(checkpoint) result(step)
    type(redist_checkpoint), intent(in) :: checkpoint
    step = c_checkpoint_step(checkpoint%handle)
  end function redist_checkpoint_step

  ! Find the text that was kept under `key`; it is not allocated if there is none. Local.
  subroutine redist_checkpoint_get(checkpoint, key, text, ierror)
    type(redist_checkpoint), intent(in) :: checkpoint
    character(*), intent(in) :: key
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierror
    type(c_ptr) :: found
    integer :: err
    found = c_null_ptr
    err = c_checkpoint_get(checkpoint%handle, to_c(key), found)
    if (err == REDIST_OK .and. c_associated(found)) text = from_c(found)
    call finish(err, ierror)
  end subroutine redist_checkpoint_get

  ! Read the array `name` into the section of `view` in `buffer`. Collective.
  subroutine checkpoint_read_mpi(checkpoint, name, view, datatype, buffer, ierror)
    type(redist_checkpoint), intent(in) :: checkpoint
    character(*), intent(in) :: name
    type(redist_view), intent(in) :: view
    integer, intent(in) :: datatype
    type(*), intent(inout), optional, target :: buffer(..)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: to
    to = address('buffer', buffer, fault)
    call finish_run(c_checkpoint_read(checkpoint%handle, to_c(name), view, &
                                      datatype, to), fault, ierror)
  end subroutine checkpoint_read_mpi

  subroutine checkpoint_read_f08(checkpoint, name, view, datatype, buffer, ierror)
    type(redist_checkpoint), intent(in) :: checkpoint
    character(*), intent(in) :: name
    type(redist_view), intent(in) :: view
    type(MPI_Datatype), intent(in) :: datatype
    type(*), intent(inout), optional, target :: buffer(..)
    integer, intent(out), optional :: ierror
    call checkpoint_read_mpi(checkpoint, name, view, datatype%MPI_VAL, buffer, ierror)
  end subroutine checkpoint_read_f08

  ! Open the array `name` of a checkpoint that is open for reading; close the file before
  ! the checkpoint. Collective.
  subroutine redist_checkpoint_array(checkpoint, name, file, ierror)
    type(redist_checkpoint), intent(in) :: checkpoint
    character(*), intent(in) :: name
    type(redist_file), intent(out) :: file
    integer, intent(out), optional :: ierror
    call finish(c_checkpoint_array(checkpoint%handle, to_c(name), file%handle), &
                ierror)
  end subroutine redist_checkpoint_array

  ! Read all arrays, and check all sums. Collective.
  subroutine redist_checkpoint_verify(checkpoint, ierror)
    type(redist_checkpoint), intent(in) :: checkpoint
    integer, intent(out), optional :: ierror
    call finish(c_checkpoint_verify(checkpoint%handle), ierror)
  end subroutine redist_checkpoint_verify

  ! Close a checkpoint; what was written and not committed is removed. Collective.
  subroutine redist_checkpoint_close(checkpoint, ierror)
    type(redist_checkpoint), intent(inout) :: checkpoint
    integer, intent(out), optional :: ierror
    call finish(c_checkpoint_close(checkpoint%handle), ierror)
  end subroutine redist_checkpoint_close
end module redist_checkpoints
