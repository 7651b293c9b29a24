! SPDX-License-Identifier: MIT
!
! types.f90 - the constants and types of redist's headers, in Fortran.
!
! Dimensions, axes, coordinates, indices and ranks count from 0, as in the text form, in
! the library's sentences and in MPI's own Fortran binding. Element i of a Fortran array
! belongs to dimension i-1.
!
! Blanks at the end of names, keys, strategies and types do not count, as in `open`.
module redist_types
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  public

  integer, parameter :: REDIST_VERSION_MAJOR = 0
  integer, parameter :: REDIST_VERSION_MINOR = 1
  integer, parameter :: REDIST_VERSION_PATCH = 1
  integer, parameter :: REDIST_MAX_DIMS = 15

  ! redist_err: what ierror is.
  integer, parameter :: REDIST_OK = 0, REDIST_ERR_ARG = 1, REDIST_ERR_MISMATCH = 2
  integer, parameter :: REDIST_ERR_MEMORY = 3, REDIST_ERR_STATE = 4, REDIST_ERR_MPI = 5
  integer, parameter :: REDIST_ERR_IO = 6, REDIST_ERR_DEVICE = 7

  ! redist_side
  integer, parameter :: REDIST_SOURCE = 0, REDIST_TARGET = 1

  ! redist_order
  integer, parameter :: REDIST_ROW_MAJOR = 0, REDIST_COLUMN_MAJOR = 1

  ! redist_format_kind. Fortran takes upper and lower case for one: without _KIND these
  ! would be the functions redist_block and so on.
  integer, parameter :: REDIST_COLLAPSED_KIND = 0, REDIST_BLOCK_KIND = 1
  integer, parameter :: REDIST_CYCLIC_KIND = 2, REDIST_GEN_BLOCK_KIND = 3
  integer, parameter :: REDIST_INDIRECT_KIND = 4

  ! redist_op
  integer, parameter :: REDIST_OP_NONE = 0, REDIST_OP_TRANSPOSE = 1
  integer, parameter :: REDIST_OP_CONJUGATE = 2, REDIST_OP_CONJUGATE_TRANSPOSE = 3

  ! redist_reduction
  integer, parameter :: REDIST_REDUCTION_NONE = 0, REDIST_REDUCTION_SUM = 1
  integer, parameter :: REDIST_REDUCTION_PROD = 2, REDIST_REDUCTION_MIN = 3
  integer, parameter :: REDIST_REDUCTION_MAX = 4, REDIST_REDUCTION_LAND = 5
  integer, parameter :: REDIST_REDUCTION_LOR = 6, REDIST_REDUCTION_LXOR = 7
  integer, parameter :: REDIST_REDUCTION_BAND = 8, REDIST_REDUCTION_BOR = 9
  integer, parameter :: REDIST_REDUCTION_BXOR = 10, REDIST_REDUCTION_MINLOC = 11
  integer, parameter :: REDIST_REDUCTION_MAXLOC = 12

  ! redist_balance_method
  integer, parameter :: REDIST_BALANCE_A = 0, REDIST_BALANCE_B = 1
  integer, parameter :: REDIST_BALANCE_A_CEILING = 2

  ! redist_file_mode; without _MODE the first would be the subroutine redist_file_read.
  integer, parameter :: REDIST_FILE_READ_MODE = 0, REDIST_FILE_UPDATE_MODE = 1
  integer, parameter :: REDIST_FILE_CREATE_MODE = 2

  ! `block` of a plain BLOCK; `axis` of a dimension that takes the next free one.
  integer(int64), parameter :: REDIST_EVEN_BLOCK = -huge(0_int64) - 1_int64
  integer, parameter :: REDIST_NEXT_AXIS = -1

  ! The six handles. `handle` is the C pointer, for calls from and to C.
  type :: redist_grid
    type(c_ptr) :: handle = c_null_ptr
  end type redist_grid

  type, bind(C) :: redist_dist
    type(c_ptr) :: handle = c_null_ptr
  end type redist_dist

  type :: redist_topology
    type(c_ptr) :: handle = c_null_ptr
  end type redist_topology

  type :: redist_plan
    type(c_ptr) :: handle = c_null_ptr
    character(:), allocatable :: fault ! what redist_start found wrong, for redist_wait
  end type redist_plan

  type :: redist_file
    type(c_ptr) :: handle = c_null_ptr
  end type redist_file

  type :: redist_checkpoint
    type(c_ptr) :: handle = c_null_ptr
  end type redist_checkpoint

  ! How one dimension is spread over one axis of the grid. Make it with redist_collapsed,
  ! redist_block, redist_cyclic, redist_gen_block or redist_indirect, then change `first`
  ! or `axis` if the defaults don't suit.
  type :: redist_format
    integer :: kind = REDIST_COLLAPSED_KIND
    integer(int64) :: block = REDIST_EVEN_BLOCK
    integer :: first = 0
    integer :: axis = REDIST_NEXT_AXIS
    integer(int64), allocatable :: sizes(:) ! GEN_BLOCK: [P]
    integer, allocatable :: owners(:)       ! INDIRECT: [extent]
  end type redist_format

  ! What of a dist takes part, in which order of axes, and how it lies in memory: see
  ! redist_view in describe.h.
  type, bind(C) :: redist_view
    type(redist_dist) :: dist
    integer(c_int64_t) :: start(REDIST_MAX_DIMS) = 0
    integer(c_int64_t) :: extent(REDIST_MAX_DIMS) = 0
    integer(c_int64_t) :: stride(REDIST_MAX_DIMS) = 0
    integer(c_int) :: axes(REDIST_MAX_DIMS) = 0
    integer(c_int) :: order(REDIST_MAX_DIMS) = 0
    integer(c_int64_t) :: halo_low(REDIST_MAX_DIMS) = 0
    integer(c_int64_t) :: halo_high(REDIST_MAX_DIMS) = 0
    integer(c_int64_t) :: lead(REDIST_MAX_DIMS) = 0
  end type redist_view

  ! The consecutive indices first .. first + count - 1.
  type, bind(C) :: redist_range
    integer(c_int64_t) :: first = 0
    integer(c_int64_t) :: count = 0
  end type redist_range

  ! The indices of what the calling process has, or is to have. Make it with
  ! redist_indices_of_list, redist_indices_of_ranges or redist_indices_of_dist.
  type, bind(C) :: redist_indices
    integer(c_int64_t) :: n = 0
    type(c_ptr) :: list = c_null_ptr
    type(c_ptr) :: ranges = c_null_ptr
    type(redist_dist) :: dist
  end type redist_indices

  ! What can be chosen: redist_options(strategy='sendrecv', op=REDIST_OP_TRANSPOSE), say.
  ! See redist_options in redist.h.
  type :: redist_options
    character(:), allocatable :: strategy
    integer(int64) :: staging_bytes = 0
    integer :: side = REDIST_SOURCE
    integer :: op = REDIST_OP_NONE
    logical :: scaled = .false.
    logical :: in_place = .false.
    real(real64) :: timeout_s = 0
    integer :: reduction = REDIST_REDUCTION_NONE
    type(redist_topology) :: topology
    type(c_ptr) :: stream = c_null_ptr
    integer, allocatable :: source_type ! a datatype as mpi has it: of mpi_f08's, MPI_VAL
    logical :: checked = .false.
  end type redist_options

  ! What a plan does on the calling process: see redist_report in redist.h.
  type :: redist_report
    character(:), allocatable :: strategy
    integer(int64) :: elements_kept = 0, elements_sent = 0, elements_received = 0
    integer(int64) :: messages_sent = 0, messages_received = 0
    integer(int64) :: element_bytes = 0, plan_bytes = 0
    integer(int64) :: staging_bytes = 0, staging_peak_bytes = 0
    integer :: arrays = 0
    integer(int64) :: bytes_kept = 0, bytes_sent = 0, bytes_received = 0
    character(:), allocatable :: origin
  end type redist_report

  ! How an array lies in a file: redist_file_layout(shape=[300_int64, 200_int64],
  ! type='<f8'), say. See redist_file_layout in files.h.
  type :: redist_file_layout
    character(:), allocatable :: format ! as redist_file_describe says it
    integer(int64), allocatable :: shape(:)
    character(:), allocatable :: type
    integer :: order = REDIST_ROW_MAJOR
    integer(int64), allocatable :: chunk(:) ! as long as shape; not given: as suits
    character(:), allocatable :: codec
    integer(int64) :: offset = 0
    integer :: version = 0
  end type redist_file_layout

  ! See redist_file_options in files.h.
  type :: redist_file_options
    type(redist_file_layout), allocatable :: layout
    character(:), allocatable :: format
    integer(int64) :: staging_bytes = 0
    integer :: writers = 0
    logical :: checked = .false.
  end type redist_file_options

  ! What redist_file_set_progress takes: `done` slabs of `total` were read or written.
  abstract interface
    subroutine redist_file_progress(context, done, total) bind(C)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: done, total
    end subroutine redist_file_progress
  end interface
end module redist_types
