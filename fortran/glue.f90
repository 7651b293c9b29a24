! SPDX-License-Identifier: MIT
!
! glue.f90 - glue.c as Fortran interfaces: calls with MPI handles as Fortran has them, and
! the module's own sentences.
module redist_glue
  use, intrinsic :: iso_c_binding
  use redist_types
  use redist_c
  implicit none
  public

  interface
    function c_plan_create(comm, type, source, target, options, plan) &
        bind(C, name="redist_fortran_plan_create") result(err)
      import
      integer(c_int), value :: comm, type
      type(redist_view), intent(in) :: source, target
      type(c_options), intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int) :: err
    end function c_plan_create
    function c_plan_create_batch(comm, nitems, items, options, plan) &
        bind(C, name="redist_fortran_plan_create_batch") result(err)
      import
      integer(c_int), value :: comm
      integer(c_int), value :: nitems
      type(c_item), intent(in) :: items(*)
      type(c_options), intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int) :: err
    end function c_plan_create_batch
    function c_plan_create_indexed(comm, type, extent, source, target, options, plan) &
        bind(C, name="redist_fortran_plan_create_indexed") result(err)
      import
      integer(c_int), value :: comm, type
      integer(c_int64_t), value :: extent
      type(redist_indices), intent(in) :: source, target
      type(c_options), intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int) :: err
    end function c_plan_create_indexed
    function c_balance_create(comm, count, type, method, weight, options, plan, share) &
        bind(C, name="redist_fortran_balance_create") result(err)
      import
      integer(c_int), value :: comm, type, method
      integer(c_int64_t), value :: count, weight
      type(c_options), intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int64_t), intent(inout) :: share
      integer(c_int) :: err
    end function c_balance_create
    function c_balance_create_sized(comm, count, sizes, type, method, weight, options, &
        plan, count_share, unit_share) &
        bind(C, name="redist_fortran_balance_create_sized") result(err)
      import
      integer(c_int), value :: comm, type, method
      integer(c_int64_t), value :: count, weight
      integer(c_int64_t), intent(in) :: sizes(*)
      type(c_options), intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int64_t), intent(inout) :: count_share, unit_share
      integer(c_int) :: err
    end function c_balance_create_sized
    function c_topology_create_cart(comm, topology) &
        bind(C, name="redist_fortran_topology_create_cart") result(err)
      import
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: topology
      integer(c_int) :: err
    end function c_topology_create_cart
    function c_topology_create_nodes(comm, links, topology) &
        bind(C, name="redist_fortran_topology_create_nodes") result(err)
      import
      integer(c_int), value :: comm, links
      type(c_ptr), intent(out) :: topology
      integer(c_int) :: err
    end function c_topology_create_nodes
    subroutine c_type(type, word) bind(C, name="redist_fortran_type")
      import
      integer(c_int), value :: type
      integer(c_intptr_t), intent(out) :: word
    end subroutine c_type
    subroutine c_no_type(word) bind(C, name="redist_fortran_no_type")
      import
      integer(c_intptr_t), intent(out) :: word
    end subroutine c_no_type
    function c_type_create(text, type) bind(C, name="redist_fortran_type_create") &
        result(err)
      import
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int), intent(inout) :: type
      integer(c_int) :: err
    end function c_type_create
    function c_alloc(comm, bytes, memory) bind(C, name="redist_fortran_alloc") result(err)
      import
      integer(c_int), value :: comm
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: memory
      integer(c_int) :: err
    end function c_alloc
    function c_alloc_view(comm, type, view, memory) &
        bind(C, name="redist_fortran_alloc_view") result(err)
      import
      integer(c_int), value :: comm, type
      type(redist_view), intent(in) :: view
      type(c_ptr), intent(out) :: memory
      integer(c_int) :: err
    end function c_alloc_view
    subroutine c_say(sentence) bind(C, name="redist_fortran_say")
      import
      character(c_char), intent(in) :: sentence(*)
    end subroutine c_say
    function c_message() bind(C, name="redist_fortran_message") result(value)
      import
      type(c_ptr) :: value
    end function c_message
    subroutine c_unhandled() bind(C, name="redist_fortran_unhandled")
      import
    end subroutine c_unhandled
  end interface
end module redist_glue
