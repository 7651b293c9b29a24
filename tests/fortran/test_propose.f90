! SPDX-License-Identifier: MIT
!
! test_propose.f90 - what the library proposes, and the plans that balance.
program test_propose
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use redist
  use check
  implicit none
  call begin()
  call shares_follow_weights()
  call dists_say_what_moves()
  call relabelled_ranks_keep_most()
  call nodes_count()
  call a_balance_keeps_the_order()
  call a_balance_moves_the_surplus()
  call sized_elements_stay_whole()
  call errors_are_sentences()
  call conclude()

contains

  subroutine shares_follow_weights()
    integer(int64) :: shares(3)
    call redist_balance_shares(REDIST_BALANCE_A, [8_int64, 1_int64, 3_int64], shares)
    call expect(all(shares == 4), 'equal shares')
    call redist_balance_shares(REDIST_BALANCE_B, [8_int64, 1_int64, 3_int64], shares, &
                               weights=[1_int64, 2_int64, 0_int64])
    call expect(all(shares == [4, 8, 0]), 'shares by weight')
  end subroutine shares_follow_weights

  ! Of 8, 1 and 3 elements; B numbers those that stay first, then those that move.
  subroutine dists_say_what_moves()
    integer(int64), parameter :: counts(3) = [8, 1, 3], shares(3) = [4, 4, 4]
    type(redist_dist) :: source, target
    call redist_balance_dists(REDIST_BALANCE_A, counts, shares, source, target)
    call expect_dist(source, '[12] (gen_block(8,1,3)) onto 3')
    call expect_dist(target, '[12] (gen_block(4,4,4)) onto 3')
    call redist_balance_dists(REDIST_BALANCE_B, counts, shares, source, target)
    call expect_dist(source, '[12] (indirect(0,0,0,0,1,2,2,2,0,0,0,0)) onto 3')
    call expect_dist(target, '[12] (indirect(0,0,0,0,1,2,2,2,1,1,1,2)) onto 3')
  end subroutine dists_say_what_moves

  ! `dist` is what the text says; then it is destroyed.
  subroutine expect_dist(dist, text)
    type(redist_dist), intent(inout) :: dist
    character(*), intent(in) :: text
    type(redist_dist) :: parsed
    call redist_dist_parse(text, parsed)
    call expect(dist == parsed, text)
    call redist_dist_destroy(parsed)
    call redist_dist_destroy(dist)
  end subroutine expect_dist

  subroutine relabelled_ranks_keep_most()
    character(*), parameter :: from = '[800,800] (cyclic(100),cyclic(100)) onto 2x4', &
                               to = '[800,800] (cyclic(100),cyclic(100)) onto 4x2'
    type(redist_dist) :: dist(2), better
    type(redist_view) :: source, target
    integer(int64) :: kept(2)
    call redist_view_parse(from, dist(1), source)
    call redist_view_parse(to, dist(2), target)
    call redist_relabel(source, target, better, kept=kept)
    call expect(all(kept == 800*800 - [480000, 320000]), 'what is kept')
    call expect_dist(better, to // ' ranks 0,1,4,5,2,3,6,7')
    call redist_dist_destroy(dist(1))
    call redist_dist_destroy(dist(2))
  end subroutine relabelled_ranks_keep_most

  ! Ranks 0 and 3 are of one node, 1 and 2 of another.
  subroutine nodes_count()
    integer, parameter :: nodes(4) = [0, 1, 1, 0]
    type(redist_dist) :: dist(2), better
    type(redist_view) :: source, target
    integer :: err
    call redist_view_parse('[4] (block) onto 2 ranks 0,1', dist(1), source)
    call redist_view_parse('[4] (block) onto 2 ranks 2,3', dist(2), target)
    call redist_relabel(source, target, better, nodes)
    call expect_dist(better, '[4] (block) onto 2 ranks 3,2')
    call redist_relabel(source, target, better, nodes, within=100)
    call expect_dist(better, '[4] (block) onto 2 ranks 2,3')
    call redist_relabel(source, target, better, nodes(:3), ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'nodes has 3 elements, must have one')
    call redist_relabel(source, target, better, nodes, within=101, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'within is 101')
    call redist_dist_destroy(dist(1))
    call redist_dist_destroy(dist(2))
  end subroutine nodes_count

  ! ---- plans -------------------------------------------------------------------------

  ! Process k has 3 k + 1 elements.
  pure integer function count_of(k)
    integer, intent(in) :: k
    count_of = 3*k + 1
  end function count_of

  ! Its elements, numbered over all processes.
  function numbered(k) result(elements)
    integer, intent(in) :: k
    real(real64), allocatable :: elements(:)
    integer :: i, before
    before = sum([(count_of(i), i=0, k - 1)])
    elements = [(real(before + i, real64), i=1, count_of(k))]
  end function numbered

  function shares_of(method) result(shares)
    integer, intent(in) :: method
    integer(int64) :: shares(0:nprocs - 1)
    integer :: k
    call redist_balance_shares(method, [(int(count_of(k), int64), k=0, nprocs - 1)], &
                               shares, weights=[(int(k + 1, int64), k=0, nprocs - 1)])
  end function shares_of

  subroutine a_balance_keeps_the_order()
    type(redist_plan) :: plan
    real(real64), allocatable :: a(:), b(:)
    integer(int64) :: share, shares(0:nprocs - 1), before
    integer :: i
    a = numbered(mine)
    shares = shares_of(REDIST_BALANCE_A)
    call redist_balance_create(MPI_COMM_WORLD, size(a, kind=int64), MPI_REAL8, &
                               REDIST_BALANCE_A, plan, share, weight=mine + 1_int64)
    call expect(share == shares(mine), 'the share')
    allocate (b(share))
    b = -1
    call redist_execute(plan, a, b)
    before = sum(shares(:mine - 1))
    call expect(all(b == [(real(before + i, real64), i=1, int(share))]), 'the order')
    call redist_plan_destroy(plan)
  end subroutine a_balance_keeps_the_order

  subroutine a_balance_moves_the_surplus()
    type(redist_plan) :: plan
    type(redist_report) :: report
    real(real64), allocatable :: a(:), b(:)
    integer(int64) :: share, kept, n, most
    real(real64) :: total
    integer :: k
    a = numbered(mine)
    n = sum([(count_of(k), k=0, nprocs - 1)])
    most = (n + nprocs - 1)/nprocs
    call redist_balance_create(MPI_COMM_WORLD, size(a, kind=int64), MPI_REAL8, &
                               REDIST_BALANCE_B, plan, share, &
                               options=redist_options(strategy='nonblocking'))
    call expect(share == most .or. share == n/nprocs, 'an equal share')
    allocate (b(share))
    b = -1
    call redist_execute(plan, a, b)
    kept = min(share, size(a, kind=int64))
    call expect(all(b(:kept) == a(:kept)), 'what stays is first')
    call MPI_Allreduce(sum(b), total, 1, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD)
    call expect(nint(total, int64) == n*(n + 1)/2, 'all are somewhere')
    call redist_plan_report(plan, report)
    call expect(report%elements_sent == size(a) - kept, 'no more is sent')
    call expect(report%strategy == 'nonblocking', 'by the strategy of the options')
    call redist_plan_destroy(plan)
  end subroutine a_balance_moves_the_surplus

  ! Element e, from 1, is of mod(e, 4) units, each of which says e.
  subroutine sized_elements_stay_whole()
    type(redist_plan) :: plan
    integer(int64), allocatable, target :: sizes(:), new_sizes(:)
    real(real64), allocatable, target :: elements(:), units(:), new_units(:)
    integer(int64) :: count_share, unit_share, all_units, n
    integer :: i, j, k
    elements = numbered(mine)
    sizes = mod(nint(elements, int64), 4_int64)
    units = [((elements(i), j=1, int(sizes(i))), i=1, size(elements))]
    call redist_balance_create_sized(MPI_COMM_WORLD, sizes, MPI_REAL8, REDIST_BALANCE_A, &
                                     plan, count_share, unit_share)
    n = sum([(count_of(k), k=0, nprocs - 1)])
    all_units = sum([(mod(k, 4), k=1, int(n))])
    call expect(unit_share <= (all_units + nprocs - 1)/nprocs + 3, 'a share of units')
    allocate (new_sizes(count_share), new_units(unit_share))
    new_sizes = -1
    new_units = -1
    call redist_execute_batch(plan, [c_loc(sizes), c_loc(units)], &
                              [c_loc(new_sizes), c_loc(new_units)])
    call expect(sum(new_sizes) == unit_share, 'as many units as sizes say')
    j = 0
    do i = 1, int(count_share)
      do k = 1, int(new_sizes(i))
        j = j + 1
        call expect(mod(nint(new_units(j)), 4) == new_sizes(i), 'an element is whole')
        if (k > 1) call expect(new_units(j) == new_units(j - 1), 'and is one')
      end do
    end do
    call redist_plan_destroy(plan)
  end subroutine sized_elements_stay_whole

  ! What the last process does wrong all learn.
  subroutine errors_are_sentences()
    type(redist_plan) :: plan
    type(redist_dist) :: source, target
    integer(int64) :: share, units, shares(2)
    integer :: err
    logical :: last
    last = mine == nprocs - 1
    call redist_balance_create(MPI_COMM_WORLD, merge(-1_int64, 3_int64, last), &
                               MPI_REAL8, REDIST_BALANCE_A, plan, share, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'count is -1')
    call redist_balance_create(MPI_COMM_WORLD, 3_int64, MPI_REAL8, 7, plan, share, &
                               ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'method is 7')
    call redist_balance_create_sized(MPI_COMM_WORLD, [merge(-2_int64, 3_int64, last)], &
                                     MPI_REAL8, REDIST_BALANCE_B, plan, share, units, &
                                     ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'sizes[0] is -2')
    call expect(.not. c_associated(plan%handle), 'no plan')
    call redist_balance_shares(REDIST_BALANCE_A, [1_int64, 2_int64, 3_int64], shares, &
                               ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'shares has 2 elements, must have 3')
    call redist_balance_shares(REDIST_BALANCE_A, [1_int64, 2_int64], shares, &
                               weights=[1_int64], ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'weights has 1 elements, must have 2')
    call redist_balance_dists(REDIST_BALANCE_A, [1_int64, 2_int64], [3_int64], source, &
                              target, err)
    call expect_error(err, REDIST_ERR_ARG, 'shares has 1 elements, must have 2')
    call redist_balance_dists(REDIST_BALANCE_A, [1_int64, 2_int64], [2_int64, 2_int64], &
                              source, target, err)
    call expect_error(err, REDIST_ERR_ARG, '3')
  end subroutine errors_are_sentences
end program test_propose
