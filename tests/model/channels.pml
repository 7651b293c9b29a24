/* SPDX-License-Identifier: MIT
 *
 * Spin executes the functions of channel.h, for two senders and two receivers, in all
 * orders. Each c_code is one step; what corresponds to what:
 *
 *   send, receive   processes of the node; polls that find nothing are no steps here
 *   out, in         the ends of `channel`; BEGIN is start of exchange_shared.c
 *   slots           rings, or with WINDOW a source window that both receivers read. A
 *                   piece is a byte, its number over all runs from 1 on; 0: half written
 *   SEND            pack_piece and send_due; with WINDOW send_stretches
 *   CLOSE           close_outgoing
 *   HEAR            receive_pieces and accept_offer; array: the sender's own array
 *   TAKE            shm_receive_take; SKIP: pass_stretches, which waits for no post
 *
 * The environment's MODEL has the numbers of senders, receivers, runs, pieces and slots,
 * the first offer, and whether there is a window. The order of the accesses to memory
 * within a function is for exchange.cpp to check. A c_expr calls functions only with a
 * blank after their names.
 */
c_decl {
\#include <assert.h>
\#include <stdio.h>
\#include <stdlib.h>

\#include "move/node/channel.h"

enum { SENDERS, RECEIVERS, RUNS, PIECES, SLOTS, FIRST, WINDOW, CHOICES };
static int model[CHOICES];
enum { MOST_SLOTS = 4 };

struct channel channel[2][2]; /* [sender][receiver] */
struct channel_end out[2][2], in[2][2];
char slots[2][2][MOST_SLOTS], array[2];
char closed[2][2], heard[2][2], ended[2][2];

/* An offered array is refused every second time. */
static enum offer offer_of(int run, int s)
{
    static const enum offer offers[] = {OFFER_PIECES, OFFER_PIECES, OFFER_ARRAYS,
                                        OFFER_NOTHING, OFFER_ARRAYS};
    return offers[(run + 2 * s + model[FIRST]) % 5];
}

static bool is_refused(int run, int s) { return (run + 2 * s + model[FIRST]) % 5 == 4; }

static char number(int64_t run, int64_t piece)
{
    return (char)(run * (model[PIECES] + 1) + piece + 1);
}

static void connect(void)
{
    const char *text = getenv("MODEL");
    for (int k = 0; k < CHOICES; k++) model[k] = (int)strtol(text, (char **)&text, 10);
    assert(model[SLOTS] <= MOST_SLOTS);
    for (int s = 0; s < 2; s++)
        for (int r = 0; r < 2; r++)
            in[s][r] = out[s][r] =
                (struct channel_end){.channel = &channel[s][r],
                                     .slots = slots[s][model[WINDOW] ? 0 : r],
                                     .slot = 1,
                                     .nslots = model[SLOTS],
                                     .all = model[PIECES]};
}

/* Of a copy, so that looking is no step. */
static bool has_news(struct channel_end end) { return channel_heed(&end); }

/* Whether the next piece of channel r, and in a window of both, has room. */
static bool has_room(int s, int r)
{
    for (int k = 0; k < 2; k++)
        if ((k == r || model[WINDOW]) && !closed[s][k] && !channel_room(&out[s][k]))
            return false;
    return !closed[s][r] && !(model[WINDOW] && r == 1 && !closed[s][0]);
}
}
c_track "channel" "sizeof channel"
c_track "out" "sizeof out"
c_track "in" "sizeof in"
c_track "slots" "sizeof slots"
c_track "array" "sizeof array"
c_track "closed" "sizeof closed"
c_track "heard" "sizeof heard"
c_track "ended" "sizeof ended"

#define ME Psend->s
#define TURN Psend->turn
#define OFFER(r) c_code { \
        closed[ME][r] = r >= model[RECEIVERS]; \
        if (!closed[ME][r]) channel_offer(&out[ME][r], offer_of(TURN, ME)); \
    }
#define HEED(r) c_expr { !closed[ME][r] && has_news (out[ME][r]) } -> \
                c_code { channel_heed(&out[ME][r]); }
#define CLOSE(r) c_expr { !closed[ME][r] && channel_is_over (&out[ME][r]) } -> \
                 c_code { closed[ME][r] = 1; }
#define SEND(r) c_expr { has_room (ME, r) } -> \
                c_code { *channel_slot(&out[ME][r]) = 0; }; \
                c_code { *channel_slot(&out[ME][r]) = number(TURN, out[ME][r].done); }; \
                c_code { channel_send(&out[ME][r]); }; \
                if \
                :: c_expr { model[WINDOW] && r == 0 && !closed[ME][1] } -> \
                   c_code { channel_send(&out[ME][1]); } \
                :: else \
                fi

proctype send(byte s)
{
    byte turn;
    do
    :: c_expr { TURN == model[RUNS] } -> break
    :: else ->
        c_code { array[ME] = number(TURN, model[PIECES]); };
        OFFER(0);
        OFFER(1);
        do
        :: HEED(0)
        :: HEED(1)
        :: CLOSE(0)
        :: CLOSE(1)
        :: SEND(0)
        :: SEND(1)
        :: c_expr { closed[ME][0] && closed[ME][1] } -> break
        od;
        turn++
    od
}

#undef ME
#undef TURN
#define ME Preceive->r
#define TURN Preceive->turn
#define LISTEN(s) c_code { \
        heard[s][ME] = ended[s][ME] = s >= model[SENDERS]; \
        if (!heard[s][ME]) channel_listen(&in[s][ME]); \
    }
#define HEAR(s) c_expr { !heard[s][ME] && channel_posted (&in[s][ME]) >= 1 } -> \
    c_code { \
        enum offer offer; \
        heard[s][ME] = channel_hear(&in[s][ME], &offer); \
        assert(offer == offer_of(TURN, s)); \
    }; \
    if \
    :: c_expr { offer_of (TURN, s) == OFFER_PIECES } \
    :: c_expr { is_refused (TURN, s) } -> c_code { channel_answer(&in[s][ME], true); } \
    :: else -> \
        c_code { assert(offer_of(TURN, s) == OFFER_NOTHING || \
                        array[s] == number(TURN, model[PIECES])); }; \
        c_code { channel_answer(&in[s][ME], false); ended[s][ME] = 1; } \
    fi
#define LEFT(s) (heard[s][ME] && in[s][ME].done < in[s][ME].pieces)
#define RIGHT(s) assert(*channel_slot(&in[s][ME]) == number(TURN, in[s][ME].done))
#define GIVE_BACK(s) c_code { \
        in[s][ME].done++; \
        channel_give_back(&in[s][ME]); \
        ended[s][ME] = in[s][ME].done == in[s][ME].pieces; \
    }
#define TAKE(s) c_expr { LEFT(s) && channel_piece (&in[s][ME]) } -> \
    c_code { RIGHT(s); }; c_code { RIGHT(s); }; GIVE_BACK(s)
#define SKIP(s) c_expr { model[WINDOW] && LEFT(s) } -> GIVE_BACK(s)

proctype receive(byte r)
{
    byte turn;
    do
    :: c_expr { TURN == model[RUNS] } -> break
    :: else ->
        LISTEN(0);
        LISTEN(1);
        do
        :: HEAR(0)
        :: HEAR(1)
        :: TAKE(0)
        :: TAKE(1)
        :: SKIP(0)
        :: SKIP(1)
        :: c_expr { ended[0][ME] && ended[1][ME] } -> break
        od;
        turn++
    od
}

init
{
    c_code { connect(); };
    atomic {
        run send(0);
        run receive(0);
        if
        :: c_expr { model[SENDERS] > 1 } -> run send(1)
        :: else
        fi;
        if
        :: c_expr { model[RECEIVERS] > 1 } -> run receive(1)
        :: else
        fi
    }
}
