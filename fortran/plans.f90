! SPDX-License-Identifier: MIT
!
! plans.f90 - make plans and memory: redist/redist.h in Fortran, where each call's terms
! stand. Communicators and datatypes are those of mpi_f08 or the integers of mpi; outputs
! come before what is optional.
module redist_plans
  use mpi_f08, only: MPI_Comm, MPI_Datatype
  use redist_types
  use redist_c
  use redist_errors
  implicit none
  private

  public :: redist_type_create
  public :: redist_plan_create, redist_plan_create_batch, redist_plan_destroy
  public :: redist_plan_create_indexed
  public :: redist_balance_create, redist_balance_create_sized
  public :: redist_plan_report, redist_alloc, redist_alloc_view, redist_free

  interface redist_type_create
    module procedure type_create_f08, type_create_mpi
  end interface
  interface redist_plan_create
    module procedure plan_create_f08, plan_create_mpi
  end interface
  interface redist_plan_create_batch
    module procedure plan_create_batch_f08, plan_create_batch_mpi
  end interface
  interface redist_plan_create_indexed
    module procedure plan_create_indexed_f08, plan_create_indexed_mpi
  end interface
  interface redist_balance_create
    module procedure balance_create_f08, balance_create_mpi
  end interface
  interface redist_balance_create_sized
    module procedure balance_create_sized_f08, balance_create_sized_mpi
  end interface
  interface redist_alloc
    module procedure alloc_f08, alloc_mpi
  end interface
  interface redist_alloc_view
    module procedure alloc_view_f08, alloc_view_mpi
  end interface

contains

  ! Put the options as C has them; `strategy` is the memory of theirs.
  function options_for_c(options, strategy) result(c)
    type(redist_options), intent(in), optional :: options
    character(:), allocatable, target, intent(out) :: strategy
    type(c_options) :: c
    type(redist_options) :: chosen
    strategy = c_null_char
    if (present(options)) chosen = options
    if (allocated(chosen%strategy)) strategy = to_c(chosen%strategy)
    c%size = c_sizeof(c)
    c%strategy = c_null_ptr
    if (allocated(chosen%strategy)) c%strategy = c_loc(strategy)
    ! C has no negative sizes: 1 is refused too, by all processes.
    c%staging_bytes = merge(1_int64, chosen%staging_bytes, chosen%staging_bytes < 0)
    c%side = chosen%side
    c%op = chosen%op
    c%scaled = merge(1, 0, chosen%scaled)
    c%in_place = merge(1, 0, chosen%in_place)
    c%timeout_s = chosen%timeout_s
    c%reduction = chosen%reduction
    c%topology = chosen%topology%handle
    c%stream = chosen%stream
    call c_no_type(c%source_type)
    if (allocated(chosen%source_type)) call c_type(chosen%source_type, c%source_type)
    c%checked = merge(1, 0, chosen%checked)
  end function options_for_c

  ! Create the datatype of the numbers that a text names, such as '>f4'; free it with
  ! MPI_Type_free. If it fails, `datatype` is as before.
  subroutine type_create_mpi(text, datatype, ierror)
    character(*), intent(in) :: text
    integer, intent(inout) :: datatype
    integer, intent(out), optional :: ierror
    call finish(c_type_create(to_c(text), datatype), ierror)
  end subroutine type_create_mpi

  subroutine type_create_f08(text, datatype, ierror)
    character(*), intent(in) :: text
    type(MPI_Datatype), intent(inout) :: datatype
    integer, intent(out), optional :: ierror
    call type_create_mpi(text, datatype%MPI_VAL, ierror)
  end subroutine type_create_f08

  ! Create the plan that moves the section `source` of an array of elements of `datatype`
  ! to the section `target` of another. Collective over comm.
  subroutine plan_create_mpi(comm, datatype, source, target, plan, options, ierror)
    integer, intent(in) :: comm, datatype
    type(redist_view), intent(in) :: source, target
    type(redist_plan), intent(out) :: plan
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    character(:), allocatable, target :: strategy
    call finish(c_plan_create(comm, datatype, source, target, &
                              options_for_c(options, strategy), plan%handle), ierror)
  end subroutine plan_create_mpi

  subroutine plan_create_f08(comm, datatype, source, target, plan, options, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Datatype), intent(in) :: datatype
    type(redist_view), intent(in) :: source, target
    type(redist_plan), intent(out) :: plan
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    call plan_create_mpi(comm%MPI_VAL, datatype%MPI_VAL, source, target, plan, options, &
                         ierror)
  end subroutine plan_create_f08

  ! Create one plan that moves several arrays at once, array k from `sources`(k) to
  ! `targets`(k), of elements of `datatypes`(k). Lists of different lengths are a batch of
  ! none, which all processes refuse. Collective over comm.
  subroutine plan_create_batch_mpi(comm, datatypes, sources, targets, plan, options, &
                                   ierror)
    integer, intent(in) :: comm, datatypes(:)
    type(redist_view), intent(in), target, contiguous :: sources(:), targets(:)
    type(redist_plan), intent(out) :: plan
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    character(:), allocatable, target :: strategy
    type(c_item) :: items(size(datatypes))
    integer :: k, nitems
    nitems = size(datatypes)
    if (size(sources) /= nitems .or. size(targets) /= nitems) nitems = 0
    do k = 1, nitems
      call c_type(datatypes(k), items(k)%type)
      items(k)%source = c_loc(sources(k))
      items(k)%target = c_loc(targets(k))
    end do
    call finish(c_plan_create_batch(comm, nitems, items, &
                                    options_for_c(options, strategy), plan%handle), &
                ierror)
  end subroutine plan_create_batch_mpi

  subroutine plan_create_batch_f08(comm, datatypes, sources, targets, plan, options, &
                                   ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Datatype), intent(in) :: datatypes(:)
    type(redist_view), intent(in), target, contiguous :: sources(:), targets(:)
    type(redist_plan), intent(out) :: plan
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    call plan_create_batch_mpi(comm%MPI_VAL, datatypes%MPI_VAL, sources, targets, plan, &
                               options, ierror)
  end subroutine plan_create_batch_f08

  ! Create the plan that moves elements by their indices, 0 .. extent - 1: those that the
  ! process has, and those that it is to have. Collective over comm.
  subroutine plan_create_indexed_mpi(comm, datatype, extent, source, target, plan, &
                                     options, ierror)
    integer, intent(in) :: comm, datatype
    integer(int64), intent(in) :: extent
    type(redist_indices), intent(in) :: source, target
    type(redist_plan), intent(out) :: plan
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    character(:), allocatable, target :: strategy
    call finish(c_plan_create_indexed(comm, datatype, extent, source, target, &
                                      options_for_c(options, strategy), plan%handle), &
                ierror)
  end subroutine plan_create_indexed_mpi

  subroutine plan_create_indexed_f08(comm, datatype, extent, source, target, plan, &
                                     options, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Datatype), intent(in) :: datatype
    integer(int64), intent(in) :: extent
    type(redist_indices), intent(in) :: source, target
    type(redist_plan), intent(out) :: plan
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    call plan_create_indexed_mpi(comm%MPI_VAL, datatype%MPI_VAL, extent, source, target, &
                                 plan, options, ierror)
  end subroutine plan_create_indexed_f08

  ! ---- balances ----------------------------------------------------------------------

  ! Create the plan that balances what processes have: each passes the `count` of elements
  ! that it has and gets the `share` that its target must have room for. `weight` is the
  ! process's own, 1 unless given. Collective over comm.
  subroutine balance_create_mpi(comm, count, datatype, method, plan, share, weight, &
                                options, ierror)
    integer, intent(in) :: comm, datatype, method
    integer(int64), intent(in) :: count
    type(redist_plan), intent(out) :: plan
    integer(int64), intent(out) :: share
    integer(int64), intent(in), optional :: weight
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    character(:), allocatable, target :: strategy
    share = 0
    call finish(c_balance_create(comm, count, datatype, method, weight_or_1(weight), &
                                 options_for_c(options, strategy), plan%handle, share), &
                ierror)
  end subroutine balance_create_mpi

  subroutine balance_create_f08(comm, count, datatype, method, plan, share, weight, &
                                options, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: method
    type(redist_plan), intent(out) :: plan
    integer(int64), intent(out) :: share
    integer(int64), intent(in), optional :: weight
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    call balance_create_mpi(comm%MPI_VAL, count, datatype%MPI_VAL, method, plan, share, &
                            weight, options, ierror)
  end subroutine balance_create_f08

  ! The same of elements of different `sizes`, those of this process in units of
  ! `datatype`: a plan for redist_execute_batch, of the sizes (integers of 8 bytes) and
  ! the units. The process gets `count_share` elements of `unit_share` units in all.
  ! Collective over comm.
  subroutine balance_create_sized_mpi(comm, sizes, datatype, method, plan, count_share, &
                                      unit_share, weight, options, ierror)
    integer, intent(in) :: comm, datatype, method
    integer(int64), intent(in) :: sizes(:)
    type(redist_plan), intent(out) :: plan
    integer(int64), intent(out) :: count_share, unit_share
    integer(int64), intent(in), optional :: weight
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    character(:), allocatable, target :: strategy
    count_share = 0
    unit_share = 0
    call finish(c_balance_create_sized(comm, size(sizes, kind=int64), sizes, datatype, &
                                       method, weight_or_1(weight), &
                                       options_for_c(options, strategy), plan%handle, &
                                       count_share, unit_share), ierror)
  end subroutine balance_create_sized_mpi

  subroutine balance_create_sized_f08(comm, sizes, datatype, method, plan, count_share, &
                                      unit_share, weight, options, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in) :: sizes(:)
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: method
    type(redist_plan), intent(out) :: plan
    integer(int64), intent(out) :: count_share, unit_share
    integer(int64), intent(in), optional :: weight
    type(redist_options), intent(in), optional :: options
    integer, intent(out), optional :: ierror
    call balance_create_sized_mpi(comm%MPI_VAL, sizes, datatype%MPI_VAL, method, plan, &
                                  count_share, unit_share, weight, options, ierror)
  end subroutine balance_create_sized_f08

  pure integer(int64) function weight_or_1(weight)
    integer(int64), intent(in), optional :: weight
    weight_or_1 = 1
    if (present(weight)) weight_or_1 = weight
  end function weight_or_1

  ! ---- any plan ----------------------------------------------------------------------

  ! Collective over the plan's processes.
  subroutine redist_plan_destroy(plan, ierror)
    type(redist_plan), intent(inout) :: plan
    integer, intent(out), optional :: ierror
    call finish(c_plan_destroy(plan%handle), ierror)
  end subroutine redist_plan_destroy

  ! Fill in the report of a plan, what a run of it moves and by which strategy.
  subroutine redist_plan_report(plan, report, ierror)
    type(redist_plan), intent(in) :: plan
    type(redist_report), intent(out) :: report
    integer, intent(out), optional :: ierror
    type(c_report) :: c
    integer :: err
    err = c_plan_report(plan%handle, c)
    if (err == REDIST_OK) then
      report%strategy = from_c(c%strategy)
      report%elements_kept = c%elements_kept
      report%elements_sent = c%elements_sent
      report%elements_received = c%elements_received
      report%messages_sent = c%messages_sent
      report%messages_received = c%messages_received
      report%element_bytes = c%element_bytes
      report%plan_bytes = c%plan_bytes
      report%staging_bytes = c%staging_bytes
      report%staging_peak_bytes = c%staging_peak_bytes
      report%arrays = c%arrays
      report%bytes_kept = c%bytes_kept
      report%bytes_sent = c%bytes_sent
      report%bytes_received = c%bytes_received
      report%origin = from_c(c%origin)
    end if
    call finish(err, ierror)
  end subroutine redist_plan_report

  ! ---- memory that the node shares ---------------------------------------------------

  ! Allocate `bytes` in which other processes of the node can read; give them a shape by
  ! c_f_pointer. Collective over comm.
  subroutine alloc_mpi(comm, bytes, memory, ierror)
    integer, intent(in) :: comm
    integer(int64), intent(in) :: bytes
    type(c_ptr), intent(out) :: memory
    integer, intent(out), optional :: ierror
    memory = c_null_ptr
    call finish(c_alloc(comm, int(bytes, c_size_t), memory), ierror)
  end subroutine alloc_mpi

  subroutine alloc_f08(comm, bytes, memory, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in) :: bytes
    type(c_ptr), intent(out) :: memory
    integer, intent(out), optional :: ierror
    call alloc_mpi(comm%MPI_VAL, bytes, memory, ierror)
  end subroutine alloc_f08

  ! Allocate such memory for the local array of a view. Collective over comm.
  subroutine alloc_view_mpi(comm, datatype, view, memory, ierror)
    integer, intent(in) :: comm, datatype
    type(redist_view), intent(in) :: view
    type(c_ptr), intent(out) :: memory
    integer, intent(out), optional :: ierror
    memory = c_null_ptr
    call finish(c_alloc_view(comm, datatype, view, memory), ierror)
  end subroutine alloc_view_mpi

  subroutine alloc_view_f08(comm, datatype, view, memory, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Datatype), intent(in) :: datatype
    type(redist_view), intent(in) :: view
    type(c_ptr), intent(out) :: memory
    integer, intent(out), optional :: ierror
    call alloc_view_mpi(comm%MPI_VAL, datatype%MPI_VAL, view, memory, ierror)
  end subroutine alloc_view_f08

  ! Free such memory and set `memory` to c_null_ptr. Collective over those who made it.
  subroutine redist_free(memory, ierror)
    type(c_ptr), intent(inout) :: memory
    integer, intent(out), optional :: ierror
    integer :: err
    err = c_free(memory)
    if (err == REDIST_OK) memory = c_null_ptr
    call finish(err, ierror)
  end subroutine redist_free
end module redist_plans
