// Code of all attention kernels: extents and operands as push constants, the window of keys, the order of candidates.
#include "gpu_vulkan/kernels/attention/attention.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gpu_vulkan/kernels/attention/attention_kernels.hpp"
#include "gpu_vulkan/kernels/gemm/gemm_kernels.hpp"

namespace plumb::gpu_vulkan::kernels::attention {

using ir::ops::Attention;

namespace {

constexpr std::int64_t widest_head = 576, widest_value = 512;
constexpr std::int64_t longest = std::int64_t{1} << 28;  // Sq and Sk: positions and their sums are 32-bit
constexpr std::int64_t all_keys = 4 * longest;           // reaches every key from every query
constexpr std::int64_t far = std::int64_t{1} << 60;      // offsets and windows up to here have sums that still fit

KeyWindow window_of(const Attention& op) {
  const auto clamped = [](std::int64_t x) { return static_cast<std::int32_t>(std::clamp(x, -all_keys, all_keys)); };
  const auto reach = [](std::int64_t size) { return std::min(size, far); };
  const std::int64_t offset = std::clamp(op.query_offset.value_or(0), -far, far);
  KeyWindow window{clamped(-all_keys), clamped(all_keys)};
  if (op.left_window_size >= 0) window.lowest = clamped(offset - reach(op.left_window_size));
  if (op.right_window_size >= 0) window.highest = clamped(offset + reach(op.right_window_size));
  if (op.causal) window.highest = std::min(window.highest, clamped(offset));
  return window;
}

std::array<std::uint32_t, 4> score_strides(const ir::Shape& operand, const Extents& n) {
  const auto strides = ir::broadcast_strides(operand, {n.B, n.Hq, n.Sq, n.Sk});
  std::array<std::uint32_t, 4> words{};
  std::ranges::transform(strides, words.begin(), plan::word);
  return words;
}

void check_served(const plan::Lowering& node, const Extents& n) {
  node.needs_its_types();
  node.needs(n.D <= widest_head && n.Dv <= widest_value, "heads are at most ", widest_head, " wide here and values ",
             widest_value, ", D is ", n.D, ", Dv is ", n.Dv);
  node.needs(n.Sq < longest && n.Sk < longest, "sequences are shorter than 2^28 here, Sq is ", n.Sq, ", Sk is ", n.Sk);
  node.needs(node.facts().storage8, node.facts().name, " has no 8-bit elements in shaders, which read masks");
}

/// The words of a real attribute as shaders compute in: a float, or a double, the high word first.
std::array<std::uint32_t, 2> words_of(double x, ir::DType computed) {
  if (computed != ir::DType::f64) return {std::bit_cast<std::uint32_t>(static_cast<float>(x)), 0};
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return {static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits)};
}

AttentionBlock block_of(const Attention& op, const Extents& n, const OperandPlaces& places, ir::DType dtype) {
  const auto scale = words_of(op.scale.value_or(1 / std::sqrt(static_cast<double>(n.D))), dtype);
  const auto softcap = words_of(op.softcap, dtype);
  return {.tasks = 0,
          .Hq = plan::word(n.Hq),
          .gqa_group = plan::word(n.Hq / n.Hk),
          .Sq = plan::word(n.Sq),
          .Sk = plan::word(n.Sk),
          .q = places.strides[0],
          .k = places.strides[1],
          .v = places.strides[2],
          .y = dense_strides(op.layout, n.Hq, n.Sq, n.Dv),
          .mask_strides = {},
          .bias_strides = {},
          .scale = scale[0],
          .softcap = softcap[0],
          .window = window_of(op),
          .bottom_right = op.query_offset ? 0u : 1u,
          .splits = 1,
          .begins = places.begins,
          .low = {scale[1], softcap[1]}};
}

/// Binds mask, bias, lengths and sinks where the node has them.
void bind_optional_operands(const plan::Lowering& node, AttentionProblem& problem) {
  const Attention& op = problem.op;
  problem.reads = {node.in(0), node.in(1), node.in(2), node.in(0), node.in(0), node.in(0)};
  if (op.has_mask) {
    problem.block.mask_strides = score_strides(node.in_type(3).shape, problem.n);
    problem.reads[3] = node.in(3);
  }
  if (op.has_bias) {
    problem.block.bias_strides = score_strides(node.in_type(op.bias_at()).shape, problem.n);
    problem.reads[4] = node.in(op.bias_at());
  }
  if (op.has_kv_lengths) {
    problem.length_words = node.in_type(op.lengths_at()).dtype == ir::DType::i64 ? 2 : 1;
    problem.reads[5] = node.in(op.lengths_at());
  }
  problem.sinks = node.in(op.has_sinks ? op.sinks_at() : 0);
}

}  // namespace

HeadStrides dense_strides(ir::ops::AttentionLayout layout, std::int64_t heads, std::int64_t rows, std::int64_t width) {
  if (layout == ir::ops::AttentionLayout::bhsd) return {plan::word(rows * width), plan::word(width)};
  return {plan::word(width), plan::word(heads * width)};
}

plan::Constants AttentionProblem::score_constants() const {
  return {{"has_mask", op.has_mask},
          {"has_bias", op.has_bias},
          {"capped", op.softcap > 0},
          {"length_words", length_words},
          {"bias_masks", bias_masks}};
}

plan::Constants AttentionProblem::key_constants() const {
  if (keys_dtype == dtype) return {};
  return {{"keys_are_bf16", keys_dtype == ir::DType::bf16}};
}

std::string AttentionProblem::variant() const {
  return keys_dtype == dtype ? ir::cat(dtype) : ir::cat(dtype, "_narrow");
}

void dispatch(const AttentionProblem& problem, std::uint32_t rows, plan::Shader shader, plan::Lowering& node) {
  const Extents& n = problem.n;
  AttentionBlock block = problem.block;
  std::vector<plan::Slot> reads = problem.reads;
  reads.push_back(problem.sinks);
  block.tasks = plan::word(n.B * n.Hq * ((n.Sq + rows - 1) / rows));
  node.dispatch({.shader = std::move(shader),
                 .reads = std::move(reads),
                 .writes = {node.out(0)},
                 .push = block,
                 .groups = plan::groups_for(block.tasks)});
}

void lower_attention(const Attention& op, const Extents& n, const OperandPlaces& places, bool bias_masks,
                     plan::Lowering& node) {
  check_served(node, n);
  AttentionProblem problem{.op = op,
                           .n = n,
                           .dtype = node.in_type(0).dtype,
                           .keys_dtype = node.in_type(1).dtype,
                           .block = block_of(op, n, places, node.in_type(0).dtype),
                           .reads = {},
                           .bias_masks = bias_masks,
                           .may_mask = op.causal || op.left_window_size >= 0 || op.right_window_size >= 0 ||
                                       op.has_mask || (op.has_bias && bias_masks)};
  bind_optional_operands(node, problem);
  using device::KernelFamily;
  const auto candidate = [&](std::string name, KernelFamily family, auto attempt) {
    return plan::Candidate{std::move(name), family, [&, attempt] { return attempt(problem, node); }};
  };
  node.choose({
      candidate("sliced", KernelFamily::split_kv, attempt_split_kv),
      candidate(ir::cat(gemm::cooperative_name(problem.dtype), "_converted"), KernelFamily::coopmat_converted,
                attempt_coopmat2),
      candidate("coopmat_f16", KernelFamily::coopmat, attempt_coopmat),
      candidate("tiled_wide", KernelFamily::tiled_wide, attempt_wide),
      candidate("tiled", KernelFamily::tiled, attempt_tiled),
  });
}

}  // namespace plumb::gpu_vulkan::kernels::attention
