! SPDX-License-Identifier: MIT
!
! The program of the README in Fortran: the columns of a matrix on all processes become
! 64 x 64 blocks on 2 x 2 of them.
program first
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use redist
  implicit none
  type(redist_dist) :: columns, blocks
  type(redist_view) :: source, target
  type(redist_plan) :: plan
  real(real64), allocatable :: a(:, :), b(:, :)
  integer :: rank, i, owner

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call redist_view_parse('[4096,4096] (*,block) onto 4 order column-major', &
                         columns, source)
  call redist_view_parse('[4096,4096] (cyclic(64),cyclic(64)) onto 2x2 ' // &
                         'order column-major', blocks, target)
  call redist_plan_create(MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, source, target, plan)

  allocate (a(4096, 1024), b(2048, 2048))
  a = rank
  call redist_execute(plan, a, b) ! as often as you like, on any such arrays

  ! Local column i+1 is column i/64*128 + mod(i,64) + 64 mod(rank,2), of 1024 a process.
  do i = 0, 2047
    owner = (i/64*128 + mod(i, 64) + 64*mod(rank, 2))/1024
    if (any(nint(b(:, i + 1)) /= owner)) error stop 'a column is not where it belongs'
  end do

  call redist_plan_destroy(plan)
  call redist_dist_destroy(columns)
  call redist_dist_destroy(blocks)
  call MPI_Finalize()
end program first
