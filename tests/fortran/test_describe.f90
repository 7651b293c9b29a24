! SPDX-License-Identifier: MIT
!
! test_describe.f90 - every call that says who owns what, and what it says of bad
! arguments.
program test_describe
  use, intrinsic :: iso_fortran_env, only: int64
  use redist
  use check
  implicit none
  call begin()
  call grids_map_coordinates_to_ranks()
  call formats_are_those_of_the_text()
  call every_element_has_an_owner()
  call views_are_column_major_unless_told()
  call descriptors_and_darrays_are_texts()
  call errors_are_sentences()
  call conclude()

contains

  subroutine grids_map_coordinates_to_ranks()
    type(redist_grid) :: grid, listed
    integer :: coords(2)
    call redist_grid_create([2, 3], grid, order=REDIST_COLUMN_MAJOR)
    call expect(redist_grid_naxes(grid) == 2, 'two axes')
    call expect(redist_grid_shape(grid, 1) == 3, 'three coordinates along axis 1')
    call expect(redist_grid_size(grid) == 6, 'six processes')
    call expect(redist_grid_rank(grid, [1, 2]) == 5, 'rank 5 in the last corner')
    call expect(redist_grid_rank(grid, [0, 1]) == 2, 'column-major ranks')
    call expect(redist_grid_rank(grid, [2, 0]) == -1, 'no rank outside')
    call expect(redist_grid_rank(grid, [1]) == -1, 'no rank of too few coordinates')
    call redist_grid_coords(grid, 3, coords)
    call expect(all(coords == [1, 1]), 'coordinates of rank 3')
    call redist_grid_coords(grid, 6, coords)
    call expect(all(coords == -1), 'no coordinates of rank 6')
    call redist_grid_create([2, 2], listed, ranks=[7, 5, 3, 1])
    call expect(redist_grid_rank(listed, [0, 1]) == 5, 'ranks of a list, in rows')
    call redist_grid_destroy(grid)
    call redist_grid_destroy(listed)
    call expect(redist_grid_size(grid) == 0, 'a destroyed grid is of no processes')
  end subroutine grids_map_coordinates_to_ranks

  ! What the functions make must equal what the text says.
  subroutine formats_are_those_of_the_text()
    type(redist_format) :: shifted
    call compare([12, 9], [redist_block(), redist_cyclic(2)], &
                 '[12,9] (block,cyclic(2)) onto 2x3')
    call compare([12, 9], [redist_collapsed(), redist_block_of(5)], &
                 '[12,9] (*,block(5)) onto 2x3')
    call compare([12, 9], [redist_block_of(6_int64), redist_cyclic(4_int64)], &
                 '[12,9] (block(6),cyclic(4)) onto 2x3')
    call compare([12, 9], [redist_gen_block([12, 0]), redist_gen_block([1, 3, 5])], &
                 '[12,9] (gen_block(12,0),gen_block(1,3,5)) onto 2x3')
    call compare([3, 9], [redist_indirect([1, 0, 1]), &
                          redist_gen_block([4_int64, 4_int64, 1_int64])], &
                 '[3,9] (indirect(1,0,1),gen_block(4,4,1)) onto 2x3')
    shifted = redist_cyclic(3)
    shifted%first = 2
    shifted%axis = 1
    call compare([12, 9], [shifted, redist_block()], &
                 '[12,9] (cyclic(3) from 2 on 1,block) onto 2x3')
  end subroutine formats_are_those_of_the_text

  subroutine compare(extents, formats, text)
    integer, intent(in) :: extents(:)
    type(redist_format), intent(in) :: formats(:)
    character(*), intent(in) :: text
    type(redist_grid) :: grid
    type(redist_dist) :: made, parsed, other
    character(:), allocatable :: printed
    call redist_grid_create([2, 3], grid)
    call redist_dist_create(extents, formats, grid, made)
    call redist_dist_parse(text, parsed)
    call expect(redist_dist_equal(made, parsed), text // ' as made')
    call redist_dist_print(made, printed)
    call redist_dist_parse(printed, other)
    call expect(other == parsed .and. .not. other /= parsed, printed // ' as printed')
    call redist_dist_destroy(made)
    call redist_dist_destroy(parsed)
    call redist_dist_destroy(other)
    call redist_grid_destroy(grid)
  end subroutine compare

  subroutine every_element_has_an_owner()
    type(redist_dist) :: dist
    integer(int64) :: local(2), index(2), held(2), i, j
    integer :: rank
    call redist_dist_parse('[12,9] (block,cyclic(2)) onto 2x3', dist)
    call expect(redist_dist_ndims(dist) == 2, 'two dimensions')
    call expect(redist_dist_extent(dist, 1) == 9, 'extent of dimension 1')
    call expect(redist_grid_size(redist_dist_grid(dist)) == 6, 'the grid of a dist')
    call redist_dist_local_extents(dist, 3, held)
    call expect(all(held == [6, 4]), 'what rank 3 holds')
    do i = 0, 11
      do j = 0, 8
        call redist_dist_owner(dist, [i, j], rank, local)
        call expect(rank == i/6*3 + mod(j/2, 3_int64), 'the owner')
        call expect(all(local == [mod(i, 6_int64), j/6*2 + mod(j, 2_int64)]), 'the place')
        call redist_dist_index(dist, rank, local, index)
        call expect(all(index == [i, j]), 'the index')
      end do
    end do
    call redist_dist_owner(dist, [0_int64, 2_int64], rank)
    call expect(rank == 1, 'the owner alone')
    call redist_dist_destroy(dist)
    call expect(redist_dist_ndims(dist) == 0, 'a destroyed dist is of no dimensions')
  end subroutine every_element_has_an_owner

  subroutine views_are_column_major_unless_told()
    type(redist_dist) :: dist, other
    type(redist_view) :: view, parsed
    character(:), allocatable :: text
    integer(int64) :: elements
    call redist_dist_parse('[12,9] (block,*) onto 3', dist)
    call redist_view_init(dist, view)
    view%start(1:2) = [2, 0]
    view%extent(1:2) = [5, 9]
    view%stride(1) = 2
    view%halo_low(2) = 1
    call redist_view_print(view, text)
    call redist_view_parse('[12,9] (block,*) onto 3 section [2:10:2,0:8] ' // &
                           'order column-major halo (0,1:0)', other, parsed)
    call expect(all(parsed%order(1:2) == view%order(1:2)), 'column-major by itself')
    call redist_dist_destroy(other)
    call redist_view_parse(text, other, parsed)
    call expect(dist == other, 'the dist of a printed view')
    call expect(all(parsed%start == view%start .and. parsed%extent == view%extent .and. &
                    parsed%stride == view%stride .and. parsed%axes == view%axes .and. &
                    parsed%order == view%order .and. parsed%halo_low == view%halo_low &
                    .and. parsed%halo_high == view%halo_high), 'a printed view: ' // text)
    call redist_view_span(view, 1, elements)
    call expect(elements == 4*10, 'the span, halo included')
    call redist_view_init(dist, view, order=REDIST_ROW_MAJOR)
    call expect(all(view%order(1:2) == [0, 1]), 'row-major if told')
    call redist_view_set_order(view, REDIST_COLUMN_MAJOR)
    call expect(all(view%order(1:2) == [1, 0]), 'column-major if told')
    call redist_dist_destroy(dist)
    call redist_dist_destroy(other)
  end subroutine views_are_column_major_unless_told

  subroutine descriptors_and_darrays_are_texts()
    use mpi_f08, only: MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, &
      MPI_DISTRIBUTE_DFLT_DARG, MPI_ORDER_FORTRAN
    integer, parameter :: default = MPI_DISTRIBUTE_DFLT_DARG
    integer, parameter :: distribs(3) = &
      [MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE]
    type(redist_grid) :: grid
    type(redist_dist) :: dist, parsed
    type(redist_view) :: view
    call redist_grid_create([2, 3], grid)
    call redist_view_from_descriptor([1, 0, 12, 9, 2, 4, 1, 2, 13], grid, dist, view)
    call redist_dist_parse('[12,9] (cyclic(2) from 1,cyclic(4) from 2) onto 2x3', parsed)
    call expect(dist == parsed, 'a descriptor')
    call expect(all(view%lead(1:2) == [1, 13]), 'its leading dimension')
    call redist_dist_destroy(dist)
    call redist_dist_destroy(parsed)
    call redist_grid_destroy(grid)
    call redist_view_from_darray([12, 9, 4], distribs, [2, default, default], [2, 3, 1], &
                                 MPI_ORDER_FORTRAN, dist, view)
    call redist_dist_parse('[12,9,4] (cyclic(2),block,*) onto 2x3x1', parsed)
    call expect(dist == parsed, 'a darray')
    call expect(all(view%order(1:3) == [2, 1, 0]), 'its order')
    call redist_dist_destroy(dist)
    call redist_dist_destroy(parsed)
  end subroutine descriptors_and_darrays_are_texts

  subroutine errors_are_sentences()
    type(redist_grid) :: grid
    type(redist_dist) :: dist
    type(redist_view) :: view
    integer(int64) :: local(2)
    integer :: coords(1), rank, err
    call expect(redist_error_name(REDIST_ERR_MISMATCH) == 'MISMATCH', 'a name')
    call expect(redist_error_name(99) == 'unknown', 'no name')
    call redist_dist_parse('[12,9] (cyclic(0),*) onto 2', dist, err)
    call expect_error(err, REDIST_ERR_ARG, 'cyclic')
    call redist_grid_create([2, 0], grid, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'axis 1 of the grid has 0 processes')
    call redist_grid_create([2, 2], grid, ranks=[0, 1, 2], ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'ranks has 3 elements, must have 4')
    call redist_grid_create([2, 2], grid, ierror=err)
    call expect(err == REDIST_OK, 'a grid')
    call redist_dist_create([4, 4], [redist_block()], grid, dist, err)
    call expect_error(err, REDIST_ERR_ARG, 'formats has 1 elements, must have 2')
    call redist_dist_create([4], [redist_gen_block([4])], grid, dist, err)
    call expect_error(err, REDIST_ERR_ARG, 'dim 0')
    call redist_dist_create([10_int64**15], [redist_indirect([0, 1])], grid, dist, err)
    call expect_error(err, REDIST_ERR_ARG, 'dim 0: indirect has 2 owners')
    call redist_grid_coords(grid, 0, coords, err)
    call expect_error(err, REDIST_ERR_ARG, 'coords has 1 elements, must have 2')
    call redist_grid_destroy(grid)
    call redist_dist_create([4], [redist_block()], grid, dist, err)
    call expect_error(err, REDIST_ERR_ARG, 'grid is NULL')
    call redist_dist_parse('[4,4] (block,*) onto 2', dist)
    call redist_dist_owner(dist, [0_int64], rank, local, err)
    call expect_error(err, REDIST_ERR_ARG, 'index has 1 elements, must have 2')
    call redist_dist_owner(dist, [4_int64, 0_int64], rank, local, err)
    call expect_error(err, REDIST_ERR_ARG, 'index')
    call expect(rank == -1 .and. all(local == -1), 'no owner')
    call redist_view_init(dist, view, order=5, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'order')
    call redist_view_from_darray([4, 4], [0], [0, 0], [1, 1], 0, dist, view, err)
    call expect_error(err, REDIST_ERR_ARG, 'distribs has 1 elements, must have 2')
    call redist_dist_destroy(dist)
  end subroutine errors_are_sentences
end program test_describe
