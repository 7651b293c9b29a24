! SPDX-License-Identifier: MIT
!
! test_runs.f90 - every call that makes and runs plans, over mpi_f08: rows go to columns
! and each element says where it belongs.
program test_runs
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08
  use redist
  use check
  implicit none
  integer, parameter :: n = 17, m = 10
  type(redist_dist) :: rows, columns
  type(redist_view) :: source, target
  real(real64), allocatable, asynchronous, target :: a(:, :), b(:, :)
  integer :: height, width

  call begin()
  call set_up()
  call one_array_moves()
  call what_was_started_comes()
  call a_tuned_plan_moves_too()
  call arithmetic_on_the_way()
  call batches_move_all()
  call numbers_are_converted()
  call in_place_takes_one_buffer()
  call any_type_and_rank()
  call shared_memory_is_like_any_other()
  call small_parts_are_buffers()
  call errors_reach_all()
  call unhandled_errors_go_to_mpi()
  call redist_dist_destroy(rows)
  call redist_dist_destroy(columns)
  call conclude()

contains

  ! Element (i,j) of [n,m], from 0, of array k.
  elemental real(real64) function element(i, j, k)
    integer, intent(in) :: i, j, k
    element = 1000*k + m*i + j + 1
  end function element

  function onto(format) result(text)
    character(*), intent(in) :: format
    character(:), allocatable :: text
    character(80) :: wide
    write (wide, '(a, i0, a, i0, 3a, i0, a)') '[', n, ',', m, '] ', format, ' onto ', &
      nprocs, ' order column-major'
    text = trim(wide)
  end function onto

  ! Row i lies with process mod(i, P), column j with process mod(j, P).
  subroutine set_up()
    call redist_view_parse(onto('(cyclic(1),*)'), rows, source)
    call redist_view_parse(onto('(*,cyclic(1))'), columns, target)
    height = (n - mine + nprocs - 1) / nprocs
    width = (m - mine + nprocs - 1) / nprocs
    allocate (a(height, m), b(n, width))
    call fill(a, 0)
    b = -1
  end subroutine set_up

  subroutine fill(x, k)
    real(real64), intent(out) :: x(:, :)
    integer, intent(in) :: k
    integer :: i, j
    do j = 1, size(x, 2)
      do i = 1, size(x, 1)
        x(i, j) = element(mine + (i - 1)*nprocs, j - 1, k)
      end do
    end do
  end subroutine fill

  ! Whether x holds alpha times this process's columns of array k.
  logical function arrived(x, k, alpha)
    real(real64), intent(in) :: x(:, :), alpha
    integer, intent(in) :: k
    integer :: i, j
    arrived = size(x) == n*width
    do j = 1, width
      do i = 1, n
        arrived = arrived .and. x(i, j) == alpha*element(i - 1, mine + (j - 1)*nprocs, k)
      end do
    end do
  end function arrived

  subroutine one_array_moves()
    type(redist_plan) :: plan
    type(redist_report) :: report
    integer(int64) :: kept
    integer :: j
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, source, target, plan)
    call redist_execute(plan, a, b)
    call expect(arrived(b, 0, 1d0), 'what was executed')
    kept = height*count([(mod(j, nprocs) == mine, j=0, m - 1)])
    call redist_plan_report(plan, report)
    call expect(report%elements_kept == kept, 'elements kept')
    call expect(report%elements_sent == height*m - kept, 'elements sent')
    call expect(report%elements_received == n*width - kept, 'elements received')
    call expect(report%bytes_sent == 8*report%elements_sent, 'bytes sent')
    call expect(report%element_bytes == 8 .and. report%arrays == 1, 'bytes, arrays')
    call expect(len(report%strategy) > 0 .and. len(report%origin) > 0, 'a strategy')
    call redist_plan_destroy(plan)
    call expect(.not. c_associated(plan%handle), 'a destroyed plan is none')
    call redist_plan_destroy(plan)
  end subroutine one_array_moves

  subroutine what_was_started_comes()
    type(redist_plan) :: plan
    type(redist_report) :: report
    logical :: done
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, source, target, plan, &
                            redist_options(strategy='nonblocking '))
    b = -1
    call redist_start(plan, a, b)
    call redist_wait(plan)
    call expect(arrived(b, 0, 1d0), 'what was waited for')
    b = -1
    call redist_start(plan, a, b)
    done = .false.
    do while (.not. done)
      call redist_test(plan, done)
    end do
    call expect(arrived(b, 0, 1d0), 'what was tested for')
    call redist_plan_report(plan, report)
    call expect(report%strategy == 'nonblocking', 'its strategy: ' // report%strategy)
    call expect(report%origin == 'given', 'its origin: ' // report%origin)
    call redist_plan_destroy(plan)
  end subroutine what_was_started_comes

  subroutine a_tuned_plan_moves_too()
    type(redist_plan) :: plan
    type(redist_report) :: report
    type(c_ptr) :: from(1), to(1)
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, source, target, plan)
    b = -1
    call redist_plan_tune(plan, a, b)
    call expect(arrived(b, 0, 1d0), 'what a tuned plan moves')
    call redist_plan_report(plan, report)
    call expect(report%origin == 'tuned' .or. nprocs == 1, 'tuned: ' // report%origin)
    from = c_loc(a)
    to = c_loc(b)
    b = -1
    call redist_plan_tune_batch(plan, from, to)
    call expect(arrived(b, 0, 1d0), 'what a tuned batch moves')
    call redist_plan_destroy(plan)
  end subroutine a_tuned_plan_moves_too

  subroutine arithmetic_on_the_way()
    type(redist_plan) :: plan
    integer :: err
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, source, target, plan, &
                            redist_options(scaled=.true.))
    call redist_execute_scaled(plan, 2d0, a, 0d0, b)
    call expect(arrived(b, 0, 2d0), 'alpha')
    call redist_start_scaled(plan, 3d0, a, -1d0, b)
    call redist_wait(plan)
    call expect(arrived(b, 0, 1d0), 'alpha and beta')
    call redist_execute_scaled(plan, 2.0, a, 0d0, b, err)
    call expect_error(err, REDIST_ERR_ARG, 'alpha has 4 bytes, must have 8')
    call redist_execute_scaled(plan, 2d0, a, 0, b, err)
    call expect_error(err, REDIST_ERR_ARG, 'beta has 4 bytes, must have 8')
    call redist_plan_destroy(plan)
    call a_transposition()
  call a_reduction()
  end subroutine arithmetic_on_the_way

  ! Columns of the transpose of [n,m] are its rows: nothing changes place, all its order.
  subroutine a_transposition()
    type(redist_dist) :: across
    type(redist_view) :: turned
    type(redist_plan) :: plan
    type(redist_report) :: report
    real(real64), allocatable :: c(:, :)
    character(80) :: text
    write (text, '(3(a, i0), a)') '[', m, ',', n, '] (*,cyclic(1)) onto ', nprocs, &
      ' order column-major'
    call redist_view_parse(text, across, turned)
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, source, turned, plan, &
                            redist_options(op=REDIST_OP_TRANSPOSE))
    allocate (c(m, height))
    c = -1
    call redist_execute(plan, a, c)
    call expect(all(c == transpose(a)), 'the transpose')
    call redist_plan_report(plan, report)
    call expect(report%elements_sent == 0, 'nothing sent')
    call redist_plan_destroy(plan)
    call redist_dist_destroy(across)
  end subroutine a_transposition

  ! Each process has a part of every sum, and gets its block of the sums.
  subroutine a_reduction()
    type(redist_dist) :: partial, blocks
    type(redist_view) :: from, to
    type(redist_plan) :: plan
    integer(int64), allocatable :: x(:), sums(:)
    integer(int64) :: span, k, err
    character(80) :: text
    write (text, '(a, i0)') '[40] (*) onto ', nprocs
    call redist_view_parse(text, partial, from)
    write (text, '(a, i0)') '[40] (cyclic(1)) onto ', nprocs
    call redist_view_parse(text, blocks, to)
    call redist_plan_create(MPI_COMM_WORLD, MPI_INTEGER8, from, to, plan, &
                            redist_options(reduction=REDIST_REDUCTION_SUM))
    x = [((mine + 1)*k, k = 0, 39)]
    call redist_view_span(to, mine, span)
    allocate (sums(span))
    sums = -1
    call redist_execute(plan, x, sums)
    err = sum(abs(sums - nprocs*(nprocs + 1)/2*[(k, k = mine, 39, nprocs)]))
    call expect(err == 0, 'the sums')
    call redist_plan_destroy(plan)
    call redist_dist_destroy(partial)
    call redist_dist_destroy(blocks)
  end subroutine a_reduction

  subroutine batches_move_all()
    type(redist_plan) :: plan
    real(real64), allocatable, target :: a2(:, :), b2(:, :)
    type(c_ptr) :: from(2), to(2)
    integer :: err
    a2 = a
    b2 = b
    call fill(a2, 2)
    from = [c_loc(a), c_loc(a2)]
    to = [c_loc(b), c_loc(b2)]
    call redist_plan_create_batch(MPI_COMM_WORLD, [MPI_REAL8, MPI_REAL8], &
                                  [source, source], [target, target], plan, &
                                  redist_options(scaled=.true.))
    b = -1
    b2 = -1
    call redist_execute_batch(plan, from, to)
    call expect(arrived(b, 0, 1d0) .and. arrived(b2, 2, 1d0), 'a batch')
    b = -1
    b2 = -1
    call redist_start_batch(plan, from, to)
    call redist_wait(plan)
    call expect(arrived(b, 0, 1d0) .and. arrived(b2, 2, 1d0), 'a started batch')
    call redist_execute_batch_scaled(plan, 2d0, from, 1d0, to)
    call expect(arrived(b, 0, 3d0) .and. arrived(b2, 2, 3d0), 'a scaled batch')
    call redist_start_batch_scaled(plan, 5d0, from, 0d0, to)
    call redist_wait(plan)
    call expect(arrived(b, 0, 5d0) .and. arrived(b2, 2, 5d0), 'a started scaled batch')
    call redist_execute_batch(plan, from(:1), to(:1), err)
    call expect_error(err, REDIST_ERR_ARG, 'item 1')
    call redist_plan_destroy(plan)
    call redist_plan_create_batch(MPI_COMM_WORLD, [MPI_REAL8], [source, source], &
                                  [target, target], plan, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'nitems is 0')
  end subroutine batches_move_all

  subroutine in_place_takes_one_buffer()
    type(redist_plan) :: plan
    real(real64), allocatable, asynchronous :: buffer(:)
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, source, target, plan, &
                            redist_options(in_place=.true., staging_bytes=65536_int64))
    allocate (buffer(max(size(a), size(b))))
    buffer(:size(a)) = reshape(a, [size(a)])
    call redist_execute_in_place(plan, buffer)
    call expect(arrived(reshape(buffer(:n*width), [n, width]), 0, 1d0), 'in place')
    buffer(:size(a)) = reshape(a, [size(a)])
    call redist_start_in_place(plan, buffer)
    call redist_wait(plan)
    call expect(arrived(reshape(buffer(:n*width), [n, width]), 0, 1d0), 'started there')
    call redist_plan_destroy(plan)
  end subroutine in_place_takes_one_buffer

  ! Doubles become numbers of two bytes in the other byte order, and back.
  subroutine numbers_are_converted()
    type(redist_plan) :: plan, back
    type(redist_options) :: options
    type(MPI_Datatype) :: short
    integer(c_int16_t), allocatable :: c(:, :)
    integer :: err
    call redist_type_create('>i2', short)
    options = redist_options(source_type=MPI_REAL8%MPI_VAL, checked=.true.)
    call redist_plan_create(MPI_COMM_WORLD, short, source, target, plan, options)
    options%source_type = short%MPI_VAL
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, target, target, back, options)
    allocate (c(size(b, 1), size(b, 2)))
    call redist_execute(plan, a, c)
    b = 0
    call redist_execute(back, c, b)
    call expect(arrived(b, 0, 1d0), 'converted')
    if (size(a) > 0) a(1, 1) = a(1, 1) + 0.5d0
    call redist_execute(plan, a, c, err)
    call expect_error(err, REDIST_ERR_ARG, "the target's element (0, 0) would be 1.5")
    if (size(a) > 0) a(1, 1) = a(1, 1) - 0.5d0
    call redist_plan_destroy(back)
    call redist_plan_destroy(plan)
    call MPI_Type_free(short)
    call redist_type_create('f3', short, err)
    call expect_error(err, REDIST_ERR_ARG, 'text is "f3", must be i1')
  end subroutine numbers_are_converted

  ! From process 0 alone to all, by elements of a type of the program's own; those that
  ! hold nothing pass an array of size 0, or nothing, or what is not allocated.
  subroutine any_type_and_rank()
    type :: point
      real(real32) :: x, y, z
      integer :: label
    end type point
    type(redist_dist) :: one, all_of_them
    type(redist_view) :: from, to
    type(redist_plan) :: plan
    type(MPI_Datatype) :: bytes
    type(point), allocatable :: cube(:, :, :), part(:)
    real(real64), allocatable :: unallocated(:)
    character(60) :: text
    integer :: k
    write (text, '(a, i0, a)') '[', 8*nprocs, '] (block) onto 1'
    call redist_view_parse(text, one, from)
    write (text, '(a, i0, a, i0)') '[', 8*nprocs, '] (block) onto ', nprocs
    call redist_view_parse(text, all_of_them, to)
    call MPI_Type_contiguous(int(storage_size(point(0, 0, 0, 0))/8), MPI_BYTE, bytes)
    call MPI_Type_commit(bytes)
    call redist_plan_create(MPI_COMM_WORLD, bytes, from, to, plan)
    call MPI_Type_free(bytes)
    allocate (cube(2, 4, merge(nprocs, 0, mine == 0)), part(8))
    cube = reshape([(point(0, 1, 2, k), k=1, size(cube))], shape(cube))
    call redist_execute(plan, cube, part)
    call expect(all(part%label == [(8*mine + k, k=1, 8)]), 'labels')
    call expect(all(part%z == 2), 'heights')
    part%label = -1
    if (mine == 0) then
      call redist_execute(plan, cube, part)
    else
      call redist_execute(plan, target=part)
    end if
    call expect(all(part%label == [(8*mine + k, k=1, 8)]), 'labels without a source')
    part%label = -1
    if (mine == 0) then
      call redist_execute(plan, cube, part)
    else
      call redist_execute(plan, unallocated, part)
    end if
    call expect(all(part%label == [(8*mine + k, k=1, 8)]), 'labels from who has none')
    call redist_plan_destroy(plan)
    call redist_dist_destroy(one)
    call redist_dist_destroy(all_of_them)
  end subroutine any_type_and_rank

  subroutine shared_memory_is_like_any_other()
    type(redist_plan) :: plan
    type(c_ptr) :: memory, other
    real(real64), pointer :: shared(:, :)
    integer :: err
    call redist_alloc_view(MPI_COMM_WORLD, MPI_REAL8, source, memory)
    call redist_alloc(MPI_COMM_WORLD, 8_int64*n*m, other)
    call c_f_pointer(memory, shared, [height, m])
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, source, target, plan)
    shared = a
    b = -1
    call redist_execute(plan, shared, b)
    call expect(arrived(b, 0, 1d0), 'out of shared memory')
    call c_f_pointer(other, shared, [n, width])
    call redist_execute(plan, a, shared)
    call expect(arrived(shared, 0, 1d0), 'into shared memory')
    call redist_plan_destroy(plan)
    call redist_free(memory)
    call expect(.not. c_associated(memory), 'freed memory is none')
    call redist_free(other)
    other = c_loc(b)
    call redist_free(other, err)
    call expect_error(err, REDIST_ERR_ARG, 'memory')
  end subroutine shared_memory_is_like_any_other

  ! Parts of arrays that are not contiguous, but have one element, or none.
  subroutine small_parts_are_buffers()
    type(redist_dist) :: one
    type(redist_view) :: view
    type(redist_plan) :: plan
    real(real64) :: from(3, 3), to(3, 3)
    from = 5
    to = 0
    call redist_view_parse('[1] (block) onto 1', one, view)
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, view, view, plan)
    if (mine == 0) call redist_execute(plan, from(1:3:4, 2:2), to(2:2, 3:3))
    if (mine > 0) call redist_execute(plan, from(:0, ::2), to(::2, :0))
    call expect(nint(sum(to)) == merge(5, 0, mine == 0), 'one element')
    call expect(nint(to(2, 3)) == merge(5, 0, mine == 0), 'its place')
    call redist_plan_destroy(plan)
    call redist_dist_destroy(one)
  end subroutine small_parts_are_buffers

  ! The last process passes every other column, which no pointer can tell.
  subroutine errors_reach_all()
    type(redist_plan) :: plan
    type(redist_view) :: other
    type(redist_report) :: report
    logical :: done, last
    integer :: err
    character(:), allocatable :: words
    last = mine == nprocs - 1
    words = 'source is not contiguous'
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, source, target, plan)
    if (last) call redist_execute(plan, a(:, ::2), b, err)
    if (.not. last) call redist_execute(plan, a, b, err)
    call expect_error(err, REDIST_ERR_ARG, words)
    if (last) call redist_start(plan, a(:, ::2), b)
    if (.not. last) call redist_start(plan, a, b)
    call redist_wait(plan, err)
    call expect_error(err, REDIST_ERR_ARG, words)
    call redist_execute(plan, a, b, err)
    call expect(err == REDIST_OK .and. arrived(b, 0, 1d0), 'a good run after a bad one')
    if (last) call redist_refuse('the disk is full')
    call redist_execute(plan, a, b, err)
    call expect_error(err, REDIST_ERR_ARG, 'the disk is full')
    if (last) call redist_refuse('the disk is full')
    if (last) call redist_refuse()
    call redist_execute(plan, a, b, err)
    call expect(err == REDIST_OK .and. arrived(b, 0, 1d0), 'what was taken back')
    if (last) call redist_execute(plan, a(:0, ::2), b, err)
    if (.not. last) call redist_execute(plan, a, b, err)
    call expect_error(err, REDIST_ERR_ARG, 'source is NULL')

    call redist_wait(plan, err)
    call expect_error(err, REDIST_ERR_STATE, 'not been started')
    call redist_test(plan, done, err)
    call expect_error(err, REDIST_ERR_STATE, 'not been started')
    call redist_start(plan, a, b)
    call redist_plan_destroy(plan, err)
    call expect_error(err, REDIST_ERR_STATE, 'redist_wait')
    call redist_wait(plan)
    call redist_plan_destroy(plan)
    call redist_plan_report(plan, report, err)
    call expect_error(err, REDIST_ERR_ARG, 'plan is NULL')

    other = target
    other%extent(1) = n - 1
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, source, other, plan, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, '16')
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, source, target, plan, &
                            redist_options(strategy='by mail'), err)
    call expect_error(err, REDIST_ERR_ARG, 'by mail')
    call redist_plan_create(MPI_COMM_WORLD, MPI_REAL8, source, target, plan, &
                            redist_options(staging_bytes=-1_int64), err)
    call expect_error(err, REDIST_ERR_ARG, 'staging_bytes')
  end subroutine errors_reach_all

  ! Without ierror, what is wrong is for the error handler of MPI_COMM_WORLD.
  subroutine unhandled_errors_go_to_mpi()
    type(MPI_Errhandler) :: handler
    type(redist_dist) :: dist
    call MPI_Comm_create_errhandler(note, handler)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)
    noted = ''
    call redist_dist_parse('[12] (cyclic(0)) onto 2', dist)
    call expect(index(noted, 'cyclic') > 0, 'the sentence in "' // trim(noted) // '"')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
    call MPI_Errhandler_free(handler)
  end subroutine unhandled_errors_go_to_mpi
end program test_runs
