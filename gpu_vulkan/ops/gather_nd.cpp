// Lowers gather-nd: index tuples name slices, which are copied in the widest words that they consist of.
#include "ir/ops/gather_nd.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::GatherNd& op, plan::Lowering& node) {
  node.needs_its_sizes();
  const auto &x = node.in_type(0), &indices = node.in_type(1), &y = node.out_type(0);
  const std::int64_t m = indices.shape.back(), tuples = indices.shape.elements() / m;
  const std::size_t slice_bytes = y.bytes() / static_cast<std::size_t>(tuples),
                    width = kernels::copy::word_width(slice_bytes);
  const auto inner = static_cast<std::int64_t>(slice_bytes / width), words = tuples * inner;
  struct Block {
    kernels::indexing::IndexTuples tuples;
    std::uint32_t words, inner;
    kernels::common::Divisor by_inner;
  };
  constexpr std::uint32_t threads = 128;
  node.dispatch({
      .shader = {kernels::copy::word_variant("gather_nd", width, node),
                 {{"invocations", threads},
                  {"index_words", kernels::indexing::index_words(indices.dtype)},
                  {"tuple_length", static_cast<std::uint32_t>(m)}}},
      .reads = {node.in(0), node.in(1)},
      .writes = {node.out(0), node.faults()},
      .push =
          Block{kernels::indexing::index_tuples(x.shape, indices.shape, op.batch_dims, node.node_number()),
                static_cast<std::uint32_t>(words), static_cast<std::uint32_t>(inner), kernels::common::Divisor(inner)},
      .groups = plan::groups_for(words, threads),
  });
}

}  // namespace plumb::gpu_vulkan
