! SPDX-License-Identifier: MIT
!
! propose.f90 - distributions that the library proposes: redist/propose.h in Fortran,
! where each call's terms stand. All of it is local.
module redist_propose
  use redist_types
  use redist_c
  use redist_errors
  implicit none
  private

  public :: redist_balance_shares, redist_balance_dists, redist_relabel

contains

  ! Find how many elements each process should have, `shares`(nprocs), where they have
  ! `counts`(nprocs), in proportion to `weights`(nprocs), alike unless given; method is
  ! REDIST_BALANCE_A, _B or _A_CEILING.
  subroutine redist_balance_shares(method, counts, shares, weights, ierror)
    integer, intent(in) :: method
    integer(int64), intent(in) :: counts(:)
    integer(int64), intent(out), contiguous :: shares(:)
    integer(int64), intent(in), optional, target, contiguous :: weights(:)
    integer, intent(out), optional :: ierror
    type(c_ptr) :: list
    shares = 0
    if (.not. suffices('shares', size(shares), size(counts), ierror)) return
    list = c_null_ptr
    if (present(weights)) then
      if (.not. suffices('weights', size(weights), size(counts), ierror)) return
      list = c_loc(weights)
    end if
    call finish(c_balance_shares(method, size(counts), counts, list, shares), ierror)
  end subroutine redist_balance_shares

  ! Create the two dists of one dimension between which elements move that lie
  ! `counts`(nprocs) and shall lie `shares`(nprocs).
  subroutine redist_balance_dists(method, counts, shares, source, target, ierror)
    integer, intent(in) :: method
    integer(int64), intent(in) :: counts(:), shares(:)
    type(redist_dist), intent(out) :: source, target
    integer, intent(out), optional :: ierror
    if (.not. suffices('shares', size(shares), size(counts), ierror)) return
    call finish(c_balance_dists(method, size(counts), counts, shares, source%handle, &
                                target%handle), ierror)
  end subroutine redist_balance_dists

  ! Create a dist like that of `target`, its ranks where the fewest elements have to move
  ! from `source`: put it in place of target%dist. `nodes`(r+1) is the node of rank r, for
  ! all ranks of both grids; an element that moves within a node counts as `within`
  ! percent, 0 unless given. `kept`: the elements that stay, as given and as proposed.
  subroutine redist_relabel(source, target, dist, nodes, within, kept, ierror)
    type(redist_view), intent(in) :: source, target
    type(redist_dist), intent(out) :: dist
    integer, intent(in), optional, target, contiguous :: nodes(:)
    integer, intent(in), optional :: within
    integer(int64), intent(out), optional, target :: kept(2)
    integer, intent(out), optional :: ierror
    type(c_ptr) :: list, stay
    integer :: percent
    list = c_null_ptr
    stay = c_null_ptr
    percent = 0
    if (present(within)) percent = within
    if (present(kept)) then
      kept = 0
      stay = c_loc(kept)
    end if
    if (present(nodes)) then
      if (beyond(nodes, source) + beyond(nodes, target) > 0) then
        call fail('nodes has ' // decimal(size(nodes)) // ' elements, must have one ' // &
                  'for each rank of both grids', ierror)
        return
      end if
      list = c_loc(nodes)
    end if
    call finish(c_relabel(source, target, list, percent, dist%handle, stay), ierror)
  end subroutine redist_relabel

  ! How many ranks of a view's grid lie beyond a list that counts ranks from 0.
  integer(int64) function beyond(nodes, view)
    integer, intent(in) :: nodes(:)
    type(redist_view), intent(in) :: view
    type(c_ptr) :: grid
    integer :: coords(REDIST_MAX_DIMS), rank
    grid = c_dist_grid(view%dist%handle)
    beyond = c_grid_size(grid)
    do rank = 0, size(nodes) - 1
      beyond = beyond - c_grid_coords(grid, rank, coords)
    end do
  end function beyond
end module redist_propose
