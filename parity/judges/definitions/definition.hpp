#pragma once

#include <optional>
#include <vector>

#include "ir/graph.hpp"

/// Ops in terms of others that have error models, written from the specification (verdict.md V65). What has no limit in
/// closed form is judged over its definition: how far roundings inside of it may move its results is found by moving
/// them.
namespace plumb::parity::judges::definitions {

/// A graph of ops with error models whose results are the outputs of an op, in the dtype that it computes in. Its
/// inputs are the op's operands, floats in that dtype, by the names "x0", "x1", ...
struct Definition {
  ir::Graph graph;
  std::vector<ir::Value> operands;  ///< the graph's inputs, by operand
};

/// A definition without nodes, for an op on these operands: floats are in the dtype that f16, bf16 and f32 are computed
/// in, f64 is itself.
Definition begin(ir::Types in);

/// The definition of an op that has a file in parity/judges/definitions/ops.
std::optional<Definition> find_definition(const ir::Op& op, ir::Types in);
bool has_definition(const ir::Op& op);
std::vector<const ir::OpSchema*> defined_ops();

}  // namespace plumb::parity::judges::definitions
