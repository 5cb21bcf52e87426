#include "gpu_vulkan/product.hpp"

#include <algorithm>

#include "gpu_vulkan/product_kernels.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::DType;

/// Of a product that is one row or one column: whether a line of the matrix is one sum.
bool is_by_lines(const Product& p) { return p.n == 1 ? !p.transpose_a : p.transpose_b; }

/// One row or one column: every number of the matrix is read once, so that reading it in order is what counts.
void emit_vector(const Product& p, const ProductSlots& slots, Lowering& node) {
  const bool by_lines = is_by_lines(p);
  const std::uint32_t across = node.facts().max_invocations < 256 ? 8 : 16;
  const std::uint32_t elements = by_lines ? 2 : 16, lanes = by_lines ? 64 : across;
  dispatch(p, slots, node, {"matmul_vector." + variant(slots), {elements * lanes, elements, lanes, by_lines}},
           p.batch.elements() * pieces(std::max(p.m, p.n), elements));
}

std::optional<std::string> refuse_wide_vector(const Product& p, const ProductSlots& slots, const Lowering& node) {
  const ir::DType x = slots.operands;
  if (x != DType::f32 && x != DType::f16 && x != DType::bf16)
    return ir::cat("operands are ", x, ", it takes f32, f16 and bf16");
  if (node.facts().max_invocations < 256 || node.facts().shared_memory < 32 << 10)
    return ir::cat(node.facts().name, " has too small workgroups or too little shared memory");
  const std::int64_t elements = 16 / static_cast<std::int64_t>(ir::info(x).bytes);
  const auto even = [=](std::int64_t n) { return n % elements == 0; };
  const Block block = block_of(p, x);
  const bool vector_is_dense = p.n == 1 ? p.transpose_b || block.b_line == 1 : !p.transpose_a || block.a_line == 1;
  if (!vector_is_dense) return "the vector's elements are apart";
  const auto& strides = p.n == 1 ? p.a_strides : p.b_strides;
  const auto& vector_strides = p.n == 1 ? p.b_strides : p.a_strides;
  if (!even(p.n == 1 ? block.a_line : block.b_line) || !even(is_by_lines(p) ? p.k : std::max(p.m, p.n)) ||
      !std::ranges::all_of(strides, even) || (is_by_lines(p) && !std::ranges::all_of(vector_strides, even)))
    return ir::cat("lines of its operands are no multiples of ", elements, " elements");
  return std::nullopt;
}

void emit_wide_vector(const Product& p, const ProductSlots& slots, Lowering& node) {
  const bool by_lines = is_by_lines(p);
  const std::uint32_t width = slots.operands == DType::f32 ? 4 : 8;
  // Across lines, the fewer columns a workgroup has the more of them there are; 64 bytes of a line are the least.
  const std::int64_t columns = std::max(p.m, p.n);
  const std::uint32_t narrow = columns / (16 * width) < enough_tiles ? 8 : 16;
  const std::uint32_t invocations = node.facts().max_invocations < 512 || by_lines ? 256 : 512;
  const std::uint32_t across = by_lines ? 4 : narrow, lanes = invocations / across;
  dispatch(p, slots, node, {"matmul_vector_wide." + variant(slots), {across * lanes, across, lanes, by_lines}},
           p.batch.elements() * pieces(columns, by_lines ? across : across * width));
}

/// A workgroup's tile, and the part of it that each of its invocations computes.
struct Tile {
  std::uint32_t rows, columns, depth, rows_each, columns_each;

  std::uint32_t invocations() const { return rows / rows_each * (columns / columns_each); }
  std::size_t shared_bytes(std::size_t element) const { return (rows + columns + 2) * depth * element; }
};

constexpr std::array<Tile, 4> tile_sizes = {
    {{128, 128, 8, 8, 8}, {64, 64, 16, 4, 4}, {32, 32, 16, 4, 4}, {32, 32, 8, 4, 4}}};
constexpr Tile smallest_tile = {8, 8, 16, 1, 1};  ///< for many tiny products

void emit_tiled(const Product& p, const ProductSlots& slots, Lowering& node) {
  const std::size_t element = std::max<std::size_t>(4, ir::info(slots.operands).bytes);
  const auto option = [&](const Tile& t) {
    return TileOption{.name = tile_name(t.rows, t.columns, t.depth),
                      .elements = std::int64_t{t.rows} * t.columns,
                      .groups = tiles(p, t.rows, t.columns),
                      .fits = t.invocations() <= node.facts().max_invocations &&
                              t.shared_bytes(element) <= node.facts().shared_memory};
  };
  const bool tiny = p.m <= smallest_tile.rows && p.n <= smallest_tile.columns;
  const Tile& t =
      tiny ? smallest_tile : take_tile(p, node, ir::cat("matmul.", slots.operands), tile_sizes, option);
  dispatch(p, slots, node,
           {"matmul." + variant(slots), {t.invocations(), t.rows, t.columns, t.depth, t.rows_each, t.columns_each}},
           tiles(p, t.rows, t.columns));
}

}  // namespace

void lower_product(const Product& product, const ProductSlots& slots, Lowering& node) {
  if (product.m == 1 || product.n == 1)
    return node.choose({
        {"vector_wide", [&] { return refuse_wide_vector(product, slots, node); },
         [&] { emit_wide_vector(product, slots, node); }},
        {"vector", [] { return std::nullopt; }, [&] { emit_vector(product, slots, node); }},
    });
  node.choose({
      {cooperative_name(slots), [&] { return refuse_cooperative(product, slots, node); },
       [&] { emit_cooperative(product, slots, node); }},
      {split_name(product, node.facts()), [&] { return refuse_split(product, slots, node); },
       [&] { emit_split(product, slots, node); }},
      {"tiled_wide", [&] { return refuse_wide(product, slots, node); }, [&] { emit_wide(product, slots, node); }},
      {"tiled", [] { return std::nullopt; }, [&] { emit_tiled(product, slots, node); }},
  });
}

void lower_product(const Product& product, Lowering& node) {
  node.needs_its_types();
  const ProductSlots slots{node.in(0),
                           node.in(1),
                           node.in(product.has_c ? 2 : 0),
                           node.out(0),
                           node.in_type(0).dtype,
                           node.out_type(0).dtype};
  lower_product(product, slots, node);
}

}  // namespace plumb::gpu_vulkan
