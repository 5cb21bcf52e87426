#include "parity/profile/probe/dots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/ops/matmul.hpp"
#include "parity/profile/probe/one_op.hpp"

namespace plumb::parity::profile::probe {
namespace {

/// Element [e, i, k] (or [e, k, i] when `k_first`) is number k of dot e.
ir::Tensor operand(std::span<const Dot> dots, std::vector<float> Dot::*numbers, std::int64_t lines, std::size_t terms,
                   bool k_first, ir::DType dtype) {
  const auto count = static_cast<std::int64_t>(dots.size()), k = static_cast<std::int64_t>(terms);
  ir::Tensor tensor({ir::DType::f32, k_first ? ir::Shape{count, k, lines} : ir::Shape{count, lines, k}});
  const std::span<float> values = tensor.as<float>();
  const auto width = static_cast<std::size_t>(lines);
  for (std::size_t e = 0; e < dots.size(); ++e)
    for (std::size_t line = 0; line < width; ++line)
      for (std::size_t t = 0; t < (dots[e].*numbers).size(); ++t)
        values[e * width * terms + (k_first ? t * width + line : line * terms + t)] = (dots[e].*numbers)[t];
  return dtype == ir::DType::f32 ? tensor : ir::convert(tensor, dtype);
}

}  // namespace

void Dot::set(std::size_t k, int exponent, float factor) {
  a[k] = std::ldexp(factor, exponent / 2);
  b[k] = std::ldexp(1.0f, exponent - exponent / 2);
}

std::int64_t terms_of(ProductShape shape, std::span<const Dot> dots) {
  std::size_t terms = 0;
  for (const Dot& dot : dots) terms = std::max(terms, dot.a.size());
  constexpr std::size_t aligned = 8;  // 16 bytes of f16
  return static_cast<std::int64_t>((terms + aligned - 1) / aligned * aligned + (shape.unaligned ? 1 : 0));
}

core::Trial product_trial(ir::DType operands, ProductShape shape, std::span<const Dot> dots) {
  const auto terms = static_cast<std::size_t>(terms_of(shape, dots));
  ir::ops::Matmul product;
  if (operands != ir::DType::f32) product.output_dtype = ir::DType::f32;
  return trial_of(product, {operand(dots, &Dot::a, shape.m, terms, false, operands),
                            operand(dots, &Dot::b, shape.n, terms, true, operands)});
}

DotSums sums_in(const core::TrialEnd& end, ProductShape shape, std::span<const Dot> dots) {
  const ir::Tensor& sums = end.values.begin()->second;
  const ir::NodeReport& report = end.nodes.at(0);
  DotSums made{.terms = terms_of(shape, dots), .on_device = report.placement == ir::Placement::gpu};
  if (report.sums.size() == 1) made.published = report.sums[0];
  const auto each = static_cast<std::size_t>(shape.m * shape.n);
  for (std::size_t e = 0; e < dots.size(); ++e) {
    const auto same = sums.as<float>().subspan(e * each, each);
    const bool agree = std::ranges::all_of(same, [&](float x) { return x == same[0]; });
    made.sums.push_back(agree ? same[0] : std::numeric_limits<float>::quiet_NaN());
  }
  return made;
}

}  // namespace plumb::parity::profile::probe
