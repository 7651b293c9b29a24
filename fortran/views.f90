! SPDX-License-Identifier: MIT
!
! views.f90 - the part of a dist that takes part, and how it lies in memory: the views of
! redist/describe.h and redist/redist.h in Fortran.
module redist_views
  use redist_types
  use redist_c
  use redist_errors
  implicit none
  private

  public :: redist_view_init, redist_view_set_order, redist_view_span
  public :: redist_view_from_descriptor, redist_view_from_darray
  public :: redist_view_parse, redist_view_print

contains

  ! Set `view` to the whole of `dist`, axes in order, dense in column-major order as
  ! Fortran's arrays are, or in `order`.
  subroutine redist_view_init(dist, view, order, ierror)
    type(redist_dist), intent(in) :: dist
    type(redist_view), intent(out) :: view
    integer, intent(in), optional :: order
    integer, intent(out), optional :: ierror
    integer :: how, err
    how = REDIST_COLUMN_MAJOR
    if (present(order)) how = order
    err = c_view_init(dist%handle, view)
    if (err == REDIST_OK) err = c_view_set_order(view, how)
    call finish(err, ierror)
  end subroutine redist_view_init

  subroutine redist_view_set_order(view, order, ierror)
    type(redist_view), intent(inout) :: view
    integer, intent(in) :: order
    integer, intent(out), optional :: ierror
    call finish(c_view_set_order(view, order), ierror)
  end subroutine redist_view_set_order

  ! Find how many elements the buffer of `rank` spans: allocate that many.
  subroutine redist_view_span(view, rank, elements, ierror)
    type(redist_view), intent(in) :: view
    integer, intent(in) :: rank
    integer(int64), intent(out) :: elements
    integer, intent(out), optional :: ierror
    elements = 0
    call finish(c_view_span(view, rank, elements), ierror)
  end subroutine redist_view_span

  ! Create the dist, and the view, of a ScaLAPACK matrix.
  subroutine redist_view_from_descriptor(desc, grid, dist, view, ierror)
    integer, intent(in) :: desc(9)
    type(redist_grid), intent(in) :: grid
    type(redist_dist), intent(out) :: dist
    type(redist_view), intent(out) :: view
    integer, intent(out), optional :: ierror
    call finish(c_view_from_descriptor(desc, grid%handle, dist%handle, view), ierror)
  end subroutine redist_view_from_descriptor

  ! Create the dist, and the view, that MPI_Type_create_darray's arguments describe, each
  ! of them (ndims).
  subroutine redist_view_from_darray(gsizes, distribs, dargs, psizes, order, dist, view, &
                                     ierror)
    integer, intent(in) :: gsizes(:), distribs(:), dargs(:), psizes(:), order
    type(redist_dist), intent(out) :: dist
    type(redist_view), intent(out) :: view
    integer, intent(out), optional :: ierror
    integer :: ndims
    ndims = size(gsizes)
    if (.not. suffices('distribs', size(distribs), ndims, ierror)) return
    if (.not. suffices('dargs', size(dargs), ndims, ierror)) return
    if (.not. suffices('psizes', size(psizes), ndims, ierror)) return
    call finish(c_view_from_darray(ndims, gsizes, distribs, dargs, psizes, order, &
                                   dist%handle, view), ierror)
  end subroutine redist_view_from_darray

  ! Create a dist and a view from a text. The text means the same as everywhere: for a
  ! Fortran array of more than one dimension it says `order column-major`.
  subroutine redist_view_parse(text, dist, view, ierror)
    character(*), intent(in) :: text
    type(redist_dist), intent(out) :: dist
    type(redist_view), intent(out) :: view
    integer, intent(out), optional :: ierror
    call finish(c_view_parse(text // c_null_char, dist%handle, view), ierror)
  end subroutine redist_view_parse

  ! Write the text of a view; empty if that fails.
  subroutine redist_view_print(view, text, ierror)
    type(redist_view), intent(in) :: view
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: ierror
    character(c_char), allocatable, target :: letters(:)
    integer(c_size_t) :: length
    integer :: err
    text = ''
    length = 0
    err = c_view_print(view, c_null_ptr, 0_c_size_t, length)
    if (err == REDIST_OK) then
      allocate (letters(length + 1))
      err = c_view_print(view, c_loc(letters), length + 1, length)
      text = from_c(c_loc(letters))
    end if
    call finish(err, ierror)
  end subroutine redist_view_print
end module redist_views
