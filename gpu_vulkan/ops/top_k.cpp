// Lowers top-k: by selection where few of many are wanted, else by a full sort.
#include "ir/ops/top_k.hpp"

#include "gpu_vulkan/kernels/common/ordered.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"
#include "gpu_vulkan/kernels/sort/selection.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::TopK& op, plan::Lowering& node) {
  node.needs_its_sizes();
  const auto& [dtype, shape] = node.in_type(0);
  const kernels::sort::SortedLines sorted{.x = node.in(0),
                                          .width = ir::info(dtype).bytes,
                                          .encoding = kernels::common::encoding_of(dtype),
                                          .lines = ir::along(shape, op.axis),
                                          .k = op.k,
                                          .descending = op.largest};
  const kernels::sort::SortResults results{node.out(0), node.out(1), kernels::indexing::index_words(op.index_dtype)};
  node.choose({
      {"selected", device::KernelFamily::selected,
       [&] { return kernels::sort::attempt_selection(sorted, results, !op.sorted, node); }},
      {"sorted", device::KernelFamily::sorted,
       [&] { return plan::Emission{[&] { kernels::sort::sort_lines(sorted, results, !op.sorted, node); }}; }},
  });
}

}  // namespace plumb::gpu_vulkan
