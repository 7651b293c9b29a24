! SPDX-License-Identifier: MIT
!
! check.f90 - what the Fortran tests share: expectations, and a verdict of all processes.
module check
  use mpi_f08
  use redist
  implicit none
  private
  public :: begin, expect, expect_error, conclude, note, mine, nprocs

  integer, protected :: mine = -1, nprocs = 0
  integer :: wrong = 0
  character(MPI_MAX_ERROR_STRING), public :: noted = ''

contains

  subroutine begin()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, mine)
    call MPI_Comm_size(MPI_COMM_WORLD, nprocs)
  end subroutine begin

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    wrong = wrong + 1
    print '(a, i0, 4a)', 'rank ', mine, ': ', what, ' does not hold; the last error: ', &
      redist_error_message()
  end subroutine expect

  ! The last call must have failed with a code, and a sentence that holds some words.
  subroutine expect_error(ierror, err, words)
    integer, intent(in) :: ierror, err
    character(*), intent(in) :: words
    call expect(ierror == err, redist_error_name(err) // ' for "' // words // '"')
    call expect(index(redist_error_message(), words) > 0, '"' // words // '"')
  end subroutine expect_error

  subroutine conclude()
    integer :: all
    call MPI_Allreduce(wrong, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (mine == 0 .and. all == 0) print '(a)', 'PASS'
    call MPI_Finalize()
    if (all /= 0) error stop 1, quiet=.true.
  end subroutine conclude

  ! An error handler, which leaves the error's words in `noted`.
  subroutine note(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code, length
    if (comm == MPI_COMM_WORLD) call MPI_Error_string(error_code, noted, length)
  end subroutine note
end module check
