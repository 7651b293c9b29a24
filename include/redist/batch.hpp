/* SPDX-License-Identifier: MIT
 *
 * redist/batch.hpp - plans of several arrays, in one message a pair of processes.
 *
 *   redist::batch p(comm, {redist::item::of<double>(rows, columns),
 *                          redist::item::of<int>(rows, columns)});
 *   p({a, m}, {b, n});
 */
#ifndef REDIST_BATCH_HPP
#define REDIST_BATCH_HPP

#include <redist/plan.hpp>

namespace redist
{

/* One array of a batch. */
struct item {
    MPI_Datatype type;
    spec source, target;

    template <class T> static item of(spec source, spec target)
    {
        return {datatype<T>::get(), std::move(source), std::move(target)};
    }
};

/* A plan of several arrays. Its buffers are lists, of any containers. */
class batch : public any_plan
{
  public:
    /* redist_plan_create_batch. Collective. */
    batch(MPI_Comm comm, const std::vector<item> &items, const options &chosen = {})
    {
        const redist_options c = chosen.get();
        std::vector<redist_item> list;
        for (std::size_t k = 0; k < items.size(); k++) {
            const std::string name = "item " + std::to_string(k);
            detail::refuse_spec((name + ": source").c_str(), items[k].source);
            detail::refuse_spec((name + ": target").c_str(), items[k].target);
            list.push_back({items[k].type, items[k].source.get(), items[k].target.get()});
        }
        detail::check(redist_plan_create_batch(comm, static_cast<int>(list.size()),
                                               list.data(), &c, &made().plan));
        for (const redist_item &i : list)
            want(comm, *i.source, *i.target, i.type, chosen);
    }
    /* What balance_sized returns: the batch of the sizes and of the units, and how many
     * elements, of how many units, the process gets. */
    struct sized;
    /* redist_balance_create_sized. Collective. */
    static sized balance(MPI_Comm comm, const std::vector<std::int64_t> &sizes,
                         MPI_Datatype type, redist_balance_method method,
                         std::int64_t weight = 1, const options &chosen = {});

    /* Move the elements. Collective. */
    void operator()(const sources &a, const targets &b) { run(a, b); }
    [[nodiscard]] request start(const sources &a, const targets &b)
    {
        return begin(a, b);
    }
    void scaled(const scalar &alpha, const sources &a, const scalar &beta,
                const targets &b)
    {
        run_scaled(alpha, a, beta, b);
    }
    [[nodiscard]] request start_scaled(const scalar &alpha, const sources &a,
                                       const scalar &beta, const targets &b)
    {
        return begin_scaled(alpha, a, beta, b);
    }
    void tune(const sources &a, const targets &b) { time(a, b); }

  private:
    batch() = default;
};

struct batch::sized {
    batch plan;
    std::int64_t count, units;
};

inline batch::sized batch::balance(MPI_Comm comm, const std::vector<std::int64_t> &sizes,
                                   MPI_Datatype type, redist_balance_method method,
                                   std::int64_t weight, const options &chosen)
{
    sized of{batch(), 0, 0};
    const redist_options c = chosen.get();
    const auto count = static_cast<std::int64_t>(sizes.size());
    std::int64_t units = 0;
    for (std::int64_t n : sizes) units += n;
    detail::check(redist_balance_create_sized(comm, count, sizes.data(), type, method,
                                              weight, &c, &of.plan.made().plan, &of.count,
                                              &of.units));
    of.plan.want(count, of.count, MPI_INT64_T, chosen);
    of.plan.want(units, of.units, type, chosen);
    return of;
}

} // namespace redist

#endif
