/* SPDX-License-Identifier: MIT
 *
 * Grids, formats, distributions, views, proposals and topologies.
 */
#include "check.hpp"

using redist::error;

static void describes_grids()
{
    redist::grid grid({2, 3}, REDIST_COLUMN_MAJOR, {5, 4, 3, 2, 1, 0});
    CHECK(grid.naxes() == 2 && grid.shape(1) == 3 && grid.size() == 6, "another shape");
    CHECK(grid.rank({1, 0}) == 4 && grid.rank({2, 0}) == -1, "another rank");
    CHECK((grid.coords(4) == std::vector<int>{1, 0}) && !grid.coords(6), "other coords");
    check_fails(REDIST_ERR_ARG, "ranks has 1 elements, must have 6", [] {
        redist::grid({2, 3}, REDIST_ROW_MAJOR, {1});
    });
    check_fails(REDIST_ERR_ARG, "coords has 1 elements, must have 2",
                [&] { (void)grid.rank({1}); });
}

static void describes_dists()
{
    redist::grid grid({2, 2});
    redist::dist dist({12, 6}, {redist::block(8), redist::indirect({0, 1, 1, 0, 0, 1})},
                      grid);
    CHECK(dist.ndims() == 2 && dist.extent(0) == 12, "other extents");
    CHECK(dist.grid().size() == 4, "another grid");
    CHECK((dist.local_extents(3) == std::vector<std::int64_t>{4, 3}), "other extents");
    const auto [owner, local] = dist.owner({9, 2});
    CHECK(owner == 3 && (local == std::vector<std::int64_t>{1, 1}), "another owner");
    CHECK((dist.index(owner, local) == std::vector<std::int64_t>{9, 2}), "another index");
    CHECK(redist::dist(dist.text()) == dist, "%s", dist.text().c_str());

    redist::dist other({12, 6}, {redist::cyclic().from(1), redist::collapsed()}, grid);
    CHECK(other != dist && other.text() == "[12,6] (cyclic from 1,*) onto 2x2", "%s",
          other.text().c_str());
    redist::dist on({5, 7}, {redist::block().on(1), redist::gen_block({3, 4})}, grid);
    CHECK((on.local_extents(1) == std::vector<std::int64_t>{2, 3}), "other extents");

    check_fails(REDIST_ERR_ARG, "gen_block has 3 elements, must have 2", [&] {
        redist::dist({5, 7}, {redist::block(), redist::gen_block({3, 3, 1})}, grid);
    });
    check_fails(REDIST_ERR_ARG, "indirect has 1 elements, must have 5",
                [&] { redist::dist({5}, {redist::indirect({0})}, redist::grid({2})); });
    check_fails(REDIST_ERR_ARG, "formats has 1 elements, must have 2", [&] {
        redist::dist({5, 7}, {redist::block()}, grid);
    });
    check_fails(REDIST_ERR_ARG, "column 8: dim 0: cyclic block is 0",
                [] { redist::dist("[300] (cyclic(0)) onto 4"); });
    try {
        redist::dist("[300] (cyclic(0)) onto 4");
    } catch (const error &wrong) {
        CHECK(std::strcmp(wrong.name(), "ARG") == 0, "%s", wrong.name());
    }
}

/* What a program has of its own kind of std::mdspan. */
struct matrix {
    double *data;
    std::size_t rows, columns, lead;
    static constexpr std::size_t rank() { return 2; }
    double *data_handle() const { return data; }
    std::size_t extent(std::size_t i) const { return i == 0 ? rows : columns; }
    std::size_t stride(std::size_t i) const { return i == 0 ? 1 : lead; }
};

/* The same with a layout: column-major, without gaps. */
struct columns : matrix {
    struct extents_type {
        std::size_t rows, columns;
        extents_type(std::size_t of_rows, std::size_t of_columns)
            : rows(of_rows), columns(of_columns)
        {
        }
        static constexpr std::size_t rank_dynamic() { return 2; }
    };
    struct mapping_type {
        extents_type of;
        explicit mapping_type(const extents_type &extents) : of(extents) {}
        std::size_t stride(std::size_t i) const { return i == 0 ? 1 : of.rows; }
    };
};

static void describes_views()
{
    redist::view whole(redist::dist("[12,6] (block,*) onto 2"));
    CHECK(whole.span(1) == 36, "spans %d", static_cast<int>(whole.span(1)));
    whole->halo_low[0] = 1;
    whole.set_order(REDIST_COLUMN_MAJOR);
    CHECK(whole.span(1) == 42, "spans %d", static_cast<int>(whole.span(1)));
    CHECK(whole.text() == "[12,6] (block,*) onto 2 order column-major halo (1:0,0)", "%s",
          whole.text().c_str());
    whole.set_dist(redist::dist("[12,6] (*,block) onto 2"));
    CHECK(whole.get()->dist == whole.dist().get(), "another dist");
    CHECK(whole.span(0) == 39, "spans %d", static_cast<int>(whole.span(0)));

    const redist::grid grid({2, 2});
    const auto cycles =
        redist::view::from_descriptor({1, -1, 12, 6, 2, 3, 0, 0, 6}, grid);
    CHECK(cycles.dist().text() == "[12,6] (cyclic(2),cyclic(3)) onto 2x2", "%s",
          cycles.dist().text().c_str());
    const auto parts =
        redist::view_from_darray({12, 6}, {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
                                 {2, 3}, {2, 2}, MPI_ORDER_FORTRAN);
    CHECK(parts.dist().text() == "[12,6] (cyclic(2),block(3)) onto 2x2", "%s",
          parts.dist().text().c_str());
}

static void takes_layouts_of_arrays()
{
    std::vector<double> elements(40);
    const redist::dist rows("[12,6] (block,*) onto 2");
    const auto view = redist::view::of(rows, 1, matrix{elements.data(), 6, 6, 7});
    CHECK(view.get()->lead[0] == 1 && view.get()->lead[1] == 7, "other strides");
    CHECK(view.span(1) == 41, "spans %d", static_cast<int>(view.span(1)));
    check_fails(REDIST_ERR_ARG, "dim 0: the mdspan has 5 elements, must have 6", [&] {
        (void)redist::view::of(rows, 1, matrix{elements.data(), 5, 6, 7});
    });

    /* local arrays of 2, 1 and no rows: all processes must have one order */
    const redist::dist few("[3,8] (block(2),*) onto 3");
    for (int rank = 0; rank < 3; rank++) {
        const std::size_t n = rank < 2 ? static_cast<std::size_t>(2 - rank) : 0;
        const columns array{{elements.data(), n, 8, n}};
        const auto dense = redist::view::of(few, rank, array);
        const auto strided = redist::view::of(few, rank, matrix(array));
        CHECK(dense.get()->order[0] == 1, "rank %d: another order", rank);
        CHECK(strided.get()->order[0] == 0, "rank %d: another order", rank);
        CHECK(dense.span(rank) == static_cast<std::int64_t>(8 * n), "spans %d",
              static_cast<int>(dense.span(rank)));
    }
}

static void proposes()
{
    const auto shares = redist::balance_shares(REDIST_BALANCE_B, {12, 0, 3});
    CHECK((shares == std::vector<std::int64_t>{5, 5, 5}), "other shares");
    CHECK((redist::balance_shares(REDIST_BALANCE_A, {8, 0}, {3, 1}) ==
           std::vector<std::int64_t>{6, 2}),
          "weights do not count");
    const auto [from, to] = redist::balance_dists(REDIST_BALANCE_A, {12, 0, 3}, shares);
    CHECK(from.text() == "[15] (gen_block(12,0,3)) onto 3", "%s", from.text().c_str());
    CHECK(to.local_extents(1)[0] == 5, "%s", to.text().c_str());
    check_fails(REDIST_ERR_ARG, "weights has 1 elements, must have 2", [] {
        (void)redist::balance_shares(REDIST_BALANCE_A, {8, 0}, {3});
    });
    check_fails(REDIST_ERR_ARG, "shares has 1 elements, must have 2", [] {
        (void)redist::balance_dists(REDIST_BALANCE_A, {8, 0}, {8});
    });

    const redist::view source("[800,800] (cyclic(100),cyclic(100)) onto 2x4");
    redist::view target("[800,800] (cyclic(100),cyclic(100)) onto 4x2");
    const auto better = redist::relabel(source, target);
    CHECK(better.kept_given == 160000 && better.kept == 320000, "keeps others");
    target.set_dist(better.dist);
    const auto again = redist::relabel(source, target, {0, 0, 0, 0, 1, 1, 1, 1}, 10);
    CHECK(again.kept_given == 320000, "keeps others");
    check_fails(REDIST_ERR_ARG, "nodes has 2 elements", [&] {
        (void)redist::relabel(source, target, {0, 0});
    });
}

static void describes_topologies()
{
    using redist::topology;
    const topology torus("torus(2,2)", 4);
    CHECK(torus.links() == 16 && torus.route(0, 3)->size() == 2, "other links");
    CHECK(!torus.route(0, 4), "a rank that is not there");
    CHECK(!topology().get(), "no topology is one");
    CHECK(topology::mesh({2, 2}, 4, {1, 1}).route(0, 3) == torus.route(0, 3),
          "another way");
    CHECK(topology::mesh({2, 2}, 1, {}, {1, 1}).links() == 16, "other links");
    CHECK(topology::tree({4, 16}, {1}, 64).route(0, 1)->size() == 2, "another way");
    CHECK(topology::tree({2, 2}, {1}, 2, {0, 3}).route(0, 1)->size() == 4, "another way");
    CHECK(topology::nodes(MPI_COMM_WORLD, 2).links() > 0, "no links");
    check_fails(REDIST_ERR_ARG, "places has 1 elements, must have 2", [] {
        (void)topology::tree({2, 2}, {1}, 2, {0});
    });
    check_fails(REDIST_ERR_ARG, "coords has 1 elements, must have 2", [] {
        (void)topology::mesh({2, 2}, 1, {}, {1});
    });
    check_fails(REDIST_ERR_ARG, "periodic has 1 elements, must have 2", [] {
        (void)topology::mesh({2, 2}, 1, {1});
    });
    check_fails(REDIST_ERR_ARG, "links has 3 elements, must have 2", [] {
        (void)topology::tree({2, 2}, {1, 1, 1}, 4);
    });

    int extent = world::size(), periodic = 1;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &periodic, 0, &ring);
    CHECK(topology::cart(ring).route(0, 0)->empty(), "a way to itself");
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
    return run_test(argc, argv, [] {
        describes_grids();
        describes_dists();
        describes_views();
        takes_layouts_of_arrays();
        proposes();
        describes_topologies();
    });
}
