! SPDX-License-Identifier: MIT
!
! topologies.f90 - say where processes sit in a network: redist/topology.h in Fortran, and
! the topologies of redist/redist.h, where each call's terms stand.
module redist_topologies
  use mpi_f08, only: MPI_Comm
  use redist_types
  use redist_c
  use redist_errors
  implicit none
  private

  public :: redist_topology_create_mesh, redist_topology_create_tree
  public :: redist_topology_parse, redist_topology_links, redist_topology_route
  public :: redist_topology_destroy
  public :: redist_topology_create_cart, redist_topology_create_nodes

  interface redist_topology_create_cart
    module procedure create_cart_f08, create_cart_mpi
  end interface
  interface redist_topology_create_nodes
    module procedure create_nodes_f08, create_nodes_mpi
  end interface

contains

  ! Create a mesh of `extents`(ndims) nodes, a torus along each dimension that is
  ! `periodic`(ndims), none unless given. Rank r sits at `coords`(:,r+1), [ndims,nprocs],
  ! or on node r in row-major order.
  subroutine redist_topology_create_mesh(extents, nprocs, topology, periodic, coords, &
                                         ierror)
    integer, intent(in) :: extents(:), nprocs
    type(redist_topology), intent(out) :: topology
    logical, intent(in), optional :: periodic(:)
    integer, intent(in), optional, target, contiguous :: coords(:, :)
    integer, intent(out), optional :: ierror
    integer :: round(size(extents)), ndims
    type(c_ptr) :: list
    ndims = size(extents)
    round = 0
    if (present(periodic)) then
      if (.not. suffices('periodic', size(periodic), ndims, ierror)) return
      round = merge(1, 0, periodic(:ndims))
    end if
    list = c_null_ptr
    if (present(coords)) then
      if (any(shape(coords) /= [ndims, nprocs])) then
        call fail('coords has shape ' // pair(shape(coords)) // ', must have ' // &
                  pair([ndims, nprocs]), ierror)
        return
      end if
      list = c_loc(coords)
    end if
    call finish(c_topology_create_mesh(ndims, extents, round, nprocs, list, &
                                       topology%handle), ierror)
  end subroutine redist_topology_create_mesh

  function pair(numbers) result(text)
    integer, intent(in) :: numbers(2)
    character(:), allocatable :: text
    text = '[' // decimal(numbers(1)) // ',' // decimal(numbers(2)) // ']'
  end function pair

  ! Create a tree of switches, `members`(1) places at each of the lowest, members(k) of
  ! these below each of level k-1, with `links`(k) each to the level above, one fewer
  ! than members. Rank r is at place `places`(r+1), counted from 0, or at place r.
  subroutine redist_topology_create_tree(members, links, nprocs, topology, places, ierror)
    integer, intent(in) :: members(:), links(:), nprocs
    type(redist_topology), intent(out) :: topology
    integer, intent(in), optional, target, contiguous :: places(:)
    integer, intent(out), optional :: ierror
    type(c_ptr) :: list
    if (.not. suffices('links', size(links), size(members) - 1, ierror)) return
    list = c_null_ptr
    if (present(places)) then
      if (.not. suffices('places', size(places), nprocs, ierror)) return
      list = c_loc(places)
    end if
    call finish(c_topology_create_tree(size(members), members, links, nprocs, list, &
                                       topology%handle), ierror)
  end subroutine redist_topology_create_tree

  ! Create the topology of a text: 'torus(8,8)', 'tree(4:1,16)'.
  subroutine redist_topology_parse(text, nprocs, topology, ierror)
    character(*), intent(in) :: text
    integer, intent(in) :: nprocs
    type(redist_topology), intent(out) :: topology
    integer, intent(out), optional :: ierror
    call finish(c_topology_parse(text // c_null_char, nprocs, topology%handle), ierror)
  end subroutine redist_topology_parse

  pure integer(int64) function redist_topology_links(topology) result(links)
    type(redist_topology), intent(in) :: topology
    links = c_topology_links(topology%handle)
  end function redist_topology_links

  ! Find the links that a message takes from one rank to another, in the order in which
  ! they are passed; not allocated if a rank is not in the topology.
  subroutine redist_topology_route(topology, from, to, links)
    type(redist_topology), intent(in) :: topology
    integer, intent(in) :: from, to
    integer(int64), allocatable, intent(out) :: links(:)
    integer(int64) :: none(1)
    integer :: n
    n = c_topology_route(topology%handle, from, to, 0, none)
    if (n < 0) return
    allocate (links(n))
    n = c_topology_route(topology%handle, from, to, n, links)
  end subroutine redist_topology_route

  subroutine redist_topology_destroy(topology)
    type(redist_topology), intent(inout) :: topology
    call c_topology_destroy(topology%handle)
  end subroutine redist_topology_destroy

  ! ---- what MPI knows ----------------------------------------------------------------

  ! Create the topology of a communicator of MPI_Cart_create's. Local.
  subroutine create_cart_mpi(comm, topology, ierror)
    integer, intent(in) :: comm
    type(redist_topology), intent(out) :: topology
    integer, intent(out), optional :: ierror
    call finish(c_topology_create_cart(comm, topology%handle), ierror)
  end subroutine create_cart_mpi

  subroutine create_cart_f08(comm, topology, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(redist_topology), intent(out) :: topology
    integer, intent(out), optional :: ierror
    call create_cart_mpi(comm%MPI_VAL, topology, ierror)
  end subroutine create_cart_f08

  ! Create the topology of nodes with `links` ways out each. Collective over comm.
  subroutine create_nodes_mpi(comm, links, topology, ierror)
    integer, intent(in) :: comm, links
    type(redist_topology), intent(out) :: topology
    integer, intent(out), optional :: ierror
    call finish(c_topology_create_nodes(comm, links, topology%handle), ierror)
  end subroutine create_nodes_mpi

  subroutine create_nodes_f08(comm, links, topology, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: links
    type(redist_topology), intent(out) :: topology
    integer, intent(out), optional :: ierror
    call create_nodes_mpi(comm%MPI_VAL, links, topology, ierror)
  end subroutine create_nodes_f08
end module redist_topologies
