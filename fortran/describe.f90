! SPDX-License-Identifier: MIT
!
! describe.f90 - say who owns what: redist/describe.h in Fortran, where each call's terms
! stand. What differs here: arrays know their sizes, outputs come before what is optional,
! and a view is of an array in column-major order unless you or its text say otherwise.
module redist_describe
  use, intrinsic :: iso_c_binding, only: c_loc
  use redist_types
  use redist_c
  use redist_errors
  implicit none
  private

  public :: redist_grid_create, redist_grid_destroy, redist_grid_naxes, redist_grid_shape
  public :: redist_grid_size, redist_grid_rank, redist_grid_coords
  public :: redist_collapsed, redist_block, redist_block_of, redist_cyclic
  public :: redist_gen_block, redist_indirect
  public :: redist_dist_create, redist_dist_destroy, redist_dist_ndims, redist_dist_extent
  public :: redist_dist_grid, redist_dist_equal, redist_dist_local_extents
  public :: redist_dist_owner, redist_dist_index, redist_dist_parse, redist_dist_print
  public :: redist_indices_of_list, redist_indices_of_ranges, redist_indices_of_dist
  public :: operator(==), operator(/=)

  ! Numbers of elements may be of either kind.
  interface redist_block_of
    module procedure block_of_int32, block_of_int64
  end interface
  interface redist_cyclic
    module procedure cyclic_int32, cyclic_int64
  end interface
  interface redist_gen_block
    module procedure gen_block_int32, gen_block_int64
  end interface
  interface redist_dist_create
    module procedure dist_create_int32, dist_create_int64
  end interface

  interface operator(==)
    module procedure redist_dist_equal
  end interface
  interface operator(/=)
    module procedure dist_unequal
  end interface

contains

  ! ---- process grids -----------------------------------------------------------------

  ! Create a process grid of size(shape) axes; linear position k, counted over the
  ! coordinates in `order` (REDIST_ROW_MAJOR unless given), is rank `ranks`(k+1), or k.
  subroutine redist_grid_create(shape, grid, order, ranks, ierror)
    integer, intent(in) :: shape(:)
    type(redist_grid), intent(out) :: grid
    integer, intent(in), optional :: order
    integer, intent(in), optional, target, contiguous :: ranks(:)
    integer, intent(out), optional :: ierror
    integer :: how
    integer(int64) :: needed
    type(c_ptr) :: list
    how = REDIST_ROW_MAJOR
    if (present(order)) how = order
    list = c_null_ptr
    if (present(ranks)) then
      needed = min(product(int(shape, int64)), int(huge(0), int64))
      if (.not. suffices('ranks', size(ranks), int(needed), ierror)) return
      list = c_loc(ranks)
    end if
    call finish(c_grid_create(size(shape), shape, how, list, grid%handle), ierror)
  end subroutine redist_grid_create

  subroutine redist_grid_destroy(grid)
    type(redist_grid), intent(inout) :: grid
    call c_grid_destroy(grid%handle)
  end subroutine redist_grid_destroy

  pure integer function redist_grid_naxes(grid) result(naxes)
    type(redist_grid), intent(in) :: grid
    naxes = c_grid_naxes(grid%handle)
  end function redist_grid_naxes

  pure integer function redist_grid_shape(grid, axis) result(coordinates)
    type(redist_grid), intent(in) :: grid
    integer, intent(in) :: axis
    coordinates = c_grid_shape(grid%handle, axis)
  end function redist_grid_shape

  pure integer(int64) function redist_grid_size(grid) result(processes)
    type(redist_grid), intent(in) :: grid
    processes = c_grid_size(grid%handle)
  end function redist_grid_size

  ! Return the rank at `coords`(naxes), -1 if they lie outside or are too few.
  pure integer function redist_grid_rank(grid, coords) result(rank)
    type(redist_grid), intent(in) :: grid
    integer, intent(in) :: coords(:)
    rank = -1
    if (size(coords) >= redist_grid_naxes(grid)) rank = c_grid_rank(grid%handle, coords)
  end function redist_grid_rank

  ! Find the `coords`(naxes) of `rank`; they are -1 if the rank is not in the grid.
  subroutine redist_grid_coords(grid, rank, coords, ierror)
    type(redist_grid), intent(in) :: grid
    integer, intent(in) :: rank
    integer, intent(out) :: coords(:)
    integer, intent(out), optional :: ierror
    integer :: all(REDIST_MAX_DIMS), naxes
    coords = -1
    naxes = redist_grid_naxes(grid)
    if (.not. suffices('coords', size(coords), naxes, ierror)) return
    if (c_grid_coords(grid%handle, rank, all) == 1) coords(:naxes) = all(:naxes)
    call finish(REDIST_OK, ierror)
  end subroutine redist_grid_coords

  ! ---- formats -----------------------------------------------------------------------

  pure type(redist_format) function redist_collapsed() result(format)
    format%kind = REDIST_COLLAPSED_KIND
  end function redist_collapsed

  ! The indices of a list, those of ranges, or those that a dist gives the process. They
  ! are borrowed until the plan is made: a list must be a target, and contiguous. The next
  ! collective call fails if it is not contiguous.
  type(redist_indices) function redist_indices_of_list(list) result(indices)
    integer(int64), intent(in), target :: list(:)
    indices%n = size(list, kind=int64)
    if (is_contiguous(list)) then
      indices%list = c_loc(list)
    else
      call redist_refuse('the list of indices is not contiguous, must be')
    end if
  end function redist_indices_of_list

  type(redist_indices) function redist_indices_of_ranges(ranges) result(indices)
    type(redist_range), intent(in), target :: ranges(:)
    indices%n = size(ranges, kind=int64)
    if (is_contiguous(ranges)) then
      indices%ranges = c_loc(ranges)
    else
      call redist_refuse('the list of ranges is not contiguous, must be')
    end if
  end function redist_indices_of_ranges

  pure type(redist_indices) function redist_indices_of_dist(dist) result(indices)
    type(redist_dist), intent(in) :: dist
    indices%dist = dist
  end function redist_indices_of_dist

  pure type(redist_format) function redist_block() result(format)
    format%kind = REDIST_BLOCK_KIND
  end function redist_block

  pure type(redist_format) function block_of_int64(m) result(format)
    integer(int64), intent(in) :: m
    format%kind = REDIST_BLOCK_KIND
    format%block = m
  end function block_of_int64

  pure type(redist_format) function block_of_int32(m) result(format)
    integer, intent(in) :: m
    format = block_of_int64(int(m, int64))
  end function block_of_int32

  pure type(redist_format) function cyclic_int64(m) result(format)
    integer(int64), intent(in) :: m
    format%kind = REDIST_CYCLIC_KIND
    format%block = m
  end function cyclic_int64

  pure type(redist_format) function cyclic_int32(m) result(format)
    integer, intent(in) :: m
    format = cyclic_int64(int(m, int64))
  end function cyclic_int32

  pure type(redist_format) function gen_block_int64(sizes) result(format)
    integer(int64), intent(in) :: sizes(:)
    format%kind = REDIST_GEN_BLOCK_KIND
    format%block = 0
    format%sizes = sizes
  end function gen_block_int64

  pure type(redist_format) function gen_block_int32(sizes) result(format)
    integer, intent(in) :: sizes(:)
    format = gen_block_int64(int(sizes, int64))
  end function gen_block_int32

  pure type(redist_format) function redist_indirect(owners) result(format)
    integer, intent(in) :: owners(:)
    format%kind = REDIST_INDIRECT_KIND
    format%block = 0
    format%owners = owners
  end function redist_indirect

  ! ---- distributions -----------------------------------------------------------------

  ! A list as C reads it: of any length, so lengthened by what no list may hold.
  subroutine lengthen_sizes(format, length)
    type(redist_format), intent(inout) :: format
    integer(int64), intent(in) :: length
    integer(int64) :: i, n
    if (.not. allocated(format%sizes)) return
    n = size(format%sizes)
    format%sizes = [format%sizes, (-1_int64, i = n + 1, length)]
  end subroutine lengthen_sizes

  ! Create a distribution of an array of `extents`(ndims) elements, dimension i-1 by
  ! `formats`(i).
  subroutine dist_create_int64(extents, formats, grid, dist, ierror)
    integer(int64), intent(in) :: extents(:)
    type(redist_format), intent(in) :: formats(:)
    type(redist_grid), intent(in) :: grid
    type(redist_dist), intent(out) :: dist
    integer, intent(out), optional :: ierror
    type(redist_format), target :: own(size(formats))
    type(c_format) :: given(size(formats))
    integer :: i, axis, longest
    if (.not. suffices('formats', size(formats), size(extents), ierror)) return
    longest = 1
    do axis = 0, redist_grid_naxes(grid) - 1
      longest = max(longest, redist_grid_shape(grid, axis))
    end do
    own = formats
    do i = 1, size(extents)
      call lengthen_sizes(own(i), int(longest, int64))
      if (allocated(own(i)%owners)) then
        if (size(own(i)%owners, kind=int64) < extents(i)) then
          call fail('dim ' // decimal(i - 1) // ': indirect has ' // &
                    decimal(size(own(i)%owners)) // ' owners, must have one for ' // &
                    'each element', ierror)
          return
        end if
      end if
      given(i) = c_format(own(i)%kind, own(i)%block, own(i)%first, own(i)%axis, &
                          c_null_ptr, c_null_ptr)
      if (allocated(own(i)%sizes)) given(i)%sizes = c_loc(own(i)%sizes)
      if (allocated(own(i)%owners)) given(i)%owners = c_loc(own(i)%owners)
    end do
    call finish(c_dist_create(size(extents), extents, given, grid%handle, dist%handle), &
                ierror)
  end subroutine dist_create_int64

  subroutine dist_create_int32(extents, formats, grid, dist, ierror)
    integer, intent(in) :: extents(:)
    type(redist_format), intent(in) :: formats(:)
    type(redist_grid), intent(in) :: grid
    type(redist_dist), intent(out) :: dist
    integer, intent(out), optional :: ierror
    call dist_create_int64(int(extents, int64), formats, grid, dist, ierror)
  end subroutine dist_create_int32

  subroutine redist_dist_destroy(dist)
    type(redist_dist), intent(inout) :: dist
    call c_dist_destroy(dist%handle)
  end subroutine redist_dist_destroy

  pure integer function redist_dist_ndims(dist) result(ndims)
    type(redist_dist), intent(in) :: dist
    ndims = c_dist_ndims(dist%handle)
  end function redist_dist_ndims

  pure integer(int64) function redist_dist_extent(dist, dim) result(extent)
    type(redist_dist), intent(in) :: dist
    integer, intent(in) :: dim
    extent = c_dist_extent(dist%handle, dim)
  end function redist_dist_extent

  ! The grid is the dist's: not to be destroyed.
  pure type(redist_grid) function redist_dist_grid(dist) result(grid)
    type(redist_dist), intent(in) :: dist
    grid%handle = c_dist_grid(dist%handle)
  end function redist_dist_grid

  pure logical function redist_dist_equal(a, b) result(equal)
    type(redist_dist), intent(in) :: a, b
    equal = c_dist_equal(a%handle, b%handle) == 1
  end function redist_dist_equal

  pure logical function dist_unequal(a, b) result(unequal)
    type(redist_dist), intent(in) :: a, b
    unequal = .not. redist_dist_equal(a, b)
  end function dist_unequal

  ! Find the elements that `rank` holds along each dimension, `local`(ndims).
  subroutine redist_dist_local_extents(dist, rank, local, ierror)
    type(redist_dist), intent(in) :: dist
    integer, intent(in) :: rank
    integer(int64), intent(out) :: local(:)
    integer, intent(out), optional :: ierror
    local = 0
    if (.not. suffices('local', size(local), redist_dist_ndims(dist), ierror)) return
    call finish(c_dist_local_extents(dist%handle, rank, local), ierror)
  end subroutine redist_dist_local_extents

  ! Find the rank that owns the element at `index`(ndims), from 0, and its place
  ! `local`(ndims) there, from 0 too.
  subroutine redist_dist_owner(dist, index, rank, local, ierror)
    type(redist_dist), intent(in) :: dist
    integer(int64), intent(in) :: index(:)
    integer, intent(out) :: rank
    integer(int64), intent(out), optional :: local(:)
    integer, intent(out), optional :: ierror
    integer(int64), target :: place(REDIST_MAX_DIMS)
    integer :: ndims, err
    ndims = redist_dist_ndims(dist)
    rank = -1
    if (present(local)) local = -1
    if (.not. suffices('index', size(index), ndims, ierror)) return
    if (present(local)) then
      if (.not. suffices('local', size(local), ndims, ierror)) return
    end if
    err = c_dist_owner(dist%handle, index, rank, c_loc(place))
    if (present(local) .and. err == REDIST_OK) local(:ndims) = place(:ndims)
    call finish(err, ierror)
  end subroutine redist_dist_owner

  ! Find the `index`(ndims) of the element at `local`(ndims) of `rank`, all from 0.
  subroutine redist_dist_index(dist, rank, local, index, ierror)
    type(redist_dist), intent(in) :: dist
    integer, intent(in) :: rank
    integer(int64), intent(in) :: local(:)
    integer(int64), intent(out) :: index(:)
    integer, intent(out), optional :: ierror
    integer :: ndims
    ndims = redist_dist_ndims(dist)
    index = -1
    if (.not. suffices('local', size(local), ndims, ierror)) return
    if (.not. suffices('index', size(index), ndims, ierror)) return
    call finish(c_dist_index(dist%handle, rank, local, index), ierror)
  end subroutine redist_dist_index

  subroutine redist_dist_parse(text, dist, ierror)
    character(*), intent(in) :: text
    type(redist_dist), intent(out) :: dist
    integer, intent(out), optional :: ierror
    call finish(c_dist_parse(text // c_null_char, dist%handle), ierror)
  end subroutine redist_dist_parse

  ! Write the text of a dist; empty if that fails.
  subroutine redist_dist_print(dist, text, ierror)
    type(redist_dist), intent(in) :: dist
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierror
    character(c_char), allocatable, target :: letters(:)
    integer(c_size_t) :: length
    integer :: err
    text = ''
    length = 0
    err = c_dist_print(dist%handle, c_null_ptr, 0_c_size_t, length)
    if (err == REDIST_OK) then
      allocate (letters(length + 1))
      err = c_dist_print(dist%handle, c_loc(letters), length + 1, length)
      text = from_c(c_loc(letters))
    end if
    call finish(err, ierror)
  end subroutine redist_dist_print
end module redist_describe
