#include "gpu_vulkan/kernels/attention/attention_slices.hpp"

#include <algorithm>
#include <bit>

#include "gpu_vulkan/kernels/attention/attention_sums.hpp"
#include "gpu_vulkan/kernels/common/full_subgroups.hpp"
#include "gpu_vulkan/kernels/rows/rows.hpp"

namespace plumb::gpu_vulkan::kernels::attention {
namespace {

using Extents = ir::ops::Attention::Extents;

std::uint32_t power(std::int64_t n) { return std::bit_ceil(static_cast<std::uint32_t>(std::max<std::int64_t>(1, n))); }

/// A workgroup of attention_slices.comp: its constants 0, 1 and 5 to 8, 11 and 12, and how many slices there are.
struct SliceTile {
  std::uint32_t threads, subgroup_size, rows, keys, at_once, across, v_across;
  std::int64_t q_pitch;
  std::int64_t tasks, slices;

  std::int64_t bytes(const Extents& n) const {
    const std::int64_t floats = rows * (q_pitch + keys + 1 + n.Dv) + 2 * threads / subgroup_size;
    return floats * static_cast<std::int64_t>(sizeof(float));
  }
};

std::int64_t elements_of_piece(ir::DType dtype) { return 16 / static_cast<std::int64_t>(ir::info(dtype).bytes); }

SliceTile tile_of(const Extents& n, const plan::Lowering& node) {
  constexpr std::uint32_t most_across = 16, most_rows = 4, most_at_once = 4;
  constexpr std::uint32_t most_results = 64, most_terms = 32;  // that a lane holds in registers
  constexpr std::int64_t enough_groups = 512, most_slices = 128, least_slice = 128;
  const device::DeviceFacts& facts = node.facts();
  const std::int64_t piece = elements_of_piece(node.in_type(0).dtype);
  SliceTile t{};
  t.subgroup_size = facts.subgroup_size;
  t.threads = std::max(std::min(128u, common::most_invocations(facts)), t.subgroup_size);
  t.keys = 256;
  const auto across = [&](std::int64_t pieces) { return std::min({power(pieces), most_across, t.subgroup_size}); };
  const auto each = [&](std::int64_t width, std::uint32_t lanes) {  // elements of a line to a lane
    return static_cast<std::uint32_t>((width / piece + lanes - 1) / lanes * piece);
  };
  t.across = across(n.D / piece);
  t.v_across = across(n.Dv / piece);
  const std::uint32_t of_k = each(n.D, t.across), of_v = each(n.Dv, t.v_across);
  t.at_once = std::clamp(std::bit_floor(most_terms / std::max(of_k, of_v)), 1u, most_at_once);
  const std::int64_t queries = n.Hq / n.Hk * n.Sq;
  t.rows = std::min({power(queries), std::clamp(std::bit_floor(most_results / of_v), 1u, most_rows), t.threads});
  t.q_pitch = std::int64_t{of_k} * t.across;
  const std::int64_t blocks = n.B * n.Hk * ((queries + t.rows - 1) / t.rows);
  t.slices = std::clamp<std::int64_t>(enough_groups / std::max<std::int64_t>(blocks, 1), 1,
                                      std::min<std::int64_t>(most_slices, (n.Sk + least_slice - 1) / least_slice));
  t.tasks = blocks * t.slices;
  return t;
}

/// How many parts of the slices attention_combine.comp adds side by side, and slices of a part.
struct SliceParts {
  std::uint32_t threads, columns;
  std::int64_t parts() const { return threads / columns; }
  std::int64_t each(std::int64_t slices) const { return (slices + parts() - 1) / parts(); }
};

SliceParts parts_of(const SliceTile& t, const Extents& n, const device::DeviceFacts& facts) {
  // Several parts of the slices side by side, each of as many invocations as there are elements.
  const std::uint32_t threads = std::max(std::min(512u, common::most_invocations(facts)), t.subgroup_size);
  return {threads, std::min(power(n.Dv), threads)};
}

/// Scores by lanes that share a key; weights by lanes that share a row, block after block; values by lanes that take
/// every so-manyth key, of which those of a subgroup meet first. Then come the slices.
AttentionSums sums_of(const SliceTile& t, const SliceParts& combined) {
  using common::chain, common::lanes, common::without_single;
  const std::int64_t of_row = t.threads / t.rows, per_key = t.subgroup_size / t.v_across;
  const auto levels = [](std::vector<ir::SumLevel> all) { return without_single(std::move(all)); };
  return {.scores = {.unit = ir::SumUnit::fma,
                     .levels = levels({chain(), lanes(t.across)}),
                     .order = common::order::pieces},
          .row_sum = {.levels = levels({chain((t.keys + of_row - 1) / of_row),
                                        lanes(of_row),
                                        chain(),
                                        {.count = t.slices, .join = ir::SumJoin::pair}}),
                      .order = common::order::shuffled},
          .values = {.unit = ir::SumUnit::fma,
                     .levels = levels({chain(), lanes(per_key), common::lane_chain(t.threads / t.subgroup_size),
                                       chain(combined.each(t.slices)), chain(combined.parts())}),
                     .order = common::order::shuffled},
          .block = t.keys};
}

}  // namespace

std::optional<std::string> refuse_slices(const SlicedAttention& attention, const plan::Lowering& node) {
  constexpr std::int64_t most_queries = 8, least_keys = 256;
  const device::DeviceFacts& facts = node.facts();
  const Extents& n = attention.n;
  if (n.Sq > most_queries) return ir::cat("more than ", most_queries, " queries");
  if (n.Sk < least_keys) return ir::cat("fewer than ", least_keys, " keys");
  const std::int64_t piece = elements_of_piece(node.in_type(0).dtype);
  if (n.D % piece != 0 || n.Dv % piece != 0) return ir::cat("heads are no multiples of ", piece, " wide");
  if (n.Dv == 0) return "values have no elements";
  if (!facts.subgroup_shuffle || !facts.subgroup_size_control) return facts.name + " has no shuffles in subgroups";
  if (tile_of(n, node).bytes(n) > facts.shared_memory) return facts.name + " has too little shared memory";
  return std::nullopt;
}

void emit_slices(const SlicedAttention& attention, plan::Lowering& node) {
  const auto& [op, n, given, operands, hides] = attention;
  const SliceTile t = tile_of(n, node);
  const ir::DType dtype = node.in_type(0).dtype;
  const auto word = [](std::int64_t x) { return static_cast<std::uint32_t>(x); };
  AttentionBlock block = given;
  block.tasks = word(t.tasks);
  block.slices = word(t.slices);
  const std::int64_t queries = n.B * n.Hq * n.Sq;
  const auto floats = [&](std::int64_t each) {
    return node.scratch(static_cast<std::size_t>(queries * t.slices * each) * sizeof(float));
  };
  const plan::Slot products = floats(n.Dv), statistics = floats(2);
  const bool kept = dtype == ir::DType::f16 && node.facts().denormals_kept_f16;
  const rows::HeldRows lanes_of_rows{
      .threads = t.threads, .lanes = t.threads / t.rows, .subgroup_size = t.subgroup_size};
  node.dispatch({.shader = lanes_of_rows.shader(ir::cat("attention_slices.", dtype, kept ? "_kept" : ""),
                                                {{"rows", t.rows},
                                                 {"keys", t.keys},
                                                 {"at_once", t.at_once},
                                                 {"D", word(n.D)},
                                                 {"Dv", word(n.Dv)},
                                                 {"across", t.across},
                                                 {"v_across", t.v_across},
                                                 {"hides", hides},
                                                 {"has_mask", op.has_mask},
                                                 {"has_bias", op.has_bias},
                                                 {"capped", op.softcap > 0},
                                                 {"length_words", operands.length_words}}),
                 .reads = operands.reads,
                 .writes = {products, statistics},
                 .push = block,
                 .groups = plan::groups_for(t.tasks)});
  struct Block {
    std::uint32_t queries, Hq, Sq, Dv;
    HeadStrides y;
    std::uint32_t slices;
  };
  const SliceParts combined = parts_of(t, n, node.facts());
  const auto [threads, columns] = combined;
  node.uses_tile(ir::cat(t.rows, 'x', t.keys));
  publish_sums(sums_of(t, combined), op, node);
  const rows::HeldRows one_row{.threads = threads, .lanes = threads, .subgroup_size = t.subgroup_size};
  node.dispatch({.shader = one_row.shader(ir::cat("attention_combine.", dtype),
                                          {{"most_slices", word(t.slices)}, {"columns", columns}}),
                 .reads = {products, statistics},
                 .writes = {node.out(0)},
                 .push = Block{word(queries), word(n.Hq), word(n.Sq), word(n.Dv), given.y, word(t.slices)},
                 .groups = plan::groups_for(queries)});
}

}  // namespace plumb::gpu_vulkan::kernels::attention
