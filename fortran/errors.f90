! SPDX-License-Identifier: MIT
!
! errors.f90 - how each procedure ends: with an ierror and a sentence.
!
! ierror is optional, as in mpi_f08. Where it is left out an error goes to the error
! handler of MPI_COMM_WORLD, as MPI's own errors do, and with the sentence: unless you
! have set another handler, it ends the program.
module redist_errors
  use redist_types
  use redist_c
  use redist_glue
  implicit none
  public

contains

  ! Return the sentence that the last failed call of this thread left: it names the
  ! argument, its value and what was expected. Empty if none failed yet.
  ! Local. O(1). Never fails.
  function redist_error_message() result(message)
    character(:), allocatable :: message
    message = from_c(c_message())
  end function redist_error_message

  ! Return the name of an error code, for instance "ARG".
  ! Local. O(1). Never fails: an unknown code gives "unknown".
  function redist_error_name(err) result(name)
    integer, intent(in) :: err
    character(:), allocatable :: name
    name = from_c(c_error_name(err))
  end function redist_error_name

  ! Say why this process cannot take part in the collective call that comes next, which is
  ! still to be made: it fails on every process, with this sentence. Without a sentence,
  ! take that back. Local. O(1). Never fails.
  subroutine redist_refuse(sentence)
    character(*), intent(in), optional :: sentence
    if (present(sentence)) then
      call c_refuse(sentence // c_null_char)
    else
      call c_refuse(c_null_char)
    end if
  end subroutine redist_refuse

  ! Pass on what a call of C returned.
  subroutine finish(err, ierror)
    integer, intent(in) :: err
    integer, intent(out), optional :: ierror
    if (err /= REDIST_OK) call c_say(c_null_char)
    call conclude(err, ierror)
  end subroutine finish

  ! Fail with a sentence of the module's own.
  subroutine fail(sentence, ierror)
    character(*), intent(in) :: sentence
    integer, intent(out), optional :: ierror
    call c_say(sentence // c_null_char)
    call conclude(REDIST_ERR_ARG, ierror)
  end subroutine fail

  subroutine conclude(err, ierror)
    integer, intent(in) :: err
    integer, intent(out), optional :: ierror
    if (present(ierror)) then
      ierror = err
    else if (err /= REDIST_OK) then
      call c_unhandled()
    end if
  end subroutine conclude

  ! Whether an array argument has as many elements as it must; if not, fail.
  logical function suffices(name, elements, needed, ierror)
    character(*), intent(in) :: name
    integer, intent(in) :: elements, needed
    integer, intent(out), optional :: ierror
    suffices = elements >= needed
    if (.not. suffices) then
      call fail(name // ' has ' // decimal(elements) // ' elements, must have ' // &
                decimal(needed), ierror)
    end if
  end function suffices

  function decimal(n) result(text)
    integer, intent(in) :: n
    character(:), allocatable :: text
    character(12) :: wide
    write (wide, '(i0)') n
    text = trim(wide)
  end function decimal

  ! A name as C has it. Blanks at its end do not count.
  pure function to_c(name) result(text)
    character(*), intent(in) :: name
    character(:), allocatable :: text
    text = trim(name) // c_null_char
  end function to_c

  ! Copy a string of C's.
  function from_c(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(c_char), pointer :: letters(:)
    integer :: i
    if (.not. c_associated(address)) then
      text = ''
      return
    end if
    call c_f_pointer(address, letters, [c_strlen(address)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function from_c
end module redist_errors
