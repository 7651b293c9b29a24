/* SPDX-License-Identifier: MIT
 *
 * redist/buffer.hpp - MPI's datatypes for C++'s types and for texts, and the buffer that
 * a view needs.
 */
#ifndef REDIST_BUFFER_HPP
#define REDIST_BUFFER_HPP

#include <complex>
#include <cstddef>

#include <redist/describe.hpp>
#include <redist/redist.h>

namespace redist
{

/* datatype<T>::get() is MPI's type of T: of arithmetic types, std::complex and std::byte.
 * Specialize it for types of your own. */
template <class T> struct datatype {
    static_assert(sizeof(T *) == 0, "specialize redist::datatype for this type");
};

template <> struct datatype<bool> {
    static_assert(sizeof(bool) == 1, "MPI_C_BOOL has one byte");
    static MPI_Datatype get() noexcept { return MPI_C_BOOL; }
};

/* clang-format off */
#define REDIST_DATATYPE(type, name)                                                      \
    template <> struct datatype<type> {                                                  \
        static MPI_Datatype get() noexcept { return name; }                              \
    };
REDIST_DATATYPE(std::byte, MPI_BYTE)
REDIST_DATATYPE(char, MPI_CHAR)
REDIST_DATATYPE(signed char, MPI_SIGNED_CHAR)
REDIST_DATATYPE(unsigned char, MPI_UNSIGNED_CHAR)
REDIST_DATATYPE(short, MPI_SHORT)
REDIST_DATATYPE(unsigned short, MPI_UNSIGNED_SHORT)
REDIST_DATATYPE(int, MPI_INT)
REDIST_DATATYPE(unsigned, MPI_UNSIGNED)
REDIST_DATATYPE(long, MPI_LONG)
REDIST_DATATYPE(unsigned long, MPI_UNSIGNED_LONG)
REDIST_DATATYPE(long long, MPI_LONG_LONG)
REDIST_DATATYPE(unsigned long long, MPI_UNSIGNED_LONG_LONG)
REDIST_DATATYPE(float, MPI_FLOAT)
REDIST_DATATYPE(double, MPI_DOUBLE)
REDIST_DATATYPE(long double, MPI_LONG_DOUBLE)
REDIST_DATATYPE(std::complex<float>, MPI_C_FLOAT_COMPLEX)
REDIST_DATATYPE(std::complex<double>, MPI_C_DOUBLE_COMPLEX)
REDIST_DATATYPE(std::complex<long double>, MPI_C_LONG_DOUBLE_COMPLEX)
#undef REDIST_DATATYPE
/* clang-format on */

namespace detail
{

inline bool finalized() noexcept
{
    int over = 0;
    return MPI_Finalized(&over) || over;
}

inline int rank_in(MPI_Comm comm)
{
    int rank = -1;
    (void)MPI_Comm_rank(comm, &rank);
    return rank;
}

/* The bytes from one element to the next. */
inline std::int64_t extent_of(MPI_Datatype type)
{
    MPI_Aint low = 0, extent = 0;
    (void)MPI_Type_get_extent(type, &low, &extent);
    return extent;
}

/* What a process's buffer must be: the bytes that the view spans, and the shape of its
 * local array with halos. */
struct wanted {
    std::int64_t elements = 0, element_bytes = 0;
    redist::shape shape;
};

inline wanted wanted_by(const redist_view &view, int rank, MPI_Datatype type)
{
    wanted w;
    std::array<std::int64_t, REDIST_MAX_DIMS> local{};
    check(redist_view_span(&view, rank, &w.elements));
    check(redist_dist_local_extents(view.dist, rank, local.data()));
    w.element_bytes = extent_of(type);
    w.shape.rank = redist_dist_ndims(view.dist);
    bool dense = true;
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < REDIST_MAX_DIMS; i++) dense = dense && view.lead[i] == 0;
    for (int k = w.shape.rank - 1; k >= 0; k--) {
        const auto i = static_cast<std::size_t>(view.order[k]);
        w.shape.extent[i] = local[i] + view.halo_low[i] + view.halo_high[i];
        w.shape.stride[i] = dense ? stride : view.lead[i];
        stride *= w.shape.extent[i];
    }
    return w;
}

/* Say what is wrong with a buffer; empty: nothing. */
inline std::string fault_of(const std::string &name, const wanted &w,
                            const span<const void> &buffer)
{
    auto differs = [&](std::size_t dim, const char *what, std::int64_t has,
                       std::int64_t must) {
        return name + ": dim " + std::to_string(dim) + ": the mdspan's " + what + " is " +
               std::to_string(has) + ", must be " + std::to_string(must);
    };
    const redist::shape &of = buffer.shape();
    if (w.elements == 0) return {};
    if (of.rank > 0 && w.shape.rank > 0) {
        if (of.rank != w.shape.rank)
            return name + ": the mdspan has " + std::to_string(of.rank) +
                   " dimensions, must have " + std::to_string(w.shape.rank);
        for (std::size_t i = 0; i < static_cast<std::size_t>(of.rank); i++) {
            if (of.extent[i] != w.shape.extent[i])
                return differs(i, "extent", of.extent[i], w.shape.extent[i]);
            if (of.extent[i] > 1 && of.stride[i] != w.shape.stride[i])
                return differs(i, "stride", of.stride[i], w.shape.stride[i]);
        }
    }
    const auto bytes = static_cast<std::int64_t>(buffer.size_bytes());
    if (bytes >= w.elements * w.element_bytes) return {};
    return name + ": the buffer has " + std::to_string(bytes) + " bytes, must have " +
           std::to_string(w.elements * w.element_bytes);
}

} // namespace detail

/* redist_type_create: the type of numbers in NumPy's notation, such as ">f4". */
class type
{
  public:
    explicit type(const std::string &text)
    {
        detail::check(redist_type_create(text.c_str(), &type_));
    }
    type(type &&other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
    type &operator=(type &&other) noexcept
    {
        std::swap(type_, other.type_);
        return *this;
    }
    ~type()
    {
        if (type_ != MPI_DATATYPE_NULL && !detail::finalized())
            (void)MPI_Type_free(&type_);
    }
    MPI_Datatype get() const noexcept { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

} // namespace redist

#endif
