// Lowers a product with a low-rank correction to two matrix products, whose results stay in the type that is computed
// in, and a kernel that adds the second, times b, to the first.
#include "ir/ops/lora_matmul.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/common/tiles.hpp"
#include "gpu_vulkan/kernels/common/words.hpp"
#include "gpu_vulkan/kernels/gemm/gemm.hpp"

namespace plumb::gpu_vulkan {
namespace {

/// The product of x, as a matrix of m rows, and operand i, in a slot.
void multiply(std::int64_t m, std::size_t i, plan::Slot to, ir::DType result, plan::Lowering& node) {
  const ir::TensorType& by = node.in_type(i);
  kernels::gemm::Gemm product;
  product.m = m;
  product.n = by.shape[1];
  product.k = by.shape[0];
  kernels::gemm::lower_gemm(product, {node.in(0), node.in(i), node.in(0), to, by.dtype, result}, node);
}

void add_correction(const ir::ops::LoraMatmul& op, std::int64_t m, std::int64_t rank, plan::Slot product,
                    plan::Slot inner, plan::Lowering& node) {
  const std::int64_t n = node.in_type(1).shape[1];
  const ir::DType dtype = node.in_type(0).dtype;
  constexpr std::uint32_t threads = 128, rows_each = 4;
  struct Block {
    std::uint32_t m, n, rank;
    std::array<std::uint32_t, 2> scale;
  };
  kernels::common::publish(
      {.unit = ir::SumUnit::either, .levels = {kernels::common::chain()}, .epilogue = {ir::SumStep::alpha}}, dtype,
      node);
  node.dispatch({
      .shader = {ir::cat("lora_matmul.", dtype), {{"invocations", threads}, {"rows_each", rows_each}}},
      .reads = {product, inner, node.in(3)},
      .writes = {node.out(0)},
      .push = Block{plan::word(m), plan::word(n), plan::word(rank), kernels::common::words_of(op.scale, dtype)},
      .groups = plan::groups_for(kernels::common::pieces(m, rows_each) * n, threads),
  });
}

}  // namespace

void lower(const ir::ops::LoraMatmul& op, plan::Lowering& node) {
  node.needs_its_types();
  const ir::DType dtype = node.in_type(0).dtype, computed = dtype == ir::DType::f64 ? dtype : ir::DType::f32;
  const std::int64_t elements = node.out_type(0).shape.elements(), m = elements / node.in_type(1).shape[1];
  const std::int64_t rank = node.in_type(2).shape[1];
  if (rank == 0) {
    multiply(m, 1, node.out(0), dtype, node);
    return node.is_called("product");
  }
  node.needs(m * rank < std::int64_t{1} << 31, "x·a has ", m * rank, " elements, 2^31 or more");
  const auto scratch = [&](std::int64_t count) {
    return node.scratch(static_cast<std::size_t>(count) * ir::info(computed).bytes);
  };
  const plan::Slot product = scratch(elements), inner = scratch(m * rank);
  multiply(m, 1, product, computed, node);
  multiply(m, 2, inner, computed, node);
  add_correction(op, m, rank, product, inner, node);
  node.is_called("corrected");
}

}  // namespace plumb::gpu_vulkan
