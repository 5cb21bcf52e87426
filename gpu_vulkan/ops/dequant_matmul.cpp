// Lowers products with packed weights, which are decoded as they are loaded: of a few rows of x into registers, of more
// into tiles in shared memory.
#include "ir/ops/dequant_matmul.hpp"

#include <algorithm>
#include <bit>

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/common/tiles.hpp"

namespace plumb::gpu_vulkan {

namespace packed = ir::kernels::packed;

namespace {

/// Rows of x that share one reading of W, and weights that are decoded at once.
constexpr std::int64_t most_vectors = 8, piece = 8;

struct PackedProduct {
  const ir::ops::DequantMatmul& op;
  std::int64_t m, n, k;
  ir::DType x, scales;
  bool is_unrounded;
};

struct PackedBlock {
  std::uint32_t m, n, k, scales_of_row;
  kernels::common::Divisor by_block;
};

PackedBlock block_of(const PackedProduct& p) {
  const std::int64_t shared = packed::scale_block(p.op.format, p.op.block_size, p.k);
  return {static_cast<std::uint32_t>(p.m), static_cast<std::uint32_t>(p.n), static_cast<std::uint32_t>(p.k),
          static_cast<std::uint32_t>(packed::scales_of_row(p.op.format, p.op.block_size, p.k)),
          kernels::common::Divisor(std::clamp<std::int64_t>(shared, 1, p.k + 1))};
}

/// The constants behind those of the kernel, and all that a dispatch has besides.
plan::Dispatch dispatch_of(const PackedProduct& p, std::string shader, const plan::Constants& own,
                           const plan::Lowering& node) {
  return {.shader = {ir::cat(shader, '.', p.x), own.then({{"format", p.op.format},
                                                          {"scale_type", p.scales},
                                                          {"has_zero_points", p.op.has_zero_points},
                                                          {"has_bias", p.op.has_bias},
                                                          {"weight_dtype", p.op.weight_dtype},
                                                          {"is_unrounded", p.is_unrounded}})},
          .reads = {node.in(0), node.in(1), node.in(p.op.has_scales ? 2 : 1), node.in(p.op.has_zero_points ? 3 : 1),
                    node.in(p.op.has_bias ? node.inputs() - 1 : 0)},
          .writes = {node.out(0)},
          .push = block_of(p)};
}

void publish_product(const PackedProduct& p, std::vector<ir::SumLevel> levels, std::string order,
                     plan::Lowering& node) {
  ir::Sum sum{
      .of = ir::SumName::product, .unit = ir::SumUnit::either, .levels = std::move(levels), .order = std::move(order)};
  if (p.op.has_bias) sum.epilogue.push_back(ir::SumStep::bias);
  kernels::common::publish(std::move(sum), p.x, node);
}

void emit_vector(const PackedProduct& p, plan::Lowering& node) {
  constexpr std::uint32_t across = 4, lanes = 32;
  publish_product(p, {kernels::common::chain(), kernels::common::lanes(lanes)}, kernels::common::order::pieces, node);
  plan::Dispatch dispatch = dispatch_of(p, "dequant_vector",
                                        {{"invocations", across * lanes},
                                         {"across", across},
                                         {"lanes", lanes},
                                         {"vectors", std::bit_ceil(static_cast<std::uint32_t>(p.m))}},
                                        node);
  dispatch.groups = plan::groups_for(p.n, across);
  node.dispatch(std::move(dispatch));
}

void emit_tiles(const PackedProduct& p, plan::Lowering& node) {
  constexpr kernels::common::ElementTile large{.rows = 64, .columns = 64, .depth = 16, .elements = {4, 4}},
      small{.rows = 8, .columns = 32, .depth = 32, .elements = {1, 1}};
  const kernels::common::ElementTile& tile = p.m <= 16 ? small : large;
  publish_product(p, {kernels::common::chain(tile.depth), kernels::common::chain()}, "contract", node);
  plan::Dispatch dispatch = dispatch_of(p, "dequant_matmul", tile.constants(), node);
  dispatch.groups =
      plan::groups_for(kernels::common::pieces(p.m, tile.rows) * kernels::common::pieces(p.n, tile.columns));
  node.dispatch(std::move(dispatch));
}

std::optional<std::string> refuse_vector(const PackedProduct& p) {
  if (p.m > most_vectors) return ir::cat("x has ", p.m, " rows, it takes ", most_vectors);
  if (p.x == ir::DType::f64) return "x is f64";
  if (p.k % piece != 0) return ir::cat("rows are no multiples of ", piece, " weights");
  return std::nullopt;
}

}  // namespace

void lower(const ir::ops::DequantMatmul& op, plan::Lowering& node) {
  node.needs_its_types();
  node.needs_its_sizes();
  const ir::Shape& y = node.out_type(0).shape;
  const ir::DType x = node.in_type(0).dtype;
  const PackedProduct p{.op = op,
                        .m = y.elements() / y.back(),
                        .n = y.back(),
                        .k = node.in_type(0).shape.back(),
                        .x = x,
                        .scales = packed::has_real_scales(op.format) ? node.in_type(2).dtype : ir::DType::f32,
                        .is_unrounded = node.out_type(0).dtype != x};
  node.needs(p.scales != ir::DType::f64, "scales are f64, which shaders do not round to f32");
  node.needs(p.n * p.k < std::int64_t{1} << 32, "shaders count no more than 2^32 weights");
  node.choose({{"vector", device::KernelFamily::vector,
                [&] { return plan::attempt_of(refuse_vector(p), [&] { emit_vector(p, node); }); }},
               {"tiled", device::KernelFamily::tiled,
                [&] { return plan::Attempt(plan::Emission{[&] { emit_tiles(p, node); }}); }}});
}

}  // namespace plumb::gpu_vulkan
