#include "ir/ops/conv.hpp"

#include <algorithm>

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

std::int64_t taps_of(const ir::Shape& w) {
  std::int64_t taps = 1;
  for (std::size_t axis = 1; axis < w.size(); ++axis) taps *= w[axis];
  return taps;
}

/// The sums over the first channels, for some numbers of them.
std::vector<Real> partial_sums(const ir::ops::Conv& op, const Node& node) {
  const std::int64_t channels = node.in[1].shape()[1];
  const std::int64_t parts = std::min(parts_of(taps_of(node.in[1].shape())), channels);
  std::vector<Real> sums;
  if (op.group != 1) return sums;
  ir::ops::Conv without_bias = op;
  without_bias.has_bias = false;
  for (std::int64_t j = 0; j < parts && parts > 1; ++j) {
    const std::int64_t from = channels * j / parts, to = channels * (j + 1) / parts;
    const Real step = node.builder.apply(without_bias, {part(node.in[0], 1, from, to), part(node.in[1], 1, from, to)});
    sums.push_back(sums.empty() ? step : sums.back() + step);
  }
  return sums;
}

/// Filters of one number, by output channel.
Real uniform_filters(const Node& node) {
  const Real w = node.in[1];
  std::vector<std::int64_t> taps;
  for (std::size_t axis = 1; axis < w.shape().size(); ++axis) taps.push_back(static_cast<std::int64_t>(axis));
  return along(reshaped(is_uniform(w, taps), {w.shape()[0]}), 1, node.y().shape());
}

}  // namespace

Model error_model(const ir::ops::Conv& op) {
  return {.rounding =
              [op](const Node& node) {
                Terms terms = product_terms(node, taps_of(node.in[1].shape()) + (op.has_bias ? 1 : 0));
                terms.partial = partial_sums(op, node);
                if (node.in[1].shape().elements() > 0) terms.uniform = uniform_filters(node);
                return dot(node, terms);
              },
          .carried = through_products};
}

}  // namespace plumb::parity::bounds
