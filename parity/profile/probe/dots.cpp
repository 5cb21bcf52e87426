#include "parity/profile/probe/dots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/ops/matmul.hpp"

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

DotSums run_dots(ir::Executor& executor, ir::DType operands, ProductShape shape, std::span<const Dot> dots) {
  std::size_t terms = 0;
  for (const Dot& dot : dots) terms = std::max(terms, dot.a.size());
  constexpr std::size_t aligned = 8;  // 16 bytes of f16
  terms = (terms + aligned - 1) / aligned * aligned + (shape.unaligned ? 1 : 0);
  const ir::Tensor a = operand(dots, &Dot::a, shape.m, terms, false, operands);
  const ir::Tensor b = operand(dots, &Dot::b, shape.n, terms, true, operands);
  ir::Graph graph;
  const ir::Value left = graph.input("a", a.type()), right = graph.input("b", b.type());
  ir::ops::Matmul product;
  if (operands != ir::DType::f32) product.output_dtype = ir::DType::f32;
  const ir::Value y = graph.add("y", product, {left, right});
  graph.returns(y);
  const ir::Feeds feeds = {{"a", a}, {"b", b}};
  const auto executable = executor.compile(graph, feeds, {{y}, false});
  const ir::Tensor sums = executable->run(feeds).at(y);
  const ir::NodeReport report = executable->nodes().at(0);
  DotSums made{.terms = static_cast<std::int64_t>(terms), .on_device = report.placement == ir::Placement::gpu};
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
