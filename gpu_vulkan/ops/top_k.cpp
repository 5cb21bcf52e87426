#include "ir/ops/top_k.hpp"

#include "gpu_vulkan/indexed.hpp"
#include "gpu_vulkan/ordered.hpp"
#include "gpu_vulkan/selection.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::TopK& op, Lowering& node) {
  node.needs_its_sizes();
  const auto& [dtype, shape] = node.in_type(0);
  const SortedLines sorted{.x = node.in(0),
                           .width = ir::info(dtype).bytes,
                           .encoding = encoding_of(dtype),
                           .lines = ir::along(shape, op.axis),
                           .k = op.k,
                           .descending = op.largest};
  const SortResults results{node.out(0), node.out(1), index_words(op.index_dtype)};
  node.choose({
      {"selected", [&] { return choose_selection(node.facts(), sorted).refusal; },
       [&] { select_lines(sorted, results, !op.sorted, node); }},
      {"sorted", [] { return std::nullopt; }, [&] { sort_lines(sorted, results, !op.sorted, node); }},
  });
}

}  // namespace plumb::gpu_vulkan
