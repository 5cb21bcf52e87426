// Lowers products of codes tile by tile; the rows of a batch by one matrix are those of one product.
#include "gpu_vulkan/kernels/gemm/integer_product.hpp"

#include <algorithm>

#include "ir/kernels/codes.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {
namespace {

using ir::kernels::MatrixLines;
using Strides = std::vector<std::int64_t>;

/// The strides of zero points by the axes of [batch.., rows, columns]; all 0 where there are none.
Strides strides_of_zero(std::optional<std::size_t> zero, std::size_t matrices, MatrixLines lines,
                        const ir::Shape& batch, const plan::Lowering& node) {
  const ir::Shape& shape = node.in_type(matrices).shape;
  ir::Shape stretched = batch;
  stretched.insert(stretched.end(), shape.end() - 2, shape.end());
  if (!zero) return Strides(stretched.size(), 0);
  const auto read = ir::kernels::shape_over_lines(node.in_type(*zero).shape, shape, lines);
  return ir::broadcast_strides(read.value(), stretched);
}

/// The strides of matrices by the axes of a batch.
Strides strides_of_matrices(const ir::Shape& x, const ir::Shape& batch) {
  Strides strides = ir::broadcast_strides(x.leading(x.size() - 2), batch);
  for (auto& stride : strides) stride *= x[x.size() - 2] * x.back();
  return strides;
}

bool is_zero(std::int64_t stride) { return stride == 0; }

struct Block {
  std::uint32_t m, n, k, batches, axes, flags, row_step, column_step;
};

/// As BatchAxis of code_matrices.glsl.
struct BatchAxis {
  std::uint32_t extent, a, b, a_zero, b_zero;
};

}  // namespace

void integer_product(const common::CodeOperands& of, const common::CodeEpilogue& then, plan::Lowering& node) {
  node.needs_its_sizes();
  const ir::Shape &a = node.in_type(of.left).shape, &b = node.in_type(of.right).shape, &y = node.out_type(0).shape;
  ir::Shape batch = y.leading(y.size() - 2);
  const Strides a_zero = strides_of_zero(of.left_zero, of.left, MatrixLines::rows, batch, node);
  const Strides b_zero = strides_of_zero(of.right_zero, of.right, MatrixLines::columns, batch, node);
  const Strides of_a = strides_of_matrices(a, batch), of_b = strides_of_matrices(b, batch);
  std::int64_t m = y[y.size() - 2];
  // One right matrix has one zero point for each column, whose shape is the matrix's.
  if (std::ranges::all_of(of_b, is_zero) && std::ranges::all_of(a_zero, is_zero) && a.leading(a.size() - 2) == batch) {
    m *= batch.elements();
    batch.clear();
  }
  std::vector<BatchAxis> axes;
  for (std::size_t i = 0; i < batch.size(); ++i)
    axes.push_back(
        {plan::word(batch[i]), plan::word(of_a[i]), plan::word(of_b[i]), plan::word(a_zero[i]), plan::word(b_zero[i])});
  if (axes.empty()) axes.push_back({1, 0, 0, 0, 0});
  const std::int64_t n = y.back(), batches = batch.elements();
  const common::ElementTile& tile = common::tile_of_codes(batches, m, n);
  node.uses_tile(common::tile_name(tile.rows, tile.columns, tile.depth));
  std::vector<plan::Slot> reads = {node.in(of.left), node.in(of.right), node.in(of.left_zero.value_or(of.left)),
                                   node.in(of.right_zero.value_or(of.right)),
                                   node.table(std::as_bytes(std::span(axes)))};
  reads.insert(reads.end(), then.reads.begin(), then.reads.end());
  node.dispatch({
      .shader = {then.module, tile.constants()},
      .reads = std::move(reads),
      .writes = {node.out(0)},
      .push =
          Block{plan::word(m), plan::word(n), plan::word(a.back()), plan::word(batches), plan::word(std::ssize(axes)),
                of.flags(node) | then.flags, plan::word(a_zero[a_zero.size() - 2]), plan::word(b_zero.back())},
      .groups = plan::groups_for(batches * common::pieces(m, tile.rows) * common::pieces(n, tile.columns)),
  });
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
