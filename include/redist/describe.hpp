/* SPDX-License-Identifier: MIT
 *
 * redist/describe.hpp - describe.h in C++: grids, formats, distributions, views, and the
 * exception of all functions. Free of MPI: everything here is local.
 *
 * Objects are values. Grids and distributions never change, so copies share them.
 */
#ifndef REDIST_DESCRIBE_HPP
#define REDIST_DESCRIBE_HPP

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <redist/describe.h>
#include <redist/span.hpp>

namespace redist
{

/* What all functions throw: a code, and the library's sentence as what(). An error of a
 * collective call is thrown on all processes, with the same sentence. */
class error : public std::runtime_error
{
  public:
    error(redist_err code, const std::string &sentence)
        : std::runtime_error(sentence), code_(code)
    {
    }
    redist_err code() const noexcept { return code_; }
    const char *name() const noexcept { return redist_error_name(code_); }

  private:
    redist_err code_;
};

/* Let this process's next collective call fail on all processes with this sentence. */
inline void refuse(const std::string &sentence) { redist_refuse(sentence.c_str()); }

namespace detail
{

inline void check(redist_err code)
{
    if (code) throw error(code, redist_error_message());
}

/* Throw if a list has another length than C reads from it. */
inline void check_length(const char *name, std::size_t length, std::int64_t needed)
{
    if (static_cast<std::int64_t>(length) != needed)
        throw error(REDIST_ERR_ARG, std::string(name) + " has " + std::to_string(length) +
                                        " elements, must have " + std::to_string(needed));
}

/* Pass lists to C: an empty one is NULL. */
template <class T> const T *list(const std::vector<T> &values)
{
    return values.empty() ? nullptr : values.data();
}

/* Return the text that a function of C prints. */
template <class Print, class What> std::string printed(Print print, const What *what)
{
    std::size_t length = 0;
    check(print(what, nullptr, 0, &length));
    std::string text(length + 1, '\0');
    check(print(what, text.data(), text.size(), nullptr));
    text.resize(length);
    return text;
}

} // namespace detail

/* ---- grids ------------------------------------------------------------------------- */

class grid
{
  public:
    /* redist_grid_create. */
    explicit grid(const std::vector<int> &shape, redist_order order = REDIST_ROW_MAJOR,
                  const std::vector<int> &ranks = {})
    {
        if (!ranks.empty()) {
            std::int64_t size = 1;
            for (int n : shape) size *= n;
            detail::check_length("ranks", ranks.size(), size);
        }
        redist_grid *made = nullptr;
        detail::check(redist_grid_create(static_cast<int>(shape.size()), shape.data(),
                                         order, detail::list(ranks), &made));
        grid_.reset(made, [](redist_grid *g) { redist_grid_destroy(&g); });
    }
    /* A grid that C has made. */
    explicit grid(std::shared_ptr<const redist_grid> of) : grid_(std::move(of)) {}

    const redist_grid *get() const noexcept { return grid_.get(); }
    int naxes() const noexcept { return redist_grid_naxes(get()); }
    int shape(int axis) const noexcept { return redist_grid_shape(get(), axis); }
    std::int64_t size() const noexcept { return redist_grid_size(get()); }

    /* The rank at these coordinates; -1 if one lies outside. */
    int rank(const std::vector<int> &coords) const
    {
        detail::check_length("coords", coords.size(), naxes());
        return redist_grid_rank(get(), coords.data());
    }
    /* The coordinates of a rank; none if it is not in the grid. */
    std::optional<std::vector<int>> coords(int rank) const
    {
        std::vector<int> found(static_cast<std::size_t>(naxes()));
        if (!redist_grid_coords(get(), rank, found.data())) return std::nullopt;
        return found;
    }

  private:
    std::shared_ptr<const redist_grid> grid_;
};

/* ---- formats ----------------------------------------------------------------------- */

/* redist_format, with lists of its own. */
class format
{
  public:
    explicit format(const redist_format &c, std::vector<std::int64_t> sizes = {},
                    std::vector<int> owners = {})
        : c_(c), sizes_(std::move(sizes)), owners_(std::move(owners))
    {
    }
    /* The same, with element 0 on this coordinate; on this axis of the grid. */
    format from(int first) const
    {
        format changed = *this;
        changed.c_.first = first;
        return changed;
    }
    format on(int axis) const
    {
        format changed = *this;
        changed.c_.axis = axis;
        return changed;
    }
    /* The format for C, valid as long as this one. */
    redist_format get() const noexcept
    {
        redist_format c = c_;
        if (c.kind == REDIST_GEN_BLOCK) c.sizes = sizes_.data();
        if (c.kind == REDIST_INDIRECT) c.owners = owners_.data();
        return c;
    }
    const std::vector<std::int64_t> &sizes() const noexcept { return sizes_; }
    const std::vector<int> &owners() const noexcept { return owners_; }

  private:
    redist_format c_;
    std::vector<std::int64_t> sizes_;
    std::vector<int> owners_;
};

inline format collapsed() { return format(redist_collapsed()); }
inline format block() { return format(redist_block()); }
inline format block(std::int64_t m) { return format(redist_block_of(m)); }
inline format cyclic(std::int64_t m = 1) { return format(redist_cyclic(m)); }
inline format gen_block(std::vector<std::int64_t> sizes)
{
    return format(redist_gen_block(nullptr), std::move(sizes));
}
inline format indirect(std::vector<int> owners)
{
    return format(redist_indirect(nullptr), {}, std::move(owners));
}

/* ---- distributions ----------------------------------------------------------------- */

class dist
{
  public:
    /* redist_dist_create. */
    dist(const std::vector<std::int64_t> &extents, const std::vector<format> &formats,
         const redist::grid &on)
    {
        std::vector<redist_format> c;
        redist_dist *made = nullptr;
        detail::check_length("formats", formats.size(),
                             static_cast<std::int64_t>(extents.size()));
        check_lists(extents, formats, on);
        for (const format &f : formats) c.push_back(f.get());
        detail::check(redist_dist_create(static_cast<int>(extents.size()), extents.data(),
                                         c.data(), on.get(), &made));
        own(made);
    }
    /* The dist of a text. */
    explicit dist(const std::string &text)
    {
        redist_dist *made = nullptr;
        detail::check(redist_dist_parse(text.c_str(), &made));
        own(made);
    }
    explicit dist(const char *text) : dist(std::string(text)) {}
    /* Own a dist that C has made. */
    explicit dist(redist_dist *made) { own(made); }

    const redist_dist *get() const noexcept { return dist_.get(); }
    int ndims() const noexcept { return redist_dist_ndims(get()); }
    std::int64_t extent(int dim) const noexcept { return redist_dist_extent(get(), dim); }
    redist::grid grid() const
    {
        const redist_grid *shared = redist_dist_grid(get());
        return redist::grid(std::shared_ptr<const redist_grid>(dist_, shared));
    }
    std::string text() const { return detail::printed(redist_dist_print, get()); }

    /* The elements of a rank along each dimension. */
    std::vector<std::int64_t> local_extents(int rank) const
    {
        std::vector<std::int64_t> local(dims());
        detail::check(redist_dist_local_extents(get(), rank, local.data()));
        return local;
    }
    /* The rank that owns an element, and the element's place in its local array. */
    std::pair<int, std::vector<std::int64_t>>
    owner(const std::vector<std::int64_t> &index) const
    {
        std::pair<int, std::vector<std::int64_t>> found(-1, dims());
        detail::check_length("index", index.size(), ndims());
        detail::check(
            redist_dist_owner(get(), index.data(), &found.first, found.second.data()));
        return found;
    }
    /* The global index of a rank's element. */
    std::vector<std::int64_t> index(int rank,
                                    const std::vector<std::int64_t> &local) const
    {
        std::vector<std::int64_t> found(dims());
        detail::check_length("local", local.size(), ndims());
        detail::check(redist_dist_index(get(), rank, local.data(), found.data()));
        return found;
    }
    friend bool operator==(const dist &a, const dist &b) noexcept
    {
        return redist_dist_equal(a.get(), b.get()) != 0;
    }
    friend bool operator!=(const dist &a, const dist &b) noexcept { return !(a == b); }

  private:
    std::shared_ptr<const redist_dist> dist_;

    std::size_t dims() const noexcept { return static_cast<std::size_t>(ndims()); }
    void own(redist_dist *made)
    {
        dist_.reset(made, [](redist_dist *d) { redist_dist_destroy(&d); });
    }
    /* Check the lists of formats, whose lengths C takes from the extents and the grid. */
    static void check_lists(const std::vector<std::int64_t> &extents,
                            const std::vector<format> &formats, const redist::grid &on)
    {
        std::vector<int> named;
        for (const format &f : formats) named.push_back(f.get().axis);
        int next = 0;
        for (std::size_t i = 0; i < formats.size(); i++) {
            redist_format f = formats[i].get();
            int axis = f.axis;
            if (f.kind == REDIST_COLLAPSED) continue;
            if (axis == REDIST_NEXT_AXIS) {
                while (std::count(named.begin(), named.end(), next) > 0) next++;
                axis = next++;
            }
            if (f.kind == REDIST_GEN_BLOCK)
                detail::check_length("gen_block", formats[i].sizes().size(),
                                     on.shape(axis));
            if (f.kind == REDIST_INDIRECT)
                detail::check_length("indirect", formats[i].owners().size(), extents[i]);
        }
    }
};

/* ---- views ------------------------------------------------------------------------- */

/* A dist, and the fields of redist_view, which -> reaches: v->halo_low[0] = 1. */
class view
{
  public:
    /* The whole of a dist, dense in row-major order. */
    explicit view(redist::dist of) : dist_(std::move(of))
    {
        detail::check(redist_view_init(dist_.get(), &view_));
    }
    /* The view of a text. */
    explicit view(const std::string &text) : view(parsed(text)) {}
    explicit view(const char *text) : view(std::string(text)) {}
    /* Own the dist of a view that C has made. */
    view(redist_dist *made, const redist_view &c) : dist_(made), view_(c) {}

    /* redist_view_from_descriptor. */
    static view from_descriptor(const std::array<int, 9> &desc, const grid &on)
    {
        redist_dist *made = nullptr;
        redist_view c;
        detail::check(redist_view_from_descriptor(desc.data(), on.get(), &made, &c));
        return view(made, c);
    }
    /* The local array of `rank` as a view of std::mdspan or its like lies in memory: its
     * extents are those of the local array, its strides become `lead`. `order`, which all
     * processes must agree on, is that of its layout, or row-major if strides alone say
     * how the array lies. */
    template <class M, std::enable_if_t<detail::is_mdspan<M>, int> = 0>
    static view of(redist::dist of, int rank, const M &array)
    {
        view made(std::move(of));
        const shape lies = detail::shape_of(array);
        const std::vector<std::int64_t> local = made.dist_.local_extents(rank);
        const auto rank_of = static_cast<std::size_t>(lies.rank);
        detail::check_length("the mdspan's extents", rank_of, made.dist_.ndims());
        for (std::size_t i = 0; i < rank_of; i++) {
            if (lies.extent[i] != local[i])
                throw error(REDIST_ERR_ARG,
                            "dim " + std::to_string(i) + ": the mdspan has " +
                                std::to_string(lies.extent[i]) + " elements, must have " +
                                std::to_string(local[i]));
            made.view_.lead[i] = std::max<std::int64_t>(lies.stride[i], 1);
        }
        if constexpr (detail::is_ordered<M>)
            made.order_by(detail::strides_of<M>(std::make_index_sequence<M::rank()>()));
        return made;
    }

    redist_view *operator->() noexcept { return &view_; }
    const redist_view *operator->() const noexcept { return &view_; }
    const redist_view *get() const noexcept { return &view_; }
    const redist::dist &dist() const noexcept { return dist_; }

    /* Put another dist of the same extents in place, as that of relabel. */
    void set_dist(redist::dist other)
    {
        dist_ = std::move(other);
        view_.dist = dist_.get();
    }
    void set_order(redist_order order)
    {
        detail::check(redist_view_set_order(&view_, order));
    }
    /* The elements that the buffer of a rank spans, halo included. */
    std::int64_t span(int rank) const
    {
        std::int64_t elements = 0;
        detail::check(redist_view_span(&view_, rank, &elements));
        return elements;
    }
    std::string text() const { return detail::printed(redist_view_print, &view_); }

  private:
    redist::dist dist_;
    redist_view view_;

    static view parsed(const std::string &text)
    {
        redist_dist *made = nullptr;
        redist_view c;
        detail::check(redist_view_parse(text.c_str(), &made, &c));
        return view(made, c);
    }
    /* The dimension of the longest stride is the slowest. */
    void order_by(const std::array<std::int64_t, REDIST_MAX_DIMS> &stride)
    {
        std::sort(view_.order, view_.order + dist_.ndims(), [&stride](int i, int j) {
            return stride[static_cast<std::size_t>(i)] >
                   stride[static_cast<std::size_t>(j)];
        });
    }
};

/* A view as an argument of a collective call: a view, a dist, or a text. That the text is
 * wrong is thrown by the call, on all processes. */
class spec
{
  public:
    spec(const std::string &text) noexcept
    {
        try {
            view_.emplace(text);
        } catch (const error &wrong) {
            fault_ = wrong.what();
        }
    }
    spec(const char *text) : spec(std::string(text)) {}
    spec(redist::view view) : view_(std::move(view)) {}
    spec(const redist::dist &dist) : view_(redist::view(dist)) {}

    /* The view for C; NULL if the text is wrong. */
    const redist_view *get() const noexcept { return view_ ? view_->get() : nullptr; }
    const std::string &fault() const noexcept { return fault_; }

  private:
    std::optional<redist::view> view_;
    std::string fault_;
};

namespace detail
{

/* Let the collective call that comes next fail if a text is wrong. */
inline void refuse_spec(const char *name, const spec &of)
{
    if (!of.fault().empty()) refuse(std::string(name) + ": " + of.fault());
}

} // namespace detail

/* ---- index lists ------------------------------------------------------------------- */

/* redist_indices: the indices of a list, of ranges, or that a dist gives the process.
 * What it is made of must live until the plan is made. */
class indices
{
  public:
    indices(const span<const std::int64_t> &list)
        : c_(redist_indices_of_list(static_cast<std::int64_t>(list.size()), list.data())),
          count_(c_.n)
    {
    }
    indices(const span<const redist_range> &ranges)
        : c_(redist_indices_of_ranges(static_cast<std::int64_t>(ranges.size()),
                                      ranges.data())),
          count_(0)
    {
        for (std::size_t i = 0; i < ranges.size(); i++) count_ += ranges.data()[i].count;
    }
    indices(const dist &of) : c_(redist_indices_of_dist(of.get())), count_(-1) {}
    template <class C,
              std::enable_if_t<detail::is_container<C, const std::int64_t>, int> = 0>
    indices(const C &list) : indices(span<const std::int64_t>(list))
    {
    }
    template <class C,
              std::enable_if_t<detail::is_container<C, const redist_range>, int> = 0>
    indices(const C &ranges) : indices(span<const redist_range>(ranges))
    {
    }

    const redist_indices *get() const noexcept { return &c_; }
    /* How many elements they are on a rank. */
    std::int64_t count(int rank) const
    {
        std::array<std::int64_t, REDIST_MAX_DIMS> local{};
        if (!c_.dist) return count_;
        if (redist_dist_ndims(c_.dist) != 1)
            throw error(REDIST_ERR_ARG, "the dist has " +
                                            std::to_string(redist_dist_ndims(c_.dist)) +
                                            " dimensions, must have one");
        detail::check(redist_dist_local_extents(c_.dist, rank, local.data()));
        return local[0];
    }

  private:
    redist_indices c_;
    std::int64_t count_;
};

} // namespace redist

#endif
