// Lowers mean-variance norm over any axes: x is transposed so that these come last, normalised, and transposed back.
#include "ir/ops/mean_variance_norm.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/norms/normalize.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::MeanVarianceNorm& op, plan::Lowering& node) {
  const auto turned = op.turned(node.in_type(0));
  const std::int64_t lines = turned.shape.leading(turned.kept).elements();
  const std::vector<std::int64_t> none = {0, 0};
  kernels::norms::Normalize norm{.name = op.name,
                                 .shape = {lines, turned.shape.elements() / lines},
                                 .first = 1,
                                 .epsilon = op.epsilon,
                                 .scale_strides = none,
                                 .bias_strides = none};
  if (turned.there.is_plain()) return kernels::norms::lower_normalize(norm, node);
  const std::size_t bytes = node.in_type(0).bytes();
  norm.x = node.scratch(bytes);
  norm.y = node.scratch(bytes);
  kernels::copy::strided_copy(turned.there, node.in(0), *norm.x, node);
  kernels::norms::lower_normalize(norm, node);
  kernels::copy::strided_copy(turned.back, *norm.y, node.out(0), node);
}

}  // namespace plumb::gpu_vulkan
