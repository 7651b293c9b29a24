! SPDX-License-Identifier: MIT
!
! test_files.f90 - arrays in files and checkpoints: what is written in one distribution is
! read in another, dimension by dimension.
program test_files
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use mpi_f08
  use redist
  use check
  implicit none
  integer, parameter :: ROWS = 7, COLUMNS = 5
  type(redist_dist) :: by_columns, by_rows
  type(redist_view) :: columns_view, rows_view
  integer(int64), target :: slabs = 0
  character(:), allocatable :: folder
  call begin()
  call make_views()
  call what_is_written_is_read()
  call dimensions_are_the_files()
  call sections_are_parts()
  call copies_convert()
  call checkpoints_are_read_by_any()
  call errors_are_sentences()
  call remove('.npy')
  call remove('.zarr')
  call remove('.raw')
  call remove('.state')
  call redist_dist_destroy(by_columns)
  call redist_dist_destroy(by_rows)
  call conclude()

contains

  subroutine make_views()
    character(12) :: procs, id
    integer :: clock
    write (procs, '(i0)') nprocs
    call redist_view_parse('[7,5] (*,cyclic(2)) onto ' // trim(procs) // &
                           ' order column-major', by_columns, columns_view)
    call redist_view_parse('[7,5] (block,*) onto ' // trim(procs) // &
                           ' order column-major', by_rows, rows_view)
    call system_clock(clock)
    call MPI_Bcast(clock, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    write (id, '(i0)') clock
    folder = 'fortran_files.' // trim(id)
  end subroutine make_views

  subroutine remove(suffix)
    character(*), intent(in) :: suffix
    call MPI_Barrier(MPI_COMM_WORLD)
    if (mine == 0) call execute_command_line('rm -rf ' // folder // suffix)
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine remove

  ! Element (i, j) of the whole array, both from 0, is 10 i + j.
  function local_of(view) result(a)
    type(redist_view), intent(in) :: view
    real(real64), allocatable :: a(:, :)
    integer(int64) :: held(2), index(2)
    integer :: i, j
    call redist_dist_local_extents(view%dist, mine, held)
    allocate (a(held(1), held(2)))
    do j = 1, int(held(2))
      do i = 1, int(held(1))
        call redist_dist_index(view%dist, mine, [i - 1_int64, j - 1_int64], index)
        a(i, j) = real(10*index(1) + index(2), real64)
      end do
    end do
  end function local_of

  subroutine create(suffix, type, file, chunk, order)
    character(*), intent(in) :: suffix, type
    type(redist_file), intent(out) :: file
    integer(int64), intent(in), optional :: chunk(:)
    integer, intent(in), optional :: order
    type(redist_file_options) :: options
    options%layout = redist_file_layout(shape=[7_int64, 5_int64], type=type // '  ')
    if (present(chunk)) options%layout%chunk = chunk
    if (present(order)) options%layout%order = order
    call redist_file_open(MPI_COMM_WORLD, folder // suffix // '  ', &
                          REDIST_FILE_CREATE_MODE, file, options)
  end subroutine create

  subroutine what_is_written_is_read()
    type(redist_file) :: file
    type(redist_file_layout) :: layout
    real(real64), allocatable :: a(:, :), b(:, :)
    real(real32), allocatable :: single(:, :)
    a = local_of(columns_view)
    call create('.zarr', 'f8', file, chunk=[2_int64, 3_int64])
    call redist_file_write(file, columns_view, MPI_REAL8, a)
    call redist_file_close(file)
    call expect(.not. c_associated(file%handle), 'it is closed')
    call redist_file_open(MPI_COMM_WORLD, folder // '.zarr', REDIST_FILE_READ_MODE, file)
    call redist_file_describe(file, layout)
    call expect(layout%format == 'zarr' .and. layout%type == '<f8', 'format and type')
    call expect(size(layout%shape) == 2 .and. all(layout%shape == [ROWS, COLUMNS]), &
                'the shape')
    call expect(all(layout%chunk == [2, 3]) .and. layout%version == 3, 'the chunks')
    call expect(.not. allocated(layout%codec), 'no codec')
    call redist_file_set_progress(file, count_slabs, c_loc(slabs))
    b = local_of(rows_view)
    allocate (single(size(b, 1), size(b, 2)))
    b = -1
    call redist_file_read(file, rows_view, MPI_REAL8, b)
    call expect(all(b == local_of(rows_view)), 'what is read')
    call expect(slabs > 0, 'the progress')
    call redist_file_set_progress(file)
    slabs = 0
    call redist_file_read(file, rows_view, MPI_REAL4%MPI_VAL, single)
    call expect(all(real(single, real64) == local_of(rows_view)), 'what is converted')
    call expect(slabs == 0, 'no progress')
    call redist_file_close(file)
  end subroutine what_is_written_is_read

  subroutine count_slabs(context, done, total) bind(C)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: done, total
    integer(int64), pointer :: counter
    call c_f_pointer(context, counter)
    counter = counter + 1
    call expect(done >= 1 .and. done <= total, 'done of total')
  end subroutine count_slabs

  ! In a raw file the dimension that varies fastest is the first one in column-major
  ! order, the last one in row-major order.
  subroutine dimensions_are_the_files()
    type(redist_file) :: file
    real(real64), allocatable :: a(:, :)
    real(real64) :: all_of(ROWS, COLUMNS), turned(COLUMNS, ROWS)
    integer :: unit, i, j
    a = local_of(rows_view)
    call create('.raw', '<f8', file, order=REDIST_COLUMN_MAJOR)
    call redist_file_write(file, rows_view, MPI_REAL8, a)
    call redist_file_close(file)
    open (newunit=unit, file=folder // '.raw', access='stream', action='read')
    read (unit) all_of
    close (unit)
    call expect(all(nint(all_of) == reshape([((10*i + j, i=0, ROWS - 1), &
                                               j=0, COLUMNS - 1)], [ROWS, COLUMNS])), &
                'Fortran''s own order')
    call MPI_Barrier(MPI_COMM_WORLD)
    call create('.raw', '<f8', file)
    call redist_file_write(file, rows_view, MPI_REAL8, a)
    call redist_file_close(file)
    open (newunit=unit, file=folder // '.raw', access='stream', action='read')
    read (unit) turned
    close (unit)
    call expect(all(turned == transpose(all_of)), 'the order of C')
  end subroutine dimensions_are_the_files

  ! Rows 1, 3, 5 and columns 2, 3 of the file, from 0.
  subroutine sections_are_parts()
    type(redist_file) :: file
    type(redist_dist) :: dist
    type(redist_view) :: view
    character(12) :: procs
    real(real64), allocatable :: part(:, :), a(:, :)
    integer(int64) :: held(2), index(2)
    integer :: i, j
    write (procs, '(i0)') nprocs
    call redist_view_parse('[3,2] (cyclic,*) onto ' // trim(procs) // &
                           ' order column-major', dist, view)
    call redist_file_open(MPI_COMM_WORLD, folder // '.zarr', REDIST_FILE_UPDATE_MODE, &
                          file)
    call redist_dist_local_extents(dist, mine, held)
    allocate (part(held(1), held(2)))
    call redist_file_read_section(file, [1_int64, 2_int64], view, MPI_REAL8, part, &
                                  stride=[2_int64, 1_int64])
    do j = 1, int(held(2))
      do i = 1, int(held(1))
        call redist_dist_index(dist, mine, [i - 1_int64, j - 1_int64], index)
        call expect(nint(part(i, j)) == 10*(1 + 2*index(1)) + 2 + index(2), 'a part')
      end do
    end do
    part = part + 500
    call redist_file_write_section(file, [1_int64, 2_int64], view, MPI_REAL8%MPI_VAL, &
                                   part, [2_int64, 1_int64])
    a = local_of(rows_view)
    call redist_file_read(file, rows_view, MPI_REAL8, a)
    call expect(count(nint(a - local_of(rows_view)) == 500) == size(of_all(a, 500)), &
                'what is round it stays')
    part = part - 500
    call redist_file_write_section(file, [1_int64, 2_int64], view, MPI_REAL8, part, &
                                   [2_int64, 1_int64])
    call redist_file_close(file)
    call redist_dist_destroy(dist)
  end subroutine sections_are_parts

  ! Those elements of rows_view that sections_are_parts has raised.
  function of_all(a, least) result(raised)
    real(real64), intent(in) :: a(:, :)
    integer, intent(in) :: least
    real(real64), allocatable :: raised(:), before(:, :)
    before = local_of(rows_view)
    raised = pack(a, nint(a) >= least .and. mod(nint(before)/10, 2) == 1 .and. &
                  (mod(nint(before), 10) == 2 .or. mod(nint(before), 10) == 3))
  end function of_all

  subroutine copies_convert()
    type(redist_file) :: from, to
    integer(int32), allocatable :: a(:, :)
    call redist_file_open(MPI_COMM_WORLD%MPI_VAL, folder // '.zarr', &
                          REDIST_FILE_READ_MODE, from)
    call create('.npy', '>i4', to)
    call redist_file_copy(from, to)
    call redist_file_close(to)
    call redist_file_close(from)
    call redist_file_open(MPI_COMM_WORLD, folder // '.npy', REDIST_FILE_READ_MODE, from, &
                          redist_file_options(format='npy', staging_bytes=4096, &
                                              writers=1, checked=.true.))
    a = nint(local_of(columns_view))
    a = -1
    call redist_file_read(from, columns_view, MPI_INTEGER4, a)
    call expect(all(a == nint(local_of(columns_view))), 'integers')
    call redist_file_close(from)
  end subroutine copies_convert

  subroutine checkpoints_are_read_by_any()
    type(redist_checkpoint) :: checkpoint
    type(redist_file) :: file
    type(redist_file_layout) :: layout
    character(:), allocatable :: text
    real(real64), allocatable :: a(:, :)
    integer :: step, err
    do step = 1, 3
      call redist_checkpoint_create(MPI_COMM_WORLD, folder // '.state  ', &
                                    int(step, int64), checkpoint)
      call expect(redist_checkpoint_step(checkpoint) == step, 'the step')
      a = local_of(columns_view) + step
      call redist_checkpoint_write(checkpoint, 'a ', columns_view, MPI_REAL8, a)
      call redist_checkpoint_write(checkpoint, 'b', columns_view, MPI_REAL8%MPI_VAL, a)
      call redist_checkpoint_set(checkpoint, 'time ', 'now')
      call redist_checkpoint_commit(checkpoint, keep=2)
    end do
    call redist_checkpoint_create(MPI_COMM_WORLD%MPI_VAL, folder // '.state', 4_int64, &
                                  checkpoint)
    call redist_checkpoint_close(checkpoint)
    call redist_checkpoint_open(MPI_COMM_WORLD, folder // '.state', -1_int64, checkpoint)
    call expect(redist_checkpoint_step(checkpoint) == 3, 'the last step')
    call redist_checkpoint_verify(checkpoint)
    call redist_checkpoint_get(checkpoint, 'time', text)
    call expect(text == 'now', 'the text')
    call redist_checkpoint_get(checkpoint, 'none', text)
    call expect(.not. allocated(text), 'no text')
    a = local_of(rows_view)
    a = -1
    call redist_checkpoint_read(checkpoint, 'a', rows_view, MPI_REAL8, a)
    call expect(all(a == local_of(rows_view) + 3), 'the array')
    a = -1
    call redist_checkpoint_read(checkpoint, 'b', rows_view, MPI_REAL8%MPI_VAL, a)
    call expect(all(a == local_of(rows_view) + 3), 'the other array')
    call redist_checkpoint_array(checkpoint, 'a', file)
    call redist_file_describe(file, layout)
    call expect(layout%codec == 'crc32c', 'the codec')
    call redist_file_close(file)
    call redist_checkpoint_close(checkpoint)
    call redist_checkpoint_open(MPI_COMM_WORLD%MPI_VAL, folder // '.state', 1_int64, &
                                checkpoint, err)
    call expect_error(err, REDIST_ERR_IO, 'state')
  end subroutine checkpoints_are_read_by_any

  ! What the last process does wrong all learn.
  subroutine errors_are_sentences()
    type(redist_file) :: file
    type(redist_file_layout) :: layout
    type(redist_checkpoint) :: checkpoint
    real(real64) :: wide(2*ROWS, COLUMNS)
    integer(int64) :: start(2)
    integer :: err
    logical :: last
    last = mine == nprocs - 1
    start = 0
    wide = 0
    call redist_file_open(MPI_COMM_WORLD, 'none.npy', REDIST_FILE_READ_MODE, file, &
                          ierror=err)
    call expect_error(err, REDIST_ERR_IO, 'none.npy')
    call expect(.not. c_associated(file%handle), 'no file')
    call redist_file_open(MPI_COMM_WORLD, 'none.npy', merge(7, 0, last), file, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'mode is 7')
    call redist_file_open(MPI_COMM_WORLD, 'none.npy', REDIST_FILE_CREATE_MODE, file, &
                          redist_file_options(layout=redist_file_layout( &
                          shape=[3_int64], type='f8', chunk=start)), err)
    call expect_error(err, REDIST_ERR_ARG, 'chunk has 2 elements, must have 1')
    call redist_file_open(MPI_COMM_WORLD, 'none.npy', REDIST_FILE_READ_MODE, file, &
                          redist_file_options(staging_bytes=-1), err)
    call expect_error(err, REDIST_ERR_ARG, 'staging_bytes is')
    call redist_file_open(MPI_COMM_WORLD, folder // '.npy', REDIST_FILE_READ_MODE, file)
    call redist_file_read_section(file, start(:merge(1, 2, last)), columns_view, &
                                  MPI_REAL8, wide, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'start has 1 elements, must have 2')
    call redist_file_read_section(file, start, columns_view, MPI_REAL8, wide, &
                                  stride=start(:1) + 1, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'stride has 1 elements, must have 2')
    call redist_file_write(file, columns_view, MPI_REAL8, wide, err)
    call expect_error(err, REDIST_ERR_ARG, 'is open for reading alone')
    if (last) then
      call redist_file_read(file, columns_view, MPI_REAL8, wide(::2, :), err)
    else
      call redist_file_read(file, columns_view, MPI_REAL8, wide, err)
    end if
    call expect_error(err, REDIST_ERR_ARG, 'buffer is not contiguous')
    call redist_file_close(file, err)
    call expect(err == REDIST_OK, 'it is closed')
    call redist_file_describe(file, layout, err)
    call expect_error(err, REDIST_ERR_ARG, 'file is NULL')
    call redist_checkpoint_create(MPI_COMM_WORLD, folder // '.state', -1_int64, &
                                  checkpoint, err)
    call expect_error(err, REDIST_ERR_ARG, 'step is -1, must be >= 0')
    call redist_checkpoint_create(MPI_COMM_WORLD, folder // '.state', 9_int64, checkpoint)
    call redist_checkpoint_write(checkpoint, 'a/b', columns_view, MPI_REAL8, wide, err)
    call expect_error(err, REDIST_ERR_ARG, 'must be a word without /')
    call redist_checkpoint_commit(checkpoint, ierror=err)
    call expect_error(err, REDIST_ERR_STATE, 'could not be written')
    call expect(.not. c_associated(checkpoint%handle), 'it is closed')
  end subroutine errors_are_sentences
end program test_files
