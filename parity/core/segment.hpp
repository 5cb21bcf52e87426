#pragma once

#include <functional>
#include <map>
#include <vector>

#include "ir/executor.hpp"
#include "parity/core/judged_output.hpp"

namespace plumb::parity::core {

/// One node of a graph as a graph of its own, fed with values of the original: its
/// operands, or, where an executor did not keep one, what that was computed from.
struct Segment {
  ir::Graph graph;
  std::vector<ir::Value> fed;      ///< the original graph's values, by input of this one
  std::vector<ir::Value> outputs;  ///< this graph's values: the node's outputs
  JudgedOutput judged;             ///< without the inputs' values
};

using Available = std::function<bool(ir::Value)>;

/// The smallest segment that computes `node` from available values. Sources must be available.
Segment segment_of(const ir::Graph& graph, std::size_t node, const Available& available);

/// The segment of one node and its operands.
Segment segment_of(const ir::Graph& graph, std::size_t node);

/// The segment with these of its outputs, by number, stored in narrower floats: cast to them at the end.
Segment stored_in(const Segment& segment, const std::map<std::size_t, ir::DType>& dtypes);

using Lookup = std::function<ir::Tensor(ir::Value)>;

/// Feeds of the segment's inputs, by their names.
ir::Feeds feeds_of(const Segment& segment, const Lookup& fed);

struct Evaluated {
  std::vector<ir::Tensor> outputs;
  std::uint64_t nanoseconds = 0;
};

/// The segment's outputs, on tensors of the original's own dtypes.
Evaluated evaluate(ir::Executor& executor, const Segment& segment, const Lookup& fed);

/// The segment's outputs in reference precision, on tensors of the widened dtypes.
Evaluated evaluate_widened(ir::Executor& executor, const Segment& segment, const ir::Feeds& fed);
Evaluated evaluate_widened(ir::Executor& executor, const Segment& segment, const Lookup& fed);

}  // namespace plumb::parity::core
