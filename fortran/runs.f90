! SPDX-License-Identifier: MIT
!
! runs.f90 - run plans: redist_execute, redist_start and their forms, in Fortran.
!
! A buffer is any contiguous array, of any type and rank. Who takes no part on a side
! leaves its buffer out, passes an array of size 0, or one that is not allocated. The
! buffers of a batch are addresses from c_loc, c_null_ptr for those who take no part.
!
! A process that passes what can't be used takes part all the same, without a buffer, so
! that no other waits for it, and all return an error.
module redist_runs
  use redist_types
  use redist_c
  use redist_errors
  use redist_buffers
  implicit none
  private

  public :: redist_execute, redist_start, redist_plan_tune
  public :: redist_execute_in_place, redist_start_in_place
  public :: redist_execute_batch, redist_start_batch, redist_plan_tune_batch
  public :: redist_execute_scaled, redist_start_scaled
  public :: redist_execute_batch_scaled, redist_start_batch_scaled
  public :: redist_test, redist_wait

contains

  ! The address of alpha or beta, one number of the plan's type.
  function coefficient(name, plan, number, fault)
    character(*), intent(in) :: name
    type(redist_plan), intent(in) :: plan
    class(*), intent(in), target :: number
    character(:), allocatable, intent(inout) :: fault
    type(c_ptr) :: coefficient
    type(c_report) :: report
    integer :: bytes
    coefficient = c_null_ptr
    bytes = storage_size(number) / 8
    if (c_plan_report(plan%handle, report) /= REDIST_OK) return
    if (bytes == report%element_bytes) then
      coefficient = address_of(number)
    else if (.not. allocated(fault)) then
      fault = name // ' has ' // decimal(bytes) // ' bytes, must have ' // &
              decimal(int(report%element_bytes)) // ', being of the type of the arrays'
      call redist_refuse(fault)
    end if
  end function coefficient

  function address_of(number) result(address)
    type(*), intent(in), target :: number
    type(c_ptr) :: address
    address = c_loc(number)
  end function address_of

  ! ---- one array ---------------------------------------------------------------------

  ! Move the elements of `source` to `target`. Collective.
  subroutine redist_execute(plan, source, target, ierror)
    type(redist_plan), intent(in) :: plan
    type(*), intent(in), optional, target :: source(..)
    type(*), intent(inout), optional, target :: target(..)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: from, to
    from = address('source', source, fault)
    to = address('target', target, fault)
    call finish_run(c_execute(plan%handle, from, to), fault, ierror)
  end subroutine redist_execute

  ! Start to move. Source and target, which should be asynchronous, are the plan's until
  ! redist_wait has returned or redist_test has said done; these two tell what was wrong
  ! with them. Collective.
  subroutine redist_start(plan, source, target, ierror)
    type(redist_plan), intent(inout) :: plan
    type(*), intent(in), optional, target, asynchronous :: source(..)
    type(*), intent(inout), optional, target, asynchronous :: target(..)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: from, to
    from = address('source', source, fault)
    to = address('target', target, fault)
    call finish_start(c_start(plan%handle, from, to), plan, fault, ierror)
  end subroutine redist_start

  ! As redist_start; what this process did wrong is kept for who waits.
  subroutine finish_start(err, plan, fault, ierror)
    integer, intent(in) :: err
    type(redist_plan), intent(inout) :: plan
    character(:), allocatable, intent(inout) :: fault
    integer, intent(out), optional :: ierror
    if (err == REDIST_OK) call move_alloc(fault, plan%fault)
    call finish_run(err, fault, ierror)
  end subroutine finish_start

  ! Run a plan in place: `array` holds the source before and the target after. It is apart
  ! from redist_execute as Fortran forbids one array as two arguments. Collective.
  subroutine redist_execute_in_place(plan, array, ierror)
    type(redist_plan), intent(in) :: plan
    type(*), intent(inout), optional, target :: array(..)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: both
    both = address('array', array, fault)
    call finish_run(c_execute(plan%handle, both, both), fault, ierror)
  end subroutine redist_execute_in_place

  subroutine redist_start_in_place(plan, array, ierror)
    type(redist_plan), intent(inout) :: plan
    type(*), intent(inout), optional, target, asynchronous :: array(..)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: both
    both = address('array', array, fault)
    call finish_start(c_start(plan%handle, both, both), plan, fault, ierror)
  end subroutine redist_start_in_place

  ! Time the few strategies that the model finds best, on these buffers, and keep the
  ! fastest. Collective.
  subroutine redist_plan_tune(plan, source, target, ierror)
    type(redist_plan), intent(in) :: plan
    type(*), intent(in), optional, target :: source(..)
    type(*), intent(inout), optional, target :: target(..)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: from, to
    from = address('source', source, fault)
    to = address('target', target, fault)
    call finish_run(c_plan_tune(plan%handle, from, to), fault, ierror)
  end subroutine redist_plan_tune

  ! Run, or start, a plan made with scaled=.true.:
  !
  !   target = alpha op(source) + beta target
  !
  ! `alpha` and `beta` are numbers of the arrays' own type and kind. Collective.
  subroutine redist_execute_scaled(plan, alpha, source, beta, target, ierror)
    type(redist_plan), intent(in) :: plan
    class(*), intent(in), target :: alpha, beta
    type(*), intent(in), optional, target :: source(..)
    type(*), intent(inout), optional, target :: target(..)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: a, b, from, to
    a = coefficient('alpha', plan, alpha, fault)
    b = coefficient('beta', plan, beta, fault)
    from = address('source', source, fault)
    to = address('target', target, fault)
    call finish_run(c_execute_scaled(plan%handle, a, from, b, to), fault, ierror)
  end subroutine redist_execute_scaled

  subroutine redist_start_scaled(plan, alpha, source, beta, target, ierror)
    type(redist_plan), intent(inout) :: plan
    class(*), intent(in), target :: alpha, beta
    type(*), intent(in), optional, target, asynchronous :: source(..)
    type(*), intent(inout), optional, target, asynchronous :: target(..)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: a, b, from, to
    a = coefficient('alpha', plan, alpha, fault)
    b = coefficient('beta', plan, beta, fault)
    from = address('source', source, fault)
    to = address('target', target, fault)
    call finish_start(c_start_scaled(plan%handle, a, from, b, to), plan, fault, ierror)
  end subroutine redist_start_scaled

  ! ---- several arrays ----------------------------------------------------------------

  ! A list of addresses, long enough for C to read: what is missing is NULL.
  function listed(plan, buffers) result(list)
    type(redist_plan), intent(in) :: plan
    type(c_ptr), intent(in) :: buffers(:)
    type(c_ptr), allocatable :: list(:)
    type(c_report) :: report
    integer :: k, n
    n = size(buffers)
    if (c_plan_report(plan%handle, report) == REDIST_OK) n = max(n, int(report%arrays))
    allocate (list(n))
    do k = 1, n
      list(k) = c_null_ptr
      if (k <= size(buffers)) list(k) = buffers(k)
    end do
  end function listed

  ! Run, or start, a plan of several arrays, array k from `sources`(k) to `targets`(k).
  ! Collective.
  subroutine redist_execute_batch(plan, sources, targets, ierror)
    type(redist_plan), intent(in) :: plan
    type(c_ptr), intent(in) :: sources(:), targets(:)
    integer, intent(out), optional :: ierror
    call finish(c_execute_batch(plan%handle, listed(plan, sources), &
                                listed(plan, targets)), ierror)
  end subroutine redist_execute_batch

  subroutine redist_start_batch(plan, sources, targets, ierror)
    type(redist_plan), intent(inout) :: plan
    type(c_ptr), intent(in) :: sources(:), targets(:)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    call finish_start(c_start_batch(plan%handle, listed(plan, sources), &
                                    listed(plan, targets)), plan, fault, ierror)
  end subroutine redist_start_batch

  subroutine redist_plan_tune_batch(plan, sources, targets, ierror)
    type(redist_plan), intent(in) :: plan
    type(c_ptr), intent(in) :: sources(:), targets(:)
    integer, intent(out), optional :: ierror
    call finish(c_plan_tune_batch(plan%handle, listed(plan, sources), &
                                  listed(plan, targets)), ierror)
  end subroutine redist_plan_tune_batch

  ! The same with one alpha and one beta for all arrays.
  subroutine redist_execute_batch_scaled(plan, alpha, sources, beta, targets, ierror)
    type(redist_plan), intent(in) :: plan
    class(*), intent(in), target :: alpha, beta
    type(c_ptr), intent(in) :: sources(:), targets(:)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: a, b
    a = coefficient('alpha', plan, alpha, fault)
    b = coefficient('beta', plan, beta, fault)
    call finish_run(c_execute_batch_scaled(plan%handle, a, listed(plan, sources), b, &
                                           listed(plan, targets)), fault, ierror)
  end subroutine redist_execute_batch_scaled

  subroutine redist_start_batch_scaled(plan, alpha, sources, beta, targets, ierror)
    type(redist_plan), intent(inout) :: plan
    class(*), intent(in), target :: alpha, beta
    type(c_ptr), intent(in) :: sources(:), targets(:)
    integer, intent(out), optional :: ierror
    character(:), allocatable :: fault
    type(c_ptr) :: a, b
    a = coefficient('alpha', plan, alpha, fault)
    b = coefficient('beta', plan, beta, fault)
    call finish_start(c_start_batch_scaled(plan%handle, a, listed(plan, sources), b, &
                                           listed(plan, targets)), plan, fault, ierror)
  end subroutine redist_start_batch_scaled

  ! ---- what is under way -------------------------------------------------------------

  ! Drive what was started without waiting; `done` tells when this process is through.
  ! Local.
  subroutine redist_test(plan, done, ierror)
    type(redist_plan), intent(inout) :: plan
    logical, intent(out) :: done
    integer, intent(out), optional :: ierror
    integer :: flag, err
    flag = 0
    err = c_test(plan%handle, flag)
    done = flag /= 0
    call finish_run(err, plan%fault, ierror)
  end subroutine redist_test

  ! Wait until what was started is done. Collective.
  subroutine redist_wait(plan, ierror)
    type(redist_plan), intent(inout) :: plan
    integer, intent(out), optional :: ierror
    call finish_run(c_wait(plan%handle), plan%fault, ierror)
  end subroutine redist_wait
end module redist_runs
