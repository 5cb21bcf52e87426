#include "gpu_vulkan/kernels/gemm/gemv.hpp"

#include <algorithm>
#include <bit>

#include "gpu_vulkan/kernels/common/full_subgroups.hpp"
#include "gpu_vulkan/kernels/gemm/gemm_kernels.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {
namespace {

using ir::DType;

/// For a y of one row or one column: whether each line of the matrix makes one sum.
bool is_by_lines(const Gemm& p) { return p.n == 1 ? !p.transpose_a : p.transpose_b; }

/// For a y of a few rows or one column: how many elements of y the matrix's lines, or its columns, make.
std::int64_t elements_of_vector(const Gemm& p) { return p.n == 1 ? p.m : p.n; }

/// One row or one column: every number of the matrix is read once, so that reading it in order is what counts.
void emit_gemv(const Gemm& p, const GemmSlots& slots, plan::Lowering& node) {
  const bool by_lines = is_by_lines(p);
  const std::uint32_t across = node.facts().max_invocations < 256 ? 8 : 16;
  const std::uint32_t elements = by_lines ? 2 : 16, lanes = by_lines ? 64 : across;
  common::publish(with_epilogue(p, {.unit = ir::SumUnit::either,
                                    .levels = {common::chain(256), common::chain(), common::lanes(lanes)}}),
                  slots.operands, node);
  dispatch(p, slots, node,
           {"matmul_vector." + variant(slots),
            {{"invocations", elements * lanes}, {"elements", elements}, {"lanes", lanes}, {"lanes_first", by_lines}}},
           p.batch.elements() * common::pieces(std::max(p.m, p.n), elements));
}

/// Rows of y that are computed together, each from one reading of the matrix.
constexpr std::int64_t most_vectors = 8;

std::optional<std::string> refuse_gemv_vec4(const Gemm& p, const GemmSlots& slots, const plan::Lowering& node) {
  const ir::DType x = slots.operands;
  const device::DeviceFacts& facts = node.facts();
  if (x != DType::f32 && x != DType::f16 && x != DType::bf16)
    return ir::cat("operands are ", x, ", it takes f32, f16 and bf16");
  if (common::most_invocations(facts) < 256 || facts.shared_memory < 16 << 10)
    return ir::cat(facts.name, " has too small workgroups or too little shared memory");
  if (!facts.subgroup_shuffle || !facts.subgroup_size_control || facts.subgroup_size > 64)
    return facts.name + " has no shuffles in subgroups of at most 64";
  const std::int64_t elements = 16 / static_cast<std::int64_t>(ir::info(x).bytes);
  const auto even = [=](std::int64_t n) { return n % elements == 0; };
  const GemmBlock block = block_of(p, x);
  const bool vector_is_dense = p.n == 1 ? p.transpose_b || block.ldb == 1 : !p.transpose_a || block.lda == 1;
  if (!vector_is_dense) return "the vector's elements are apart";
  const auto& strides = p.n == 1 ? p.a_strides : p.b_strides;
  const auto& vector_strides = p.n == 1 ? p.b_strides : p.a_strides;
  if (!even(p.n == 1 ? block.lda : block.ldb) || !even(is_by_lines(p) ? p.k : elements_of_vector(p)) ||
      !std::ranges::all_of(strides, even) || (is_by_lines(p) && !std::ranges::all_of(vector_strides, even)))
    return ir::cat("lines of its operands are no multiples of ", elements, " elements");
  return std::nullopt;
}

/// A few rows of a large matrix: reading it takes longer than anything else.
bool is_few_rows(const Gemm& p) {
  constexpr std::int64_t large = std::int64_t{1} << 18;
  return p.m <= most_vectors && p.k * p.n >= large;
}

std::optional<std::string> refuse_few_rows(const Gemm& p, const GemmSlots& slots, const plan::Lowering& node) {
  if (p.k % 8 != 0 || block_of(p, slots.operands).lda % 8 != 0) return "the rows are no multiples of 8 elements";
  return refuse_gemv_vec4(p, slots, node);
}

/// A workgroup of matmul_vector_wide: pieces or lines of the matrix, and the invocations that share each.
struct GemvTile {
  std::uint32_t across, lanes;
};

GemvTile gemv_tile(const Gemm& p, std::uint32_t width, std::uint32_t vectors, const device::DeviceFacts& facts) {
  if (is_by_lines(p)) return {4, 64};
  // The fewer columns a workgroup has the more of them there are; 64 bytes of a line are the least.
  const std::int64_t columns = elements_of_vector(p);
  std::uint32_t across = 16;
  while (across > 4 && p.batch.elements() * common::pieces(columns, across * width) < plan::enough_tiles) across /= 2;
  const std::uint32_t most = std::min(common::most_invocations(facts), p.n != 1 && p.m > 1 ? 512u : 1024u);
  const auto useful = static_cast<std::uint32_t>(std::bit_ceil(static_cast<std::uint64_t>(common::pieces(p.k, 8))));
  GemvTile t{across, std::max(std::min(most / across, useful), 256 / across)};
  // A subgroup's sums, or a lane's, meet those of the others in shared memory.
  const auto bytes = [&] {
    return std::size_t{4} * t.lanes / std::max(1u, facts.subgroup_size / t.across) * vectors * t.across * width;
  };
  while (bytes() > facts.shared_memory && t.across * t.lanes > facts.subgroup_size) t.lanes /= 2;
  return t;
}

/// Lanes take pieces of a line, whose terms have a sum each by their place in the piece, or eight neighbouring lines.
/// Those of a subgroup meet by shuffles, subgroups one after the other.
ir::Sum sum_of(const Gemm& p, const GemvTile& t, std::uint32_t width, const device::DeviceFacts& facts) {
  const std::uint32_t together =
      is_by_lines(p) ? std::min(t.lanes, facts.subgroup_size) : std::max(1u, facts.subgroup_size / t.across);
  const ir::SumLevel in_piece = common::lane_chain(is_by_lines(p) ? width : 1);
  return {.unit = ir::SumUnit::either,
          .levels = common::without_single(
              {common::chain(), in_piece, common::lanes(together), common::lane_chain(t.lanes / together)}),
          .order = common::order::shuffled_pieces};
}

void emit_gemv_vec4(const Gemm& p, const GemmSlots& slots, plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  const std::uint32_t width = slots.operands == DType::f32 ? 4 : 8;
  const bool by_lines = is_by_lines(p);
  const auto even = [](std::int64_t x) { return x % 8 == 0; };
  const bool vectors_aligned = even(p.k) && std::ranges::all_of(p.n == 1 ? p.b_strides : p.a_strides, even);
  const auto vectors = static_cast<std::uint32_t>(p.n == 1 ? 1 : std::bit_ceil(static_cast<std::uint64_t>(p.m)));
  const GemvTile t = gemv_tile(p, width, vectors, facts);
  const bool kept = slots.operands == DType::f16 && facts.denormals_kept_f16;
  node.adds(with_epilogue(p, sum_of(p, t, width, facts)));
  dispatch(p, slots, node,
           {ir::cat("matmul_vector_wide.", variant(slots), kept ? "_kept" : ""),
            {{"invocations", t.across * t.lanes},
             {"across", t.across},
             {"lanes", t.lanes},
             {"by_lines", by_lines},
             {"vectors", vectors},
             {"subgroup_size", facts.subgroup_size},
             {"vectors_aligned", vectors_aligned},
             {"is_column", p.n == 1}},
            facts.subgroup_size},
           p.batch.elements() * common::pieces(elements_of_vector(p), by_lines ? t.across : t.across * width));
}

}  // namespace

std::vector<plan::Candidate> gemv_candidates(const Gemm& product, const GemmSlots& slots, plan::Lowering& node) {
  const bool is_vector = product.m == 1 || product.n == 1;
  const auto wide = [&, is_vector]() -> plan::Attempt {
    const auto why = is_vector ? refuse_gemv_vec4(product, slots, node) : refuse_few_rows(product, slots, node);
    if (why) return plan::Refusal{*why};
    return plan::Emission{[&] { emit_gemv_vec4(product, slots, node); }};
  };
  std::vector<plan::Candidate> candidates;
  if (is_vector || is_few_rows(product)) candidates.push_back({"vector_wide", device::KernelFamily::vector_wide, wide});
  if (is_vector)
    candidates.push_back({"vector", device::KernelFamily::vector,
                          [&] { return plan::Emission{[&] { emit_gemv(product, slots, node); }}; }});
  return candidates;
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
