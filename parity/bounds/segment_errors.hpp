#pragma once

#include <map>
#include <optional>
#include <set>

#include "parity/bounds/error_model.hpp"
#include "parity/compare/compare.hpp"
#include "parity/core/segment.hpp"

namespace plumb::parity::bounds {

/// The error models of an evaluation of a segment, added to the widened segment.
class SegmentErrors {
 public:
  /// `wide` is the segment's graph, widened, and `types` has the dtypes that the evaluation computes in: the
  /// segment's, or, of the truth, the widened ones. `graph` is written to; `known`: its values in place of those of the
  /// segment.
  SegmentErrors(const core::Segment& segment, const ir::Graph& wide, const ir::Graph& types, const Manner& manner,
                ir::Graph& graph, std::map<ir::Value, ir::Value> known)
      : segment_(segment), wide_(wide), types_(types), manner_(manner), known_(std::move(known)), builder_(graph) {}

  /// Takes these for what the op of a value adds to the errors of its operands, in place of what its model says;
  /// `without_chance`: what is left of them without chance, where that is known.
  void know(ir::Value value, const compare::Limits& limits, bool without_chance = false);

  /// The limits of a value, added to the graph.
  Bound bound_of(ir::Value value);

 private:
  void bound_node(const ir::Node& node);
  Bound rounding_of(const Node& node, const Model& model);
  Bound output_bound(const Node& node, const Model& model, Bound bound,
                     const std::vector<std::optional<Bound>>& errors);
  Bound carried_on(const Node& node, const Bound& bound);
  ir::TensorTypes candidate_types(const std::vector<ir::Value>& values) const;

  const core::Segment& segment_;
  const ir::Graph& wide_;
  const ir::Graph& types_;
  const Manner manner_;
  const std::map<ir::Value, ir::Value> known_;
  ExpressionBuilder builder_;
  std::map<ir::Value, Bound> errors_;  ///< for values that are not exact
  std::map<ir::Value, Bound> given_;   ///< for values of which more is known than their models say
  std::set<ir::Value> done_;
};

}  // namespace plumb::parity::bounds
