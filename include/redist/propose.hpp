/* SPDX-License-Identifier: MIT
 *
 * redist/propose.hpp - propose.h in C++: distributions that the library proposes.
 */
#ifndef REDIST_PROPOSE_HPP
#define REDIST_PROPOSE_HPP

#include <redist/describe.hpp>
#include <redist/propose.h>

namespace redist
{

/* redist_balance_shares. No weights: equal ones. */
inline std::vector<std::int64_t>
balance_shares(redist_balance_method method, const std::vector<std::int64_t> &counts,
               const std::vector<std::int64_t> &weights = {})
{
    std::vector<std::int64_t> shares(counts.size());
    const auto nprocs = static_cast<std::int64_t>(counts.size());
    if (!weights.empty()) detail::check_length("weights", weights.size(), nprocs);
    detail::check(redist_balance_shares(method, static_cast<int>(nprocs), counts.data(),
                                        detail::list(weights), shares.data()));
    return shares;
}

/* redist_balance_dists: source and target. */
inline std::pair<dist, dist> balance_dists(redist_balance_method method,
                                           const std::vector<std::int64_t> &counts,
                                           const std::vector<std::int64_t> &shares)
{
    redist_dist *source = nullptr, *target = nullptr;
    const auto nprocs = static_cast<std::int64_t>(counts.size());
    detail::check_length("shares", shares.size(), nprocs);
    detail::check(redist_balance_dists(method, static_cast<int>(nprocs), counts.data(),
                                       shares.data(), &source, &target));
    return {dist(source), dist(target)};
}

/* What relabel proposes: a dist for the target, and the elements that stay on their
 * process as given and as proposed. */
struct relabelled {
    redist::dist dist;
    std::int64_t kept_given, kept;
};

namespace detail
{

/* There must be a node for each rank of a grid. */
inline void check_nodes(const std::vector<int> &nodes, const grid &of)
{
    std::int64_t known = 0;
    for (std::size_t r = 0; r < nodes.size(); r++)
        known += of.coords(static_cast<int>(r)).has_value();
    if (known != of.size())
        throw error(REDIST_ERR_ARG, "nodes has " + std::to_string(nodes.size()) +
                                        " elements, must have one for each rank of both "
                                        "grids");
}

} // namespace detail

/* redist_relabel. No nodes: all moves count alike. */
inline relabelled relabel(const view &source, const view &target,
                          const std::vector<int> &nodes = {}, int within = 0)
{
    redist_dist *made = nullptr;
    std::int64_t kept[2];
    if (!nodes.empty()) detail::check_nodes(nodes, source.dist().grid());
    if (!nodes.empty()) detail::check_nodes(nodes, target.dist().grid());
    detail::check(redist_relabel(source.get(), target.get(), detail::list(nodes), within,
                                 &made, kept));
    return {dist(made), kept[0], kept[1]};
}

} // namespace redist

#endif
