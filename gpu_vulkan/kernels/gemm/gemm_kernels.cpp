// Code common to the gemm kernels: push constants, dispatch, tile counts, and when a pipeline is specialised.
#include "gpu_vulkan/kernels/gemm/gemm_kernels.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/words.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

using ir::DType;

std::uint32_t transposed(const Gemm& p) { return (p.transpose_a ? 1u : 0u) | (p.transpose_b ? 2u : 0u); }

GemmBlock block_of(const Gemm& p, DType dtype) {
  GemmBlock block{};
  block.m = plan::word(p.m);
  block.n = plan::word(p.n);
  block.k = plan::word(p.k);
  block.batches = plan::word(p.batch.elements());
  block.flags = transposed(p) | (p.alpha != 1 ? 4u : 0u) | (p.has_c ? 8u : 0u);
  block.batch.fill(1);
  for (std::size_t i = 0; i < p.batch.size(); ++i) {
    const std::size_t at = most_batch_axes - p.batch.size() + i;
    block.batch[at] = plan::word(p.batch[i]);
    block.a_strides[at] = plan::word(p.a_strides[i]);
    block.b_strides[at] = plan::word(p.b_strides[i]);
  }
  block.c_strides = {plan::word(p.c_strides[0]), plan::word(p.c_strides[1])};
  const auto line = [&](std::int64_t given, std::int64_t dense) { return plan::word(given == 0 ? dense : given); };
  block.lda = line(p.lda, p.transpose_a ? p.m : p.k);
  block.ldb = line(p.ldb, p.transpose_b ? p.k : p.n);
  block.alpha = common::words_of(p.alpha, dtype);
  block.beta = common::words_of(p.beta, dtype);
  return block;
}

std::int64_t tiles(const Gemm& p, std::int64_t rows, std::int64_t columns) {
  return p.batch.elements() * common::pieces(p.m, rows) * common::pieces(p.n, columns);
}

std::string variant(const GemmSlots& slots) {
  const auto in = ir::info(slots.operands).name, out = ir::info(slots.result).name;
  return in == out ? ir::cat(in) : ir::cat(in, "_", out);
}

void dispatch(const Gemm& p, const GemmSlots& slots, plan::Lowering& node, plan::Shader shader, std::int64_t groups) {
  node.dispatch({
      .shader = std::move(shader),
      .reads = {slots.a, slots.b, p.has_c ? slots.c : slots.a},
      .writes = {slots.y},
      .push = block_of(p, slots.operands),
      .groups = plan::groups_for(groups),
  });
}

ir::Sum with_epilogue(const Gemm& p, ir::Sum sum) {
  if (p.alpha != 1) sum.epilogue.push_back(ir::SumStep::alpha);
  if (p.has_c) sum.epilogue.push_back(ir::SumStep::bias);
  return sum;
}

bool allows_vec4_loads(const Gemm& p, std::int64_t elements) {
  const auto even = [=](std::int64_t x) { return x % elements == 0; };
  const GemmBlock block = block_of(p, DType::f32);
  return even(block.lda) && even(block.ldb) && even(p.transpose_a ? p.m : p.k) && even(p.transpose_b ? p.k : p.n) &&
         std::ranges::all_of(p.a_strides, even) && std::ranges::all_of(p.b_strides, even);
}

Fixed fixed_of(const Gemm& p, std::uint32_t depth) {
  const auto outputs = static_cast<double>(p.batch.elements() * p.m * p.n);
  if (!common::is_worth_a_pipeline(outputs * static_cast<double>(p.k))) return {};
  const GemmBlock block = block_of(p, DType::f32);
  return {block.k, block.lda, block.ldb, block.flags, block.k % depth == 0};
}

device::ProductSize size_of(const Gemm& p) { return {p.m, p.n, p.k, p.batch.elements()}; }

}  // namespace plumb::gpu_vulkan::kernels::gemm
