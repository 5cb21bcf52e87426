// Ops that end in codes as the ops that they are made of, for runs with other roundings.
#pragma once

#include "ir/graph.hpp"

namespace plumb::parity::checks::expected {

/// The graph with the same values, in which every op of products of codes that gives codes is spelled out: exact sums,
/// their reals, and rounding, of which sign runs know what moves each. Sums saturate and NaN gives the zero point as in
/// the op.
ir::Graph spelled_out(const ir::Graph& graph);

}  // namespace plumb::parity::checks::expected
