// Elements that an op works on together.
// Optimised: it loops over elements or terms.
#include "parity/element/lines.hpp"

#include <algorithm>
#include <utility>

namespace plumb::parity::element {

namespace {

/// Calls `visit` with the positions in operand 0 that share with `at` its place on all axes but `axes`.
template <class Visit>
void for_each_on_line(const Call& call, Position at, std::span<const std::size_t> axes, const Visit& visit) {
  std::vector<std::int64_t> extents;
  for (const std::size_t axis : axes) extents.push_back(call.in(0)[axis]);
  for_each(extents, [&](const Position& within) {
    for (std::size_t k = 0; k < axes.size(); ++k) at[axes[k]] = within[k];
    visit(std::as_const(at));
  });
}

}  // namespace

std::vector<Position> line_of(const Call& call, Position at, std::span<const std::size_t> axes) {
  std::vector<Position> line;
  for_each_on_line(call, std::move(at), axes, [&](const Position& place) { line.push_back(place); });
  return line;
}

std::vector<Real> reals_of(const Call& call, Position at, std::span<const std::size_t> axes) {
  std::vector<Real> numbers;
  for_each_on_line(call, std::move(at), axes, [&](const Position& place) { numbers.push_back(call.real(0, place)); });
  return numbers;
}

std::vector<std::size_t> axes_from(std::size_t first, std::size_t rank) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = first; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

Real largest_of(std::span<const Real> line) {
  Real largest = line.front();
  for (const Real x : line) largest = maximum(largest, x);
  return largest;
}

Real unit_of(std::span<const Real> line) {
  long double largest = 0;
  for (const Real x : line) largest = std::max(largest, std::fabs(x.value));
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  return std::exp2(static_cast<long double>(std::ilogb(largest)));
}

Moments moments_of(std::span<const Real> line) {
  Sum sum(ir::SumName::mean), squares(ir::SumName::variance);
  for (const Real x : line) sum.add(x);
  const Real count(static_cast<long double>(line.size())), mean = sum.total() / count;
  for (const Real x : line) {
    const Real distance = x - mean;
    squares.add(distance, distance);
  }
  return {mean, squares.total() / count};
}

Real mean_of_squares(std::span<const Real> line) {
  Sum squares(ir::SumName::squares);
  for (const Real x : line) squares.add(x, x);
  return squares.total() / Real(static_cast<long double>(line.size()));
}

Real inverse_root(Real variance, long double epsilon) {
  const Real below_root = variance + Real(epsilon);
  // The root of what is 0 within its uncertainty may be anything.
  if (below_root.off > 0 && !(below_root.value > below_root.off)) throw NoAnswer{};
  return Real(1) / sqrt(below_root);
}

Number sum_of_products(ir::DType dtype, std::span<const std::pair<Number, Number>> pairs) {
  if (ir::is_integer(dtype)) {
    std::uint64_t bits = 0;
    for (const auto& [a, b] : pairs)
      bits += static_cast<std::uint64_t>(whole(a)) * static_cast<std::uint64_t>(whole(b));
    return wrap(dtype, bits);
  }
  if (!ir::is_complex(dtype)) {
    Sum sum;
    for (const auto& [a, b] : pairs) sum.add(a.re, b.re);
    return sum.total();
  }
  // Each part is a sum of twice as many products.
  Sum re, im;
  for (const auto& [a, b] : pairs) {
    re.add(a.re, b.re);
    re.add(-a.im, b.im);
    im.add(a.re, b.im);
    im.add(a.im, b.re);
  }
  return {re.total(), im.total()};
}

}  // namespace plumb::parity::element
