#include "ir/ops/toy.hpp"

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Toy&, plan::Lowering& node) {
  const std::int64_t count = node.out_type(0).shape.elements();
  node.dispatch({
      .shader = {"toy", {}},
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = std::uint32_t(count),
      .groups = plan::groups_for(count, 64),
  });
}

}  // namespace plumb::gpu_vulkan
