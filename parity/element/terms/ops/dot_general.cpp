// The terms of a contraction. Written by hand: products are settled by the million.
#include "ir/ops/dot_general.hpp"

#include <algorithm>

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {
namespace {

/// The axes of an operand in the order of the result: of each the axis of the result it is, or -1 where it is summed.
std::vector<std::int64_t> axes_in_result(const ir::Shape& shape, const std::vector<std::int64_t>& batch,
                                         const std::vector<std::int64_t>& contract, std::int64_t first_free) {
  std::vector<std::int64_t> result(shape.size(), -2);
  for (std::size_t i = 0; i < batch.size(); ++i) result[shape.axis(batch[i])] = static_cast<std::int64_t>(i);
  for (const std::int64_t axis : contract) result[shape.axis(axis)] = -1;
  for (std::int64_t& axis : result)
    if (axis == -2) axis = first_free++;
  return result;
}

}  // namespace

std::optional<Walker> walker(const ir::ops::DotGeneral& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand a = operands[0], b = operands[1];
  const auto batch = static_cast<std::int64_t>(op.a_batch.size());
  const auto free_of_a = static_cast<std::int64_t>(a.shape.size() - op.a_batch.size() - op.a_contract.size());
  const auto axes_a = axes_in_result(a.shape, op.a_batch, op.a_contract, batch);
  const auto axes_b = axes_in_result(b.shape, op.b_batch, op.b_contract, batch + free_of_a);
  std::vector<std::int64_t> extents;
  for (const std::int64_t axis : op.a_contract) extents.push_back(a.shape[a.shape.axis(axis)]);
  return [=](std::int64_t index, ElementSum& sum) {
    if (std::ranges::count(extents, 0) > 0) return;
    const std::vector<std::int64_t> at = position_of(index, y);
    const auto place = [&](const ir::Shape& shape, const std::vector<std::int64_t>& axes) {
      std::vector<std::int64_t> position(shape.size(), 0);
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (axes[axis] >= 0) position[axis] = at[static_cast<std::size_t>(axes[axis])];
      return position;
    };
    std::vector<std::int64_t> in_a = place(a.shape, axes_a), in_b = place(b.shape, axes_b), kappa(extents.size(), 0);
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count *= extent;
    sum.terms.reserve(static_cast<std::size_t>(count));
    do {
      for (std::size_t i = 0; i < kappa.size(); ++i) {
        in_a[a.shape.axis(op.a_contract[i])] = kappa[i];
        in_b[b.shape.axis(op.b_contract[i])] = kappa[i];
      }
      sum.add(a.values[static_cast<std::size_t>(index_of(in_a, a.shape))],
              b.values[static_cast<std::size_t>(index_of(in_b, b.shape))]);
    } while (step(kappa, extents));
  };
}

}  // namespace plumb::parity::element::terms
