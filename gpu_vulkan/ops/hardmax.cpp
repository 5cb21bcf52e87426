#include "ir/ops/hardmax.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/rows/arg_reduce.hpp"

namespace plumb::gpu_vulkan {
namespace {

/// The bits of 1, the low word first.
std::array<std::uint32_t, 2> one(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::f16:
      return {0x3C00, 0};
    case ir::DType::bf16:
      return {0x3F80, 0};
    case ir::DType::f32:
      return {0x3F800000, 0};
    case ir::DType::f64:
      return {0, 0x3FF00000};
    default:
      return {1, 0};
  }
}

}  // namespace

void lower(const ir::ops::Hardmax& op, plan::Lowering& node) {
  const auto& [dtype, shape] = node.in_type(0);
  const ir::Lines lines = ir::along(shape, op.axis);
  const plan::Slot maxima = node.scratch(static_cast<std::size_t>(lines.count()) * sizeof(std::uint32_t));
  kernels::rows::lower_arg_reduce(op.axis, {}, maxima, 1, node);
  struct Block {
    kernels::common::Divisor by_inner, by_length;
    std::array<std::uint32_t, 2> one;
    std::uint32_t elements, length, inner;
  };
  constexpr std::uint32_t threads = 128;
  node.dispatch({
      .shader = {kernels::copy::word_variant("hardmax", ir::info(dtype).bytes, node), {{"invocations", threads}}},
      .reads = {maxima},
      .writes = {node.out(0)},
      .push = Block{kernels::common::Divisor(lines.inner), kernels::common::Divisor(lines.length), one(dtype),
                    static_cast<std::uint32_t>(shape.elements()), static_cast<std::uint32_t>(lines.length),
                    static_cast<std::uint32_t>(lines.inner)},
      .groups = plan::groups_for(shape.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
