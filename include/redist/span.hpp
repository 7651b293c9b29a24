/* SPDX-License-Identifier: MIT
 *
 * redist/span.hpp - a buffer as an argument: an address, a number of elements, and of an
 * array of several dimensions its shape.
 */
#ifndef REDIST_SPAN_HPP
#define REDIST_SPAN_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include <redist/describe.h>

namespace redist
{

/* The extents and strides, in elements, of an array of `rank` dimensions; rank 0:
 * unknown. */
struct shape {
    int rank = 0;
    std::array<std::int64_t, REDIST_MAX_DIMS> extent{}, stride{};
};

template <class T> class span;

namespace detail
{

/* Whether an array of U can be passed as one of T. T void takes all. */
template <class U, class T> constexpr bool passes()
{
    if constexpr (std::is_void_v<T>)
        return std::is_convertible_v<U *, T *>;
    else if constexpr (std::is_void_v<U>)
        return false;
    else
        return std::is_convertible_v<U(*)[], T(*)[]>;
}

template <class T> constexpr bool is_span = false;
template <class T> constexpr bool is_span<span<T>> = true;

/* Whether C has contiguous elements, as std::vector, std::array and std::span do. */
template <class C, class T, class = void> constexpr bool is_container = false;
template <class C, class T>
constexpr bool is_container<C, T,
                            std::void_t<decltype(std::data(std::declval<C &>())),
                                        decltype(std::size(std::declval<C &>()))>> =
    !is_span<std::remove_const_t<C>> &&
    passes<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>, T>();

/* Whether M is std::mdspan or its like. */
template <class M, class = void> constexpr bool is_mdspan = false;
template <class M>
constexpr bool is_mdspan<
    M, std::void_t<decltype(std::declval<const M &>().data_handle()),
                   decltype(std::declval<const M &>().extent(0)),
                   decltype(std::declval<const M &>().stride(0)), decltype(M::rank())>> =
    M::rank() <= REDIST_MAX_DIMS;

template <class M> shape shape_of(const M &array)
{
    shape of;
    for (std::size_t i = 0; i < static_cast<std::size_t>(M::rank()); i++) {
        of.extent[i] = static_cast<std::int64_t>(array.extent(i));
        of.stride[i] = static_cast<std::int64_t>(array.stride(i));
    }
    of.rank = static_cast<int>(M::rank());
    return of;
}

/* Whether the layout of an mdspan alone says how dimensions follow in memory, as
 * layout_left does, and layout_stride does not. */
template <class M, class = void> constexpr bool is_ordered = false;
template <class M>
constexpr bool
    is_ordered<M, std::enable_if_t<M::rank() == M::extents_type::rank_dynamic() &&
                                   std::is_constructible_v<typename M::mapping_type,
                                                           typename M::extents_type>>> =
        true;

/* The strides of an array of this layout with extents of 2, which differ, while those of
 * an array with an extent of 1 may not. */
template <class M, std::size_t... I>
std::array<std::int64_t, REDIST_MAX_DIMS> strides_of(std::index_sequence<I...>)
{
    const typename M::mapping_type map(
        typename M::extents_type((static_cast<void>(I), 2)...));
    return {static_cast<std::int64_t>(map.stride(I))...};
}

/* The elements from the first to behind the last. */
inline std::size_t elements_of(const shape &of)
{
    std::int64_t last = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(of.rank); i++) {
        if (of.extent[i] == 0) return 0;
        last += (of.extent[i] - 1) * of.stride[i];
    }
    return static_cast<std::size_t>(last + 1);
}

template <class T> constexpr std::size_t size_of()
{
    if constexpr (std::is_void_v<T>)
        return 1;
    else
        return sizeof(T);
}

} // namespace detail

/* A buffer of elements, which it does not own. Of T void its elements are bytes, and any
 * buffer becomes one. Containers, C arrays and mdspans are spans by themselves; nullptr
 * is the buffer of a process that has none. */
template <class T> class span
{
  public:
    using element_type = T;

    constexpr span() noexcept = default;
    constexpr span(std::nullptr_t) noexcept {}
    template <class U, std::enable_if_t<detail::passes<U, T>(), int> = 0>
    constexpr span(U *data, std::size_t size) noexcept
        : data_(data), size_(size * detail::size_of<U>() / detail::size_of<T>())
    {
    }
    template <class C, std::enable_if_t<
                           detail::is_container<std::remove_reference_t<C>, T>, int> = 0>
    constexpr span(C &&container) noexcept
        : span(std::data(container), std::size(container))
    {
    }
    template <class M, std::enable_if_t<detail::is_mdspan<M>, int> = 0>
    span(const M &array)
        : span(array.data_handle(), detail::elements_of(detail::shape_of(array)))
    {
        shape_ = detail::shape_of(array);
    }
    template <class U, std::enable_if_t<detail::passes<U, T>(), int> = 0>
    constexpr span(const span<U> &other) noexcept : span(other.data(), other.size())
    {
        shape_ = other.shape();
    }

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr std::size_t size_bytes() const noexcept
    {
        return size_ * detail::size_of<T>();
    }
    constexpr const redist::shape &shape() const noexcept { return shape_; }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
    redist::shape shape_;
};

template <class U> span(U *, std::size_t) -> span<U>;
template <class C, std::enable_if_t<detail::is_container<const C, const void>, int> = 0>
span(C &) -> span<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>>;
template <class M, std::enable_if_t<detail::is_mdspan<M>, int> = 0>
span(const M &)
    -> span<std::remove_pointer_t<decltype(std::declval<const M &>().data_handle())>>;

} // namespace redist

#endif
