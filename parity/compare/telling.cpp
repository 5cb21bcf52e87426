// Which elements of an output tell something: precise next to their line, not zero, not infinite.
// Optimised: it loops over elements or terms.
#include "parity/compare/telling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "parity/compare/elements/kernels.hpp"
#include "parity/compare/tolerance.hpp"

namespace plumb::parity::compare {
namespace {

constexpr double least_informative = 0.05;  // verdict.md V39, V42
constexpr std::int64_t shortest_line = 8;   // verdict.md V38

/// A truth that is not f64 as sizes of real numbers.
ir::Tensor sizes_of(const ir::TensorView& truth) {
  if (!ir::is_complex(truth.dtype())) return ir::convert(truth, ir::DType::f64);
  ir::Tensor sizes({ir::DType::f64, truth.shape()});
  const ir::Tensor wide = ir::convert(truth, ir::DType::c128);
  std::ranges::transform(wide.as<std::complex<double>>(), sizes.as<double>().begin(),
                         [](const std::complex<double>& y) { return std::abs(y); });
  return sizes;
}

double share(std::uint64_t part, std::uint64_t all) { return static_cast<double>(part) / static_cast<double>(all); }

}  // namespace

Line Line::along(const ir::Shape& shape, std::int64_t first, std::int64_t last) {
  const std::size_t from = shape.axis(first), to = shape.axis(last);
  Line line;
  for (std::size_t axis = from; axis < shape.size(); ++axis) (axis <= to ? line.length : line.inner) *= shape[axis];
  return line;
}

Line Line::of_last_axes(const ir::Shape& shape) {
  Line line;
  for (std::size_t axis = shape.size(); axis-- > 0 && line.length < shortest_line;) line.length *= shape[axis];
  return line;
}

Telling telling_of(const ir::TensorView& truth, ir::DType dtype, const Allowed& allowed, const Line& line,
                   const Comparison& known, bool marked_bools) {
  Telling telling{.elements = known.n, .not_finite = known.n_nan_expected + known.n_inf_expected};
  if (telling.elements == 0) return telling;
  if (ir::unit_roundoff(dtype) == 0 || allowed.rule != Allowed::Rule::within) {
    // Ones are right or wrong, and so are infinities, which such a node was given or selects: masks are made of them. A
    // zero may be what nobody wrote, but for a bool where there was none before, and every NaN is like every other.
    telling.not_finite = known.n_nan_expected;
    const std::uint64_t definite = telling.elements - std::min(telling.not_finite, telling.elements);
    const bool was_written = marked_bools && dtype == ir::DType::boolean;
    telling.informative = was_written || known.n_zero_expected < definite ? definite : 0;
    telling.has_precise = true;
    return telling;
  }
  const bool is_plain = truth.dtype() == ir::DType::f64;
  const ir::Tensor sizes = is_plain ? ir::Tensor() : sizes_of(truth);
  elements::chosen_kernels().tell(is_plain ? truth.as<double>() : sizes.as<double>(), dtype, allowed, line, telling);
  return telling;
}

std::string Telling::mistrust() const {
  if (elements == 0) return "";
  if (2 * not_finite > elements)
    return fmt::format("{:.3g} % of the truth is not finite", 100 * share(not_finite, elements));
  if (share(informative, elements) < least_informative) {
    if (informative + loose == 0) return "the truth is all zero";
    return fmt::format(
        "only {:.2g} % of the elements say something: the error allowed of {:.3g} % is more than {:.0e} "
        "of their line's rms",
        100 * share(informative, elements), 100 * share(loose, elements), loosest_of_scale);
  }
  if (!has_precise)
    return fmt::format("no element is more than {} times as large as its limit", elements::precise_times);
  return "";
}

}  // namespace plumb::parity::compare
