// Findings: suspicions about a node before it runs, and their grounds.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parity/studies/lint/node_sampler.hpp"

namespace plumb::parity::studies::lint {

enum class Kind {
  overflow,          ///< a result is beyond the range of its dtype
  accumulator,       ///< whole numbers beyond those that the dtype of the sum, or of the result, has all of
  subnormal,         ///< most numbers are below the normal ones, which devices may flush to 0
  domain,            ///< NaN of numbers, or a pole
  cancellation,      ///< relative errors of operands grow by half of the dtype's digits
  integer_overflow,  ///< a result wraps
  saturated,         ///< a bounded function is at its ends
  vacuous,           ///< the result is the same whatever the operands are
  masked_row,        ///< a row of scores of which nothing is seen
  unused_input,      ///< no result depends on it
};

constexpr auto enum_names(Kind) {
  return std::array<std::string_view, 10>{"overflow",         "accumulator", "subnormal", "domain",     "cancellation",
                                          "integer-overflow", "saturated",   "vacuous",   "masked-row", "unused-input"};
}

struct Finding {
  Kind kind;
  Level level;
  std::string value;  ///< the name of the input, param or result
  std::string op;     ///< the function of the node; "input" or "param" where it is a source
  std::vector<std::pair<std::string, double>> numbers;  ///< by name, what it rests on
  std::string text;                                     ///< in words
  std::string remedy;                                   ///< a change that may help
};

/// A node's output, and all that findings about it rest on.
struct Subject {
  const ir::Graph& graph;
  const ir::Node& node;
  std::size_t output;
  const std::vector<ValueEstimate>& values;
  const NodeSample& sample;
  const NodeSample* as_reals;  ///< the op on reals, where it takes some in place of integers; else null

  ir::Value value() const { return node.outputs[output]; }
  const ir::TensorType& type() const { return graph.type(value()); }
  const ValueEstimate& estimate() const { return values[value()]; }
};

/// All that is suspicious of an output.
std::vector<Finding> findings_of(const Subject& subject);

/// Likewise of numbers that are fed or set: they may not fit their dtype.
std::vector<Finding> findings_of_source(const ir::Graph& graph, ir::Value source, const ValueEstimate& estimate);

/// Likewise of a source that no result depends on.
Finding unused(const ir::Graph& graph, ir::Value source);

}  // namespace plumb::parity::studies::lint
