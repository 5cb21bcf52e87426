#pragma once

#include <optional>
#include <span>
#include <string>

#include "parity/cases/node_result.hpp"
#include "parity/core/segment.hpp"

/// Where the NaNs and infinities of a run come from: a node that makes one of operands that have none.
namespace plumb::parity::attribution {

/// A segment of a graph by its name, the tensors that it was fed, its output and the truth of that output.
struct Computed {
  std::string name;
  const ir::Graph& graph;
  const core::Segment& segment;
  std::span<const ir::TensorView> fed;
  ir::TensorView truth, got;
};

/// The first element that is a NaN, or an infinity, where no operand holds such a number; nothing where an operand
/// does, or nothing like it came out.
std::optional<cases::NonFiniteOrigin> origin_of(const Computed& computed, cases::NonFinite kind);

/// Adds to a case the first NaN and the first infinity, unless it has them already.
void add_origins(cases::CaseResult& result, const Computed& computed);

/// "first NaN: node 'weights', element 3, from -inf - -inf"
std::string to_text(const cases::NonFiniteOrigin& origin);

}  // namespace plumb::parity::attribution
