! SPDX-License-Identifier: MIT
!
! c_files.f90 - files.h and checkpoint.h as Fortran interfaces of C, those with MPI's
! handles as glue.c has them: not for use beside the native module.
module redist_c_files
  use, intrinsic :: iso_c_binding
  use redist_types
  use redist_c
  implicit none
  public

  interface
    ! files
    function c_file_open(comm, name, mode, options, file) &
        bind(C, name="redist_fortran_file_open") result(err)
      import
      integer(c_int), value :: comm
      character(c_char), intent(in) :: name(*)
      integer(c_int), value :: mode
      type(c_file_options), intent(in) :: options
      type(c_ptr), intent(out) :: file
      integer(c_int) :: err
    end function c_file_open
    function c_file_describe(file, layout) &
        bind(C, name="redist_file_describe") result(err)
      import
      type(c_ptr), value :: file
      type(c_file_layout), intent(out) :: layout
      integer(c_int) :: err
    end function c_file_describe
    function c_file_set_progress(file, progress, context) &
        bind(C, name="redist_file_set_progress") result(err)
      import
      type(c_ptr), value :: file
      type(c_funptr), value :: progress
      type(c_ptr), value :: context
      integer(c_int) :: err
    end function c_file_set_progress
    function c_file_read(file, view, type, buffer) &
        bind(C, name="redist_fortran_file_read") result(err)
      import
      type(c_ptr), value :: file
      type(redist_view), intent(in) :: view
      integer(c_int), value :: type
      type(c_ptr), value :: buffer
      integer(c_int) :: err
    end function c_file_read
    function c_file_write(file, view, type, buffer) &
        bind(C, name="redist_fortran_file_write") result(err)
      import
      type(c_ptr), value :: file
      type(redist_view), intent(in) :: view
      integer(c_int), value :: type
      type(c_ptr), value :: buffer
      integer(c_int) :: err
    end function c_file_write
    function c_file_read_section(file, start, stride, view, type, buffer) &
        bind(C, name="redist_fortran_file_read_section") result(err)
      import
      type(c_ptr), value :: file
      integer(c_int64_t), intent(in) :: start(*)
      type(c_ptr), value :: stride
      type(redist_view), intent(in) :: view
      integer(c_int), value :: type
      type(c_ptr), value :: buffer
      integer(c_int) :: err
    end function c_file_read_section
    function c_file_write_section(file, start, stride, view, type, buffer) &
        bind(C, name="redist_fortran_file_write_section") result(err)
      import
      type(c_ptr), value :: file
      integer(c_int64_t), intent(in) :: start(*)
      type(c_ptr), value :: stride
      type(redist_view), intent(in) :: view
      integer(c_int), value :: type
      type(c_ptr), value :: buffer
      integer(c_int) :: err
    end function c_file_write_section
    function c_file_copy(from, to) &
        bind(C, name="redist_file_copy") result(err)
      import
      type(c_ptr), value :: from, to
      integer(c_int) :: err
    end function c_file_copy
    function c_file_close(file) &
        bind(C, name="redist_file_close") result(err)
      import
      type(c_ptr), intent(inout) :: file
      integer(c_int) :: err
    end function c_file_close

    ! checkpoints
    function c_checkpoint_create(comm, folder, step, checkpoint) &
        bind(C, name="redist_fortran_checkpoint_create") result(err)
      import
      integer(c_int), value :: comm
      character(c_char), intent(in) :: folder(*)
      integer(c_int64_t), value :: step
      type(c_ptr), intent(out) :: checkpoint
      integer(c_int) :: err
    end function c_checkpoint_create
    function c_checkpoint_open(comm, folder, step, checkpoint) &
        bind(C, name="redist_fortran_checkpoint_open") result(err)
      import
      integer(c_int), value :: comm
      character(c_char), intent(in) :: folder(*)
      integer(c_int64_t), value :: step
      type(c_ptr), intent(out) :: checkpoint
      integer(c_int) :: err
    end function c_checkpoint_open
    function c_checkpoint_read(checkpoint, name, view, type, buffer) &
        bind(C, name="redist_fortran_checkpoint_read") result(err)
      import
      type(c_ptr), value :: checkpoint
      character(c_char), intent(in) :: name(*)
      type(redist_view), intent(in) :: view
      integer(c_int), value :: type
      type(c_ptr), value :: buffer
      integer(c_int) :: err
    end function c_checkpoint_read
    function c_checkpoint_write(checkpoint, name, view, type, buffer) &
        bind(C, name="redist_fortran_checkpoint_write") result(err)
      import
      type(c_ptr), value :: checkpoint
      character(c_char), intent(in) :: name(*)
      type(redist_view), intent(in) :: view
      integer(c_int), value :: type
      type(c_ptr), value :: buffer
      integer(c_int) :: err
    end function c_checkpoint_write
    function c_checkpoint_set(checkpoint, key, text) &
        bind(C, name="redist_checkpoint_set") result(err)
      import
      type(c_ptr), value :: checkpoint
      character(c_char), intent(in) :: key(*), text(*)
      integer(c_int) :: err
    end function c_checkpoint_set
    function c_checkpoint_get(checkpoint, key, text) &
        bind(C, name="redist_checkpoint_get") result(err)
      import
      type(c_ptr), value :: checkpoint
      character(c_char), intent(in) :: key(*)
      type(c_ptr), intent(out) :: text
      integer(c_int) :: err
    end function c_checkpoint_get
    function c_checkpoint_commit(checkpoint, keep) &
        bind(C, name="redist_checkpoint_commit") result(err)
      import
      type(c_ptr), intent(inout) :: checkpoint
      integer(c_int), value :: keep
      integer(c_int) :: err
    end function c_checkpoint_commit
    pure function c_checkpoint_step(checkpoint) &
        bind(C, name="redist_checkpoint_step") result(value)
      import
      type(c_ptr), value :: checkpoint
      integer(c_int64_t) :: value
    end function c_checkpoint_step
    function c_checkpoint_array(checkpoint, name, file) &
        bind(C, name="redist_checkpoint_array") result(err)
      import
      type(c_ptr), value :: checkpoint
      character(c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: file
      integer(c_int) :: err
    end function c_checkpoint_array
    function c_checkpoint_verify(checkpoint) &
        bind(C, name="redist_checkpoint_verify") result(err)
      import
      type(c_ptr), value :: checkpoint
      integer(c_int) :: err
    end function c_checkpoint_verify
    function c_checkpoint_close(checkpoint) &
        bind(C, name="redist_checkpoint_close") result(err)
      import
      type(c_ptr), intent(inout) :: checkpoint
      integer(c_int) :: err
    end function c_checkpoint_close
  end interface
end module redist_c_files
