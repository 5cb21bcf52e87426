// Lowers products with packed weights to the kernel that decodes them tile by tile.
#include "ir/ops/dequant_matmul.hpp"

#include "gpu_vulkan/kernels/gemm/packed_product.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::DequantMatmul& op, plan::Lowering& node) {
<<<<<<< HEAD
  node.needs_its_types();
  node.needs_its_sizes();
  constexpr kernels::common::ElementTile large{.rows = 64, .columns = 64, .depth = 16, .elements = {4, 4}},
      small{.rows = 8, .columns = 32, .depth = 32, .elements = {1, 1}};
  const ir::DType dtype = node.in_type(0).dtype;
  const ir::Shape& y = node.out_type(0).shape;
  const std::int64_t n = y.back(), m = y.elements() / n, k = node.in_type(0).shape.back();
  const ir::DType scales = packed::has_real_scales(op.format) ? node.in_type(2).dtype : ir::DType::f32;
  node.needs(scales != ir::DType::f64, "scales are f64, which shaders do not round to f32");
  node.needs(n * k < std::int64_t{1} << 32, "shaders count no more than 2^32 weights");
  const kernels::common::ElementTile& tile = m <= 16 ? small : large;
  struct Block {
    std::uint32_t m, n, k, scales_of_row;
    kernels::common::Divisor by_block;
  };
  ir::Sum sum{.of = ir::SumName::product,
              .unit = ir::SumUnit::either,
              .levels = {kernels::common::chain(tile.depth), kernels::common::chain()}};
  if (op.has_bias) sum.epilogue.push_back(ir::SumStep::bias);
  kernels::common::publish(std::move(sum), dtype, node);
  const std::int64_t block = std::clamp<std::int64_t>(packed::scale_block(op.format, op.block_size, k), 1, k + 1);
  node.dispatch({
      .shader = {ir::cat("dequant_matmul.", dtype),
                 tile.constants().then({{"format", op.format},
                                        {"scale_type", scales},
                                        {"has_zero_points", op.has_zero_points},
                                        {"has_bias", op.has_bias},
                                        {"weight_dtype", op.weight_dtype},
                                        {"is_unrounded", node.out_type(0).dtype != dtype},
                                        {"block_bytes", plan::word(packed::layout(op.format).bytes)}})},
      .reads = {node.in(0), node.in(1), node.in(op.has_scales ? 2 : 1), node.in(op.has_zero_points ? 3 : 1),
                node.in(op.has_bias ? node.inputs() - 1 : 0)},
      .writes = {node.out(0)},
      .push = Block{std::uint32_t(m), std::uint32_t(n), std::uint32_t(k),
                    std::uint32_t(packed::scales_of_row(op.format, op.block_size, k)), kernels::common::Divisor(block)},
      .groups = plan::groups_for(kernels::common::pieces(m, tile.rows) * kernels::common::pieces(n, tile.columns)),
  });
=======
  kernels::gemm::lower_packed({.packing = op.packing(), .weight_dtype = op.weight_dtype, .has_bias = op.has_bias},
                              node);
>>>>>>> wA
}

}  // namespace plumb::gpu_vulkan
