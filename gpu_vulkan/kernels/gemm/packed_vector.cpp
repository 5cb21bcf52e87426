// Lowers products of few rows with packed weights to the kernel that streams weights and decodes them in registers.
#include "gpu_vulkan/kernels/gemm/packed_vector.hpp"

#include <algorithm>
#include <bit>

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/common/full_subgroups.hpp"
#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/gemm/grouped_rows.hpp"
#include "ir/kernels/sum_orders.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {
namespace {

namespace packed = ir::kernels::packed;
using packed::Format;

/// Rows of x that share each weight that is decoded.
constexpr std::int64_t most_rows = 8;

/// The weights that a lane takes at once: runs of neighbours, 32 apart where there are several.
struct Share {
  std::int64_t runs, neighbours;
  std::int64_t weights() const { return runs * neighbours; }
};

/// As glsl/packed/runs.glsl has them; nothing of a format that it has no decoder of.
std::optional<Share> share_of(Format format) {
  switch (format) {
    case Format::q4_k:
    case Format::q5_k:
      return Share{1, 64};
    case Format::q2_k:
    case Format::q3_k:
    case Format::q6_k:
      return Share{4, 16};
    default:
      if (format > Format::uint4) return std::nullopt;
      return Share{1, 32};
  }
}

/// A workgroup: lanes of a subgroup for a row of W, subgroups that share rows, and rows of each lane.
struct Streams {
  std::uint32_t lanes, parts, lines_each;
  bool is_ahead;  ///< lanes fetch their next share before they add one
  std::uint32_t lines(std::uint32_t subgroup) const { return subgroup / lanes * lines_each; }
};

/// As many subgroups for a row as leave the fewest without a share in the last step.
std::uint32_t parts_for(std::int64_t steps, std::uint32_t most) {
  const auto idle = [&](std::int64_t parts) { return common::pieces(steps, parts) * parts - steps; };
  std::uint32_t best = most;
  for (std::uint32_t parts = most; parts > most / 2; --parts)
    if (idle(parts) < idle(best)) best = parts;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(steps, 1, best));
}

/// As measured on an H200. A software device has no use of rows that share x, and compiles them one by one.
Streams streams_of(const PackedExtents& p, const Share& share, std::int64_t tiles, std::int64_t vectors,
                   const device::DeviceFacts& facts) {
  const std::uint32_t subgroup = facts.subgroup_size;
  const bool is_short = share.weights() == 32;
  Streams s{.lanes = vectors == 1 || is_short ? 8u : 4u,
            .parts = 1,
            .lines_each = is_short ? (vectors == 1 ? 2u : 4u) : (vectors == 4 ? 4u : 2u),
            .is_ahead = !is_short && (vectors == 2 || vectors == 8)};
  s.lanes = std::min(s.lanes, subgroup);
  if (facts.kind == device::DeviceKind::software) s.lines_each = 1;
  while (s.lines_each > 1 && tiles * common::pieces(p.n, s.lines(subgroup)) < plan::enough_tiles) s.lines_each /= 2;
  const std::int64_t fours = s.lanes * share.weights() / 4;
  const std::int64_t bytes = vectors * (16 * (fours + fours / 8 + 1) + 4 * std::int64_t{s.lines(subgroup)});
  const std::uint32_t fit = std::max(1u, plan::word(facts.shared_memory / bytes));
  const std::uint32_t most = std::min({8u, common::most_invocations(facts) / subgroup, fit});
  s.parts = parts_for(common::pieces(p.k / share.weights(), s.lanes), most);
  return s;
}

/// The most rows of x of a tile: all of few, or those that an expert may have, of which there are few.
std::int64_t rows_of_tile(const PackedProduct& product, const PackedExtents& p) {
  const std::int64_t rows =
      product.expert ? std::min(p.m, common::pieces(2 * p.m, std::max<std::int64_t>(p.experts, 1))) : p.m;
  return std::bit_ceil(static_cast<std::uint64_t>(std::min(rows, most_rows)));
}

std::optional<std::string> refuse(const PackedProduct& product, const PackedExtents& p, const plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  const Format format = product.packing.format;
  const auto share = share_of(format);
  if (!share) return ir::cat("it has no decoder of ", ir::enum_name(format));
  if (product.x_scales) return "x is codes";
  if (p.dtype == ir::DType::f64) return "sums are f64";
  if (p.m > most_rows * p.experts) return ir::cat("there are more than ", most_rows, " rows of x");
  if (common::most_invocations(facts) < facts.subgroup_size || facts.subgroup_size < 2 || !facts.subgroup_shuffle ||
      !facts.subgroup_size_control)
    return facts.name + " has no shuffles in subgroups of a size that is asked for";
  if (p.k % share->weights() != 0) return ir::cat("rows of W are no multiples of ", share->weights(), " weights");
  const std::int64_t group = packed::scale_block(format, product.packing.block_size, p.k);
  if (packed::has_real_scales(format) && group % share->weights() != 0)
    return ir::cat("scales are for ", group, " weights, no multiple of ", share->weights());
  if (node.in_type(1).bytes() >= std::size_t{1} << 32) return "W has 2^32 bytes or more";
  return std::nullopt;
}

void publish_streams(const Streams& s, const Share& share, const PackedProduct& product, ir::DType dtype,
                     plan::Lowering& node) {
  ir::Sum sum{.of = ir::SumName::product,
              .unit = ir::SumUnit::either,
              .levels = common::without_single({common::chain(), common::lanes(s.lanes), common::lane_chain(s.parts)}),
              .order = ir::kernels::runs_of(share.neighbours, share.runs)};
  if (product.has_bias) sum.epilogue.push_back(ir::SumStep::bias);
  common::publish(std::move(sum), dtype, node);
}

void emit(const PackedProduct& product, const PackedExtents& p, plan::Lowering& node) {
  const auto& [format, block_size, has_scales, has_zero_points] = product.packing;
  const device::DeviceFacts& facts = node.facts();
  const std::int64_t vectors = rows_of_tile(product, p);
  const GroupedRows rows = tiled_rows(product, p, vectors, node);
  const Share share = *share_of(format);
  const Streams s = streams_of(p, share, rows.count, vectors, facts);
  publish_streams(s, share, product, p.dtype, node);
  struct Block {
    std::uint32_t m, n, k, row_bytes, last_word, scales_of_row;
    common::Divisor by_block;
    std::uint32_t row_tiles;
  };
  const auto bytes = static_cast<std::int64_t>(node.in_type(1).bytes());
  node.dispatch({
      .shader = {ir::cat("packed_vector.", p.dtype),
                 {{"invocations", s.parts * facts.subgroup_size},
                  {"rows", plan::word(vectors)},
                  {"lanes", s.lanes},
                  {"parts", s.parts},
                  {"lines_each", s.lines_each},
                  {"subgroup_size", facts.subgroup_size},
                  {"format", format},
                  {"scale_type", p.scales},
                  {"has_zero_points", has_zero_points},
                  {"has_bias", product.has_bias},
                  {"weight_dtype", product.weight_dtype},
                  {"is_unrounded", node.out_type(0).dtype != p.dtype},
                  {"is_grouped", product.expert.has_value()},
                  {"block_bytes", plan::word(packed::layout(format).bytes)},
                  {"is_unrolled", facts.kind != device::DeviceKind::software},
                  {"is_ahead", s.is_ahead}},
                 facts.subgroup_size},
      .reads = {node.in(0), node.in(1), node.in(has_scales ? 2 : 1), node.in(has_zero_points ? 3 : 1),
                node.in(product.has_bias ? node.inputs() - 1 : 0), rows.tiles, rows.sorted},
      .writes = {node.out(0)},
      .push = Block{plan::word(p.m), plan::word(p.n), plan::word(p.k), plan::word(node.in_type(1).shape.back()),
                    plan::word(std::max<std::int64_t>(bytes - 1, 0) / 4),
                    plan::word(packed::scales_of_row(format, block_size, p.k)), by_scale_block(product, p.k),
                    plan::word(rows.count)},
      .groups = plan::groups_for(rows.count * common::pieces(p.n, s.lines(facts.subgroup_size))),
  });
}

}  // namespace

plan::Attempt attempt_packed_vector(const PackedProduct& product, const PackedExtents& extents, plan::Lowering& node) {
  return plan::attempt_of(refuse(product, extents, node), [&] { emit(product, extents, node); });
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
