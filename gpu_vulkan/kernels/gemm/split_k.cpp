// The two halves of split-K: K cut into slices as a batch of products, and the kernel that adds up their results.
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"
#include "gpu_vulkan/kernels/gemm/gemm_kernels.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

Gemm split_k(const Gemm& p, std::int64_t slices) {
  const GemmBlock whole = block_of(p, ir::DType::f32);
  Gemm parts = p;
  parts.k = p.k / slices;
  parts.lda = whole.lda;
  parts.ldb = whole.ldb;
  parts.batch = {slices};
  parts.a_strides = {parts.k * (p.transpose_a ? parts.lda : 1)};
  parts.b_strides = {parts.k * (p.transpose_b ? 1 : parts.ldb)};
  parts.alpha = 1;
  parts.has_c = false;
  return parts;
}

void add_split_k(const Gemm& p, const GemmSlots& slots, plan::Slot sums, std::int64_t slices, plan::Lowering& node) {
  const GemmBlock whole = block_of(p, ir::DType::f32);
  struct SlicesBlock {
    std::uint32_t count, n, has_c;
    float alpha, beta;
    std::array<std::uint32_t, 2> c_strides;
  };
  constexpr std::uint32_t threads = 128;
  constexpr std::int64_t pack = 4;  // for all dtypes with an f32 accumulator
  const bool packed = p.m * p.n % pack == 0;
  node.dispatch({
      .shader = {"matmul_slices." + elementwise::variant_of(slots.result, node.facts()),
                 {{"invocations", threads}, {"slices", plan::word(slices)}, {"is_packed", packed}}},
      .reads = {sums, p.has_c ? slots.c : sums},
      .writes = {slots.y},
      .push = SlicesBlock{whole.m * whole.n, whole.n, p.has_c ? 1u : 0u, static_cast<float>(p.alpha),
                          static_cast<float>(p.beta), whole.c_strides},
      .groups = plan::groups_for(p.m * p.n / (packed ? pack : 1), threads),
  });
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
