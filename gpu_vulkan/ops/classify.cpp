#include "ir/ops/classify.hpp"

#include "gpu_vulkan/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Classify& op, Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_types();
  elementwise({.shader = ir::cat("classify.", dtype),
               .pack = pack_size(dtype),
               .constants = {static_cast<std::uint32_t>(op.function)},
               .operands = {0}},
              node);
}

}  // namespace plumb::gpu_vulkan
