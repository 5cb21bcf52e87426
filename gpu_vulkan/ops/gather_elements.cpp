// Lowers gather-elements: an invocation finds where its line of x starts, and reads one element of it.
#include "ir/ops/gather_elements.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::GatherElements& op, plan::Lowering& node) {
  node.needs_its_sizes();
  const auto &x = node.in_type(0), &indices = node.in_type(1);
  const auto layout = kernels::indexing::indexed_elements(x.shape, indices.shape, op.axis, node.node_number());
  constexpr std::uint32_t threads = 128;
  node.dispatch({
      .shader = {kernels::copy::word_variant("gather_elements", ir::info(x.dtype).bytes, node),
                 {{"invocations", threads},
                  {"index_words", kernels::indexing::index_words(indices.dtype)},
                  {"axes", layout.axes}}},
      .reads = {node.in(0), node.in(1)},
      .writes = {node.out(0), node.faults()},
      .push = layout.block,
      .groups = plan::groups_for(indices.shape.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
