// Which ops move elements, pick them, or map them one by one.
#include "parity/bounds/runs/op_kinds.hpp"

#include <algorithm>

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/depth_to_space.hpp"
#include "ir/ops/dequantize_linear.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/frame.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/gather_elements.hpp"
#include "ir/ops/gather_nd.hpp"
#include "ir/ops/im2col.hpp"
#include "ir/ops/pad.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/reverse.hpp"
#include "ir/ops/roll.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/space_to_depth.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/tile.hpp"
#include "ir/ops/transpose.hpp"
#include "ir/ops/trilu.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"

namespace plumb::parity::bounds::runs {

bool only_moves(const ir::Op& op) {
  return op.is<ir::ops::Reshape>() || op.is<ir::ops::Transpose>() || op.is<ir::ops::Slice>() ||
         op.is<ir::ops::Concat>() || op.is<ir::ops::Expand>() || op.is<ir::ops::Pad>() || op.is<ir::ops::Split>() ||
         op.is<ir::ops::Tile>() || op.is<ir::ops::Reverse>() || op.is<ir::ops::Roll>() ||
         op.is<ir::ops::DepthToSpace>() || op.is<ir::ops::SpaceToDepth>() || op.is<ir::ops::Trilu>() ||
         op.is<ir::ops::Frame>() || op.is<ir::ops::Im2col>();
}

bool is_gather(const ir::Op& op) {
  return op.is<ir::ops::Gather>() || op.is<ir::ops::GatherElements>() || op.is<ir::ops::GatherNd>();
}

bool is_elementwise(const ir::Op& op) {
  return op.is<ir::ops::Unary>() || op.is<ir::ops::Binary>() || op.is<ir::ops::Compare>() || op.is<ir::ops::Cast>() ||
         op.is<ir::ops::Clamp>() || op.is<ir::ops::Where>() || op.is<ir::ops::DequantizeLinear>();
}

bool is_unary(const ir::Op& op, std::initializer_list<ir::ops::UnaryFunction> functions) {
  return op.is<ir::ops::Unary>() && std::ranges::count(functions, op.as<ir::ops::Unary>().function) > 0;
}

bool is_binary(const ir::Op& op, std::initializer_list<ir::ops::BinaryFunction> functions) {
  return op.is<ir::ops::Binary>() && std::ranges::count(functions, op.as<ir::ops::Binary>().function) > 0;
}

}  // namespace plumb::parity::bounds::runs
