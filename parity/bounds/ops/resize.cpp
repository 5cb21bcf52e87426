#include "ir/ops/resize.hpp"

#include <algorithm>
#include <cmath>

#include "ir/kernels/resize_taps.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/transpose.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// Along one axis, what y is made of per element of x: the magnitudes of the weights, [outputs, extent].
Real weights(const ir::ops::Resize& op, const Node& node, std::size_t k, std::int64_t extent) {
  const ir::kernels::ResizeTaps taps = ir::kernels::resize_taps(op, k, node.in_types[0].dtype, extent);
  std::vector<double> magnitudes(static_cast<std::size_t>(taps.outputs() * extent), 0.0);
  for (std::size_t i = 0; i + 1 < taps.first.size(); ++i)
    for (auto t = static_cast<std::size_t>(taps.first[i]); t < static_cast<std::size_t>(taps.first[i + 1]); ++t)
      magnitudes[i * static_cast<std::size_t>(extent) + static_cast<std::size_t>(taps.index[t])] +=
          std::abs(taps.weight[t]);
  return reshaped(node.builder.constant(magnitudes), {taps.outputs(), extent});
}

/// Σ over one axis of x of `table` [outputs, extent], the outputs in its place.
Real contracted(Real table, Real x, std::int64_t axis) {
  ir::ops::DotGeneral product;
  product.a_contract = {1};
  product.b_contract = {axis};
  ir::ops::Transpose back;
  for (std::int64_t a = 0; a < static_cast<std::int64_t>(x.shape().size()); ++a)
    back.permutation.push_back(a == axis ? 0 : a < axis ? a + 1 : a);
  return x.builder->apply(back, {x.builder->apply(product, {table, x})});
}

}  // namespace

Model error_model(const ir::ops::Resize& op) {
  Model model{.carried = moved};
  if (op.mode == ir::ops::ResizeMode::nearest) return model;
  model.rounding = [op](const Node& node) {
    Real magnitudes = finite_or_zero(abs(node.in[0]));
    double terms = 2;
    for (std::size_t k = 0; k < op.axes.size(); ++k) {
      const auto axis = static_cast<std::int64_t>(magnitudes.shape().axis(op.axes[k]));
      const std::int64_t extent = magnitudes.shape()[static_cast<std::size_t>(axis)];
      const ir::kernels::ResizeTaps taps = ir::kernels::resize_taps(op, k, node.in_types[0].dtype, extent);
      std::int64_t most = 0;
      for (std::size_t i = 0; i + 1 < taps.first.size(); ++i) most = std::max(most, taps.first[i + 1] - taps.first[i]);
      terms += static_cast<double>(most) + 1;  // and the rounding of the weights
      magnitudes = contracted(weights(op, node, k, extent), magnitudes, axis);
    }
    return both(terms * node.unit() * magnitudes + node.unit() * abs(node.y()));
  };
  return model;
}

}  // namespace plumb::parity::bounds
