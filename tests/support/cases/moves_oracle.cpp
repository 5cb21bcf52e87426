#include <cstring>
#include <optional>

#include "ir/ops/depth_to_space.hpp"
#include "ir/ops/im2col.hpp"
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

/// The element that a tap of a window sees; windows are walked along each axis, the last one first.
std::optional<Position> seen(const ops::Im2col& op, const ir::Shape& x, const Position& j) {
  const std::size_t axes = op.kernel_shape.size();
  const auto given = [](const std::vector<std::int64_t>& list, std::size_t i, std::int64_t otherwise) {
    return list.empty() ? otherwise : list[i];
  };
  Position from(2 + axes);
  std::int64_t tap = j[1], column = j[2];
  bool is_inside = true;
  for (std::size_t i = axes; i-- > 0;) {
    std::vector<std::int64_t> starts;
    const std::int64_t first = -given(op.pads, i, 0), end = x[2 + i] + given(op.pads, axes + i, 0);
    const std::int64_t reach = (op.kernel_shape[i] - 1) * given(op.dilations, i, 1);
    for (std::int64_t start = first; start + reach < end; start += given(op.strides, i, 1)) starts.push_back(start);
    const auto count = static_cast<std::int64_t>(starts.size());
    from[2 + i] =
        starts[static_cast<std::size_t>(column % count)] + tap % op.kernel_shape[i] * given(op.dilations, i, 1);
    is_inside = is_inside && from[2 + i] >= 0 && from[2 + i] < x[2 + i];
    tap /= op.kernel_shape[i];
    column /= count;
  }
  from[0] = j[0];
  from[1] = tap;
  return is_inside ? std::optional(from) : std::nullopt;
}

std::optional<Position> source(const ir::Op& op, const ir::Shape& x, Position j) {
  if (op.is<ops::Pad>()) return unpadded(op.as<ops::Pad>(), x, j);
  if (op.is<ops::Roll>()) return unrolled(op.as<ops::Roll>(), x, j);
  if (op.is<ops::DepthToSpace>()) return in_depth(op.as<ops::DepthToSpace>(), x, j);
  if (op.is<ops::SpaceToDepth>()) return in_space(op.as<ops::SpaceToDepth>(), x, j);
  if (op.is<ops::Im2col>()) return seen(op.as<ops::Im2col>(), x, j);
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
