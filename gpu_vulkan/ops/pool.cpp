// Lowers pooling: max by the order of element bits, with indices where wanted; means and lp norms by sums in chunks.
#include "ir/ops/pool.hpp"

#include "gpu_vulkan/kernels/common/ordered.hpp"
#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/conv/window_axes.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {
namespace {

constexpr std::uint32_t pool_threads = 64;  // one invocation per element of y

/// The bits of -inf, or of the least integer; low word first.
std::array<std::uint32_t, 2> lowest(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::f16:
      return {0xFC00u, 0};
    case ir::DType::bf16:
      return {0xFF80u, 0};
    case ir::DType::f32:
      return {0xFF800000u, 0};
    case ir::DType::f64:
      return {0, 0xFFF00000u};
    case ir::DType::i8:
      return {0x80u, 0};
    default:
      return {0, 0};
  }
}

void lower_max(const ir::ops::Pool& op, const kernels::conv::WindowAxes& axes, plan::Lowering& node) {
  struct Block {
    std::uint32_t elements;
    std::array<std::uint32_t, 2> lowest;
    kernels::conv::WindowAxes axes;
  };
  const auto& [dtype, shape] = node.out_type(0);
  node.dispatch({
      .shader = {kernels::copy::word_variant("pool_max", ir::info(dtype).bytes, node),
                 {{"invocations", pool_threads},
                  {"encoding", kernels::common::encoding_of(dtype)},
                  {"with_indices", op.with_indices}}},
      .reads = {node.in(0)},
      .writes = {node.out(0), node.out(op.with_indices ? 1 : 0)},
      .push = Block{static_cast<std::uint32_t>(shape.elements()), lowest(dtype), axes},
      .groups = plan::groups_for(shape.elements(), pool_threads),
  });
}

void lower_sums(const ir::ops::Pool& op, const std::vector<ir::kernels::Window>& windows,
                const kernels::conv::WindowAxes& axes, plan::Lowering& node) {
  node.needs_its_types();
  node.needs(op.p < std::int64_t{1} << 31, "p is ", op.p, ", shaders count to 2^31");
  struct Block {
    std::uint32_t elements, p;
    kernels::conv::WindowAxes::Axes pad_end{0, 0, 0};
    kernels::conv::WindowAxes axes;
  };
  const auto& [dtype, shape] = node.out_type(0);
  Block block{
      .elements = static_cast<std::uint32_t>(shape.elements()), .p = static_cast<std::uint32_t>(op.p), .axes = axes};
  for (std::size_t i = 0; i < windows.size(); ++i)
    block.pad_end[3 - windows.size() + i] = static_cast<std::uint32_t>(windows[i].pad_end);
  const bool has_products = op.function == ir::ops::PoolFunction::lp;
  kernels::common::publish({.of = has_products ? ir::SumName::powers : ir::SumName::window,
                            .unit = has_products ? ir::SumUnit::either : ir::SumUnit::separate,
                            .levels = kernels::common::in_chunks()},
                           dtype, node);
  node.dispatch({
      .shader = {ir::cat("pool.", dtype),
                 {{"invocations", pool_threads}, {"function", op.function}, {"count_pads", op.count_include_pad}}},
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = block,
      .groups = plan::groups_for(shape.elements(), pool_threads),
  });
}

}  // namespace

void lower(const ir::ops::Pool& op, plan::Lowering& node) {
  node.needs_its_sizes();
  const auto windows = op.axes(node.in_type(0).shape);
  const kernels::conv::WindowAxes axes = kernels::conv::window_axes(windows, node.out_type(0).shape, node);
  if (op.function == ir::ops::PoolFunction::max) return lower_max(op, axes, node);
  lower_sums(op, windows, axes, node);
}

}  // namespace plumb::gpu_vulkan
