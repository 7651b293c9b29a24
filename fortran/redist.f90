! SPDX-License-Identifier: MIT
!
! redist.f90 - the module that programs use: redist's headers in Fortran.
!
!   type(redist_dist) :: rows, blocks
!   type(redist_view) :: source, target
!   type(redist_plan) :: plan
!   call redist_view_parse('[64,64] (block,*) onto 4 order column-major', rows, source)
!   call redist_view_parse('[64,64] (*,block) onto 4 order column-major', blocks, target)
!   call redist_plan_create(MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, source, target, plan)
!   call redist_execute(plan, a, b)
!
! Names are those of C; docs/fortran.md says what differs.
module redist
  use redist_types
  use redist_errors, only: redist_error_message, redist_error_name, redist_refuse
  use redist_describe
  use redist_views
  use redist_propose
  use redist_topologies
  use redist_plans
  use redist_runs
  use redist_files
  use redist_checkpoints
  implicit none
  private :: c_int, c_int64_t, c_null_ptr, c_ptr, int64, real64
end module redist
