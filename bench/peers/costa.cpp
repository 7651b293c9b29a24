/* SPDX-License-Identifier: MIT
 *
 * peers/costa.cpp - COSTA, by its own interface: its p?gemr2d takes both grids to be of
 * the same shape. COSTA is column-major, see scalapack.c; it plans anew in each call.
 */
#include <costa/grid2grid/transform.hpp>
#include <costa/layout.hpp>

#include "base/error.h"
#include "peer.h"

namespace
{

struct costa_work {
    MPI_Comm comm;
    item work;
    int rank;
};

costa::grid_layout<double> layout_of(const costa_work &costa, int side, double *local)
{
    const item &work = costa.work;
    const layout2d &layout = work.side[side];
    int mine[2];
    bool in = item_coordinates(&work, side, costa.rank, mine);
    int ld = in ? static_cast<int>(item_local(&work, side, 1, mine[1])) : 1;
    int m = static_cast<int>(work.extent[1]), n = static_cast<int>(work.extent[0]);
    return costa::block_cyclic_layout<double>(m, n, static_cast<int>(layout.block[1]),
                                              static_cast<int>(layout.block[0]), 1, 1, m,
                                              n, layout.grid[1], layout.grid[0], 'C', 0,
                                              0, local, ld > 1 ? ld : 1, costa.rank);
}

redist_err make(MPI_Comm comm, const item *work, const char *, void **state)
{
    TRY(item_check_order(work));
    /* It lists every block: of cyclic(1) it would take hours. */
    for (int s = 0; s < 2; s++)
        for (int j = 0; j < 2; j++)
            if (work->extent[j] / work->side[s].block[j] > 1 << 16)
                return error_set(REDIST_ERR_ARG, "more than 2^16 blocks in a dimension");
    int rank;
    MPI_Comm_rank(comm, &rank);
    *state = new costa_work{comm, *work, rank};
    return REDIST_OK;
}

redist_err run(void *state, const double *source, double *target)
{
    const costa_work &costa = *static_cast<costa_work *>(state);
    auto from = layout_of(costa, 0, const_cast<double *>(source));
    auto to = layout_of(costa, 1, target);
    costa::transform(from, to, costa.comm);
    return REDIST_OK;
}

void destroy(void *state) { delete static_cast<costa_work *>(state); }

} // namespace

extern "C" const struct peer peer_costa = {"COSTA", false, make, run, destroy};
