// Lowers casts to the conversion kernel, or to an alias where the dtype stays. Numbers of c128, which that kernel does
// not hold, are converted by their parts.
#include "ir/ops/cast.hpp"

#include "gpu_vulkan/kernels/elementwise/convert.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::DType;
using kernels::elementwise::convert;

/// Reals as f64 beside an imaginary part of 0, which is read from memory as other operands are.
void complex_from_reals(DType from, std::int64_t count, plan::Lowering& node) {
  constexpr std::uint32_t threads = 32, zero_words = 2;
  const plan::Slot zero = node.scratch(zero_words * sizeof(std::uint32_t));
  node.dispatch({.shader = {"zero", {{"invocations", threads}}},
                 .reads = {},
                 .writes = {zero},
                 .push = zero_words,
                 .groups = plan::groups_for(zero_words, threads)});
  plan::Slot wide = node.in(0);
  if (from != DType::f64) {
    wide = node.scratch(static_cast<std::size_t>(count) * sizeof(double));
    convert(from, node.in(0), DType::f64, wide, count, node);
  }
  const ir::Shape& shape = node.out_type(0).shape;
  kernels::elementwise::elementwise(
      {.shader = "make_complex.w8", .constants = {}, .operands = {}},
      {.reads = {wide, zero}, .shapes = {shape, {}}, .write = node.out(0), .result = shape}, node);
}

}  // namespace

void lower(const ir::ops::Cast& op, plan::Lowering& node) {
  const DType from = node.in_type(0).dtype, to = op.to;
  const std::int64_t count = node.out_type(0).shape.elements();
  if (from == to) return node.alias(0, 0);
  node.needs_its_types();
  if (from != DType::c128 && to != DType::c128) return convert(from, node.in(0), to, node.out(0), count, node);
  node.needs(count < std::int64_t{1} << 30, "shaders count no more than 2^31 parts");
  if (from == DType::c128) return convert(DType::f64, node.in(0), DType::f32, node.out(0), 2 * count, node);
  if (from == DType::c64) return convert(DType::f32, node.in(0), DType::f64, node.out(0), 2 * count, node);
  complex_from_reals(from, count, node);
}

}  // namespace plumb::gpu_vulkan
