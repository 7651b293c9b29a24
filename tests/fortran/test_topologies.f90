! SPDX-License-Identifier: MIT
!
! test_topologies.f90 - ways through networks, and plans that are told of them.
program test_topologies
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use redist
  use check
  implicit none
  call begin()
  call a_mesh_is_crossed_along_the_last_dimension_first()
  call a_torus_is_crossed_the_shorter_way()
  call a_tree_is_climbed_no_higher_than_needed()
  call mpi_knows_where_processes_sit()
  call plans_that_are_told_move_all()
  call errors_are_sentences()
  call conclude()

contains

  function route(topology, from, to) result(links)
    type(redist_topology), intent(in) :: topology
    integer, intent(in) :: from, to
    integer(int64), allocatable :: links(:)
    call redist_topology_route(topology, from, to, links)
    if (.not. allocated(links)) allocate (links(0))
  end function route

  logical function same(a, b)
    integer(int64), intent(in) :: a(:), b(:)
    same = size(a) == size(b)
    if (same) same = all(a == b)
  end function same

  ! Nodes 0 1 2 above 3 4 5.
  subroutine a_mesh_is_crossed_along_the_last_dimension_first()
    type(redist_topology) :: mesh, placed
    integer(int64), allocatable :: way(:), back(:)
    integer :: k
    call redist_topology_create_mesh([2, 3], 6, mesh)
    call expect(redist_topology_links(mesh) > 0, 'there are links')
    way = route(mesh, 0, 5)
    call expect(size(way) == 3, 'three links from corner to corner')
    call expect(same(way, [route(mesh, 0, 1), route(mesh, 1, 2), route(mesh, 2, 5)]), &
                'along the row, then down')
    back = route(mesh, 5, 0)
    call expect(size(back) == 3 .and. .not. any([(way == back(k), k=1, 3)]), &
                'other links back')
    call expect(size(route(mesh, 0, 2)) == 2, 'no way round in a mesh')
    ! Rank 0 in the last corner, 1 in the first, 2 beside rank 0.
    call redist_topology_create_mesh([2, 3], 3, placed, &
                                     coords=reshape([1, 2, 0, 0, 1, 1], [2, 3]))
    call expect(same(route(placed, 1, 0), way), 'ranks where coords say')
    call expect(same(route(placed, 2, 0), route(mesh, 4, 5)), 'and beside each other')
    call redist_topology_destroy(placed)
    call redist_topology_destroy(mesh)
    call expect(redist_topology_links(mesh) == 0, 'a destroyed topology has no links')
  end subroutine a_mesh_is_crossed_along_the_last_dimension_first

  subroutine a_torus_is_crossed_the_shorter_way()
    type(redist_topology) :: made, parsed
    integer :: to
    call redist_topology_create_mesh([3, 4], 12, made, periodic=[.false., .true.])
    call expect(size(route(made, 0, 3)) == 1, 'round the last dimension')
    call expect(size(route(made, 0, 8)) == 2, 'not round the first')
    call redist_topology_destroy(made)
    call redist_topology_create_mesh([3, 4], 12, made, periodic=[.true., .true.])
    call redist_topology_parse('torus(3,4)', 12, parsed)
    call expect(redist_topology_links(parsed) == 2*2*12, 'four links into each node')
    do to = 0, 11
      call expect(same(route(made, 1, to), route(parsed, 1, to)), 'that of the text')
    end do
    call redist_topology_destroy(made)
    call redist_topology_destroy(parsed)
  end subroutine a_torus_is_crossed_the_shorter_way

  ! Four processes to a node, two ways out of each, of three nodes.
  subroutine a_tree_is_climbed_no_higher_than_needed()
    type(redist_topology) :: tree, parsed
    integer(int64), allocatable :: a(:), b(:), c(:)
    integer :: k
    call redist_topology_create_tree([4, 3], [2], 12, tree)
    call redist_topology_parse('tree(4:2,3)', 12, parsed)
    call expect(redist_topology_links(tree) == 2*(12 + 2*3), 'links, both ways')
    call expect(size(route(tree, 0, 0)) == 0, 'none to itself')
    call expect(size(route(tree, 0, 3)) == 2, 'two within a node')
    a = route(tree, 0, 4)
    b = route(tree, 1, 6)
    c = route(tree, 1, 7)
    call expect(size(a) == 4 .and. size(b) == 4 .and. size(c) == 4, 'four between nodes')
    call expect(a(2) == b(2) .and. a(2) /= c(2), 'out by the way that the target says')
    do k = 0, 11
      call expect(same(route(tree, 5, k), route(parsed, 5, k)), 'that of the text')
    end do
    call redist_topology_destroy(parsed)
    call redist_topology_create_tree([4, 3], [2], 2, parsed, places=[4, 0])
    call expect(same(route(parsed, 1, 0), a), 'ranks at their places')
    call redist_topology_destroy(parsed)
    call redist_topology_destroy(tree)
  end subroutine a_tree_is_climbed_no_higher_than_needed

  ! All sit in one line; and on one node, or on some, of this machine.
  subroutine mpi_knows_where_processes_sit()
    type(redist_topology) :: line, nodes
    type(MPI_Comm) :: cart
    integer :: k, err
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [nprocs], [.true.], .false., cart)
    call redist_topology_create_cart(cart, line)
    call expect(redist_topology_links(line) == 2*nprocs, 'a ring')
    do k = 0, nprocs - 1
      call expect(size(route(line, 0, k)) == min(k, nprocs - k), 'the shorter way')
    end do
    call redist_topology_destroy(line)
    call MPI_Comm_free(cart)
    call redist_topology_create_nodes(MPI_COMM_WORLD, 1, nodes)
    do k = 1, nprocs - 1
      call expect(any(size(route(nodes, 0, k)) == [2, 4]), 'by the node or out of it')
    end do
    call redist_topology_destroy(nodes)
    call redist_topology_create_cart(MPI_COMM_WORLD, line, err)
    call expect_error(err, REDIST_ERR_ARG, 'comm has no Cartesian topology')
    call redist_topology_create_nodes(MPI_COMM_WORLD, 0, nodes, err)
    call expect_error(err, REDIST_ERR_ARG, 'links is 0')
  end subroutine mpi_knows_where_processes_sit

  ! ---- plans -------------------------------------------------------------------------

  subroutine plans_that_are_told_move_all()
    integer, parameter :: each = 7
    type(redist_topology) :: mesh, wider
    type(redist_dist) :: blocks, cycles
    type(redist_view) :: source, target
    type(redist_plan) :: plan
    type(redist_report) :: report
    integer :: a(each), b(each), k, err
    call redist_view_parse(onto('(block)', each*nprocs), blocks, source)
    call redist_view_parse(onto('(cyclic(1))', each*nprocs), cycles, target)
    call redist_topology_create_mesh([nprocs], nprocs, mesh)
    call redist_plan_create(MPI_COMM_WORLD, MPI_INTEGER, source, target, plan, &
                            redist_options(strategy='links/window(2)', topology=mesh))
    call redist_topology_destroy(mesh)
    a = [(each*mine + k, k=0, each - 1)]
    b = -1
    call redist_execute(plan, a, b)
    call expect(all(b == [(mine + k*nprocs, k=0, each - 1)]), 'each where it belongs')
    call redist_plan_report(plan, report)
    call expect(report%strategy == 'links/window(2)', report%strategy)
    call redist_plan_destroy(plan)

    call redist_plan_create(MPI_COMM_WORLD, MPI_INTEGER, source, target, plan, &
                            redist_options(strategy='links/window(2)'), err)
    call expect_error(err, REDIST_ERR_ARG, 'schedule links is not applicable')
    call redist_topology_create_mesh([nprocs + 1], nprocs + 1, wider)
    call redist_plan_create(MPI_COMM_WORLD, MPI_INTEGER, source, target, plan, &
                            redist_options(topology=wider), err)
    call expect_error(err, REDIST_ERR_ARG, 'options: topology is of')
    call redist_topology_destroy(wider)
    call redist_dist_destroy(blocks)
    call redist_dist_destroy(cycles)
  end subroutine plans_that_are_told_move_all

  function onto(format, extent) result(text)
    character(*), intent(in) :: format
    integer, intent(in) :: extent
    character(60) :: text
    write (text, '(a, i0, 3a, i0)') '[', extent, '] ', format, ' onto ', nprocs
  end function onto

  ! ---- errors ------------------------------------------------------------------------

  subroutine errors_are_sentences()
    type(redist_topology) :: topology
    integer(int64), allocatable :: links(:)
    integer :: err
    call redist_topology_parse('mesh(4,0)', 4, topology, err)
    call expect_error(err, REDIST_ERR_ARG, 'column 8')
    call redist_topology_create_mesh([2, 2], 5, topology, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'nprocs is 5')
    call redist_topology_create_mesh([2, 2], 4, topology, periodic=[.true.], ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'periodic has 1 elements, must have 2')
    call redist_topology_create_mesh([2, 2], 3, topology, ierror=err, &
                                     coords=reshape([0, 0, 1, 1], [2, 2]))
    call expect_error(err, REDIST_ERR_ARG, 'coords has shape [2,2], must have [2,3]')
    call redist_topology_create_tree([4, 3], [integer ::], 12, topology, ierror=err)
    call expect_error(err, REDIST_ERR_ARG, 'links has 0 elements, must have 1')
    call redist_topology_create_tree([4, 3], [1], 12, topology, [0, 1], err)
    call expect_error(err, REDIST_ERR_ARG, 'places has 2 elements, must have 12')
    call redist_topology_create_tree([4, 3], [1], 2, topology, [0, 12], err)
    call expect_error(err, REDIST_ERR_ARG, 'places[1] is 12')
    call expect(redist_topology_links(topology) == 0, 'no topology')
    call redist_topology_parse('mesh(2)', 2, topology)
    call redist_topology_route(topology, 0, 2, links)
    call expect(.not. allocated(links), 'no way to a rank outside')
    call redist_topology_destroy(topology)
  end subroutine errors_are_sentences
end program test_topologies
