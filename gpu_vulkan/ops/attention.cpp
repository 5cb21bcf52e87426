#include "ir/ops/attention.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gpu_vulkan/lower.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::ops::Attention;
using Extents = Attention::Extents;

constexpr std::int64_t widest_head = 256;

/// How a workgroup is laid out over queries and keys: constants 1 to 4 of the shader.
struct Tile {
  std::uint32_t row_threads, key_threads, rows_each, keys_each;
  std::uint32_t rows() const { return row_threads * rows_each; }
  std::uint32_t keys() const { return key_threads * keys_each; }
  std::uint32_t threads() const { return row_threads * key_threads; }

  /// Of shared memory: tiles of q, of k or v, and of the weights; two numbers per thread and row.
  std::int64_t bytes(const Extents& n) const {
    const std::int64_t floats =
        rows() * (n.D + 1) + keys() * (std::max(n.D, n.Dv) + 1) + rows() * (keys() + 1) + 2 * rows() * key_threads;
    return floats * static_cast<std::int64_t>(sizeof(float));
  }
};

/// The best first.
constexpr Tile tiles[] = {{16, 16, 2, 2}, {16, 16, 1, 2}, {16, 16, 1, 1}, {8, 16, 1, 2}, {8, 16, 1, 1},
                          {8, 8, 1, 1},   {4, 32, 1, 1},  {4, 16, 1, 1},  {2, 32, 1, 1}, {2, 16, 1, 1},
                          {1, 64, 1, 1},  {1, 32, 1, 1},  {1, 16, 1, 1},  {1, 8, 1, 1}};

const Tile* find_tile(const DeviceFacts& facts, const Extents& n) {
  const auto most_rows = std::bit_ceil(static_cast<std::uint64_t>(n.Sq));
  for (const Tile& tile : tiles)
    if (tile.rows() <= most_rows && tile.threads() <= facts.max_invocations && tile.bytes(n) <= facts.shared_memory)
      return &tile;
  return nullptr;
}

/// Which keys the position of a query lets it see: those with lowest <= j - i <= highest,
/// after the query's own shift where there is no query_offset.
struct Sight {
  std::int32_t lowest, highest;
};

constexpr std::int64_t longest = std::int64_t{1} << 28;  // of Sq and Sk: positions and their sums are 32-bit
constexpr std::int64_t all_keys = 4 * longest;           // reaches every key from every query
constexpr std::int64_t far = std::int64_t{1} << 60;      // of offsets and windows, whose sums still fit

Sight sight(const Attention& op) {
  const auto clamped = [](std::int64_t x) { return static_cast<std::int32_t>(std::clamp(x, -all_keys, all_keys)); };
  const auto window = [](std::int64_t size) { return std::min(size, far); };
  const std::int64_t offset = std::clamp(op.query_offset.value_or(0), -far, far);
  Sight seen{clamped(-all_keys), clamped(all_keys)};
  if (op.left_window_size >= 0) seen.lowest = clamped(offset - window(op.left_window_size));
  if (op.right_window_size >= 0) seen.highest = clamped(offset + window(op.right_window_size));
  if (op.causal) seen.highest = std::min(seen.highest, clamped(offset));
  return seen;
}

/// Strides between the heads and between the rows of q, k, v or y.
struct HeadStrides {
  std::uint32_t head, row;
};

HeadStrides strides(const Attention& op, std::int64_t heads, std::int64_t length, std::int64_t width) {
  const bool heads_first = op.layout == ir::ops::AttentionLayout::bhsd;
  return {static_cast<std::uint32_t>(heads_first ? length * width : width),
          static_cast<std::uint32_t>(heads_first ? width : heads * width)};
}

struct Block {
  std::uint32_t tasks, Hq, share, Sq, Sk;
  HeadStrides q, k, v, y;
  std::array<std::uint32_t, 4> mask_strides, bias_strides;
  float scale, softcap;
  Sight sight;
  std::uint32_t bottom_right;
};

std::array<std::uint32_t, 4> score_strides(const ir::Shape& operand, const Extents& n) {
  const auto strides = ir::broadcast_strides(operand, {n.B, n.Hq, n.Sq, n.Sk});
  std::array<std::uint32_t, 4> narrow{};
  std::ranges::transform(strides, narrow.begin(), [](std::int64_t x) { return static_cast<std::uint32_t>(x); });
  return narrow;
}

void check_served(const Lowering& node, const Extents& n) {
  node.needs_its_types();
  node.needs(node.in_type(0).dtype != ir::DType::f64, "shaders have no f64 exponential");
  node.needs(n.D <= widest_head && n.Dv <= widest_head, "heads are at most ", widest_head, " wide here, D is ", n.D,
             ", Dv is ", n.Dv);
  node.needs(n.Sq < longest && n.Sk < longest, "sequences are shorter than 2^28 here, Sq is ", n.Sq, ", Sk is ", n.Sk);
  node.needs(node.facts().storage8, node.facts().name, " has no 8-bit elements in shaders, which read masks");
}

struct Operands {
  std::vector<Slot> reads;
  std::uint32_t length_words = 0;  ///< of each of kv_lengths
};

/// Every operand of the shader: q stands for those that are absent. Sets the strides
/// of mask and bias.
Operands optional_operands(const Attention& op, const Extents& n, const Lowering& node, Block& block) {
  Operands operands{{node.in(0), node.in(1), node.in(2), node.in(0), node.in(0), node.in(0)}, 0};
  std::size_t next = 3;
  if (op.has_mask) {
    block.mask_strides = score_strides(node.in_type(next).shape, n);
    operands.reads[3] = node.in(next++);
  }
  if (op.has_bias) {
    block.bias_strides = score_strides(node.in_type(next).shape, n);
    operands.reads[4] = node.in(next++);
  }
  if (op.has_kv_lengths) {
    operands.length_words = node.in_type(next).dtype == ir::DType::i64 ? 2 : 1;
    operands.reads[5] = node.in(next);
  }
  return operands;
}

}  // namespace

void lower(const Attention& op, Lowering& node) {
  const Extents n = op.extents(node.in_type(0).shape, node.in_type(1).shape, node.in_type(2).shape);
  check_served(node, n);
  const Tile* const tile = find_tile(node.facts(), n);
  node.needs(tile != nullptr, node.facts().name, " has ", node.facts().shared_memory,
             " bytes of shared memory, too few for heads of ", std::max(n.D, n.Dv));
  const auto tasks = n.B * n.Hq * ((n.Sq + tile->rows() - 1) / tile->rows());
  Block block{.tasks = static_cast<std::uint32_t>(tasks),
              .Hq = static_cast<std::uint32_t>(n.Hq),
              .share = static_cast<std::uint32_t>(n.Hq / n.Hk),
              .Sq = static_cast<std::uint32_t>(n.Sq),
              .Sk = static_cast<std::uint32_t>(n.Sk),
              .q = strides(op, n.Hq, n.Sq, n.D),
              .k = strides(op, n.Hk, n.Sk, n.D),
              .v = strides(op, n.Hk, n.Sk, n.Dv),
              .y = strides(op, n.Hq, n.Sq, n.Dv),
              .mask_strides = {},
              .bias_strides = {},
              .scale = static_cast<float>(op.scale.value_or(1 / std::sqrt(static_cast<double>(n.D)))),
              .softcap = static_cast<float>(op.softcap),
              .sight = sight(op),
              .bottom_right = op.query_offset ? 0u : 1u};
  const Operands operands = optional_operands(op, n, node, block);
  const bool hides = op.causal || op.left_window_size >= 0 || op.right_window_size >= 0 || op.has_mask || op.has_bias;
  const std::uint32_t columns = (static_cast<std::uint32_t>(n.Dv) + tile->key_threads - 1) / tile->key_threads;
  node.dispatch({
      .shader = {ir::cat("attention.", node.in_type(0).dtype),
                 {tile->threads(), tile->row_threads, tile->key_threads, tile->rows_each, tile->keys_each,
                  static_cast<std::uint32_t>(n.D), static_cast<std::uint32_t>(n.Dv), columns, hides, op.has_mask,
                  op.has_bias, op.softcap > 0, operands.length_words}},
      .reads = operands.reads,
      .writes = {node.out(0)},
      .push = block,
      .groups = groups_for(tasks),
  });
}

}  // namespace plumb::gpu_vulkan
