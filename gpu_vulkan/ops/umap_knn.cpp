// Lowers nearest neighbours to the kernels of top-k, which find one more in case the point itself is among them, and a
// kernel that leaves it out.
#include "ir/ops/umap_knn.hpp"

#include "gpu_vulkan/kernels/common/ordered.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"
#include "gpu_vulkan/kernels/sort/selection.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::UmapKnn& op, plan::Lowering& node) {
  node.needs_its_types();
  const auto& [dtype, shape] = node.in_type(0);
  const std::int64_t n = shape[0], found = n * (op.k + 1);
  const std::size_t width = ir::info(dtype).bytes;
  const kernels::sort::SortedLines sorted{.x = node.in(0),
                                          .width = width,
                                          .encoding = kernels::common::encoding_of(dtype),
                                          .lines = ir::along(shape, 1),
                                          .k = op.k + 1};
  const kernels::sort::SortResults results{node.scratch(static_cast<std::size_t>(found) * width),
                                           node.scratch(static_cast<std::size_t>(found) * sizeof(std::uint32_t)), 1};
  node.choose({
      {"selected", device::KernelFamily::selected,
       [&] { return kernels::sort::attempt_selection(sorted, results, false, node); }},
      {"sorted", device::KernelFamily::sorted,
       [&] { return plan::Emission{[&] { kernels::sort::sort_lines(sorted, results, false, node); }}; }},
  });
  struct Block {
    std::uint32_t n, k;
  };
  constexpr std::uint32_t threads = 128;
  node.dispatch({
      .shader = {kernels::copy::word_variant("umap_knn", width, node),
                 {{"invocations", threads},
                  {"encoding", sorted.encoding},
                  {"index_words", kernels::indexing::index_words(op.index_dtype)}}},
      .reads = {node.in(0), results.indices},
      .writes = {node.out(0), node.out(1)},
      .push = Block{plan::word(n), plan::word(op.k)},
      .groups = plan::groups_for(n * op.k, threads),
  });
}

}  // namespace plumb::gpu_vulkan
