/* SPDX-License-Identifier: MIT
 *
 * A process that waits for messages goes on with extra requests
 * (move/mpi/extra_request.h): words go round all processes several times, and some of
 * these send their message only when they have heard them all, which they never would if
 * those that wait for it did not pass them on.
 */
#include "move/mpi/extra_request.h"
#include "mpi/check.h"

enum { ROUNDS = 5, MESSAGES = 3, TAG = 7 };

/* Words that go round: each process passes on its sum of what it has heard. */
struct words {
    struct extra_request extra;
    MPI_Request heard;
    int round, told[ROUNDS], word[ROUNDS];
};

static redist_err post_round(struct words *words)
{
    int n = world_size(), right = (world_rank() + 1) % n;
    int left = (world_rank() + n - 1) % n, round = words->round;
    MPI_Request sent;
    words->told[round] = 1 + (round > 0 ? words->word[round - 1] : 0);
    words->extra.request = &words->heard;
    MPI_Irecv(&words->word[round], 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &words->heard);
    MPI_Isend(&words->told[round], 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &sent);
    MPI_Request_free(&sent);
    return REDIST_OK;
}

static redist_err next_round(struct extra_request *extra)
{
    struct words *words = (struct words *)extra;
    words->extra.request = NULL;
    return ++words->round < ROUNDS ? post_round(words) : REDIST_OK;
}

/* Odd processes send to the even one before them when they have heard all. */
static void pass_words_on(bool wait)
{
    struct words words = {.extra.go_on = next_round};
    int n = world_size(), rank = world_rank(), came[MESSAGES] = {0}, done = 0;
    bool hears = rank % 2 == 0 && rank + 1 < n;
    MPI_Request request[1 + MESSAGES];
    MPI_Status status[MESSAGES];
    for (int k = 0; k <= MESSAGES; k++) request[k] = MPI_REQUEST_NULL;
    for (int k = 0; hears && k < MESSAGES - 1; k++) /* the last one is none */
        MPI_Irecv(&came[k], 1, MPI_INT, rank + 1, TAG + 1 + k, MPI_COMM_WORLD,
                  &request[1 + k]);
    CHECK_OK(post_round(&words));
    while (hears && !done)
        CHECK_OK(
            extra_request_complete(&words.extra, MESSAGES, request, status, wait, &done));
    while (words.extra.request) {
        MPI_Wait(&words.heard, MPI_STATUS_IGNORE);
        CHECK_OK(next_round(&words.extra));
    }
    for (int k = 0; rank % 2 == 1 && k < MESSAGES - 1; k++)
        MPI_Send(&words.round, 1, MPI_INT, rank - 1, TAG + 1 + k, MPI_COMM_WORLD);
    for (int k = 0; hears && k < MESSAGES - 1; k++)
        CHECK(came[k] == ROUNDS && request[1 + k] == MPI_REQUEST_NULL, "%d came",
              came[k]);
    for (int k = 0; k < ROUNDS; k++)
        CHECK(words.word[k] == k + 1, "%d heard in round %d", words.word[k], k);
}

/* Without an extra request messages are completed all the same. */
static void there_may_be_no_extra_request(void)
{
    struct extra_request nothing = {.request = NULL};
    int sent = world_rank(), came = -1;
    MPI_Request request[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status[2];
    for (int k = 0; k < 2; k++) {
        int done = 0;
        CHECK_OK(
            extra_request_complete(k ? &nothing : NULL, 2, request, status, true, &done));
        CHECK(done, "there was nothing to wait for");
        MPI_Irecv(&came, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &request[1]);
        CHECK_OK(extra_request_complete(k ? &nothing : NULL, 2, request, status, false,
                                        &done));
        CHECK(!done, "nothing has been sent");
        MPI_Send(&sent, 1, MPI_INT, 0, TAG, MPI_COMM_SELF);
        CHECK_OK(
            extra_request_complete(k ? &nothing : NULL, 2, request, status, true, &done));
        CHECK(done && came == sent, "%d came", came);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    pass_words_on(true);
    pass_words_on(false);
    there_may_be_no_extra_request();
    return passed("words go on beside messages");
}
