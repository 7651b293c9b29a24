/* SPDX-License-Identifier: MIT
 *
 * redist/plan.hpp - redist.h in C++: plans and their runs.
 *
 *   redist::plan<double> p(comm, "[64] (block) onto 4", "[64] (cyclic) onto 4");
 *   p(a, b);
 *
 * Each call checks that its buffers are as large, and lie, as the plan says. All
 * processes learn of one that are not, as of all errors, and none is left waiting. Plans
 * are moved, not copied.
 */
#ifndef REDIST_PLAN_HPP
#define REDIST_PLAN_HPP

#include <redist/buffer.hpp>
#include <redist/describe.hpp>
#include <redist/topology.hpp>

namespace redist
{

/* redist_options: fields and defaults are the same. */
struct options {
    std::string strategy;
    std::size_t staging_bytes = 0;
    redist_side side = REDIST_SOURCE;
    redist_op op = REDIST_OP_NONE;
    bool scaled = false;
    bool in_place = false;
    double timeout_s = 0;
    redist_reduction reduction = REDIST_REDUCTION_NONE;
    redist::topology topology;
    void *stream = nullptr;
    MPI_Datatype source_type = MPI_DATATYPE_NULL;
    bool checked = false;

    /* The options for C, valid as long as these. */
    redist_options get() const noexcept
    {
        redist_options c = REDIST_OPTIONS_INIT;
        c.strategy = strategy.empty() ? nullptr : strategy.c_str();
        c.staging_bytes = staging_bytes;
        c.side = side;
        c.op = op;
        c.scaled = scaled;
        c.in_place = in_place;
        c.timeout_s = timeout_s;
        c.reduction = reduction;
        c.topology = topology.get();
        c.stream = stream;
        c.source_type = source_type;
        c.checked = checked;
        return c;
    }
};

/* A number of any type, for the runs of a plan that is told an MPI_Datatype. */
class scalar
{
  public:
    template <class T, std::enable_if_t<std::is_trivially_copyable_v<T>, int> = 0>
    scalar(const T &number) noexcept : data_(&number), bytes_(sizeof number)
    {
    }
    const void *data() const noexcept { return data_; }
    std::size_t bytes() const noexcept { return bytes_; }

  private:
    const void *data_;
    std::size_t bytes_;
};

using sources = std::vector<span<const void>>;
using targets = std::vector<span<void>>;

namespace detail
{

/* A plan, and what its buffers must be, for each array. The object and its runs share it:
 * it is destroyed after both. */
class made_plan
{
  public:
    made_plan() = default;
    made_plan(const made_plan &) = delete;
    made_plan &operator=(const made_plan &) = delete;
    ~made_plan()
    {
        settle();
        if (!finalized()) (void)redist_plan_destroy(&plan);
    }

    redist_plan *plan = nullptr;
    std::vector<wanted> source, target;
    bool under_way = false;

    /* Wait for what was started; its error is lost. */
    void settle() noexcept
    {
        if (under_way && !finalized()) (void)redist_wait(plan);
        under_way = false;
    }

    /* Call `run`(plan, sources, targets), which is collective, without buffers if these
     * are wrong. */
    template <class Run>
    void call(const sources &from, const targets &to, std::string fault, Run run)
    {
        std::vector<const void *> given;
        std::vector<void *> taken;
        const bool single = source.size() == 1;
        if (fault.empty()) fault = wrong_number("sources", from.size());
        if (fault.empty()) fault = wrong_number("targets", to.size());
        for (std::size_t k = 0; k < source.size() && fault.empty(); k++) {
            const std::string item = single ? "" : "item " + std::to_string(k) + ": ";
            fault = fault_of(item + "source", source[k], from[k]);
            if (fault.empty()) fault = fault_of(item + "target", target[k], to[k]);
            given.push_back(from[k].data());
            taken.push_back(to[k].data());
        }
        if (fault.empty()) {
            check(run(plan, given.data(), taken.data()));
            return;
        }
        redist_refuse(fault.c_str());
        const redist_err code = run(plan, nullptr, nullptr);
        redist_refuse(nullptr);
        check(code);
    }

    /* Say whether numbers are of the plan's type. */
    std::string fault_of_numbers(const scalar &alpha, const scalar &beta) const
    {
        const auto bytes = static_cast<std::size_t>(target[0].element_bytes);
        if (alpha.bytes() == bytes && beta.bytes() == bytes) return {};
        return "alpha has " + std::to_string(alpha.bytes()) + " bytes and beta " +
               std::to_string(beta.bytes()) + ", must have " + std::to_string(bytes);
    }

  private:
    std::string wrong_number(const char *what, std::size_t given) const
    {
        if (given == source.size()) return {};
        return std::to_string(given) + " " + what + " given, must be " +
               std::to_string(source.size());
    }
};

} // namespace detail

/* A run that was started. Its buffers are the plan's until wait() has returned or test()
 * has said true. The destructor waits, and loses an error: call wait. */
class request
{
  public:
    request() = default;
    explicit request(std::shared_ptr<detail::made_plan> started)
        : plan_(std::move(started))
    {
        plan_->under_way = true;
    }
    request(request &&) = default;
    request &operator=(request &&other) noexcept
    {
        if (this != &other) settle();
        plan_ = std::move(other.plan_);
        return *this;
    }
    ~request() { settle(); }

    bool active() const noexcept { return plan_ != nullptr; }
    /* Wait; return at once if the run is over. Collective. */
    void wait()
    {
        if (!plan_) return;
        const auto over = finish();
        detail::check(redist_wait(over->plan));
    }
    /* Drive the run without waiting, and say whether it is over. */
    bool test()
    {
        if (!plan_) return true;
        int done = 0;
        const redist_err code = redist_test(plan_->plan, &done);
        if (code || done) (void)finish();
        detail::check(code);
        return done != 0;
    }

  private:
    std::shared_ptr<detail::made_plan> plan_;

    std::shared_ptr<detail::made_plan> finish() noexcept
    {
        plan_->under_way = false;
        return std::move(plan_);
    }
    void settle() noexcept
    {
        if (plan_) plan_->settle();
        plan_.reset();
    }
};

/* What plans and batches have in common. */
class any_plan
{
  public:
    any_plan(any_plan &&) = default;
    any_plan &operator=(any_plan &&) = default;
    /* redist_plan_report. Its texts live as long as the plan. */
    redist_report report() const
    {
        redist_report of;
        detail::check(redist_plan_report(get(), &of));
        return of;
    }
    /* Destroy the plan, as the destructor does, which waits for a run that is under way:
     * this throws STATE. Collective. */
    void destroy()
    {
        if (!made_) return;
        detail::check(redist_plan_destroy(&made_->plan));
        made_.reset();
    }
    redist_plan *get() const noexcept { return made_ ? made_->plan : nullptr; }

  protected:
    any_plan() : made_(std::make_shared<detail::made_plan>()) {}

    detail::made_plan &made() const
    {
        if (!made_) throw error(REDIST_ERR_STATE, "the plan was destroyed or moved from");
        return *made_;
    }
    void run(const sources &from, const targets &to)
    {
        made().call(from, to, {}, redist_execute_batch);
    }
    request begin(const sources &from, const targets &to)
    {
        made().call(from, to, {}, redist_start_batch);
        return request(made_);
    }
    void run_scaled(const scalar &alpha, const sources &from, const scalar &beta,
                    const targets &to)
    {
        scale(alpha, from, beta, to, redist_execute_batch_scaled);
    }
    request begin_scaled(const scalar &alpha, const sources &from, const scalar &beta,
                         const targets &to)
    {
        scale(alpha, from, beta, to, redist_start_batch_scaled);
        return request(made_);
    }
    void time(const sources &from, const targets &to)
    {
        made().call(from, to, {}, redist_plan_tune_batch);
    }

    /* Note what a buffer of each side must be, of the array with these elements. */
    void want(std::int64_t source, std::int64_t target, MPI_Datatype type,
              const options &chosen)
    {
        made().source.push_back({source, detail::extent_of(from(type, chosen)), {}});
        made().target.push_back({target, detail::extent_of(type), {}});
    }
    /* The same of views. Over an intercommunicator a process has one side. */
    void want(MPI_Comm comm, const redist_view &source, const redist_view &target,
              MPI_Datatype type, const options &chosen)
    {
        int inter = 0;
        (void)MPI_Comm_test_inter(comm, &inter);
        const int rank = detail::rank_in(comm);
        detail::wanted from_there, to_here;
        if (!inter || chosen.side == REDIST_SOURCE)
            from_there = detail::wanted_by(source, rank, from(type, chosen));
        if (!inter || chosen.side == REDIST_TARGET)
            to_here = detail::wanted_by(target, rank, type);
        if (chosen.in_place) { /* one buffer, of the larger span */
            const std::int64_t most = std::max(from_there.elements, to_here.elements);
            from_there.elements = to_here.elements = most;
            from_there.shape.rank = to_here.shape.rank = 0;
        }
        made().source.push_back(from_there);
        made().target.push_back(to_here);
    }
    static MPI_Datatype from(MPI_Datatype type, const options &chosen)
    {
        return chosen.source_type == MPI_DATATYPE_NULL ? type : chosen.source_type;
    }

  private:
    std::shared_ptr<detail::made_plan> made_;

    template <class Run>
    void scale(const scalar &alpha, const sources &from, const scalar &beta,
               const targets &to, Run runs)
    {
        /* without buffers the numbers, which may be too short, are not passed either */
        made().call(from, to, made().fault_of_numbers(alpha, beta),
                    [&](redist_plan *plan, const void *const *a, void *const *b) {
                        return runs(plan, a ? alpha.data() : nullptr, a,
                                    b ? beta.data() : nullptr, b);
                    });
    }
};

/* The plan of one array, with Source numbers that become Target ones: of other types they
 * are converted. plan<>, of void, is told an MPI_Datatype, and takes any buffers. */
template <class Source = void, class Target = Source> class plan : public any_plan
{
    using number = std::conditional_t<std::is_void_v<Target>, scalar, Target>;
    template <class T> using if_typed = std::enable_if_t<!std::is_void_v<T>, int>;
    template <class T> using if_told = std::enable_if_t<std::is_void_v<T>, int>;

  public:
    using source = span<std::add_const_t<Source>>;
    using target = span<Target>;

    /* redist_plan_create. Collective. */
    template <class T = Target, if_typed<T> = 0>
    plan(MPI_Comm comm, const spec &from, const spec &to, const options &chosen = {})
    {
        create(comm, datatype<T>::get(), from, to, complete(chosen));
    }
    template <class T = Target, if_told<T> = 0>
    plan(MPI_Comm comm, MPI_Datatype type, const spec &from, const spec &to,
         const options &chosen = {})
    {
        create(comm, type, from, to, chosen);
    }

    /* Move the elements. Collective. */
    void operator()(source a, target b) { run({a}, {b}); }
    void execute(source a, target b) { run({a}, {b}); }
    [[nodiscard]] request start(source a, target b) { return begin({a}, {b}); }
    /* Of a plan in place: the buffer is both. */
    void operator()(target both) { run({both}, {both}); }
    [[nodiscard]] request start(target both) { return begin({both}, {both}); }
    /* target = alpha op(source) + beta target, of a plan with options.scaled. */
    void scaled(const number &alpha, source a, const number &beta, target b)
    {
        run_scaled(alpha, {a}, beta, {b});
    }
    [[nodiscard]] request start_scaled(const number &alpha, source a, const number &beta,
                                       target b)
    {
        return begin_scaled(alpha, {a}, beta, {b});
    }
    /* redist_plan_tune. */
    void tune(source a, target b) { time({a}, {b}); }

    /* redist_plan_create_indexed. Collective. */
    template <class T = Target, if_typed<T> = 0>
    static plan indexed(MPI_Comm comm, std::int64_t extent, const indices &from,
                        const indices &to, const options &chosen = {})
    {
        return list(comm, datatype<T>::get(), extent, from, to, complete(chosen));
    }
    template <class T = Target, if_told<T> = 0>
    static plan indexed(MPI_Comm comm, MPI_Datatype type, std::int64_t extent,
                        const indices &from, const indices &to,
                        const options &chosen = {})
    {
        return list(comm, type, extent, from, to, chosen);
    }
    /* redist_balance_create: the plan, and the share. Collective. */
    template <class T = Target, if_typed<T> = 0>
    static std::pair<plan, std::int64_t>
    balance(MPI_Comm comm, std::int64_t count, redist_balance_method method,
            std::int64_t weight = 1, const options &chosen = {})
    {
        return share(comm, count, datatype<T>::get(), method, weight, complete(chosen));
    }
    template <class T = Target, if_told<T> = 0>
    static std::pair<plan, std::int64_t>
    balance(MPI_Comm comm, std::int64_t count, MPI_Datatype type,
            redist_balance_method method, std::int64_t weight = 1,
            const options &chosen = {})
    {
        return share(comm, count, type, method, weight, chosen);
    }

  private:
    plan() = default;

    /* The options, with the type of the source's numbers. */
    static options complete(options chosen)
    {
        if constexpr (!std::is_same_v<Source, Target>)
            chosen.source_type = datatype<Source>::get();
        return chosen;
    }
    static plan list(MPI_Comm comm, MPI_Datatype type, std::int64_t extent,
                     const indices &from, const indices &to, const options &chosen)
    {
        plan made;
        const redist_options c = chosen.get();
        detail::check(redist_plan_create_indexed(comm, type, extent, from.get(), to.get(),
                                                 &c, &made.made().plan));
        const int rank = detail::rank_in(comm);
        made.want(from.count(rank), to.count(rank), type, chosen);
        return made;
    }
    static std::pair<plan, std::int64_t> share(MPI_Comm comm, std::int64_t count,
                                               MPI_Datatype type,
                                               redist_balance_method method,
                                               std::int64_t weight, const options &chosen)
    {
        std::pair<plan, std::int64_t> made(plan(), 0);
        const redist_options c = chosen.get();
        detail::check(redist_balance_create(comm, count, type, method, weight, &c,
                                            &made.first.made().plan, &made.second));
        made.first.want(count, made.second, type, chosen);
        return made;
    }
    void create(MPI_Comm comm, MPI_Datatype type, const spec &from, const spec &to,
                const options &chosen)
    {
        const redist_options c = chosen.get();
        detail::refuse_spec("source", from);
        detail::refuse_spec("target", to);
        detail::check(
            redist_plan_create(comm, type, from.get(), to.get(), &c, &made().plan));
        want(comm, *from.get(), *to.get(), type, chosen);
    }
};

} // namespace redist

#endif
