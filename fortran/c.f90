! SPDX-License-Identifier: MIT
!
! c.f90 - redist's headers as Fortran interfaces of C: what the native module is made of,
! and not for use beside it.
!
! Handles go in by value and come out by reference; an array that may be NULL is a c_ptr.
module redist_c
  use, intrinsic :: iso_c_binding
  use redist_types
  implicit none
  public

  ! The structs that Fortran knows in another form, as C has them.
  type, bind(C) :: c_format
    integer(c_int) :: kind
    integer(c_int64_t) :: block
    integer(c_int) :: first
    integer(c_int) :: axis
    type(c_ptr) :: sizes
    type(c_ptr) :: owners
  end type c_format

  type, bind(C) :: c_options
    integer(c_size_t) :: size
    type(c_ptr) :: strategy
    integer(c_size_t) :: staging_bytes
    integer(c_int) :: side
    integer(c_int) :: op
    integer(c_int) :: scaled
    integer(c_int) :: in_place
    real(c_double) :: timeout_s
    integer(c_int) :: reduction
    type(c_ptr) :: topology
    type(c_ptr) :: stream
    integer(c_intptr_t) :: source_type ! as redist_fortran_type fills it in
    integer(c_int64_t) :: checked
  end type c_options

  type, bind(C) :: c_item
    integer(c_intptr_t) :: type ! as redist_fortran_type fills it in
    type(c_ptr) :: source
    type(c_ptr) :: target
  end type c_item

  type, bind(C) :: c_report
    type(c_ptr) :: strategy
    integer(c_int64_t) :: elements_kept, elements_sent, elements_received
    integer(c_int64_t) :: messages_sent, messages_received
    integer(c_int64_t) :: element_bytes, plan_bytes, staging_bytes, staging_peak_bytes
    integer(c_int) :: arrays
    integer(c_int64_t) :: bytes_kept, bytes_sent, bytes_received
    type(c_ptr) :: origin
  end type c_report

  type, bind(C) :: c_file_layout
    integer(c_size_t) :: size
    type(c_ptr) :: format
    integer(c_int) :: ndims
    integer(c_int64_t) :: shape(REDIST_MAX_DIMS)
    type(c_ptr) :: type
    integer(c_int) :: order
    integer(c_int64_t) :: chunk(REDIST_MAX_DIMS)
    type(c_ptr) :: codec
    integer(c_int64_t) :: offset
    integer(c_int) :: version
  end type c_file_layout

  type, bind(C) :: c_file_options
    integer(c_size_t) :: size
    type(c_ptr) :: layout
    type(c_ptr) :: format
    integer(c_size_t) :: staging_bytes
    integer(c_int) :: writers
    integer(c_int) :: checked
  end type c_file_options

  interface
    ! errors
    function c_error_name(err) bind(C, name="redist_error_name") result(value)
      import
      integer(c_int), value :: err
      type(c_ptr) :: value
    end function c_error_name

    ! grids
    function c_grid_create(naxes, shape, order, ranks, grid) &
        bind(C, name="redist_grid_create") result(err)
      import
      integer(c_int), value :: naxes
      integer(c_int), intent(in) :: shape(*)
      integer(c_int), value :: order
      type(c_ptr), value :: ranks
      type(c_ptr), intent(out) :: grid
      integer(c_int) :: err
    end function c_grid_create
    subroutine c_grid_destroy(grid) bind(C, name="redist_grid_destroy")
      import
      type(c_ptr), intent(inout) :: grid
    end subroutine c_grid_destroy
    pure function c_grid_naxes(grid) bind(C, name="redist_grid_naxes") result(value)
      import
      type(c_ptr), value :: grid
      integer(c_int) :: value
    end function c_grid_naxes
    pure function c_grid_shape(grid, axis) bind(C, name="redist_grid_shape") result(value)
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: axis
      integer(c_int) :: value
    end function c_grid_shape
    pure function c_grid_size(grid) bind(C, name="redist_grid_size") result(value)
      import
      type(c_ptr), value :: grid
      integer(c_int64_t) :: value
    end function c_grid_size
    pure function c_grid_rank(grid, coords) bind(C, name="redist_grid_rank") result(value)
      import
      type(c_ptr), value :: grid
      integer(c_int), intent(in) :: coords(*)
      integer(c_int) :: value
    end function c_grid_rank
    function c_grid_coords(grid, rank, coords) &
        bind(C, name="redist_grid_coords") result(value)
      import
      type(c_ptr), value :: grid
      integer(c_int), value :: rank
      integer(c_int), intent(out) :: coords(*)
      integer(c_int) :: value
    end function c_grid_coords

    ! dists
    function c_dist_create(ndims, extents, formats, grid, dist) &
        bind(C, name="redist_dist_create") result(err)
      import
      integer(c_int), value :: ndims
      integer(c_int64_t), intent(in) :: extents(*)
      type(c_format), intent(in) :: formats(*)
      type(c_ptr), value :: grid
      type(c_ptr), intent(out) :: dist
      integer(c_int) :: err
    end function c_dist_create
    subroutine c_dist_destroy(dist) bind(C, name="redist_dist_destroy")
      import
      type(c_ptr), intent(inout) :: dist
    end subroutine c_dist_destroy
    pure function c_dist_ndims(dist) bind(C, name="redist_dist_ndims") result(value)
      import
      type(c_ptr), value :: dist
      integer(c_int) :: value
    end function c_dist_ndims
    pure function c_dist_extent(dist, dim) &
        bind(C, name="redist_dist_extent") result(value)
      import
      type(c_ptr), value :: dist
      integer(c_int), value :: dim
      integer(c_int64_t) :: value
    end function c_dist_extent
    pure function c_dist_grid(dist) bind(C, name="redist_dist_grid") result(value)
      import
      type(c_ptr), value :: dist
      type(c_ptr) :: value
    end function c_dist_grid
    pure function c_dist_equal(a, b) bind(C, name="redist_dist_equal") result(value)
      import
      type(c_ptr), value :: a, b
      integer(c_int) :: value
    end function c_dist_equal
    function c_dist_local_extents(dist, rank, local) &
        bind(C, name="redist_dist_local_extents") result(err)
      import
      type(c_ptr), value :: dist
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out) :: local(*)
      integer(c_int) :: err
    end function c_dist_local_extents
    function c_dist_owner(dist, index, rank, local) &
        bind(C, name="redist_dist_owner") result(err)
      import
      type(c_ptr), value :: dist
      integer(c_int64_t), intent(in) :: index(*)
      integer(c_int), intent(out) :: rank
      type(c_ptr), value :: local
      integer(c_int) :: err
    end function c_dist_owner
    function c_dist_index(dist, rank, local, index) &
        bind(C, name="redist_dist_index") result(err)
      import
      type(c_ptr), value :: dist
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in) :: local(*)
      integer(c_int64_t), intent(out) :: index(*)
      integer(c_int) :: err
    end function c_dist_index
    function c_dist_parse(text, dist) bind(C, name="redist_dist_parse") result(err)
      import
      character(c_char), intent(in) :: text(*)
      type(c_ptr), intent(out) :: dist
      integer(c_int) :: err
    end function c_dist_parse
    function c_dist_print(dist, text, size, length) &
        bind(C, name="redist_dist_print") result(err)
      import
      type(c_ptr), value :: dist, text
      integer(c_size_t), value :: size
      integer(c_size_t), intent(inout) :: length
      integer(c_int) :: err
    end function c_dist_print

    ! views
    function c_view_init(dist, view) bind(C, name="redist_view_init") result(err)
      import
      type(c_ptr), value :: dist
      type(redist_view), intent(inout) :: view
      integer(c_int) :: err
    end function c_view_init
    function c_view_set_order(view, order) &
        bind(C, name="redist_view_set_order") result(err)
      import
      type(redist_view), intent(inout) :: view
      integer(c_int), value :: order
      integer(c_int) :: err
    end function c_view_set_order
    function c_view_span(view, rank, elements) &
        bind(C, name="redist_view_span") result(err)
      import
      type(redist_view), intent(in) :: view
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out) :: elements
      integer(c_int) :: err
    end function c_view_span
    function c_view_from_descriptor(desc, grid, dist, view) &
        bind(C, name="redist_view_from_descriptor") result(err)
      import
      integer(c_int), intent(in) :: desc(9)
      type(c_ptr), value :: grid
      type(c_ptr), intent(out) :: dist
      type(redist_view), intent(inout) :: view
      integer(c_int) :: err
    end function c_view_from_descriptor
    function c_view_from_darray(ndims, gsizes, distribs, dargs, psizes, order, dist, &
        view) bind(C, name="redist_view_from_darray") result(err)
      import
      integer(c_int), value :: ndims
      integer(c_int), intent(in) :: gsizes(*), distribs(*), dargs(*), psizes(*)
      integer(c_int), value :: order
      type(c_ptr), intent(out) :: dist
      type(redist_view), intent(inout) :: view
      integer(c_int) :: err
    end function c_view_from_darray
    function c_view_parse(text, dist, view) bind(C, name="redist_view_parse") result(err)
      import
      character(c_char), intent(in) :: text(*)
      type(c_ptr), intent(out) :: dist
      type(redist_view), intent(inout) :: view
      integer(c_int) :: err
    end function c_view_parse
    function c_view_print(view, text, size, length) &
        bind(C, name="redist_view_print") result(err)
      import
      type(redist_view), intent(in) :: view
      type(c_ptr), value :: text
      integer(c_size_t), value :: size
      integer(c_size_t), intent(inout) :: length
      integer(c_int) :: err
    end function c_view_print

    ! proposals
    function c_balance_shares(method, nprocs, counts, weights, shares) &
        bind(C, name="redist_balance_shares") result(err)
      import
      integer(c_int), value :: method, nprocs
      integer(c_int64_t), intent(in) :: counts(*)
      type(c_ptr), value :: weights
      integer(c_int64_t), intent(inout) :: shares(*)
      integer(c_int) :: err
    end function c_balance_shares
    function c_balance_dists(method, nprocs, counts, shares, source, target) &
        bind(C, name="redist_balance_dists") result(err)
      import
      integer(c_int), value :: method, nprocs
      integer(c_int64_t), intent(in) :: counts(*), shares(*)
      type(c_ptr), intent(out) :: source, target
      integer(c_int) :: err
    end function c_balance_dists
    function c_relabel(source, target, nodes, within, dist, kept) &
        bind(C, name="redist_relabel") result(err)
      import
      type(redist_view), intent(in) :: source, target
      type(c_ptr), value :: nodes
      integer(c_int), value :: within
      type(c_ptr), intent(out) :: dist
      type(c_ptr), value :: kept
      integer(c_int) :: err
    end function c_relabel

    ! topologies
    function c_topology_create_mesh(ndims, extents, periodic, nprocs, coords, topology) &
        bind(C, name="redist_topology_create_mesh") result(err)
      import
      integer(c_int), value :: ndims
      integer(c_int), intent(in) :: extents(*), periodic(*)
      integer(c_int), value :: nprocs
      type(c_ptr), value :: coords
      type(c_ptr), intent(out) :: topology
      integer(c_int) :: err
    end function c_topology_create_mesh
    function c_topology_create_tree(nlevels, members, links, nprocs, places, topology) &
        bind(C, name="redist_topology_create_tree") result(err)
      import
      integer(c_int), value :: nlevels
      integer(c_int), intent(in) :: members(*), links(*)
      integer(c_int), value :: nprocs
      type(c_ptr), value :: places
      type(c_ptr), intent(out) :: topology
      integer(c_int) :: err
    end function c_topology_create_tree
    function c_topology_parse(text, nprocs, topology) &
        bind(C, name="redist_topology_parse") result(err)
      import
      character(c_char), intent(in) :: text(*)
      integer(c_int), value :: nprocs
      type(c_ptr), intent(out) :: topology
      integer(c_int) :: err
    end function c_topology_parse
    pure function c_topology_links(topology) &
        bind(C, name="redist_topology_links") result(value)
      import
      type(c_ptr), value :: topology
      integer(c_int64_t) :: value
    end function c_topology_links
    function c_topology_route(topology, from, to, room, links) &
        bind(C, name="redist_topology_route") result(value)
      import
      type(c_ptr), value :: topology
      integer(c_int), value :: from, to, room
      integer(c_int64_t), intent(inout) :: links(*)
      integer(c_int) :: value
    end function c_topology_route
    subroutine c_topology_destroy(topology) bind(C, name="redist_topology_destroy")
      import
      type(c_ptr), intent(inout) :: topology
    end subroutine c_topology_destroy

    subroutine c_refuse(sentence) bind(C, name="redist_refuse")
      import
      character(c_char), intent(in) :: sentence(*)
    end subroutine c_refuse

    ! plans
    function c_plan_destroy(plan) bind(C, name="redist_plan_destroy") result(err)
      import
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: err
    end function c_plan_destroy
    function c_plan_report(plan, report) bind(C, name="redist_plan_report") result(err)
      import
      type(c_ptr), value :: plan
      type(c_report), intent(out) :: report
      integer(c_int) :: err
    end function c_plan_report
    function c_plan_tune(plan, source, target) &
        bind(C, name="redist_plan_tune") result(err)
      import
      type(c_ptr), value :: plan, source, target
      integer(c_int) :: err
    end function c_plan_tune
    function c_plan_tune_batch(plan, sources, targets) &
        bind(C, name="redist_plan_tune_batch") result(err)
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(in) :: sources(*), targets(*)
      integer(c_int) :: err
    end function c_plan_tune_batch

    ! runs
    function c_execute(plan, source, target) bind(C, name="redist_execute") result(err)
      import
      type(c_ptr), value :: plan, source, target
      integer(c_int) :: err
    end function c_execute
    function c_execute_batch(plan, sources, targets) &
        bind(C, name="redist_execute_batch") result(err)
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(in) :: sources(*), targets(*)
      integer(c_int) :: err
    end function c_execute_batch
    function c_execute_scaled(plan, alpha, source, beta, target) &
        bind(C, name="redist_execute_scaled") result(err)
      import
      type(c_ptr), value :: plan, alpha, source, beta, target
      integer(c_int) :: err
    end function c_execute_scaled
    function c_execute_batch_scaled(plan, alpha, sources, beta, targets) &
        bind(C, name="redist_execute_batch_scaled") result(err)
      import
      type(c_ptr), value :: plan, alpha
      type(c_ptr), intent(in) :: sources(*)
      type(c_ptr), value :: beta
      type(c_ptr), intent(in) :: targets(*)
      integer(c_int) :: err
    end function c_execute_batch_scaled
    function c_start(plan, source, target) bind(C, name="redist_start") result(err)
      import
      type(c_ptr), value :: plan, source, target
      integer(c_int) :: err
    end function c_start
    function c_start_batch(plan, sources, targets) &
        bind(C, name="redist_start_batch") result(err)
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(in) :: sources(*), targets(*)
      integer(c_int) :: err
    end function c_start_batch
    function c_start_scaled(plan, alpha, source, beta, target) &
        bind(C, name="redist_start_scaled") result(err)
      import
      type(c_ptr), value :: plan, alpha, source, beta, target
      integer(c_int) :: err
    end function c_start_scaled
    function c_start_batch_scaled(plan, alpha, sources, beta, targets) &
        bind(C, name="redist_start_batch_scaled") result(err)
      import
      type(c_ptr), value :: plan, alpha
      type(c_ptr), intent(in) :: sources(*)
      type(c_ptr), value :: beta
      type(c_ptr), intent(in) :: targets(*)
      integer(c_int) :: err
    end function c_start_batch_scaled
    function c_test(plan, done) bind(C, name="redist_test") result(err)
      import
      type(c_ptr), value :: plan
      integer(c_int), intent(out) :: done
      integer(c_int) :: err
    end function c_test
    function c_wait(plan) bind(C, name="redist_wait") result(err)
      import
      type(c_ptr), value :: plan
      integer(c_int) :: err
    end function c_wait

    ! memory
    function c_free(memory) bind(C, name="redist_free") result(err)
      import
      type(c_ptr), value :: memory
      integer(c_int) :: err
    end function c_free

    ! the C library
    function c_strlen(text) bind(C, name="strlen") result(value)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: value
    end function c_strlen
  end interface
end module redist_c
