/* SPDX-License-Identifier: MIT
 *
 * tests/cxx/check.hpp - what the tests of the C++ headers share: a check that ends the
 * job, the processes, the values of arrays, and errors that all processes must see.
 */
#ifndef REDIST_TESTS_CXX_CHECK_HPP
#define REDIST_TESTS_CXX_CHECK_HPP

#include <complex>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <redist/redist.hpp>

#define CHECK(condition, ...)                                                            \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: rank %d: %s: ", __FILE__, __LINE__,             \
                         world::rank(), #condition);                                     \
            std::fprintf(stderr, __VA_ARGS__);                                           \
            std::fprintf(stderr, "\n");                                                  \
            std::fflush(stderr);                                                         \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                \
        }                                                                                \
    } while (0)

namespace world
{

inline int rank()
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

inline int size()
{
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/* The text of a view: what stands before the number of processes, and behind it. */
inline std::string onto(const std::string &text, const std::string &rest = "")
{
    return text + " onto " + std::to_string(size()) + rest;
}

} // namespace world

/* A whole number as a T. */
template <class T> struct whole {
    static T of(std::int64_t number) { return static_cast<T>(number); }
};
template <class T> struct whole<std::complex<T>> {
    static std::complex<T> of(std::int64_t number) { return whole<T>::of(number); }
};

/* An array of this rank whose elements are their global row-major index, plus `more`. */
template <class T> std::vector<T> numbered(const redist::dist &dist, T more = T())
{
    const std::vector<std::int64_t> held = dist.local_extents(world::rank());
    std::vector<std::int64_t> local(held.size(), 0);
    std::int64_t count = 1;
    for (std::int64_t n : held) count *= n;
    std::vector<T> values;
    for (std::int64_t k = 0; k < count; k++) {
        std::int64_t rest = k, number = 0;
        for (std::size_t i = held.size(); i-- > 0; rest /= held[i])
            local[i] = rest % held[i];
        const std::vector<std::int64_t> index = dist.index(world::rank(), local);
        for (std::size_t i = 0; i < index.size(); i++)
            number = number * dist.extent(static_cast<int>(i)) + index[i];
        values.push_back(static_cast<T>(whole<T>::of(number) + more));
    }
    return values;
}

/* Check that a call fails on all processes with this code and the same sentence, which
 * holds `part`. */
template <class Call> void check_fails(redist_err code, const char *part, Call call)
{
    std::string sentence = "(no error)";
    redist_err found = REDIST_OK;
    try {
        call();
    } catch (const redist::error &error) {
        sentence = error.what();
        found = error.code();
    }
    CHECK(found == code, "code %d: %s", found, sentence.c_str());
    CHECK(sentence.find(part) != std::string::npos, "%s", sentence.c_str());
    char first[512] = "";
    std::snprintf(first, sizeof first, "%s", sentence.c_str());
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(sentence == first, "rank 0 has %s, this one %s", first, sentence.c_str());
}

/* Run a test in MPI. */
template <class Test> int run_test(int argc, char **argv, Test test)
{
    MPI_Init(&argc, &argv);
    try {
        test();
    } catch (const std::exception &error) {
        CHECK(false, "%s", error.what());
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (world::rank() == 0) std::puts("PASS");
    return MPI_Finalize();
}

#endif
