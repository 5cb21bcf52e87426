// Lowers dequantize: one shader for all formats and dtypes, which are its constants.
#include "ir/ops/dequantize.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {

namespace packed = ir::kernels::packed;

void lower(const ir::ops::Dequantize& op, plan::Lowering& node) {
  node.needs_its_sizes();
  node.needs_its_types();
  node.needs(node.facts().storage16, node.facts().name, " has no 16-bit elements in storage buffers");
  struct Block {
    kernels::common::Divisor by_row, by_block;
    std::uint32_t count, row, scales_of_row;
  };
  const ir::DType scales = packed::has_real_scales(op.format) ? node.in_type(1).dtype : ir::DType::f32;
  const bool is_wide = op.dtype == ir::DType::f64 || scales == ir::DType::f64;
  const ir::Shape& shape = node.out_type(0).shape;
  const std::int64_t row = shape.back(), block = packed::scale_block(op.format, op.block_size, row);
  constexpr std::uint32_t threads = 128, each = 4;
  node.dispatch({
      .shader = {is_wide ? "dequantize.f64" : "dequantize.w32",
                 {{"invocations", threads},
                  {"format", op.format},
                  {"to", op.dtype},
                  {"scale_type", scales},
                  {"has_zero_points", op.has_zero_points},
                  {"block_bytes", plan::word(packed::layout(op.format).bytes)}}},
      .reads = {node.in(0), node.in(op.has_scales ? 1 : 0), node.in(op.has_zero_points ? 2 : 0)},
      .writes = {node.out(0)},
      .push = Block{kernels::common::Divisor(row), kernels::common::Divisor(std::min(block, row)),
                    std::uint32_t(shape.elements()), std::uint32_t(row),
                    std::uint32_t(packed::scales_of_row(op.format, op.block_size, row))},
      .groups = plan::groups_for(shape.elements(), threads * each),
  });
}

}  // namespace plumb::gpu_vulkan
