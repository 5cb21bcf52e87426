#include "ir/ops/mean_variance_norm.hpp"

#include "gpu_vulkan/normalize.hpp"
#include "gpu_vulkan/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::MeanVarianceNorm& op, Lowering& node) {
  const auto turned = op.turned(node.in_type(0));
  const std::int64_t lines = turned.shape.leading(turned.kept).elements();
  const std::vector<std::int64_t> none = {0, 0};
  Normalize norm{.name = op.name,
                 .shape = {lines, turned.shape.elements() / lines},
                 .first = 1,
                 .epsilon = op.epsilon,
                 .scale_strides = none,
                 .bias_strides = none};
  if (turned.there.is_plain()) return lower_normalize(norm, node);
  const std::size_t bytes = node.in_type(0).bytes();
  norm.x = node.scratch(bytes), norm.y = node.scratch(bytes);
  strided_copy(turned.there, node.in(0), *norm.x, node);
  lower_normalize(norm, node);
  strided_copy(turned.back, *norm.y, node.out(0), node);
}

}  // namespace plumb::gpu_vulkan
