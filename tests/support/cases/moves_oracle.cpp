#include <cstring>
#include <optional>

#include "ir/ops/depth_to_space.hpp"
#include "ir/ops/pad.hpp"
#include "ir/ops/reverse.hpp"
#include "ir/ops/roll.hpp"
#include "ir/ops/space_to_depth.hpp"
#include "ir/ops/tile.hpp"
#include "tests/support/cases/moves.hpp"

namespace plumb::tests {
namespace {

namespace ops = ir::ops;
using Position = std::vector<std::int64_t>;

/// A position outside x walks back into it, a turn at a time.
std::optional<std::int64_t> inside(ops::PadMode mode, std::int64_t at, std::int64_t n) {
  while (at < 0 || at >= n) {
    if (mode == ops::PadMode::constant) return std::nullopt;
    if (mode == ops::PadMode::edge) return at < 0 ? 0 : n - 1;
    if (mode == ops::PadMode::wrap)
      at += at < 0 ? n : -n;
    else
      at = at < 0 ? -at : 2 * (n - 1) - at;
  }
  return at;
}

std::optional<Position> unpadded(const ops::Pad& op, const ir::Shape& x, Position j) {
  for (std::size_t k = 0; k < j.size(); ++k) {
    const std::int64_t begin = op.pads[k], end = op.pads[k + x.size()];
    const std::int64_t cropped = begin < 0 ? -begin : 0, kept = x[k] - cropped - (end < 0 ? -end : 0);
    const auto at = inside(op.mode, j[k] - (begin > 0 ? begin : 0), kept);
    if (!at) return std::nullopt;
    j[k] = *at + cropped;
  }
  return j;
}

Position unrolled(const ops::Roll& op, const ir::Shape& x, Position j) {
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    const std::size_t k = x.axis(op.axes[i]);
    j[k] = ((j[k] - op.shifts[i] % x[k]) % x[k] + x[k]) % x[k];
  }
  return j;
}

Position in_depth(const ops::DepthToSpace& op, const ir::Shape& x, const Position& j) {
  const std::int64_t s = op.block, inner = j[2] % s * s + j[3] % s;
  const std::int64_t channel = op.mode == ops::DepthOrder::dcr ? inner * (x[1] / (s * s)) + j[1] : j[1] * s * s + inner;
  return {j[0], channel, j[2] / s, j[3] / s};
}

Position in_space(const ops::SpaceToDepth& op, const ir::Shape& x, const Position& j) {
  const std::int64_t s = op.block, inner = j[1] / x[1];
  return {j[0], j[1] % x[1], j[2] * s + inner / s, j[3] * s + inner % s};
}

std::optional<Position> source(const ir::Op& op, const ir::Shape& x, Position j) {
  if (op.is<ops::Pad>()) return unpadded(op.as<ops::Pad>(), x, j);
  if (op.is<ops::Roll>()) return unrolled(op.as<ops::Roll>(), x, j);
  if (op.is<ops::DepthToSpace>()) return in_depth(op.as<ops::DepthToSpace>(), x, j);
  if (op.is<ops::SpaceToDepth>()) return in_space(op.as<ops::SpaceToDepth>(), x, j);
  if (op.is<ops::Reverse>()) {
    for (const std::int64_t axis : op.as<ops::Reverse>().axes) j[x.axis(axis)] = x[x.axis(axis)] - 1 - j[x.axis(axis)];
    return j;
  }
  ir::require(op.is<ops::Tile>(), op.name(), " has no oracle");
  for (std::size_t k = 0; k < j.size(); ++k) j[k] %= x[k];
  return j;
}

}  // namespace

ir::Tensor made(const ir::Op& op, const std::vector<ir::Tensor>& operands) {
  std::vector<ir::TensorType> types;
  for (const ir::Tensor& operand : operands) types.push_back(operand.type());
  ir::Tensor y(ir::infer(op, types).front());
  const ir::Tensor& x = operands[0];
  const std::size_t width = ir::info(x.dtype()).bytes;
  for (std::int64_t i = 0; i < y.elements(); ++i) {
    Position j(y.shape().size());
    std::int64_t rest = i, at = 0;
    for (std::size_t k = j.size(); k-- > 0; rest /= y.shape()[k]) j[k] = rest % y.shape()[k];
    const auto from = source(op, x.shape(), j);
    if (!from && operands.size() == 1) continue;  // zero bytes
    for (std::size_t k = 0; from && k < from->size(); ++k) at = at * x.shape()[k] + (*from)[k];
    const auto* element = from ? x.bytes().data() + static_cast<std::size_t>(at) * width : operands[1].bytes().data();
    std::memcpy(y.bytes().data() + static_cast<std::size_t>(i) * width, element, width);
  }
  return y;
}

}  // namespace plumb::tests
