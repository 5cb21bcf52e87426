// Loops of products and convolutions of codes.
#pragma once

#include "ir/kernels/codes.hpp"
#include "ir/kernels/op_loops.hpp"

namespace plumb::ir::kernels {

/// A scale, zero point or bias of the rows or columns of a product, by its number among the operands.
struct LineOperand {
  std::size_t operand;
  MatrixLines lines;
};

/// The reduction of a sum whose terms are (x − x_zero)·(w − w_zero): of two zeros it has a term that is none, unless
/// one of the zero points is missing.
inline Reduction sum_of_codes(bool has_both_zeros) { return has_both_zeros ? Reduction::other : Reduction::sum; }

/// Why results that are codes are rounded.
inline constexpr std::string_view rounded_to_codes = "a sum is scaled and rounded to a code";

/// The loops of a product of operand 0 by operand `b` that gives [batch.., M, N].
inline Loops product_of_codes(Types in, const Shape& y, std::size_t b, std::span<const LineOperand> parameters,
                              bool has_both_zeros) {
  Loops made;
  made.operands.assign(in.size(), {Role::parameter});
  made.operands[0] = {Role::data};
  made.operands[b] = {Role::factor};
  const std::size_t rank = y.size(), rank_a = in[0].shape.size(), rank_b = in[b].shape.size();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    Loop loop{.out = axis, .in = std::vector<Axis>(in.size())};
    if (axis + 2 < rank) {
      loop.in[0] = broadcast_axis(in[0].shape, axis, rank);
      loop.in[b] = broadcast_axis(in[b].shape, axis, rank);
    }
    if (axis + 2 == rank) loop.in[0] = rank_a - 2;
    if (axis + 1 == rank) loop.in[b] = rank_b - 1;
    for (const auto& [operand, lines] : parameters) {
      const Shape& matrices = in[lines == MatrixLines::rows ? 0 : b].shape;
      const auto read = shape_over_lines(in[operand].shape, matrices, lines);
      if (read) loop.in[operand] = broadcast_axis(*read, axis, rank);
    }
    made.loops.push_back(std::move(loop));
  }
  Loop terms = summed(std::vector<Axis>(in.size()));
  terms.in[0] = rank_a - 1;
  terms.in[b] = rank_b - 2;
  terms.reduction = sum_of_codes(has_both_zeros);
  made.loops.push_back(std::move(terms));
  return made;
}

/// The loops of a convolution of operand 0 by operand `w`; `of_filters` are operands with one element for all filters
/// or one for each.
inline Loops convolution_of_codes(Types in, std::size_t w, std::int64_t group, std::span<const std::size_t> of_filters,
                                  bool has_both_zeros) {
  const std::array<TensorType, 2> both = {in[0], in[w]};
  Loops made = convolution(both, group, 0, 1);
  made.operands.assign(in.size(), {Role::parameter});
  made.operands[0] = {Role::data};
  made.operands[w] = {Role::factor};
  for (Loop& loop : made.loops) {
    std::vector<Axis> axes(in.size());
    if (!loop.in.empty()) axes[0] = loop.in[0];
    if (loop.in.size() > 1) axes[w] = loop.in[1];
    const bool is_of_filters = loop.in.size() > 1 && loop.in[1] == Axis(0) && loop.out == Axis(1);
    for (const std::size_t operand : of_filters)
      if (is_of_filters && in[operand].shape.elements() > 1) axes[operand] = 0;
    loop.in = std::move(axes);
    if (loop.reduction == Reduction::sum) loop.reduction = sum_of_codes(has_both_zeros);
  }
  return made;
}

}  // namespace plumb::ir::kernels
