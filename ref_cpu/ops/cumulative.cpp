// Running sums with Neumaier's compensation, products and extremes, over sixteen neighbouring lines at a time.
#include "ir/ops/cumulative.hpp"

#include <cmath>
#include <complex>
#include <limits>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/integers.hpp"
#include "ref_cpu/kernels/scaled_product.hpp"
#include "ref_cpu/kernels/unfused.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::Cumulative;
using ir::ops::CumulativeFunction;

template <class T>
inline constexpr bool is_complex = ir::is_complex(ir::dtype_of<T>);

/// A running sum and what rounding lost from it (Neumaier): that of a line of any length is
/// good to a rounding or two.
template <class C>
struct RunningSum {
  C sum = 0, lost = 0;

  void add(C x) {
    const C next = sum + x;
    lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  C value() const { return std::isfinite(sum) ? sum + lost : sum; }  // beside infinity, what was lost is NaN
};

template <class C>
struct Sum {
  RunningSum<C> running;
  void add(C x) { running.add(x); }
  C value() const { return running.value(); }
};
template <class T>
struct Sum<std::complex<T>> {
  RunningSum<T> real, imaginary;
  void add(std::complex<T> x) {
    real.add(x.real());
    imaginary.add(x.imag());
  }
  std::complex<T> value() const { return {real.value(), imaginary.value()}; }
};
template <std::integral C>
struct Sum<C> {
  C sum = 0;
  void add(C x) { sum = kernels::wrapping_add(sum, x); }
  C value() const { return sum; }
};

template <class C>
struct Product {
  C product = 1;
  void add(C x) {
    if constexpr (is_complex<C>)
      product = kernels::complex_product(product, x);
    else if constexpr (std::is_integral_v<C>)
      product = kernels::wrapping_multiply(product, x);
    else
      product *= x;
  }
  C value() const { return product; }
};
/// In f64, which is what truth is made in, a product that comes back into the range is there again.
template <>
struct Product<double> {
  kernels::ScaledProduct product;
  void add(double x) { product = product * kernels::ScaledProduct::of(x); }
  double value() const { return product.value(); }
};

template <class C, bool largest>
struct Extreme {
  using Limits = std::numeric_limits<C>;
  C extreme = Limits::has_infinity ? (largest ? -Limits::infinity() : Limits::infinity())
                                   : (largest ? Limits::lowest() : Limits::max());
  void add(C x) {
    if (x != x || (largest ? extreme < x : x < extreme)) extreme = x;  // no x exceeds NaN
  }
  C value() const { return extreme; }
};

/// Runs a fresh Running over each line.
template <class Running, class T>
void run_lines(const Cumulative& op, const ir::Lines& lines, std::span<const T> x, std::span<T> y) {
  using C = ir::compute_t<T>;
  constexpr std::int64_t together = 16;  // neighbouring lines, walked as memory is
  const std::int64_t across = (lines.inner + together - 1) / together, width = std::min(lines.inner, together);
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, lines.length * width));
  parallel_for(lines.outer * across, grain, [&](std::int64_t block, std::int64_t end) {
    for (; block < end; ++block) {
      const std::int64_t column = block % across * together, line = block / across * lines.inner + column;
      const std::int64_t columns = std::min(together, lines.inner - column);
      Running running[together] = {};
      for (std::int64_t i = 0; i < lines.length; ++i) {
        const std::size_t row = lines.at(line, op.reverse ? lines.length - 1 - i : i);
        for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) {
          if (op.exclusive) y[row + c] = static_cast<T>(running[c].value());
          running[c].add(static_cast<C>(x[row + c]));
          if (!op.exclusive) y[row + c] = static_cast<T>(running[c].value());
        }
      }
    }
  });
}

}  // namespace

void run(const Cumulative& op, Call& call) {
  const auto lines = ir::along(call.in(0).shape(), op.axis);
  ir::visit_any(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const auto with = [&]<class Running>(Running) {
      run_lines<Running>(op, lines, call.in(0).as<T>(), call.out(0).as<T>());
    };
    if constexpr (!std::is_same_v<T, bool>) {
      if (op.function == CumulativeFunction::sum) return with(Sum<C>{});
      if (op.function == CumulativeFunction::product) return with(Product<C>{});
      if constexpr (!is_complex<T>)
        return op.function == CumulativeFunction::max ? with(Extreme<C, true>{}) : with(Extreme<C, false>{});
    }
  });
}

}  // namespace plumb::ref_cpu
