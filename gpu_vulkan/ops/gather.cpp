// Lowers gather along an axis: word by word for short rows, a stretch of a row per workgroup for long ones.
#include "ir/ops/gather.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {
namespace {

constexpr std::uint32_t gather_threads = 128;

/// The rows to copy, in words of `width` bytes.
struct Rows {
  std::size_t width;
  std::int64_t inner, count, extent, all;  ///< words of a row, indices, rows of x for every a, rows of y
  std::uint32_t index_words;
};

void copy_words(const Rows& rows, plan::Lowering& node) {
  struct Block {
    std::uint32_t words, inner, count, extent;
    kernels::common::Divisor by_inner, by_count;
    std::uint32_t node;
  };
  const std::int64_t words = rows.all * rows.inner;
  node.dispatch({
      .shader = {kernels::copy::word_variant("gather", rows.width, node),
                 {{"invocations", gather_threads}, {"index_words", rows.index_words}}},
      .reads = {node.in(0), node.in(1)},
      .writes = {node.out(0), node.faults()},
      .push =
          Block{std::uint32_t(words), std::uint32_t(rows.inner), std::uint32_t(rows.count), std::uint32_t(rows.extent),
                kernels::common::Divisor(rows.inner), kernels::common::Divisor(rows.count), node.node_number()},
      .groups = plan::groups_for(words, gather_threads),
  });
}

void copy_rows(const Rows& rows, plan::Lowering& node) {
  struct Block {
    std::uint32_t rows, inner, count, extent;
    kernels::common::Divisor by_rows, by_count;
    std::uint32_t node;
  };
  constexpr std::uint32_t each = 2;
  const std::int64_t stretches = (rows.inner + gather_threads * each - 1) / (gather_threads * each);
  node.dispatch({
      .shader = {kernels::copy::word_variant("gather_rows", rows.width, node),
                 {{"invocations", gather_threads}, {"index_words", rows.index_words}, {"each", each}}},
      .reads = {node.in(0), node.in(1)},
      .writes = {node.out(0), node.faults()},
      .push = Block{std::uint32_t(rows.all), std::uint32_t(rows.inner), std::uint32_t(rows.count),
                    std::uint32_t(rows.extent), kernels::common::Divisor(rows.all),
                    kernels::common::Divisor(rows.count), node.node_number()},
      .groups = plan::groups_for(rows.all * stretches),
  });
}

}  // namespace

void lower(const ir::ops::Gather& op, plan::Lowering& node) {
  node.needs_its_sizes();
  const auto lines = ir::along(node.in_type(0).shape, op.axis);
  const std::size_t row_bytes = static_cast<std::size_t>(lines.inner) * ir::info(node.in_type(0).dtype).bytes;
  const std::size_t width = kernels::copy::word_width(row_bytes);
  const auto inner = static_cast<std::int64_t>(row_bytes / width);
  const Rows rows{.width = width,
                  .inner = inner,
                  .count = node.in_type(1).shape.elements(),
                  .extent = lines.length,
                  .all = static_cast<std::int64_t>(node.out_type(0).bytes() / row_bytes),
                  .index_words = node.in_type(1).dtype == ir::DType::i64 ? 2u : 1u};
  // Half a stretch and more: a shorter row would leave most of a workgroup idle.
  if (inner >= gather_threads) return copy_rows(rows, node);
  copy_words(rows, node);
}

}  // namespace plumb::gpu_vulkan
