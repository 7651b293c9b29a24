! SPDX-License-Identifier: MIT
!
! files.f90 - arrays in files: redist/files.h in Fortran, where each call's terms stand.
!
! Dimension i-1 of the file is dimension view%axes(i) of the array, whichever varies
! fastest in the file or in memory. Indices of the file count from 0.
module redist_files
  use mpi_f08, only: MPI_Comm, MPI_Datatype
  use redist_types
  use redist_c
  use redist_c_files
  use redist_errors
  use redist_buffers
  implicit none
  private

  public :: redist_file_open, redist_file_describe, redist_file_set_progress
  public :: redist_file_read, redist_file_write
  public :: redist_file_read_section, redist_file_write_section
  public :: redist_file_copy, redist_file_close

  interface redist_file_open
    module procedure file_open_f08, file_open_mpi
  end interface
  interface redist_file_read
    module procedure file_read_f08, file_read_mpi
  end interface
  interface redist_file_write
    module procedure file_write_f08, file_write_mpi
  end interface
  interface redist_file_read_section
    module procedure file_read_section_f08, file_read_section_mpi
  end interface
  interface redist_file_write_section
    module procedure file_write_section_f08, file_write_section_mpi
  end interface

  ! What the options of C point to.
  type :: kept_options
    type(c_file_layout) :: layout
    character(:), allocatable :: type, codec, format
  end type kept_options

contains

  ! ---- open and close ----------------------------------------------------------------

  ! A text as C has it, NULL if there is none; `kept` is its memory.
  function text_for_c(text, kept) result(address)
    character(:), allocatable, intent(in) :: text
    character(:), allocatable, target, intent(out) :: kept
    type(c_ptr) :: address
    address = c_null_ptr
    if (.not. allocated(text)) return
    kept = to_c(text)
    address = c_loc(kept)
  end function text_for_c

  ! Put the layout as C has it. A wrong list is a fault.
  subroutine layout_for_c(layout, kept, fault)
    type(redist_file_layout), intent(in) :: layout
    type(kept_options), intent(inout), target :: kept
    character(:), allocatable, intent(inout) :: fault
    integer :: n
    n = 0
    if (allocated(layout%shape)) n = size(layout%shape)
    kept%layout%size = c_sizeof(kept%layout)
    kept%layout%format = c_null_ptr
    kept%layout%ndims = n
    kept%layout%shape = 0
    kept%layout%chunk = 0
    if (n > 0 .and. n <= REDIST_MAX_DIMS) kept%layout%shape(:n) = layout%shape
    kept%layout%type = text_for_c(layout%type, kept%type)
    kept%layout%order = layout%order
    kept%layout%codec = text_for_c(layout%codec, kept%codec)
    kept%layout%offset = layout%offset
    kept%layout%version = layout%version
    if (.not. allocated(layout%chunk)) return
    if (size(layout%chunk) /= n) then
      fault = 'chunk has ' // decimal(size(layout%chunk)) // ' elements, must have ' // &
              decimal(n)
      call redist_refuse(fault)
    else if (n <= REDIST_MAX_DIMS) then
      kept%layout%chunk(:n) = layout%chunk
    end if
  end subroutine layout_for_c

  ! Open the array `name`: mode is REDIST_FILE_READ_MODE, REDIST_FILE_UPDATE_MODE or
  ! REDIST_FILE_CREATE_MODE. One that is created, or raw, needs options%layout.
  ! Collective over comm.
  subroutine file_open_mpi(comm, name, mode, file, options, ierror)
    integer, intent(in) :: comm, mode
    character(*), intent(in) :: name
    type(redist_file), intent(out) :: file
    type(redist_file_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    type(redist_file_options) :: chosen
    type(kept_options), target :: kept
    type(c_file_options) :: c
    character(:), allocatable :: fault
    if (present(options)) chosen = options
    c%size = c_sizeof(c)
    c%layout = c_null_ptr
    if (allocated(chosen%layout)) then
      call layout_for_c(chosen%layout, kept, fault)
      c%layout = c_loc(kept%layout)
    end if
    c%format = text_for_c(chosen%format, kept%format)
    c%staging_bytes = chosen%staging_bytes ! C refuses what is negative: it is too large
    c%writers = chosen%writers
    c%checked = merge(1, 0, chosen%checked)
    call finish_run(c_file_open(comm, to_c(name), mode, c, file%handle), fault, &
                    ierror)
  end subroutine file_open_mpi

  subroutine file_open_f08(comm, name, mode, file, options, ierror)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: name
    integer, intent(in) :: mode
    type(redist_file), intent(out) :: file
    type(redist_file_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    call file_open_mpi(comm%MPI_VAL, name, mode, file, options, ierror)
  end subroutine file_open_f08

  ! Say how the array lies in the file. Local.
  subroutine redist_file_describe(file, layout, ierror)
    type(redist_file), intent(in) :: file
    type(redist_file_layout), intent(out) :: layout
    integer, intent(out), optional :: ierror
    type(c_file_layout) :: c
    integer :: err
    err = c_file_describe(file%handle, c)
    if (err == REDIST_OK) then
      layout%format = from_c(c%format)
      layout%shape = c%shape(:c%ndims)
      layout%type = from_c(c%type)
      layout%order = c%order
      layout%chunk = c%chunk(:c%ndims)
      if (c_associated(c%codec)) layout%codec = from_c(c%codec)
      layout%offset = c%offset
      layout%version = c%version
    end if
    call finish(err, ierror)
  end subroutine redist_file_describe

  ! Let this process call `progress` after each slab that was read or written, with
  ! `context`, NULL unless given; without `progress` no more. Local.
  subroutine redist_file_set_progress(file, progress, context, ierror)
    type(redist_file), intent(in) :: file
    procedure(redist_file_progress), optional :: progress
    type(c_ptr), intent(in), optional :: context
    integer, intent(out), optional :: ierror
    type(c_funptr) :: called
    type(c_ptr) :: with
    called = c_null_funptr
    if (present(progress)) called = c_funloc(progress)
    with = c_null_ptr
    if (present(context)) with = context
    call finish(c_file_set_progress(file%handle, called, with), ierror)
  end subroutine redist_file_set_progress

  ! Copy the whole array of a file to that of another. Collective.
  subroutine redist_file_copy(from, to, ierror)
    type(redist_file), intent(in) :: from, to
    integer, intent(out), optional :: ierror
    call finish(c_file_copy(from%handle, to%handle), ierror)
  end subroutine redist_file_copy

  ! Close the file; an array that is created gets its name now. Collective.
  subroutine redist_file_close(file, ierror)
    type(redist_file), intent(inout) :: file
    integer, intent(out), optional :: ierror
    call finish(c_file_close(file%handle), ierror)
  end subroutine redist_file_close

  ! ---- whole arrays ------------------------------------------------------------------

  ! Read the whole array into the section of `view` in `buffer`, or write it. Collective.
  subroutine file_read_mpi(file, view, datatype, buffer, ierror)
    type(redist_file), intent(in) :: file
    type(redist_view), intent(in) :: view
    integer, intent(in) :: datatype
    type(*), intent(inout), optional, target :: buffer(..)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: to
    to = address('buffer', buffer, fault)
    call finish_run(c_file_read(file%handle, view, datatype, to), fault, ierror)
  end subroutine file_read_mpi

  subroutine file_read_f08(file, view, datatype, buffer, ierror)
    type(redist_file), intent(in) :: file
    type(redist_view), intent(in) :: view
    type(MPI_Datatype), intent(in) :: datatype
    type(*), intent(inout), optional, target :: buffer(..)
    integer, intent(out), optional :: ierror
    call file_read_mpi(file, view, datatype%MPI_VAL, buffer, ierror)
  end subroutine file_read_f08

  subroutine file_write_mpi(file, view, datatype, buffer, ierror)
    type(redist_file), intent(in) :: file
    type(redist_view), intent(in) :: view
    integer, intent(in) :: datatype
    type(*), intent(in), optional, target :: buffer(..)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: from
    from = address('buffer', buffer, fault)
    call finish_run(c_file_write(file%handle, view, datatype, from), fault, ierror)
  end subroutine file_write_mpi

  subroutine file_write_f08(file, view, datatype, buffer, ierror)
    type(redist_file), intent(in) :: file
    type(redist_view), intent(in) :: view
    type(MPI_Datatype), intent(in) :: datatype
    type(*), intent(in), optional, target :: buffer(..)
    integer, intent(out), optional :: ierror
    call file_write_mpi(file, view, datatype%MPI_VAL, buffer, ierror)
  end subroutine file_write_f08

  ! ---- parts of them -----------------------------------------------------------------

  ! Set `all` to a list with one element a dimension of `view`; one that is too short is a
  ! fault. No function: GNU Fortran 12 gives back a wrong length of `fault` by those that
  ! are arrays.
  subroutine take_list(name, list, view, all, fault)
    character(*), intent(in) :: name
    integer(int64), intent(in) :: list(:)
    type(redist_view), intent(in) :: view
    integer(int64), intent(out) :: all(REDIST_MAX_DIMS)
    character(:), allocatable, intent(inout) :: fault
    integer :: n
    n = 0
    if (c_associated(view%dist%handle)) n = c_dist_ndims(view%dist%handle)
    all = 1
    all(:min(n, size(list))) = list(:min(n, size(list)))
    if (size(list) >= n .or. allocated(fault)) return
    fault = name // ' has ' // decimal(size(list)) // ' elements, must have ' // &
            decimal(n)
    call redist_refuse(fault)
  end subroutine take_list

  ! The same of elements start(i), start(i) + stride(i), .. of the file along dimension
  ! i-1, as many as the section of `view` has; `stride` is 1 unless given. Collective.
  subroutine file_read_section_mpi(file, start, view, datatype, buffer, stride, ierror)
    type(redist_file), intent(in) :: file
    integer(int64), intent(in) :: start(:)
    type(redist_view), intent(in) :: view
    integer, intent(in) :: datatype
    type(*), intent(inout), optional, target :: buffer(..)
    integer(int64), intent(in), optional :: stride(:)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    integer(int64), target :: first(REDIST_MAX_DIMS), steps(REDIST_MAX_DIMS)
    type(c_ptr) :: to
    call take_list('start', start, view, first, fault)
    steps = 1
    if (present(stride)) call take_list('stride', stride, view, steps, fault)
    to = address('buffer', buffer, fault)
    call finish_run(c_file_read_section(file%handle, first, c_loc(steps), view, &
                                        datatype, to), fault, ierror)
  end subroutine file_read_section_mpi

  subroutine file_read_section_f08(file, start, view, datatype, buffer, stride, ierror)
    type(redist_file), intent(in) :: file
    integer(int64), intent(in) :: start(:)
    type(redist_view), intent(in) :: view
    type(MPI_Datatype), intent(in) :: datatype
    type(*), intent(inout), optional, target :: buffer(..)
    integer(int64), intent(in), optional :: stride(:)
    integer, intent(out), optional :: ierror
    call file_read_section_mpi(file, start, view, datatype%MPI_VAL, buffer, stride, &
                               ierror)
  end subroutine file_read_section_f08

  subroutine file_write_section_mpi(file, start, view, datatype, buffer, stride, ierror)
    type(redist_file), intent(in) :: file
    integer(int64), intent(in) :: start(:)
    type(redist_view), intent(in) :: view
    integer, intent(in) :: datatype
    type(*), intent(in), optional, target :: buffer(..)
    integer(int64), intent(in), optional :: stride(:)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    integer(int64), target :: first(REDIST_MAX_DIMS), steps(REDIST_MAX_DIMS)
    type(c_ptr) :: from
    call take_list('start', start, view, first, fault)
    steps = 1
    if (present(stride)) call take_list('stride', stride, view, steps, fault)
    from = address('buffer', buffer, fault)
    call finish_run(c_file_write_section(file%handle, first, c_loc(steps), view, &
                                         datatype, from), fault, ierror)
  end subroutine file_write_section_mpi

  subroutine file_write_section_f08(file, start, view, datatype, buffer, stride, ierror)
    type(redist_file), intent(in) :: file
    integer(int64), intent(in) :: start(:)
    type(redist_view), intent(in) :: view
    type(MPI_Datatype), intent(in) :: datatype
    type(*), intent(in), optional, target :: buffer(..)
    integer(int64), intent(in), optional :: stride(:)
    integer, intent(out), optional :: ierror
    call file_write_section_mpi(file, start, view, datatype%MPI_VAL, buffer, stride, &
                                ierror)
  end subroutine file_write_section_f08
end module redist_files
