// Declarations of axes that ops share, for relations that permute or halve them.
#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {

Axis broadcast_axis(const ir::Shape& x, std::size_t out, std::size_t rank) {
  if (out + x.size() < rank) return {};
  const std::size_t axis = out + x.size() - rank;
  return x[axis] == 1 ? Axis() : Axis(axis);
}

std::vector<AxisSymmetry> elementwise(ir::Types in, const ir::Shape& out) {
  std::vector<AxisSymmetry> axes;
  for (std::size_t axis = 0; axis < out.size(); ++axis) {
    axes.push_back({.out = axis});
    for (const ir::TensorType& x : in) axes.back().in.push_back(broadcast_axis(x.shape, axis, out.size()));
  }
  return axes;
}

AxisSymmetry along(ir::Types in, std::size_t axis, std::vector<Axis> others) {
  AxisSymmetry symmetry{.out = axis, .in = std::move(others)};
  symmetry.in.insert(symmetry.in.begin(), axis);
  symmetry.in.resize(in.size());
  return symmetry;
}

AxisSymmetry summed(std::vector<Axis> in) { return {.in = std::move(in), .independent = false}; }

std::vector<AxisSymmetry> lines(ir::Types in, std::int64_t axis, bool any_order) {
  const std::size_t of_lines = in[0].shape.axis(axis);
  std::vector<AxisSymmetry> axes;
  for (std::size_t a = 0; a < in[0].shape.size(); ++a) {
    if (a == of_lines && !any_order) continue;
    axes.push_back(along(in, a));
    axes.back().independent = a != of_lines;
  }
  return axes;
}

std::vector<AxisSymmetry> norm_of_lines(ir::Types in, std::int64_t axis) {
  const std::size_t first = in[0].shape.axis(axis), rank = in[0].shape.size();
  std::vector<AxisSymmetry> axes;
  for (std::size_t a = 0; a < rank; ++a) {
    std::vector<Axis> others;
    for (const ir::TensorType& x : in.subspan(1)) others.push_back(broadcast_axis(x.shape, a, rank));
    axes.push_back(along(in, a, others));
    axes.back().independent = a < first;
  }
  return axes;
}

}  // namespace plumb::parity::relations
