/* SPDX-License-Identifier: MIT
 *
 * redist/files.hpp - files.h and checkpoint.h in C++: distributed arrays in files, and
 * the state of a program in a folder. Constructors, destructors and all that reads or
 * writes are collective.
 */
#ifndef REDIST_FILES_HPP
#define REDIST_FILES_HPP

#include <exception>
#include <functional>

#include <redist/checkpoint.h>
#include <redist/buffer.hpp>

namespace redist
{

/* redist_file_layout: fields and defaults are the same. */
struct file_layout {
    std::string format;
    std::vector<std::int64_t> shape;
    std::string type;
    redist_order order = REDIST_ROW_MAJOR;
    std::vector<std::int64_t> chunk;
    std::string codec;
    std::int64_t offset = 0;
    int version = 0;

    /* The layout for C, valid as long as this one. */
    redist_file_layout get() const
    {
        redist_file_layout c = {};
        const auto ndims = static_cast<std::int64_t>(shape.size());
        if (ndims > REDIST_MAX_DIMS)
            throw error(REDIST_ERR_ARG, "shape has " + std::to_string(ndims) +
                                            " elements, must have at most 15");
        if (!chunk.empty()) detail::check_length("chunk", chunk.size(), ndims);
        c.size = sizeof c;
        c.format = format.empty() ? nullptr : format.c_str();
        c.ndims = static_cast<int>(ndims);
        std::copy(shape.begin(), shape.end(), c.shape);
        c.type = type.c_str();
        c.order = order;
        std::copy(chunk.begin(), chunk.end(), c.chunk);
        c.codec = codec.empty() ? nullptr : codec.c_str();
        c.offset = offset;
        c.version = version;
        return c;
    }
};

/* redist_file_options: fields and defaults are the same. */
struct file_options {
    std::optional<file_layout> layout;
    std::string format;
    std::size_t staging_bytes = 0;
    int writers = 0;
    bool checked = false;
};

namespace detail
{

/* The buffer for C, and a refusal if it is too small for the view on this rank. */
inline void *fitting(int rank, const spec &view, MPI_Datatype type,
                     const span<const void> &buffer)
{
    const redist_view *c = view.get();
    refuse_spec("view", view);
    if (!c) return nullptr;
    std::string fault;
    try {
        fault = fault_of("buffer", wanted_by(*c, rank, type), buffer);
    } catch (const error &wrong) {
        fault = std::string("view: ") + wrong.what();
    }
    if (!fault.empty()) refuse(fault);
    return const_cast<void *>(buffer.data());
}

/* The type of a buffer's elements. */
template <class B> MPI_Datatype type_of(const B &buffer)
{
    using element = typename decltype(span(buffer))::element_type;
    return datatype<std::remove_const_t<element>>::get();
}

/* Take back a refusal that a call has not asked for, and throw its error. */
inline void concluded(redist_err code)
{
    redist_refuse(nullptr);
    check(code);
}

} // namespace detail

/* ---- files ------------------------------------------------------------------------- */

class file
{
  public:
    /* Called after each slab, with what is done and of how much. An exception of it is
     * thrown by the call that reads or writes, at its end. */
    using progress = std::function<void(std::int64_t done, std::int64_t total)>;

    /* redist_file_open. */
    file(MPI_Comm comm, const std::string &name, redist_file_mode mode,
         const file_options &chosen = {})
    {
        redist_file *opened = nullptr;
        redist_file_layout layout = {};
        redist_file_options c = REDIST_FILE_OPTIONS_INIT;
        try {
            if (chosen.layout) layout = chosen.layout->get(), c.layout = &layout;
        } catch (const error &wrong) {
            refuse(wrong.what());
        }
        c.format = chosen.format.empty() ? nullptr : chosen.format.c_str();
        c.staging_bytes = chosen.staging_bytes;
        c.writers = chosen.writers;
        c.checked = chosen.checked;
        detail::concluded(redist_file_open(comm, name.c_str(), mode, &c, &opened));
        file_.reset(opened);
        rank_ = detail::rank_in(comm);
    }
    /* Own a file that C has opened on this rank. */
    file(redist_file *opened, int rank) : file_(opened), rank_(rank) {}
    file(file &&) = default;
    file &operator=(file &&) = default;

    /* redist_file_describe. */
    file_layout describe() const
    {
        redist_file_layout c = {};
        c.size = sizeof c;
        detail::check(redist_file_describe(get(), &c));
        return {text(c.format),
                {c.shape, c.shape + c.ndims},
                text(c.type),
                c.order,
                {c.chunk, c.chunk + c.ndims},
                text(c.codec),
                c.offset,
                c.version};
    }
    /* redist_file_set_progress; nullptr: not. */
    void set_progress(progress told)
    {
        teller_ = told ? std::make_unique<teller>(teller{std::move(told), {}}) : nullptr;
        detail::check(redist_file_set_progress(get(), teller_ ? &file::tell : nullptr,
                                               teller_.get()));
    }

    /* Read or write the whole array. The type is that of the elements, or what is
     * said. */
    template <class B> void read(const spec &view, B &&buffer)
    {
        read(view, detail::type_of(buffer), span<void>(buffer));
    }
    template <class B> void write(const spec &view, B &&buffer)
    {
        write(view, detail::type_of(buffer), span<const void>(buffer));
    }
    void read(const spec &view, MPI_Datatype type, span<void> buffer)
    {
        void *data = detail::fitting(rank_, view, type, buffer);
        end(redist_file_read(get(), view.get(), type, data));
    }
    void write(const spec &view, MPI_Datatype type, span<const void> buffer)
    {
        const void *data = detail::fitting(rank_, view, type, buffer);
        end(redist_file_write(get(), view.get(), type, data));
    }
    /* Read or write a part: elements start, start + stride, .. No stride: 1. */
    template <class B>
    void read_section(const std::vector<std::int64_t> &start,
                      const std::vector<std::int64_t> &stride, const spec &view,
                      B &&buffer)
    {
        const MPI_Datatype type = detail::type_of(buffer);
        void *data = detail::fitting(rank_, view, type, span<void>(buffer));
        check_section(start, stride);
        end(redist_file_read_section(get(), detail::list(start), detail::list(stride),
                                     view.get(), type, data));
    }
    template <class B>
    void write_section(const std::vector<std::int64_t> &start,
                       const std::vector<std::int64_t> &stride, const spec &view,
                       B &&buffer)
    {
        const MPI_Datatype type = detail::type_of(buffer);
        const void *data = detail::fitting(rank_, view, type, span<const void>(buffer));
        check_section(start, stride);
        end(redist_file_write_section(get(), detail::list(start), detail::list(stride),
                                      view.get(), type, data));
    }
    /* redist_file_copy. */
    void copy_to(file &other)
    {
        const redist_err code = redist_file_copy(get(), other.get());
        other.end(code);
        end(code);
    }
    /* Close the file, as the destructor does, which loses an error. */
    void close()
    {
        redist_file *closing = file_.release();
        detail::check(redist_file_close(&closing));
    }
    redist_file *get() const noexcept { return file_.get(); }

  private:
    struct closer {
        void operator()(redist_file *opened) const noexcept
        {
            if (!detail::finalized()) (void)redist_file_close(&opened);
        }
    };
    struct teller {
        progress told;
        std::exception_ptr thrown;
    };
    std::unique_ptr<teller> teller_; /* the file has its address */
    std::unique_ptr<redist_file, closer> file_;
    int rank_ = -1;

    static void tell(void *context, std::int64_t done, std::int64_t total)
    {
        auto *to = static_cast<teller *>(context);
        try {
            to->told(done, total);
        } catch (...) {
            to->thrown = std::current_exception();
        }
    }
    /* Throw the error of a call, or what its progress has thrown. */
    void end(redist_err code)
    {
        detail::concluded(code);
        if (teller_ && teller_->thrown)
            std::rethrow_exception(std::exchange(teller_->thrown, nullptr));
    }
    void check_section(const std::vector<std::int64_t> &start,
                       const std::vector<std::int64_t> &stride) const
    {
        try {
            const auto ndims = static_cast<std::int64_t>(describe().shape.size());
            detail::check_length("start", start.size(), ndims);
            if (!stride.empty()) detail::check_length("stride", stride.size(), ndims);
        } catch (const error &wrong) {
            refuse(wrong.what());
        }
    }
    static std::string text(const char *c) { return c ? c : ""; }
};

/* ---- checkpoints ------------------------------------------------------------------- */

class checkpoint
{
  public:
    /* redist_checkpoint_create. */
    static checkpoint create(MPI_Comm comm, const std::string &folder, std::int64_t step)
    {
        redist_checkpoint *made = nullptr;
        detail::check(redist_checkpoint_create(comm, folder.c_str(), step, &made));
        return {made, detail::rank_in(comm)};
    }
    /* redist_checkpoint_open: that of a step, or the last one. */
    static checkpoint open(MPI_Comm comm, const std::string &folder,
                           std::int64_t step = -1)
    {
        redist_checkpoint *made = nullptr;
        detail::check(redist_checkpoint_open(comm, folder.c_str(), step, &made));
        return {made, detail::rank_in(comm)};
    }

    std::int64_t step() const noexcept { return redist_checkpoint_step(get()); }
    template <class B> void write(const std::string &name, const spec &view, B &&buffer)
    {
        const MPI_Datatype type = detail::type_of(buffer);
        const void *data = detail::fitting(rank_, view, type, span<const void>(buffer));
        detail::concluded(
            redist_checkpoint_write(get(), name.c_str(), view.get(), type, data));
    }
    template <class B> void read(const std::string &name, const spec &view, B &&buffer)
    {
        const MPI_Datatype type = detail::type_of(buffer);
        void *data = detail::fitting(rank_, view, type, span<void>(buffer));
        detail::concluded(
            redist_checkpoint_read(get(), name.c_str(), view.get(), type, data));
    }
    /* Keep a text; find it, or none. */
    void set(const std::string &key, const std::string &text)
    {
        detail::check(redist_checkpoint_set(get(), key.c_str(), text.c_str()));
    }
    std::optional<std::string> text(const std::string &key) const
    {
        const char *found = nullptr;
        detail::check(redist_checkpoint_get(get(), key.c_str(), &found));
        return found ? std::optional<std::string>(found) : std::nullopt;
    }
    /* Open an array, which is closed before the checkpoint. */
    file array(const std::string &name)
    {
        redist_file *opened = nullptr;
        detail::check(redist_checkpoint_array(get(), name.c_str(), &opened));
        return {opened, rank_};
    }
    void verify() { detail::check(redist_checkpoint_verify(get())); }
    /* Make the step appear, and remove all others but the last `keep`; 0 removes none. */
    void commit(int keep = 0)
    {
        redist_checkpoint *made = checkpoint_.release();
        detail::check(redist_checkpoint_commit(&made, keep));
    }
    /* Close it, as the destructor does. What was not committed is removed. */
    void close() { checkpoint_.reset(); }
    redist_checkpoint *get() const noexcept { return checkpoint_.get(); }

  private:
    struct closer {
        void operator()(redist_checkpoint *made) const noexcept
        {
            if (!detail::finalized()) (void)redist_checkpoint_close(&made);
        }
    };
    std::unique_ptr<redist_checkpoint, closer> checkpoint_;
    int rank_;

    checkpoint(redist_checkpoint *made, int rank) : checkpoint_(made), rank_(rank) {}
};

} // namespace redist

#endif
