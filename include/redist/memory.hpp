/* SPDX-License-Identifier: MIT
 *
 * redist/memory.hpp - arrays in memory that the processes of a node share.
 */
#ifndef REDIST_MEMORY_HPP
#define REDIST_MEMORY_HPP

#include <redist/buffer.hpp>

namespace redist
{

/* An array of redist_alloc: as a source it is copied once, straight to the targets of
 * other processes of the node. The constructors and the destructor are collective. */
template <class T> class memory
{
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    /* `size` elements, this process's own number. */
    memory(MPI_Comm comm, std::size_t size) : size_(size)
    {
        const bool fits = size <= SIZE_MAX / sizeof(T); /* else more than any node has */
        detail::check(redist_alloc(comm, fits ? size * sizeof(T) : SIZE_MAX, &data_));
    }
    /* The local array of a view. */
    memory(MPI_Comm comm, const spec &view)
    {
        detail::refuse_spec("view", view);
        detail::check(redist_alloc_view(comm, datatype<T>::get(), view.get(), &data_));
        std::int64_t span = 0;
        detail::check(redist_view_span(view.get(), detail::rank_in(comm), &span));
        size_ = static_cast<std::size_t>(span);
    }
    memory(memory &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
    {
    }
    memory &operator=(memory &&other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~memory()
    {
        if (!detail::finalized()) (void)redist_free(data_);
    }

    T *data() const noexcept { return static_cast<T *>(data_); }
    std::size_t size() const noexcept { return size_; }
    T *begin() const noexcept { return data(); }
    T *end() const noexcept { return data() + size_; }
    T &operator[](std::size_t i) const noexcept { return data()[i]; }

  private:
    void *data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace redist

#endif
