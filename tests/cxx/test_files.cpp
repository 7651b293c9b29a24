/* SPDX-License-Identifier: MIT
 *
 * Arrays in files, and checkpoints.
 */
#include <stdexcept>

#include <unistd.h>

#include "check.hpp"

using world::onto;

static const MPI_Comm everyone = MPI_COMM_WORLD;

static redist::file_options of(std::vector<std::int64_t> shape, const char *type)
{
    redist::file_options options;
    options.layout.emplace();
    options.layout->shape = std::move(shape);
    options.layout->type = type;
    return options;
}

static void reads_what_was_written(const std::string &folder)
{
    const redist::view rows(onto("[30,20] (block,*)"));
    const redist::view columns(onto("[30,20] (*,cyclic(3))"));
    const auto a = numbered<double>(rows.dist());
    const auto expected = numbered<double>(columns.dist());
    std::vector<double> b(expected.size());
    const std::string name = folder + "/a.npy";
    {
        redist::file file(everyone, name, REDIST_FILE_CREATE, of({30, 20}, "<f8"));
        file.write(rows, a);
        file.close();
    }
    redist::file file(everyone, name, REDIST_FILE_READ);
    const redist::file_layout layout = file.describe();
    CHECK(layout.format == "npy" && layout.type == "<f8" && layout.codec.empty(),
          "another layout");
    CHECK((layout.shape == std::vector<std::int64_t>{30, 20}), "another shape");
    file.read(columns, b);
    CHECK(b == expected, "other numbers");
    std::vector<int> whole(expected.size());
    file.read(columns, redist::span(whole.data(), whole.size()));
    CHECK(std::equal(b.begin(), b.end(), whole.begin()), "other integers");
    std::vector<char> bytes(b.size() * sizeof(double));
    file.read(columns, MPI_DOUBLE, bytes);
    CHECK(bytes.empty() || std::memcmp(bytes.data(), b.data(), bytes.size()) == 0,
          "other bytes");

    const redist::view part(onto("[15,1] (block,*)"));
    std::vector<double> column(numbered<double>(part.dist()).size());
    file.read_section({1, 7}, {2, 1}, part, column);
    for (std::size_t k = 0; k < column.size(); k++) {
        const auto index =
            part.dist().index(world::rank(), {static_cast<std::int64_t>(k), 0});
        CHECK(column[k] == static_cast<double>((1 + 2 * index[0]) * 20 + 7), "another");
    }

    redist::file copy(everyone, folder + "/a.zarr", REDIST_FILE_CREATE,
                      of({30, 20}, ">f4"));
    std::int64_t left = -1;
    copy.set_progress(
        [&](std::int64_t done, std::int64_t total) { left = total - done; });
    file.copy_to(copy);
    CHECK(left == 0, "some slabs are left");
    for (double &x : column) x = -1;
    copy.set_progress(
        [](std::int64_t, std::int64_t) { throw std::domain_error("stop"); });
    bool thrown = false;
    try {
        copy.write_section({1, 7}, {2, 1}, part, column);
    } catch (const std::domain_error &) {
        thrown = true;
    }
    CHECK(thrown, "an exception of the progress is lost");
    copy.set_progress(nullptr);
    redist::file moved = std::move(copy);
    moved.read(columns, b);
    for (std::size_t k = 0; k < b.size(); k++)
        CHECK(b[k] == (static_cast<long>(expected[k]) % 40 == 27 ? -1 : expected[k]),
              "b");
    moved.write(rows, MPI_DOUBLE, a);
}

static void reports_errors_to_all(const std::string &folder)
{
    const redist::view rows(onto("[30,20] (block,*)"));
    std::vector<double> a(numbered<double>(rows.dist()).size());
    const std::string missing = folder + "/missing.npy";
    check_fails(REDIST_ERR_IO, "missing.npy",
                [&] { redist::file(everyone, missing, REDIST_FILE_READ); });
    check_fails(REDIST_ERR_ARG, "comm is MPI_COMM_NULL",
                [&] { redist::file(MPI_COMM_NULL, missing, REDIST_FILE_READ); });
    check_fails(REDIST_ERR_ARG, "rank 0: chunk has 1 elements, must have 2", [&] {
        redist::file_options options = of({30, 20}, "<f8");
        if (world::rank() == 0) options.layout->chunk = {4};
        redist::file(everyone, folder + "/b.npy", REDIST_FILE_CREATE, options);
    });
    redist::file file(everyone, folder + "/a.npy", REDIST_FILE_READ);
    const std::size_t less = a.size() - (world::rank() == 0);
    check_fails(REDIST_ERR_ARG, "rank 0: buffer: the buffer has ",
                [&] { file.read(rows, redist::span(a.data(), less)); });
    check_fails(REDIST_ERR_ARG, "view: ", [&] { file.read("[30,20] (*) onto", a); });
    check_fails(REDIST_ERR_ARG, "rank 0: start has 1 elements, must have 2",
                [&] { file.read_section({1}, {}, rows, a); });
    file.read(rows, a); /* and goes on */
}

static void keeps_checkpoints(const std::string &folder)
{
    const redist::view rows(onto("[30,20] (block,*)"));
    const redist::view columns(onto("[30,20] (*,cyclic(3))"));
    const auto a = numbered<double>(rows.dist());
    std::vector<double> b(numbered<double>(columns.dist()).size());
    const std::string state = folder + "/state";
    for (std::int64_t step : {41, 42}) {
        auto checkpoint = redist::checkpoint::create(everyone, state, step);
        checkpoint.write("t", rows, a);
        checkpoint.set("time", "0.25");
        checkpoint.commit(1);
    }
    {
        auto lost = redist::checkpoint::create(everyone, state, 43);
        lost.write("t", rows, a);
        lost.close();
    }
    auto checkpoint = redist::checkpoint::open(everyone, state);
    CHECK(checkpoint.step() == 42, "another step");
    CHECK(checkpoint.text("time") == "0.25" && !checkpoint.text("none"), "another text");
    checkpoint.read("t", columns, b);
    CHECK(b == numbered<double>(columns.dist()), "other numbers");
    {
        redist::file file = checkpoint.array("t");
        CHECK(file.describe().shape.size() == 2, "another shape");
    }
    checkpoint.verify();
    check_fails(REDIST_ERR_ARG, "rank 0: buffer: the buffer has ", [&] {
        checkpoint.read("t", columns, redist::span(b.data(), b.size() - 1));
    });
    check_fails(REDIST_ERR_IO, "",
                [&] { redist::checkpoint::open(everyone, state, 41); });
}

int main(int argc, char **argv)
{
    return run_test(argc, argv, [] {
        char folder[] = "cxx_files.XXXXXX";
        if (world::rank() == 0) CHECK(mkdtemp(folder), "no folder");
        MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, everyone);
        reads_what_was_written(folder);
        reports_errors_to_all(folder);
        keeps_checkpoints(folder);
        MPI_Barrier(everyone);
        const std::string remove = std::string("rm -r ") + folder;
        if (world::rank() == 0) CHECK(std::system(remove.c_str()) == 0, "%s", folder);
    });
}
