// The matrix that a kernel computes an output as.
#include "ir/ops/conv.hpp"
#include "ir/ops/conv_integer.hpp"
#include "ir/ops/conv_transpose.hpp"
#include "ir/ops/qconv.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::settle {

compare::MapExtents map_extents(const ir::Graph& graph, ir::Value value) {
  const ir::Shape& y = graph.type(value).shape;
  compare::MapExtents extents = compare::MapExtents::of_last_axes(y);
  const auto producer = graph.producer(value);
  if (!producer) return extents;
  const ir::Op& op = graph.nodes()[*producer].op;
  const bool is_convolution = op.is<ir::ops::Conv>() || op.is<ir::ops::ConvInteger>() ||
                              op.is<ir::ops::ConvTranspose>() || op.is<ir::ops::Qconv>();
  if (!is_convolution || y.size() < 3) return extents;
  extents = {static_cast<std::uint64_t>(y[1]), 1};
  for (std::size_t axis = 2; axis < y.size(); ++axis) extents.columns *= static_cast<std::uint64_t>(y[axis]);
  return extents;
}

std::optional<compare::MapExtents> map_extents(const Subject& subject, std::size_t k) {
  if (!subject.makes_maps) return std::nullopt;
  return map_extents(subject.segment.graph, subject.segment.outputs.at(k));
}

}  // namespace plumb::parity::settle
