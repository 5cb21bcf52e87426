#include "ir/kernels/broadcast.hpp"

namespace plumb::ir::kernels {
namespace {

/// Whether a step along `outer` goes as far as all of `inner` in every operand.
bool continues(const BroadcastAxis& outer, const BroadcastAxis& inner) {
  for (std::size_t k = 0; k < inner.strides.size(); ++k)
    if (outer.strides[k] != inner.strides[k] * inner.extent) return false;
  return true;
}

}  // namespace

BroadcastLoops broadcast_loops(const Shape& result, const std::vector<Shape>& operands) {
  std::vector<std::vector<std::int64_t>> strides;
  for (const Shape& operand : operands) strides.push_back(broadcast_strides(operand, result));
  BroadcastLoops loops;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] == 1) continue;
    BroadcastAxis axis{result[i], {}};
    for (const auto& of_operand : strides) axis.strides.push_back(of_operand[i]);
    if (!loops.axes.empty() && continues(loops.axes.back(), axis)) {
      axis.extent *= loops.axes.back().extent;
      loops.axes.back() = std::move(axis);
    } else {
      loops.axes.push_back(std::move(axis));
    }
  }
  if (loops.axes.empty()) loops.axes.push_back({1, std::vector<std::int64_t>(operands.size(), 0)});
  return loops;
}

}  // namespace plumb::ir::kernels
