/* SPDX-License-Identifier: MIT
 *
 * redist/topology.hpp - topology.h in C++: where processes sit in a network; and views of
 * MPI's arguments.
 */
#ifndef REDIST_TOPOLOGY_HPP
#define REDIST_TOPOLOGY_HPP

#include <redist/describe.hpp>
#include <redist/redist.h>

namespace redist
{

/* redist_view_from_darray. */
inline view view_from_darray(const std::vector<int> &gsizes,
                             const std::vector<int> &distribs,
                             const std::vector<int> &dargs,
                             const std::vector<int> &psizes, int order)
{
    redist_dist *made = nullptr;
    redist_view c;
    const auto ndims = static_cast<std::int64_t>(gsizes.size());
    detail::check_length("distribs", distribs.size(), ndims);
    detail::check_length("dargs", dargs.size(), ndims);
    detail::check_length("psizes", psizes.size(), ndims);
    detail::check(redist_view_from_darray(static_cast<int>(ndims), gsizes.data(),
                                          distribs.data(), dargs.data(), psizes.data(),
                                          order, &made, &c));
    return {made, c};
}

/* A topology; without arguments: none is known. Copies share it. */
class topology
{
  public:
    topology() = default;
    /* The topology of a text. */
    topology(const std::string &text, int nprocs)
    {
        redist_topology *made = nullptr;
        detail::check(redist_topology_parse(text.c_str(), nprocs, &made));
        own(made);
    }
    /* redist_topology_create_mesh. No `periodic`: a mesh in all; no `coords`: rank r on
     * node r. */
    static topology mesh(const std::vector<int> &extents, int nprocs,
                         const std::vector<int> &periodic = {},
                         const std::vector<int> &coords = {})
    {
        redist_topology *made = nullptr;
        const auto ndims = static_cast<std::int64_t>(extents.size());
        if (!periodic.empty()) detail::check_length("periodic", periodic.size(), ndims);
        if (!coords.empty())
            detail::check_length("coords", coords.size(), nprocs * ndims);
        detail::check(redist_topology_create_mesh(static_cast<int>(ndims), extents.data(),
                                                  detail::list(periodic), nprocs,
                                                  detail::list(coords), &made));
        return topology(made);
    }
    /* redist_topology_create_tree, with as many links as levels, or one less. */
    static topology tree(const std::vector<int> &members, std::vector<int> links,
                         int nprocs, const std::vector<int> &places = {})
    {
        redist_topology *made = nullptr;
        const auto nlevels = static_cast<std::int64_t>(members.size());
        if (links.size() + 1 == members.size()) links.push_back(1);
        detail::check_length("links", links.size(), nlevels);
        if (!places.empty()) detail::check_length("places", places.size(), nprocs);
        detail::check(redist_topology_create_tree(static_cast<int>(nlevels),
                                                  members.data(), links.data(), nprocs,
                                                  detail::list(places), &made));
        return topology(made);
    }
    /* That of a communicator of MPI_Cart_create. */
    static topology cart(MPI_Comm comm)
    {
        redist_topology *made = nullptr;
        detail::check(redist_topology_create_cart(comm, &made));
        return topology(made);
    }
    /* Nodes with `links` ways out each. Collective over comm. */
    static topology nodes(MPI_Comm comm, int links = 1)
    {
        redist_topology *made = nullptr;
        detail::check(redist_topology_create_nodes(comm, links, &made));
        return topology(made);
    }

    const redist_topology *get() const noexcept { return topology_.get(); }
    std::int64_t links() const noexcept { return redist_topology_links(get()); }
    /* The links of a message; none if a rank is not in the topology. */
    std::optional<std::vector<std::int64_t>> route(int from, int to) const
    {
        int n = redist_topology_route(get(), from, to, 0, nullptr);
        if (n < 0) return std::nullopt;
        std::vector<std::int64_t> passed(static_cast<std::size_t>(n));
        (void)redist_topology_route(get(), from, to, n, passed.data());
        return passed;
    }

  private:
    std::shared_ptr<const redist_topology> topology_;

    explicit topology(redist_topology *made) { own(made); }
    void own(redist_topology *made)
    {
        topology_.reset(made, [](redist_topology *t) { redist_topology_destroy(&t); });
    }
};

} // namespace redist

#endif
