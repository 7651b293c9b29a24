! SPDX-License-Identifier: MIT
!
! test_mpi.f90 - the calls that take communicators and datatypes, with those of `use mpi`.
program test_mpi
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi
  use redist
  use check
  implicit none
  type(redist_dist) :: blocks, cycles
  type(redist_view) :: source, target
  type(redist_plan) :: plan
  type(redist_topology) :: topology
  type(c_ptr) :: memory, to(1)
  integer, pointer :: a(:)
  integer, allocatable, target :: b(:), c(:)
  integer(int64) :: share, units
  character(60) :: text
  integer :: k, cart

  call begin()
  write (text, '(a, i0, a, i0)') '[', 3*nprocs, '] (block) onto ', nprocs
  call redist_view_parse(text, blocks, source)
  write (text, '(a, i0, a, i0)') '[', 3*nprocs, '] (cyclic(1)) onto ', nprocs
  call redist_view_parse(text, cycles, target)

  call redist_alloc_view(MPI_COMM_WORLD, MPI_INTEGER, source, memory)
  call c_f_pointer(memory, a, [3])
  a = [(3*mine + k, k=0, 2)]
  allocate (b(3))

  call redist_plan_create(MPI_COMM_WORLD, MPI_INTEGER, source, target, plan)
  b = -1
  call redist_execute(plan, a, b)
  call expect(all(b == [(mine + k*nprocs, k=0, 2)]), 'a plan')
  call redist_plan_destroy(plan)

  call redist_plan_create_batch(MPI_COMM_WORLD, [MPI_INTEGER], [source], [target], plan)
  b = -1
  to = c_loc(b)
  call redist_execute_batch(plan, [memory], to)
  call expect(all(b == [(mine + k*nprocs, k=0, 2)]), 'a batch')
  call redist_plan_destroy(plan)
  call redist_free(memory)

  call redist_balance_create(MPI_COMM_WORLD, merge(3_int64*nprocs, 0_int64, mine == 0), &
                             MPI_INTEGER, REDIST_BALANCE_A, plan, share)
  c = [(k, k=1, merge(3*nprocs, 0, mine == 0))]
  b = -1
  call redist_execute(plan, c, b)
  call expect(share == 3 .and. all(b == [(3*mine + k, k=1, 3)]), 'a balance')
  call redist_plan_destroy(plan)

  call redist_balance_create_sized(MPI_COMM_WORLD, [1_int64, 2_int64], MPI_INTEGER, &
                                   REDIST_BALANCE_B, plan, share, units)
  call expect(share == 2 .and. units == 3, 'a balance of elements of different sizes')
  call redist_plan_destroy(plan)

  call indices_move()
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [nprocs], [.true.], .false., cart, k)
  call redist_topology_create_cart(cart, topology)
  call expect(redist_topology_links(topology) == 2*nprocs, 'a ring')
  call redist_topology_destroy(topology)
  call MPI_Comm_free(cart, k)
  call redist_topology_create_nodes(MPI_COMM_WORLD, 3, topology)
  call expect(redist_topology_links(topology) >= 2*(nprocs + 3), 'nodes')
  call redist_topology_destroy(topology)

  call redist_alloc(MPI_COMM_WORLD, 64_int64, memory)
  call redist_free(memory)
  call redist_dist_destroy(blocks)
  call redist_dist_destroy(cycles)
  call conclude()

contains

  ! From blocks to what lists and ranges say: backwards, by all processes.
  subroutine indices_move()
    integer(int64), target :: list(3)
    type(redist_range), target :: ranges(2)
    integer(int64) :: first
    integer :: err
    first = 3_int64*(nprocs - 1 - mine)
    list = [first + 2, first + 1, first]
    ranges = [redist_range(first, 2), redist_range(first + 2, 1)]
    c = [(3*mine + k, k=0, 2)]
    b = -1
    call redist_plan_create_indexed(MPI_COMM_WORLD, MPI_INTEGER, 3_int64*nprocs, &
                                    redist_indices_of_dist(blocks), &
                                    redist_indices_of_list(list), plan)
    call redist_execute(plan, c, b)
    call expect(all(b == list), 'a list')
    call redist_plan_destroy(plan)
    call redist_plan_create_indexed(MPI_COMM_WORLD, MPI_INTEGER, 3_int64*nprocs, &
                                    redist_indices_of_list(list), &
                                    redist_indices_of_ranges(ranges), plan)
    c = int(list)
    call redist_execute(plan, c, b)
    call expect(all(b == [(int(first) + k, k=0, 2)]), 'ranges')
    call redist_plan_destroy(plan)
    call redist_plan_create_indexed(MPI_COMM_WORLD, MPI_INTEGER, 2_int64, &
                                    redist_indices_of_list(list(1:3:2)), &
                                    redist_indices_of_list(list), plan, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'the list of indices is not contiguous')
    call redist_plan_create_indexed(MPI_COMM_WORLD, MPI_INTEGER, 2_int64, &
                                    redist_indices_of_list(list), &
                                    redist_indices_of_ranges(ranges(2:1:-1)), plan, &
                                    ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'the list of ranges is not contiguous')
  end subroutine indices_move
end program test_mpi
