#include "ir/ops/reduce.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/exponential.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/kernels/scaled_product.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/published_sums.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::Reduce;
using ir::ops::ReduceFunction;

/// Some of the axes of a row-major tensor, walked in order.
struct Walk {
  std::vector<std::int64_t> extents, strides;  // outermost first
  std::int64_t count = 1;

  void add(std::int64_t extent, std::int64_t stride) {
    extents.push_back(extent);
    strides.push_back(stride);
    count *= extent;
  }
  /// Where position i of the walk lies.
  std::int64_t at(std::int64_t i) const {
    std::int64_t offset = 0;
    for (std::size_t a = extents.size(); a-- > 0; i /= extents[a]) offset += i % extents[a] * strides[a];
    return offset;
  }
};

/// x as kept x reduced x columns: neighbouring axes of a kind are one, and the
/// innermost kept ones are columns, whose elements lie side by side; when the
/// innermost axes are reduced, there is one column and `run` elements of each
/// reduced position lie side by side.
struct Plan {
  Walk kept, reduced;
  std::int64_t columns = 1, run = 1;

  Plan(const ir::Shape& x, const std::vector<bool>& is_reduced) {
    std::size_t end = x.size();
    std::int64_t stride = 1;
    std::vector<std::pair<std::int64_t, bool>> groups;  // innermost first
    for (; end-- > 0;) {
      if (x[end] == 1) continue;
      if (!groups.empty() && groups.back().second == is_reduced[end])
        groups.back().first *= x[end];
      else
        groups.emplace_back(x[end], is_reduced[end]);
    }
    Walk backwards[2];
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto [extent, gone] = groups[g];
      if (g == 0)
        (gone ? run : columns) = extent;
      else
        backwards[gone].add(extent, stride);
      stride *= extent;
    }
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t a = backwards[side].extents.size(); a-- > 0;)
        (side == 0 ? kept : reduced).add(backwards[side].extents[a], backwards[side].strides[a]);
  }

  std::int64_t terms() const { return reduced.count * run; }
};

constexpr std::int64_t most_columns = 64, rows_of_stretch = 16;

/// One result for each of up to 64 neighbouring columns.
template <class A>
struct Row {
  A values[most_columns];
};

/// Folds the reduced positions of `width` columns at x: pairs of stretches.
template <class A, class T, class Term, class Combine>
Row<A> fold_rows(const Plan& plan, const T* x, std::int64_t width, A neutral, const Term& term,
                 const Combine& combine) {
  const auto stretch = [&](std::int64_t i) {
    Row<A> row;
    std::fill_n(row.values, width, neutral);
    const std::int64_t end = std::min((i + 1) * rows_of_stretch, plan.reduced.count);
    for (std::int64_t r = i * rows_of_stretch; r < end; ++r) {
      const T* const at = x + plan.reduced.at(r);
      for (std::int64_t c = 0; c < width; ++c) row.values[c] = combine(row.values[c], term(at[c], c));
    }
    return row;
  };
  const auto combine_rows = [&](Row<A> row, const Row<A>& other) {
    for (std::int64_t c = 0; c < width; ++c) row.values[c] = combine(row.values[c], other.values[c]);
    return row;
  };
  return kernels::fold_pairs(0, 1, (plan.reduced.count + rows_of_stretch - 1) / rows_of_stretch, stretch, combine_rows);
}

/// Folds the reduced positions of one column at x: pairs of runs.
template <class A, class T, class Term, class Combine>
A fold_runs(const Plan& plan, const T* x, A neutral, const Term& term, const Combine& combine) {
  if (plan.reduced.count == 0) return neutral;
  const auto run = [&](std::int64_t i) {
    const T* const at = x + plan.reduced.at(i);
    return kernels::fold(
        0, plan.run, neutral, [&](std::int64_t k) { return term(at[k], 0); }, combine);
  };
  return kernels::fold_pairs(0, 1, plan.reduced.count, run, combine);
}

/// How these fold; nothing where a run has a tree that is no power of its parts, so that no levels say which terms
/// meet.
std::optional<std::vector<ir::SumLevel>> levels_of(const Plan& plan) {
  const ir::SumLevel pairs{.join = ir::SumJoin::pair};
  if (plan.columns > 1) return {{{.count = rows_of_stretch}, pairs}};
  if (plan.reduced.count <= 1) return kernels::fold_levels(plan.run);
  if (plan.run <= kernels::fold_lanes) return {{{.count = plan.run}, pairs}};
  if (plan.run > kernels::fold_run || plan.run % kernels::fold_lanes != 0) return std::nullopt;
  auto levels = kernels::fold_levels(plan.run);
  levels[0].count = plan.run / kernels::fold_lanes;
  levels.push_back(pairs);
  return levels;
}

/// result(o, the fold over term(x, o)) for every element o of the result.
template <class A, class T, class Term, class Combine, class Result>
void fold_all(const Plan& plan, std::span<const T> x, A neutral, const Term& term, const Combine& combine,
              const Result& result) {
  const std::int64_t blocks = (plan.columns + most_columns - 1) / most_columns;
  const std::int64_t width_of_all = std::min(plan.columns, most_columns);
  const std::int64_t grain = std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(1, plan.terms() * width_of_all));
  parallel_for(plan.kept.count * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t column = i % blocks * most_columns, width = std::min(most_columns, plan.columns - column);
      const std::int64_t first = i / blocks * plan.columns + column;
      const T* const at = x.data() + plan.kept.at(i / blocks) + column;
      const auto of = [&](T value, std::int64_t c) { return term(value, static_cast<std::size_t>(first + c)); };
      if (plan.columns == 1) {
        result(static_cast<std::size_t>(first), fold_runs(plan, at, neutral, of, combine));
        continue;
      }
      const Row<A> row = fold_rows(plan, at, width, neutral, of, combine);
      for (std::int64_t c = 0; c < width; ++c) result(static_cast<std::size_t>(first + c), row.values[c]);
    }
  });
}

/// The accumulator of T: integers wrap in 64 bits, of which the
/// dtype's own are the lowest.
template <class T>
using Partial = std::conditional_t<std::is_integral_v<T>, std::uint64_t, ir::compute_t<T>>;

constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto multiply = [](auto a, auto b) { return a * b; };

template <bool largest>
constexpr auto extreme = [](auto a, auto b) {
  const auto further = (largest ? a > b : a < b) ? a : b;  // b, if either is NaN
  return a != a ? a : further;
};

template <bool largest, class A>
constexpr A neutral_extreme = std::numeric_limits<A>::has_infinity
                                  ? (largest ? -std::numeric_limits<A>::infinity() : std::numeric_limits<A>::infinity())
                                  : (largest ? std::numeric_limits<A>::lowest() : std::numeric_limits<A>::max());

template <bool largest, class T>
void run_extreme(const Plan& plan, Call& call) {
  using C = ir::compute_t<T>;
  const auto y = call.out(0).as<T>();
  fold_all(
      plan, call.in(0).as<T>(), neutral_extreme<largest, C>, [](T x, std::size_t) { return static_cast<C>(x); },
      extreme<largest>, [&](std::size_t o, C value) { y[o] = static_cast<T>(value); });
}

/// ln Σ exp x, the maximum taken out first.
template <class T>
void run_log_sum_exp(const Plan& plan, Call& call) {
  using C = ir::compute_t<T>;
  const auto x = call.in(0).as<T>();
  const auto y = call.out(0).as<T>();
  ScratchVector<C> peak(y.size());
  fold_all(
      plan, x, neutral_extreme<true, C>, [](T value, std::size_t) { return static_cast<C>(value); }, extreme<true>,
      [&](std::size_t o, C value) { peak[o] = value; });
  fold_all(
      plan, x, C{0}, [&](T value, std::size_t o) { return kernels::exp_nonpositive(static_cast<C>(value) - peak[o]); },
      add,
      [&](std::size_t o, C total) {
        y[o] = static_cast<T>(std::isfinite(peak[o]) ? peak[o] + std::log(total) : peak[o]);
      });
}

/// Everything that is a sum of terms, and then something done to the sum.
template <class T, class Term, class Finish>
void run_sum(const Plan& plan, Call& call, const Term& term, const Finish& finish) {
  using A = Partial<T>;
  const auto y = call.out(0).as<T>();
  fold_all(
      plan, call.in(0).as<T>(), A{0}, [&](T x, std::size_t) { return term(static_cast<A>(x)); }, add,
      [&](std::size_t o, A total) { y[o] = static_cast<T>(finish(total)); });
}

/// In f64, which is what truth is made in, no order of the factors may lose a product that is in the range.
template <class T>
void run_product(const Plan& plan, Call& call) {
  using A = Partial<T>;
  const auto y = call.out(0).as<T>();
  if constexpr (std::is_same_v<T, double>) {
    using kernels::ScaledProduct;
    return fold_all(
        plan, call.in(0).as<T>(), ScaledProduct{}, [](T x, std::size_t) { return ScaledProduct::of(x); }, multiply,
        [&](std::size_t o, const ScaledProduct& product) { y[o] = product.value(); });
  }
  fold_all(
      plan, call.in(0).as<T>(), A{1}, [](T x, std::size_t) { return static_cast<A>(x); }, multiply,
      [&](std::size_t o, A value) { y[o] = static_cast<T>(value); });
}

constexpr auto itself = [](auto x) { return x; };
constexpr auto square = [](auto x) { return x * x; };
constexpr auto magnitude = [](auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return std::abs(x);
  else
    return static_cast<std::int64_t>(x) < 0 ? 0 - x : x;
};

/// Whether the root of a sum of squares is the norm: neither the sum nor squares that matter have left the range.
template <class C>
bool is_in_range(C total) {
  using Limits = std::numeric_limits<C>;
  return total >= Limits::min() / (Limits::epsilon() * Limits::epsilon()) && total <= Limits::max();
}

/// √Σx². The few elements whose squares leave the range are made again, in units of the power of two below their
/// largest magnitude; until then they are -1, which no norm is.
template <class T>
void run_l2(const Plan& plan, Call& call) {
  using C = ir::compute_t<T>;
  const auto x = call.in(0).as<T>();
  const auto y = call.out(0).as<T>();
  std::atomic<bool> has_left = false;
  fold_all(
      plan, x, C{0}, [](T value, std::size_t) { return square(static_cast<C>(value)); }, add,
      [&](std::size_t o, C total) {
        const bool is_norm = is_in_range(total);
        y[o] = static_cast<T>(is_norm ? std::sqrt(total) : C{-1});
        if (!is_norm) has_left.store(true, std::memory_order_relaxed);
      });
  if (!has_left) return;
  ScratchVector<int> exponents(y.size());
  fold_all(
      plan, x, C{0}, [](T value, std::size_t) { return std::abs(static_cast<C>(value)); }, extreme<true>,
      [&](std::size_t o, C peak) { exponents[o] = peak > 0 && std::isfinite(peak) ? std::ilogb(peak) : 0; });
  fold_all(
      plan, x, C{0}, [&](T value, std::size_t o) { return square(std::scalbn(static_cast<C>(value), -exponents[o])); },
      add,
      [&](std::size_t o, C total) {
        if (static_cast<C>(y[o]) == -1) y[o] = static_cast<T>(std::scalbn(std::sqrt(total), exponents[o]));
      });
}

/// The functions of real numbers only.
template <class T>
void run_real(const Reduce& op, const Plan& plan, Call& call) {
  using C = ir::compute_t<T>;
  switch (op.function) {
    case ReduceFunction::l2:
      return run_l2<T>(plan, call);
    case ReduceFunction::log_sum:
      return run_sum<T>(plan, call, itself, [](C total) { return std::log(total); });
    case ReduceFunction::log_sum_exp:
      return run_log_sum_exp<T>(plan, call);
    default:
      ir::fail("reduce has no ", ir::enum_name(op.function), " of ", ir::dtype_of<T>);
  }
}

template <class T>
void run_mean(const Plan& plan, Call& call) {
  const auto n = static_cast<double>(plan.terms());
  run_sum<T>(plan, call, itself, [n]<class A>(A total) {
    if constexpr (std::is_floating_point_v<A>)
      return static_cast<A>(static_cast<double>(total) / n);
    else
      return A(std::complex<double>(total) / n);
  });
}

/// The functions of all numbers.
template <class T>
void run_number(const Reduce& op, const Plan& plan, Call& call) {
  switch (op.function) {
    case ReduceFunction::sum:
      return run_sum<T>(plan, call, itself, itself);
    case ReduceFunction::l1:
      return run_sum<T>(plan, call, magnitude, itself);
    case ReduceFunction::sum_square:
      return run_sum<T>(plan, call, square, itself);
    case ReduceFunction::product:
      return run_product<T>(plan, call);
    case ReduceFunction::max:
      return run_extreme<true, T>(plan, call);
    case ReduceFunction::min:
      return run_extreme<false, T>(plan, call);
    case ReduceFunction::mean:
      if constexpr (ir::is_float(ir::dtype_of<T>)) return run_mean<T>(plan, call);
      [[fallthrough]];
    default:
      if constexpr (ir::is_float(ir::dtype_of<T>)) return run_real<T>(op, plan, call);
      ir::fail("reduce has no ", ir::enum_name(op.function), " of ", ir::dtype_of<T>);
  }
}

}  // namespace

std::vector<ir::Sum> published_sums(const Reduce& op, ir::Types in) {
  using F = ReduceFunction;
  constexpr F sums[] = {F::sum, F::mean, F::l1, F::sum_square, F::l2, F::log_sum};
  if (!adds_in_f32(in[0].dtype) || std::ranges::find(sums, op.function) == std::end(sums)) return {};
  auto levels = levels_of(Plan(in[0].shape, op.reduced(in[0].shape)));
  if (!levels) return {};
  ir::Sum sum{.of = ir::ops::sum_name(op.function), .levels = std::move(*levels)};
  if (op.function == F::l2) sum.epilogue = {ir::SumStep::root};
  return {sum};
}

void run(const Reduce& op, Call& call) {
  const ir::DType dtype = call.in(0).dtype();
  const Plan& plan = call.kept([&] { return Plan(call.in(0).shape(), op.reduced(call.in(0).shape())); });
  if (dtype == ir::DType::boolean) {
    op.function == ReduceFunction::max ? run_extreme<true, bool>(plan, call) : run_extreme<false, bool>(plan, call);
  } else if (ir::is_complex(dtype)) {
    ir::visit_complex(dtype, [&]<class T>(T) {
      op.function == ReduceFunction::sum ? run_sum<T>(plan, call, itself, itself) : run_mean<T>(plan, call);
    });
  } else {
    ir::visit_number(dtype, [&]<class T>(T) { run_number<T>(op, plan, call); });
  }
}

}  // namespace plumb::ref_cpu
