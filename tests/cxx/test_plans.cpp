/* SPDX-License-Identifier: MIT
 *
 * Plans: their runs and options, batches, index lists, balance, memory; and what happens
 * to runs and plans that are moved and destroyed.
 */
#include <array>
#include <complex>
#include <memory>

#include "check.hpp"

using world::onto;

static const MPI_Comm everyone = MPI_COMM_WORLD;

/* The two sides of most tests. */
struct sides {
    redist::view source{onto("[12,10] (block,*)")};
    redist::view target{onto("[12,10] (*,cyclic(2))")};
};

template <class T> static void moves_numbers_of(T more)
{
    const sides views;
    const redist::plan<T> made(everyone, views.source, views.target);
    redist::plan<T> plan = std::remove_const_t<redist::plan<T>>(
        everyone, onto("[12,10] (block,*)"), onto("[12,10] (*,cyclic(2))"));
    const std::vector<T> a = numbered<T>(views.source.dist(), more);
    const std::vector<T> expected = numbered<T>(views.target.dist(), more);
    std::vector<T> b(expected.size());
    plan(a, b);
    CHECK(b == expected, "other numbers");
    CHECK(made.report().arrays == 1, "several arrays");
}

static void takes_all_buffers()
{
    const sides views;
    redist::plan<double> plan(everyone, views.source, views.target);
    auto a = numbered<double>(views.source.dist());
    const auto expected = numbered<double>(views.target.dist());
    std::vector<double> b(expected.size());
    plan.execute({a.data(), a.size()}, {b.data(), b.size()});
    CHECK(b == expected, "not by address and size");

    std::array<double, 120> array{};
    plan(a, array);
    CHECK(std::equal(b.begin(), b.end(), array.begin()), "not into a larger std::array");
    double c_array[120] = {};
    plan(a, c_array);
    CHECK(std::equal(b.begin(), b.end(), c_array), "not into an array of C");

    /* a plan that is told a datatype takes any elements of its size */
    redist::plan told(everyone, MPI_DOUBLE, views.source, views.target);
    std::fill(b.begin(), b.end(), 0);
    told(a, b);
    CHECK(b == expected, "not by a datatype");
    std::vector<char> bytes(b.size() * sizeof(double));
    told(a, bytes);
    CHECK(bytes.empty() || std::memcmp(bytes.data(), b.data(), bytes.size()) == 0,
          "not into bytes");

    const std::string lone = "[6] (*) onto 1";
    redist::plan<int> of_one(everyone, lone, lone);
    std::vector<int> x{1, 2, 3, 4, 5, 6}, y(6);
    if (world::rank() == 0)
        of_one(x, y);
    else
        of_one(nullptr, nullptr);
    CHECK(world::rank() > 0 || x == y, "not on one process");
}

/* An array of rows as std::mdspan lies, with `lead` elements from row to row. */
struct rows_of {
    const double *data;
    std::size_t rows, columns, lead;
    static constexpr std::size_t rank() { return 2; }
    const double *data_handle() const { return data; }
    std::size_t extent(std::size_t i) const { return i == 0 ? rows : columns; }
    std::size_t stride(std::size_t i) const { return i == 0 ? lead : 1; }
};

static void checks_mdspans()
{
    const sides views;
    redist::plan<double> plan(everyone, views.source, views.target);
    const auto a = numbered<double>(views.source.dist());
    const auto expected = numbered<double>(views.target.dist());
    std::vector<double> b(expected.size());
    const std::size_t rows = a.size() / 10;
    plan(rows_of{a.data(), rows, 10, 10}, b);
    CHECK(b == expected, "other numbers");

    check_fails(REDIST_ERR_ARG,
                "rank 0: source: dim 1: the mdspan's extent is 9, must "
                "be 10",
                [&] {
                    plan(rows_of{a.data(), rows, 9, 10}, b);
                });
    check_fails(REDIST_ERR_ARG, "rank 0: source: dim 0: the mdspan's stride is 11", [&] {
        plan(rows_of{a.data(), rows, 10, world::rank() == 0 ? 11U : 10U}, b);
    });

    const redist::span<const void> last(rows_of{a.data(), 3, 7, 10});
    CHECK(last.size_bytes() == 27 * sizeof(double), "it ends with its last element");
    CHECK(redist::span<const void>(rows_of{a.data(), 0, 7, 10}).size() == 0, "none");

    /* its strides become the view */
    std::vector<double> wide(rows * 13);
    for (std::size_t i = 0; i < a.size(); i++) wide[i / 10 * 13 + i % 10] = a[i];
    const rows_of within{wide.data(), rows, 10, 13};
    redist::plan<double> strided(
        everyone, redist::view::of(views.source.dist(), world::rank(), within),
        views.target);
    std::fill(b.begin(), b.end(), 0);
    strided(within, b);
    CHECK(b == expected, "other numbers");
}

static void reports_bad_buffers_to_all()
{
    const sides views;
    redist::plan<double> plan(everyone, views.source, views.target);
    const auto a = numbered<double>(views.source.dist());
    const auto expected = numbered<double>(views.target.dist());
    std::vector<double> b(expected.size()), none;
    const std::size_t less = a.size() - (world::rank() == world::size() - 1);
    const std::string last = "rank " + std::to_string(world::size() - 1) +
                             ": source: the buffer has " +
                             std::to_string((12 / world::size() * 10 - 1) * 8) + " bytes";
    const char *sentence = last.c_str();
    auto short_source = [&] { return redist::span<const double>(a.data(), less); };
    check_fails(REDIST_ERR_ARG, sentence, [&] { plan(short_source(), b); });
    check_fails(REDIST_ERR_ARG, sentence, [&] { plan.start(short_source(), b).wait(); });
    check_fails(REDIST_ERR_ARG, sentence, [&] {
        redist::request run = plan.start(short_source(), b);
        while (!run.test()) {
        }
    });
    check_fails(REDIST_ERR_ARG, sentence, [&] { plan.tune(short_source(), b); });
    check_fails(REDIST_ERR_ARG, "rank 0: target: the buffer has 0 bytes",
                [&] { plan(a, world::rank() == 0 ? none : b); });
    plan(a, b); /* and goes on */
    CHECK(b == expected, "other numbers");
}

static void reports_bad_texts_to_all()
{
    check_fails(REDIST_ERR_ARG, "rank 0: source:", [] {
        redist::plan<double>(everyone,
                             world::rank() == 0 ? "[8] (blok) onto 1" : "[8] (*) onto 1",
                             "[8] (*) onto 1");
    });
    check_fails(REDIST_ERR_ARG, "target:", [] {
        redist::plan(everyone, MPI_INT, "[8] (*) onto 1", "[8] (*) onto");
    });
    check_fails(REDIST_ERR_ARG, "strategy", [] {
        redist::options options;
        options.strategy = "by hand";
        redist::plan<double>(everyone, "[8] (*) onto 1", "[8] (*) onto 1", options);
    });
    check_fails(REDIST_ERR_ARG, "rank 0: the input is empty", [] {
        if (world::rank() == 0) redist::refuse("the input is empty");
        redist::plan<double>(everyone, "[8] (*) onto 1", "[8] (*) onto 1");
    });
}

static void runs_in_the_background()
{
    const sides views;
    redist::plan<double> plan(everyone, views.source, views.target);
    const auto a = numbered<double>(views.source.dist());
    const auto expected = numbered<double>(views.target.dist());
    std::vector<double> b(expected.size());
    redist::request run = plan.start(a, b);
    check_fails(REDIST_ERR_STATE, "", [&] { plan.destroy(); });
    check_fails(REDIST_ERR_STATE, "", [&] { plan(a, b); });
    redist::plan<double> moved = std::move(plan);
    redist::request other;
    CHECK(run.active() && !other.active(), "the state is lost");
    other = std::move(run);
    CHECK(!run.active() && other.active(), "the state did not move");
    while (!other.test()) {
    }
    CHECK(!other.active() && other.test() && b == expected, "other numbers");
    other.wait();
    check_fails(REDIST_ERR_STATE, "moved from", [&] { plan(a, b); });

    /* The destructor waits: that of the run, and the plan lives as long as its run. */
    std::fill(b.begin(), b.end(), 0);
    {
        const redist::request unwatched = moved.start(a, b);
    }
    CHECK(b == expected, "nobody has waited");
    std::fill(b.begin(), b.end(), 0);
    {
        auto short_lived =
            std::make_unique<redist::plan<double>>(everyone, views.source, views.target);
        other = short_lived->start(a, b);
        short_lived.reset();
        other.wait();
    }
    CHECK(b == expected, "the plan was destroyed");
    moved.destroy();
    CHECK(!moved.get(), "the plan is still there");
    moved.destroy();
}

static void computes()
{
    const sides views;
    redist::options options;
    options.scaled = true;
    redist::plan<double> plan(everyone, views.source, views.target, options);
    const auto a = numbered<double>(views.source.dist());
    const auto expected = numbered<double>(views.target.dist());
    std::vector<double> b(expected.size(), 1);
    plan.scaled(2, a, 3, b);
    plan.start_scaled(1, a, -1, b).wait();
    plan.tune(a, b);
    plan.scaled(1, a, 1, b);
    for (std::size_t i = 0; i < b.size(); i++)
        CHECK(b[i] == 2 * expected[i], "other sums");
    redist::plan told(everyone, MPI_DOUBLE, views.source, views.target, options);
    told.scaled(2.0, a, 0.0, b);
    for (std::size_t i = 0; i < b.size(); i++)
        CHECK(b[i] == 2 * expected[i], "other sums");
    check_fails(REDIST_ERR_ARG, "alpha has 4 bytes and beta 8, must have 8",
                [&] { told.scaled(2.0F, a, 0.0, b); });

    options.op = REDIST_OP_CONJUGATE;
    redist::plan<std::complex<double>> conjugate(everyone, views.source, views.target,
                                                 options);
    const std::complex<double> i(0, 1);
    const auto x = numbered<std::complex<double>>(views.source.dist(), i);
    std::vector<std::complex<double>> y(expected.size());
    conjugate(x, y);
    for (std::size_t k = 0; k < y.size(); k++)
        CHECK(y[k] == expected[k] - i, "other ones");
}

static void converts()
{
    const sides views;
    const auto a = numbered<float>(views.source.dist(), 0.5F);
    const auto expected = numbered<double>(views.target.dist(), 0.5);
    std::vector<double> b(expected.size());
    redist::plan<float, double> plan(everyone, views.source, views.target);
    plan(a, b);
    CHECK(b == expected, "other numbers");
    redist::options options;
    options.checked = true;
    redist::plan<float, int> checked(everyone, views.source, views.target, options);
    std::vector<int> c(expected.size());
    check_fails(REDIST_ERR_ARG, "0.5", [&] { checked(a, c); });

    redist::type swapped(">f8");
    redist::type other = std::move(swapped);
    swapped = redist::type("<f8");
    options.source_type = other.get();
    redist::plan from_bytes(everyone, MPI_DOUBLE, views.source, views.target, options);
    std::vector<double> there(a.size());
    for (std::size_t i = 0; i < a.size(); i++) {
        const double number = a[i];
        unsigned char bytes[sizeof number];
        std::memcpy(bytes, &number, sizeof number);
        std::reverse(bytes, bytes + sizeof number);
        std::memcpy(&there[i], bytes, sizeof number);
    }
    from_bytes(there, b);
    CHECK(b == expected, "other numbers");
}

static void works_in_place()
{
    redist::options options;
    options.in_place = true;
    options.staging_bytes = 1 << 16;
    const sides views;
    redist::plan<int> plan(everyone, views.source, views.target, options);
    const auto a = numbered<int>(views.source.dist());
    const auto expected = numbered<int>(views.target.dist());
    for (bool start : {false, true}) {
        std::vector<int> both(std::max(a.size(), expected.size()));
        std::copy(a.begin(), a.end(), both.begin());
        if (start)
            plan.start(both).wait();
        else
            plan(both);
        CHECK(std::equal(expected.begin(), expected.end(), both.begin()),
              "other numbers");
    }
}

static void moves_batches()
{
    const sides views;
    redist::options options;
    options.topology = redist::topology::nodes(everyone);
    redist::batch plan(everyone,
                       {redist::item::of<double>(views.source, views.target),
                        redist::item::of<int>(views.target, views.source)},
                       options);
    const auto a = numbered<double>(views.source.dist());
    const auto c = numbered<int>(views.target.dist());
    std::vector<double> b(numbered<double>(views.target.dist()).size());
    std::vector<int> d(a.size());
    for (int way = 0; way < 3; way++) {
        std::fill(b.begin(), b.end(), 0);
        std::fill(d.begin(), d.end(), 0);
        if (way == 0) plan({a, c}, {b, d});
        if (way == 1) plan.start({a, c}, {b, d}).wait();
        if (way == 2) plan.tune({a, c}, {b, {d.data(), d.size()}});
        CHECK(b == numbered<double>(views.target.dist()), "the first array differs");
        CHECK(d == numbered<int>(views.source.dist()), "the second array differs");
    }
    CHECK(plan.report().arrays == 2, "not two arrays");
    check_fails(REDIST_ERR_ARG, "rank 0: 1 sources given, must be 2", [&] {
        if (world::rank() == 0)
            plan({a}, {b, d});
        else
            plan({a, c}, {b, d});
    });
    check_fails(REDIST_ERR_ARG, "rank 0: item 1: target: the buffer has 0 bytes", [&] {
        plan({a, c}, {b, nullptr});
    });
    check_fails(REDIST_ERR_ARG, "item 0: target: ", [&] {
        redist::batch(everyone, {redist::item::of<int>(views.source, "[12,10] ()")});
    });

    options.scaled = true;
    redist::batch sums(everyone,
                       {redist::item::of<double>(views.source, views.target),
                        redist::item::of<double>(views.source, views.target)},
                       options);
    std::vector<double> e(b.size(), 1);
    sums.scaled(2.0, {a, a}, 0.0, {b, e});
    sums.start_scaled(1.0, {a, a}, 1.0, {b, e}).wait();
    for (std::size_t i = 0; i < b.size(); i++)
        CHECK(e[i] == b[i] && b[i] == 3 * numbered<double>(views.target.dist())[i],
              "sums");
}

static_assert(!std::is_copy_constructible_v<redist::plan<>> &&
                  !std::is_copy_assignable_v<redist::batch>,
              "plans are moved, not copied");

static void moves_by_indices()
{
    const std::int64_t n = 100;
    std::vector<std::int64_t> have;
    for (std::int64_t k = world::rank(); k < n; k += world::size()) have.push_back(k);
    const std::vector<double> values(have.begin(), have.end());
    const redist_range range[] = {{10, 5}};
    auto plan = redist::plan<double>::indexed(everyone, n, have, range);
    std::vector<double> got(5);
    plan(values, got);
    CHECK((got == std::vector<double>{10, 11, 12, 13, 14}), "other numbers");
    check_fails(REDIST_ERR_ARG, "rank 0: target: the buffer has 32 bytes, must have 40",
                [&] {
                    plan(values, {got.data(), got.size() - 1});
                });

    const redist::dist cycles(onto("[100] (cyclic)")), blocks(onto("[100] (block)"));
    auto told = redist::plan<>::indexed(everyone, MPI_DOUBLE, n, cycles, blocks);
    std::vector<double> block(numbered<double>(blocks).size());
    told(values, block);
    CHECK(block == numbered<double>(blocks), "other numbers");

    const redist::dist plane("[4,4] (*,*) onto 1");
    check_fails(REDIST_ERR_ARG, "the dist has 2 dimensions, must have one",
                [&] { (void)redist::indices(plane).count(0); });
    check_fails(REDIST_ERR_ARG, "comm is MPI_COMM_NULL", [&] {
        (void)redist::plan<double>::indexed(MPI_COMM_NULL, n, have, range);
    });
}

static void balances()
{
    const int rank = world::rank(), size = world::size();
    const std::vector<int> have(static_cast<std::size_t>(10 * rank), rank);
    auto [plan, share] = redist::plan<int>::balance(
        everyone, static_cast<std::int64_t>(have.size()), REDIST_BALANCE_A);
    std::vector<int> mine(static_cast<std::size_t>(share));
    plan(have, mine);
    long sums[2] = {0, 0}, all[2];
    for (int x : have) sums[0] += x;
    for (int x : mine) sums[1] += x;
    MPI_Allreduce(sums, all, 2, MPI_LONG, MPI_SUM, everyone);
    CHECK(all[0] == all[1] && share >= 5L * (size - 1), "elements are lost");
    auto told = redist::plan<>::balance(everyone, static_cast<std::int64_t>(have.size()),
                                        MPI_INT, REDIST_BALANCE_B, rank == 0 ? 1 : 0);
    CHECK(told.second == (rank == 0 ? 5L * size * (size - 1) : 0), "another share");

    /* elements of rank + 1 units each, of the value rank */
    const std::vector<std::int64_t> sizes(6, rank + 1);
    const std::vector<int> units(static_cast<std::size_t>(6 * (rank + 1)), rank);
    auto sized = redist::batch::balance(everyone, sizes, MPI_INT, REDIST_BALANCE_A);
    std::vector<std::int64_t> got(static_cast<std::size_t>(sized.count));
    std::vector<int> got_units(static_cast<std::size_t>(sized.units));
    sized.plan({sizes, units}, {got, got_units});
    std::size_t at = 0;
    for (std::int64_t of : got)
        for (std::int64_t k = 0; k < of; k++)
            CHECK(got_units[at++] == static_cast<int>(of - 1), "another unit");
    CHECK(at == got_units.size(), "units are left");
}

static void takes_memory()
{
    const sides views;
    redist::memory<double> a(everyone, views.source);
    redist::memory<double> b(everyone, 240);
    const auto values = numbered<double>(views.source.dist());
    CHECK(a.size() == values.size() && b.size() == 240, "another size");
    std::copy(values.begin(), values.end(), a.begin());
    redist::plan<double> plan(everyone, views.source, views.target);
    plan(a, b);
    const auto expected = numbered<double>(views.target.dist());
    CHECK(std::equal(expected.begin(), expected.end(), b.begin()), "other numbers");
    redist::memory<double> c = std::move(a);
    a = std::move(b);
    CHECK(c[0] == values[0] && a.end() - a.begin() == 240 && !b.data(), "lost memory");
    check_fails(REDIST_ERR_ARG,
                "view: ", [] { redist::memory<double>(everyone, "[8] (*) onto"); });
    check_fails(REDIST_ERR_ARG, "bytes is ",
                [] { redist::memory<double>(everyone, SIZE_MAX / 8 + 2); });
}

int main(int argc, char **argv)
{
    return run_test(argc, argv, [] {
        moves_numbers_of<double>(0.25);
        moves_numbers_of<std::complex<float>>({0, 1});
        moves_numbers_of<signed char>(1);
        moves_numbers_of<unsigned long long>(1ULL << 63);
        moves_numbers_of<long double>(0.5L);
        takes_all_buffers();
        checks_mdspans();
        reports_bad_buffers_to_all();
        reports_bad_texts_to_all();
        runs_in_the_background();
        computes();
        converts();
        works_in_place();
        moves_batches();
        moves_by_indices();
        balances();
        takes_memory();
    });
}
