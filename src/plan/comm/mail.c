/* SPDX-License-Identifier: MIT */
#include "plan/comm/mail.h"

#include <string.h>

#include "base/intmath.h"
#include "move/message/exchange.h"
#include "move/mpi/check.h"
#include "plan/comm/agree.h"

/* Bytes of the longest message: MPI's counts are ints. */
static const int64_t LONGEST = 1 << 30;

redist_err mail_open(struct mem_account *account, int nranks, size_t size,
                     struct mail *mail)
{
    *mail = (struct mail){.nranks = nranks, .size = size, .account = account};
    const struct mem_part parts[] = {MEM_PART(mail->count, nranks),
                                     MEM_PART(mail->begin, (int64_t)nranks + 1),
                                     MEM_PART(mail->next, nranks),
                                     {0}};
    return mem_alloc_parts(account, parts);
}

redist_err mail_address(struct mail *mail)
{
    for (int r = 0; r < mail->nranks; r++) {
        mail->next[r] = mail->begin[r];
        mail->begin[r + 1] = mail->begin[r] + mail->count[r];
    }
    mail->items = mem_alloc_list(mail->account, mail->begin[mail->nranks], mail->size);
    return mail->items ? REDIST_OK : REDIST_ERR_MEMORY;
}

redist_err mail_address_bins(struct mail *mail, int64_t bins, int64_t next[])
{
    int64_t at = 0;
    for (int64_t j = 0; j < mail->nranks * bins; j++) {
        int64_t count = next[j];
        mail->count[j / bins] += count;
        next[j] = at;
        at += count;
    }
    return mail_address(mail);
}

void mail_seal(struct mail *mail)
{
    for (int r = 0; r < mail->nranks; r++) mail->next[r] = mail->begin[r + 1];
}

void mail_free(struct mail *mail)
{
    mem_free(mail->count); /* and the places */
    mem_free(mail->items);
    *mail = (struct mail){0};
}

static char *items_of(const struct mail *mail, int rank)
{
    return (char *)mail->items + (size_t)mail->begin[rank] * mail->size;
}

static int64_t bytes_of(const struct mail *mail, int rank)
{
    return mail->count[rank] * (int64_t)mail->size;
}

/* Post the messages to, or from, all others, and add their number to *n; without
 * `requests` only count them. */
static redist_err post(MPI_Comm comm, int own, const struct mail *mail, bool sends,
                       MPI_Request requests[], int *n)
{
    for (int k = 1; k < mail->nranks; k++) {
        int rank =
            sends ? (own + k) % mail->nranks : (own + mail->nranks - k) % mail->nranks;
        for (int64_t at = 0, all = bytes_of(mail, rank); at < all;
             at += LONGEST, (*n)++) {
            char *data = items_of(mail, rank) + at;
            int bytes = (int)int_min(all - at, LONGEST);
            if (!requests) continue;
            TRY(mpi_check(
                sends ? MPI_Isend(data, bytes, MPI_BYTE, rank, 0, comm, &requests[*n])
                      : MPI_Irecv(data, bytes, MPI_BYTE, rank, 0, comm, &requests[*n]),
                sends ? "MPI_Isend" : "MPI_Irecv"));
        }
    }
    return REDIST_OK;
}

static redist_err travel(MPI_Comm comm, int own, const struct mail *out,
                         const struct mail *in, MPI_Request requests[])
{
    int n = 0;
    TRY(post(comm, own, in, false, requests, &n));
    TRY(post(comm, own, out, true, requests, &n));
    if (bytes_of(out, own) > 0)
        memcpy(items_of(in, own), items_of(out, own), (size_t)bytes_of(out, own));
    for (int k = 0; k < n; k++) TRY(mpi_call(MPI_Wait(&requests[k], MPI_STATUS_IGNORE)));
    return REDIST_OK;
}

redist_err mail_send(MPI_Comm comm, redist_err err, const struct mail *out,
                     struct mail *in)
{
    int own = 0, nranks = 0, n = 0;
    TRY(mpi_call(MPI_Comm_rank(comm, &own)));
    TRY(mpi_call(MPI_Comm_size(comm, &nranks)));
    if (!err) err = mail_open(out->account, nranks, out->size, in);
    TRY(agree(comm, err));
    TRY(mpi_call(
        MPI_Alltoall(out->count, 1, MPI_INT64_T, in->count, 1, MPI_INT64_T, comm)));
    err = mail_address(in);
    MPI_Request *requests = NULL;
    if (!err) {
        (void)post(comm, own, in, false, NULL, &n);
        (void)post(comm, own, out, true, NULL, &n);
        requests = mem_alloc(out->account, n, sizeof(MPI_Request));
        if (!requests) err = REDIST_ERR_MEMORY;
    }
    err = agree(comm, err);
    if (!err) err = travel(comm, own, out, in, requests);
    mem_free(requests);
    return err;
}
